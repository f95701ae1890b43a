//! Conditions that programs raise again or leave behind, and what is given to their variables under strict modes.
use crate::common::*;

const OUT_OF_RANGE: &str = "Warning|1264|Out of range value for column 'a' at row 1";

/// RESIGNAL of a warning without a state of its own is a warning, whatever its class; the program goes on, and who called it sees it.
#[test]
fn a_warning_that_is_raised_again_is_one() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&[
            "create table t (a tinyint)",
            "create procedure bare() begin declare continue handler for sqlwarning begin select 'h'; resignal; end; \
             insert ignore into t values (999); end",
            "create procedure said() begin declare continue handler for sqlwarning begin resignal set message_text = '2nd'; \
             end; begin declare continue handler for sqlwarning begin resignal set message_text = '1st'; end; \
             insert ignore into t values (999); end; end",
            "create procedure stacked() begin declare continue handler for sqlwarning begin \
             resignal set message_text = 'changed'; get stacked diagnostics condition 1 @m = message_text; end; \
             insert ignore into t values (999); end",
            "create procedure on_it() begin declare continue handler for sqlwarning resignal; \
             insert ignore into t values (999); select 'behind'; end",
        ])
        .await;
        c.check(&[
            ("call bare()", "h"),
            ("show warnings", OUT_OF_RANGE),
            ("call said()", "ok 1"),
            ("show warnings", "Warning|1264|2nd"),
            ("call stacked()", "ok 1"),
            ("select @m", "changed"),
            ("call on_it()", "behind"),
            ("show warnings", ""),
        ])
        .await;
    });
}

/// RESIGNAL with a state has that state's number, and the text that was there.
#[test]
fn a_state_of_its_own_has_its_own_number() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&["create table t (a tinyint)"]).await;
        for (raised, want) in [
            ("sqlstate '45000'", "E1644 Unknown column 'nothing' in 'field list'"),
            ("sqlstate '45000' set message_text = 'm'", "E1644 m"),
            ("sqlstate '45000' set mysql_errno = 5", "E5 Unknown column 'nothing' in 'field list'"),
            ("sqlstate '02000'", "E1643 Unknown column 'nothing' in 'field list'"),
            ("set message_text = 'm'", "E1054 m"),
        ] {
            let make = format!(
                "create procedure p() begin declare exit handler for sqlexception resignal {raised}; \
                 select nothing from t; end"
            );
            c.check(&[(&make, "ok 0"), ("call p()", want), ("drop procedure p", "ok 0")]).await;
        }
        c.check(&[
            (
                "create procedure p() begin declare exit handler for sqlexception resignal sqlstate '01000' \
                 set message_text = 'm'; select nothing from t; end",
                "ok 0",
            ),
            ("call p()", "ok 0"),
            ("show warnings", "Error|1054|Unknown column 'nothing' in 'field list'; Warning|1642|m"),
        ])
        .await;
    });
}

/// What a handler has dealt with is over; what its own last statement left behind is not.
#[test]
fn a_handlers_own_warnings_stay() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&["create table t (a tinyint)"]).await;
        for (body, left) in [
            ("begin end", ""),
            ("set @x = 1", ""),
            ("insert ignore into t values (999)", OUT_OF_RANGE),
            ("begin declare y int; insert ignore into t values (999); set y = 1; end", ""),
        ] {
            let make = format!(
                "create procedure p() begin declare continue handler for sqlexception {body}; \
                 select nothing from t; end"
            );
            c.all(&[&make, "call p()"]).await;
            c.check(&[("show warnings", left), ("drop procedure p", "ok 0")]).await;
        }
    });
}

