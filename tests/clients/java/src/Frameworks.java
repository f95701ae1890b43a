import jakarta.persistence.*;
import java.io.*;
import java.math.*;
import java.nio.file.*;
import java.sql.*;
import java.time.*;
import java.util.*;
import org.hibernate.*;
import jakarta.persistence.Version;
import org.hibernate.annotations.*;
import org.hibernate.cfg.Configuration;
import org.hibernate.query.Query;
import org.hibernate.type.SqlTypes;

/** Hibernate, Flyway, Liquibase, jOOQ's generator and Spring Batch's tables. */
final class Frameworks {
    enum Colour { RED, GREEN }

    @Entity(name = "Owner") @jakarta.persistence.Table(name = "owners", indexes = @jakarta.persistence.Index(name = "by_name", columnList = "name"), uniqueConstraints = @UniqueConstraint(columnNames = {"name", "born"}))
    public static class Owner {
        @Id @GeneratedValue(strategy = GenerationType.IDENTITY) Long id;
        @Column(length = 60, nullable = false) String name;
        LocalDate born;
        @Version int version;
        @OneToMany(mappedBy = "owner", cascade = jakarta.persistence.CascadeType.ALL, orphanRemoval = true) List<Thing> things = new ArrayList<>();
        @ElementCollection Set<String> tags = new HashSet<>();
    }

    @Entity(name = "Thing") @jakarta.persistence.Table(name = "things")
    public static class Thing {
        @Id @GeneratedValue(strategy = GenerationType.SEQUENCE) Long id;
        @ManyToOne(fetch = FetchType.LAZY) @OnDelete(action = OnDeleteAction.CASCADE) Owner owner;
        UUID uuid;
        @Enumerated(EnumType.STRING) Colour colour;
        @Enumerated(EnumType.ORDINAL) Colour ordinal;
        @Lob String text;
        @Lob byte[] bytes;
        @JdbcTypeCode(SqlTypes.JSON) Map<String, Object> json;
        BigDecimal price; @Column(precision = 38, scale = 10) BigDecimal exact; BigInteger big; Instant instant; LocalDateTime local; LocalTime time; OffsetDateTime offset; ZonedDateTime zoned; Duration duration; Year year;
        Boolean flag; Character letter; Byte tiny; Short small; Float single; Double twice;
        @CreationTimestamp LocalDateTime created; @UpdateTimestamp LocalDateTime updated;
        @Formula("concat(colour, '!')") String loud;
        @Column(columnDefinition = "varchar(20) default 'd'") String defined;
    }

    public static void main(String[] args) throws Exception {
        java.util.logging.LogManager.getLogManager().reset();
        Check.check("Hibernate: create, use, validate, update", Frameworks::hibernate);
        Check.check("Flyway", Frameworks::flyway);
        Check.check("Liquibase", Frameworks::liquibase);
        Check.check("jOOQ code generator", Frameworks::jooq);
        Check.check("Spring Batch tables", Frameworks::batch);
        Check.end();
    }

    static SessionFactory factory(String mode) {
        Configuration c = new Configuration().addAnnotatedClass(Owner.class).addAnnotatedClass(Thing.class);
        c.setProperty("hibernate.connection.url", Check.mysql("hib", "")).setProperty("hibernate.connection.username", "root").setProperty("hibernate.connection.password", "");
        c.setProperty("hibernate.hbm2ddl.auto", mode).setProperty("hibernate.jdbc.batch_size", "20").setProperty("hibernate.hbm2ddl.halt_on_error", String.valueOf(!mode.startsWith("create")));
        return c.buildSessionFactory();
    }

