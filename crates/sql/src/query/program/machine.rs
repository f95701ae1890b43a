//! The machine: one loop over the instructions of the innermost program.

use super::conditions;
use super::frame::{Frame, OpenCursor, condition_of};
use super::host::{Done, Fault, Host, What, first};
use crate::errno;
use crate::query::plan::code::{Code, check_count};
use crate::session_api::SqlError;
use crate::value::{Level, Value, Warnings};
use crate::vars::Var;
use std::sync::Arc;
use weir_syntax::ast::{
    Expr, GetDiagnostics, IntoVar, Op, ParamMode, SlotKind, Statement, TableName,
};

/// Programs inside of one another at most, whatever `max_sp_recursion_depth` allows.
const FRAMES_MAX: usize = 1024;
/// Instructions between two looks at whether it was killed.
const TICKS: u32 = 256;

/// Where the value of an OUT or INOUT parameter goes.
#[derive(Clone, Debug, PartialEq)]
pub enum OutTarget {
    /// A variable of the program that calls.
    Slot(u32),
    User(String),
    /// A parameter of a prepared CALL.
    Param(usize),
}

/// Programs on their way, innermost last.
#[derive(Default)]
pub struct Machine {
    frames: Vec<Frame>,
    /// Conditions of the statement that ended last.
    conditions: Warnings,
    /// They are what that statement said of itself; no handler has taken them.
    left_behind: bool,
    /// How many at the front are older than what was left behind: a handler has taken them.
    taken: usize,
    /// Values of OUT parameters for anyone who called from outside.
    pub outs: Vec<(OutTarget, Value<'static>)>,
    ticks: u32,
}

type Step = Result<(), Fault>;

impl Machine {
    /// Begins a program. `args` are the values of its parameters, in order.
    pub fn call(
        &mut self,
        code: Arc<Code>,
        args: Vec<Value<'static>>,
        outs: Vec<(u32, OutTarget)>,
        host: &mut dyn Host,
    ) -> Result<(), SqlError> {
        let mode = host.mode();
        host.enter(&code)?;
        let vars = self.check_depth(&code, host).and_then(|()| {
            let stored = |(n, v)| code.stored_under(mode, n as u32, v, &mut host.cx());
            args.into_iter().enumerate().map(stored).collect::<Result<Vec<_>, _>>()
        });
        match vars {
            Ok(vars) => {
                self.frames.push(Frame::new(code, vars, outs));
                // CALL is a statement like any other: what the one before it has left is over.
                self.conditions.clear();
                self.left_behind = false;
                host.tell(&self.conditions);
            }
            Err(e) => {
                host.leave();
                return Err(e);
            }
        }
        Ok(())
    }

    /// Begins a trigger, whose slots have their values already.
    pub fn fire(
        &mut self,
        code: Arc<Code>,
        vars: Vec<Value<'static>>,
        host: &mut dyn Host,
    ) -> Result<(), SqlError> {
        host.enter(&code)?;
        self.frames.push(Frame::new(code, vars, Vec::new()));
        Ok(())
    }

    /// 1456, 1436.
    fn check_depth(&self, code: &Code, host: &mut dyn Host) -> Result<(), SqlError> {
        let same = |f: &&Frame| Arc::ptr_eq(&f.code.object, &code.object);
        let again = self.frames.iter().filter(same).count() as u64;
        let limit = host.cx().reads.vars.u64(Var::max_sp_recursion_depth);
        if again > 0 && again > limit {
            return Err(SqlError::of(errno::ER_SP_RECURSION_LIMIT, &[&limit, &code.meta.name]));
        }
        if self.frames.len() >= FRAMES_MAX {
            let text = format!(
                "Thread stack overrun: {FRAMES_MAX} stored programs inside of one another are the limit"
            );
            return Err(SqlError::new(errno::ER_STACK_OVERRUN_NEED_MORE, text));
        }
        Ok(())
    }

