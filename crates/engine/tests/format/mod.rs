//! `docs/format.md` against the engine: a data directory that the engine has made is decoded with nothing but the figures of that page,
//! and its examples of keys, rows and records are what the engine's coders give.

mod drawing;
mod examples;

use crate::common::*;
use drawing::{Layout, Value, bytes, int, layout, list};
use std::collections::BTreeMap;
use std::time::Duration;
use weir_disk::sim::SimDisk;
use weir_engine::*;
use weir_rt::sim::SimRt;

const PAGE: usize = 4096;
/// Rows of the table, one of them with a long column.
const ROWS: i64 = 80;

/// A directory after a clean stop: rows inserted, one changed, one deleted.
fn directory() -> SimDisk {
    let sim = SimRt::new(1);
    let disk = SimDisk::new(sim.rt(), 1);
    sim.run(async {
        let o = Options { flight_recorder: true, page_size: PAGE, ..options(16 << 20) };
        let db = open(&sim.rt(), &disk, o).await.unwrap();
        db.create_schema(schema()).await.unwrap();
        db.create_table(new_table("t")).await.unwrap();
        let t = db.table("test", "t").unwrap();
        let mut buf = RowBuf::default();
        for id in 0..ROWS {
            let mut txn = db.begin(TxnOptions::default());
            txn.insert(&t, &encode(&t, id, &row(id))).await.unwrap();
            txn.commit(Durability::Flush).await.unwrap();
        }
        let mut txn = db.begin(TxnOptions::default());
        for id in [3, 5] {
            assert!(
                txn.get(&t, 0, &key(id), LockMode::Exclusive, OnLocked::Wait, &mut buf)
                    .await
                    .unwrap()
            );
            if id == 3 {
                txn.update(&t, &buf.key, &buf.row, &encode(&t, id, &changed())).await.unwrap();
            } else {
                txn.delete(&t, &buf.key, &buf.row).await.unwrap();
            }
        }
        txn.commit(Durability::Flush).await.unwrap();
        sim.rt().sleep(Duration::from_secs(25)).await;
        drop(t);
        db.shutdown().await.unwrap();
    })
    .unwrap();
    disk
}

fn row(id: i64) -> Row {
    let len = if id == 7 { 9000 } else { 30 };
    Row { k: id * 2, u: (id % 2 == 0).then_some(id), body: vec![b'a' + (id % 26) as u8; len] }
}

fn changed() -> Row {
    Row { k: -1, ..row(3) }
}

fn crc(parts: &[&[u8]]) -> u64 {
    u64::from(parts.iter().fold(0, |crc, p| crc32c::crc32c_append(crc, p)))
}

/// The pages of a file that are in use, checked by the page header.
fn pages(file: &[u8], space: u64) -> Vec<(u64, &[u8])> {
    let h = layout("Page header");
    let all = file.chunks_exact(PAGE).enumerate().filter(|(_, p)| p.iter().any(|b| *b != 0));
    let all: Vec<_> = all.map(|(no, p)| (no as u64, p)).collect();
    for (no, p) in &all {
        assert_eq!(h.int(p, "crc"), crc(&[&p[4..]]));
        assert_eq!((h.int(p, "space"), h.int(p, "page")), (space, *no));
        assert_eq!((h.int(p, "ver"), h.int(p, "flags")), (1, 0));
        assert!(h.int(p, "page LSN") > 4096);
    }
    all
}

fn of_type<'p>(pages: &[(u64, &'p [u8])], kind: &str) -> Vec<(u64, &'p [u8])> {
    let h = layout("Page header");
    let types = drawing::rows("Page header");
    let number = types.iter().find(|r| r.len() == 2 && r[1] == kind).expect("a page type")[0];
    let want: u64 = number.parse().unwrap();
    pages.iter().filter(|(_, p)| h.int(p, "type") == want).copied().collect()
}

