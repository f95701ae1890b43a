//! The transactions as stored procedures, as DBT-2 does them on MySQL: one CALL each, and the outcome in a user variable.
//!
//! Invariant: they leave the same rows behind as the plain statements of the style `dbt2` do.

use super::super::Path;
use super::super::input::{Delivery, Input, NewOrder, OrderStatus, Payment, StockLevel, Who};
use crate::error::{Error, Result};
use crate::target::{Conn, Value};
use Value::{Cents, Int, Text};

/// Lines of an order at most (clause 2.4.1.3).
const LINES: usize = 15;

/// The middle one of the customers with a last name, of those that `key` names.
const BY_NAME: &str = "
    DECLARE n INT DEFAULT 0;
    DECLARE names CURSOR FOR SELECT c_id FROM customer
        WHERE c_w_id = in_c_w AND c_d_id = in_c_d AND c_last = in_last ORDER BY c_first;
    DECLARE CONTINUE HANDLER FOR NOT FOUND SET c = NULL;
    SET c = in_c;
    IF c = 0 THEN
        SELECT COUNT(*) INTO n FROM customer WHERE c_w_id = in_c_w AND c_d_id = in_c_d AND c_last = in_last;
        SET n = (n + 1) DIV 2;
        OPEN names;
        REPEAT
            FETCH names INTO c;
            SET n = n - 1;
        UNTIL n <= 0 END REPEAT;
        CLOSE names;
    END IF;
    IF c IS NULL THEN
        SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'no such customer: the data is not TPC-C''s';
    END IF;";

const LINE: &str = "CREATE PROCEDURE new_order_line(in_w INT, in_d INT, in_o INT, in_n INT, in_i INT, in_supply INT, in_qty INT, OUT done INT)
BEGIN
    DECLARE price DECIMAL(5,2);
    DECLARE name, info VARCHAR(24);
    DECLARE i_text, s_text VARCHAR(50);
    DECLARE qty, taken INT;
    DECLARE CONTINUE HANDLER FOR NOT FOUND SET done = 0;
    SET done = 1;
    SELECT i_price, i_name, i_data INTO price, name, i_text FROM item WHERE i_id = in_i;
    IF done THEN
        SELECT s_quantity, s_data, CASE in_d WHEN 1 THEN s_dist_01 WHEN 2 THEN s_dist_02 WHEN 3 THEN s_dist_03
            WHEN 4 THEN s_dist_04 WHEN 5 THEN s_dist_05 WHEN 6 THEN s_dist_06 WHEN 7 THEN s_dist_07
            WHEN 8 THEN s_dist_08 WHEN 9 THEN s_dist_09 ELSE s_dist_10 END
            INTO qty, s_text, info FROM stock WHERE s_i_id = in_i AND s_w_id = in_supply;
        SET taken = in_qty;
        IF qty - in_qty < 10 THEN
            SET taken = in_qty - 91;
        END IF;
        UPDATE stock SET s_quantity = s_quantity - taken WHERE s_i_id = in_i AND s_w_id = in_supply;
        INSERT INTO order_line (ol_o_id, ol_d_id, ol_w_id, ol_number, ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_dist_info)
            VALUES (in_o, in_d, in_w, in_n, in_i, in_supply, in_qty, in_qty * price, info);
    END IF;
END";