/// In a strict mode a variable takes no value that an INSERT would refuse to compute; conditions and user variables do. Arguments are
/// taken under the modes of anyone who calls.
#[test]
fn variables_are_given_values_strictly() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&[
            "create procedure given() begin declare a int; set a = 1 / 0; end",
            "create procedure begun() begin declare a int default 1 % 0; end",
            "create procedure asked() begin if 1 / 0 then select 1; else select 2; end if; end",
            "create procedure outside() begin set @q = 1 / 0; end",
            "create function result() returns int return 1 div 0",
            "create function small(a tinyint unsigned) returns int return a",
            "set sql_mode = ''",
            "create procedure lax() begin declare a int; set a = 1 / 0; select a; end",
            "create function lax_small(a tinyint unsigned) returns int return a",
        ])
        .await;
        c.check(&[
            ("call given()", "E1365"),
            ("select small(-25)", "0"),
            ("set sql_mode = default", "ok 0"),
            ("call given()", "E1365 Division by 0"),
            ("call begun()", "E1365"),
            ("call asked()", "2"),
            ("call outside()", "ok 0"),
            ("select result()", "E1365"),
            ("call lax()", "NULL"),
            ("select lax_small(-25)", "E1264 Out of range value for column 'a' at row 1"),
            ("select atan2(1) = atan(1)", "1"),
        ])
        .await;
    });
}

/// What the last statement of a procedure has left is the CALL's: a handler of the caller takes it.
#[test]
fn conditions_that_a_call_leaves() {
    with_server(103, |server| async move {
        let mut c = server.client();
        let caller = |name: &str, callee: &str| {
            format!(
                "create procedure {name} () begin declare d int default 0; declare x int; declare continue handler for not found set d = 1; \
                 call {callee} (x); select x, d; end"
            )
        };
        c.all(&[
            "create table t (id int)",
            "create procedure last (inout x int) begin if true then select id into x from t where id = 1; end if; end",
            "create procedure set_behind (inout x int) begin select id into x from t where id = 1; set x = 1; end",
            "create procedure tested (inout x int) begin select id into x from t where id = 1; if x = 9 then set x = 1; end if; end",
            "create procedure handled (inout x int) begin declare continue handler for not found set x = 7; select id into x from t where id = 1; end",
            "create procedure twice (inout x int) call last (x)",
        ])
        .await;
        for callee in ["last", "set_behind", "tested", "handled", "twice"] {
            let sql = caller(&format!("of_{callee}"), callee);
            c.all(&[&sql]).await;
        }
        c.check(&[
            ("call of_last()", "NULL|1"),
            ("call of_set_behind()", "1|0"),
            ("call of_tested()", "NULL|0"),
            ("call of_handled()", "7|0"),
            ("call of_twice()", "NULL|1"),
        ])
        .await;
        c.0.close().await;
        drop(server);
    });
}

/// Each statement of a program begins with an empty diagnostics area, DECLARE, CALL and RETURN as well; those that read it leave it, with
/// what they have to say added.
#[test]
fn what_clears_the_diagnostics_area() {
    with_server(104, |server| async move {
        let mut c = server.client();
        const ZAP: &str = "Warning|1366|Incorrect decimal value: 'zap' for column 'x' at row 1";
        const CUT: &str = "Warning|1292|Truncated incorrect INTEGER value: '2001-01-01'";
        c.all(&[
            "set sql_mode = ''",
            "create procedure declared() begin declare continue handler for not found begin declare v int; \
             get diagnostics @n = number; end; set @n = 7; signal sqlstate '02000'; select @n; end",
            "create procedure last_fails() begin declare continue handler for not found begin \
             get diagnostics condition 99 @e = mysql_errno; end; signal sqlstate '02000'; end",
            "create procedure then_clears() begin get diagnostics condition 99 @e = mysql_errno; select 1; end",
            "create procedure shows() begin show warnings; end",
            "create function forgets() returns int begin set @@max_heap_table_size = 1; return 1; end",
            "create function returns_it() returns text begin return cast('2001-01-01' as signed); end",
            "create procedure callee() begin declare x decimal(2,1); set x = 'zap'; show warnings; end",
            "create procedure clears() begin declare x decimal(2,1); set x = 'zap'; select 1; end",
            "create procedure counts() begin declare x decimal(2,1); set x = 'zap'; show count(*) warnings; end",
            "create procedure of_callee() begin declare exit handler for sqlwarning select 'caught'; call callee(); end",
            "create procedure of_clears() begin declare exit handler for sqlwarning select 'caught'; call clears(); end",
            "create procedure of_counts() begin declare exit handler for sqlwarning select 'caught'; call counts(); end",
            "create procedure within() begin declare x decimal(2,1); set x = 'zap'; call shows(); show warnings; end",
            "create function catches() returns int begin declare n int default 0; declare continue handler for sqlwarning set n = 5; \
             return cast('7x' as signed) + n; end",
        ])
        .await;
        c.check(&[
            ("call declared()", "0"),
            ("call last_fails()", "ok 0"),
            ("show warnings", "Error|1758|Invalid condition number"),
            ("call then_clears()", "1"),
            ("show warnings", ""),
            ("drop table if exists nothing", "ok 0"),
            ("call shows()", ""),
            ("select forgets()", "1"),
            ("show warnings", ""),
            ("select returns_it(), returns_it()", "2001|2001"),
            ("show warnings", &format!("{CUT}; {CUT}")),
            ("call of_callee()", &format!("{ZAP} / caught")),
            ("show warnings", ""),
            ("call of_clears()", "1"),
            ("call of_counts()", "1 / caught"),
            ("call within()", " / "),
            ("select catches()", "7"),
            ("show warnings", ""),
        ])
        .await;
        c.0.close().await;
        drop(server);
    });
}

