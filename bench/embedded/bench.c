/* One workload on Weir or on SQLite, both by their C interfaces, prepared once and stepped: `bench weir|sqlite DIR ROWS`.
 * Prints a line for each test: its name, and operations per second by wall clock and CPU microseconds per operation of the whole process. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#ifdef WITH_SQLITE
#include <sqlite3.h>
#endif
#include "weir.h"

static int rows;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}

static double cpu(void) {
    struct rusage r;
    getrusage(RUSAGE_SELF, &r);
    return r.ru_utime.tv_sec + r.ru_stime.tv_sec + (r.ru_utime.tv_usec + r.ru_stime.tv_usec) / 1e6;
}

/* What both databases can do. A statement's parameters are numbers. */
struct driver {
    void (*open)(const char *dir, int durable);
    void (*close)(void);
    void (*run)(const char *sql);
    void *(*prepare)(const char *sql);
    int64_t (*step_all)(void *stmt, int params, const int64_t *values);
    void (*finalize)(void *stmt);
};

static void die(const char *what) {
    fprintf(stderr, "%s\n", what);
    exit(1);
}

/* --- Weir ------------------------------------------------------------------------------------------------ */
static weir_database *wdb;
static weir_connection *wconn;

static void w_open(const char *dir, int durable) {
    weir_option o[] = {{"innodb_buffer_pool_size", "64M"}, {"innodb_flush_log_at_trx_commit", durable ? "1" : "2"}};
    if (weir_open(dir, o, 2, &wdb)) die(weir_database_errmsg(wdb));
    if (weir_connect(wdb, &wconn)) die("no connection");
    if (weir_exec(wconn, "CREATE DATABASE IF NOT EXISTS b; USE b", -1)) die(weir_errmsg(wconn));
}

static void w_close(void) {
    if (weir_disconnect(wconn) || weir_close(wdb)) die("close");
}

static void w_run(const char *sql) {
    if (weir_exec(wconn, sql, -1)) die(weir_errmsg(wconn));
}

static void *w_prepare(const char *sql) {
    weir_statement *s;
    if (weir_prepare(wconn, sql, -1, &s)) die(weir_errmsg(wconn));
    return s;
}

static int64_t w_step_all(void *stmt, int params, const int64_t *values) {
    int64_t sum = 0;
    int rc;
    for (int i = 0; i < params; i++) weir_bind_int64(stmt, i + 1, values[i]);
    while ((rc = weir_step(stmt)) == WEIR_ROW) sum += weir_column_int64(stmt, 0);
    if (rc != WEIR_DONE) die(weir_errmsg(wconn));
    weir_reset(stmt);
    return sum;
}

static void w_finalize(void *stmt) { weir_finalize(stmt); }

/* --- SQLite ---------------------------------------------------------------------------------------------- */
#ifdef WITH_SQLITE
static sqlite3 *sdb;

static void s_run(const char *sql) {
    if (sqlite3_exec(sdb, sql, NULL, NULL, NULL)) die(sqlite3_errmsg(sdb));
}

static void s_open(const char *dir, int durable) {
    char path[4096];
    snprintf(path, sizeof path, "%s/sqlite.db", dir);
    if (sqlite3_open(path, &sdb)) die("cannot open");
    s_run("PRAGMA journal_mode = WAL; PRAGMA cache_size = -65536");
    s_run(durable ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL");
}

static void s_close(void) {
    if (sqlite3_close(sdb)) die("close");
}

static void *s_prepare(const char *sql) {
    sqlite3_stmt *s;
    if (sqlite3_prepare_v2(sdb, sql, -1, &s, NULL)) die(sqlite3_errmsg(sdb));
    return s;
}

static int64_t s_step_all(void *stmt, int params, const int64_t *values) {
    int64_t sum = 0;
    int rc;
    for (int i = 0; i < params; i++) sqlite3_bind_int64(stmt, i + 1, values[i]);
    while ((rc = sqlite3_step(stmt)) == SQLITE_ROW) sum += sqlite3_column_int64(stmt, 0);
    if (rc != SQLITE_DONE) die(sqlite3_errmsg(sdb));
    sqlite3_reset(stmt);
    return sum;
}

static void s_finalize(void *stmt) { sqlite3_finalize(stmt); }
#endif

/* --- The workload ---------------------------------------------------------------------------------------- */
static uint64_t state = 88172645463325252u;

static int64_t random_id(void) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return (int64_t)(state % (uint64_t)rows) + 1;
}

static void told(const char *name, int ops, double began, double cpu_began) {
    printf("%s %.0f %.2f\n", name, ops / (now() - began), (cpu() - cpu_began) * 1e6 / ops);
    fflush(stdout);
}

/* Each operation has `params` values: a random number and what follows from it. */
static void test(const struct driver *d, const char *name, const char *sql, int params, int ops) {
    void *s = d->prepare(sql);
    double began = now(), cpu_began = cpu();
    for (int i = 0; i < ops; i++) {
        int64_t id = random_id(), values[3] = {id, id + 99, id};
        d->step_all(s, params, values);
    }
    told(name, ops, began, cpu_began);
    d->finalize(s);
}

static void insert(const struct driver *d, const char *name, int first, int count, int in_one) {
    void *s = d->prepare("INSERT INTO t VALUES (?, ?, 'some sixty bytes of text that nobody will ever look at again, ever')");
    double began = now(), cpu_began = cpu();
    if (in_one) d->run("BEGIN");
    for (int i = 0; i < count; i++) {
        int64_t values[2] = {first + i, i};
        d->step_all(s, 2, values);
    }
    if (in_one) d->run("COMMIT");
    told(name, count, began, cpu_began);
    d->finalize(s);
}

int main(int argc, char **argv) {
    static const struct driver weir = {w_open, w_close, w_run, w_prepare, w_step_all, w_finalize};
    const struct driver *d = &weir;
    if (argc != 4 || (rows = atoi(argv[3])) < 1000) die("usage: bench weir|sqlite DIR ROWS (1000 at least)");
#ifdef WITH_SQLITE
    static const struct driver sqlite = {s_open, s_close, s_run, s_prepare, s_step_all, s_finalize};
    if (strcmp(argv[1], "sqlite") == 0) d = &sqlite;
#else
    if (strcmp(argv[1], "sqlite") == 0) die("built without SQLite");
#endif
    double began = now(), cpu_began = cpu();
    d->open(argv[2], 0);
    told("open-empty", 1, began, cpu_began);
    d->run("CREATE TABLE t (id BIGINT PRIMARY KEY, n BIGINT, pad VARCHAR(100))");
    insert(d, "insert-in-one-transaction", 1, rows, 1);
    test(d, "point-read", "SELECT n FROM t WHERE id = ?", 1, 20000);
    test(d, "range-of-100", "SELECT n FROM t WHERE id BETWEEN ? AND ?", 2, 2000);
    test(d, "update-not-durable", "UPDATE t SET n = n + 1 WHERE id = ?", 1, 5000);
    insert(d, "insert-not-durable", rows + 1, 5000, 0);
    d->close();
    began = now(), cpu_began = cpu();
    d->open(argv[2], 1);
    told("open-existing", 1, began, cpu_began);
    test(d, "update-durable", "UPDATE t SET n = n + 1 WHERE id = ?", 1, 500);
    insert(d, "insert-durable", rows + 5001, 500, 0);
    d->close();
    struct rusage r;
    getrusage(RUSAGE_SELF, &r);
    printf("memory-MiB %.1f 0\n", r.ru_maxrss / 1024.0);
    return 0;
}
