/* The C interface from outside. Orders: all | full DIR | count DIR N. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "weir.h"

static int failures = 0;

#define CHECK(...)                                                              \
    do {                                                                        \
        if (!(__VA_ARGS__)) {                                                   \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #__VA_ARGS__);   \
            failures++;                                                         \
        }                                                                       \
    } while (0)

static weir_database *opened(const char *path) {
    weir_database *db = NULL;
    const weir_option options[] = {{"innodb_buffer_pool_size", "16M"}, {"innodb_use_native_aio", "OFF"}};
    /* valgrind knows no io_uring. */
    int rc = weir_open(path, options, getenv("WITHOUT_URING") ? 2 : 1, &db);
    if (rc != WEIR_OK) {
        fprintf(stderr, "cannot open %s: %s\n", path, weir_database_errmsg(db));
        exit(1);
    }
    return db;
}

static weir_connection *connected(weir_database *db) {
    weir_connection *c = NULL;
    CHECK(weir_connect(db, &c) == WEIR_OK);
    CHECK(weir_exec(c, "CREATE DATABASE IF NOT EXISTS app; USE app", -1) == WEIR_OK);
    return c;
}

static int64_t number(weir_connection *c, const char *sql) {
    weir_statement *s = NULL;
    int64_t n = -1;
    CHECK(weir_prepare(c, sql, -1, &s) == WEIR_OK);
    if (weir_step(s) == WEIR_ROW) n = weir_column_int64(s, 0);
    weir_finalize(s);
    return n;
}