    /// Runs until the first program has ended; gives its frame back. After an error nothing is on its way any more.
    pub async fn run(&mut self, host: &mut dyn Host) -> Result<Option<Frame>, Fault> {
        loop {
            match self.step(host).await {
                Ok(None) => {}
                Ok(Some(ended)) => {
                    host.tell(&self.conditions);
                    return Ok(Some(ended));
                }
                Err(fault) => self.unwind(fault, host)?,
            }
        }
    }

    /// The conditions that the program leaves behind.
    pub fn take_conditions(&mut self) -> Warnings {
        std::mem::take(&mut self.conditions)
    }

    fn top(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("a machine that runs has a program")
    }

    /// Finds a handler for what was raised, in the innermost program first.
    fn unwind(&mut self, fault: Fault, host: &mut dyn Host) -> Step {
        let e = match fault {
            Fault::Sql(e) => e,
            fatal => {
                self.give_up(host);
                return Err(fatal);
            }
        };
        // What SIGNAL said is there already.
        let said = self
            .conditions
            .list()
            .last()
            .filter(|w| w.level == Level::Error && w.code == e.errno && w.message == e.message);
        if said.is_none() {
            self.conditions.add(condition_of(&e));
        }
        host.tell(&self.conditions);
        let condition = match self.conditions.list().last() {
            Some(w) if w.code == e.errno => w.clone(),
            _ => condition_of(&e),
        };
        while let Some(f) = self.frames.last_mut() {
            let next = f.after();
            if f.handle(&condition, &self.conditions, next) {
                self.left_behind = false;
                host.handled();
                return Ok(());
            }
            self.frames.pop();
            host.leave();
        }
        Err(Fault::Sql(e))
    }

    fn give_up(&mut self, host: &mut dyn Host) {
        for _ in self.frames.drain(..) {
            host.leave();
        }
    }

    /// A statement has ended well, and left warnings: is there a handler for one of them? `next`: where the program goes on.
    fn after_statement(&mut self, next: usize, host: &mut dyn Host) {
        let raised = std::mem::take(host.cx().changes.warnings);
        self.conditions = raised;
        self.taken = 0;
        host.tell(&self.conditions);
        self.offer_conditions(next);
    }

    /// The same for what is there already: what the last statement of a procedure has left is that of its CALL.
    fn offer_conditions(&mut self, next: usize) {
        let conditions = std::mem::take(&mut self.conditions);
        let f = self.top();
        f.pc = next;
        // A note is for a handler that names its number or state; `Frame::handle` knows.
        let mut warnings = conditions.list().iter().rev().filter(|w| w.level != Level::Error);
        let handled = warnings.any(|w| f.handle(w, &conditions, next));
        self.conditions = conditions;
        self.left_behind = !handled;
    }

