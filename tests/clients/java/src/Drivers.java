import java.io.*;
import java.math.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.sql.*;
import java.sql.Date;
import java.time.*;
import java.util.*;
import javax.sql.*;
import javax.transaction.xa.*;

/** Connector/J and MariaDB's Connector/J, each with text and binary protocol. */
final class Drivers {
    public static void main(String[] args) throws Exception {
        String[][] ways = {
            {"mysql text", Check.mysql("jdbc", "&allowLoadLocalInfile=true&allowMultiQueries=true")},
            {"mysql prepared", Check.mysql("jdbc", "&useServerPrepStmts=true&cachePrepStmts=true&allowLoadLocalInfile=true&allowMultiQueries=true")},
            {"mysql batched", Check.mysql("jdbc", "&useServerPrepStmts=true&cachePrepStmts=true&rewriteBatchedStatements=true&allowLoadLocalInfile=true&allowMultiQueries=true&useInformationSchema=true")},
            {"mysql session state", Check.mysql("jdbc", "&useLocalSessionState=true&cacheServerConfiguration=true&elideSetAutoCommits=true&useCompression=true&allowLoadLocalInfile=true&allowMultiQueries=true&connectionCollation=utf8mb4_0900_ai_ci&serverTimezone=UTC")},
            {"mariadb text", Check.mariadb("jdbc", "&allowLocalInfile=true&allowMultiQueries=true")},
            {"mariadb prepared", Check.mariadb("jdbc", "&useServerPrepStmts=true&useBulkStmts=true&allowLocalInfile=true&allowMultiQueries=true")},
        };
        for (String[] way : ways) {
            Check.fresh("jdbc");
            all(way[0] + ": ", way[1]);
        }
        Check.check("XA of Connector/J", Drivers::xa);
        Check.check("HikariCP", Drivers::pool);
        Check.end();
    }

    static void all(String way, String url) throws Exception {
        boolean mysql = url.startsWith("jdbc:mysql");
        Check.check(way + "types", () -> { try (Connection c = Check.open(url)) { types(c); } });
        Check.check(way + "dates and time zones", () -> dates(url));
        Check.check(way + "batches", () -> { try (Connection c = Check.open(url)) { batches(c); } });
        Check.check(way + "generated keys", () -> { try (Connection c = Check.open(url)) { keys(c); } });
        Check.check(way + "procedures", () -> { try (Connection c = Check.open(url)) { procedures(c); } });
        Check.check(way + "streaming", () -> { try (Connection c = Check.open(url)) { streaming(c, mysql); } });
        Check.check(way + "cursors", () -> { try (Connection c = Check.open(url + "&useCursorFetch=true&defaultFetchSize=7")) { cursors(c); } });
        Check.check(way + "updatable results", () -> { try (Connection c = Check.open(url)) { updatable(c); } });
        Check.check(way + "LOAD DATA LOCAL", () -> { try (Connection c = Check.open(url)) { load(c); } });
        Check.check(way + "transactions", () -> { try (Connection c = Check.open(url)) { transactions(c, url); } });
        Check.check(way + "several results", () -> { try (Connection c = Check.open(url)) { several(c); } });
        Check.check(way + "errors and warnings", () -> { try (Connection c = Check.open(url)) { errors(c); } });
        Check.check(way + "timeouts", () -> { try (Connection c = Check.open(url)) { timeouts(c); } });
        Check.check(way + "reset and ping", () -> { try (Connection c = Check.open(url)) { reset(c); } });
    }

