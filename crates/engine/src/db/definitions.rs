//! The calls that define: schemas, tables, indexes, partitions, columns, and the objects of the layer above.

use super::Db;
use crate::catalog::{DdlContext, MapRow, MayDrop, NewParts, Object, ObjectKind};
use crate::error::Result;
use crate::table::{IndexDef, NewColumns, NewTable, SchemaDef, Table};
use std::sync::Arc;
use weir_rt::Boxed;

impl Db {
    pub fn create_schema(&self, s: SchemaDef) -> Boxed<'_, Result<()>> {
        Box::pin(async move {
            self.0.force.may_define()?;
            self.0.catalog.create_schema(s).await
        })
    }

    pub fn alter_schema(&self, s: SchemaDef) -> Boxed<'_, Result<()>> {
        Box::pin(async move {
            self.0.force.may_define()?;
            self.0.catalog.alter_schema(s).await
        })
    }

    pub fn drop_schema<'a>(
        &'a self,
        name: &'a str,
        may: &'a mut MayDrop<'a>,
        d: &'a DdlContext,
    ) -> Boxed<'a, Result<u64>> {
        Box::pin(async move {
            self.0.force.may_define()?;
            self.0.catalog.drop_schema(name, may, d).await
        })
    }

    pub fn object(&self, kind: ObjectKind, schema: &str, name: &str) -> Option<Arc<Object>> {
        self.0.catalog.object(kind, schema, name)
    }

    /// All of a kind in a schema, sorted by name.
    pub fn objects(&self, kind: ObjectKind, schema: &str) -> Vec<Arc<Object>> {
        self.0.catalog.objects(kind, schema)
    }

    /// Makes an object, or gives it a new text where it may `replace` one.
    pub fn put_object(&self, o: Object, replace: bool) -> Boxed<'_, Result<()>> {
        Box::pin(async move {
            self.0.force.may_define()?;
            self.0.catalog.put_object(o, replace).await
        })
    }

    pub fn rename_object<'a>(
        &'a self,
        o: &'a Object,
        schema: &'a str,
        name: &'a str,
    ) -> Boxed<'a, Result<()>> {
        Box::pin(async move {
            self.0.force.may_define()?;
            self.0.catalog.rename_object(o, schema, name).await
        })
    }

    /// Puts an object in the place of one that the caller has seen, or takes that away; false: it has changed meanwhile.
    pub fn swap_object<'a>(
        &'a self,
        old: &'a Arc<Object>,
        new: Option<Object>,
    ) -> Boxed<'a, Result<bool>> {
        Box::pin(async move {
            self.0.force.may_define()?;
            self.0.catalog.swap_object(old, new).await
        })
    }

    /// Changes objects that belong to a table together with its definition, or takes them away.
    pub fn change_objects_of<'a>(
        &'a self,
        t: &'a Arc<Table>,
        list: &'a [(Arc<Object>, Option<Vec<u8>>)],
        made: bool,
        d: &'a DdlContext,
    ) -> Boxed<'a, Result<()>> {
        Box::pin(async move {
            self.0.force.may_define()?;
            self.0.catalog.change_objects_of(t, list, made, d).await
        })
    }

    pub fn drop_objects<'a>(&'a self, list: &'a [Arc<Object>]) -> Boxed<'a, Result<()>> {
        Box::pin(async move {
            self.0.force.may_define()?;
            self.0.catalog.drop_objects(list).await
        })
    }

    pub fn create_table(&self, t: NewTable) -> Boxed<'_, Result<Arc<Table>>> {
        Box::pin(async move { self.create_table_beside(t, &DdlContext::default()).await })
    }

    /// Makes a table, and changes what stands beside it in the same step.
    pub fn create_table_beside<'a>(
        &'a self,
        t: NewTable,
        d: &'a DdlContext,
    ) -> Boxed<'a, Result<Arc<Table>>> {
        Box::pin(async move {
            self.0.force.may_define()?;
            self.0.catalog.create_table(t, d).await
        })
    }

    pub fn drop_tables<'a>(
        &'a self,
        t: &'a [Arc<Table>],
        d: &'a DdlContext,
    ) -> Boxed<'a, Result<()>> {
        Box::pin(async move {
            self.0.force.may_define()?;
            self.0.catalog.drop_tables(t, d).await
        })
    }

    pub fn truncate_table<'a>(
        &'a self,
        t: &'a Arc<Table>,
        d: &'a DdlContext,
    ) -> Boxed<'a, Result<Arc<Table>>> {
        Box::pin(async move {
            self.0.force.may_define()?;
            self.0.catalog.truncate_table(t, d).await
        })
    }

    pub fn rename_tables<'a>(
        &'a self,
        moves: &'a [(Arc<Table>, String, String)],
        d: &'a DdlContext,
    ) -> Boxed<'a, Result<()>> {
        Box::pin(async move {
            self.0.force.may_define()?;
            self.0.catalog.rename_tables(moves, d).await
        })
    }

    pub fn add_indexes<'a>(
        &'a self,
        t: &'a Arc<Table>,
        add: &'a [IndexDef],
        extra: Vec<u8>,
        d: &'a DdlContext,
    ) -> Boxed<'a, Result<Arc<Table>>> {
        Box::pin(async move {
            self.0.force.may_define()?;
            self.0.catalog.add_indexes(t, add, extra, d).await
        })
    }

    pub fn drop_indexes<'a>(
        &'a self,
        t: &'a Arc<Table>,
        names: &'a [String],
        extra: Vec<u8>,
        d: &'a DdlContext,
    ) -> Boxed<'a, Result<Arc<Table>>> {
        Box::pin(async move {
            self.0.force.may_define()?;
            self.0.catalog.drop_indexes(t, names, extra, d).await
        })
    }

    /// Copies the table into a new definition row by row.
    pub fn rebuild_table<'a>(
        &'a self,
        t: &'a Arc<Table>,
        new: NewTable,
        map: &'a mut MapRow<'a>,
        d: &'a DdlContext,
    ) -> Boxed<'a, Result<Arc<Table>>> {
        Box::pin(async move {
            self.0.force.may_define()?;
            self.0.catalog.rebuild_table(t, new, map, d).await
        })
    }

    /// Gives a partitioned table other partitions.
    pub fn change_parts<'a>(
        &'a self,
        t: &'a Arc<Table>,
        new: &'a NewParts,
        map: &'a mut MapRow<'a>,
        d: &'a DdlContext,
    ) -> Boxed<'a, Result<Arc<Table>>> {
        Box::pin(async move {
            self.0.force.may_define()?;
            self.0.catalog.change_parts(t, new, map, d).await
        })
    }

    /// A partition and a table of the same form change places.
    pub fn exchange_part<'a>(
        &'a self,
        t: &'a Arc<Table>,
        at: usize,
        other: &'a Arc<Table>,
        d: &'a DdlContext,
    ) -> Boxed<'a, Result<()>> {
        Box::pin(async move {
            self.0.force.may_define()?;
            self.0.catalog.exchange_part(t, at, other, d).await
        })
    }

    pub fn alter_extra<'a>(
        &'a self,
        t: &'a Arc<Table>,
        extra: Vec<u8>,
        d: &'a DdlContext,
    ) -> Boxed<'a, Result<Arc<Table>>> {
        Box::pin(async move {
            self.0.force.may_define()?;
            self.0.catalog.alter_extra(t, extra, d).await
        })
    }

    /// New metadata of the owner's that are about nothing but estimates: anyone who uses the table goes on, and is not waited for.
    pub fn note_extra<'a>(
        &'a self,
        t: &'a Arc<Table>,
        extra: Vec<u8>,
        d: &'a DdlContext,
    ) -> Boxed<'a, Result<Arc<Table>>> {
        Box::pin(async move {
            self.0.force.may_define()?;
            self.0.catalog.note_extra(t, extra, d).await
        })
    }

    /// Other names of columns, longer ones, and columns that come anywhere or go, without a look at the rows; see
    /// [`PhysCol::reads`](crate::row::PhysCol::reads). The defaults of columns that are there already stay.
    pub fn alter_columns<'a>(
        &'a self,
        t: &'a Arc<Table>,
        columns: NewColumns,
        extra: Vec<u8>,
        d: &'a DdlContext,
    ) -> Boxed<'a, Result<Arc<Table>>> {
        Box::pin(async move {
            self.0.force.may_define()?;
            self.0.catalog.alter_columns(t, columns, extra, d).await
        })
    }

    /// Sets the next AUTO_INCREMENT value (never below what is in use: the caller checks).
    pub fn set_auto_increment<'a>(&'a self, t: &'a Arc<Table>, next: u64) -> Boxed<'a, Result<()>> {
        Box::pin(async move {
            self.0.force.may_define()?;
            t.auto_increment_set(next).await
        })
    }
}
