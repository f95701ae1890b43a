//! Order-Status, Stock-Level, and the customer by name.

use super::{Tables, index_of};
use crate::workload::calls::{Calls, Done, Rows, no_row};
use crate::workload::tpcc::input::{OrderStatus, StockLevel, Who};
use Datum::{Bytes, Int};
use LockMode::None as NoLock;
use std::collections::BTreeSet;
use weir_engine::row::{Datum, RowView, encode_datum};
use weir_engine::{LockMode, Txn};

pub(super) fn text(d: Datum<'_>) -> String {
    String::from_utf8_lossy(d.as_bytes().unwrap_or_default()).into_owned()
}

impl Calls {
    /// The customer in the middle of those with a last name.
    pub(super) async fn customer(
        &mut self,
        t: &Tables,
        txn: &mut Txn,
        w: i64,
        d: i64,
        who: &Who,
    ) -> Done<i64> {
        let name = match who {
            Who::Id(c) => return Ok(*c),
            Who::Name(n) => n,
        };
        let index = index_of(&t.customer, "idx_customer")?;
        self.make_key(&t.customer, index, &[Int(w), Int(d), Bytes(name.as_bytes())])?;
        let mut cursor = txn.scan(&t.customer, self.range(index, NoLock, false, 8));
        self.called().await;
        let mut found = Vec::new();
        while cursor.next_boxed(txn).await? {
            let c = RowView::new(&t.customer.layout, cursor.row()).get(0).as_i64();
            found.push(c.unwrap_or(0));
        }
        let middle = found.len().div_ceil(2).checked_sub(1);
        middle.and_then(|m| found.get(m).copied()).ok_or_else(|| no_row(&t.customer))
    }

    pub(super) async fn order_status(
        &mut self,
        t: &Tables,
        txn: &mut Txn,
        i: &OrderStatus,
    ) -> Done<()> {
        let c = self.customer(t, txn, i.w, i.d, &i.who).await?;
        self.must_get(&t.customer, txn, &[i.w, i.d, c], NoLock).await?;
        let index = index_of(&t.orders, "idx_orders")?;
        self.make_key(&t.orders, index, &[Int(i.w), Int(i.d), Int(c)])?;
        let mut latest = txn.scan(&t.orders, self.range(index, NoLock, true, 1));
        self.called().await;
        self.called().await;
        if !latest.next_boxed(txn).await? {
            return Err(no_row(&t.orders));
        }
        let o = RowView::new(&t.orders.layout, latest.row()).get(0).as_i64().unwrap_or(0);
        self.make_key(&t.order_line, 0, &[Int(i.w), Int(i.d), Int(o)])?;
        let mut lines = txn.scan(&t.order_line, self.range(0, NoLock, false, 10));
        let mut count = 0;
        while lines.next_boxed(txn).await? {
            count += 1;
        }
        if count == 0 { Err(no_row(&t.order_line)) } else { Ok(()) }
    }

    pub(super) async fn stock_level(
        &mut self,
        t: &Tables,
        txn: &mut Txn,
        i: &StockLevel,
    ) -> Done<()> {
        self.must_get(&t.district, txn, &[i.w, i.d], NoLock).await?;
        let view = RowView::new(&t.district.layout, &self.found.row);
        let next = view.get(10).as_i64().unwrap_or(0);
        self.make_key(&t.order_line, 0, &[Int(i.w), Int(i.d), Int(next - 20)])?;
        let mut spec = self.range(0, NoLock, false, 200);
        let mut end = Vec::new();
        for (part, n) in t.order_line.indexes[0].types().iter().zip([i.w, i.d, next]) {
            encode_datum(part, Int(n), &mut end)
                .map_err(|e| crate::workload::calls::bad_row(&t.order_line, e))?;
        }
        spec.end = Some(end);
        let mut lines = txn.scan(&t.order_line, spec);
        self.called().await;
        self.takes_rows(Rows::Read(200)).await;
        let mut items = BTreeSet::new();
        while lines.next_boxed(txn).await? {
            let item = RowView::new(&t.order_line.layout, lines.row()).get(4).as_i64();
            items.extend(item);
        }
        let mut low = 0;
        for item in items {
            self.must_get(&t.stock, txn, &[i.w, item], NoLock).await?;
            let view = RowView::new(&t.stock.layout, &self.found.row);
            low += i64::from(view.get(2).as_i64().unwrap_or(0) < i.threshold);
        }
        std::hint::black_box(low);
        Ok(())
    }
}
