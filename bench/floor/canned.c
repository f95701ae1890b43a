/* A server that answers every point select with the same row: what sockets and threads alone cost on a machine.
 *
 *     cc -O2 -pthread -o canned canned.c                            threads and epoll
 *     cc -O2 -pthread -DWITH_RING -o canned canned.c -luring        the ring as well (Debian: liburing-dev)
 *     canned threads|epoll|ring PORT [LOOPS]
 *
 * It knows as much of the MySQL protocol as sysbench's oltp_point_select asks for: a login that is always right, prepared statements and
 * texts. "threads" has a thread for each connection, the others LOOPS threads among which connections are dealt out. No statement is
 * read beyond its first letter, nothing is counted and no memory is asked for: whatever another server takes more than this is its own.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>
#ifdef WITH_RING
#include <liburing.h>
#endif

enum { MOST_LOOPS = 64, REQUEST = 2048, ANSWER = 1024, EVENTS = 256 };

/* Commands of the protocol. */
enum { QUIT = 0x01, QUERY = 0x03, PREPARE = 0x16, EXECUTE = 0x17, CLOSE = 0x19 };

struct packets {
    unsigned char bytes[ANSWER];
    size_t len;
    unsigned char next;
};

/* The answers to a text and to a prepared statement, made once. */
static struct packets text_row, binary_row;

struct client {
    int socket;
    int logged_in;
    size_t have;
    unsigned char request[REQUEST];
    struct packets own;
    /* What is to be sent: one of the two above, or `own`. */
    const struct packets *answer;
};

static void put(struct packets *to, const void *body, size_t len) {
    unsigned char *at = to->bytes + to->len;
    at[0] = len, at[1] = len >> 8, at[2] = len >> 16, at[3] = to->next++;
    memcpy(at + 4, body, len);
    to->len += len + 4;
}

static void begin(struct packets *to, unsigned char first) {
    to->len = 0;
    to->next = first;
}

static void put_ok(struct packets *to) { put(to, "\0\0\0\2\0\0\0", 7); }
static void put_end(struct packets *to) { put(to, "\376\0\0\2\0", 5); }

static size_t string(unsigned char *to, const char *s) {
    size_t len = strlen(s);
    to[0] = len;
    memcpy(to + 1, s, len);
    return len + 1;
}

/* CHAR(120) in a set of four bytes a character. */
static void put_column(struct packets *to, const char *name) {
    unsigned char body[256];
    size_t n = string(body, "def");
    n += string(body + n, "sbtest");
    n += string(body + n, "sbtest1");
    n += string(body + n, "sbtest1");
    n += string(body + n, name);
    n += string(body + n, name);
    memcpy(body + n, "\x0c\x08\x00\xe0\x01\x00\x00\xfe\x01\x00\x00\x00\x00", 13);
    put(to, body, n + 13);
}

static void make_row(struct packets *to, size_t head) {
    unsigned char row[128] = {0};
    begin(to, 1);
    put(to, "\1", 1);
    put_column(to, "c");
    put_end(to);
    row[head] = 119;
    memset(row + head + 1, '7', 119);
    put(to, row, head + 120);
    put_end(to);
}

static void greet(struct client *c) {
    /* Version, connection, half of the salt; capabilities, utf8mb4, status; the other half; a plugin that any password suits here. */
    static const char hello[] = "\x0a" "8.0.0\0" "\1\0\0\0" "abcdefgh\0" "\x0d\xa2" "\x2d" "\2\0" "\x08\0" "\x15" "\0\0\0\0\0\0\0\0\0\0" "ijklmnopqrst\0" "mysql_native_password";
    begin(&c->own, 0);
    put(&c->own, hello, sizeof hello);
    c->answer = &c->own;
}

static void prepare(struct packets *to, const unsigned char *sql, size_t len) {
    unsigned char parameters = 0, rows = (sql[0] | 32) == 's';
    for (size_t i = 0; i < len; i++)
        parameters += sql[i] == '?';
    unsigned char body[12] = {0, 1, 0, 0, 0, rows, 0, parameters, 0, 0, 0, 0};
    begin(to, 1);
    put(to, body, sizeof body);
    for (int i = 0; i < parameters && i < 4; i++)
        put_column(to, "?");
    if (parameters)
        put_end(to);
    if (rows) {
        put_column(to, "c");
        put_end(to);
    }
}

