//! What an administrator looks for when something waits: who keeps purge back, what a deadlock was about.

use crate::common::{Client, Login, Server, run_to_end, until};
use std::thread;

/// A transaction that has only read is shown as long as it keeps its snapshot, and not longer.
#[test]
fn who_keeps_the_oldest_snapshot_is_shown() {
    let s = Server::start(&[]);
    let (mut a, mut b) = (s.root_client(), s.root_client());
    b.run("create database d");
    b.run("create table d.t (id int primary key)");
    b.run("insert into d.t values (1)");
    let trx =
        "select trx_mysql_thread_id, trx_state, trx_id > 0 from information_schema.innodb_trx";
    let thread = "select variable_value from performance_schema.global_status where variable_name = 'Weir_oldest_snapshot_thread'";
    let id = a.rows("select connection_id()");
    for begin in ["begin", "start transaction with consistent snapshot", "set autocommit = 0"] {
        assert_eq!(b.rows(trx), "", "{begin}");
        assert_eq!(b.rows(thread), "0");
        a.run(begin);
        a.run("select * from d.t");
        b.run("insert into d.t select max(id) + 1 from d.t");
        assert_eq!(b.rows(trx), format!("{id},RUNNING,1"), "{begin}");
        assert_eq!(b.rows(thread), id);
        assert_eq!(
            b.rows(&format!("select trx_state from sys.session where conn_id = {id}")),
            "ACTIVE"
        );
        let status = b.rows("show engine innodb status");
        assert!(status.contains(&format!("Oldest snapshot: thread id {id}, open for")), "{status}");
        a.run("commit");
        a.run("set autocommit = 1");
    }
    // What is opened and closed within a statement is nobody's, and at READ COMMITTED a snapshot lasts no longer than that.
    a.run("select * from d.t");
    a.run("set session transaction isolation level read committed");
    a.run("begin");
    a.run("select * from d.t");
    assert_eq!(b.rows(trx), "");
    // One that vanishes keeps nothing.
    let mut c = s.root_client();
    c.run("start transaction with consistent snapshot");
    assert_ne!(b.rows(trx), "");
    c.vanish();
    until("its snapshot is gone", || b.rows(trx).is_empty());
}

/// The table of snapshots has the owner, what it does, and the undo that purge leaves for it, also where one statement runs for long.
#[test]
fn snapshots_are_listed_with_their_owners_and_the_undo_that_they_hold_back() {
    let s = Server::start(&[]);
    let (mut a, mut b, mut c) = (s.root_client(), s.root_client(), s.root_client());
    b.run("create database d");
    b.run("create table d.t (id int primary key, x varchar(200))");
    b.run("insert into d.t values (1, 'a'), (2, 'b')");
    let ids = [&mut a, &mut c].map(|c| c.rows("select connection_id()"));
    let list = "select connection, user, statement from information_schema.weir_snapshots where connection <> connection_id()";
    assert_eq!(b.rows(list), "");
    a.run("start transaction with consistent snapshot");
    for n in 0..30 {
        b.run(&format!("update d.t set x = repeat('x', {}) where id = 1", 100 + n));
    }
    a.run("select x from d.t where id = 2");
    assert_eq!(b.rows(list), format!("{},root,select x from d.t where id = 2", ids[0]));
    c.send_query("select count(*) from d.t where sleep(if(id = 1, 60, 0)) = 0");
    until("the statement has its snapshot", || b.rows(list).contains("sleep"));
    let held = "select connection, commits >= 30, undo_bytes between 1000 and 100000, age < 60, opened <= now(6), host like '127.0.0.1%' or host like 'localhost%' from information_schema.weir_snapshots where commits > 0";
    assert_eq!(b.rows(held), format!("{},1,1,1,1,1", ids[0]));
    let value =
        "select variable_value > 1000 from performance_schema.global_status where variable_name = ";
    assert_eq!(b.rows(&format!("{value}'Weir_oldest_snapshot_undo_bytes'")), "1");
    assert_eq!(b.rows(&format!("{value}'Weir_history_bytes'")), "1");
    let status = b.rows("show engine innodb status");
    assert!(status.contains("commits since then stay in the history with "), "{status}");
    b.run(&format!("kill query {}", ids[1]));
    c.read_answer(false).ok();
    a.run("rollback");
    assert_eq!(b.rows(list), "");
    b.run("create user 'poor'@'%'");
    let login = Login { user: "poor", ..Login::default() };
    let mut poor = s.connect(&login).unwrap();
    assert_eq!(poor.fail("select * from information_schema.weir_snapshots"), 1227);
    until("purge is through", || b.rows(&format!("{value}'Weir_history_bytes'")) == "0");
}

