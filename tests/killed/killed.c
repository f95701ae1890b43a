/* `killed work DIR ACK`: opens a database and commits pairs of rows until it is killed, one byte in ACK for each commit that was acknowledged.
 * `killed check DIR ACK`: opens what is left. What was acknowledged is there, one more pair may be, and no half of one. Prints how many. */
#include "weir.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static weir_database *db;
static weir_connection *conn;

static void die(const char *what) {
    fprintf(stderr, "%s: %s\n", what, conn ? weir_errmsg(conn) : db ? weir_database_errmsg(db) : "");
    exit(1);
}

static void run(const char *sql) {
    if (weir_exec(conn, sql, -1)) die(sql);
}

static int64_t one(const char *sql) {
    weir_statement *s;
    if (weir_prepare(conn, sql, -1, &s) || weir_step(s) != WEIR_ROW) die(sql);
    int64_t n = weir_column_int64(s, 0);
    weir_finalize(s);
    return n;
}

static void work(int ack) {
    weir_statement *add;
    run("CREATE DATABASE IF NOT EXISTS k; USE k");
    run("CREATE TABLE IF NOT EXISTS pairs (id BIGINT, side INT, pad VARCHAR(400), PRIMARY KEY (id, side), KEY (pad))");
    int64_t next = one("SELECT COALESCE(MAX(id), 0) + 1 FROM pairs");
    if (weir_prepare(conn, "INSERT INTO pairs VALUES (?, ?, REPEAT('x', ? % 400))", -1, &add)) die("prepare");
    for (;; next++) {
        run("BEGIN");
        for (int side = 0; side < 2; side++) {
            weir_bind_int64(add, 1, next);
            weir_bind_int64(add, 2, side);
            weir_bind_int64(add, 3, next * 7919);
            if (weir_step(add) != WEIR_DONE) die("insert");
            weir_reset(add);
        }
        run("COMMIT");
        if (write(ack, "x", 1) != 1) die("ack");
    }
}

static int check(int ack) {
    struct stat acknowledged;
    if (fstat(ack, &acknowledged)) die("ack");
    if (weir_exec(conn, "USE k", -1)) {
        /* Killed before the schema was there. */
        if (acknowledged.st_size) die("the schema is gone");
        return 0;
    }
    if (one("SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = 'k'") == 0) {
        if (acknowledged.st_size) die("the table is gone");
        return 0;
    }
    int64_t rows = one("SELECT COUNT(*) FROM pairs"), most = one("SELECT COALESCE(MAX(id), 0) FROM pairs");
    int64_t keyed = one("SELECT COUNT(pad) FROM pairs FORCE INDEX (pad)");
    if (rows != 2 * most || keyed != rows || one("SELECT COUNT(DISTINCT id) FROM pairs") != most) die("a transaction is there in part");
    /* A commit whose acknowledgement was not written any more counts from now on. */
    for (int64_t n = acknowledged.st_size; n < most; n++) {
        if (write(ack, "+", 1) != 1) die("ack");
    }
    if (most < acknowledged.st_size) {
        fprintf(stderr, "%lld pairs of %lld that were acknowledged\n", (long long)most, (long long)acknowledged.st_size);
        exit(1);
    }
    printf("%lld %lld\n", (long long)most, (long long)(most - acknowledged.st_size));
    return 0;
}

int main(int argc, char **argv) {
    if (argc != 4) die("usage: killed work|check DIR ACK");
    int ack = open(argv[3], O_WRONLY | O_CREAT | O_APPEND, 0644);
    if (ack < 0) die("ack");
    if (weir_open(argv[2], NULL, 0, &db)) die("open");
    if (weir_connect(db, &conn)) die("connect");
    if (strcmp(argv[1], "work") == 0) work(ack);
    int code = check(ack);
    if (weir_disconnect(conn)) die("disconnect");
    conn = NULL;
    if (weir_close(db)) die("close");
    return code;
}
