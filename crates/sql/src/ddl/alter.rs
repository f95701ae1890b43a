//! What ALTER TABLE asks for: from the old definition to the new one, without touching the table.

use super::carried::{carried, now_at};
use super::check::{self, Gone, NewCheck};
use super::column::{NewColumn, check_column_name, column_default, new_column};
use super::keys::{self, Keys};
use super::plan::{Algorithm, Lock, Plan};
use super::refused::{cannot_drop, duplicate_key_name, not_for_generated};
use super::{
    Env, build, computed, foreign, functional, gipk, histogram, options, partition, special,
};
use crate::errno;
use crate::meta::{
    CheckConstraint, ColumnDefault, ForeignKey, PRIMARY, SpecialKey, SqlColumn, SqlIndex,
    TableMeta, same_name,
};
use crate::session_api::SqlError;
use crate::value::{Charset, Collation, LobKind, SqlType};
use weir_syntax::ast::{
    AlterSpec, ColumnPlace, Expr, ForeignKeyDef, Ident, KeyDef, KeyKind, TableElement, TableOption,
};

/// A column on its way from the old table to the new one.
struct Entry {
    source: Option<usize>,
    column: SqlColumn,
    explicit_null: bool,
}

struct Draft<'o> {
    old: &'o TableMeta,
    table: &'o str,
    entries: Vec<Entry>,
    /// Old indexes that remain, with parts as old column positions, and whether a rename touched them.
    indexes: Vec<SqlIndex>,
    /// The same of FULLTEXT and SPATIAL keys.
    special: Vec<SpecialKey>,
    key_defs: Vec<KeyDef>,
    checks: Vec<CheckConstraint>,
    new_checks: Vec<NewCheck>,
    foreign: Vec<ForeignKey>,
    new_foreign: Vec<ForeignKeyDef>,
    /// Places in `key_defs` of the indexes for new foreign keys.
    made: Vec<usize>,
    /// Columns that are defined, and their expressions.
    computed: Vec<(String, Expr)>,
    collation: Collation,
}

/// Works out the new definition. Clauses are taken in MySQL's order: what goes, what changes, what comes.
pub fn plan(
    old: &TableMeta,
    table: &str,
    specs: &[AlterSpec],
    env: &mut Env<'_>,
) -> Result<Plan, SqlError> {
    let mut plan = Plan {
        meta: old.clone(),
        sources: Vec::new(),
        auto_increment: None,
        rename: None,
        validates: false,
        new_foreign: 0,
        force: false,
        repartitions: specs
            .iter()
            .any(|s| matches!(s, AlterSpec::PartitionBy(_) | AlterSpec::RemovePartitioning)),
        order_by: false,
        keys_switch: false,
        algorithm: Algorithm::Default,
        lock: Lock::Default,
    };
    gipk::check_alter(old, specs, env)?;
    table_specs(&mut plan, old, table, specs, env)?;
    let mut draft = Draft {
        old,
        table,
        entries: old
            .columns
            .iter()
            .enumerate()
            .map(|(i, c)| Entry { source: Some(i), column: c.clone(), explicit_null: false })
            .collect(),
        indexes: old.indexes.clone(),
        special: old.special.clone(),
        key_defs: Vec::new(),
        checks: old.checks.clone(),
        new_checks: Vec::new(),
        foreign: old.foreign.clone(),
        new_foreign: Vec::new(),
        made: Vec::new(),
        computed: Vec::new(),
        collation: plan.meta.collation,
    };
    for spec in specs {
        draft.drop(spec)?;
    }
    for spec in specs {
        draft.change(spec, env)?;
    }
    draft.rename_indexes(specs)?;
    for spec in specs {
        draft.add(spec, env)?;
    }
    draft.finish(&mut plan, env)?;
    Ok(plan)
}

fn unknown_column(name: &str, table: &str) -> SqlError {
    SqlError::of(errno::ER_BAD_FIELD_ERROR, &[&name, &table])
}

fn no_such_key(name: &str, table: &str) -> SqlError {
    SqlError::of(errno::ER_KEY_DOES_NOT_EXITS, &[&name, &table])
}

