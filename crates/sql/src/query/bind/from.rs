//! FROM: the tables of a block, joins, index hints.

use super::effort::Expanded;
use super::merge::Place;
use super::recursive::names_itself;
use super::scope::{self, Scope, ScopeColumn, ScopeTable};
use super::select::split_and;
use super::{Bind, Binder, Working, partition, using};
use crate::account::Privileges;
use crate::context::VirtualHint;
use crate::errno;
use crate::infoschema::told;
use crate::meta::cache::no_such_table;
use crate::meta::{ColumnDefault, SqlIndex, SqlTable, TableMeta};
use crate::query::plan::raw::{Raw, RawGroup};
use crate::query::plan::shape::Shape;
use crate::query::plan::{Origin, QueryPlan, Source, TableSlot};
use crate::session_api::{SqlError, column_flag};
use crate::value::{SqlType, TypeInfo};
use crate::vars::switches::Switch;
use std::collections::HashSet;
use std::sync::Arc;
use weir_syntax::ast::{self, JoinCondition, JoinKind, TableRef};

/// Tables of one join at most, as in MySQL.
pub const MAX_TABLES: usize = 61;
pub const TOO_MANY_TABLES: u16 = errno::ER_TOO_MANY_TABLES;

/// 1116.
pub fn too_many_tables() -> SqlError {
    SqlError::of(TOO_MANY_TABLES, &[&MAX_TABLES])
}

