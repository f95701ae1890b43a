//! What a MySQL beside it answered otherwise about definitions.
use crate::common::*;

/// Relations of geometries and STRCMP() are truth values, which a CHECK may be alone.
#[test]
fn relations_of_geometries_may_be_checks() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.check(&[
            (
                "create table g (p point, check (st_equals(p, st_geomfromtext('POINT(1 2)'))))",
                "ok 0",
            ),
            ("insert into g values (st_geomfromtext('POINT(1 2)'))", "ok 1"),
            ("insert into g values (st_geomfromtext('POINT(1 3)'))", "E3819"),
            ("create table h (p geometry, check (mbrcontains(p, p)))", "ok 0"),
            ("create table t (a varchar(9) check (strcmp(a, 'x')))", "ok 0"),
            ("insert into t values ('y')", "ok 1"),
            ("insert into t values ('x')", "E3819"),
            ("create table n (p geometry check (st_srid(p)))", "E3812"),
        ])
        .await;
    });
}