    static void types(Connection c) throws Exception {
        Check.run(c, "drop table if exists kinds",
            "create table kinds (id bigint unsigned primary key, ti tinyint, tu tinyint unsigned, b1 tinyint(1), si smallint, mi mediumint, i int, bi bigint, f float,"
            + " d double, n decimal(30,10), bits bit(12), one bit(1), ch char(5), vc varchar(40), t text, bin binary(4), vb varbinary(9), bl blob, e enum('a','b'), s set('x','y','z'),"
            + " j json, y year, dt date, tm time(3), at datetime(6), ts timestamp(6) null)");
        String marks = String.join(",", Collections.nCopies(27, "?"));
        try (PreparedStatement p = c.prepareStatement("insert into kinds values (" + marks + ")")) {
            p.setBigDecimal(1, new BigDecimal("18446744073709551615"));
            p.setByte(2, (byte) -128); p.setInt(3, 255); p.setBoolean(4, true); p.setShort(5, (short) -32768); p.setInt(6, 8388607);
            p.setInt(7, Integer.MIN_VALUE); p.setLong(8, Long.MIN_VALUE); p.setFloat(9, 1.5f); p.setDouble(10, 1e300);
            p.setBigDecimal(11, new BigDecimal("12345678901234567890.0123456789")); p.setBytes(12, new byte[] {0x0a, (byte) 0xbc}); p.setBoolean(13, true);
            p.setString(14, "abc"); p.setString(15, "\u00e4\u20ac\ud83d\ude00"); p.setCharacterStream(16, new StringReader("text"));
            p.setBytes(17, new byte[] {0, 1, 2, 3}); p.setBinaryStream(18, new ByteArrayInputStream(new byte[] {(byte) 255, 0, 39, 92}));
            p.setBlob(19, new ByteArrayInputStream(new byte[] {9, 8})); p.setString(20, "b"); p.setString(21, "x,z");
            p.setString(22, "{\"k\": [1, 2.5, null]}"); p.setInt(23, 2024); p.setDate(24, Date.valueOf("2024-02-29"));
            p.setObject(25, LocalTime.of(23, 59, 59, 123_000_000)); p.setObject(26, LocalDateTime.of(2024, 2, 29, 1, 2, 3, 456789000));
            p.setTimestamp(27, Timestamp.valueOf("2024-02-29 01:02:03.456789"));
            Check.same(1, p.executeUpdate());
            p.setLong(1, 1);
            for (int i = 2; i <= 27; i++) p.setNull(i, Types.NULL);
            Check.same(1, p.executeUpdate());
        }
        try (PreparedStatement p = c.prepareStatement("select * from kinds where id = ?")) {
            p.setBigDecimal(1, new BigDecimal("18446744073709551615"));
            ResultSet r = p.executeQuery();
            Check.same(true, r.next());
            Check.same(new BigInteger("18446744073709551615"), r.getObject(1));
            Check.same(-128, r.getInt(2)); Check.same(255, r.getInt(3)); Check.same(true, r.getObject(4)); Check.same(8388607, r.getInt(6));
            Check.same(Long.MIN_VALUE, r.getLong(8)); Check.same(1.5f, r.getFloat(9)); Check.same(1e300, r.getDouble(10));
            Check.same(new BigDecimal("12345678901234567890.0123456789"), r.getBigDecimal(11));
            Check.same(new byte[] {0x0a, (byte) 0xbc}, r.getBytes(12)); Check.same(true, r.getBoolean(13));
            Check.same("abc", r.getString(14)); Check.same("\u00e4\u20ac\ud83d\ude00", r.getString(15)); Check.same("text", r.getString(16));
            Check.same(new byte[] {0, 1, 2, 3}, r.getBytes(17)); Check.same(new byte[] {(byte) 255, 0, 39, 92}, r.getBytes(18));
            Check.same("b", r.getString(20)); Check.same("x,z", r.getString(21)); Check.same("{\"k\": [1, 2.5, null]}", r.getString(22));
            Check.same(2024, r.getInt(23)); Check.same(LocalDate.of(2024, 2, 29), r.getObject(24, LocalDate.class));
            Check.same(LocalTime.of(23, 59, 59, 123_000_000), r.getObject(25, LocalTime.class));
            Check.same(LocalDateTime.of(2024, 2, 29, 1, 2, 3, 456789000), r.getObject(26, LocalDateTime.class));
            Check.same(Timestamp.valueOf("2024-02-29 01:02:03.456789"), r.getTimestamp(27));
            ResultSetMetaData m = r.getMetaData();
            Check.same(27, m.getColumnCount()); Check.same("kinds", m.getTableName(1)); Check.same("jdbc", m.getCatalogName(1)); Check.same(Types.BIGINT, m.getColumnType(1));
            Check.same(Types.DECIMAL, m.getColumnType(11)); Check.same(30, m.getPrecision(11)); Check.same(10, m.getScale(11)); Check.same(false, m.isSigned(1));
            Check.same(Types.CHAR, m.getColumnType(20)); Check.same(5, m.getPrecision(14)); Check.same(40, m.getPrecision(15));
        }
        try (Statement s = c.createStatement(); ResultSet r = s.executeQuery("select * from kinds where id = 1")) {
            Check.same(true, r.next());
            for (int i = 2; i <= 27; i++) { Check.same(null, r.getObject(i)); Check.same(true, r.wasNull()); }
        }
        try (PreparedStatement p = c.prepareStatement("select ?, ? + 1, concat(?, 'x'), ?")) {
            p.setString(1, "\\'\"\n\u0000%"); p.setInt(2, 41); p.setString(3, "y"); p.setObject(4, null);
            ResultSet r = p.executeQuery();
            r.next();
            Check.same("\\'\"\n\u0000%", r.getString(1)); Check.same(42, r.getInt(2)); Check.same("yx", r.getString(3)); Check.same(null, r.getString(4));
        }
    }