impl Binder<'_> {
    pub fn from(
        &mut self,
        t: &TableRef,
        group: Option<usize>,
        raw: &mut Raw,
        tables: &mut Vec<TableSlot>,
    ) -> Bind<()> {
        match t {
            TableRef::Table(f) => self.table_factor(f, group, raw, tables),
            TableRef::Derived { lateral, query, alias, columns } => {
                if *lateral {
                    let (plan, of) = self.lateral(query)?;
                    self.add_derived(alias.as_str(), columns, plan, group, raw, tables)?;
                    if let Some(t) = tables.last_mut() {
                        t.lateral = Some(of);
                    }
                    return Ok(());
                }
                let here = self.stack.len() - 1;
                let named = Named { alias: alias.as_str(), columns, common: None };
                self.derived(named, query, here, group, raw, tables)
            }
            TableRef::List(list) => list.iter().try_for_each(|t| self.from(t, group, raw, tables)),
            TableRef::Join(j) => self.join(j, group, raw, tables),
            TableRef::JsonTable(j) => {
                let (plan, of) = self.json_table(j)?;
                self.add_derived(j.alias.as_str(), &[], plan, group, raw, tables)?;
                if let Some(t) = tables.last_mut() {
                    t.lateral = Some(of);
                }
                Ok(())
            }
        }
    }

    /// A derived table that sees the tables before it: its plan, and which of them it reads.
    pub fn lateral(&mut self, query: &ast::Query) -> Bind<(QueryPlan, u64)> {
        let here = self.stack.len();
        self.collectors.push((here, Vec::new()));
        let bound = self.bind_query(query);
        let (_, refs) = self.collectors.pop().unwrap_or_default();
        let own = refs.iter().filter(|(level, t)| *level + 1 == here && *t != super::AGGREGATE);
        Ok((bound?, own.fold(0, |bits, (_, table)| bits | 1 << table)))
    }

    /// Binds something that sees none of the names around it.
    pub fn isolated<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let stack = std::mem::take(&mut self.stack);
        let collectors = std::mem::take(&mut self.collectors);
        let draws = self.draws;
        let wildcards = self.wildcards.take();
        let out = f(self);
        self.stack = stack;
        self.collectors = collectors;
        self.draws = draws;
        self.wildcards = wildcards;
        out
    }

    fn table_factor(
        &mut self,
        f: &ast::TableFactor,
        group: Option<usize>,
        raw: &mut Raw,
        tables: &mut Vec<TableSlot>,
    ) -> Bind<()> {
        let without_partitions = || match f.partitions.is_empty() {
            true => Ok(()),
            false => Err(SqlError::of(errno::ER_PARTITION_CLAUSE_ON_NONPARTITIONED, &[])),
        };
        let name = f.name.name.as_str();
        let alias: &str = f.alias.as_ref().map_or(name, |a| a.as_str());
        if let (true, Some(shown)) = (name.is_empty(), self.env.reads.shown) {
            return self.add_working(alias, Working::shown(shown), group, raw, tables);
        }
        if f.name.schema.is_none()
            && let Some(at) = self.ctes.iter().rposition(|c| *c.name == *name)
        {
            without_partitions()?;
            if let Some(working) = self.ctes[at].working.clone() {
                return self.add_working(alias, working, group, raw, tables);
            }
            self.expand(Expanded::CommonTable)?;
            let (columns, query) = (self.ctes[at].columns.clone(), self.ctes[at].query.clone());
            if self.ctes[at].recursive && names_itself(&query.body, name) {
                let common = Some(self.ctes[at].number);
                let named = Named { alias, columns: &columns, common };
                let made = self.recursive_table(at, &columns, &query)?;
                return self.read_before(named, made, group, raw, tables);
            }
            // A common table sees those before it, not itself.
            let later = self.ctes.split_off(at);
            let level = later.first().map_or(0, |c| c.level);
            let common = later.first().map(|c| c.number);
            let named = Named { alias, columns: &columns, common };
            let done = self.derived(named, &query, level, group, raw, tables);
            self.ctes.extend(later);
            return done;
        }
        let schema = match (&f.name.schema, self.env.reads.schema) {
            (Some(s), _) => s.as_str(),
            (None, Some(s)) => s,
            (None, None) if name.eq_ignore_ascii_case("dual") => return Ok(()),
            (None, None) => return Err(SqlError::no_database()),
        };
        let computed = self.env.reads.shared.computed(schema, name);
        if let Some(v) = computed.filter(|_| !self.is_temporary(schema, name)) {
            without_partitions()?;
            self.virtuals = true;
            self.uses.table(schema, name, Privileges::NONE);
            let columns = v
                .columns()
                .iter()
                .map(|c| {
                    let origin = Origin {
                        schema: v.schema().into(),
                        table: alias.into(),
                        org_table: v.name().into(),
                        column: c.name.as_ref().into(),
                        flags: 0,
                        computed: false,
                        told: told::of_table(v.schema(), v.name(), &c.name),
                    };
                    ScopeColumn {
                        name: c.name.as_ref().into(),
                        info: TypeInfo::column(c.ty, c.nullable),
                        hidden: false,
                        origin: Some(Arc::new(origin)),
                    }
                })
                .collect();
            let scope = ScopeTable {
                schema: schema.into(),
                alias: alias.into(),
                columns,
                nullable: false,
                merged: None,
                row_id: None,
            };
            return self.add(
                scope,
                Source::Virtual(v, VirtualHint::default()),
                group,
                None,
                raw,
                tables,
            );
        }
        if schema.eq_ignore_ascii_case("information_schema") {
            return Err(SqlError::of(
                errno::ER_UNKNOWN_TABLE,
                &[&name.to_uppercase(), &"information_schema"],
            ));
        }
        if crate::ddl::is_virtual_schema(schema) {
            return Err(no_such_table(schema, name));
        }
        let temporary = self.is_temporary(schema, name);
        if !temporary && let Some(o) = super::view::find(self.env, schema, name) {
            if let Some(hint) = f.index_hints.iter().flat_map(|h| &h.indexes).next() {
                return Err(SqlError::of(errno::ER_KEY_DOES_NOT_EXITS, &[&hint, &alias]));
            }
            without_partitions()?;
            self.uses.table(schema, name, Privileges::NONE);
            if self.views.is_empty() {
                self.env.reads.may_read(schema, name, alias)?;
            }
            self.expand(Expanded::View)?;
            return self.view(&o, alias, &mut Place { group, raw, tables });
        }
        let table = self.table(schema, name)?;
        if !temporary {
            self.uses.table(schema, table.name(), Privileges::NONE);
        }
        if self.views.is_empty() && !temporary {
            self.env.reads.may_read(schema, table.name(), alias)?;
        }
        self.seen.push(table.clone());
        let usable = usable_indexes(&table, &f.index_hints)?;
        let scope = table_scope(&table, alias);
        let selected = partition::selected(&table, &f.partitions)?;
        self.add(scope, Source::Table(table), group, usable, raw, tables)?;
        if let Some(slot) = tables.last_mut() {
            slot.selected = selected;
        }
        if f.index_hints.iter().any(|h| h.kind == ast::IndexHintKind::Force) {
            raw.forced |= 1 << (tables.len() - 1);
        }
        Ok(())
    }

    /// A query as a table of the block: merged with it, or read before it. It sees the blocks below `level`.
    fn derived(
        &mut self,
        named: Named<'_>,
        query: &ast::Query,
        level: usize,
        group: Option<usize>,
        raw: &mut Raw,
        tables: &mut Vec<TableSlot>,
    ) -> Bind<()> {
        if self.merges_derived && !self.is_off(Switch::DerivedMerge) {
            let at = &mut Place { group, raw, tables };
            if let Some(parts) = self.merge(query, ast::ViewCheck::None, at)? {
                let told = parts.columns.iter().map(|c| {
                    let origin = c.origin.as_ref();
                    (c.name.clone(), c.info, origin.map_or((0, true), |o| (o.flags, o.computed)))
                });
                let columns = derived_columns(named.alias, named.columns, told.collect())?;
                let name = ("".into(), named.alias.into());
                return self.name_merged(parts, name, columns, None, at);
            }
        }
        let made = self.outside(level, |b| b.bind_query(query))?;
        self.read_before(named, made, group, raw, tables)
    }

    /// A derived table; one that looks at the blocks around is made again for each run of this one.
    fn read_before(
        &mut self,
        named: Named<'_>,
        (plan, looks_out): (QueryPlan, bool),
        group: Option<usize>,
        raw: &mut Raw,
        tables: &mut Vec<TableSlot>,
    ) -> Bind<()> {
        self.add_derived(named.alias, named.columns, plan, group, raw, tables)?;
        if let Some(t) = tables.last_mut() {
            t.lateral = looks_out.then_some(0);
            t.common = named.common;
        }
        Ok(())
    }

    /// Binds a query that sees the blocks below a level, and not those from there on that it stands in. With whether it reads rows of one.
    pub fn outside(
        &mut self,
        level: usize,
        f: impl FnOnce(&mut Self) -> Bind<QueryPlan>,
    ) -> Bind<(QueryPlan, bool)> {
        let unseen: Vec<Scope> =
            self.stack[level..].iter_mut().map(|c| std::mem::take(&mut c.scope)).collect();
        self.collectors.push((self.stack.len(), Vec::new()));
        // A table is made once, whatever it draws.
        let draws = self.draws;
        let bound = f(self);
        self.draws = draws;
        let (_, refs) = self.collectors.pop().unwrap_or_default();
        for (c, scope) in self.stack[level..].iter_mut().zip(unseen) {
            c.scope = scope;
        }
        Ok((bound?, !refs.is_empty()))
    }

    fn add_derived(
        &mut self,
        alias: &str,
        names: &[ast::Ident],
        plan: QueryPlan,
        group: Option<usize>,
        raw: &mut Raw,
        tables: &mut Vec<TableSlot>,
    ) -> Bind<()> {
        let merged = plan.would_merge();
        let told = (0..plan.columns.len()).map(|i| {
            let (info, flags) = plan.told_outside(i, merged);
            (plan.columns[i].name.clone(), info, flags)
        });
        let columns = derived_columns(alias, names, told.collect())?;
        let scope = ScopeTable { alias: alias.into(), columns, ..ScopeTable::unseen(None) };
        self.add(scope, Source::Derived(Box::new(plan)), group, None, raw, tables)
    }

    /// 1066 when the block has a table of the name already.
    pub fn refuse_twin(&self, schema: &str, alias: &str) -> Bind<()> {
        let same = |t: &ScopeTable| {
            *t.alias == *alias && (*t.schema == *schema || t.schema.is_empty() || schema.is_empty())
        };
        match self.top().scope.tables.iter().any(same) {
            true => Err(SqlError::of(errno::ER_NONUNIQ_TABLE, &[&alias])),
            false => Ok(()),
        }
    }

    pub fn add(
        &mut self,
        scope: ScopeTable,
        source: Source,
        group: Option<usize>,
        usable: Option<Vec<usize>>,
        raw: &mut Raw,
        tables: &mut Vec<TableSlot>,
    ) -> Bind<()> {
        self.refuse_twin(&scope.schema, &scope.alias)?;
        if tables.len() >= MAX_TABLES {
            return Err(too_many_tables());
        }
        let bit = 1u64 << tables.len();
        let mut g = group;
        while let Some(i) = g {
            raw.groups[i].tables |= bit;
            g = raw.groups[i].parent;
        }
        tables.push(TableSlot::new(scope.alias.clone(), source));
        raw.group_of.push(group);
        raw.usable.push(usable);
        self.top_mut().scope.push(scope);
        Ok(())
    }

    fn join(
        &mut self,
        j: &ast::Join,
        group: Option<usize>,
        raw: &mut Raw,
        tables: &mut Vec<TableSlot>,
    ) -> Bind<()> {
        let (begin, named) = (tables.len(), self.top().scope.columns.len());
        let outer = |raw: &mut Raw| {
            raw.groups.push(RawGroup { parent: group, tables: 0, on: Vec::new() });
            Some(raw.groups.len() - 1)
        };
        let (left, right) = match j.kind {
            JoinKind::Inner | JoinKind::Straight => (group, group),
            JoinKind::Left => (group, outer(raw)),
            JoinKind::Right => (outer(raw), group),
        };
        self.from(&j.left, left, raw, tables)?;
        let (middle, between) = (tables.len(), self.top().scope.columns.len());
        let reachable = self.top().unreachable;
        if j.kind == JoinKind::Right {
            // They are read behind what stands at its right.
            self.top_mut().unreachable |= (begin..middle).fold(0, |bits, t| bits | 1 << t);
        }
        self.from(&j.right, right, raw, tables)?;
        self.top_mut().unreachable = reachable;
        if j.kind == JoinKind::Straight {
            let bits = |range: std::ops::Range<usize>| range.fold(0, |all, t| all | 1u64 << t);
            (middle..tables.len()).for_each(|t| raw.put_behind(t, bits(begin..middle)));
        }
        let mut conds = Vec::new();
        match &j.condition {
            None => {}
            Some(JoinCondition::On(e)) => {
                self.place("on clause");
                let around = std::mem::replace(&mut self.top_mut().scope.first, begin);
                let e = self.numeric(e);
                self.top_mut().scope.first = around;
                let e = e?;
                self.equal_variables(&e, true);
                split_and(e, &mut conds);
            }
            Some(JoinCondition::Using(names)) => {
                let operands = using::Operands { kind: j.kind, named, between };
                conds = self.join_columns(operands, Some(names))?;
            }
            Some(JoinCondition::Natural) => {
                let operands = using::Operands { kind: j.kind, named, between };
                conds = self.join_columns(operands, None)?;
            }
        }
        let inner = match j.kind {
            JoinKind::Inner | JoinKind::Straight => None,
            JoinKind::Left => right.map(|g| (g, middle..tables.len())),
            JoinKind::Right => left.map(|g| (g, begin..middle)),
        };
        match inner {
            Some((g, range)) => {
                raw.groups[g].on.extend(conds);
                for t in range {
                    self.top_mut().scope.tables[t].nullable = true;
                }
            }
            None => match group {
                Some(g) => raw.groups[g].on.extend(conds),
                None => raw.conds.extend(conds),
            },
        }
        Ok(())
    }
}

