//! What statements cost: sums by digest, with the background's, are what the engine counts as a whole.
use crate::common::*;

const TERMINALS: u64 = 4;
const TRANSACTIONS: u64 = 150;

/// Orders as TPC-C's terminals enter them: a district's counter, lines, stock, the order read back.
fn enter_orders(server: &Server, terminal: u64) {
    let mut c = server.root_client();
    c.run("use shop");
    let mut seed = terminal * 7919 + 1;
    let mut draw = |below: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % below
    };
    for n in 0..TRANSACTIONS {
        c.run("begin");
        c.run(&format!("update district set next = next + 1 where id = {terminal}"));
        let order = terminal * 1_000_000 + n;
        c.run(&format!("insert into orders values ({order}, {terminal}, now())"));
        for line in 0..5 {
            let item = draw(2000);
            c.run(&format!(
                "insert into `lines` values ({order}, {line}, {item}, 'some text about the line')"
            ));
            c.run(&format!("update stock set quantity = quantity - 1 where item = {item}"));
        }
        c.run(&format!("select count(*), sum(item) from `lines` where orders = {order}"));
        c.run("commit");
    }
}

/// Sums of the columns over all rows, and what the engine says of the same.
fn sums(c: &mut Client) -> [[u64; 2]; 3] {
    let own = c.rows("select sum(pages_requested), sum(pages_dirtied), sum(redo_bytes) from information_schema.weir_statements");
    let names =
        "'Innodb_buffer_pool_read_requests', 'Weir_pages_dirtied', 'Innodb_redo_log_current_lsn'";
    let all = c.rows(&format!(
        "select group_concat(variable_value order by field(variable_name, {names}) separator ',') from performance_schema.global_status where variable_name in ({names})"
    ));
    let numbers = |text: &str| text.split(',').map(|n| n.parse().unwrap()).collect::<Vec<u64>>();
    let (own, all) = (numbers(&own), numbers(&all));
    std::array::from_fn(|n| [own[n], all[n]])
}

#[test]
fn sums_of_statements_are_the_engines_totals() {
    let server =
        Server::start(&["--innodb-buffer-pool-size=32M", "--innodb-flush-log-at-trx-commit=2"]);
    let mut c = server.root_client();
    for sql in [
        "create database shop",
        "use shop",
        "create table district (id int primary key, next int)",
        "create table orders (id int primary key, district int, entered datetime, key (district, entered))",
        "create table `lines` (orders int, line int, item int, info varchar(60), primary key (orders, line), key (item))",
        "create table stock (item int primary key, quantity int, filler char(200))",
        "insert into district values (0, 1), (1, 1), (2, 1), (3, 1)",
        "set cte_max_recursion_depth = 3000",
        "insert into stock with recursive n as (select 0 as i union all select i + 1 from n where i < 1999) select i, 100, 'x' from n",
    ] {
        c.run(sql);
    }
    let before = sums(&mut c);
    std::thread::scope(|s| {
        (0..TERMINALS).for_each(|t| {
            _ = s.spawn({
                let server = &server;
                move || enter_orders(server, t)
            })
        })
    });
    let after = sums(&mut c);
    for (what, (a, b)) in
        ["pages", "dirtied", "redo"].into_iter().zip(after.into_iter().zip(before))
    {
        let (own, all) = ((a[0] - b[0]) as f64, (a[1] - b[1]) as f64);
        assert!(all > 0.0 && (own - all).abs() <= all / 100.0 + 20.0, "{what}: {own} of {all}");
    }
    let row = "select count_star, redo_bytes > 40 * count_star, undo_bytes > 10 * count_star, pages_requested > count_star
               from information_schema.weir_statements where digest_text like 'UPDATE `stock`%'";
    assert_eq!(c.rows(row), format!("{},1,1,1", TERMINALS * TRANSACTIONS * 5));
    // A sort keeps its rows in memory.
    c.run("select * from stock order by quantity desc, item desc limit 2000");
    let row = "select max_total_memory > 100000 from performance_schema.events_statements_summary_by_digest
               where digest_text like 'SELECT * FROM `stock` ORDER%'";
    assert_eq!(c.rows(row), "1");
    c.run("create user u");
    let mut u = server.connect(&Login { user: "u", ..Login::default() }).unwrap();
    assert_eq!(
        u.query("select * from information_schema.weir_statements").unwrap_err().errno,
        1227
    );
}

#[test]
fn the_slow_log_tells_what_a_statement_cost() {
    let server = Server::start(&[
        "--slow-query-log=ON",
        "--long-query-time=0",
        "--slow-query-log-file=slow.log",
    ]);
    let mut c = server.root_client();
    c.run("create database d");
    c.run("create table d.t (a int primary key, b int)");
    c.run("insert into d.t values (1, 1)");
    let log = || std::fs::read_to_string(server.root().join("data/slow.log")).unwrap();
    assert!(!log().contains("Redo_bytes"));
    c.run("set global log_slow_extra = ON");
    c.run("update d.t set b = 2 where a = 1");
    let line =
        log().lines().rfind(|l| l.starts_with("# Pages_requested: ")).map(str::to_owned).unwrap();
    let number = |name: &str| -> u64 {
        line.split(&format!("{name}: "))
            .nth(1)
            .unwrap()
            .split_whitespace()
            .next()
            .unwrap()
            .parse()
            .unwrap()
    };
    assert!(
        number("Redo_bytes") > 50 && number("Undo_bytes") > 5 && number("Pages_requested") > 1,
        "{line}"
    );
    assert_eq!(number("Lock_wait_usec"), 0, "{line}");
}