    static void dates(String url) throws Exception {
        for (String zone : new String[] {"UTC", url.contains("mariadb") ? "+05:30" : "%2B05:30", "Europe/Berlin"}) {
            try (Connection c = Check.open(url + "&connectionTimeZone=" + zone + "&timezone=" + zone + "&forceConnectionTimeZoneToSession=" + !zone.startsWith("E"))) {
                Check.run(c, "drop table if exists times", "create table times (id int primary key auto_increment, a timestamp(6) null, b datetime(6), d date, t time(6))");
                Instant now = Instant.parse("2024-07-01T10:20:30.123456Z");
                try (PreparedStatement p = c.prepareStatement("insert into times (a, b, d, t) values (?, ?, ?, ?)")) {
                    p.setTimestamp(1, Timestamp.from(now));
                    p.setObject(2, now.atOffset(ZoneOffset.UTC).toLocalDateTime()); p.setObject(3, LocalDate.of(1000, 1, 1)); p.setObject(4, LocalTime.of(0, 0, 1));
                    p.executeUpdate();
                }
                try (PreparedStatement p = c.prepareStatement("select a, b, d, t from times"); ResultSet r = p.executeQuery()) {
                    r.next();
                    Check.same(Timestamp.from(now), r.getTimestamp(1));
                    Check.same(LocalDateTime.parse("2024-07-01T10:20:30.123456"), r.getObject(2, LocalDateTime.class));
                    Check.same(LocalDate.of(1000, 1, 1), r.getObject(3, LocalDate.class)); Check.same(LocalTime.of(0, 0, 1), r.getObject(4, LocalTime.class));
                }
            }
        }
    }

    static void batches(Connection c) throws Exception {
        Check.run(c, "drop table if exists b", "create table b (id int primary key, v varchar(20))");
        try (PreparedStatement p = c.prepareStatement("insert into b values (?, ?)")) {
            for (int i = 0; i < 500; i++) { p.setInt(1, i); p.setString(2, i % 7 == 0 ? null : "v" + i); p.addBatch(); }
            Check.same(500, p.executeBatch().length);
        }
        try (PreparedStatement p = c.prepareStatement("update b set v = ? where id = ?")) {
            for (int i = 0; i < 20; i++) { p.setString(1, "u"); p.setInt(2, i); p.addBatch(); }
            Check.same(20, p.executeBatch().length);
        }
        try (PreparedStatement p = c.prepareStatement("insert into b values (?, ?) on duplicate key update v = values(v)")) {
            for (int i = 490; i < 510; i++) { p.setInt(1, i); p.setString(2, "d"); p.addBatch(); }
            p.executeLargeBatch();
        }
        try (Statement s = c.createStatement()) {
            s.addBatch("delete from b where id < 10"); s.addBatch("insert into b values (1000, 'x')"); s.addBatch("update b set v = 'q' where id = 1000");
            Check.same("[10, 1, 1]", Arrays.toString(s.executeBatch()));
            s.addBatch("insert into b values (1001, 'x')"); s.addBatch("insert into b values (1000, 'x')");
            try { s.executeBatch(); throw new AssertionError("no error"); } catch (BatchUpdateException e) { Check.same(1062, e.getErrorCode()); }
        }
        Check.same(List.of("502,10"), Check.rows(c, "select count(*), (select count(*) from b where v = 'u') from b"));
    }