/// What a derived table is called, and which common table it is, if it is one.
struct Named<'n> {
    alias: &'n str,
    columns: &'n [ast::Ident],
    common: Option<u32>,
}

/// A column's name, its type, and its flags with whether it is an expression.
type Told = (Arc<str>, TypeInfo, (u16, bool));

/// The columns of a derived table, named by its list or as its query names them.
fn derived_columns(alias: &str, names: &[ast::Ident], of: Vec<Told>) -> Bind<Vec<ScopeColumn>> {
    if !names.is_empty() && names.len() != of.len() {
        return Err(SqlError::of(errno::ER_VIEW_WRONG_LIST, &[]));
    }
    let mut columns: Vec<ScopeColumn> = Vec::new();
    let mut known = HashSet::new();
    for (i, (own, info, (flags, computed))) in of.into_iter().enumerate() {
        let name: Arc<str> = names.get(i).map_or(own, |n| n.as_str().into());
        if !known.insert(crate::meta::folded(&name)) {
            return Err(SqlError::of(errno::ER_DUP_FIELDNAME, &[&name]));
        }
        let origin = Origin {
            schema: "".into(),
            table: alias.into(),
            org_table: alias.into(),
            column: name.clone(),
            flags,
            computed,
            told: None,
        };
        columns.push(ScopeColumn { name, info, hidden: false, origin: Some(Arc::new(origin)) });
    }
    Ok(columns)
}