static void values(weir_database *db) {
    weir_connection *c = connected(db);
    weir_statement *s;
    weir_time t = {.year = 2024, .month = 2, .day = 29, .hour = 23, .minute = 59, .second = 58, .microsecond = 7};
    weir_time back;
    CHECK(weir_exec(c, "CREATE TABLE v (i BIGINT, u BIGINT UNSIGNED, d DOUBLE, de DECIMAL(40,10), t TEXT, b BLOB, j JSON, da DATE, ti TIME(6), dt DATETIME(6))", -1) == WEIR_OK);
    CHECK(weir_prepare(c, "INSERT INTO v VALUES (?,?,?,?,?,?,?,?,?,?)", -1, &s) == WEIR_OK);
    CHECK(weir_bind_parameter_count(s) == 10);
    /* Nothing is bound: all are NULL. */
    CHECK(weir_step(s) == WEIR_DONE);
    CHECK(weir_affected_rows(c) == 1);
    CHECK(weir_reset(s) == WEIR_OK);
    CHECK(weir_bind_int64(s, 1, INT64_MIN) == WEIR_OK);
    CHECK(weir_bind_uint64(s, 2, UINT64_MAX) == WEIR_OK);
    CHECK(weir_bind_double(s, 3, 1.5) == WEIR_OK);
    CHECK(weir_bind_decimal(s, 4, "-123456789012345678901234567.0000000001", -1) == WEIR_OK);
    CHECK(weir_bind_text(s, 5, "Gr\xc3\xbc\xc3\x9f" "e, cut here", 7) == WEIR_OK);
    CHECK(weir_bind_blob(s, 6, (const uint8_t *)"\0\xff\0", 3) == WEIR_OK);
    CHECK(weir_bind_json(s, 7, "{\"a\": [1]}", -1) == WEIR_OK);
    CHECK(weir_bind_date(s, 8, &t) == WEIR_OK);
    CHECK(weir_bind_time(s, 9, &(weir_time){.negative = 1, .hour = 838, .minute = 59, .second = 59}) == WEIR_OK);
    CHECK(weir_bind_datetime(s, 10, &t) == WEIR_OK);
    CHECK(weir_step(s) == WEIR_DONE);
    weir_finalize(s);
    CHECK(weir_prepare(c, "SELECT * FROM v ORDER BY i", -1, &s) == WEIR_OK);
    CHECK(weir_column_count(s) == 0);
    CHECK(weir_step(s) == WEIR_ROW);
    CHECK(weir_column_count(s) == 10);
    for (int i = 0; i < 10; i++) {
        CHECK(weir_column_type(s, i) == WEIR_NULL);
        CHECK(weir_column_text(s, i) == NULL && weir_column_blob(s, i) == NULL && weir_column_bytes(s, i) == 0);
        CHECK(weir_column_declared(s, i) == (int[]){1, 2, 3, 4, 5, 6, 7, 8, 9, 10}[i]);
    }
    CHECK(weir_step(s) == WEIR_ROW);
    CHECK(weir_column_type(s, 0) == WEIR_INT && weir_column_int64(s, 0) == INT64_MIN);
    CHECK(weir_column_type(s, 1) == WEIR_UINT && weir_column_uint64(s, 1) == UINT64_MAX);
    CHECK(weir_column_int64(s, 1) == INT64_MAX);
    CHECK(weir_column_double(s, 2) == 1.5 && strcmp(weir_column_text(s, 2), "1.5") == 0);
    CHECK(strcmp(weir_column_text(s, 3), "-123456789012345678901234567.0000000001") == 0);
    CHECK(strcmp(weir_column_text(s, 4), "Gr\xc3\xbc\xc3\x9f" "e") == 0 && weir_column_bytes(s, 4) == 7);
    CHECK(weir_column_bytes(s, 5) == 3 && memcmp(weir_column_blob(s, 5), "\0\xff\0", 3) == 0);
    CHECK(weir_column_type(s, 6) == WEIR_JSON && strcmp(weir_column_text(s, 6), "{\"a\": [1]}") == 0);
    CHECK(weir_column_time(s, 7, &back) == WEIR_OK && back.day == 29 && back.hour == 0);
    CHECK(weir_column_time(s, 8, &back) == WEIR_OK && back.negative && back.hour == 838);
    CHECK(weir_column_time(s, 9, &back) == WEIR_OK && memcmp(&back, &t, sizeof t) == 0);
    CHECK(weir_column_time(s, 0, &back) == WEIR_DATA);
    CHECK(strcmp(weir_column_name(s, 9), "dt") == 0);
    CHECK(weir_step(s) == WEIR_DONE && weir_step(s) == WEIR_DONE);
    weir_finalize(s);
    CHECK(weir_disconnect(c) == WEIR_OK);
}