    /// One instruction. Gives the frame of the outermost program when that has ended.
    async fn step(&mut self, host: &mut dyn Host) -> Result<Option<Frame>, Fault> {
        self.ticks += 1;
        if self.ticks.is_multiple_of(TICKS) {
            host.pause().await?;
        }
        let f = self.top();
        let code = f.code.clone();
        let Some(op) = code.body.ops.get(f.pc) else { return self.end_program(host) };
        match op {
            Op::Jump(to) => f.pc = *to as usize,
            Op::JumpUnless { condition, to, .. } => {
                let holds = match code.holds(f.pc, condition, &f.vars, &mut host.cx())? {
                    Some(b) => b,
                    None => {
                        let v = value(f, condition, host).await?;
                        v.to_bool(host.cx().changes.warnings) == Some(true)
                    }
                };
                let next = if holds { f.pc + 1 } else { *to as usize };
                self.after_statement(next, host);
            }
            Op::Set { slot, value: None, .. } => {
                f.vars[*slot as usize] = Value::Null;
                let next = f.pc + 1;
                self.after_statement(next, host);
            }
            Op::Set { slot, value: Some(e), .. } => {
                let v = value(f, e, host).await?;
                f.vars[*slot as usize] = code.stored(*slot, v, &mut host.cx())?;
                let next = f.pc + 1;
                self.after_statement(next, host);
            }
            Op::Run(stmt) => self.statement(&code, stmt, host).await?,
            Op::CaseNotFound => {
                return Err(SqlError::of(errno::ER_SP_CASE_NOT_FOUND, &[]).into());
            }
            Op::EnterHandlers { first, count } => {
                f.enter_handlers(*first, *count);
                f.pc += 1;
            }
            Op::LeaveHandlers(blocks) => {
                f.leave_handlers(*blocks);
                f.pc += 1;
            }
            Op::EndHandler(handler) => {
                f.end_handler(*handler);
                self.forget_handled(host);
            }
            Op::Open(cursor) => self.open(&code, *cursor, host).await?,
            Op::Fetch { cursor, into } => self.fetch(&code, *cursor, into, host)?,
            Op::Close(cursor) => {
                let known = &mut f.cursors[*cursor as usize];
                known.take().ok_or_else(not_open)?;
                f.pc += 1;
            }
            Op::CloseCursors(from) => {
                f.close_cursors(*from);
                f.pc += 1;
            }
            Op::Return(e) => {
                let v = value(f, e, host).await?;
                f.result = Some(code.returned(v, &mut host.cx())?);
                self.after_statement(code.body.ops.len(), host);
            }
        }
        Ok(None)
    }

    /// What a handler has dealt with is over; what its own last statement left behind is not.
    fn forget_handled(&mut self, host: &mut dyn Host) {
        match self.left_behind {
            true => self.conditions.forget_first(std::mem::take(&mut self.taken)),
            false => self.conditions.clear(),
        }
        host.tell(&self.conditions);
    }

    /// The innermost program is at its end.
    fn end_program(&mut self, host: &mut dyn Host) -> Result<Option<Frame>, Fault> {
        if let Some(f) = self.frames.last()
            && f.code.meta.returns.is_some()
            && f.result.is_none()
        {
            return Err(SqlError::of(errno::ER_SP_NORETURNEND, &[&f.code.meta.name]).into());
        }
        let Some(mut ended) = self.frames.pop() else { return Ok(None) };
        host.leave();
        for (slot, target) in std::mem::take(&mut ended.outs) {
            let v = std::mem::take(&mut ended.vars[slot as usize]);
            match target {
                OutTarget::Slot(n) => {
                    let f = self.top();
                    let v = f.code.clone().stored(n, v, &mut host.cx())?;
                    f.vars[n as usize] = v;
                }
                OutTarget::User(name) => {
                    let cx = host.cx();
                    let account = cx.reads.session.memory();
                    cx.changes.user_vars.set(account, &name, v).map_err(SqlError::from)?;
                }
                outside => self.outs.push((outside, v)),
            }
        }
        match self.frames.last_mut() {
            None => Ok(Some(ended)),
            Some(f) => {
                f.pc += 1;
                let next = f.pc;
                if self.left_behind {
                    self.offer_conditions(next);
                }
                Ok(None)
            }
        }
    }

    async fn statement(&mut self, code: &Arc<Code>, stmt: &Statement, host: &mut dyn Host) -> Step {
        match stmt {
            Statement::Call { name, args } => {
                return self.nested_call(code, name, args, host).await;
            }
            Statement::Signal(s) => {
                let f = self.frames.last().expect("a statement belongs to a program");
                let taken = f.stacked();
                let (condition, e) = conditions::raise(s, taken, code, f, &mut host.cx())?;
                if s.resignal {
                    self.conditions = taken.cloned().unwrap_or_default();
                    // Without a state of its own it is the same condition, with what is said again.
                    if s.state.is_none() {
                        self.conditions.take_last();
                    }
                } else {
                    self.conditions.clear();
                }
                self.conditions.add(condition);
                return match e {
                    Some(e) => Err(Fault::Sql(e)),
                    None => {
                        // A warning: the statement has ended well.
                        let all = self.conditions.clone();
                        if s.resignal && s.state.is_none() {
                            self.top().change_stacked(&all);
                        }
                        *host.cx().changes.warnings = all;
                        let next = self.top().pc + 1;
                        self.after_statement(next, host);
                        Ok(())
                    }
                };
            }
            Statement::GetDiagnostics(g) => return self.get_diagnostics(code, g, host),
            _ => {}
        }
        let f = self.top();
        let done = host.run(code, f.pc, What::Statement(stmt), &f.vars).await;
        let done = self.settle(done, host)?;
        let f = self.top();
        for (slot, v) in done.into {
            f.vars[slot as usize] = code.stored(slot, v, &mut host.cx())?;
        }
        let next = f.pc + 1;
        if stmt.keeps_diagnostics() {
            f.pc = next;
            self.add_to_conditions(host);
        } else {
            self.after_statement(next, host);
        }
        Ok(())
    }