fn new_order() -> String {
    let params = (1..=LINES).map(|n| format!(", i{n} INT, s{n} INT, q{n} INT"));
    let lines = (1..=LINES).map(|n| {
        format!(
            "
    IF done AND in_cnt >= {n} THEN
        CALL new_order_line(in_w, in_d, o, {n}, i{n}, s{n}, q{n}, done);
    END IF;"
        )
    });
    format!(
        "CREATE PROCEDURE new_order(in_w INT, in_d INT, in_c INT, in_local INT, in_cnt INT, in_date DATETIME{}, OUT done INT)
BEGIN
    DECLARE o INT;
    DECLARE tax, c_off DECIMAL(4,4);
    DECLARE last VARCHAR(16);
    DECLARE credit CHAR(2);
    SELECT w_tax INTO tax FROM warehouse WHERE w_id = in_w;
    SELECT c_discount, c_last, c_credit INTO c_off, last, credit FROM customer
        WHERE c_w_id = in_w AND c_d_id = in_d AND c_id = in_c;
    SELECT d_next_o_id, d_tax INTO o, tax FROM district WHERE d_id = in_d AND d_w_id = in_w FOR UPDATE;
    UPDATE district SET d_next_o_id = o + 1 WHERE d_id = in_d AND d_w_id = in_w;
    INSERT INTO orders (o_id, o_d_id, o_w_id, o_c_id, o_entry_d, o_ol_cnt, o_all_local)
        VALUES (o, in_d, in_w, in_c, in_date, in_cnt, in_local);
    INSERT INTO new_orders (no_o_id, no_d_id, no_w_id) VALUES (o, in_d, in_w);
    SET done = 1;{}
END",
        params.collect::<String>(),
        lines.collect::<String>()
    )
}

fn payment() -> String {
    format!(
        "CREATE PROCEDURE payment(in_w INT, in_d INT, in_c_w INT, in_c_d INT, in_c INT, in_last VARCHAR(16), amount DECIMAL(12,2), in_date DATETIME)
BEGIN
    DECLARE c INT;
    DECLARE wn, dn VARCHAR(10);
    DECLARE credit CHAR(2);
    {BY_NAME}
    UPDATE warehouse SET w_ytd = w_ytd + amount WHERE w_id = in_w;
    SELECT w_name INTO wn FROM warehouse WHERE w_id = in_w;
    UPDATE district SET d_ytd = d_ytd + amount WHERE d_w_id = in_w AND d_id = in_d;
    SELECT d_name INTO dn FROM district WHERE d_w_id = in_w AND d_id = in_d;
    SELECT c_credit INTO credit FROM customer WHERE c_w_id = in_c_w AND c_d_id = in_c_d AND c_id = c;
    IF credit = 'BC' THEN
        UPDATE customer SET c_balance = c_balance - amount, c_ytd_payment = c_ytd_payment + amount,
            c_payment_cnt = c_payment_cnt + 1,
            c_data = LEFT(CONCAT('| ', c, ' ', in_c_d, ' ', in_c_w, ' ', in_d, ' ', in_w, ' ', amount, ' ', c_data), 500)
            WHERE c_w_id = in_c_w AND c_d_id = in_c_d AND c_id = c;
    ELSE
        UPDATE customer SET c_balance = c_balance - amount, c_ytd_payment = c_ytd_payment + amount,
            c_payment_cnt = c_payment_cnt + 1 WHERE c_w_id = in_c_w AND c_d_id = in_c_d AND c_id = c;
    END IF;
    INSERT INTO history (h_c_d_id, h_c_w_id, h_c_id, h_d_id, h_w_id, h_date, h_amount, h_data)
        VALUES (in_c_d, in_c_w, c, in_d, in_w, in_date, amount, CONCAT(wn, '    ', dn));
END"
    )
}