fn ended(c: &mut Client) -> String {
    c.rows("select variable_value from performance_schema.global_status where variable_name = 'Weir_snapshots_ended'")
}

/// `weir_snapshot_max_age`: an idle transaction is rolled back with its locks before its client says a word, and the client hears of it once.
#[test]
fn a_snapshot_that_is_too_old_ends_its_transaction() {
    let s = Server::start(&[]);
    let (mut a, mut b) = (s.root_client(), s.root_client());
    b.run("create database d");
    b.run("create table d.t (id int primary key, x int)");
    b.run("insert into d.t values (1, 0), (2, 0)");
    let id = a.prepare("select x from d.t where id = 1").unwrap().0;
    assert_eq!(b.rows("select @@global.weir_snapshot_max_age"), "0");
    b.run("set global weir_snapshot_max_age = 1");
    b.run("set innodb_lock_wait_timeout = 1");
    for (n, next) in ["select 1", "commit", "begin", "execute", "rollback"].into_iter().enumerate()
    {
        a.run("begin");
        a.run("select * from d.t");
        a.run("update d.t set x = x + 1 where id = 1");
        assert_eq!(b.fail("update d.t set x = x + 10 where id = 1"), 1205);
        until("it is rolled back", || ended(&mut b) == (n + 1).to_string());
        b.run("update d.t set x = 100 where id = 1");
        let failure = match next {
            "execute" => a.execute(id, &[]).err(),
            "rollback" => {
                a.run("rollback");
                None
            }
            text => a.try_query(text).err(),
        };
        if let Some(f) = failure {
            assert_eq!((f.errno, f.state.as_str()), (3101, "40000"), "{next}");
            assert!(f.message.contains("weir_snapshot_max_age = 1 seconds"), "{}", f.message);
        } else {
            assert_eq!(next, "rollback");
        }
        assert_eq!(a.rows("select x from d.t where id = 1"), "100");
    }
    // Without a snapshot there is nothing to be too old.
    a.run("set transaction isolation level read committed");
    a.run("begin");
    a.run("select * from d.t");
    a.run("update d.t set x = 7 where id = 2");
    std::thread::sleep(std::time::Duration::from_millis(2500));
    a.run("commit");
    assert_eq!(
        (ended(&mut b).as_str(), b.rows("select x from d.t where id = 2").as_str()),
        ("5", "7")
    );
}