    static void keys(Connection c) throws Exception {
        Check.run(c, "drop table if exists g", "create table g (id bigint primary key auto_increment, v varchar(20) unique)");
        try (PreparedStatement p = c.prepareStatement("insert into g (v) values (?)", Statement.RETURN_GENERATED_KEYS)) {
            p.setString(1, "a"); p.executeUpdate();
            Check.same(List.of("1"), Check.rows(p.getGeneratedKeys()));
            for (String v : new String[] {"b", "c", "d"}) { p.setString(1, v); p.addBatch(); }
            p.executeBatch();
            Check.same(List.of("2", "3", "4"), Check.rows(p.getGeneratedKeys()));
        }
        try (Statement s = c.createStatement()) {
            s.executeUpdate("insert into g (v) values ('e'), ('f')", new String[] {"id"});
            Check.same("5", Check.rows(s.getGeneratedKeys()).get(0));
            s.executeUpdate("insert into g (v) values ('e') on duplicate key update id = last_insert_id(id), v = 'ee'", Statement.RETURN_GENERATED_KEYS);
            Check.same("5", Check.rows(s.getGeneratedKeys()).get(0));
        }
    }

    static void procedures(Connection c) throws Exception {
        Check.run(c, "drop procedure if exists p1", "drop procedure if exists p2", "drop function if exists f1",
            "create procedure p1(in a int, out b varchar(50), inout d decimal(10,2)) begin set b = concat('a', a); set d = d * 2; select a as one, 'x' as two; select 3 as three; end",
            "create procedure p2() begin select 1; end", "create function f1(a int, b varchar(10)) returns varchar(30) deterministic return concat(a, b)");
        try (CallableStatement s = c.prepareCall("{call p1(?, ?, ?)}")) {
            s.setInt(1, 5); s.registerOutParameter(2, Types.VARCHAR); s.setBigDecimal(3, new BigDecimal("1.25")); s.registerOutParameter(3, Types.DECIMAL);
            Check.same(true, s.execute());
            Check.same(List.of("5,x"), Check.rows(s.getResultSet()));
            Check.same(true, s.getMoreResults());
            Check.same(List.of("3"), Check.rows(s.getResultSet()));
            while (s.getMoreResults() || s.getUpdateCount() != -1) { }
            Check.same("a5", s.getString(2)); Check.same(new BigDecimal("2.50"), s.getBigDecimal(3));
        }
        try (CallableStatement s = c.prepareCall("{? = call f1(?, ?)}")) {
            s.registerOutParameter(1, Types.VARCHAR); s.setInt(2, 7); s.setString(3, "z");
            s.execute();
            Check.same("7z", s.getString(1));
        }
        try (CallableStatement s = c.prepareCall("call p2()"); ResultSet r = s.executeQuery()) { Check.same(List.of("1"), Check.rows(r)); }
        try (CallableStatement s = c.prepareCall("{call p1(?, ?, ?)}")) {
            s.setInt("a", 6); s.setBigDecimal("d", BigDecimal.ONE); s.registerOutParameter("b", Types.VARCHAR); s.registerOutParameter("d", Types.DECIMAL);
            s.execute();
            while (s.getMoreResults() || s.getUpdateCount() != -1) { }
            Check.same("a6", s.getString("b"));
            ParameterMetaData m = s.getParameterMetaData();
            Check.same(3, m.getParameterCount());
        }
    }