/// The cells of a tree page: whole key and value.
fn cells(p: &[u8]) -> Vec<(Vec<u8>, &[u8])> {
    let (h, slot, cell) = (layout("Tree page"), layout("Slot"), layout("Cell"));
    let lower = h.int(p, "lower") as usize;
    let upper = h.int(p, "upper") as usize;
    let fence = &p[64..64 + lower];
    let slots = 64 + lower + if upper == 65535 { 0 } else { upper };
    let prefix = &fence[..h.int(p, "prefix") as usize];
    let mut out = Vec::new();
    for n in 0..h.int(p, "cells") as usize {
        let s = &p[slots + n * slot.end()..];
        let at = slot.int(s, "cell") as usize;
        assert!(at >= h.int(p, "heap start") as usize);
        let (k, v) = (cell.int(&p[at..], "key") as usize, cell.int(&p[at..], "value") as usize);
        let rest = &p[at + cell.end()..at + cell.end() + k];
        let mut head = [0; 4];
        head[..k.min(4)].copy_from_slice(&rest[..k.min(4)]);
        assert_eq!(slot.int(s, "head"), u64::from(u32::from_be_bytes(head)));
        let key = [prefix, rest].concat();
        assert!(key.as_slice() >= fence);
        assert!(upper == 65535 || key.as_slice() < &p[64 + lower..slots]);
        out.push((key, &p[at + cell.end() + k..][..v]));
    }
    assert!(out.is_sorted());
    out
}

#[test]
fn pictures_agree_with_their_tables() {
    let drawn = drawing::drawn();
    assert!(drawn.len() >= 14, "{drawn:?}");
    for title in drawn {
        layout(title).check();
    }
}

fn file(disk: &SimDisk, name: &str) -> Vec<u8> {
    disk.content(name).unwrap_or_else(|| panic!("no file '{name}'"))
}

#[test]
fn control_file_and_redo_log() {
    let disk = directory();
    let slot = layout("Control slot");
    redo(&disk, &slot, &control(&file(&disk, "weir.ctl")));
}

#[test]
fn dictionary_and_table() {
    let disk = directory();
    let (header, slot) = (layout("Space header"), layout("Control slot"));
    let system = file(&disk, "system.weir");
    let (space, indexes) = dictionary(&pages(&system, 0));
    assert!(header.int(&system, "next space") > space);
    assert!(header.int(&system, "next table") > 0);
    assert!(header.int(&system, "next index") > indexes[&0]);

    let table = file(&disk, &format!("tables/{space:08x}.weir"));
    let control = control(&file(&disk, "weir.ctl"));
    assert_eq!(header.bytes(&table, "directory id"), slot.bytes(&control, "directory id"));
    let in_table = pages(&table, space);
    let map = of_type(&in_table, "space map")[0].1;
    for (no, _) in in_table.iter().filter(|(_, p)| p[4] != 0) {
        let no = *no as usize;
        assert!(map[32 + no / 8] >> (no % 8) & 1 == 1, "page {no} is not in use");
    }
    rows_of(&in_table, indexes[&0]);
    entries_of(&in_table, indexes[&1]);
}

#[test]
fn undo_space() {
    undo(&file(&directory(), "undo.weir"));
}

#[test]
fn doublewrite_area() {
    doublewrite(&file(&directory(), "doublewrite.weir"));
}

/// The table's file has the page that is named, with that LSN, and no page of a higher one.
#[test]
fn witnesses() {
    let disk = directory();
    let (head, entry, page) = (layout("Witnesses"), layout("Witness"), layout("Page header"));
    let b = file(&disk, "weir.lsn");
    assert_eq!(head.bytes(&b, "magic"), b"WEIRlsn1");
    let ctl = control(&file(&disk, "weir.ctl"));
    let own = layout("Control slot").bytes(&ctl, "directory id").to_vec();
    assert_eq!(head.bytes(&b, "directory id"), own);
    assert_eq!(head.int(&b, "entries"), 1);
    let (e, rest) = b[32..].split_at(entry.end());
    assert_eq!(
        u64::from(u32::from_le_bytes(rest[..4].try_into().unwrap())),
        crc(&[&b[..32 + entry.end()]])
    );
    let space = entry.int(e, "space");
    let table = file(&disk, &format!("tables/{space:08x}.weir"));
    let highest =
        pages(&table, space).into_iter().map(|(no, p)| (page.int(p, "page LSN"), no)).max();
    assert_eq!(highest, Some((entry.int(e, "lsn"), entry.int(e, "page"))));
}