/// A handler that names a note's number or state takes it; one for a class does not.
#[test]
fn a_note_is_for_a_handler_that_names_it() {
    with_server(105, |server| async move {
        let mut c = server.client();
        c.all(&[
            "create table t (a int)",
            "create procedure by_number() begin declare continue handler for 1050 select 'number'; create table if not exists t (a int); end",
            "create procedure by_state() begin declare continue handler for sqlstate '42S02' select 'state'; drop table if exists nothing; end",
            "create procedure by_class() begin declare continue handler for sqlwarning, sqlexception, not found select 'class'; \
             drop table if exists nothing; end",
        ])
        .await;
        c.check(&[
            ("call by_number()", "number"),
            ("show warnings", ""),
            ("call by_state()", "state"),
            ("call by_class()", "ok 0"),
            ("show warnings", "Note|1051|Unknown table 'test.nothing'"),
        ])
        .await;
        c.0.close().await;
        drop(server);
    });
}

/// A CASE whose value fails ends as a whole for a CONTINUE handler; the condition of a branch that fails does, too.
#[test]
fn a_case_that_fails_is_left() {
    with_server(106, |server| async move {
        let mut c = server.client();
        c.all(&[
            "create procedure by_name() begin declare continue handler for sqlexception set @h = @h + 1; \
             case no_such when 1 then select 1; else select 2; end case; select @h; end",
            "create procedure by_query() begin declare continue handler for sqlexception set @h = @h + 1; \
             case (select 1 union select 2) when 1 then select 1; else select 2; end case; select @h; end",
            "create procedure by_branch() begin declare continue handler for sqlexception set @h = @h + 1; \
             case 1 when (select 1 union select 2) then select 1; when 1 then select 3; else select 2; end case; select @h; end",
            "set @h = 0",
        ])
        .await;
        c.check(&[("call by_name()", "1"), ("call by_query()", "2"), ("call by_branch()", "3")])
            .await;
    });
}

/// What SELECT ... INTO gives a variable of a program is stored as SET stores it: in strict modes nothing of a value may be lost, while
/// a condition of the query may warn.
#[test]
fn into_is_as_strict_as_set() {
    with_server(107, |server| async move {
        let mut c = server.client();
        c.all(&[
            "create table t (a int, b varchar(5))",
            "insert into t values (1, 'x')",
            "create procedure divides() begin declare v int; select 1 / 0 into v; select v; end",
            "create procedure computes() begin declare v int; select 'x' + 1 into v; select v; end",
            "create procedure outside() begin select 1 / 0 into @v; select @v; end",
            "create procedure filters() begin declare v int; select a into v from t where b = 0; select v; end",
            "create procedure fetches() begin declare v int; declare c cursor for select 1 / 0; open c; fetch c into v; select v; end",
            "create function gives() returns int begin declare v int; select 1 / 0 into v; return v; end",
            "set sql_mode = ''",
            "create procedure loose() begin declare v int; select 1 / 0 into v; select v; end",
            "set sql_mode = default",
        ])
        .await;
        c.check(&[
            ("call divides()", "E1365"),
            ("call computes()", "E1292"),
            ("call outside()", "NULL"),
            ("call filters()", "1"),
            ("call fetches()", "NULL"),
            ("select gives()", "E1365"),
            ("insert into t values (gives(), '')", "E1365"),
            ("call loose()", "NULL"),
        ])
        .await;
    });
}