    fn get_diagnostics(
        &mut self,
        code: &Arc<Code>,
        g: &GetDiagnostics,
        host: &mut dyn Host,
    ) -> Step {
        let f = self.frames.last_mut().expect("a statement belongs to a program");
        let from = match g.stacked {
            false => self.conditions.clone(),
            true => f.stacked().cloned().ok_or_else(conditions::no_stacked)?,
        };
        let given = get_in_program(g, &from, f, host)?;
        for (target, v) in given {
            match target {
                IntoVar::Slot(n) => {
                    f.vars[n as usize] = code.stored(n, v, &mut host.cx())?;
                }
                IntoVar::User(name) | IntoVar::Local(name) => {
                    let cx = host.cx();
                    let account = cx.reads.session.memory();
                    let set = cx.changes.user_vars.set(account, name.as_str(), v);
                    set.map_err(SqlError::from)?;
                }
            }
        }
        f.pc += 1;
        self.add_to_conditions(host);
        Ok(())
    }

    /// A statement that reads the diagnostics area leaves it as it was, with what it has to say of itself added.
    fn add_to_conditions(&mut self, host: &mut dyn Host) {
        let said = std::mem::take(host.cx().changes.warnings);
        if said.total() > 0 && !self.left_behind {
            self.left_behind = true;
            self.taken = self.conditions.list().len();
        }
        self.conditions.absorb(said);
        host.tell(&self.conditions);
    }

    /// The warnings of a statement that failed stay with its error.
    fn settle(&mut self, done: Result<Done, Fault>, host: &mut dyn Host) -> Result<Done, Fault> {
        if done.is_err() {
            self.conditions = std::mem::take(host.cx().changes.warnings);
        }
        done
    }

    async fn nested_call(
        &mut self,
        code: &Arc<Code>,
        name: &TableName,
        args: &[Expr],
        host: &mut dyn Host,
    ) -> Step {
        let schema = name.schema.as_ref().map_or(code.schema(), |s| s.as_str());
        let callee = host.procedure(schema, name.name.as_str())?;
        check_count(&callee, args.len())?;
        let f = self.frames.last().expect("a statement belongs to a program");
        let (mut values, mut outs) = (Vec::new(), Vec::new());
        for (n, (arg, (mode, _))) in args.iter().zip(&callee.meta.params).enumerate() {
            if *mode != ParamMode::In {
                let to = target(arg, n, &callee, code)?;
                if let OutTarget::Slot(slot) = &to
                    && code.body.slots[*slot as usize].kind == SlotKind::New
                {
                    host.may_set(code.body.slots[*slot as usize].name.as_str())?;
                }
                outs.push((n as u32, to));
            }
            values.push(match mode {
                ParamMode::Out => Value::Null,
                // The place of the call keeps the plan of none of its arguments.
                _ => argument(f, arg, host).await?,
            });
        }
        self.call(callee, values, outs, host)?;
        Ok(())
    }

