import java.lang.reflect.*;
import java.sql.*;
import java.util.*;

/** java.sql.DatabaseMetaData in all its methods, for both drivers, from SHOW and from information_schema. */
final class Metadata {
    public static void main(String[] args) throws Exception {
        Check.fresh("meta");
        try (Connection c = Check.open(Check.mysql("meta", ""))) {
            Check.run(c, "create table parent (a int, b varchar(20) collate utf8mb4_bin, name varchar(30) not null default 'it''s' comment 'the name', primary key (a, b), unique key by_name (name))",
                "create table child (id int unsigned primary key auto_increment, pa int, pb varchar(20) collate utf8mb4_bin, price decimal(8,3) default 1.500, kind enum('x','y,z') default 'x',"
                + " many set('p','q'), at datetime(3) default current_timestamp(3) on update current_timestamp(3), twice int as (yr * 2) stored, thrice int as (pa * 3) virtual, doc json, raw varbinary(16), flag bit(1),"
                + " yes tinyint(1), shape geometry, txt longtext, yr year, t time(2), key by_pa_pb (pa, pb), key by_price (price desc),"
                + " constraint to_parent foreign key (pa, pb) references parent (a, b) on delete cascade on update set null) comment = 'children'",
                "create view seen as select id, price from child", "create procedure make(in a int, out b varchar(20), inout c decimal(5,2)) comment 'makes' begin end",
                "create function give(x bigint unsigned) returns varchar(77) deterministic return x", "create trigger before_child before insert on child for each row set new.price = 2");
        }
        for (String url : new String[] {Check.mysql("meta", ""), Check.mysql("meta", "&useInformationSchema=true&nullDatabaseMeansCurrent=true"), Check.mariadb("meta", "&nullDatabaseMeansCurrent=true")}) {
            String way = url.substring(5, 12) + (url.contains("useInformationSchema") ? " information_schema: " : ": ");
            try (Connection c = Check.open(url)) {
                DatabaseMetaData m = c.getMetaData();
                Check.check(way + "methods without arguments", () -> plain(m));
                Check.check(way + "tables", () -> tables(m));
                Check.check(way + "columns", () -> columns(m));
                Check.check(way + "keys", () -> keys(m));
                Check.check(way + "routines", () -> routines(m));
                Check.check(way + "others", () -> others(m));
            }
        }
        Check.end();
    }

    static void plain(DatabaseMetaData m) throws Exception {
        StringBuilder wrong = new StringBuilder();
        for (Method method : DatabaseMetaData.class.getMethods()) {
            if (method.getParameterCount() != 0) continue;
            try {
                Object value = method.invoke(m);
                if (value instanceof ResultSet r) {
                    int n = Check.rows(r).size();
                    if (n == 0 && !Set.of("getSchemas", "getClientInfoProperties").contains(method.getName())) wrong.append(method.getName()).append(" has no rows; ");
                }
            } catch (InvocationTargetException e) {
                wrong.append(method.getName()).append(": ").append(e.getCause()).append("; ");
            }
        }
        if (wrong.length() > 0) throw new AssertionError(wrong.toString());
        Check.same(8, m.getDatabaseMajorVersion());
        Check.same("REPEATABLE", m.getDefaultTransactionIsolation() == Connection.TRANSACTION_REPEATABLE_READ ? "REPEATABLE" : "other");
    }

    static List<String> pick(ResultSet r, String... names) throws SQLException {
        List<String> all = new ArrayList<>();
        while (r.next()) {
            StringJoiner row = new StringJoiner(",");
            for (String name : names) row.add(String.valueOf(r.getString(name)));
            all.add(row.toString());
        }
        return all;
    }

    static void tables(DatabaseMetaData m) throws SQLException {
        Check.same(List.of("child,TABLE,children", "parent,TABLE,", "seen,VIEW,VIEW"),
            pick(m.getTables("meta", null, "%", null), "TABLE_NAME", "TABLE_TYPE", "REMARKS").stream().sorted().map(row -> row.equals("seen,VIEW,") ? "seen,VIEW,VIEW" : row).toList());
        Check.same(List.of("child,TABLE"), pick(m.getTables("meta", null, "chi__", new String[] {"TABLE"}), "TABLE_NAME", "TABLE_TYPE"));
        Check.same(List.of("seen"), pick(m.getTables("meta", null, null, new String[] {"VIEW"}), "TABLE_NAME"));
        if (pick(m.getTables("information_schema", null, "%", new String[] {"SYSTEM VIEW"}), "TABLE_NAME").size() < 50) throw new AssertionError("views of information_schema");
        Check.same(true, pick(m.getCatalogs(), "TABLE_CAT").contains("meta"));
        pick(m.getTablePrivileges("meta", null, "%"), "PRIVILEGE");
        pick(m.getColumnPrivileges("meta", null, "child", "%"), "PRIVILEGE");
    }