#[test]
fn a_statement_whose_snapshot_is_too_old_is_interrupted() {
    let s = Server::start(&["--weir-snapshot-max-age=1"]);
    let (mut a, mut b) = (s.root_client(), s.root_client());
    b.run("create database d");
    b.run("create table d.t (id int primary key)");
    b.run("insert into d.t with recursive n (i) as (select 1 union all select i + 1 from n where i < 1000) select i from n");
    b.run("create procedure d.p() begin declare continue handler for sqlexception set @caught = 1; start transaction; delete from d.t where id = 1; select count(*) from d.t a, d.t b, d.t c where a.id + b.id + c.id = -1 into @n; set @reached = 1; end");
    let long = "select count(*) from d.t a, d.t b, d.t c where a.id + b.id + c.id = -1";
    assert_eq!(a.fail(long), 3101);
    a.run("begin");
    a.run("delete from d.t where id = 5");
    assert_eq!(a.fail(long), 3101);
    // As a deadlock's, the error is a handler's to catch, with the transaction gone.
    a.run("call d.p()");
    assert_eq!(a.rows("select @caught, @reached"), "1,1");
    assert_eq!(b.rows("select count(*) from d.t"), "1000");
    assert_eq!(ended(&mut b), "3");
    // A statement without a snapshot may take what it likes, and so may all while somebody backs up.
    a.run("do sleep(2.5)");
    b.run("lock instance for backup");
    a.run("start transaction with consistent snapshot");
    std::thread::sleep(std::time::Duration::from_millis(2500));
    assert_eq!(a.rows("select count(*) from d.t"), "1000");
    b.run("unlock instance");
    assert_eq!(a.fail("select count(*) from d.t").max(3101), 3101);
    // A branch that is prepared is nobody's snapshot; one that is not is rolled back, and its client says so as well.
    a.run("xa start 'one'");
    a.run("select count(*) from d.t");
    a.run("delete from d.t where id = 3");
    a.run("xa end 'one'");
    a.run("xa prepare 'one'");
    b.run("xa start 'two'");
    b.run("select count(*) from d.t");
    b.run("delete from d.t where id = 4");
    std::thread::sleep(std::time::Duration::from_millis(2500));
    a.run("xa commit 'one'");
    assert_eq!(b.fail("xa end 'two'"), 3101);
    assert_eq!(b.fail("xa end 'two'"), 1614);
    b.run("xa rollback 'two'");
    assert_eq!(b.rows("select group_concat(id) from d.t where id < 6"), "1,2,4,5");
}

#[test]
fn a_deadlock_is_told_with_tables_keys_sessions_and_statements() {
    let s = Server::start(&["--innodb-print-all-deadlocks=ON"]);
    let (mut a, mut b) = (s.root_client(), s.root_client());
    a.run("create database d");
    a.run("create table d.t (id int primary key, name varchar(20), key (name))");
    a.run("insert into d.t values (1, 'one'), (2, 'two')");
    let ids: Vec<String> = [&mut a, &mut b].map(|c| c.rows("select connection_id()")).to_vec();
    for (c, id) in [(&mut a, 1), (&mut b, 2)] {
        c.run("begin");
        c.run(&format!("update d.t set name = 'x' where id = {id}"));
    }
    let other = thread::spawn(move || {
        let done = a.try_query("update d.t set name = 'first to wait' where id = 2").is_ok();
        (a, done)
    });
    let mut c = s.root_client();
    until("the first one waits", || {
        c.rows("select count(*) from performance_schema.data_locks where lock_status = 'WAITING'")
            == "1"
    });
    let second = b.try_query("update d.t set name = 'closes the circle' where id = 1");
    let first = other.join().unwrap().1;
    assert!(first != second.is_ok(), "one of them is the victim");
    let status = c.rows("show engine innodb status");
    for word in [
        "LATEST DETECTED DEADLOCK",
        "*** (1) TRANSACTION:",
        "*** (2) TRANSACTION:",
        "first to wait",
        "closes the circle",
        "index PRIMARY of table `d`.`t`",
        "Record: 1",
        "Record: 2",
        "*** WE ROLL BACK TRANSACTION",
    ]
    .into_iter()
    .chain(ids.iter().map(String::as_str))
    {
        assert!(status.contains(word), "{word}: {status}");
    }
    until("the log has it", || s.log().contains("closes the circle"));
}

/// An ALTER TABLE that waits is shown with all sessions that keep it up, not with the last one alone.
#[test]
fn all_holders_of_a_metadata_lock_are_shown() {
    let s = Server::start(&[]);
    let (mut a, mut b, mut c) = (s.root_client(), s.root_client(), s.root_client());
    a.run("create database d");
    a.run("create table d.t (id int primary key)");
    let [ia, ib] = [&mut a, &mut b].map(|c| c.rows("select connection_id()"));
    a.run("begin");
    a.run("select * from d.t");
    b.run("begin");
    b.run("select * from d.t");
    let locks = "select owner_thread_id, lock_type, lock_status from performance_schema.metadata_locks where object_name = 't' order by 1, 3";
    assert_eq!(c.rows(locks), format!("{ia},SHARED_READ,GRANTED;{ib},SHARED_READ,GRANTED"));
    b.run("insert into d.t values (1)");
    let granted = format!("{ia},SHARED_READ,GRANTED;{ib},SHARED_WRITE,GRANTED");
    assert_eq!(c.rows(locks), granted);
    let mut d = s.root_client();
    let id = d.rows("select connection_id()");
    let alter = thread::spawn(move || d.run("alter table d.t add column x int").rows.len());
    until("it waits", || c.rows(locks).contains("PENDING"));
    assert_eq!(c.rows(locks), format!("{granted};{id},EXCLUSIVE,PENDING"));
    let blocking = "select blocking_pid from sys.schema_table_lock_waits order by 1";
    assert_eq!(c.rows(blocking), format!("{ia};{ib}"));
    a.run("commit");
    b.run("rollback");
    alter.join().unwrap();
    assert_eq!(c.rows(locks), "");
}

