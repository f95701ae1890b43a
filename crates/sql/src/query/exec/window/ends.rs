//! What stands before PRECEDING and FOLLOWING is looked at before there are rows: it is the same for all of them, and neither NULL nor
//! negative.

use super::bounds::{illegal_frame, whole};
use crate::func::amounts::{Amount, interval_of};
use crate::query::eval::frame::Frame as Rows;
use crate::query::eval::{Ev, eval};
use crate::query::expr::{BExpr, Node};
use crate::query::plan::outcome::Run;
use crate::query::plan::{Block, Frame};
use crate::value::{Value, Warnings};

/// 3586 where the end of a frame is no distance.
pub fn check_frames(b: &Block, f: &Rows<'_>, ev: &mut Ev<'_>) -> Run<()> {
    let frames = b.windows.iter().flat_map(|w| &w.calls).map(|call| &call.frame);
    for frame in frames {
        for end in [&frame.start, &frame.end].into_iter().filter_map(|bound| bound.expr()) {
            if is_settled(end, frame) && !is_distance(end, frame, f, ev)? {
                return Err(illegal_frame().into());
            }
        }
    }
    Ok(())
}

/// Whether no subquery has to run before its value is known.
fn is_settled(end: &BExpr, frame: &Frame) -> bool {
    let mut settled = true;
    let amount = match &end.node {
        Node::DateAdd { amount, .. } if !frame.rows => amount,
        Node::Arith(_, _, amount) if !frame.rows => amount,
        _ => end,
    };
    amount.walk(&mut |e| {
        settled &= !matches!(
            e.node,
            Node::Col(_) | Node::Agg(_) | Node::Sub(_) | Node::SubColumn { .. } | Node::Call { .. }
        );
    });
    settled
}

fn is_distance(end: &BExpr, frame: &Frame, f: &Rows<'_>, ev: &mut Ev<'_>) -> Run<bool> {
    // The rows say what is wrong with a text.
    let warnings = std::mem::replace(&mut ev.cx.warnings, Warnings::with_limit(0));
    let found = match &end.node {
        _ if frame.rows => eval(end, f, ev).map(|v| whole(&v).is_some_and(|n| n >= 0)),
        Node::DateAdd { amount, unit, .. } => eval(amount, f, ev).map(|v| {
            let interval = interval_of(&mut ev.cx, &v, *unit);
            !v.is_null() && !matches!(interval, Some(Amount::Of(i)) if i.is_negative())
        }),
        Node::Arith(_, _, amount) => eval(amount, f, ev).map(|v| is_natural(&v)),
        _ => Ok(true),
    };
    ev.cx.warnings = warnings;
    Ok(found?)
}

fn is_natural(v: &Value<'_>) -> bool {
    v.to_f64(&mut Warnings::with_limit(0)).is_some_and(|n| n >= 0.0)
}
