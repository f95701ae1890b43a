//! Events in the real server: they run by themselves, are listed, killed, and survive a restart.

use crate::common::{Server, until};

#[test]
fn events_run_by_themselves() {
    let server = Server::start(&[]);
    let mut c = server.root_client();
    c.run("create database d");
    c.run("create table d.t (a int primary key auto_increment, b varchar(40))");
    c.run("create event d.often on schedule every 1 second do insert into d.t (b) values (current_user())");
    until("it has run twice", || c.rows("select count(*) >= 2 from d.t") == "1");
    assert_eq!(c.rows("select distinct b from d.t"), "root@localhost");
    c.run("set global event_scheduler = off");
    // A run that was under way ends.
    std::thread::sleep(std::time::Duration::from_millis(300));
    let n = c.rows("select count(*) from d.t");
    std::thread::sleep(std::time::Duration::from_millis(1500));
    assert_eq!(c.rows("select count(*) from d.t"), n);
    assert_eq!(c.fail("set global event_scheduler = disabled"), 1231);
    c.run("drop event d.often");
    c.run("set global event_scheduler = on");
    // An error goes to the log, and a long one is killed.
    c.run("create event d.bad on schedule at current_timestamp do insert into d.nosuch values (1)");
    until("the log tells it", || server.log().contains("[d.bad]"));
    c.run("create event d.long on schedule at current_timestamp do begin insert into d.t (b) values ('long'); select sleep(1000); end");
    let running = "select id from information_schema.processlist where info like '%sleep(1000)%' and command = 'Connect'";
    until("it sleeps", || !c.rows(running).is_empty());
    let id = c.rows(running);
    c.run(&format!("kill {id}"));
    until("it is gone", || c.rows(running).is_empty());
    assert_eq!(
        c.rows("select event_name from information_schema.events where event_schema = 'd'"),
        ""
    );
    // A recurring one goes on after a restart; with DISABLED nothing runs.
    c.run(
        "create event d.again on schedule every 1 second do insert into d.t (b) values ('again')",
    );
    let server = server.restart(&[]);
    let mut c = server.root_client();
    c.run("delete from d.t");
    until("it runs again", || c.rows("select count(*) > 0 from d.t where b = 'again'") == "1");
    let server = server.restart(&["--event-scheduler=DISABLED"]);
    let mut c = server.root_client();
    c.run("delete from d.t");
    assert_eq!(c.fail("set global event_scheduler = on"), 1231);
    std::thread::sleep(std::time::Duration::from_millis(1500));
    assert_eq!(c.rows("select count(*) from d.t"), "0");
    assert_eq!(c.rows("select @@event_scheduler"), "DISABLED");
}