/// What memory is made of: owners and sessions, the sessions' sum as the server has it, and the schema `sys` over them.
#[test]
fn memory_is_told_by_owner_and_by_session() {
    let server = Server::start(&["--innodb-buffer-pool-size=32M"]);
    let mut c = server.root_client();
    let bytes = "current_number_of_bytes_used";
    let global = "performance_schema.memory_summary_global_by_event_name";
    let names = c.rows(&format!(
        "select group_concat(event_name order by event_name) from {global} where {bytes} > 0"
    ));
    for owner in
        ["memory/innodb/buf_buf_pool", "memory/innodb/log_buffer_memory", "memory/weir/other"]
    {
        assert!(names.contains(owner), "{names}");
    }
    // All owners together have what the system counts, which is less than the pool as a whole and 256 MiB.
    let total: u64 =
        c.rows("select total_allocated from sys.x$memory_global_total").parse().unwrap();
    assert!((2 << 20..288 << 20).contains(&total), "{total}");
    c.run("set @long = repeat('x', 3000000)");
    let mine = format!(
        "select {bytes} >= 3000000, high_number_of_bytes_used >= 3000000, event_name \
         from performance_schema.memory_summary_by_thread_by_event_name where thread_id = connection_id()"
    );
    assert_eq!(c.rows(&mine), "1,1,memory/sql/THD::main_mem_root");
    assert_eq!(
        c.rows("select controlled_memory >= 3000000 from performance_schema.threads where thread_id = connection_id()"),
        "1"
    );
    let sessions = format!(
        "select {bytes} >= 3000000, current_count_used from {global} where event_name like '%THD%'"
    );
    assert_eq!(c.rows(&sessions), "1,1");
    assert_eq!(
        c.rows(
            "select user, current_allocated >= 3000000 from sys.x$memory_by_user_by_current_bytes"
        ),
        "root,1"
    );
    assert_eq!(
        c.rows("select host, current_count_used from sys.memory_by_host_by_current_bytes"),
        "127.0.0.1,1"
    );
    assert_eq!(
        c.rows(
            "select user, current_allocated like '%MiB' from sys.memory_by_thread_by_current_bytes"
        ),
        "root@127.0.0.1,1"
    );
    // The account is empty again, and the most that it was stays.
    c.run("set @long = null");
    let after = format!(
        "select {bytes} < 100000, high_number_of_bytes_used >= 3000000 \
         from performance_schema.memory_summary_by_account_by_event_name where user = 'root'"
    );
    assert_eq!(c.rows(&after), "1,1");
    // Locks are an owner.
    c.run("create database d");
    c.run("create table d.t (a int primary key)");
    c.run("insert into d.t with recursive n as (select 1 as a union all select a + 1 from n where a < 500) select a from n");
    c.run("begin");
    c.rows("select count(*) from d.t where a % 2 = 1 for update");
    let locks = c.rows(&format!(
        "select current_count_used from {global} where event_name = 'memory/innodb/lock0lock'"
    ));
    assert!(locks.parse::<u64>().unwrap() > 0, "{locks}");
    c.run("rollback");
}

/// Rows by table and index, requests by file, durations by class: what `sys` and exporters read.
#[test]
fn tables_indexes_and_files_have_their_figures() {
    let s = Server::start(&[]);
    let mut c = s.root_client();
    c.run("create database d");
    c.run("create table d.t (a int primary key, b int, c int, key b (b), key c (c))");
    c.run("insert into d.t values (1, 1, 1), (2, 2, 2), (3, 3, 3)");
    c.run("select * from d.t");
    c.run("select * from d.t force index (b) where b = 2");
    c.run("update d.t set c = 5 where a = 3");
    c.run("delete from d.t where a = 1");
    let of_t = |columns: &str, view: &str| {
        format!("select {columns} from sys.{view} where '{}' in (table_schema, table_name)", "t")
    };
    let table =
        of_t("rows_fetched, rows_inserted, rows_updated, rows_deleted", "schema_table_statistics");
    assert_eq!(c.rows(&table), "6,3,1,1");
    let index = of_t("index_name, rows_selected, rows_updated", "schema_index_statistics");
    assert_eq!(c.rows(&format!("{index} order by index_name")), "b,1,0;c,0,0;PRIMARY,2,1");
    assert_eq!(
        c.rows("select index_name from sys.schema_unused_indexes where object_name = 't'"),
        "c"
    );
    let scans = "select rows_full_scanned from sys.schema_tables_with_full_table_scans where object_name = 't'";
    assert_eq!(c.rows(scans), "3");
    // When its pages are written is the cleaner's choice; that they are of the table is known before.
    let io = of_t("io_read_requests >= 0, io_write >= 0", "x$schema_table_statistics");
    assert_eq!(c.rows(&io), "1,1");
    let files = "select count(*) > 0, sum(total_written) > 0 from sys.x$io_global_by_file_by_bytes";
    assert_eq!(c.rows(files), "1,1");
    let log = "select count_write > 0, sum_number_of_bytes_write > 0, count_misc > 0 \
               from performance_schema.file_summary_by_event_name where event_name like '%log_file'";
    assert_eq!(c.rows(log), "1,1,1");
    let shares = "select max(bucket_quantile), max(count_bucket_and_lower) = sum(count_bucket), sum(count_bucket) > 5 \
                  from performance_schema.events_statements_histogram_global";
    assert_eq!(c.rows(shares), "1,1,1");
    let one = "select count_bucket > 0, bucket_timer_low < bucket_timer_high \
               from performance_schema.events_statements_histogram_by_digest h \
               join performance_schema.events_statements_summary_by_digest using (digest) where digest_text like 'DELETE%'";
    assert_eq!(c.rows(one), "1,1");
}
