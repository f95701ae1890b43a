//! SYSTEM_USER: whom statements about accounts and sessions reach. The answers are MySQL's, asked with the same accounts.
use crate::common::*;

const DENIED: &str = "E1227 Access denied; you need (at least one of) the SYSTEM_USER privilege(s) for this operation";

async fn accounts(root: &mut Client) {
    root.all(&[
        "create database d",
        "create user boss@localhost, plain@localhost, by_role@localhost, creator@localhost, admin@localhost, killer@localhost",
        "create role r, r2",
        "grant system_user on *.* to boss@localhost",
        "grant system_user on *.* to r",
        "grant r to by_role@localhost",
        "grant create user on *.* to creator@localhost",
        "grant connection_admin on *.* to killer@localhost",
        "grant create user, role_admin, create, create view, create routine, event, select, super on *.* to admin@localhost with grant option",
    ])
    .await;
}

#[test]
fn system_accounts_are_out_of_reach_for_others() {
    with_server(1, |server| async move {
        let mut root = server.client();
        accounts(&mut root).await;
        let mut creator = server.client_of("creator");
        let reaching = [
            "alter user root@localhost identified by 'x'",
            "alter user boss@localhost identified by 'x'",
            "alter user plain@localhost, boss@localhost identified by 'x'",
            "alter user by_role@localhost identified by 'x'",
            "alter user boss@localhost account lock",
            "alter user boss@localhost attribute '{\"a\": 1}'",
            "alter user boss@localhost default role none",
            "set default role none to boss@localhost",
            "rename user boss@localhost to other@localhost",
            "drop user boss@localhost",
            "drop user plain@localhost, boss@localhost",
            "drop role r",
            "revoke all privileges, grant option from boss@localhost",
        ];
        for sql in reaching {
            creator.check(&[(sql, DENIED)]).await;
        }
        creator
            .check(&[
                (
                    "set password for root@localhost = 'x'",
                    "E1044 Access denied for user 'creator'@'localhost' to database 'mysql'",
                ),
                ("alter user plain@localhost identified by 'x'", "ok 0"),
                ("alter user nobody@localhost identified by 'x'", "E1396"),
                ("drop role r2", "ok 0"),
                ("create role r2", "ok 0"),
                ("drop user if exists nobody@localhost", "ok 0"),
            ])
            .await;
        // An account that holds it reaches every other one, its holders among them.
        root.all(&["grant create user on *.* to boss@localhost"]).await;
        let mut system = server.client_of("boss");
        system
            .check(&[
                ("alter user by_role@localhost identified by 'x'", "ok 0"),
                ("alter user root@localhost account unlock", "ok 0"),
            ])
            .await;
    });
}

#[test]
fn rights_and_definers_of_system_accounts() {
    with_server(1, |server| async move {
        let mut root = server.client();
        accounts(&mut root).await;
        let mut admin = server.client_of("admin");
        for sql in [
            "grant select on *.* to boss@localhost",
            "revoke select on *.* from boss@localhost",
            "grant select on *.* to r",
            "grant r to plain@localhost",
            "grant r2 to boss@localhost",
            "grant r2 to r",
            "revoke r from by_role@localhost",
            "create definer = boss@localhost view d.v as select 1 a",
            "create definer = root@localhost procedure d.p() select 1",
            "create definer = r view d.v as select 1 a",
            "create definer = boss@localhost event d.e on schedule every 1 day disable do select 1",
            "drop user boss@localhost",
        ] {
            admin.check(&[(sql, DENIED)]).await;
        }
        admin
            .check(&[
                ("create definer = plain@localhost view d.v as select 1 a", "ok 0"),
                ("grant r2 to plain@localhost", "ok 0"),
                // It is not the admin's to hand on.
                ("grant system_user on *.* to plain@localhost", "E1045"),
            ])
            .await;
        root.check(&[
            ("set global mandatory_roles = 'r2'", "ok 0"),
            ("set global mandatory_roles = 'r2,r'", "E1231"),
            ("select @@mandatory_roles", "r2"),
            ("set global mandatory_roles = default", "ok 0"),
            (
                "grant system_user on d.* to plain@localhost",
                "E3619 Illegal privilege level specified for SYSTEM_USER",
            ),
        ])
        .await;
    });
}
