//! Writes the first inputs of each target's corpus: `cargo run -p weir-fuzz --example seeds`, in the repository's root.

use std::path::Path;
use weir_engine::PageId;
use weir_engine::page::redo::{self, Redo};
use weir_engine::page::slotted;
use weir_engine::row::{Collation, Datum, PhysCol, PhysType, RowBuilder, RowLayout};
use weir_wire::handshake::{Greeting, Login, encode_login};
use weir_wire::{Capabilities, Status};

const STATEMENTS: [&str; 40] = [
    "select 1",
    "select a.*, count(distinct b) c from t1 a left join t2 using (id) where a.x between 1 and 2.5e3 group by a.y with rollup having c > 0x1F order by 2 desc limit 5, 10",
    "select case x when 1 then 'one' else null end, cast(y as decimal(10,2)), convert('a' using utf8mb4) from `a b`.`c``d`",
    "select * from (select 1 union all select 2) d where exists (select 1 from t where d.`1` = t.a) for update skip locked",
    "with recursive c (n) as (select 1 union select n + 1 from c where n < 9) select * from c",
    "insert into t (a, b) values (1, 'it''s'), (-2, \"x\\\"y\"), (default, _utf8mb4'\\n' collate utf8mb4_bin) on duplicate key update a = values(a) + 1",
    "insert ignore into t set a = b'1010', b = x'00ff', c = now(6)",
    "replace into t select * from u where (a, b) in ((1, 2), (3, 4))",
    "update t, u set t.a = u.a + 1 where t.id = u.id and u.b is not null",
    "update low_priority t set a = a <=> b, c = not d order by e limit 3",
    "delete t from t inner join u on t.a = u.a where u.b like 'x!%' escape '!'",
    "delete from t where a regexp '^[a-z]+$' or b not in (1, 2, 3) limit 1",
    "create table t (id bigint unsigned not null auto_increment primary key, a varchar(20) character set latin1 default 'x' comment 'c', b enum('a','b'), c timestamp(3) on update current_timestamp(3), d int generated always as (id * 2) stored, key k (a(10) desc, b), unique (c), check (id > 0)) engine=innodb default charset=utf8mb4 row_format=dynamic",
    "create table if not exists x like y",
    "create temporary table z select 1 as a",
    "alter table t add column e json after a, drop key k, modify b int not null first, rename to u, algorithm=inplace, lock=none",
    "alter table t change a b decimal(65,30) unsigned zerofill, add constraint f foreign key (a) references p (b) on delete cascade",
    "create unique index i on t (a, b desc) using btree comment 'x'",
    "drop table if exists a, b cascade",
    "rename table a to b, b to c",
    "truncate table t",
    "create database if not exists d character set utf8mb4 collate utf8mb4_0900_ai_ci",
    "show full columns from t in d like 'a%'",
    "show variables where variable_name = 'autocommit'",
    "show create table t",
    "show index from t",
    "explain format=json select * from t force index (k) where a = 1",
    "set @a := 1, session sql_mode = 'ANSI_QUOTES', global transaction isolation level read committed, names utf8mb4",
    "start transaction with consistent snapshot, read only",
    "savepoint a; rollback to savepoint a; release savepoint a",
    "commit and chain no release",
    "lock tables t read local, u as v write",
    "grant select (a), insert on d.* to 'u'@'%' with grant option",
    "create user if not exists 'u'@'10.0.0.%' identified with caching_sha2_password by 'p' account lock",
    "prepare s from 'select ?'; execute s using @a; deallocate prepare s",
    "select /*+ max_execution_time(100) */ sql_no_cache /*! 1 */ + /*!80000 2 */ -- end\n# x\n",
    "select date '2020-02-30' + interval '1:2' minute_second, extract(year_month from d), trim(both 'x' from a), position('a' in b), group_concat(distinct a order by b separator ','), substring(a from 2 for 3)",
    "select 1 || 2 && 3 xor 4, 5 div 6 mod 7, ~8 ^ 9 << 10 >> 11, -(-12), !13, binary 'a', a -> '$.b', a ->> '$.c'",
    "analyze table t; check table t; optimize table t; kill query 5; flush logs; use d",
    "select ((((((((((((((((((((1))))))))))))))))))))",
];

fn put(target: &str, name: &str, bytes: &[u8]) {
    let dir = Path::new("fuzz/corpus").join(target);
    std::fs::create_dir_all(&dir).expect("the repository's root");
    std::fs::write(dir.join(name), bytes).expect("a file of the corpus");
}

fn with(how: u8, rest: &[u8]) -> Vec<u8> {
    let mut v = vec![how];
    v.extend_from_slice(rest);
    v
}

fn pages() {
    for (name, level, upper, n) in [
        ("leaf", 0, Some(&b"ac"[..]), 12u32),
        ("last", 0, None, 5),
        ("inner", 1, Some(b"b"), 9),
        ("empty", 0, None, 0),
    ] {
        let mut p = vec![0; 512];
        slotted::init(&mut p, PageId::new(1, 2), 9, level, b"aa", upper).expect("it fits");
        for i in 0..n {
            let key = [&b"aa"[..], &(i * 7).to_be_bytes()].concat();
            let rest = &key[slotted::prefix_len(&p)..];
            let value = if level > 0 { i.to_le_bytes().to_vec() } else { vec![3; i as usize] };
            slotted::insert(&mut p, i as usize, rest, &value).expect("it fits");
        }
        put("page", name, &with(0, &p));
    }
}