/// Clauses about the table as a whole, and those that are refused.
fn table_specs(
    plan: &mut Plan,
    old: &TableMeta,
    table: &str,
    specs: &[AlterSpec],
    env: &mut Env<'_>,
) -> Result<(), SqlError> {
    let given: Vec<TableOption> = specs
        .iter()
        .filter_map(|s| match s {
            AlterSpec::Option(option) => Some(option.clone()),
            _ => None,
        })
        .collect();
    let found = options::read(table, &given, old.collation, env)?;
    plan.force = found.engine;
    plan.auto_increment = found.auto_increment;
    if let Some(collation) = found.collation {
        plan.meta.collation = collation;
    }
    if let Some(comment) = found.comment {
        plan.meta.comment = comment;
    }
    options::merge(&mut plan.meta.options, &found.kept);
    for spec in specs {
        match spec {
            AlterSpec::Force => plan.force = true,
            AlterSpec::OrderBy(_) => plan.order_by = true,
            AlterSpec::Validation(validates) => {
                if !specs.iter().any(defines_column) {
                    return Err(SqlError::of(
                        errno::ER_WRONG_USAGE,
                        &[&"ALTER", &"WITH VALIDATION"],
                    ));
                }
                plan.validates = *validates;
            }
            AlterSpec::DisableKeys | AlterSpec::EnableKeys => plan.keys_switch = true,
            AlterSpec::RenameTo(name) => plan.rename = Some(name.clone()),
            AlterSpec::Algorithm(word) => plan.algorithm = algorithm(word)?,
            AlterSpec::Lock(word) => plan.lock = lock(word)?,
            AlterSpec::ConvertCharset { charset, collation } => {
                plan.meta.collation =
                    convert_target(charset.as_deref(), collation.as_deref(), old, env)?;
            }
            other => refuse(other)?,
        }
    }
    Ok(())
}

/// What WITH and WITHOUT VALIDATION may stand beside.
fn defines_column(spec: &AlterSpec) -> bool {
    matches!(
        spec,
        AlterSpec::AddColumn { .. }
            | AlterSpec::AddElements(_)
            | AlterSpec::ModifyColumn { .. }
            | AlterSpec::ChangeColumn { .. }
            | AlterSpec::RenameColumn { .. }
    )
}

/// 1800 for a word that is no algorithm.
pub fn algorithm(word: &Ident) -> Result<Algorithm, SqlError> {
    match word.as_str().to_ascii_uppercase().as_str() {
        "DEFAULT" => Ok(Algorithm::Default),
        "INSTANT" => Ok(Algorithm::Instant),
        "INPLACE" => Ok(Algorithm::Inplace),
        "COPY" => Ok(Algorithm::Copy),
        _ => Err(SqlError::of(errno::ER_UNKNOWN_ALTER_ALGORITHM, &[&word])),
    }
}

/// 1801 for a word that is no lock.
pub fn lock(word: &Ident) -> Result<Lock, SqlError> {
    match word.as_str().to_ascii_uppercase().as_str() {
        "DEFAULT" => Ok(Lock::Default),
        "NONE" => Ok(Lock::None),
        "SHARED" => Ok(Lock::Shared),
        "EXCLUSIVE" => Ok(Lock::Exclusive),
        _ => Err(SqlError::of(errno::ER_UNKNOWN_ALTER_LOCK, &[&word])),
    }
}

fn convert_target(
    charset: Option<&str>,
    collation: Option<&str>,
    old: &TableMeta,
    env: &mut Env<'_>,
) -> Result<Collation, SqlError> {
    let charset: Option<Charset> =
        charset.map(|c| super::types::charset_by_name(c, env)).transpose()?;
    match (charset, collation) {
        (charset, Some(name)) => super::types::collation_for(name, charset, env),
        (Some(charset), None) => Ok(env.default_of(charset)),
        (None, None) => Ok(env.default_of(old.collation.charset())),
    }
}

fn refuse(spec: &AlterSpec) -> Result<(), SqlError> {
    let what = match spec {
        AlterSpec::DiscardTablespace => "DISCARD TABLESPACE",
        AlterSpec::ImportTablespace => "IMPORT TABLESPACE",
        AlterSpec::SecondaryLoad | AlterSpec::SecondaryUnload => "secondary engines",
        AlterSpec::DiscardPartitionTablespace(_) => "DISCARD PARTITION ... TABLESPACE",
        AlterSpec::ImportPartitionTablespace(_) => "IMPORT PARTITION ... TABLESPACE",
        _ => return Ok(()),
    };
    Err(SqlError::not_supported(what))
}

