//! How a world is smaller than the published one and keeps its proportions.
//!
//! Four numbers. *Divided*: data, pool, redo log and time are a part of the published ones, while the computer, the users, the warehouses and
//! every number of pages per second stay, so what took an hour takes an hour divided. *Warehouses*: of what divides the data, so much makes the
//! warehouses fewer instead of smaller. The last orders of a district, which Stock-Level reads again, are then as old against the pool as they
//! were: smaller warehouses get orders at the published rate, so that their last twenty would outlast the pages of a small pool. The price is
//! that users meet more often at a warehouse, which is why worlds in memory keep them all. *Pages*: pages are smaller, and rows fewer by as much,
//! so that there are as many pages as before, each with a part of the rows, in less memory; the simulated drives take the time of whole pages.
//! A page that has fewer rows is changed less often, so a row of a hot page is found in the pool a little less often than it was.
//! *Shorter*: the measured part is a part of its length, and the warm-up of its own.
//!
//! What this distorts: a policy's amounts for a tick of a second and its requests under way are a larger share of a smaller pool, so dirty pages swing more;
//! what does not get less with the rows (districts and their last orders) is hotter. A size divides by as little as its time allows.

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Size {
    /// A page is 16 KiB divided by this.
    pub pages: u64,
    pub divided: u64,
    /// There are fewer warehouses by this, a part of `divided`; by what is left of that they are smaller.
    #[serde(default = "whole")]
    pub warehouses: u64,
    /// The measured part is a part of its length.
    #[serde(default = "whole")]
    pub shorter: u64,
    /// So is the warm-up.
    #[serde(default = "whole")]
    pub warmup_shorter: u64,
}

fn whole() -> u64 {
    1
}

impl Size {
    /// By how much there are fewer rows, and bytes of data.
    pub fn rows(self) -> u64 {
        self.pages * self.divided
    }

    /// By how much each warehouse has fewer rows.
    pub fn rows_of_warehouse(self) -> u64 {
        self.rows() / self.warehouses
    }

    pub fn page_size(self) -> u64 {
        (16 << 10) / self.pages
    }

    pub fn seconds(self, published: f64) -> f64 {
        published / self.time()
    }

    pub fn warmup(self, published: f64) -> f64 {
        published / (self.divided * self.warmup_shorter) as f64
    }

    /// By how much time is shorter.
    pub fn time(self) -> f64 {
        (self.divided * self.shorter) as f64
    }

    pub fn describe(self) -> String {
        let length = match self.shorter {
            1 => String::new(),
            n => format!(", run for 1/{n} of the time that would be left"),
        };
        self.proportions() + &length
    }

    fn proportions(self) -> String {
        let pages = match self.pages {
            1 => String::new(),
            p => format!(", pages of {} KiB with 1/{p} of the rows", 16 / p),
        };
        let all = match self.divided {
            1 => "as published".into(),
            d => format!("data, pool, log and time divided by {d}"),
        };
        let warehouses = match self.warehouses {
            1 => String::new(),
            w => format!(", warehouses by {w}"),
        };
        all + &warehouses + &pages
    }
}
