//! The words of the grammar as names: what is not reserved is a name wherever one stands.
use crate::common::*;

/// Words that MySQL's grammar takes for no label (`ident_keywords_ambiguous_1_roles_and_labels`, `ident_keywords_ambiguous_2_labels`).
const NO_LABELS: &str = "ascii begin byte cache charset checksum clone comment commit contains deallocate do end execute flush follows \
    handler help import install language no precedes prepare repair reset restart rollback savepoint shutdown signed slave start stop \
    truncate unicode uninstall xa";

#[test]
fn words_that_are_not_reserved_are_names() {
    with_server(1, async |s| {
        let mut c = s.client();
        let rows =
            c.rows("select lower(word) from information_schema.keywords where reserved = 0").await;
        let words: Vec<String> = rows.split("; ").map(String::from).collect();
        assert!(words.len() > 450, "{}", words.len());
        for w in &words {
            let said = |what: &str| what.replace('%', w);
            c.all(&[
                &said("create table % (% int, primary key (%), key % (%), constraint % check (% > 0))"),
                &said("insert into % (%) values (1)"),
                &said("update % set % = 2 where %.% = 1"),
                &said("select %.% as %, 1 + % as % from % where % = 2 order by %"),
                &said("with % (%) as (select 1) select %.% from %"),
                &said("select sum(1) over % from % window % as ()"),
                &said("create view v% as select %.% from % as %"),
                &said("create procedure % (% int) select 1 + %"),
                &said("call %(1)"),
                &said("create procedure p() begin declare % int default 1; declare c cursor for select 1 + %; select 1 + % into %; end"),
                &said("call p()"),
                &said("set @% = 1"),
                "drop procedure p",
                &said("drop procedure %"),
                &said("drop view v%"),
                &said("drop table %"),
            ])
            .await;
            if !NO_LABELS.split_whitespace().any(|no| no == w) {
                c.all(&[
                    &said("create procedure p() %: begin %x: loop leave %; end loop; end %"),
                    "call p()",
                    "drop procedure p",
                ])
                .await;
            }
        }
    });
}
