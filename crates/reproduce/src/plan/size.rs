//! How a world is smaller than the published one and keeps its proportions.
//!
//! Three numbers. *Divided*: data, pool, redo log and time are a part of the published ones, while the computer, the users, the warehouses and
//! every number of pages per second stay, so what took an hour takes an hour divided. *Pages*: pages are smaller, and rows fewer by as much,
//! so that there are as many pages as before, each with as many rows, in less memory; the simulated drives take the time of whole pages.
//! *Shorter*: the run is a part of its length, where what is measured has settled long before its end.

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Size {
    /// A page is 16 KiB divided by this.
    pub pages: u64,
    pub divided: u64,
    #[serde(default = "whole")]
    pub shorter: u64,
}

fn whole() -> u64 {
    1
}

impl Size {
    /// By how much there are fewer rows, and bytes of data.
    pub fn rows(self) -> u64 {
        self.pages * self.divided
    }

    pub fn page_size(self) -> u64 {
        (16 << 10) / self.pages
    }

    pub fn seconds(self, published: f64) -> f64 {
        published / (self.divided * self.shorter) as f64
    }

    pub fn describe(self) -> String {
        let length = match self.shorter {
            1 => String::new(),
            n => format!(", a {n}th of the length of that"),
        };
        self.proportions() + &length
    }

    fn proportions(self) -> String {
        match (self.pages, self.divided) {
            (1, 1) => "as published".into(),
            (1, d) => format!("data, pool, log and time divided by {d}"),
            (p, 1) => format!("pages of {} KiB with as many rows, all else as published", 16 / p),
            (p, d) => format!(
                "data, pool, log and time divided by {d}, pages of {} KiB with as many rows",
                16 / p
            ),
        }
    }
}