/// A new directory is not made among another database's files, and one that is made is the server's and its group's alone.
#[test]
fn a_directory_of_another_database_is_refused_and_an_own_one_is_private() {
    use std::os::unix::fs::PermissionsExt;
    let s = Server::start(&[]);
    let mode = std::fs::metadata(s.root().join("data")).unwrap().permissions().mode();
    assert_eq!(mode & 0o7777, 0o750);
    let other = s.root().join("mysql");
    std::fs::create_dir(&other).unwrap();
    std::fs::write(other.join("ibdata1"), "").unwrap();
    let datadir = format!("--datadir={}", other.display());
    let (status, told) = run_to_end(None, &[&datadir]);
    assert!(!status.success() && told.contains("ibdata1, a file of MySQL"), "{told}");
    let names: Vec<_> =
        std::fs::read_dir(&other).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names, ["ibdata1"]);
}

/// Under the profile of a published build the monitor is that build's, and its statement that of MySQL up to 5.1.
#[test]
fn the_monitor_has_the_form_of_the_build_in_charge() {
    let s = Server::start(&["--weir-profile=v4-5037", "--innodb-check-max-dirty-foreground"]);
    let mut c = s.root_client();
    c.run("create database d");
    c.run("create table d.t (id int primary key, v int)");
    c.run("insert into d.t values (1, 1), (2, 2)");
    let short = c.run("show innodb status");
    assert_eq!(short.rows[0].len(), 1, "one column, as in 5.0");
    let text = short.rows[0][0].clone().unwrap();
    for line in ["BACKGROUND THREAD", "Pct_dirty ", "Sync reads: requests ", "rows inserted 2,"] {
        assert!(text.contains(line), "{line}: {text}");
    }
    let long = c.run("show engine innodb status").rows[0][2].clone().unwrap();
    assert!(long.contains("Foreground flush margins: sync "), "{long}");
    assert!(s.log().contains("google-v4 reads 'innodb_check_max_dirty_foreground' = ON: "));
    let names = [
        "Innodb_buffer_pool_pages_misc",
        "Innodb_data_pending_fsyncs",
        "Innodb_data_pending_reads",
        "Innodb_data_pending_writes",
        "Innodb_os_log_pending_fsyncs",
        "Innodb_os_log_pending_writes",
    ];
    for name in names {
        let row = c.rows(&format!("show global status like '{name}'"));
        let value = row.strip_prefix(&format!("{name},")).unwrap_or_else(|| panic!("{row}"));
        assert!(value.parse::<u64>().is_ok_and(|n| n < 100), "{row}");
    }
    // The policy decides, and changes while the server runs.
    c.run("set global weir_flush_policy = 'weir'");
    let e = c.try_query("show innodb status").unwrap_err();
    assert_eq!(e.errno, 1064);
    assert!(e.message.ends_with("near 'innodb status' at line 1"), "{}", e.message);
    let e = c.try_query("show innodb mutex").unwrap_err();
    assert!(
        e.errno == 1064 && e.message.ends_with("near 'innodb mutex' at line 1"),
        "{}",
        e.message
    );
    c.run("set global weir_flush_policy = 'xtradb-none'");
    // A policy begins after the batch that the one before it had ordered.
    until("the other policy", || c.rows("show innodb status").contains("Max checkpoint age    "));
}