#[test]
fn flight_recorder() {
    let disk = directory();
    let control = control(&file(&disk, "weir.ctl"));
    flight(&file(&disk, "flight-recorder.weir"), &layout("Control slot"), &control);
}

fn control(b: &[u8]) -> Vec<u8> {
    let l = layout("Control slot");
    assert_eq!(b.len(), 2 * l.end());
    let slots = [&b[..l.end()], &b[l.end()..]];
    for (n, s) in slots.iter().enumerate() {
        assert_eq!(l.bytes(s, "magic"), b"WEIRctl1");
        assert_eq!(l.int(s, "crc"), crc(&[&s[..l.offset("crc")]]));
        assert_eq!(l.int(s, "sequence") % 2, n as u64);
        assert_eq!((l.int(s, "page size"), l.int(s, "format")), (PAGE as u64, 3));
    }
    let newest = slots.into_iter().max_by_key(|s| l.int(s, "sequence")).unwrap();
    assert_eq!((l.int(newest, "end"), l.int(newest, "damaged")), (1, 0));
    assert_eq!(l.int(newest, "checkpoint"), l.int(newest, "durable"));
    newest.to_vec()
}

/// Every group of the log's only life, up to the checkpoint of the clean stop.
fn redo(disk: &SimDisk, slot: &Layout, control: &[u8]) {
    let (head, group) = (layout("Segment header"), layout("Group"));
    let mut names: Vec<_> = disk.paths().into_iter().filter(|p| p.starts_with("redo/")).collect();
    names.sort();
    let first = u64::from_str_radix(&names[0]["redo/".len()..][..16], 16).unwrap();
    let mut stream = Vec::new();
    for name in &names {
        let b = disk.content(name).unwrap();
        assert_eq!(head.bytes(&b, "magic"), b"WEIRlog1");
        assert_eq!(head.bytes(&b, "directory id"), slot.bytes(control, "directory id"));
        assert_eq!(head.int(&b, "crc"), crc(&[&b[..head.offset("crc")]]));
        assert_eq!(b.len() as u64, slot.int(control, "segment size"));
        assert_eq!(*name, format!("redo/{:016x}.log", first + stream.len() as u64));
        stream.extend_from_slice(&b[4096..]);
    }
    assert_eq!(names.len() as u64, slot.int(control, "segments"));
    assert_eq!(slot.int(control, "eps"), 1);
    let epoch = &control[slot.offset("epochs") + 8..][..4];
    let mut seen: BTreeMap<u8, usize> = BTreeMap::new();
    let (mut at, mut marks) = (first, 0);
    let end = slot.int(control, "checkpoint");
    while at < end {
        let g = &stream[(at - first) as usize..];
        let len = group.int(g, "length") as usize;
        assert_eq!(group.int(g, "tag"), 0xB5);
        assert_eq!(group.int(g, "crc"), crc(&[&at.to_le_bytes(), epoch, &g[group.end()..len]]));
        let mut b = &g[group.end()..len];
        while !b.is_empty() {
            let tag = examples::redo_record(&mut b).0;
            *seen.entry(tag).or_default() += 1;
            marks += usize::from(tag == 21);
        }
        at += len as u64;
    }
    assert_eq!(at, end);
    assert!(
        marks > 10 && [1, 2, 3, 4, 7, 11, 12, 21].iter().all(|t| seen.contains_key(t)),
        "{seen:?}"
    );
    let (n, durable) = (slot.int(control, "sample"), slot.int(control, "durable"));
    let sample = &stream[(durable - n - first) as usize..(durable - first) as usize];
    assert_eq!(slot.int(control, "sample crc"), crc(&[sample]));
}