    static void hibernate() throws Exception {
        Check.fresh("hib");
        try (SessionFactory f = factory("create")) {
            f.inTransaction(s -> {
                for (int i = 0; i < 25; i++) {
                    Owner o = new Owner(); o.name = "o" + i; o.born = LocalDate.of(2000, 1, 1 + i); o.tags.add("t" + i % 3);
                    Thing t = new Thing(); t.owner = o; t.uuid = UUID.nameUUIDFromBytes(new byte[] {(byte) i}); t.colour = Colour.GREEN; t.ordinal = Colour.RED; t.text = "x".repeat(5000); t.bytes = new byte[] {1, 2, (byte) i};
                    t.json = Map.of("n", i); t.price = new BigDecimal("1.25"); t.exact = new BigDecimal("1234.0000000001"); t.big = BigInteger.TEN; t.instant = Instant.parse("2024-05-06T07:08:09.123456Z"); t.local = LocalDateTime.of(2024, 5, 6, 7, 8, 9); t.time = LocalTime.NOON;
                    t.offset = OffsetDateTime.now(); t.zoned = ZonedDateTime.now(); t.duration = Duration.ofSeconds(3); t.year = Year.of(2024); t.flag = true; t.letter = 'q'; t.tiny = 1; t.small = 2; t.single = 1.5f; t.twice = 2.5;
                    o.things.add(t);
                    s.persist(o);
                }
            });
            f.inTransaction(s -> {
                List<Owner> page = s.createQuery("from Owner o where o.name like :n order by o.id", Owner.class).setParameter("n", "o%").setFirstResult(5).setMaxResults(10).list();
                Check.same(10, page.size()); Check.same("o5", page.get(0).name);
                Thing t = page.get(0).things.get(0);
                Check.same(UUID.nameUUIDFromBytes(new byte[] {5}), t.uuid); Check.same(Colour.GREEN, t.colour); Check.same(5, ((Number) t.json.get("n")).intValue()); Check.same("GREEN!", t.loud);
                Check.same(Instant.parse("2024-05-06T07:08:09.123456Z"), t.instant); Check.same(5000, t.text.length()); Check.same(new byte[] {1, 2, 5}, t.bytes); Check.same(LocalTime.NOON, t.time);
                Owner locked = s.createQuery("from Owner where name = 'o1'", Owner.class).setLockMode(LockModeType.PESSIMISTIC_WRITE).getSingleResult();
                locked.name = "changed";
                s.find(Owner.class, 3L, LockModeType.PESSIMISTIC_READ);
                s.createQuery("from Owner where name = 'o2'", Owner.class).setLockMode(LockModeType.PESSIMISTIC_WRITE).setHint("jakarta.persistence.lock.timeout", -2).list();
                Check.same(25L, s.createQuery("select count(distinct o) from Owner o join o.things t where t.colour = :c and t.price > 1", Long.class).setParameter("c", Colour.GREEN).getSingleResult());
                s.createQuery("select o.born, sum(t.price), max(t.instant), avg(t.twice) from Thing t join t.owner o group by o.born having count(*) > 0 order by 1", Object[].class).list();
                s.createQuery("select year(local), extract(month from local), upper(cast(colour as string)), coalesce(defined, 'n'), locate('x', defined), local + 3 day, timestampdiff(day, local, current_timestamp) from Thing".replace("timestampdiff(day, local, current_timestamp)", "(current_timestamp - local) by day"), Object[].class).list();
                s.createQuery("with q as (select o.name as n from Owner o) select n from q union select t.defined from Thing t", String.class).list();
                s.createQuery("select o.name, row_number() over (order by o.id) from Owner o where exists (select 1 from Thing t where t.owner = o)", Object[].class).list();
                Check.same(25, s.createMutationQuery("update Thing set twice = twice * 2 where price < 100").executeUpdate());
                s.createMutationQuery("insert into Owner (name, born, version) select concat(o.name, 'c'), o.born, 0 from Owner o where o.id < 3").executeUpdate();
            });
            f.inTransaction(s -> { Owner o = s.find(Owner.class, 10L); o.things.clear(); o.tags.add("more"); });
            f.inTransaction(s -> s.remove(s.find(Owner.class, 11L)));
            try {
                f.inTransaction(s -> { Owner o = new Owner(); o.name = "o20"; o.born = LocalDate.of(2000, 1, 21); s.persist(o); });
                throw new AssertionError("no error");
            } catch (org.hibernate.exception.ConstraintViolationException e) { Check.same(true, e.getConstraintName() != null && !e.getConstraintName().isEmpty()); }
        }
        factory("validate").close();
        try (Connection c = Check.open(Check.mysql("hib", ""))) { Check.run(c, "alter table things drop column twice", "drop table Owner_tags"); }
        factory("update").close();
        factory("validate").close();
        factory("create-drop").close();
        try (Connection c = Check.open(Check.mysql("hib", ""))) { Check.same(List.of(), Check.rows(c, "show tables")); }
    }

    static void flyway() throws Exception {
        Check.fresh("fly");
        Path dir = Files.createTempDirectory("fly");
        Files.writeString(dir.resolve("V1__first.sql"), "create table a (id int primary key, name varchar(20));\ninsert into a values (1, 'x;y');\ncreate view va as select * from a;\n");
        Files.writeString(dir.resolve("V2__routines.sql"), "delimiter //\ncreate procedure p() begin select 1; end//\ncreate trigger tr before insert on a for each row begin set new.name = upper(new.name); end//\ndelimiter ;\n"
            + "/*!50003 create event e on schedule every 1 day do select 1 */;\ncreate function f() returns int deterministic return 1;\nalter table a add constraint c check (id > 0), add column g int as (id + 1);\n");
        Files.writeString(dir.resolve("R__again.sql"), "create or replace view vb as select id from a;\n");
        for (String url : new String[] {Check.mysql("fly", ""), Check.mariadb("fly", "")}) {
            org.flywaydb.core.Flyway f = org.flywaydb.core.Flyway.configure().dataSource(url, "root", "").locations("filesystem:" + dir).cleanDisabled(false).group(true).load();
            f.clean();
            Check.same(3, f.migrate().migrationsExecuted);
            f.validate();
            Check.same(0, f.migrate().migrationsExecuted);
            Check.same(0, f.info().pending().length);
            f.repair();
        }
    }