fn order_status() -> String {
    format!(
        "CREATE PROCEDURE order_status(in_c_w INT, in_c_d INT, in_c INT, in_last VARCHAR(16), OUT line_count INT)
BEGIN
    DECLARE c, o, carrier INT;
    DECLARE balance DECIMAL(12,2);
    DECLARE first, last VARCHAR(16);
    DECLARE entered DATETIME;
    {BY_NAME}
    SELECT c_balance, c_first, c_last INTO balance, first, last FROM customer
        WHERE c_w_id = in_c_w AND c_d_id = in_c_d AND c_id = c;
    SELECT o_id, o_entry_d, o_carrier_id INTO o, entered, carrier FROM orders
        WHERE o_w_id = in_c_w AND o_d_id = in_c_d AND o_c_id = c ORDER BY o_id DESC LIMIT 1;
    BEGIN
        DECLARE item, supply, quantity, ended INT DEFAULT 0;
        DECLARE amount DECIMAL(12,2);
        DECLARE delivered DATETIME;
        DECLARE order_lines CURSOR FOR SELECT ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d
            FROM order_line WHERE ol_w_id = in_c_w AND ol_d_id = in_c_d AND ol_o_id = o;
        DECLARE CONTINUE HANDLER FOR NOT FOUND SET ended = 1;
        SET line_count = 0;
        OPEN order_lines;
        all_lines: LOOP
            FETCH order_lines INTO item, supply, quantity, amount, delivered;
            IF ended THEN
                LEAVE all_lines;
            END IF;
            SET line_count = line_count + 1;
        END LOOP;
        CLOSE order_lines;
    END;
END"
    )
}

const DELIVERY: &str = "CREATE PROCEDURE delivery(in_w INT, in_carrier INT, in_date DATETIME)
BEGIN
    DECLARE d INT DEFAULT 1;
    DECLARE o, c INT;
    DECLARE amount DECIMAL(12,2);
    districts: WHILE d <= 10 DO
        BEGIN
            DECLARE CONTINUE HANDLER FOR NOT FOUND SET o = NULL;
            SELECT no_o_id INTO o FROM new_orders WHERE no_w_id = in_w AND no_d_id = d ORDER BY no_o_id LIMIT 1;
        END;
        IF o IS NOT NULL THEN
            DELETE FROM new_orders WHERE no_o_id = o AND no_d_id = d AND no_w_id = in_w;
            IF ROW_COUNT() > 0 THEN
                SELECT o_c_id INTO c FROM orders WHERE o_id = o AND o_d_id = d AND o_w_id = in_w;
                UPDATE orders SET o_carrier_id = in_carrier WHERE o_id = o AND o_d_id = d AND o_w_id = in_w;
                UPDATE order_line SET ol_delivery_d = in_date WHERE ol_o_id = o AND ol_d_id = d AND ol_w_id = in_w;
                SELECT SUM(ol_amount) INTO amount FROM order_line WHERE ol_o_id = o AND ol_d_id = d AND ol_w_id = in_w;
                UPDATE customer SET c_balance = c_balance + amount, c_delivery_cnt = c_delivery_cnt + 1
                    WHERE c_id = c AND c_d_id = d AND c_w_id = in_w;
            END IF;
        END IF;
        SET d = d + 1;
    END WHILE;
END";

const STOCK_LEVEL: &str =
    "CREATE PROCEDURE stock_level(in_w INT, in_d INT, in_threshold INT, OUT low INT)
BEGIN
    DECLARE next INT;
    SELECT d_next_o_id INTO next FROM district WHERE d_id = in_d AND d_w_id = in_w;
    SELECT COUNT(DISTINCT s_i_id) INTO low FROM order_line, stock
        WHERE ol_w_id = in_w AND ol_d_id = in_d AND ol_o_id < next AND ol_o_id >= next - 20
        AND s_w_id = ol_w_id AND s_i_id = ol_i_id AND s_quantity < in_threshold;
END";

/// Makes the procedures, in place of those that are there.
pub fn create(conn: &mut Conn) -> Result<()> {
    let all = [
        ("new_order_line", LINE.to_owned()),
        ("new_order", new_order()),
        ("payment", payment()),
        ("order_status", order_status()),
        ("delivery", DELIVERY.to_owned()),
        ("stock_level", STOCK_LEVEL.to_owned()),
    ];
    for (name, text) in all {
        conn.query(&format!("DROP PROCEDURE IF EXISTS {name}"))?;
        conn.query(&text)?;
    }
    Ok(())
}

/// The calls, prepared.
pub struct Procedures {
    conn: Conn,
    new_order: u32,
    payment: u32,
    order_status: u32,
    delivery: u32,
    stock_level: u32,
    outcome: u32,
}