    static void fill(Connection c, int rows) throws Exception {
        Check.run(c, "drop table if exists many", "create table many (id int primary key, v varchar(100))",
            "set @@cte_max_recursion_depth = 100000", "insert into many with recursive n as (select 1 as i union all select i + 1 from n where i < " + rows + ") select i, repeat('x', i % 100) from n");
    }

    static void streaming(Connection c, boolean mysql) throws Exception {
        fill(c, 3000);
        try (Statement s = c.createStatement(ResultSet.TYPE_FORWARD_ONLY, ResultSet.CONCUR_READ_ONLY)) {
            s.setFetchSize(mysql ? Integer.MIN_VALUE : 100);
            ResultSet r = s.executeQuery("select * from many order by id");
            int n = 0;
            while (r.next()) { n++; Check.same(n, r.getInt(1)); }
            Check.same(3000, n);
            r = s.executeQuery("select * from many");
            r.next();
            r.close();
        }
        Check.same(List.of("1"), Check.rows(c, "select 1"));
    }

    static void cursors(Connection c) throws Exception {
        fill(c, 200);
        try (PreparedStatement p = c.prepareStatement("select id, v from many where id > ? order by id")) {
            p.setFetchSize(9);
            p.setInt(1, 50);
            ResultSet r = p.executeQuery();
            int n = 50;
            while (r.next()) { n++; Check.same(n, r.getInt(1)); Check.same(n % 100, r.getString(2).length()); if (n == 60) Check.same(List.of("2"), Check.rows(c, "select 1 + 1")); }
            Check.same(200, n);
            p.setInt(1, 199);
            r = p.executeQuery();
            r.next(); Check.same(200, r.getInt(1)); Check.same(false, r.next());
            p.setInt(1, 500);
            Check.same(false, p.executeQuery().next());
        }
        try (PreparedStatement p = c.prepareStatement("show tables like ?".replace("?", "'many'"))) { Check.same(List.of("many"), Check.rows(p.executeQuery())); }
    }

    static void updatable(Connection c) throws Exception {
        Check.run(c, "drop table if exists u", "create table u (id int primary key, v varchar(20), d datetime)", "insert into u values (1, 'a', now()), (2, 'b', null)");
        try (Statement s = c.createStatement(ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_UPDATABLE)) {
            ResultSet r = s.executeQuery("select id, v, d from u order by id");
            r.next(); r.updateString(2, "aa"); r.updateRow();
            r.moveToInsertRow(); r.updateInt(1, 3); r.updateString(2, "c"); r.updateNull(3); r.insertRow(); r.moveToCurrentRow();
            r.absolute(2); r.deleteRow();
        }
        Check.same(List.of("1,aa", "3,c"), Check.rows(c, "select id, v from u order by id"));
    }

    static void load(Connection c) throws Exception {
        Path file = Files.createTempFile("weir", ".csv");
        Files.writeString(file, "1,\"a,b\"\n2,\\N\n3,\"\u00e4\"\n", StandardCharsets.UTF_8);
        Check.run(c, "drop table if exists l", "create table l (id int primary key, v varchar(20))");
        try (Statement s = c.createStatement()) {
            Check.same(3, s.executeUpdate("load data local infile '" + file + "' into table l character set utf8mb4 fields terminated by ',' optionally enclosed by '\"'"));
        }
        Check.same(List.of("1,a,b", "2,null", "3,\u00e4"), Check.rows(c, "select * from l order by id"));
        Files.delete(file);
    }

