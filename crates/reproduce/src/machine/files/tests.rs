use super::*;
use crate::machine::presets;
use weir_rt::sim::SimRt;

fn page(n: u8) -> IoBuf {
    let mut b = IoBuf::new(4096);
    b.fill(n);
    b
}

/// A stripe is an extent long: a distance that has a factor in common with the number of disks must not leave some of them out.
#[test]
fn extents_reach_all_members_whatever_the_spread() {
    for spread in 1..=64 {
        let places = Places { page_factor: 1, spread };
        let mut counts = [0; 10];
        (0..1000).for_each(|n| counts[(places.extent(n) / EXTENT % 10) as usize] += 1);
        assert!(counts.iter().all(|c| (70..=130).contains(c)), "{spread}: {counts:?}");
    }
}

/// A sync that finds nothing left to write still waits for what another one is writing.
#[test]
fn no_sync_ends_before_the_bytes_are_there() {
    let sim = SimRt::new(1);
    let rt = sim.rt();
    sim.run(async {
        let m = presets::find("raid0-2009").unwrap().start(&rt, 1, 1);
        m.disk.start_time();
        let o = OpenOptions { create: true, create_new: false, mode: Mode::Buffered };
        let f = m.disk.open("tables/a", o).await.unwrap();
        for n in 0..2000 {
            f.write(n * 1_000_000, page(1)).await.1.unwrap();
        }
        let (g, rt2) = (f.clone(), rt.clone());
        let first = rt.spawn("first", async move {
            g.sync().await.unwrap();
            rt2.now()
        });
        weir_rt::yield_now().await;
        rt.sleep(std::time::Duration::from_micros(1)).await;
        f.sync().await.unwrap();
        assert!(rt.now() >= first.await);
    })
    .unwrap();
}

#[test]
fn looks_grow_with_the_square_of_the_slots_that_are_merged() {
    let of = |square| Array { slots: 256, square }.costs();
    let time = |(request, page): (u64, u64), pages| request + page * pages;
    // All slots of it, merged into requests of 64.
    assert_eq!(4 * time(of(true), 64), 4 * (3 + 128) * 2560);
    assert!(time(of(true), 64) > 19 * time(of(true), 1) && time(of(false), 1) == time(of(true), 1));
}

#[test]
fn what_was_cut_off_reads_as_zero() {
    let sim = SimRt::new(1);
    let rt = sim.rt();
    sim.run(async {
        let m = presets::find("nvme").unwrap().start(&rt, 1, 1);
        let o = OpenOptions { create: true, create_new: false, mode: Mode::Direct };
        let f = m.disk.open("tables/a", o).await.unwrap();
        for n in 0..8 {
            f.write(n * 4096, page(7)).await.1.unwrap();
        }
        f.truncate(5 * 4096).await.unwrap();
        assert!(f.read(5 * 4096, IoBuf::new(4096)).await.1.is_err());
        f.allocate(8 * 4096, true).await.unwrap();
        assert_eq!(f.read(4 * 4096, IoBuf::new(4096)).await.0[0], 7);
        assert!(f.read(5 * 4096, IoBuf::new(4096)).await.0.iter().all(|b| *b == 0));
    })
    .unwrap();
}

#[test]
fn an_image_is_given_to_many_and_changed_by_none() {
    let sim = SimRt::new(1);
    let rt = sim.rt();
    sim.run(async {
        let m = presets::find("raid0-2009").unwrap().start(&rt, 1, 1);
        let o = OpenOptions { create: true, create_new: false, mode: Mode::Direct };
        let f = m.disk.open("tables/a", o).await.unwrap();
        for n in 0..10u64 {
            f.write(n * 4096, page(n as u8)).await.1.unwrap();
        }
        let image = m.disk.image();
        for other in 0..2u8 {
            let m = presets::find("raid0-2009").unwrap().start(&rt, 4, 8);
            m.disk.put(image.clone());
            m.disk.start_time();
            let f = m.disk.open("tables/a", o).await.unwrap();
            let (b, r) = f.read(7 * 4096, IoBuf::new(4096)).await;
            r.unwrap();
            assert_eq!(b[0], 7);
            f.write(7 * 4096, page(100 + other)).await.1.unwrap();
            assert!(f.read(10 * 4096, IoBuf::new(4096)).await.1.is_err(), "behind the end");
            assert_eq!(m.disk.list("tables").await.unwrap(), ["a"]);
        }
    })
    .unwrap();
}

/// Under ext2's lock a read of a file waits for the write before it, and a read of another file does not.
#[test]
fn a_locked_file_is_written_by_one_at_a_time() {
    let took = |machine: &str| {
        let sim = SimRt::new(1);
        let rt = sim.rt();
        sim.run(async {
            let m = presets::find(machine).unwrap().start(&rt, 4, 1);
            m.disk.start_time();
            let o = OpenOptions { create: true, create_new: false, mode: Mode::Direct };
            let a = m.disk.open("tables/a", o).await.unwrap();
            let b = m.disk.open("tables/b", o).await.unwrap();
            for f in [&a, &b] {
                f.write(0, page(1)).await.1.unwrap();
            }
            let (f, rt2) = (a.clone(), rt.clone());
            // 256 MiB on the volume, far behind what is read.
            let write = rt.spawn("write", async move {
                f.write(1 << 30, IoBuf::new(64 << 20)).await.1.unwrap();
                rt2.now()
            });
            rt.sleep(std::time::Duration::from_micros(1)).await;
            b.read(0, IoBuf::new(4096)).await.1.unwrap();
            let other = rt.now();
            a.read(0, IoBuf::new(4096)).await.1.unwrap();
            let same = rt.now();
            let write = write.await;
            (other < write, same < write)
        })
        .unwrap()
    };
    assert_eq!(took("raid0-2009+no-file-lock"), (true, true));
    assert_eq!(took("raid0-2009"), (true, false));
}