    async fn open(&mut self, code: &Arc<Code>, cursor: u32, host: &mut dyn Host) -> Step {
        let f = self.top();
        if f.cursors[cursor as usize].is_some() {
            return Err(SqlError::of(errno::ER_SP_CURSOR_ALREADY_OPEN, &[]).into());
        }
        let query = &code.body.cursors[cursor as usize].query;
        let at = code.body.ops.len() + cursor as usize;
        let done = host.run(code, at, What::Query(query), &f.vars).await;
        let rows = self.settle(done, host)?.rows.unwrap_or_default();
        let columns = rows.rows.first().map(Vec::len);
        let f = self.top();
        f.cursors[cursor as usize] =
            Some(OpenCursor { rows: rows.rows.into_iter(), columns, _held: rows.held });
        let next = f.pc + 1;
        self.after_statement(next, host);
        Ok(())
    }

    fn fetch(&mut self, code: &Arc<Code>, cursor: u32, into: &[u32], host: &mut dyn Host) -> Step {
        self.conditions.clear();
        let f = self.top();
        let open = f.cursors[cursor as usize].as_mut().ok_or_else(not_open)?;
        if open.columns.is_some_and(|n| n != into.len()) {
            return Err(SqlError::of(errno::ER_SP_WRONG_NO_OF_FETCH_ARGS, &[]).into());
        }
        let Some(row) = open.rows.next() else {
            return Err(SqlError::of(errno::ER_SP_FETCH_NO_DATA, &[]).into());
        };
        for (slot, v) in into.iter().zip(row) {
            f.vars[*slot as usize] = code.stored(*slot, v, &mut host.cx())?;
        }
        let next = f.pc + 1;
        self.after_statement(next, host);
        Ok(())
    }
}

/// The value of the expression of the instruction at hand.
async fn value(f: &Frame, e: &Expr, host: &mut dyn Host) -> Result<Value<'static>, Fault> {
    if let Some(v) = f.code.value(f.pc, e, &f.vars, &mut host.cx())? {
        return Ok(v);
    }
    let done = host.run(&f.code, f.pc, What::Value(e), &f.vars).await?;
    Ok(done.rows.map_or(Value::Null, |r| first(r.rows)))
}

/// The value of an argument, whose plan is not kept.
async fn argument(f: &Frame, e: &Expr, host: &mut dyn Host) -> Result<Value<'static>, Fault> {
    if let Expr::Param(n) = e {
        return Ok(f.vars[*n as usize].clone());
    }
    let made = f.code.argument(e, &f.vars, &mut host.cx())?;
    if let Some(v) = made {
        return Ok(v);
    }
    let done = host.run(&f.code, usize::MAX, What::Value(e), &f.vars).await?;
    Ok(done.rows.map_or(Value::Null, |r| first(r.rows)))
}

fn get_in_program(
    g: &GetDiagnostics,
    from: &Warnings,
    f: &Frame,
    host: &mut dyn Host,
) -> Result<Vec<(IntoVar, Value<'static>)>, SqlError> {
    conditions::get_diagnostics(g, from, &mut host.cx(), |e, cx| {
        Ok(f.code.value_anew(e, &f.vars, cx)?.unwrap_or(Value::Null))
    })
}

/// Where an OUT parameter's value goes, or 1414.
fn target(arg: &Expr, n: usize, callee: &Code, caller: &Code) -> Result<OutTarget, SqlError> {
    match arg {
        Expr::UserVar(name) => Ok(OutTarget::User(name.as_str().to_owned())),
        Expr::Param(slot) if caller.body.slots[*slot as usize].kind != SlotKind::Old => {
            Ok(OutTarget::Slot(*slot))
        }
        _ => Err(not_a_variable(n, callee)),
    }
}

/// 1414.
pub fn not_a_variable(n: usize, callee: &Code) -> SqlError {
    SqlError::of(errno::ER_SP_NOT_VAR_ARG, &[&(n + 1), &callee.full_name()])
}

fn not_open() -> SqlError {
    SqlError::of(errno::ER_SP_CURSOR_NOT_OPEN, &[])
}
