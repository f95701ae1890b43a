//! Statements about replicas, the binary log and GTIDs, on a server that has none of them.
use crate::common::*;

#[test]
fn what_would_replicate_is_refused() {
    let not_replica = "E1200 The server is not configured as replica; fix in config file or with CHANGE REPLICATION SOURCE TO";
    let no_channel = "E3074 Replica channel 'c' does not exist.";
    let no_group = "E3092 The server is not configured properly to be an active member of the group. Please see more details on error log.";
    check(&[
        ("change replication source to source_host = 'h', source_port = 3306", "E1235"),
        ("change master to master_host = 'h' for channel 'c'", "E1235"),
        ("change replication filter replicate_do_db = (d)", "E1235"),
        ("change replication filter replicate_do_db = (d) for channel 'c'", "E1794"),
        // It can be prepared, as in MySQL, and is refused when it runs.
        ("prepare p from 'change replication source to source_host = ''h'''", "ok 0"),
        ("execute p", "E1235"),
        ("start replica", not_replica),
        ("start slave", not_replica),
        ("start replica io_thread, sql_thread until sql_after_gtids = 'x'", not_replica),
        ("start replica for channel ''", not_replica),
        ("start replica for channel 'c'", no_channel),
        ("start replica user = 'u' password = 'p' for channel 'c'", no_channel),
        ("stop replica", "ok 0"),
        ("stop slave sql_thread", "ok 0"),
        ("stop replica for channel 'c'", no_channel),
        ("start group_replication", no_group),
        ("start group_replication user = 'u'", no_group),
        ("stop group_replication", no_group),
        ("change replication", "E1064"),
        ("change replication source to", "E1064"),
        ("start replica nonsense", "E1064"),
        ("stop replica io_thread,", "E1064"),
        ("stop replica user = 'u'", "E1064"),
    ]);
}

#[test]
fn a_channel_that_is_named_does_not_exist() {
    let told = "E3074 Replica channel 'c' does not exist.";
    check(&[
        ("flush relay logs", "ok 0"),
        ("flush relay logs for channel ''", "ok 0"),
        ("flush relay logs for channel 'c'", told),
        ("reset replica", "ok 0"),
        ("reset replica all for channel ''", "ok 0"),
        ("reset replica for channel 'c'", told),
        ("show relaylog events", ""),
        ("show relaylog events in 'x' from 4 limit 1 for channel 'c'", told),
        ("show replica status for channel 'c'", told),
        ("show slave status for channel 'c'", told),
    ]);
}

#[test]
fn a_binary_log_that_is_not_there() {
    check(&[
        ("show binary logs", "E1381 You are not using binary logging"),
        ("show master status", ""),
        ("show binlog events in 'x' from 4 limit 1, 2", ""),
        ("flush binary logs", "ok 0"),
        ("purge binary logs to 'x'", "ok 0"),
        ("purge master logs before now()", "ok 0"),
        ("show warnings", ""),
        ("purge binary logs before null", "ok 0"),
        ("purge binary logs before 'x'", "ok 0"),
        ("show warnings", "Warning|1292|Incorrect datetime value: 'x'"),
        ("reset master", "ok 0"),
        ("reset binary logs and gtids to 5", "ok 0"),
        ("reset replica, master", "ok 0"),
        ("reset query cache", "E1064"),
        ("reset binary logs", "E1064"),
        ("binlog ''", "E1149"),
        ("binlog 'AAAA'", "E1149"),
        ("binlog 'x'", "E1575 Decoding of base64 string failed"),
    ]);
}

#[test]
fn every_column_of_a_replica_is_listed() {
    with_server(1, |server| async move {
        let mut c = server.client();
        let new = c.ask("show replica status").await;
        assert_eq!((new.columns.len(), new.rows.len()), (60, 0));
        assert_eq!(new.columns[32], "Seconds_Behind_Source");
        let old = c.ask("show slave status").await;
        assert_eq!((old.columns.len(), old.rows.len()), (60, 0));
        assert_eq!(old.columns[32], "Seconds_Behind_Master");
        let events = c.ask("show binlog events").await;
        assert_eq!(events.columns.join(","), "Log_name,Pos,Event_type,Server_id,End_log_pos,Info");
        c.0.close().await;
        drop(server);
    });
}

