//! New-Order, Payment, Delivery.

use super::Tables;
use super::codec::{Money, NARROW, WIDE, cents};
use super::reads::text;
use crate::workload::calls::{Calls, Done, no_row};
use crate::workload::tpcc::input::{Delivery, Line, NewOrder, Payment};
use crate::workload::tpcc::sql_payment_data;
use Datum::{Bytes, Int};
use LockMode::{Exclusive, None as NoLock};
use std::sync::Arc;
use weir_engine::row::{Datum, RowView};
use weir_engine::{LockMode, Table, Txn};

fn number(t: &Table, row: &[u8], column: usize) -> Done<i64> {
    RowView::new(&t.layout, row).get(column).as_i64().ok_or_else(|| no_row(t))
}

impl Calls {
    pub(super) async fn new_order(
        &mut self,
        t: &Tables,
        txn: &mut Txn,
        i: &NewOrder,
    ) -> Done<bool> {
        self.must_get(&t.warehouse, txn, &[i.w], NoLock).await?;
        self.must_get(&t.customer, txn, &[i.w, i.d, i.c], NoLock).await?;
        self.must_get(&t.district, txn, &[i.w, i.d], Exclusive).await?;
        let o = number(&t.district, &self.found.row, 10)?;
        self.change(&t.district, txn, &[(10, Int(o + 1))]).await?;
        let (count, local) = (i.lines.len() as i64, i64::from(i.all_local));
        let row =
            [Int(o), Int(i.d), Int(i.w), Int(i.c), self.now(), Datum::Null, Int(count), Int(local)];
        self.insert(&t.orders, txn, &row).await?;
        self.insert(&t.new_orders, txn, &[Int(o), Int(i.d), Int(i.w)]).await?;
        for (n, line) in (1..).zip(&i.lines) {
            if !self.order_line(t, txn, i, o, n, line).await? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// False: there is no such item.
    async fn order_line(
        &mut self,
        t: &Tables,
        txn: &mut Txn,
        i: &NewOrder,
        o: i64,
        n: i64,
        line: &Line,
    ) -> Done<bool> {
        if !self.get(&t.item, txn, &[line.item], NoLock).await? {
            return Ok(false);
        }
        let price = cents(RowView::new(&t.item.layout, &self.found.row).get(3));
        self.must_get(&t.stock, txn, &[line.supply, line.item], Exclusive).await?;
        let view = RowView::new(&t.stock.layout, &self.found.row);
        let at = |c: usize| view.get(c).as_i64().unwrap_or(0);
        let left = at(2) - line.quantity;
        let quantity = if left >= 10 { left } else { left + 91 };
        let remote = i64::from(line.supply != i.w);
        let changes = [
            (2, Int(quantity)),
            (13, Int(at(13) + line.quantity)),
            (14, Int(at(14) + 1)),
            (15, Int(at(15) + remote)),
        ];
        let info = text(view.get(2 + i.d as usize));
        self.change(&t.stock, txn, &changes).await?;
        let amount = Money::new(price * line.quantity, NARROW);
        let row = [
            Int(o),
            Int(i.d),
            Int(i.w),
            Int(n),
            Int(line.item),
            Int(line.supply),
            Datum::Null,
            Int(line.quantity),
            amount.datum(),
            Bytes(info.as_bytes()),
        ];
        self.insert(&t.order_line, txn, &row).await?;
        Ok(true)
    }

    /// Adds to an amount of a row that is locked, and returns another column's text.
    async fn book(
        &mut self,
        t: &Arc<Table>,
        txn: &mut Txn,
        key: &[i64],
        column: usize,
        amount: i64,
        name: usize,
    ) -> Done<String> {
        self.must_get(t, txn, key, Exclusive).await?;
        let view = RowView::new(&t.layout, &self.found.row);
        let new = Money::new(cents(view.get(column)) + amount, WIDE);
        let name = text(view.get(name));
        self.change(t, txn, &[(column, new.datum())]).await?;
        Ok(name)
    }

    pub(super) async fn payment(&mut self, t: &Tables, txn: &mut Txn, i: &Payment) -> Done<()> {
        let w_name = self.book(&t.warehouse, txn, &[i.w], 8, i.cents, 1).await?;
        let d_name = self.book(&t.district, txn, &[i.w, i.d], 9, i.cents, 2).await?;
        let c = self.customer(t, txn, i.c_w, i.c_d, &i.who).await?;
        self.must_get(&t.customer, txn, &[i.c_w, i.c_d, c], Exclusive).await?;
        let view = RowView::new(&t.customer.layout, &self.found.row);
        let balance = Money::new(cents(view.get(16)) - i.cents, WIDE);
        let paid = Money::new(cents(view.get(17)) + i.cents, WIDE);
        let times = view.get(18).as_i64().unwrap_or(0) + 1;
        let bad = text(view.get(13)) == "BC";
        let data = if bad { sql_payment_data(i, c, &text(view.get(20))) } else { String::new() };
        let changes = [
            (16, balance.datum()),
            (17, paid.datum()),
            (18, Int(times)),
            (20, Bytes(data.as_bytes())),
        ];
        let changes = if bad { &changes[..] } else { &changes[..3] };
        self.change(&t.customer, txn, changes).await?;
        let data = format!("{w_name}    {d_name}");
        let amount = Money::new(i.cents, NARROW);
        let row = [
            Int(c),
            Int(i.c_d),
            Int(i.c_w),
            Int(i.d),
            Int(i.w),
            self.now(),
            amount.datum(),
            Bytes(data.as_bytes()),
        ];
        self.insert(&t.history, txn, &row).await
    }

    pub(super) async fn delivery(&mut self, t: &Tables, txn: &mut Txn, i: &Delivery) -> Done<()> {
        for d in 1..=10 {
            self.deliver_oldest(t, txn, i, d).await?;
        }
        Ok(())
    }

    async fn deliver_oldest(
        &mut self,
        t: &Tables,
        txn: &mut Txn,
        i: &Delivery,
        d: i64,
    ) -> Done<()> {
        self.make_key(&t.new_orders, 0, &[Int(i.w), Int(d)])?;
        let mut oldest = txn.scan(&t.new_orders, self.range(0, Exclusive, false, 1));
        self.called().await;
        self.called().await;
        if !oldest.next_boxed(txn).await? {
            return Ok(());
        }
        let o = number(&t.new_orders, oldest.row(), 0)?;
        txn.delete_boxed(&t.new_orders, oldest.key(), oldest.row()).await?;
        self.must_get(&t.orders, txn, &[i.w, d, o], Exclusive).await?;
        let c = number(&t.orders, &self.found.row, 3)?;
        self.change(&t.orders, txn, &[(5, Int(i.carrier))]).await?;
        self.make_key(&t.order_line, 0, &[Int(i.w), Int(d), Int(o)])?;
        let mut cursor = txn.scan(&t.order_line, self.range(0, Exclusive, false, 10));
        self.called().await;
        let (mut lines, mut sum) = (Vec::new(), 0);
        while cursor.next_boxed(txn).await? {
            sum += cents(RowView::new(&t.order_line.layout, cursor.row()).get(8));
            lines.push((cursor.key().to_vec(), cursor.row().to_vec()));
        }
        for (key, row) in lines {
            (self.found.key, self.found.row) = (key, row);
            self.change(&t.order_line, txn, &[(6, self.now())]).await?;
        }
        self.must_get(&t.customer, txn, &[i.w, d, c], Exclusive).await?;
        let view = RowView::new(&t.customer.layout, &self.found.row);
        let balance = Money::new(cents(view.get(16)) + sum, WIDE);
        let count = view.get(19).as_i64().unwrap_or(0) + 1;
        self.change(&t.customer, txn, &[(16, balance.datum()), (19, Int(count))]).await
    }
}
