/* Weir for C: MySQL's SQL, types and transactions over a directory of files, without a server.
 *
 * Written by hand; a test compares the functions here with those that the library exports.
 *
 *     weir_database *db; weir_connection *c; weir_statement *s;
 *     if (weir_open("./data", NULL, 0, &db) != WEIR_OK) { fputs(weir_database_errmsg(db), stderr); exit(1); }
 *     weir_connect(db, &c);
 *     weir_exec(c, "CREATE DATABASE IF NOT EXISTS app; USE app; CREATE TABLE IF NOT EXISTS t (id BIGINT PRIMARY KEY, name TEXT)", -1);
 *     weir_prepare(c, "SELECT id, name FROM t WHERE id > ?", -1, &s);
 *     weir_bind_int64(s, 1, 10);
 *     while (weir_step(s) == WEIR_ROW) printf("%lld %s\n", (long long)weir_column_int64(s, 0), weir_column_text(s, 1));
 *     weir_finalize(s); weir_disconnect(c); weir_close(db);
 *
 * Threads: a database may be used by several threads at once, each with connections of its own. A connection and its statements are used by
 * one thread at a time; weir_interrupt may be called from any. Statements run on the thread that calls, which needs 2 MiB of stack.
 *
 * Rows are made as they are stepped to. A connection executes one statement at a time: a step of another one, or weir_exec, ends the rows of
 * the first, whose next step is WEIR_MISUSE (2014).
 *
 * Processes: one has a directory at a time; a second one gets WEIR_UNAVAILABLE and a text that names the first. A process that forks must not use
 * its databases in the child: calls there are refused, and the files are safe.
 *
 * Texts are UTF-8. A null pointer where a handle or a text is needed is WEIR_MISUSE. A handle must not be used after it was closed.
 */
#ifndef WEIR_H
#define WEIR_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct weir_database weir_database;
typedef struct weir_connection weir_connection;
typedef struct weir_statement weir_statement;

/* What functions return: how they ended, or the class of the error. */
enum {
    WEIR_OK = 0,
    WEIR_SYNTAX = 1,         /* the statement cannot be read */
    WEIR_NOT_FOUND = 2,      /* no such table, column, schema, ... */
    WEIR_EXISTS = 3,         /* there is one of that name */
    WEIR_CONSTRAINT = 4,     /* a key, foreign key, NOT NULL or CHECK is broken */
    WEIR_DATA = 5,           /* a value does not fit */
    WEIR_RETRYABLE = 6,      /* a deadlock or a lock that was waited for too long: do the transaction again */
    WEIR_ACCESS = 7,         /* not allowed */
    WEIR_RESOURCE = 8,       /* memory, disk or another limit is used up */
    WEIR_INTERRUPTED = 9,    /* weir_interrupt, KILL, max_execution_time */
    WEIR_NOT_SUPPORTED = 10, /* MySQL, but not built here */
    WEIR_UNAVAILABLE = 11,   /* the database cannot be opened, is closed, or cannot go on */
    WEIR_MISUSE = 12,        /* wrong order of calls or wrong arguments */
    WEIR_OTHER = 13,
    WEIR_ROW = 100,          /* weir_step: there is a row; weir_next_result: there is a result */
    WEIR_DONE = 101          /* weir_step: no more rows; weir_next_result: no more results */
};

/* What kind of value it is: weir_column_type, weir_column_declared. */
enum {
    WEIR_NULL = 0,
    WEIR_INT = 1,
    WEIR_UINT = 2,
    WEIR_DOUBLE = 3,
    WEIR_DECIMAL = 4,
    WEIR_TEXT = 5,
    WEIR_BLOB = 6,
    WEIR_JSON = 7,
    WEIR_DATE = 8,
    WEIR_TIME = 9,
    WEIR_DATETIME = 10
};

/* An option by the name that SHOW VARIABLES has, and its value: {"innodb_buffer_pool_size", "64M"}. */
typedef struct weir_option {
    const char *name;
    const char *value;
} weir_option;

/* A date (year, month, day), a time (negative, hour up to 838, minute, second, microsecond), or both. */
typedef struct weir_time {
    uint16_t year;
    uint8_t month;
    uint8_t day;
    uint8_t negative;
    uint8_t minute;
    uint8_t second;
    uint32_t hour;
    uint32_t microsecond;
} weir_time;