#[test]
fn waits_for_transactions_end() {
    check(&[
        ("select wait_for_executed_gtid_set('')", "0"),
        ("select wait_for_executed_gtid_set('3e11fa47-71ca-11e1-9e33-c80aa9429562:1', 0.01)", "1"),
        ("select wait_for_executed_gtid_set('x')", "E1772"),
        ("select wait_for_executed_gtid_set(null)", "E1772"),
        ("select wait_for_executed_gtid_set('', -1)", "E1210"),
        ("select wait_for_executed_gtid_set()", "E1582"),
    ]);
}

#[test]
fn variables_of_the_log_and_of_gtids() {
    let in_transaction =
        "E1766 The system variable gtid_next cannot be set when there is an ongoing transaction.";
    let log_in_transaction = "E1694 Cannot modify @@session.sql_log_bin inside a transaction";
    check(&[
        ("set sql_log_bin = 0", "ok 0"),
        ("show warnings", ""),
        ("select @@sql_log_bin", "0"),
        ("set sql_log_bin = 2", "E1231"),
        ("set global sql_log_bin = 0", "E1228"),
        ("begin", "ok 0"),
        ("set sql_log_bin = 1", log_in_transaction),
        ("set @a = 1, sql_log_bin = 1", log_in_transaction),
        ("set gtid_next = 'automatic'", in_transaction),
        ("set gtid_next = default", in_transaction),
        ("rollback", "ok 0"),
        (
            "create function f() returns int deterministic begin set sql_log_bin = 1; return 1; end",
            "ok 0",
        ),
        ("select f()", "E1695 Cannot change the sql_log_bin inside a stored function or trigger"),
        (
            "create function g() returns int deterministic begin set gtid_next = 'automatic'; return 1; end",
            "ok 0",
        ),
        (
            "select g()",
            "E1765 The system variable gtid_next cannot be set in stored functions or triggers.",
        ),
        ("set gtid_next = 'anonymous'", "ok 0"),
        ("show warnings", ""),
        ("select @@gtid_next", "ANONYMOUS"),
        ("set gtid_next = default", "ok 0"),
        ("select @@gtid_next", "AUTOMATIC"),
        ("set gtid_next = ''", "E1774 Malformed GTID specification ''."),
        ("set gtid_next = 'x'", "E1774 Malformed GTID specification 'x'."),
        ("set gtid_next = '3e11fa47-71ca-11e1-9e33-c80aa9429562:0'", "E1774"),
        ("set gtid_next = '3e11fa47-71ca-11e1-9e33-c80aa9429562:23'", "E1781"),
        ("set gtid_next = null", "E1231"),
        ("set gtid_next = 1", "E1232"),
        ("select @@gtid_next", "AUTOMATIC"),
        (
            "set global gtid_purged = default",
            "E1230 Variable 'gtid_purged' doesn't have a default value",
        ),
        (
            "set global gtid_purged = 'x'",
            "E1231 Variable 'gtid_purged' can't be set to the value of 'x'",
        ),
        ("set global gtid_purged = null", "E1231"),
        ("set global gtid_purged = 1", "E1232"),
        (
            "set persist gtid_purged = ''",
            "E1238 Variable 'gtid_purged' is a non persistent variable",
        ),
        ("set global gtid_purged = '+'", "ok 0"),
        ("select @@gtid_purged", ""),
        // What a dump of another server brings.
        ("set global gtid_purged = '+3e11fa47-71ca-11e1-9e33-c80aa9429562:1-5'", "ok 0"),
        ("show warnings", ""),
        ("set global gtid_mode = 'on'", "E1238"),
    ]);
}