    static void columns(DatabaseMetaData m) throws SQLException {
        List<String> all = pick(m.getColumns("meta", null, "child", "%"), "COLUMN_NAME", "TYPE_NAME", "COLUMN_SIZE", "DECIMAL_DIGITS", "IS_NULLABLE", "COLUMN_DEF", "IS_AUTOINCREMENT", "IS_GENERATEDCOLUMN");
        Check.same(17, all.size());
        Check.same("id,INT UNSIGNED,10,0,NO,null,YES,NO", all.get(0).replace(",null,NO,null,YES", ",0,NO,null,YES"));
        Check.same("price,DECIMAL,8,3,YES,1.500,NO,NO", all.get(3));
        Check.same(true, all.get(7).startsWith("twice,INT,") && all.get(7).endsWith(",YES"));
        Check.same(true, all.get(8).startsWith("thrice,INT,") && all.get(8).endsWith(",YES"));
        List<String> parent = pick(m.getColumns("meta", null, "par%", "na%"), "TABLE_NAME", "COLUMN_NAME", "NULLABLE", "REMARKS", "COLUMN_DEF", "CHAR_OCTET_LENGTH", "ORDINAL_POSITION");
        Check.same(1, parent.size());
        Check.same(true, parent.get(0).startsWith("parent,name,0,the name,it's,"));
        Check.same(2, pick(m.getColumns("meta", null, "seen", "%"), "COLUMN_NAME").size());
        Check.same(true, pick(m.getColumns("information_schema", null, "COLUMNS", "%"), "COLUMN_NAME").size() >= 22);
        pick(m.getPseudoColumns("meta", null, "child", "%"), "COLUMN_NAME");
        pick(m.getVersionColumns("meta", null, "child"), "COLUMN_NAME");
        Check.same(List.of("id"), pick(m.getBestRowIdentifier("meta", null, "child", DatabaseMetaData.bestRowSession, true), "COLUMN_NAME"));
    }

    static void keys(DatabaseMetaData m) throws SQLException {
        Check.same(List.of("a,1,PRIMARY", "b,2,PRIMARY"), pick(m.getPrimaryKeys("meta", null, "parent"), "COLUMN_NAME", "KEY_SEQ", "PK_NAME"));
        List<String> key = List.of("parent,a,child,pa,1,2,0,to_parent", "parent,b,child,pb,2,2,0,to_parent");
        String[] names = {"PKTABLE_NAME", "PKCOLUMN_NAME", "FKTABLE_NAME", "FKCOLUMN_NAME", "KEY_SEQ", "UPDATE_RULE", "DELETE_RULE", "FK_NAME"};
        // Connector/J joins all unique keys of the parent, so that each of them doubles the rows.
        Check.same(key, pick(m.getImportedKeys("meta", null, "child"), names).stream().distinct().toList());
        Check.same(key, pick(m.getExportedKeys("meta", null, "parent"), names).stream().distinct().toList());
        Check.same(key, pick(m.getCrossReference("meta", null, "parent", "meta", null, "child"), names).stream().distinct().toList());
        List<String> index = pick(m.getIndexInfo("meta", null, "child", false, false), "INDEX_NAME", "ORDINAL_POSITION", "COLUMN_NAME", "NON_UNIQUE", "ASC_OR_DESC");
        Check.same(true, index.contains("by_price,1,price,true,D") || index.contains("by_price,1,price,1,D"));
        Check.same(4, index.size());
        Check.same(List.of("PRIMARY", "PRIMARY", "by_name"), pick(m.getIndexInfo("meta", null, "parent", true, true), "INDEX_NAME").stream().sorted().toList());
    }

    static void routines(DatabaseMetaData m) throws SQLException {
        Check.same(List.of("make,makes"), pick(m.getProcedures("meta", null, "make%"), "PROCEDURE_NAME", "REMARKS"));
        List<String> columns = pick(m.getProcedureColumns("meta", null, "make", "%"), "COLUMN_NAME", "COLUMN_TYPE", "TYPE_NAME", "PRECISION", "SCALE");
        Check.same(3, columns.size());
        Check.same(List.of("give"), pick(m.getFunctions("meta", null, "gi%"), "FUNCTION_NAME"));
        Check.same(2, pick(m.getFunctionColumns("meta", null, "give", "%"), "COLUMN_NAME").size());
    }

    static void others(DatabaseMetaData m) throws SQLException {
        m.getUDTs("meta", null, "%", null).close();
        m.getSuperTypes("meta", null, "%").close();
        m.getSuperTables("meta", null, "%").close();
        m.getAttributes("meta", null, "%", "%").close();
        m.getSchemas("meta", "%").close();
        Check.same(true, m.supportsTransactionIsolationLevel(Connection.TRANSACTION_SERIALIZABLE));
        Check.same(true, m.getSQLKeywords().contains("LATERAL") || m.getSQLKeywords().length() > 100);
    }
}