static void errors(weir_database *db) {
    weir_connection *c = connected(db);
    weir_statement *s = (weir_statement *)1;
    CHECK(weir_exec(c, "CREATE TABLE e (id INT PRIMARY KEY); INSERT INTO e VALUES (1)", -1) == WEIR_OK);
    CHECK(weir_exec(c, "INSERT INTO e VALUES (1)", -1) == WEIR_CONSTRAINT);
    CHECK(weir_errno(c) == 1062 && strcmp(weir_sqlstate(c), "23000") == 0 && weir_errcode(c) == WEIR_CONSTRAINT);
    CHECK(strcmp(weir_errmsg(c), "Duplicate entry '1' for key 'e.PRIMARY'") == 0);
    CHECK(weir_prepare(c, "SELEC", -1, &s) == WEIR_SYNTAX && s == NULL);
    CHECK(weir_prepare(c, "SELECT * FROM nowhere", -1, &s) == WEIR_NOT_FOUND);
    CHECK(weir_exec(c, "DO 1", -1) == WEIR_OK && weir_errno(c) == 0);
    /* Null pointers, wrong lengths, wrong numbers, texts that are none. */
    CHECK(weir_open(NULL, NULL, 0, NULL) == WEIR_MISUSE);
    CHECK(weir_connect(NULL, NULL) == WEIR_MISUSE && weir_connect(db, NULL) == WEIR_MISUSE);
    CHECK(weir_exec(NULL, "DO 1", -1) == WEIR_MISUSE && weir_exec(c, NULL, -1) == WEIR_MISUSE);
    CHECK(weir_exec(c, NULL, 99) == WEIR_MISUSE && weir_exec(c, "\xff", 1) == WEIR_MISUSE);
    CHECK(weir_prepare(c, "SELECT ?", -1, NULL) == WEIR_MISUSE && weir_prepare(c, NULL, -1, &s) == WEIR_MISUSE);
    CHECK(weir_step(NULL) == WEIR_MISUSE && weir_reset(NULL) == WEIR_MISUSE && weir_finalize(NULL) == WEIR_OK);
    CHECK(weir_close(NULL) == WEIR_OK && weir_disconnect(NULL) == WEIR_OK);
    CHECK(weir_column_text(NULL, 0) == NULL && weir_column_count(NULL) == 0 && weir_errno(NULL) == 0);
    weir_interrupt(NULL);
    CHECK(weir_prepare(c, "SELECT ?", 8, &s) == WEIR_OK);
    CHECK(weir_bind_int64(s, 0, 1) == WEIR_MISUSE && weir_bind_int64(s, 2, 1) == WEIR_MISUSE && weir_bind_int64(s, -5, 1) == WEIR_MISUSE);
    CHECK(weir_bind_text(s, 1, NULL, 4) == WEIR_MISUSE && weir_bind_text(s, 1, "\xc3", 1) == WEIR_MISUSE);
    CHECK(weir_bind_blob(s, 1, NULL, 4) == WEIR_MISUSE && weir_bind_blob(s, 1, NULL, 0) == WEIR_OK);
    CHECK(weir_bind_blob(s, 1, (const uint8_t *)"x", (size_t)-1) == WEIR_MISUSE);
    CHECK(weir_bind_decimal(s, 1, "1e5", -1) == WEIR_MISUSE && weir_bind_datetime(s, 1, NULL) == WEIR_MISUSE);
    CHECK(weir_next_result(s) == WEIR_MISUSE);
    CHECK(weir_column_int64(s, 0) == 0 && weir_column_text(s, 0) == NULL && weir_column_name(s, 0) == NULL);
    CHECK(weir_bind_datetime(s, 1, &(weir_time){.year = 1, .month = 77}) == WEIR_OK);
    CHECK(weir_step(s) == WEIR_DATA && weir_errno(c) == 1690);
    CHECK(weir_reset(s) == WEIR_OK && weir_bind_int64(s, 1, 5) == WEIR_OK && weir_step(s) == WEIR_ROW);
    CHECK(weir_column_int64(s, 7) == 0 && weir_column_int64(s, -1) == 0 && weir_column_time(s, 0, NULL) == WEIR_MISUSE);
    /* Handles in a wrong order. */
    CHECK(weir_disconnect(c) == WEIR_MISUSE && weir_errno(c) == 2014);
    weir_finalize(s);
    CHECK(weir_disconnect(c) == WEIR_OK);
    weir_database *none = NULL;
    const weir_option wrong[] = {{"port", "1"}}, half[] = {{"port", NULL}};
    CHECK(weir_open(":memory:", wrong, 1, &none) == WEIR_MISUSE && strstr(weir_database_errmsg(none), "port"));
    CHECK(weir_connect(none, &c) == WEIR_UNAVAILABLE && c == NULL);
    weir_close(none);
    CHECK(weir_open(":memory:", half, 1, &none) == WEIR_MISUSE);
    weir_close(none);
    CHECK(weir_open("", NULL, 0, &none) == WEIR_MISUSE);
    weir_close(none);
    CHECK(weir_open("/proc/no/such", NULL, 0, &none) == WEIR_UNAVAILABLE && weir_database_errno(none) == 2002);
    weir_close(none);
}