    static void liquibase() throws Exception {
        Check.fresh("liq");
        Path dir = Files.createTempDirectory("liq");
        Files.writeString(dir.resolve("log.yaml"), """
            databaseChangeLog:
              - changeSet:
                  id: 1
                  author: a
                  changes:
                    - createTable: {tableName: t, remarks: 'a table', columns: [{column: {name: id, type: bigint, autoIncrement: true, constraints: {primaryKey: true}}}, {column: {name: v, type: varchar(50), defaultValue: d, remarks: 'a value', constraints: {nullable: false, unique: true}}}, {column: {name: at, type: datetime, defaultValueComputed: CURRENT_TIMESTAMP}}, {column: {name: ok, type: boolean, defaultValueBoolean: true}}, {column: {name: c, type: clob}}, {column: {name: b, type: blob}}, {column: {name: u, type: uuid}}, {column: {name: n, type: 'decimal(10,2)'}}]}
                    - createTable: {tableName: k, columns: [{column: {name: id, type: int, constraints: {primaryKey: true}}}, {column: {name: t_id, type: bigint, constraints: {foreignKeyName: fk_t, references: 't(id)'}}}]}
                    - createIndex: {indexName: ix, tableName: t, columns: [{column: {name: n}}, {column: {name: at, descending: true}}]}
                    - insert: {tableName: t, columns: [{column: {name: v, value: 'it''s'}}]}
              - changeSet:
                  id: 2
                  author: a
                  preConditions:
                    - onFail: MARK_RAN
                    - not: [{columnExists: {tableName: t, columnName: w}}]
                    - foreignKeyConstraintExists: {foreignKeyName: fk_t, foreignKeyTableName: k}
                    - indexExists: {indexName: ix, tableName: t}
                    - sqlCheck: {expectedResult: 1, sql: select count(*) from t}
                  changes:
                    - addColumn: {tableName: t, columns: [{column: {name: w, type: int, defaultValueNumeric: 3, afterColumn: v}}]}
                    - renameColumn: {tableName: t, oldColumnName: w, newColumnName: x, columnDataType: int}
                    - modifyDataType: {tableName: t, columnName: v, newDataType: varchar(80)}
                    - addNotNullConstraint: {tableName: t, columnName: n, columnDataType: 'decimal(10,2)', defaultNullValue: '0'}
                    - dropNotNullConstraint: {tableName: t, columnName: n, columnDataType: 'decimal(10,2)'}
                    - addDefaultValue: {tableName: t, columnName: n, defaultValueNumeric: 5}
                    - renameTable: {oldTableName: k, newTableName: kk}
                    - createView: {viewName: vv, selectQuery: select id from t}
                    - dropIndex: {indexName: ix, tableName: t}
                    - addUniqueConstraint: {tableName: t, columnNames: 'n, at', constraintName: un}
            """);
        Files.writeString(dir.resolve("all.yaml"), "databaseChangeLog: []\n");
        try (Connection c = Check.open(Check.mysql("liq", ""))) {
            liquibase.database.Database db = liquibase.database.DatabaseFactory.getInstance().findCorrectDatabaseImplementation(new liquibase.database.jvm.JdbcConnection(c));
            liquibase.Liquibase l = new liquibase.Liquibase("log.yaml", new liquibase.resource.DirectoryResourceAccessor(dir), db);
            l.update("");
            Check.same(2, Check.rows(c, "select id from DATABASECHANGELOG where exectype = 'EXECUTED'").size());
            l.validate();
            l.update("");
            liquibase.snapshot.DatabaseSnapshot snapshot = liquibase.snapshot.SnapshotGeneratorFactory.getInstance().createSnapshot(db.getDefaultSchema(), db, new liquibase.snapshot.SnapshotControl(db));
            Check.same(2, snapshot.get(liquibase.structure.core.Table.class).stream().filter(t -> !t.getName().startsWith("DATABASE")).toList().size());
            Check.same(1, snapshot.get(liquibase.structure.core.ForeignKey.class).size());
            Check.same(1, snapshot.get(liquibase.structure.core.View.class).size());
            l.tag("here");
            l.dropAll();
            Check.same(List.of(), Check.rows(c, "show tables"));
        }
    }

