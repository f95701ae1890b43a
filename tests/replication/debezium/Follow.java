import io.debezium.engine.ChangeEvent;
import io.debezium.engine.DebeziumEngine;
import io.debezium.engine.format.Json;
import java.util.Properties;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Follows a server with Debezium's MySQL connector and prints each change of a row: table, key, row after it.
 *
 * usage: Follow PORT FOLDER USER PASSWORD DATABASE SECONDS: ends when no event has come for four seconds, and SECONDS are over.
 */
public class Follow {
    private static final Pattern AFTER = Pattern.compile("\"after\":(null|\\{[^}]*\\})");
    private static final Pattern KEY = Pattern.compile("\"payload\":\\{\"[a-z]+\":(-?\\d+)");

    public static void main(String[] a) throws Exception {
        Properties p = new Properties();
        p.setProperty("name", "follow");
        p.setProperty("connector.class", "io.debezium.connector.mysql.MySqlConnector");
        p.setProperty("offset.storage", "org.apache.kafka.connect.storage.FileOffsetBackingStore");
        p.setProperty("offset.storage.file.filename", a[1] + "/offsets");
        p.setProperty("offset.flush.interval.ms", "200");
        p.setProperty("database.hostname", "127.0.0.1");
        p.setProperty("database.port", a[0]);
        p.setProperty("database.user", a[2]);
        p.setProperty("database.password", a[3]);
        p.setProperty("database.server.id", "9911");
        p.setProperty("database.ssl.mode", "disabled");
        p.setProperty("driver.allowPublicKeyRetrieval", "true");
        p.setProperty("topic.prefix", "t");
        p.setProperty("schema.history.internal", "io.debezium.storage.file.history.FileSchemaHistory");
        p.setProperty("schema.history.internal.file.filename", a[1] + "/history");
        p.setProperty("database.include.list", a[4]);
        AtomicLong last = new AtomicLong(System.currentTimeMillis());
        String[] failure = new String[1];
        DebeziumEngine<ChangeEvent<String, String>> engine = DebeziumEngine.create(Json.class).using(p).notifying(e -> {
            last.set(System.currentTimeMillis());
            String[] topic = e.destination().split("\\.");
            if (topic.length < 3 || e.key() == null) {
                return;
            }
            Matcher key = KEY.matcher(e.key());
            Matcher after = AFTER.matcher(e.value() == null ? "" : e.value());
            // A deletion is followed by an event without a value.
            if (key.find() && after.find()) {
                System.out.println(topic[2] + "\t" + key.group(1) + "\t" + after.group(1));
            }
        }).using((good, message, error) -> failure[0] = good ? null : message + " " + error).build();
        ExecutorService thread = Executors.newSingleThreadExecutor();
        long begun = System.currentTimeMillis();
        thread.execute(engine);
        while (System.currentTimeMillis() < Math.max(begun + 1000L * Long.parseLong(a[5]), last.get() + 4000)) {
            Thread.sleep(100);
        }
        engine.close();
        thread.shutdownNow();
        System.out.flush();
        if (failure[0] != null) {
            System.err.println(failure[0]);
        }
        System.exit(failure[0] == null ? 0 : 1);
    }
}