/// Space of the table, and its index ids by position.
fn dictionary(system: &[(u64, &[u8])]) -> (u64, BTreeMap<usize, u64>) {
    let trees = of_type(system, "tree");
    let all: Vec<_> = trees.iter().flat_map(|(_, p)| cells(p)).collect();
    let schema = [b"Stest".as_slice(), &[0, 0]].concat();
    assert!(all.iter().any(|(k, _)| *k == schema));
    let counters = layout("Counters");
    let (_, of_table) = all.iter().find(|(k, _)| k[0] == b'C').expect("counters");
    assert_eq!(of_table.len(), counters.end());
    assert_eq!(counters.int(of_table, "rows"), ROWS as u64 - 1);
    assert_eq!(counters.int(of_table, "next row id"), 1);
    let tables: Vec<_> = all.iter().filter(|(k, _)| k[0] == b'T').collect();
    let (k, v) = tables.iter().find(|(k, _)| k.ends_with(&[0, 0])).expect("a table");
    let mut b = *v;
    let Value::Tagged(1, def) = drawing::take("definition Definition", &mut b).remove(0).1 else {
        panic!("not a definition")
    };
    assert!(b.is_empty());
    assert_eq!(k[1..9], int(&def, "id").to_be_bytes());
    assert_eq!((bytes(&def, "schema"), bytes(&def, "name")), (b"test".as_slice(), b"t".as_slice()));
    let columns: Vec<_> = list(&def, "columns").iter().map(|c| bytes(c, "name")).collect();
    assert_eq!(columns, [b"id".as_slice(), b"k", b"u", b"body"]);
    let Value::Tagged(0, ty) = drawing::get(&list(&def, "columns")[1], "type") else {
        panic!("not an integer")
    };
    assert_eq!((int(ty, "length"), int(ty, "unsigned")), (4, 0));
    let prefixed = &list(&list(&def, "indexes")[3], "parts")[0];
    assert_eq!((int(prefixed, "column"), int(prefixed, "prefix")), (3, 21));
    assert_eq!(bytes(&def, "extra"), b"extra");
    let roots = list(&def, "roots").iter().map(|r| int(r, "index")).enumerate().collect();
    (int(&def, "space"), roots)
}

/// Clustered leaves: version header and row.
fn rows_of(table: &[(u64, &[u8])], index: u64) {
    let (h, tree, version) = (layout("Page header"), layout("Tree page"), layout("Version header"));
    let example = new_table("t");
    let cols: Vec<_> = example.columns.iter().map(|c| c.phys).collect();
    let plain = row::RowLayout::new(&cols);
    let mut found = BTreeMap::new();
    let mut children = 0;
    for (_, p) in of_type(table, "tree").into_iter().filter(|(_, p)| h.int(p, "owner") == index) {
        for (k, v) in cells(p) {
            if tree.int(p, "level") > 0 {
                let child = u64::from(u32::from_le_bytes(v.try_into().unwrap()));
                assert!(table.iter().any(|(no, _)| *no == child));
                children += 1;
                continue;
            }
            assert!(version.int_be(v, "trx") > 0);
            let id = u64::from_be_bytes(k.try_into().unwrap()) ^ 1 << 63;
            if version.int(v, "flag") & 1 == 0 {
                found.insert(id as i64, v[version.end()..].to_vec());
            }
        }
    }
    assert!(children > 0, "the tree has one page only");
    assert_eq!(found.len() as i64, ROWS - 1);
    for (id, b) in found {
        let v = row::RowView::new(&plain, &b);
        let want = if id == 3 { changed() } else { row(id) };
        assert_eq!((v.get(0).as_i64(), v.get(1).as_i64()), (Some(id), Some(want.k)));
        match v.is_external(3) {
            true => assert_eq!(long_column(table, v.get(3).as_bytes().unwrap()), want.body),
            false => assert_eq!(v.get(3).as_bytes().unwrap(), want.body),
        }
        assert_eq!(v.is_external(3), id == 7);
    }
}

fn long_column(table: &[(u64, &[u8])], reference: &[u8]) -> Vec<u8> {
    let (r, part) = (layout("Long column reference"), layout("Long column page"));
    assert_eq!(reference.len(), r.end());
    let (mut no, mut out) = (r.int(reference, "page"), Vec::new());
    let chain = of_type(table, "part of a long column");
    while no != 0 {
        let p = chain.iter().find(|(n, _)| *n == no).expect("a page of the chain").1;
        out.extend_from_slice(&p[part.end()..][..part.int(p, "length") as usize]);
        no = part.int(p, "next");
    }
    assert_eq!(out.len() as u64, r.int(reference, "length"));
    out
}

