//! `weir restore`: checks all that is needed, then makes the directory.

use super::look::check_directory;
use crate::command::{Call, Progress, size};
use std::path::PathBuf;
use std::sync::Arc;
use weir_disk::{Backend, RealDisk};
use weir_server::backup::{Goal, Reader, Restore};
use weir_sql::value::{Date, TimeZone, use_zone_of_machine};

pub fn restore(call: &Call) -> Result<bool, String> {
    let from: Vec<PathBuf> = call.need("from")?.split(',').map(PathBuf::from).collect();
    let goal = goal(call)?;
    let target = match (call.path("datadir"), call.has("dry-run")) {
        (Some(dir), _) => Some(dir),
        (None, true) => None,
        (None, false) => return Err("--datadir is missing".into()),
    };
    let bytes: u64 = from.iter().map(|p| Reader::bytes(p)).sum();
    let archive = call.path("redo-archive");
    let before = call.get("before").map(str::to_owned);
    if (goal != Goal::End || before.is_some()) && archive.is_none() {
        return Err(
            "--to-lsn, --to-time and --before need archived redo, --redo-archive=DIR".into()
        );
    }
    let restore = Restore { from, archive, key: call.key()?, goal, before };
    if let Some(target) = &target {
        // Before hours are spent on the check.
        weir_server::backup::refuse_used(target)?;
    }
    let quiet = call.has("quiet");
    let mut progress = Progress::new("check", bytes, quiet);
    let plan = restore.check(&mut |n| progress.step(n))?;
    drop(progress);
    if let Some(named) = &plan.before {
        let at = named.micros.map(weir_server::log::timestamp);
        let at = at.map(|at| format!(", archived at {at}")).unwrap_or_default();
        println!("up to LSN {} before '{}'{at}", named.lsn, named.text);
    }
    let Some(target) = target.filter(|_| !call.has("dry-run")) else {
        println!("everything that is needed is there and whole, up to LSN {}", plan.upto);
        return Ok(true);
    };
    let mut progress = Progress::new("restore", bytes, quiet);
    let made = restore.run(&plan, &target, &mut |n| progress.step(n))?;
    drop(progress);
    println!(
        "restored to '{}': the first start applies {} of redo, LSN {} to {}",
        target.display(),
        size((made.to - made.from) as f64),
        made.from,
        made.to
    );
    for space in &made.damaged {
        println!(
            "the table of file 'tables/{space:08x}.weir' was damaged in the server, and is here, too"
        );
    }
    if !call.has("verify") {
        return Ok(true);
    }
    let disk = RealDisk::open(&target, Backend::Threads, |_| {}).map_err(|e| e.to_string())?;
    check_directory(Arc::new(disk))
}

fn goal(call: &Call) -> Result<Goal, String> {
    match (call.get("to-lsn"), call.get("to-time")) {
        (None, None) => Ok(Goal::End),
        (Some(_), Some(_)) => Err("--to-lsn and --to-time exclude each other".into()),
        (Some(lsn), None) => {
            lsn.parse().map(Goal::Lsn).map_err(|_| format!("--to-lsn={lsn} is no LSN"))
        }
        (None, Some(text)) => moment(text).map(Goal::Time).ok_or_else(|| {
            format!("--to-time={text} is no moment, as 2026-11-28T14:00:00Z or 2026-11-28 14:00:00.5 is one")
        }),
    }
}

/// Microseconds since 1970. A `Z` means UTC; otherwise the time is that of the machine's time zone.
fn moment(text: &str) -> Option<u64> {
    let (text, utc) = match text.strip_suffix(['Z', 'z']) {
        Some(rest) => (rest, true),
        None => (text, false),
    };
    let (date, time) = text.split_once(['T', ' '])?;
    let digits = |part: &str, width: usize| {
        let right = part.len() == width && part.bytes().all(|b| b.is_ascii_digit());
        right.then(|| part.parse::<u32>().ok()).flatten()
    };
    let mut ymd = date.split('-');
    let mut part = |width| ymd.next().and_then(|p| digits(p, width));
    let date = Date::new(part(4)? as u16, part(2)? as u8, part(2)? as u8);
    let (time, fraction) = time.split_once('.').unwrap_or((time, "0"));
    let mut hms = time.split(':');
    let mut part = || hms.next().and_then(|p| digits(p, 2));
    let (hour, minute, second) = (part()?, part()?, part()?);
    let known = date.is_real() && hour < 24 && minute < 60 && second < 60;
    if !known || hms.next().is_some() || fraction.len() > 6 {
        return None;
    }
    let micros =
        i64::from(digits(fraction, fraction.len())?) * 10i64.pow(6 - fraction.len() as u32);
    let seconds = i64::from(hour * 3600 + minute * 60 + second);
    let local = ((date.daynr() - EPOCH) * 86_400 + seconds) * 1_000_000 + micros;
    let at = match utc {
        true => local,
        false => {
            // Without a zone of its own the machine has UTC.
            let _ = use_zone_of_machine();
            TimeZone::SYSTEM.to_utc(local)
        }
    };
    u64::try_from(at).ok()
}

/// Day number of 1970-01-01.
const EPOCH: i64 = 719_528;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments() {
        assert_eq!(moment("1970-01-01T00:00:00Z"), Some(0));
        assert_eq!(moment("2000-02-29 00:00:00.25Z"), Some(951_782_400_250_000));
        assert!(moment("2026-11-28 14:00:00").is_some());
        for bad in [
            "",
            "2026-11-28",
            "2026-11-28T25:00:00Z",
            "2026-02-30T00:00:00Z",
            "2026-11-28T10:00:00.1234567Z",
            "2026-11-28T10:00Z",
            "26-11-28T10:00:00Z",
            "2026-11-28T10:00:00+01:00",
            "1969-12-31T23:59:59Z",
        ] {
            assert_eq!(moment(bad), None, "{bad}");
        }
    }
}