pub fn shapes_of(tables: &[TableSlot]) -> Vec<Shape> {
    tables
        .iter()
        .map(|t| match &t.source {
            Source::Table(t) => Shape::Table(t.clone()),
            Source::Derived(q) => Shape::Values(q.columns.iter().map(|c| c.info.ty).collect()),
            Source::Virtual(v, _) => Shape::Values(v.columns().iter().map(|c| c.ty).collect()),
            Source::Working(_, columns) => {
                Shape::Values(columns.iter().map(|c| c.info.ty).collect())
            }
        })
        .collect()
}

/// The column that `_rowid` stands for: that of the primary key, or of the first unique key without NULLs, where it is one whole number.
fn row_id(table: &TableMeta) -> Option<u16> {
    let [part] = table.indexes[table.clustered()?].parts.as_slice() else { return None };
    let is_int = matches!(table.columns[part.column].ty, SqlType::Int { .. });
    (is_int && part.prefix.is_none()).then_some(part.column as u16)
}

pub fn table_scope(table: &Arc<SqlTable>, alias: &str) -> ScopeTable {
    let columns = table
        .meta
        .columns
        .iter()
        .enumerate()
        .map(|(i, c)| {
            let mut flags = match table.meta.column_key(i) {
                "PRI" => column_flag::PRI_KEY,
                "UNI" => column_flag::UNIQUE_KEY,
                "MUL" => column_flag::MULTIPLE_KEY,
                _ => 0,
            };
            let in_index = |index: &SqlIndex| index.parts.iter().any(|p| p.column == i);
            let special = table.meta.special.iter().any(|k| k.columns.contains(&i));
            if special || table.meta.indexes.iter().any(in_index) {
                flags |= column_flag::PART_KEY;
            }
            if c.auto_increment {
                flags |= column_flag::AUTO_INCREMENT;
            }
            let fills_itself = c.auto_increment || c.is_generated() && c.nullable;
            if matches!(c.default, ColumnDefault::None | ColumnDefault::Generated { .. })
                && !fills_itself
            {
                flags |= column_flag::NO_DEFAULT_VALUE;
            }
            // Of a DATETIME with the same clauses MySQL says nothing.
            if matches!(c.ty, SqlType::Timestamp { .. }) {
                if c.on_update_now.is_some() {
                    flags |= column_flag::ON_UPDATE_NOW;
                }
                let set = matches!(c.default, ColumnDefault::CurrentTimestamp(_));
                if set || c.on_update_now.is_some() {
                    flags |= column_flag::TIMESTAMP;
                }
            }
            let origin = Origin {
                schema: table.schema().into(),
                table: alias.into(),
                org_table: table.name().into(),
                column: c.name.as_str().into(),
                flags,
                computed: false,
                told: None,
            };
            ScopeColumn {
                name: scope::column_name(c),
                info: TypeInfo::column(c.ty, c.nullable),
                hidden: c.invisible,
                origin: Some(Arc::new(origin)),
            }
        })
        .collect();
    ScopeTable {
        schema: table.schema().into(),
        alias: alias.into(),
        columns,
        nullable: false,
        merged: None,
        row_id: row_id(&table.meta),
    }
}

