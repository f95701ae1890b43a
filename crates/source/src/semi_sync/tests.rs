//! Waits in virtual time.

use super::*;
use weir_rt::sim::SimRt;

const SECOND: Duration = Duration::from_secs(1);

/// Runs a test with everything of it in one virtual thread.
fn with<F: Future<Output = ()>>(test: impl FnOnce(Rt, Arc<SemiSync>) -> F) {
    let sim = SimRt::new(1);
    let s = SemiSync::new(sim.rt(), Arc::new(|_| {}));
    s.enable(true);
    s.set_timeout(3_000);
    sim.run(test(sim.rt(), s)).expect("nothing waits for ever");
}

/// A wait of its own; the moment and the way of its end.
fn waits(rt: &Rt, s: &Arc<SemiSync>, lsn: Lsn) -> weir_rt::JoinHandle<(Waited, u64)> {
    let (s, clock) = (s.clone(), rt.clone());
    rt.spawn("wait", async move {
        let ended = s.wait(lsn, 1, &Interrupt::new()).await;
        (ended, clock.now() / 1_000_000_000)
    })
}

#[test]
fn commits_wait_for_as_many_replicas_as_are_asked_for() {
    with(async |rt, s| {
        s.set_replicas(2);
        let (a, b) = (s.join(7, (1, 4)), s.join(8, (1, 4)));
        s.note(100, (1, 500));
        s.note(200, (1, 900));
        let (first, second) = (waits(&rt, &s, 100), waits(&rt, &s, 200));
        rt.sleep(SECOND).await;
        assert!(a.asks((1, 500)) && !a.asks((1, 501)));
        // The same replica twice is one.
        assert!(a.acknowledge((1, 900)) && a.acknowledge((1, 900)));
        rt.sleep(SECOND).await;
        assert_eq!(s.figures().waiting, 2);
        assert!(b.acknowledge((1, 500)));
        assert_eq!(first.await, (Waited::Acknowledged, 2));
        // One that has gone has what it had said it has.
        drop(a);
        assert!(b.acknowledge((1, 900)));
        assert_eq!(second.await, (Waited::Acknowledged, 2));
        let f = s.figures();
        assert_eq!((f.acknowledged, f.unacknowledged, f.clients, f.waits), (2, 0, 1, 2));
    });
}

#[test]
fn the_first_wait_that_is_over_ends_all_and_a_replica_that_catches_up_begins_again() {
    with(async |rt, s| {
        let a = s.join(7, (1, 4));
        s.note(100, (1, 500));
        let first = waits(&rt, &s, 100);
        rt.sleep(SECOND).await;
        s.note(200, (1, 900));
        let second = waits(&rt, &s, 200);
        assert_eq!(first.await, (Waited::Asynchronous, 3));
        assert_eq!(second.await, (Waited::Asynchronous, 3));
        s.note(300, (2, 200));
        assert_eq!(s.wait(300, 1, &Interrupt::new()).await, Waited::Asynchronous);
        let f = s.figures();
        assert_eq!((f.on, f.switched_off, f.unacknowledged), (false, 1, 3));
        // Only the last one matters now.
        assert!(!a.asks((1, 900)) && a.asks((2, 200)));
        assert!(a.acknowledge((1, 900)));
        assert!(!s.figures().on);
        assert!(a.acknowledge((2, 200)));
        assert!(s.figures().on);
        assert_eq!(s.wait(300, 1, &Interrupt::new()).await, Waited::Acknowledged);
    });
}

#[test]
fn nobody_waits_for_what_was_there_before() {
    with(async |_, s| {
        s.enable(false);
        s.note(100, (1, 500));
        assert_eq!(s.wait(100, 1, &Interrupt::new()).await, Waited::Asynchronous);
        assert_eq!(s.figures(), Figures::default());
        s.enable(true);
        assert_eq!(s.wait(100, 1, &Interrupt::new()).await, Waited::Acknowledged);
    });
}

#[test]
fn without_replicas_nobody_waits_where_that_is_wanted() {
    with(async |rt, s| {
        s.set_waits_alone(false);
        let a = s.join(7, (1, 4));
        s.note(100, (1, 500));
        let first = waits(&rt, &s, 100);
        rt.sleep(SECOND).await;
        drop(a);
        assert_eq!(first.await, (Waited::Asynchronous, 1));
        assert_eq!(s.figures().switched_off, 1);
        s.enable(false);
        s.enable(true);
        s.note(200, (1, 900));
        assert_eq!(s.wait(200, 1, &Interrupt::new()).await, Waited::Asynchronous);
    });
}

#[test]
fn waits_end_with_a_kill_and_with_the_server() {
    with(async |rt, s| {
        s.set_timeout(u32::MAX);
        s.note(100, (1, 500));
        let killed = Interrupt::new();
        killed.kill(1);
        assert_eq!(s.wait(100, 1, &killed).await, Waited::Interrupted);
        let other = waits(&rt, &s, 100);
        rt.sleep(SECOND).await;
        s.stop();
        assert_eq!(other.await.0, Waited::Interrupted);
        assert_eq!(s.figures().unacknowledged, 2);
    });
}

#[test]
fn places_of_files_that_are_gone_acknowledge_nothing() {
    with(async |rt, s| {
        let old = s.join(7, (1, 4));
        s.note(100, (9, 500));
        assert!(old.acknowledge((9, 500)));
        s.forget_places();
        s.note(200, (1, 500));
        let wait = waits(&rt, &s, 200);
        rt.sleep(SECOND).await;
        assert!(!old.acknowledge((9, 900)));
        let fresh = s.join(7, (1, 157));
        drop(old);
        assert_eq!((s.figures().waiting, s.figures().clients), (1, 1));
        assert!(fresh.acknowledge((1, 500)));
        assert_eq!(wait.await.0, Waited::Acknowledged);
    });
}

#[test]
fn ends_that_are_not_remembered_are_acknowledged_with_younger_ones() {
    with(async |_, s| {
        for n in 1..=NOTED_MAX as u64 + 10 {
            s.note(n, (1, n * 10));
        }
        let a = s.join(7, (1, 0));
        assert!(!a.asks((1, 10)) && a.asks((1, 110)));
        assert!(a.acknowledge((1, 110)));
        assert_eq!(s.wait(3, 1, &Interrupt::new()).await, Waited::Acknowledged);
    });
}
