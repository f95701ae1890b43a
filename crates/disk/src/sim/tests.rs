//! What a crash leaves of writes, names and truncated files.

use super::*;
use weir_rt::sim::SimRt;

const NEW: OpenOptions = OpenOptions { create: true, create_new: false, mode: Mode::Buffered };

fn filled(n: usize, v: u8) -> IoBuf {
    let mut b = IoBuf::new(n);
    b.fill(v);
    b
}

#[test]
fn synced_survives_unsynced_may_be_torn() {
    let (mut kept, mut lost, mut torn) = (0, 0, 0);
    for seed in 0..60 {
        let sim = SimRt::new(seed);
        let d = SimDisk::new(sim.rt(), seed);
        sim.run(async {
            let f = d.open("f", NEW).await.unwrap();
            f.write(0, filled(2048, 1)).await.1.unwrap();
            f.sync().await.unwrap();
            d.sync_dir("").await.unwrap();
            f.write(2048, filled(2048, 2)).await.1.unwrap();
        })
        .unwrap();
        let after = d.crash(sim.rt(), seed);
        let c = after.content("f").expect("its name was synced");
        assert!(c[..2048].iter().all(|&b| b == 1));
        let new = c[2048.min(c.len())..].iter().filter(|&&b| b == 2).count();
        match new {
            0 => lost += 1,
            2048 => kept += 1,
            _ => torn += 1,
        }
    }
    assert!(kept > 0 && lost > 0 && torn > 0, "{kept} {lost} {torn}");
}

#[test]
fn names_need_a_synced_folder() {
    let (mut there, mut gone) = (0, 0);
    for seed in 0..40 {
        let sim = SimRt::new(seed);
        let d = SimDisk::new(sim.rt(), seed);
        sim.run(async {
            d.open("d/a", NEW).await.unwrap();
            d.sync_dir("d").await.unwrap();
            d.rename("d/a", "d/b").await.unwrap();
        })
        .unwrap();
        let after = d.crash(sim.rt(), seed);
        match (after.content("d/a").is_some(), after.content("d/b").is_some()) {
            (true, false) => gone += 1,
            (false, true) => there += 1,
            other => panic!("{other:?}"),
        }
    }
    assert!(there > 0 && gone > 0);
}

#[test]
fn a_failed_sync_forgets() {
    for seed in 0..20 {
        let sim = SimRt::new(seed);
        let d = SimDisk::new(sim.rt(), seed);
        sim.run(async {
            let f = d.open("f", NEW).await.unwrap();
            f.write(0, filled(512, 1)).await.1.unwrap();
            f.sync().await.unwrap();
            d.sync_dir("").await.unwrap();
            f.write(0, filled(512, 2)).await.1.unwrap();
            let mut first = true;
            d.set_fault(Some(Box::new(move |op| {
                (op.kind == "sync" && std::mem::take(&mut first)).then_some(Fault::Io)
            })));
            assert!(f.sync().await.is_err());
            f.sync().await.unwrap();
        })
        .unwrap();
        assert_eq!(d.content("f").unwrap()[0], 2, "the page cache has it");
        assert_eq!(d.crash(sim.rt(), seed).content("f").unwrap()[0], 1, "the device has not");
    }
}

#[test]
fn a_truncation_keeps_the_writes_of_what_is_left() {
    let sim = SimRt::new(1);
    let d = SimDisk::new(sim.rt(), 1);
    let rt = sim.rt();
    sim.run(async {
        let f = d.open("f", NEW).await.unwrap();
        f.write(0, filled(4096, 1)).await.1.unwrap();
        f.sync().await.unwrap();
        d.sync_dir("").await.unwrap();
        f.write(0, filled(512, 2)).await.1.unwrap();
        f.write(1536, filled(1024, 2)).await.1.unwrap();
        // One write is under way, and reaches the device behind the truncation.
        let under_way = rt.spawn("write", {
            let f = f.clone();
            async move { f.write(512, filled(512, 3)).await.1.unwrap() }
        });
        f.truncate(2048).await.unwrap();
        under_way.await;
        f.sync().await.unwrap();
    })
    .unwrap();
    let c = d.crash(sim.rt(), 1).content("f").unwrap();
    let sectors: Vec<u8> = c.chunks(512).map(|s| s[0]).collect();
    assert_eq!(sectors, [2, 3, 1, 2]);
}

#[test]
fn a_file_without_a_name_keeps_its_room_while_it_is_open() {
    let sim = SimRt::new(1);
    let d = SimDisk::new(sim.rt(), 1);
    sim.run(async {
        let f = d.open("f", NEW).await.unwrap();
        f.write(0, filled(512, 1)).await.1.unwrap();
        let again = d.open("f", NEW).await.unwrap();
        assert_eq!((d.open_files(""), d.held_without_a_name()), (2, 0));
        d.remove("f").await.unwrap();
        drop(again);
        assert_eq!((d.open_files(""), d.held_without_a_name()), (0, 512));
        drop(f);
        assert_eq!((d.open_files(""), d.held_without_a_name()), (0, 0));
    })
    .unwrap();
}

#[test]
fn a_frozen_device_tells() {
    let sim = SimRt::new(1);
    let d = SimDisk::new(sim.rt(), 1);
    d.crash_at(1);
    sim.run(async {
        let d2 = d.clone();
        sim.rt().spawn("io", async move {
            let f = d2.open("f", NEW).await.unwrap();
            f.write(0, filled(512, 1)).await.1.unwrap();
            unreachable!("the device is frozen");
        });
        d.frozen().await;
    })
    .unwrap();
    assert_eq!(d.io_count(), 2);
}
