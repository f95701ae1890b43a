//! How the system's scheduler treats a thread.

/// From now on the calling thread, when it is woken, waits until a processor is free instead of driving another thread away from one
/// (Linux: `SCHED_BATCH`). Its share of the processors stays the same, and an idle processor is taken at once as before.
///
/// For threads that are woken by those they work for. A session's thread is woken by its client's send; on the same machine it would
/// drive away that client, which is about to wait for the answer anyway, or anyone who gives the answers of a round of the log: a switch
/// of threads more for each statement. A system that refuses is left as it is: nothing but speed depends on it.
pub fn wake_without_preempting() {
    #[cfg(all(target_os = "linux", not(miri)))]
    {
        // SAFETY: plain data, for which all zeros are a value: priority 0, the only one of this policy.
        let param: libc::sched_param = unsafe { std::mem::zeroed() };
        // SAFETY: 0 is the calling thread; the call reads `param`, which lives until it returns, and keeps no pointer.
        let _refused = unsafe { libc::sched_setscheduler(0, libc::SCHED_BATCH, &raw const param) };
    }
}
