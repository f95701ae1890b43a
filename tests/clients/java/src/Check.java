import java.sql.*;
import java.util.*;

/** A list of named checks: each runs by itself, and the program ends with 1 when one has failed. */
final class Check {
    interface Body { void run() throws Exception; }

    static String host = System.getenv().getOrDefault("WEIR_HOST", "127.0.0.1");
    static String port = System.getenv().getOrDefault("WEIR_PORT", "3306");
    private static int passed, failed;

    static String mysql(String database, String options) {
        return "jdbc:mysql://" + host + ":" + port + "/" + database + "?useSSL=false&allowPublicKeyRetrieval=true" + options;
    }

    static String mariadb(String database, String options) {
        return "jdbc:mariadb://" + host + ":" + port + "/" + database + "?sslMode=disable&allowPublicKeyRetrieval=true" + options;
    }

    static Connection open(String url) throws SQLException {
        return DriverManager.getConnection(url, "root", "");
    }

    static void check(String name, Body body) {
        try {
            body.run();
            passed++;
            System.out.println("ok      " + name);
        } catch (Throwable e) {
            failed++;
            Throwable cause = e;
            while (cause.getCause() != null && cause.getCause() != cause) cause = cause.getCause();
            System.out.println("FAILED  " + name + ": " + e + (cause == e ? "" : " <- " + cause));
            if (System.getenv("TRACE") != null) e.printStackTrace(System.out);
        }
    }

    static void end() {
        System.out.println(passed + " passed, " + failed + " failed");
        System.exit(failed == 0 ? 0 : 1);
    }

    static void same(Object expected, Object actual) {
        boolean equal = expected instanceof byte[] a && actual instanceof byte[] b ? Arrays.equals(a, b) : Objects.equals(expected, actual);
        if (!equal) throw new AssertionError("expected " + expected + ", got " + actual);
    }

    static void fresh(String database) throws SQLException {
        try (Connection c = open(mysql("", "")); Statement s = c.createStatement()) {
            s.execute("drop database if exists " + database);
            s.execute("create database " + database);
        }
    }

    /** All rows of a result, columns joined with commas. */
    static List<String> rows(ResultSet r) throws SQLException {
        List<String> all = new ArrayList<>();
        int n = r.getMetaData().getColumnCount();
        while (r.next()) {
            StringJoiner row = new StringJoiner(",");
            for (int i = 1; i <= n; i++) row.add(String.valueOf(r.getString(i)));
            all.add(row.toString());
        }
        return all;
    }

    static List<String> rows(Connection c, String sql) throws SQLException {
        try (Statement s = c.createStatement(); ResultSet r = s.executeQuery(sql)) {
            return rows(r);
        }
    }

    static void run(Connection c, String... statements) throws SQLException {
        try (Statement s = c.createStatement()) {
            for (String sql : statements) s.execute(sql);
        }
    }
}