fn groups() {
    let id = Some(PageId::new(1, 1));
    let tree = [
        Redo::SlotInsert { slot: 0, rest: b"x", value: b"value" },
        Redo::SlotInsert { slot: 1, rest: b"y", value: b"longer value" },
        Redo::SlotPatch { slot: 1, off: 2, data: b"zz" },
        Redo::SlotReplace { slot: 0, value: b"a much longer value than before" },
        Redo::Cells { run: b"\x01z\x02vv" },
        Redo::MaxTrx { id: 77 },
        Redo::Keep { from: 1, to: 3, lower: b"ab", upper: Some(b"ac") },
        Redo::SlotRemove { slot: 0 },
    ];
    let undo = [
        Redo::UndoAppend { data: b"\x08\0\x01abc\x08\0" },
        Redo::Bytes { off: 36, data: &[1, 0, 0, 0] },
        Redo::PageInit { kind: 4, owner: 3 },
    ];
    let bits = [Redo::Bit { bit: 9, on: true }, Redo::Bit { bit: 9, on: false }];
    let none = [Redo::FileDelete { space: 17 }, Redo::Mark { durable: 1 << 40 }];
    let write = |page: Option<PageId>, recs: &[Redo<'_>]| {
        let (mut out, mut last) = (Vec::new(), None);
        recs.iter().for_each(|r| r.encode(page, &mut last, &mut out));
        out
    };
    put("redo", "tree", &with(0, &write(id, &tree)));
    put("redo", "undo", &with(1, &write(id, &undo)));
    put("redo", "bitmap", &with(2, &write(id, &bits)));
    put("redo", "no-page", &with(3, &write(None, &none)));
    put("log", "whole", &with(32, &write(id, &tree).repeat(20)));
    put("log", "one-change", &with(33, &[&[100, 0, 8], &write(id, &tree)[..]].concat()));
    let mark = write(None, &none[1..]);
    put("log", "marks", &with(26, &[&[30, 0, 1, 90, 0, 255], &mark.repeat(9)[..]].concat()));
    let _ = redo::UNDO_BODY;
}

fn rows() {
    let var = PhysType::Var { collation: Collation::Binary, max_bytes: 1 << 16 };
    let cols = [
        PhysCol::new(PhysType::Int { bytes: 8, unsigned: false }, false),
        PhysCol::new(PhysType::Int { bytes: 3, unsigned: true }, true),
        PhysCol::new(PhysType::F64, false),
        PhysCol::new(PhysType::Fixed { len: 5 }, true),
        PhysCol::new(var, true),
    ];
    let layout = RowLayout::new(&cols);
    for (name, values) in [
        (
            "full",
            [
                Datum::Int(-5),
                Datum::UInt(9),
                Datum::Float(1.5),
                Datum::Bytes(b"12345"),
                Datum::Bytes(b"text"),
            ],
        ),
        ("nulls", [Datum::Int(7), Datum::Null, Datum::Float(-0.0), Datum::Null, Datum::Null]),
    ] {
        let mut b = RowBuilder::new(&layout);
        values.iter().for_each(|v| {
            b.push(*v);
        });
        let mut out = Vec::new();
        b.finish_into(&mut out).expect("values of the columns' types");
        for how in [4, 10, 22] {
            put("row", &format!("{name}-{how}"), &with(how, &out));
        }
    }
    put("row", "key", &with(4, b"\x01\x80\0\0\0\0\0\0\x05ab\0\0"));
}

fn packets() {
    let frame = |p: &[u8], seq: u8| [&(p.len() as u32).to_le_bytes()[..3], &[seq], p].concat();
    let mut hello = Vec::new();
    encode_login(
        &Login {
            capabilities: Capabilities(0x01FF_A28D),
            max_packet: 1 << 24,
            collation: 255,
            user: b"root",
            auth_response: &[7; 20],
            database: Some(b"test"),
            auth_plugin: Some(b"mysql_native_password"),
            attributes: vec![(b"_os", b"Linux"), (b"_pid", b"7")],
            zstd_level: None,
        },
        &mut hello,
    );
    put("packet", "login", &with(3, &frame(&hello, 0)));
    let mut greeting = Vec::new();
    Greeting {
        server_version: "8.0.36",
        connection_id: 9,
        salt: [5; 20],
        capabilities: Capabilities(u32::MAX),
        collation: 255,
        status: Status::new(false, true, false),
        auth_plugin: "caching_sha2_password",
    }
    .encode(&mut greeting);
    put("packet", "greeting", &with(30, &greeting));
    put("packet", "query", &with(0, &frame(b"\x03select 1", 0)));
    let execute = b"\x17\x01\0\0\0\0\x01\0\0\0\0\x01\x08\0\x05\0\0\0\0\0\0\0";
    put("packet", "execute", &with(7, &frame(execute, 0)));
    put("packet", "parameters", &with(9, b"\x02\x01\x0c\0\x0b\0\xfd\0\xfe\0\x04\0\x05\0\x03\x80\x0b\xe4\x07\x02\x03\x04\x05\x06\x07\0\0\0\x08\x01\x02\0\0\0\x03\x04\x05\x03abc\xfc\x03\0xyz"));
    put(
        "packet",
        "change-user",
        &with(5, &frame(b"\x11u\0\0db\0\x21\0mysql_native_password\0", 0)),
    );
}

fn main() {
    pages();
    groups();
    rows();
    packets();
    for (i, s) in STATEMENTS.iter().enumerate() {
        put("sql", &format!("{i:02}"), &with(0, s.as_bytes()));
    }
    for how in [1, 2, 4, 127] {
        put("sql", &format!("mode-{how}"), &with(how, STATEMENTS[how as usize % 40].as_bytes()));
    }
}