    static void transactions(Connection c, String url) throws Exception {
        Check.run(c, "drop table if exists x", "create table x (id int primary key, v int)");
        c.setAutoCommit(false);
        for (int level : new int[] {Connection.TRANSACTION_READ_UNCOMMITTED, Connection.TRANSACTION_READ_COMMITTED, Connection.TRANSACTION_REPEATABLE_READ, Connection.TRANSACTION_SERIALIZABLE}) {
            c.setTransactionIsolation(level);
            Check.same(level, c.getTransactionIsolation());
            c.commit();
        }
        c.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        Check.run(c, "insert into x values (1, 1)");
        Savepoint p = c.setSavepoint("half");
        Check.run(c, "insert into x values (2, 2)");
        c.rollback(p);
        Savepoint q = c.setSavepoint();
        c.releaseSavepoint(q);
        c.commit();
        Check.same(List.of("1"), Check.rows(c, "select id from x"));
        c.rollback();
        // MariaDB's driver tells the server nothing of it.
        if (url.startsWith("jdbc:mysql")) {
            c.setReadOnly(true);
            try { Check.run(c, "insert into x values (9, 9)"); throw new AssertionError("no error"); } catch (SQLException e) { }
            c.rollback();
            c.setReadOnly(false);
        }
        c.setAutoCommit(true);
        try (Connection d = Check.open(url)) {
            c.setAutoCommit(false); d.setAutoCommit(false);
            Check.rows(c, "select * from x where id = 1 for update");
            Check.run(d, "set innodb_lock_wait_timeout = 1");
            try { Check.rows(d, "select * from x for update"); throw new AssertionError("no error"); } catch (SQLException e) { Check.same(1205, e.getErrorCode()); }
            try { Check.rows(d, "select * from x for update nowait"); throw new AssertionError("no error"); } catch (SQLException e) { Check.same(3572, e.getErrorCode()); }
            Check.same(List.of(), Check.rows(d, "select * from x for update skip locked"));
            c.rollback(); d.rollback();
        }
    }

    static void several(Connection c) throws Exception {
        try (Statement s = c.createStatement()) {
            Check.same(true, s.execute("select 1; create table if not exists w (a int); select 2; insert into w values (1), (2)"));
            Check.same(List.of("1"), Check.rows(s.getResultSet()));
            Check.same(false, s.getMoreResults()); Check.same(0, s.getUpdateCount());
            Check.same(true, s.getMoreResults());
            Check.same(false, s.getMoreResults()); Check.same(2, s.getUpdateCount());
            Check.same(false, s.getMoreResults()); Check.same(-1, s.getUpdateCount());
        }
    }

    static void errors(Connection c) throws Exception {
        String[][] wrong = {
            {"select * from nowhere", "1146", "42S02"}, {"selec 1", "1064", "42000"}, {"select nothing", "1054", "42S22"}, {"use nowhere", "1049", "42000"},
            {"insert into er values (1)", "1062", "23000"}, {"insert into er values ('x')", "1366", "HY000"}, {"insert into er values (null)", "1048", "23000"},
            {"insert into er values (99999999999)", "1264", "22003"}, {"create table er (a int)", "1050", "42S01"}, {"drop table nowhere", "1051", "42S02"},
        };
        Check.run(c, "drop table if exists er", "create table er (id int primary key)", "insert into er values (1)");
        for (String[] w : wrong) {
            try (Statement s = c.createStatement()) { s.execute(w[0]); throw new AssertionError("no error: " + w[0]); } catch (SQLException e) {
                Check.same(w[0] + " " + w[1], w[0] + " " + e.getErrorCode());
                Check.same(w[0] + " " + w[2].substring(0, 2), w[0] + " " + e.getSQLState().substring(0, 2));
            }
        }
        try (Statement s = c.createStatement()) {
            s.execute("drop table if exists nowhere");
            Check.same(1051, s.getWarnings().getErrorCode());
        }
    }

    static void timeouts(Connection c) throws Exception {
        try (Statement s = c.createStatement()) {
            s.setQueryTimeout(1);
            boolean ended = false;
            try { ResultSet r = s.executeQuery("select sleep(10)"); r.next(); ended = r.getInt(1) == 1; } catch (SQLException e) { ended = true; }
            Check.same(true, ended);
            s.setQueryTimeout(0); s.setMaxRows(3);
            Check.same(3, Check.rows(s.executeQuery("select 1 union select 2 union select 3 union select 4")).size());
            s.setMaxRows(0);
            Check.same(4, Check.rows(s.executeQuery("select 1 union select 2 union select 3 union select 4")).size());
        }
        Check.same(List.of("1"), Check.rows(c, "select 1"));
    }