static void streams(weir_database *db) {
    weir_connection *c = connected(db);
    weir_statement *a, *b;
    CHECK(weir_exec(c, "CREATE TABLE s AS WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 1000) SELECT i FROM n", -1) == WEIR_OK);
    /* A million rows, of which a few are made. */
    CHECK(weir_prepare(c, "SELECT x.i FROM s x, s y", -1, &a) == WEIR_OK);
    CHECK(weir_prepare(c, "SELECT COUNT(*) FROM s", -1, &b) == WEIR_OK);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 10; i++) CHECK(weir_step(a) == WEIR_ROW);
        weir_reset(a);
    }
    /* Another statement ends the rows of the first, which says so. */
    CHECK(weir_step(a) == WEIR_ROW && weir_step(b) == WEIR_ROW && weir_column_int64(b, 0) == 1000);
    CHECK(weir_step(a) == WEIR_MISUSE && weir_errno(c) == 2014);
    CHECK(weir_reset(a) == WEIR_OK && weir_step(a) == WEIR_ROW);
    weir_finalize(a);
    weir_finalize(b);
    CHECK(weir_exec(c, "CREATE PROCEDURE p() BEGIN SELECT 1; SELECT 2 AS two; END", -1) == WEIR_OK);
    CHECK(weir_prepare(c, "CALL p()", -1, &a) == WEIR_OK);
    CHECK(weir_step(a) == WEIR_ROW && weir_step(a) == WEIR_DONE);
    CHECK(weir_next_result(a) == WEIR_ROW && strcmp(weir_column_name(a, 0), "two") == 0);
    CHECK(weir_step(a) == WEIR_ROW && weir_column_int64(a, 0) == 2 && weir_step(a) == WEIR_DONE);
    CHECK(weir_next_result(a) == WEIR_DONE);
    weir_finalize(a);
    CHECK(weir_exec(c, "BEGIN; DELETE FROM s", -1) == WEIR_OK && weir_in_transaction(c));
    CHECK(weir_disconnect(c) == WEIR_OK);
    c = connected(db);
    CHECK(number(c, "SELECT COUNT(*) FROM s") == 1000);
    weir_disconnect(c);
}

static void *interrupts(void *conn) {
    usleep(200 * 1000);
    weir_interrupt(conn);
    return NULL;
}

static void *writes(void *db) {
    weir_connection *c = connected(db);
    weir_statement *s;
    CHECK(weir_prepare(c, "UPDATE m SET n = n + ? WHERE id = 1", -1, &s) == WEIR_OK);
    for (int i = 0; i < 100; i++) {
        weir_bind_int64(s, 1, 1);
        CHECK(weir_step(s) == WEIR_DONE);
        weir_reset(s);
    }
    weir_finalize(s);
    CHECK(weir_disconnect(c) == WEIR_OK);
    return NULL;
}

static void threads(weir_database *db) {
    weir_connection *c = connected(db);
    pthread_t t[4];
    CHECK(weir_exec(c, "CREATE TABLE m (id INT PRIMARY KEY, n INT); INSERT INTO m VALUES (1, 0)", -1) == WEIR_OK);
    for (int i = 0; i < 4; i++) pthread_create(&t[i], NULL, writes, db);
    for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
    CHECK(number(c, "SELECT n FROM m") == 400);
    pthread_create(&t[0], NULL, interrupts, c);
    CHECK(weir_exec(c, "SELECT COUNT(*) FROM s a, s b, s c, s d WHERE a.i + b.i + c.i + d.i = 0", -1) == WEIR_INTERRUPTED);
    CHECK(weir_errno(c) == 1317);
    pthread_join(t[0], NULL);
    weir_disconnect(c);
}