/* Takes the packet at `p`, whose body has `len` bytes; 0: the client goes. */
static int take(struct client *c, const unsigned char *p, size_t len) {
    c->answer = &c->own;
    begin(&c->own, 1);
    if (!c->logged_in) {
        c->logged_in = 1;
        c->own.next = p[3] + 1;
        put_ok(&c->own);
        return 1;
    }
    switch (p[4]) {
    case QUIT: return 0;
    case CLOSE: c->answer = NULL; return 1;
    case EXECUTE: c->answer = &binary_row; return 1;
    case PREPARE: prepare(&c->own, p + 5, len - 1); return 1;
    case QUERY:
        if (len > 1 && (p[5] | 32) == 's')
            c->answer = &text_row;
        else
            put_ok(&c->own);
        return 1;
    default: put_ok(&c->own); return 1;
    }
}

/* Goes through what has come; 0: the client goes. A client sends nothing before it has its answer, but a CLOSE has none. */
static int work(struct client *c) {
    size_t at = 0;
    c->answer = NULL;
    while (c->have - at >= 4) {
        const unsigned char *p = c->request + at;
        size_t len = p[0] | p[1] << 8 | p[2] << 16;
        if (len == 0 || len + 4 > REQUEST)
            return 0;
        if (c->have - at < len + 4)
            break;
        if (!take(c, p, len))
            return 0;
        at += len + 4;
    }
    memmove(c->request, c->request + at, c->have - at);
    c->have -= at;
    return 1;
}

static int say(struct client *c) {
    return !c->answer || send(c->socket, c->answer->bytes, c->answer->len, MSG_NOSIGNAL) >= 0;
}

static void leave(struct client *c) {
    close(c->socket);
    free(c);
}

static void *serve_one(void *of) {
    struct client *c = of;
    for (;;) {
        ssize_t n = recv(c->socket, c->request + c->have, REQUEST - c->have, 0);
        if (n <= 0)
            break;
        c->have += n;
        if (!work(c) || !say(c))
            break;
    }
    leave(c);
    return NULL;
}

static int polls[MOST_LOOPS];

static void *serve_polled(void *of) {
    int poll = polls[(intptr_t)of];
    struct epoll_event events[EVENTS];
    for (;;) {
        int ready = epoll_wait(poll, events, EVENTS, -1);
        for (int i = 0; i < ready; i++) {
            struct client *c = events[i].data.ptr;
            ssize_t n = recv(c->socket, c->request + c->have, REQUEST - c->have, MSG_DONTWAIT);
            if (n < 0 && errno == EAGAIN)
                continue;
            c->have += n > 0 ? n : 0;
            if (n <= 0 || !work(c) || !say(c))
                leave(c);
        }
    }
    return NULL;
}

#ifdef WITH_RING
enum { BUFFERS = 4096, BUFFER = 512, NEWCOMER = 1, SENT = 3 };

static int doors[MOST_LOOPS][2];

static struct io_uring_sqe *entry(struct io_uring *ring, void *whose) {
    struct io_uring_sqe *e = io_uring_get_sqe(ring);
    if (!e) {
        io_uring_submit(ring);
        e = io_uring_get_sqe(ring);
    }
    io_uring_sqe_set_data(e, whose);
    return e;
}

/* Receives again and again, each time into the next buffer of the group. */
static void listen_to(struct io_uring *ring, struct client *c) {
    struct io_uring_sqe *e = entry(ring, c);
    io_uring_prep_recv_multishot(e, c->socket, NULL, 0, 0);
    io_uring_sqe_set_data(e, c);
    e->flags |= IOSQE_BUFFER_SELECT;
    e->buf_group = 1;
}

static void await_newcomer(struct io_uring *ring, int door, struct client **to) {
    struct io_uring_sqe *e = entry(ring, NULL);
    io_uring_prep_read(e, door, to, sizeof *to, 0);
    io_uring_sqe_set_data64(e, NEWCOMER);
}