    static void reset(Connection c) throws Exception {
        Check.same(true, c.isValid(3));
        Check.same("jdbc", c.getCatalog());
        c.setCatalog("mysql"); Check.same("mysql", c.getCatalog()); c.setCatalog("jdbc");
        Check.same(List.of("a?"), Check.rows(c, "select /* ping */ 'a?'"));
        if (c instanceof com.mysql.cj.jdbc.JdbcConnection j) {
            Check.run(c, "set @a = 1");
            j.resetServerState();
            Check.same(List.of("null"), Check.rows(c, "select @a"));
            j.changeUser("root", "");
        }
        Check.same(false, c.prepareStatement("select 1 where 1 = ?").getMetaData() == null);
        c.prepareStatement("select 1 where 1 = ?").getParameterMetaData().getParameterCount();
    }

    static void xa() throws Exception {
        Check.fresh("jdbc");
        com.mysql.cj.jdbc.MysqlXADataSource source = new com.mysql.cj.jdbc.MysqlXADataSource();
        source.setUrl(Check.mysql("jdbc", "")); source.setUser("root"); source.setPassword("");
        try (Connection c = Check.open(Check.mysql("jdbc", ""))) {
            Check.run(c, "create table x (id int primary key)");
            XAConnection xc = source.getXAConnection();
            XAResource x = xc.getXAResource();
            Xid one = new com.mysql.cj.jdbc.MysqlXid(new byte[] {1, 2}, new byte[] {3}, 7), two = new com.mysql.cj.jdbc.MysqlXid(new byte[] {1, 2}, new byte[] {4}, 7);
            x.start(one, XAResource.TMNOFLAGS);
            Check.run(xc.getConnection(), "insert into x values (1)");
            x.end(one, XAResource.TMSUCCESS);
            Check.same(XAResource.XA_OK, x.prepare(one));
            Xid[] found = x.recover(XAResource.TMSTARTRSCAN | XAResource.TMENDRSCAN);
            Check.same(1, found.length); Check.same(new byte[] {1, 2}, found[0].getGlobalTransactionId()); Check.same(7, found[0].getFormatId());
            x.commit(one, false);
            x.start(two, XAResource.TMNOFLAGS);
            Check.run(xc.getConnection(), "insert into x values (2)");
            x.end(two, XAResource.TMSUCCESS);
            x.rollback(two);
            x.start(two, XAResource.TMNOFLAGS);
            Check.run(xc.getConnection(), "insert into x values (3)");
            x.end(two, XAResource.TMSUCCESS);
            x.commit(two, true);
            Check.same(List.of("1", "3"), Check.rows(c, "select id from x order by id"));
            xc.close();
        }
    }

    static void pool() throws Exception {
        com.zaxxer.hikari.HikariConfig config = new com.zaxxer.hikari.HikariConfig();
        config.setJdbcUrl(Check.mysql("jdbc", "&useServerPrepStmts=true")); config.setUsername("root"); config.setPassword("");
        config.setMaximumPoolSize(4); config.setTransactionIsolation("TRANSACTION_READ_COMMITTED"); config.setAutoCommit(false);
        try (com.zaxxer.hikari.HikariDataSource pool = new com.zaxxer.hikari.HikariDataSource(config)) {
            List<Thread> threads = new ArrayList<>();
            List<Throwable> errors = Collections.synchronizedList(new ArrayList<>());
            for (int t = 0; t < 8; t++) {
                threads.add(new Thread(() -> {
                    try {
                        for (int i = 0; i < 20; i++) try (Connection c = pool.getConnection()) { Check.same(List.of("READ-COMMITTED"), Check.rows(c, "select @@transaction_isolation")); c.commit(); }
                    } catch (Throwable e) { errors.add(e); }
                }));
            }
            threads.forEach(Thread::start);
            for (Thread t : threads) t.join();
            if (!errors.isEmpty()) throw new AssertionError(errors.get(0));
        }
    }
}