impl Procedures {
    pub fn open(mut conn: Conn) -> Result<Procedures> {
        conn.query("SET autocommit = 0")?;
        let new_order =
            format!("CALL new_order(?, ?, ?, ?, ?, ?{}, @done)", ", ?".repeat(3 * LINES));
        Ok(Procedures {
            new_order: conn.prepare(&new_order)?,
            payment: conn.prepare("CALL payment(?, ?, ?, ?, ?, ?, ?, ?)")?,
            order_status: conn.prepare("CALL order_status(?, ?, ?, ?, @done)")?,
            delivery: conn.prepare("CALL delivery(?, ?, ?)")?,
            stock_level: conn.prepare("CALL stock_level(?, ?, ?, @done)")?,
            outcome: conn.prepare("SELECT @done")?,
            conn,
        })
    }

    fn outcome(&mut self) -> Result<i64> {
        self.conn.run(self.outcome, &[])?;
        self.conn.rows.int(0, 0)
    }

    fn new_order(&mut self, i: &NewOrder) -> Result<bool> {
        let count = i.lines.len() as i64;
        let mut args = vec![
            Int(i.w),
            Int(i.d),
            Int(i.c),
            Int(i64::from(i.all_local)),
            Int(count),
            Text(&i.date),
        ];
        for n in 0..LINES {
            match i.lines.get(n) {
                Some(l) => args.extend([Int(l.item), Int(l.supply), Int(l.quantity)]),
                None => args.extend([Int(0), Int(0), Int(0)]),
            }
        }
        self.conn.run(self.new_order, &args)?;
        let done = self.outcome()? != 0;
        self.conn.query(if done { "COMMIT" } else { "ROLLBACK" })?;
        Ok(done)
    }

    fn payment(&mut self, i: &Payment) -> Result<()> {
        let (c, name) = of(&i.who);
        let args = [
            Int(i.w),
            Int(i.d),
            Int(i.c_w),
            Int(i.c_d),
            Int(c),
            Text(name),
            Cents(i.cents),
            Text(&i.date),
        ];
        self.conn.run(self.payment, &args)
    }

    fn order_status(&mut self, i: &OrderStatus) -> Result<()> {
        let (c, name) = of(&i.who);
        self.conn.run(self.order_status, &[Int(i.w), Int(i.d), Int(c), Text(name)])?;
        match self.outcome()? {
            0 => Err(Error::other("an order without lines: the data is not TPC-C's")),
            _ => Ok(()),
        }
    }

    fn delivery(&mut self, i: &Delivery) -> Result<()> {
        self.conn.run(self.delivery, &[Int(i.w), Int(i.carrier), Text(&i.date)])
    }

    fn stock_level(&mut self, i: &StockLevel) -> Result<()> {
        self.conn.run(self.stock_level, &[Int(i.w), Int(i.d), Int(i.threshold)])?;
        self.outcome().map(|_| ())
    }
}

/// A customer's number, or 0 and the last name.
fn of(who: &Who) -> (i64, &str) {
    match who {
        Who::Id(c) => (*c, ""),
        Who::Name(name) => (0, name),
    }
}

impl Path for Procedures {
    fn run(&mut self, input: &Input) -> Result<bool> {
        match input {
            Input::NewOrder(i) => return self.new_order(i),
            Input::Payment(i) => self.payment(i)?,
            Input::OrderStatus(i) => self.order_status(i)?,
            Input::Delivery(i) => self.delivery(i)?,
            Input::StockLevel(i) => self.stock_level(i)?,
        }
        self.conn.query("COMMIT")?;
        Ok(true)
    }

    fn undo(&mut self) -> Result<()> {
        self.conn.query("ROLLBACK")?;
        Ok(())
    }

    fn take_statements(&mut self) -> u64 {
        std::mem::take(&mut self.conn.statements)
    }
}
