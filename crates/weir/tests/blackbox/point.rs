//! SELECTs of one row by a unique key as clients see them: packets, digests and logs are those of any other statement.

use crate::common::{Client, Login, Server, cap, execute_packet, param};

/// All packets of an answer with rows.
fn packets(c: &mut Client, old: bool) -> Vec<Vec<u8>> {
    let mut all = vec![c.read_packet().unwrap()];
    let columns = usize::from(all[0][0]);
    assert!(columns > 0 && columns < 0xFB, "{all:?}");
    for _ in 0..columns + usize::from(old) {
        all.push(c.read_packet().unwrap());
    }
    loop {
        let packet = c.read_packet().unwrap();
        let ends = packet[0] == 0xFE;
        all.push(packet);
        if ends {
            return all;
        }
    }
}

fn text(c: &mut Client, old: bool, sql: &str) -> Vec<Vec<u8>> {
    c.send_query(sql);
    packets(c, old)
}

fn prepared(c: &mut Client, old: bool, id: u32, value: i64) -> Vec<Vec<u8>> {
    c.command(&execute_packet(id, &[param::int(value)])).unwrap();
    packets(c, old)
}

const COLUMNS: &str = "select id, c, n, at, b, c as again from d.t where";

#[test]
fn packets_are_those_of_other_statements() {
    let server = Server::start(&[]);
    let mut root = server.root_client();
    root.run("create database d");
    root.run("create table d.t (id int primary key, c varchar(300), n bigint unsigned, at datetime(3), b blob, unique (n))");
    root.run("insert into d.t values (1, 'one', 10, '2024-02-29 01:02:03.5', x'00ff'), (2, null, null, null, null), (-3, repeat('x', 300), 18446744073709551615, null, '')");
    for (flags, without) in
        [(cap::DEPRECATE_EOF, 0), (0, cap::DEPRECATE_EOF), (cap::DEPRECATE_EOF | cap::COMPRESS, 0)]
    {
        let old = flags & cap::DEPRECATE_EOF == 0;
        let login = Login { flags, without, ..Login::default() };
        let mut c = Client::tcp(server.port, &login).unwrap();
        let (short, ..) = c.prepare(&format!("{COLUMNS} id = ?")).unwrap();
        let (usual, ..) = c.prepare(&format!("{COLUMNS} id = ? limit 5")).unwrap();
        for id in [1, 2, -3, 4, 1] {
            let wanted = text(&mut c, old, &format!("{COLUMNS} id = {id} limit 5"));
            for _ in 0..2 {
                assert_eq!(text(&mut c, old, &format!("{COLUMNS} id = {id}")), wanted, "{id}");
            }
            let wanted = prepared(&mut c, old, usual, id);
            for _ in 0..2 {
                assert_eq!(prepared(&mut c, old, short, id), wanted, "{id}");
            }
            assert_eq!(
                c.rows("select found_rows(), row_count()"),
                format!("{},-1", i32::from(id < 4))
            );
        }
        let wanted = text(&mut c, old, &format!("{COLUMNS} n = 10 limit 5"));
        assert_eq!(text(&mut c, old, &format!("{COLUMNS} n = 10")), wanted);
        assert_eq!(text(&mut c, old, &format!("{COLUMNS} n = 10")), wanted);
    }
    let taken = root.rows("show global status like 'Weir_point_plans'");
    let taken: u32 = taken.rsplit(',').next().unwrap().parse().unwrap();
    assert!(taken >= 40, "{taken}");
}

#[test]
fn digests_and_slow_statements_are_counted() {
    let server = Server::start(&[]);
    let mut c = server.root_client();
    c.run("create database d");
    c.run("use d");
    c.run("create table t (id int primary key, c int)");
    c.run("insert into t values (1, 1)");
    let (id, ..) = c.prepare("select c from t where id = ?").unwrap();
    for _ in 0..4 {
        c.execute(id, &[param::int(1)]).unwrap();
        c.run("select c from t where id = 1");
        c.run("select c from t where id = 2");
    }
    let summed = "select count_star, sum_rows_sent, sum_rows_examined, sum_errors from performance_schema.events_statements_summary_by_digest \
         where digest_text = 'SELECT `c` FROM `t` WHERE `id` = ?'";
    assert_eq!(c.rows(summed), "12,8,8,0");
    c.run("set long_query_time = 0");
    let slow = |c: &mut Client| -> u32 {
        let shown = c.rows("show session status like 'Slow_queries'");
        shown.rsplit(',').next().unwrap().parse().unwrap()
    };
    let before = slow(&mut c);
    c.run("select c from t where id = 1");
    c.execute(id, &[param::int(1)]).unwrap();
    // The question itself is slow as well.
    assert_eq!(slow(&mut c), before + 3);
    let questions = |c: &mut Client| -> u32 {
        let shown = c.rows("show session status like 'Questions'");
        shown.rsplit(',').next().unwrap().parse().unwrap()
    };
    let before = questions(&mut c);
    c.run("select c from t where id = 1");
    c.execute(id, &[param::int(1)]).unwrap();
    assert_eq!(questions(&mut c), before + 3);
}