/// Leaves of the index over `k`: the clustered key begins where the value says.
fn entries_of(table: &[(u64, &[u8])], index: u64) {
    let (h, value) = (layout("Page header"), layout("Entry value"));
    let mut live = 0;
    for (_, p) in of_type(table, "tree").into_iter().filter(|(_, p)| h.int(p, "owner") == index) {
        assert_eq!(layout("Tree page").int(p, "level"), 0);
        assert!(layout("Tree page").int(p, "greatest trx") > 0);
        for (k, v) in cells(p) {
            assert_eq!(v.len(), value.end());
            let at = value.int(v, "key at") as usize;
            assert_eq!(k.len() - at, 8);
            live += i64::from(value.int(v, "flag") & 1 == 0);
        }
    }
    assert_eq!(live, ROWS - 1);
}

/// The slot directory, and every record of every chain, forwards; its second length leads back.
fn undo(file: &[u8]) {
    let l = layout("Undo page");
    let all = pages(file, 1);
    let directory = of_type(&all, "slot directory of the undo space");
    assert_eq!(directory[0].0, 2);
    let number =
        |p: &[u8], at: usize| u64::from(u32::from_le_bytes(p[at..at + 4].try_into().unwrap()));
    let slots = (PAGE - 32) / 4 - 1;
    assert_eq!(number(directory[0].1, 32 + slots * 4), 0, "one page of slots is enough");
    let mut seen: BTreeMap<u8, usize> = BTreeMap::new();
    for first in (0..slots).map(|i| number(directory[0].1, 32 + i * 4)).filter(|no| *no != 0) {
        let mut no = first;
        while no != 0 {
            let p = all.iter().find(|(n, _)| *n == no).expect("a page of the chain").1;
            let mut at = l.end();
            while at < l.int(p, "free") as usize {
                let len = usize::from(u16::from_le_bytes([p[at], p[at + 1]]));
                assert_eq!(p[at..at + 2], p[at + len - 2..at + len]);
                let mut b = &p[at + 2..at + len - 2];
                let tag = b[0] & 0x7F;
                b = &b[1..];
                let r = drawing::take(drawing::form("Undo record", tag), &mut b);
                assert!(b.is_empty(), "{r:?}");
                assert!(tag != 0 || int(&r, "state") == 1);
                *seen.entry(tag).or_default() += 1;
                at += len;
            }
            no = l.int(p, "next");
        }
    }
    assert!(seen.contains_key(&0) && seen.contains_key(&2), "{seen:?}");
}

fn doublewrite(file: &[u8]) {
    let h = layout("Page header");
    assert_eq!(file.len(), 128 * PAGE);
    let batch = file.chunks_exact(PAGE).take_while(|p| p.iter().any(|b| *b != 0));
    let whole = batch.map(|p| assert_eq!(h.int(p, "crc"), crc(&[&p[4..]]))).count();
    assert!(whole > 0);
}

fn flight(file: &[u8], slot: &Layout, control: &[u8]) {
    let l = layout("Flight record");
    assert_eq!(file.len(), (3600 + 8640) * 512);
    let mut seen = [0, 0];
    for (i, r) in file.chunks_exact(512).enumerate().filter(|(_, r)| r[0] != 0) {
        let (ring, place, size) = if i < 3600 { (0, i, 3600) } else { (1, i - 3600, 8640) };
        assert_eq!(l.bytes(r, "magic"), b"WFR2");
        assert_eq!(l.int(r, "crc"), crc(&[&r[8..]]));
        assert_eq!(l.int(r, "number") % size, place as u64);
        assert_eq!(l.int(r, "seconds"), [1, 10][ring]);
        assert_eq!(l.int(r, "run"), 1);
        assert!(l.int(r, "pressure") <= 1000);
        assert_eq!(l.bytes(r, "directory id"), slot.bytes(control, "directory id"));
        assert!((4096..=slot.int(control, "durable")).contains(&l.int(r, "durable")));
        let name = &l.bytes(r, "policy")[..l.int(r, "len") as usize];
        assert_eq!(name, b"weir");
        seen[ring] += 1;
    }
    assert!(seen[0] >= 20 && seen[1] >= 2, "{seen:?}");
}