    static void jooq() throws Exception {
        Check.fresh("joo");
        try (Connection c = Check.open(Check.mysql("joo", ""))) {
            Check.run(c, "create table a (id int primary key auto_increment, e enum('x','y'), d decimal(5,2) unsigned, g int as (d + 1), j json, t timestamp(3) default current_timestamp(3), key k (e desc))",
                "create table b (id int primary key, a_id int, constraint f foreign key (a_id) references a (id), constraint c check (id > 0), unique (a_id, id))", "create view v as select id from a",
                "create procedure p(in x int, out y varchar(20)) begin end", "create function f(x int) returns decimal(5,2) deterministic return 1", "create trigger t before insert on a for each row begin end");
        }
        Path dir = Files.createTempDirectory("joo");
        org.jooq.meta.jaxb.Configuration config = new org.jooq.meta.jaxb.Configuration().withOnError(org.jooq.meta.jaxb.OnError.FAIL)
            .withJdbc(new org.jooq.meta.jaxb.Jdbc().withUrl(Check.mysql("joo", "")).withUser("root").withPassword(""))
            .withGenerator(new org.jooq.meta.jaxb.Generator().withDatabase(new org.jooq.meta.jaxb.Database().withName("org.jooq.meta.mysql.MySQLDatabase").withIncludes(".*").withInputSchema("joo")
                .withIncludeRoutines(true).withIncludeTriggerRoutines(true).withIncludeCheckConstraints(true).withIncludeSystemCheckConstraints(true).withIncludeInvisibleColumns(true))
                .withTarget(new org.jooq.meta.jaxb.Target().withPackageName("gen").withDirectory(dir.toString())));
        org.jooq.codegen.GenerationTool.generate(config);
        for (String file : new String[] {"tables/A.java", "tables/B.java", "tables/V.java", "routines/P.java", "routines/F.java", "enums/AE.java", "Keys.java"})
            if (!Files.exists(dir.resolve("gen/" + file))) throw new AssertionError("not generated: " + file);
        if (!Files.readString(dir.resolve("gen/tables/B.java")).contains("Internal.createCheck")) throw new AssertionError("no CHECK");
        // Its JSON functions are several statements.
        try (Connection c = Check.open(Check.mysql("joo", "&allowMultiQueries=true"))) {
            org.jooq.DSLContext j = org.jooq.impl.DSL.using(c, org.jooq.SQLDialect.MYSQL);
            Check.same(true, j.meta().getTables("a").size() >= 1);
            j.meta().filterSchemas(s -> s.getName().equals("joo")).ddl();
            j.insertInto(org.jooq.impl.DSL.table("a"), org.jooq.impl.DSL.field("e", String.class)).values("x").onDuplicateKeyIgnore().execute();
            Check.same(1, j.fetchCount(org.jooq.impl.DSL.table("a")));
            j.select(org.jooq.impl.DSL.jsonArrayAgg(org.jooq.impl.DSL.field("id"))).from("a").fetch();
        }
    }

    static void batch() throws Exception {
        Check.fresh("bat");
        try (Connection c = Check.open(Check.mysql("bat", ""))) {
            for (String name : new String[] {"schema-mysql", "schema-drop-mysql", "schema-mysql"}) {
                String sql = new String(Frameworks.class.getResourceAsStream("/org/springframework/batch/core/" + name + ".sql").readAllBytes());
                for (String one : sql.split(";")) if (!one.isBlank()) Check.run(c, one);
            }
        }
        var source = new org.springframework.jdbc.datasource.DriverManagerDataSource(Check.mysql("bat", ""), "root", "");
        var manager = new org.springframework.jdbc.support.JdbcTransactionManager(source);
        var repository = new org.springframework.batch.core.repository.support.JobRepositoryFactoryBean();
        repository.setDataSource(source); repository.setTransactionManager(manager); repository.setValidateTransactionState(false); repository.afterPropertiesSet();
        var step = new org.springframework.batch.core.step.builder.StepBuilder("s", repository.getObject())
            .tasklet((contribution, context) -> org.springframework.batch.repeat.RepeatStatus.FINISHED, manager).build();
        var job = new org.springframework.batch.core.job.builder.JobBuilder("j", repository.getObject()).start(step).build();
        var launcher = new org.springframework.batch.core.launch.support.TaskExecutorJobLauncher();
        launcher.setJobRepository(repository.getObject()); launcher.afterPropertiesSet();
        for (int i = 0; i < 2; i++) {
            var run = launcher.run(job, new org.springframework.batch.core.JobParametersBuilder().addLong("n", (long) i).addString("s", "x").addLocalDate("d", LocalDate.now()).toJobParameters());
            Check.same(org.springframework.batch.core.BatchStatus.COMPLETED, run.getStatus());
        }
    }
}