impl Draft<'_> {
    /// The entry of an old column, by its old name.
    fn entry(&mut self, name: &Ident) -> Option<&mut Entry> {
        let old = self.old.column(name.as_str())?;
        self.entries.iter_mut().find(|e| e.source == Some(old))
    }

    fn drop(&mut self, spec: &AlterSpec) -> Result<(), SqlError> {
        match spec {
            AlterSpec::DropColumn(name) => {
                let old = self.old.column(name.as_str());
                let at = self.entries.iter().position(|e| e.source.is_some() && e.source == old);
                self.entries.remove(at.ok_or_else(|| cannot_drop(name.as_str()))?);
            }
            AlterSpec::DropKey(name) => self.drop_index(name.as_str())?,
            AlterSpec::DropPrimaryKey => self.drop_index(PRIMARY)?,
            AlterSpec::DropForeignKey(name) => {
                let at = self.foreign_key(name).ok_or_else(|| cannot_drop(name.as_str()))?;
                self.foreign.remove(at);
            }
            AlterSpec::DropCheck(name) => {
                let at = self.check(name).ok_or_else(|| check::not_found(name.as_str()))?;
                self.checks.remove(at);
            }
            AlterSpec::DropConstraint(name) => self.drop_constraint(name)?,
            _ => {}
        }
        Ok(())
    }

    /// The check that ALTER CONSTRAINT names: 3940 where there is no constraint of the name, 3941 where it is a key, 3939 where there are
    /// several.
    fn enforceable(&self, name: &Ident) -> Result<usize, SqlError> {
        let unique = self.old.index(name.as_str()).filter(|&i| self.old.indexes[i].unique);
        let key = unique.is_some() || self.foreign_key(name).is_some();
        match (self.check(name), key) {
            (Some(_), true) => {
                Err(SqlError::of(errno::ER_MULTIPLE_CONSTRAINTS_WITH_SAME_NAME, &[&name, &"ALTER"]))
            }
            (Some(at), false) => Ok(at),
            (None, true) => {
                Err(SqlError::of(errno::ER_ALTER_CONSTRAINT_ENFORCEMENT_NOT_SUPPORTED, &[&name]))
            }
            (None, false) => Err(SqlError::of(errno::ER_CONSTRAINT_NOT_FOUND, &[&name])),
        }
    }

    /// A check, a unique key or a foreign key, whichever has the name; of several none goes (3939).
    fn drop_constraint(&mut self, name: &Ident) -> Result<(), SqlError> {
        let unique = self.old.index(name.as_str()).filter(|&i| self.old.indexes[i].unique);
        match (self.check(name), unique, self.foreign_key(name)) {
            (Some(_), Some(_), _) | (Some(_), _, Some(_)) | (_, Some(_), Some(_)) => {
                Err(SqlError::of(errno::ER_MULTIPLE_CONSTRAINTS_WITH_SAME_NAME, &[&name, &"DROP"]))
            }
            (Some(at), None, None) => {
                self.checks.remove(at);
                Ok(())
            }
            (None, Some(_), None) => self.drop_index(name.as_str()),
            (None, None, Some(at)) => {
                self.foreign.remove(at);
                Ok(())
            }
            (None, None, None) => Err(SqlError::of(errno::ER_CONSTRAINT_NOT_FOUND, &[&name])),
        }
    }

    fn foreign_key(&self, name: &Ident) -> Option<usize> {
        self.foreign.iter().position(|k| k.is_named(name.as_str(), self.table))
    }

    fn add_foreign(&mut self, def: &ForeignKeyDef) {
        self.made.push(self.key_defs.len());
        self.key_defs.push(foreign::supporting_key(def));
        self.new_foreign.push(def.clone());
    }

    fn check(&self, name: &Ident) -> Option<usize> {
        self.checks.iter().position(|c| c.is_named(name.as_str(), self.table))
    }

    fn drop_index(&mut self, name: &str) -> Result<(), SqlError> {
        if let Some(at) = self.special.iter().position(|k| same_name(&k.name, name)) {
            self.special.remove(at);
            return Ok(());
        }
        let at = self.indexes.iter().position(|i| same_name(&i.name, name));
        self.indexes.remove(at.ok_or_else(|| cannot_drop(name))?);
        Ok(())
    }

    fn change(&mut self, spec: &AlterSpec, env: &mut Env<'_>) -> Result<(), SqlError> {
        let table = self.table;
        let unknown = |name: &Ident| unknown_column(name.as_str(), table);
        match spec {
            AlterSpec::ModifyColumn { column, .. } => {
                let name = column.name.clone();
                let new = new_column(column, self.collation, env)?;
                self.replace(&name, new)?;
            }
            AlterSpec::ChangeColumn { old, column, .. } => {
                let new = new_column(column, self.collation, env)?;
                self.replace(old, new)?;
            }
            AlterSpec::RenameColumn { old, new } => {
                check_column_name(new.as_str())?;
                let entry = self.entry(old).ok_or_else(|| unknown(old))?;
                entry.column.name = new.as_str().into();
            }
            AlterSpec::SetDefault { column, value, parens } => {
                self.set_default(column, value, *parens, env)?;
            }
            AlterSpec::DropDefault(name) => {
                let entry = self.entry(name).ok_or_else(|| unknown(name))?;
                if !entry.column.is_generated() {
                    entry.column.default = ColumnDefault::None;
                }
            }
            AlterSpec::SetColumnVisible { column, visible } => {
                let entry = self.entry(column).ok_or_else(|| unknown(column))?;
                entry.column.invisible = !visible;
            }
            AlterSpec::SetIndexVisible { index, visible } => {
                let special = self.special.iter_mut().find(|k| same_name(&k.name, index.as_str()));
                if let Some(key) = special {
                    key.visible = *visible;
                    return Ok(());
                }
                let found = self.indexes.iter_mut().find(|i| same_name(&i.name, index.as_str()));
                let found = found.ok_or_else(|| no_such_key(index.as_str(), table))?;
                if found.is_primary() && !visible {
                    return Err(SqlError::of(errno::ER_PK_INDEX_CANT_BE_INVISIBLE, &[]));
                }
                found.visible = *visible;
            }
            AlterSpec::SetCheckEnforced { name, enforced, any } => {
                let at = match any {
                    true => Some(self.enforceable(name)?),
                    false => self.check(name),
                };
                let at = at.ok_or_else(|| check::not_found(name.as_str()))?;
                self.checks[at].enforced = *enforced;
            }
            AlterSpec::ConvertCharset { .. } => self.convert_charset()?,
            _ => {}
        }
        Ok(())
    }

    fn set_default(
        &mut self,
        name: &Ident,
        value: &Expr,
        parens: bool,
        env: &mut Env<'_>,
    ) -> Result<(), SqlError> {
        let table = self.table;
        let entry = self.entry(name).ok_or_else(|| unknown_column(name.as_str(), table))?;
        if entry.column.is_generated() {
            return Err(SqlError::of(errno::ER_WRONG_USAGE, &[&"DEFAULT", &"generated column"]));
        }
        if entry.column.auto_increment {
            return Err(super::column::invalid_default(&entry.column.name));
        }
        entry.column.default = column_default(&entry.column, value, parens, env)?;
        if parens {
            let name = entry.column.name.clone();
            self.computed.push((name, value.clone()));
        }
        Ok(())
    }

    fn replace(&mut self, old: &Ident, new: NewColumn) -> Result<(), SqlError> {
        let table = self.table;
        let computed = new.computed();
        let entry = self.entry(old).ok_or_else(|| unknown_column(old.as_str(), table))?;
        same_storage(&entry.column, &new.column)?;
        entry.column = new.column;
        entry.explicit_null = new.explicit_null;
        self.computed.extend(computed);
        self.key_defs.extend(new.keys);
        self.new_checks.extend(new.checks);
        Ok(())
    }

    /// All RENAME INDEX of the statement at once: each names an index as it was, so two may change names with each other, and no clause sees the name
    /// that another one gives.
    fn rename_indexes(&mut self, specs: &[AlterSpec]) -> Result<(), SqlError> {
        // Places among `indexes`, behind them those among `special`.
        let mut renamed: Vec<(usize, &Ident)> = Vec::new();
        for spec in specs {
            let AlterSpec::RenameIndex { old, new } = spec else { continue };
            if old.is(PRIMARY) || new.is(PRIMARY) {
                let name = if old.is(PRIMARY) { old } else { new };
                return Err(SqlError::of(errno::ER_WRONG_NAME_FOR_INDEX, &[&name]));
            }
            super::refused::check_length(new.as_str())?;
            let shows = |s: &AlterSpec| matches!(s, AlterSpec::SetIndexVisible { index, .. } if same_name(index.as_str(), old.as_str()));
            if specs.iter().any(shows) {
                return Err(no_such_key(old.as_str(), self.table));
            }
            let mut names = self.index_names();
            let at = names.position(|n| same_name(n, old.as_str()));
            let free = at.filter(|at| renamed.iter().all(|(taken, _)| taken != at));
            let at = free.ok_or_else(|| no_such_key(old.as_str(), self.table))?;
            renamed.push((at, new));
        }
        for (at, new) in &renamed {
            let others = self.index_names().enumerate().filter(|(n, _)| n != at);
            let named =
                |n: usize| renamed.iter().find(|(at, _)| *at == n).map(|(_, new)| new.as_str());
            let mut names = others.map(|(n, name)| named(n).unwrap_or(name));
            if names.any(|n| same_name(n, new.as_str())) {
                return Err(duplicate_key_name(new.as_str()));
            }
        }
        for (at, new) in renamed {
            match at.checked_sub(self.indexes.len()) {
                Some(special) => self.special[special].name = new.as_str().into(),
                None => self.name_index(at, new.as_str()),
            }
        }
        Ok(())
    }

    fn index_names(&self) -> impl Iterator<Item = &str> {
        let indexes = self.indexes.iter().map(|i| i.name.as_str());
        indexes.chain(self.special.iter().map(|k| k.name.as_str()))
    }

    fn name_index(&mut self, at: usize, new: &str) {
        self.indexes[at].name = new.into();
        self.indexes[at].generated = false;
        let parts = &self.indexes[at].parts;
        let of_index = |e: &&mut Entry| {
            e.column.hidden && e.source.is_some_and(|s| parts.iter().any(|p| p.column == s))
        };
        for entry in self.entries.iter_mut().filter(of_index) {
            entry.column.name = functional::renamed(&entry.column.name, new);
        }
    }

    /// CONVERT TO CHARACTER SET: every text column; TEXT grows where its characters get longer.
    fn convert_charset(&mut self) -> Result<(), SqlError> {
        let to = self.collation;
        for entry in &mut self.entries {
            let Some(from) = entry.column.ty.collation().filter(|c| !c.is_binary()) else {
                continue;
            };
            let grown = to.max_char_bytes() > from.max_char_bytes();
            entry.column.ty = match entry.column.ty {
                SqlType::Char { chars, .. } => SqlType::Char { chars, collation: to },
                SqlType::Varchar { chars, .. } => {
                    let max = 65_535 / to.max_char_bytes() as u32;
                    if chars > max {
                        return Err(SqlError::of(
                            errno::ER_TOO_BIG_FIELDLENGTH,
                            &[&entry.column.name, &max],
                        ));
                    }
                    SqlType::Varchar { chars, collation: to }
                }
                SqlType::Text { kind, .. } => {
                    let kind = match kind {
                        LobKind::Tiny if grown => LobKind::Normal,
                        LobKind::Normal if grown => LobKind::Medium,
                        LobKind::Medium if grown => LobKind::Long,
                        same => same,
                    };
                    SqlType::Text { kind, collation: to }
                }
                SqlType::Enum { members, .. } => {
                    SqlType::Enum { members: members.converted(from, to), collation: to }
                }
                SqlType::Set { members, .. } => {
                    SqlType::Set { members: members.converted(from, to), collation: to }
                }
                other => other,
            };
        }
        Ok(())
    }

    fn add(&mut self, spec: &AlterSpec, env: &mut Env<'_>) -> Result<(), SqlError> {
        match spec {
            AlterSpec::AddColumn { column, place } => {
                let new = new_column(column, self.collation, env)?;
                self.insert(new, place)
            }
            AlterSpec::AddElements(elements) => {
                for element in elements {
                    match element {
                        TableElement::Column(def) => {
                            let new = new_column(def, self.collation, env)?;
                            self.insert(new, &ColumnPlace::Last)?;
                        }
                        TableElement::Key(key) => self.key_defs.push((**key).clone()),
                        TableElement::ForeignKey(def) => self.add_foreign(def),
                        TableElement::Check(def) => {
                            self.new_checks.push(NewCheck::of_table(def));
                        }
                    }
                }
                Ok(())
            }
            AlterSpec::AddForeignKey(def) => {
                self.add_foreign(def);
                Ok(())
            }
            AlterSpec::AddCheck(def) => {
                self.new_checks.push(NewCheck::of_table(def));
                Ok(())
            }
            AlterSpec::AddKey(key) => {
                self.key_defs.push((**key).clone());
                Ok(())
            }
            AlterSpec::ModifyColumn { column, place } => self.shift(&column.name, place),
            AlterSpec::ChangeColumn { old, place, .. } => self.shift(old, place),
            _ => Ok(()),
        }
    }

    /// Moves an old column to where FIRST or AFTER says.
    fn shift(&mut self, old: &Ident, place: &ColumnPlace) -> Result<(), SqlError> {
        if *place == ColumnPlace::Last {
            return Ok(());
        }
        let source = self.old.column(old.as_str());
        let at = self.entries.iter().position(|e| e.source == source);
        let at = at.ok_or_else(|| unknown_column(old.as_str(), self.table))?;
        let entry = self.entries.remove(at);
        let to = self.position(place)?;
        self.entries.insert(to, entry);
        Ok(())
    }

    fn insert(&mut self, new: NewColumn, place: &ColumnPlace) -> Result<(), SqlError> {
        let computed = new.computed();
        let to = self.position(place)?;
        let entry = Entry { source: None, column: new.column, explicit_null: new.explicit_null };
        self.entries.insert(to, entry);
        self.computed.extend(computed);
        self.key_defs.extend(new.keys);
        self.new_checks.extend(new.checks);
        Ok(())
    }

    fn position(&self, place: &ColumnPlace) -> Result<usize, SqlError> {
        match place {
            ColumnPlace::Last => Ok(self.entries.len()),
            // A generated key's column stays before all others.
            ColumnPlace::First => {
                let generated = gipk::is_generated(self.old)
                    && self.entries.first().is_some_and(|e| e.source == Some(0));
                Ok(usize::from(generated))
            }
            ColumnPlace::After(name) => self
                .entries
                .iter()
                .position(|e| e.column.is_named(name.as_str()))
                .map(|at| at + 1)
                .ok_or_else(|| unknown_column(name.as_str(), self.table)),
        }
    }

    /// The keys that stay, over the new columns, and those that come.
    fn keys(
        &mut self,
        plan: &mut Plan,
        explicit_null: &[bool],
        env: &mut Env<'_>,
    ) -> Result<(), SqlError> {
        let mut all = Keys::default();
        for index in std::mem::take(&mut self.indexes) {
            all.indexes.extend(carried(index, self.old, plan)?);
        }
        foreign::drop_spare(&mut all.indexes, &plan.meta.columns, &self.key_defs, &self.made);
        for key in std::mem::take(&mut self.special) {
            let now_at = |c| now_at(c, self.old, plan);
            all.special.extend(special::carried(key, &plan.meta.columns, now_at)?);
        }
        let names = |i: &SqlIndex| {
            let one_each = !i.is_multi_valued();
            let whole = i.parts.iter().take_while(|p| one_each && p.prefix.is_none());
            whole.map(|p| plan.meta.columns[p.column].name.clone()).collect()
        };
        let there: Vec<Vec<String>> = all.indexes.iter().map(names).collect();
        let key_defs = std::mem::take(&mut self.key_defs);
        let mut defs = foreign::needed_keys(key_defs, &self.made, &there, &plan.meta.columns);
        // A primary key among the new ones sorts first, so it has to be seen before names are made.
        defs.sort_by_key(|(k, _)| k.kind != KeyKind::Primary);
        for (key, made) in &defs {
            keys::add_key(key, &plan.meta.columns, &mut all, env)?;
            all.mark_last(*made);
        }
        keys::settle_primary(&mut plan.meta.columns, explicit_null, &all.indexes)?;
        let like_myisam = plan.meta.is_like_myisam();
        keys::check_auto_increment(&plan.meta.columns, &all.indexes, like_myisam)?;
        keys::sort(&plan.meta.columns, &mut all.indexes);
        special::sort(&mut all.special);
        Keys { indexes: plan.meta.indexes, special: plan.meta.special } = all;
        Ok(())
    }

    fn finish(mut self, plan: &mut Plan, env: &mut Env<'_>) -> Result<(), SqlError> {
        // A hidden column goes with the key that it was made for.
        let used = |at: usize| self.indexes.iter().any(|i| i.parts.iter().any(|p| p.column == at));
        self.entries.retain(|e| !e.column.hidden || e.source.is_some_and(used));
        // They come after all others, of which they are made.
        self.entries.sort_by_key(|e| e.column.hidden);
        if self.entries.iter().all(|e| e.column.hidden) {
            return Err(SqlError::of(errno::ER_CANT_REMOVE_ALL_FIELDS, &[]));
        }
        let mut explicit_null: Vec<bool> = self.entries.iter().map(|e| e.explicit_null).collect();
        plan.sources = self.entries.iter().map(|e| e.source).collect();
        plan.meta.columns = self.entries.iter().map(|e| e.column.clone()).collect();
        build::check_table(&plan.meta)?;
        let lost = |name: &str| gone(self.old, plan, name);
        computed::carried(&plan.meta.columns, &self.computed, self.table, lost)?;
        computed::settle(&mut plan.meta.columns, &self.computed)?;
        functional::retype(&mut plan.meta.columns, self.table, env)?;
        let indexes = self.indexes.iter().map(|i| i.name.as_str());
        let there: Vec<&str> =
            indexes.chain(self.special.iter().map(|k| k.name.as_str())).collect();
        functional::settle(&mut self.key_defs, &mut plan.meta.columns, &there, self.table, env)?;
        plan.sources.resize(plan.meta.columns.len(), None);
        explicit_null.resize(plan.meta.columns.len(), false);
        build::check_table(&plan.meta)?;
        self.keys(plan, &explicit_null, env)?;
        build::check_primary_key(&plan.meta, env)?;
        plan.meta.checks =
            check::carried(self.checks, self.table, |name| gone(self.old, plan, name))?;
        check::add(&mut plan.meta.checks, &self.new_checks, self.table, &plan.meta.columns)?;
        check::keep_defaults(&plan.meta.checks, &plan.meta.columns)?;
        plan.meta.foreign = foreign::carried(self.foreign, self.table, self.old, plan)?;
        plan.meta.partitions = match plan.repartitions {
            true => None,
            false => partition::carried(self.old, &plan.meta, &plan.sources, env)?,
        };
        plan.meta.histograms = histogram::carried(self.old, plan);
        plan.new_foreign = self.new_foreign.len();
        let columns = &plan.meta.columns;
        foreign::add(&mut plan.meta.foreign, &self.new_foreign, self.table, columns)?;
        foreign::check_checks(&plan.meta, self.table)
    }
}

/// 3106: a column on disk cannot become one that is not, for MySQL, nor the other way.
fn same_storage(old: &SqlColumn, new: &SqlColumn) -> Result<(), SqlError> {
    let is_virtual =
        |c: &SqlColumn| matches!(c.default, ColumnDefault::Generated { stored: false, .. });
    match is_virtual(old) == is_virtual(new) {
        true => Ok(()),
        false => Err(not_for_generated("Changing the STORED status")),
    }
}

/// What became of an old column's name, if it is no more. Another column may have taken it, which is not the one that was meant.
fn gone(old: &TableMeta, plan: &Plan, name: &str) -> Option<Gone> {
    let source = old.column(name)?;
    match plan.sources.iter().position(|&s| s == Some(source)) {
        None => Some(Gone::Dropped),
        Some(at) if same_name(&plan.meta.columns[at].name, name) => None,
        Some(_) => Some(Gone::Renamed),
    }
}