static void *serve_ringed(void *of) {
    int door = doors[(intptr_t)of][0];
    struct io_uring ring;
    struct io_uring_params p = {.flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_CQSIZE | IORING_SETUP_SUBMIT_ALL, .cq_entries = 16384};
    if (io_uring_queue_init_params(4096, &ring, &p) < 0)
        exit(3);
    void *group_memory = NULL;
    char *memory = malloc((size_t)BUFFERS * BUFFER);
    if (!memory || posix_memalign(&group_memory, 4096, BUFFERS * sizeof(struct io_uring_buf)))
        exit(3);
    struct io_uring_buf_reg reg = {.ring_addr = (uintptr_t)group_memory, .ring_entries = BUFFERS, .bgid = 1};
    if (io_uring_register_buf_ring(&ring, &reg, 0) < 0)
        exit(3);
    struct io_uring_buf_ring *group = group_memory;
    io_uring_buf_ring_init(group);
    int mask = io_uring_buf_ring_mask(BUFFERS);
    for (int i = 0; i < BUFFERS; i++)
        io_uring_buf_ring_add(group, memory + (size_t)i * BUFFER, BUFFER, i, mask, i);
    io_uring_buf_ring_advance(group, BUFFERS);
    struct client *newcomer;
    await_newcomer(&ring, door, &newcomer);
    for (;;) {
        io_uring_submit_and_wait(&ring, 1);
        struct io_uring_cqe *done;
        unsigned head, seen = 0, back = 0;
        io_uring_for_each_cqe(&ring, head, done) {
            seen++;
            if (done->user_data == NEWCOMER) {
                listen_to(&ring, newcomer);
                await_newcomer(&ring, door, &newcomer);
                continue;
            }
            if (done->user_data == SENT)
                continue;
            struct client *c = (struct client *)(uintptr_t)done->user_data;
            if (done->res == -ENOBUFS) {
                listen_to(&ring, c);
                continue;
            }
            if (done->res <= 0) {
                leave(c);
                continue;
            }
            int buffer = done->flags >> IORING_CQE_BUFFER_SHIFT;
            char *bytes = memory + (size_t)buffer * BUFFER;
            size_t n = (size_t)done->res <= REQUEST - c->have ? (size_t)done->res : REQUEST - c->have;
            memcpy(c->request + c->have, bytes, n);
            c->have += n;
            io_uring_buf_ring_add(group, bytes, BUFFER, buffer, mask, back++);
            if (!work(c)) {
                /* The receive that is under way ends, and the client goes then. */
                shutdown(c->socket, SHUT_RDWR);
                continue;
            }
            if (c->answer) {
                struct io_uring_sqe *e = entry(&ring, NULL);
                io_uring_prep_send(e, c->socket, c->answer->bytes, c->answer->len, MSG_NOSIGNAL);
                e->flags |= IOSQE_CQE_SKIP_SUCCESS;
                io_uring_sqe_set_data64(e, SENT);
            }
            if (!(done->flags & IORING_CQE_F_MORE))
                listen_to(&ring, c);
        }
        io_uring_cq_advance(&ring, seen);
        io_uring_buf_ring_advance(group, back);
    }
    return NULL;
}
#endif

static int listener(int port) {
    int one = 1, s = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(s, (void *)&a, sizeof a) || listen(s, 4096)) {
        perror("canned");
        exit(1);
    }
    return s;
}

static void start(pthread_attr_t *attr, void *(*run)(void *), void *of) {
    pthread_t thread;
    if (pthread_create(&thread, attr, run, of)) {
        fputs("canned: no more threads\n", stderr);
        exit(1);
    }
}

int main(int argc, char **argv) {
    const char *mode = argc > 2 ? argv[1] : "";
    int loops = argc > 3 ? atoi(argv[3]) : 1, at = 0;
    int threads = !strcmp(mode, "threads"), polled = !strcmp(mode, "epoll"), ringed = 0;
#ifdef WITH_RING
    ringed = !strcmp(mode, "ring");
#endif
    if (!(threads || polled || ringed) || loops < 1 || loops > MOST_LOOPS) {
        fputs("usage: canned threads|epoll|ring PORT [LOOPS]; the ring only where it was built with it\n", stderr);
        return 2;
    }
    signal(SIGPIPE, SIG_IGN);
    make_row(&text_row, 0);
    make_row(&binary_row, 2);
    int door = listener(atoi(argv[2]));
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, 256 << 10);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    for (intptr_t i = 0; i < loops && polled; i++) {
        polls[i] = epoll_create1(0);
        start(&attr, serve_polled, (void *)i);
    }
#ifdef WITH_RING
    for (intptr_t i = 0; i < loops && ringed; i++) {
        if (pipe(doors[i]))
            return 1;
        start(&attr, serve_ringed, (void *)i);
    }
#endif
    for (;;) {
        int one = 1, s = accept(door, NULL, NULL);
        struct client *c = s < 0 ? NULL : calloc(1, sizeof *c);
        if (!c)
            continue;
        c->socket = s;
        setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        greet(c);
        if (!say(c)) {
            leave(c);
            continue;
        }
        if (threads) {
            start(&attr, serve_one, c);
        } else if (polled) {
            struct epoll_event e = {.events = EPOLLIN, .data.ptr = c};
            epoll_ctl(polls[at++ % loops], EPOLL_CTL_ADD, s, &e);
        }
#ifdef WITH_RING
        else if (write(doors[at++ % loops][1], &c, sizeof c) != sizeof c)
            return 1;
#endif
    }
}
