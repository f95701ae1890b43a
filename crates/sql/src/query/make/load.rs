//! The plan of LOAD DATA and LOAD XML: where each field of a line goes, and what SET gives.

use super::change::generated_value;
use crate::context::check_user_var;
use crate::errno;
use crate::meta::SqlTable;
use crate::query::bind::Binder;
use crate::query::bind::scope::{ScopeTable, unknown_column};
use crate::query::plan::insert::{Goes, LoadPlan};
use crate::query::textfile::Format;
use crate::session_api::SqlError;
use crate::value::{Charset, Collation, SqlMode};
use crate::vars::Var;
use weir_syntax::ast::{self, Expr, LoadTarget};

/// The plan; columns that SET gives a value to are added to `targets`.
pub(super) fn bind(
    b: &mut Binder<'_>,
    l: &ast::LoadData,
    (table, target): (&SqlTable, &ScopeTable),
    targets: &mut Vec<usize>,
    column_of: impl Fn(&str) -> Option<usize>,
) -> Result<LoadPlan, SqlError> {
    let columns = &table.meta.columns;
    let named = |c: &ast::ColumnRef| {
        column_of(c.column.as_str()).ok_or_else(|| unknown_column(c, "field list"))
    };
    let xml = l.xml.then(|| field_names(l, (table, target), targets));
    let mut fields = Vec::new();
    if l.targets.is_empty() {
        let goes = |col: &usize| match columns[*col].is_generated() {
            true => Goes::Nowhere,
            false => Goes::Column(*col),
        };
        fields.extend(targets.iter().map(goes));
        targets.retain(|col| !columns[*col].is_generated());
    }
    for t in &l.targets {
        fields.push(match t {
            LoadTarget::UserVar(name) => {
                check_user_var(name.as_str())?;
                Goes::Var(name.as_str().to_lowercase().into())
            }
            LoadTarget::Column(c) => {
                let col = named(c)?;
                if columns[col].is_generated() {
                    return Err(generated_value(&columns[col].name, table.name()));
                }
                Goes::Column(col)
            }
        });
    }
    let charset = charset_of(b, l)?;
    let escapes = !b.env.reads.settings.mode.has(SqlMode::NO_BACKSLASH_ESCAPES);
    let format = format_of(l, escapes)?;
    if xml.is_none() {
        check_format(&format, &fields, table)?;
    }
    let variable = |f: &Goes| match f {
        Goes::Var(name) => Some(name.clone()),
        Goes::Column(_) | Goes::Nowhere => None,
    };
    b.file_vars = fields.iter().filter_map(variable).collect();
    b.file_collation = Collation::default_of(charset);
    let mut set = Vec::new();
    for a in &l.set {
        let col = named(&a.column)?;
        let column = &columns[col];
        let value = match &a.value {
            Expr::Default if column.is_generated() => continue,
            _ if column.is_generated() => return Err(generated_value(&column.name, table.name())),
            Expr::Default => None,
            e => Some(b.stored(e, &column.ty)?),
        };
        set.push((col, value));
        if !targets.contains(&col) {
            targets.push(col);
        }
    }
    b.file_vars.clear();
    let (local, path, skip) = (l.local, l.path.clone(), l.ignore_lines);
    Ok(LoadPlan { local, path, format, charset, skip, fields, xml, set })
}

/// The format of the file. The name of a row's element is what ends lines, as in MySQL, and so is ROWS IDENTIFIED BY of LOAD DATA.
fn format_of(l: &ast::LoadData, escapes: bool) -> Result<Format, SqlError> {
    let mut format = Format::of(&l.format, escapes)?;
    if l.format.lines_terminated.is_none() {
        if let Some(identified) = &l.rows_identified_by {
            format.line_end = identified.clone();
        } else if l.xml {
            format.line_end = (*b"<row>").into();
        }
    }
    Ok(format)
}

/// What an XML file calls the fields: as the statement writes them, or as the table or view does.
fn field_names(
    l: &ast::LoadData,
    (table, target): (&SqlTable, &ScopeTable),
    targets: &[usize],
) -> Vec<Box<[u8]>> {
    let written = |t: &LoadTarget| match t {
        LoadTarget::UserVar(name) => name.as_str().as_bytes().into(),
        LoadTarget::Column(c) => c.column.as_str().as_bytes().into(),
    };
    if !l.targets.is_empty() {
        return l.targets.iter().map(written).collect();
    }
    let shown = |col: &usize| {
        let of_view = target
            .merged
            .as_ref()
            .and_then(|m| (0..m.items.len()).find(|n| m.base_column(*n) == Some((0, *col))));
        match of_view.and_then(|n| target.columns.get(n)) {
            Some(c) => c.name.as_bytes().into(),
            None => table.meta.columns[*col].name.as_bytes().into(),
        }
    };
    targets.iter().map(shown).collect()
}

/// The character set of the file: the one that is named, or that of the default schema.
fn charset_of(b: &Binder<'_>, l: &ast::LoadData) -> Result<Charset, SqlError> {
    let Some(name) = &l.charset else {
        let name = b.env.reads.vars.text(Var::character_set_database);
        return Ok(Charset::by_name(&name).unwrap_or(Charset::Utf8mb4));
    };
    let found = Charset::by_name(name)
        .ok_or_else(|| SqlError::of(errno::ER_UNKNOWN_CHARACTER_SET, &[&name]))?;
    // As in MySQL: what ends a line is a byte.
    match found.is_wide() {
        true => Err(SqlError::not_supported(format!("LOAD DATA of a file in {}", found.name()))),
        false => Ok(found),
    }
}

/// 1084 and 1409: what cannot be told by its width.
fn check_format(format: &Format, fields: &[Goes], table: &SqlTable) -> Result<(), SqlError> {
    if !format.is_fixed() {
        return Ok(());
    }
    for f in fields {
        match f {
            Goes::Column(c) if table.meta.columns[*c].ty.is_lob() && format.line_end.is_empty() => {
                return Err(SqlError::of(errno::ER_BLOBS_AND_NO_TERMINATED, &[]));
            }
            Goes::Var(_) => {
                return Err(SqlError::of(errno::ER_LOAD_FROM_FIXED_SIZE_ROWS_TO_VAR, &[]));
            }
            _ => {}
        }
    }
    Ok(())
}