/// USE, FORCE and IGNORE INDEX, as engine positions.
pub fn usable_indexes(t: &SqlTable, hints: &[ast::IndexHint]) -> Bind<Option<Vec<usize>>> {
    let visible: Vec<usize> =
        (0..t.meta.indexes.len()).filter(|i| t.meta.indexes[*i].visible).collect();
    let mut chosen = if visible.len() == t.meta.indexes.len() {
        None
    } else {
        Some(visible.iter().map(|i| t.engine_indexes[*i]).collect::<Vec<_>>())
    };
    let mut used = Vec::new();
    for h in hints {
        let mut named = Vec::new();
        for n in &h.indexes {
            // A FULLTEXT or SPATIAL key is there, and is no way to the rows.
            if t.meta.special_key(n.as_str()).is_some() {
                continue;
            }
            let found = t.meta.index(n.as_str()).filter(|i| t.meta.indexes[*i].visible);
            let Some(i) = found else {
                return Err(SqlError::of(errno::ER_KEY_DOES_NOT_EXITS, &[&n, &t.name()]));
            };
            named.push(t.engine_indexes[i]);
        }
        let all: Vec<usize> = chosen.clone().unwrap_or_else(|| t.engine_indexes.clone());
        chosen = Some(match h.kind {
            ast::IndexHintKind::Ignore => all.into_iter().filter(|i| !named.contains(i)).collect(),
            // Several of these name one list together.
            ast::IndexHintKind::Use | ast::IndexHintKind::Force => {
                used.extend(named);
                used.clone()
            }
        });
    }
    Ok(chosen)
}