/* Opens a directory, which is made where there is none; ":memory:" is an empty database in memory. *db is a handle also where that has failed: it
 * has the error, and must be closed. */
int weir_open(const char *path, const weir_option *options, size_t count, weir_database **db);
/* Closes the handle. While connections are there it returns WEIR_MISUSE, and the database is closed with the last of them. */
int weir_close(weir_database *db);
int weir_database_errno(weir_database *db);
const char *weir_database_errmsg(weir_database *db);
const char *weir_version(void);

int weir_connect(weir_database *db, weir_connection **conn);
/* Rolls back what is open. WEIR_MISUSE while the connection has statements: the handle stays. */
int weir_disconnect(weir_connection *conn);
/* One statement or several, without rows. len: bytes, or negative where the text ends in NUL. */
int weir_exec(weir_connection *conn, const char *sql, ptrdiff_t len);
/* Ends the statement that runs, from any thread. */
void weir_interrupt(const weir_connection *conn);
/* The last error of the connection or one of its statements: MySQL's number, SQLSTATE, text and WEIR_ class. */
int weir_errno(weir_connection *conn);
const char *weir_sqlstate(weir_connection *conn);
const char *weir_errmsg(weir_connection *conn);
int weir_errcode(weir_connection *conn);
int weir_in_transaction(weir_connection *conn);
uint64_t weir_connection_id(weir_connection *conn);
/* Of the last statement that was stepped to WEIR_DONE. */
uint64_t weir_affected_rows(weir_connection *conn);
uint64_t weir_last_insert_id(weir_connection *conn);
int weir_warning_count(weir_connection *conn);

int weir_prepare(weir_connection *conn, const char *sql, ptrdiff_t len, weir_statement **stmt);
/* Parameters are numbered from 1 and are NULL until they are bound. What is bound is copied, and counts from the next execution on. */
int weir_bind_parameter_count(weir_statement *stmt);
int weir_bind_null(weir_statement *stmt, int index);
int weir_bind_int64(weir_statement *stmt, int index, int64_t value);
int weir_bind_uint64(weir_statement *stmt, int index, uint64_t value);
int weir_bind_double(weir_statement *stmt, int index, double value);
int weir_bind_text(weir_statement *stmt, int index, const char *text, ptrdiff_t len);
int weir_bind_json(weir_statement *stmt, int index, const char *text, ptrdiff_t len);
int weir_bind_decimal(weir_statement *stmt, int index, const char *text, ptrdiff_t len);
int weir_bind_blob(weir_statement *stmt, int index, const uint8_t *bytes, size_t len);
int weir_bind_date(weir_statement *stmt, int index, const weir_time *value);
int weir_bind_time(weir_statement *stmt, int index, const weir_time *value);
int weir_bind_datetime(weir_statement *stmt, int index, const weir_time *value);
int weir_clear_bindings(weir_statement *stmt);
/* The first step executes the statement. */
int weir_step(weir_statement *stmt);
/* The next result of a CALL. */
int weir_next_result(weir_statement *stmt);
/* Ends the execution; the next step begins another one. */
int weir_reset(weir_statement *stmt);
int weir_finalize(weir_statement *stmt);

/* Columns are numbered from 0 and are known behind the first step. A pointer lasts until the statement is stepped, reset or finalized. */
int weir_column_count(weir_statement *stmt);
const char *weir_column_name(weir_statement *stmt, int column);
int weir_column_declared(weir_statement *stmt, int column);
int weir_column_type(weir_statement *stmt, int column);
int64_t weir_column_int64(weir_statement *stmt, int column);
uint64_t weir_column_uint64(weir_statement *stmt, int column);
double weir_column_double(weir_statement *stmt, int column);
/* The value as a text that ends in NUL; NULL for NULL. */
const char *weir_column_text(weir_statement *stmt, int column);
/* Its bytes, weir_column_bytes of them; NULL for NULL and where there are none. */
const uint8_t *weir_column_blob(weir_statement *stmt, int column);
size_t weir_column_bytes(weir_statement *stmt, int column);
/* The parts of a date or time; WEIR_DATA for another value. */
int weir_column_time(weir_statement *stmt, int column, weir_time *value);

#ifdef __cplusplus
}
#endif

#endif