/* The child of a fork is told, and the parent goes on. */
static void forks(const char *path) {
    weir_database *db = opened(path);
    weir_connection *c = connected(db);
    weir_statement *s;
    CHECK(weir_exec(c, "CREATE TABLE IF NOT EXISTS f (i INT)", -1) == WEIR_OK);
    CHECK(weir_exec(c, "BEGIN; INSERT INTO f VALUES (1)", -1) == WEIR_OK);
    CHECK(weir_prepare(c, "SELECT * FROM f", -1, &s) == WEIR_OK);
    CHECK(weir_step(s) == WEIR_ROW);
    pid_t child = fork();
    if (child == 0) {
        weir_connection *other = NULL;
        CHECK(weir_exec(c, "COMMIT", -1) == WEIR_MISUSE && strstr(weir_errmsg(c), "forked"));
        CHECK(weir_step(s) == WEIR_MISUSE);
        CHECK(weir_connect(db, &other) != WEIR_OK && other == NULL);
        weir_database *again = NULL;
        CHECK(weir_open(path, NULL, 0, &again) == WEIR_UNAVAILABLE);
        weir_close(again);
        weir_finalize(s);
        CHECK(weir_disconnect(c) == WEIR_OK);
        weir_close(db);
        _exit(failures);
    }
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    CHECK(weir_step(s) == WEIR_DONE);
    weir_finalize(s);
    CHECK(weir_exec(c, "COMMIT", -1) == WEIR_OK);
    CHECK(weir_disconnect(c) == WEIR_OK && weir_close(db) == WEIR_OK);
    db = opened(path);
    c = connected(db);
    CHECK(number(c, "SELECT COUNT(*) FROM f") == 1);
    CHECK(number(c, "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = 'app'") == 1);
    weir_disconnect(c);
    CHECK(weir_close(db) == WEIR_OK);
}

/* Writes until the device is full; what was committed stays, and room makes it go on. */
static void full(const char *path) {
    weir_database *db = opened(path);
    weir_connection *c = connected(db);
    weir_statement *s;
    int rc = WEIR_DONE, rows = 0;
    CHECK(weir_exec(c, "CREATE TABLE big (id INT AUTO_INCREMENT PRIMARY KEY, b LONGBLOB)", -1) == WEIR_OK);
    CHECK(weir_prepare(c, "INSERT INTO big (b) VALUES (REPEAT('x', 1000000))", -1, &s) == WEIR_OK);
    while (rc == WEIR_DONE && rows < 1000) {
        rc = weir_step(s);
        weir_reset(s);
        if (rc == WEIR_DONE) rows++;
    }
    CHECK(rc == WEIR_RESOURCE && rows > 3);
    printf("full after %d MB: %d %s\n", rows, weir_errno(c), weir_errmsg(c));
    weir_finalize(s);
    CHECK(number(c, "SELECT COUNT(*) FROM big") == rows);
    CHECK(weir_exec(c, "DROP TABLE big", -1) == WEIR_OK);
    CHECK(weir_exec(c, "CREATE TABLE small (i INT); INSERT INTO small VALUES (7)", -1) == WEIR_OK);
    CHECK(weir_disconnect(c) == WEIR_OK && weir_close(db) == WEIR_OK);
    db = opened(path);
    c = connected(db);
    CHECK(number(c, "SELECT i FROM small") == 7);
    weir_disconnect(c);
    CHECK(weir_close(db) == WEIR_OK);
}

int main(int argc, char **argv) {
    if (argc == 3 && strcmp(argv[1], "full") == 0) {
        full(argv[2]);
    } else if (argc == 3 && strcmp(argv[1], "all") == 0) {
        weir_database *db = opened(":memory:");
        values(db);
        errors(db);
        streams(db);
        threads(db);
        weir_connection *late = connected(db);
        CHECK(weir_close(db) == WEIR_MISUSE);
        CHECK(number(late, "SELECT 1") == 1);
        CHECK(weir_disconnect(late) == WEIR_OK);
        forks(argv[2]);
    } else {
        fprintf(stderr, "orders: all DIR | full DIR\n");
        return 2;
    }
    if (failures == 0) printf("%s: passed, weir %s\n", argv[1], weir_version());
    return failures != 0;
}
