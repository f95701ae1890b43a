//! What is defined beside tables: views and stored programs. Texts of the owner's under a schema and a name; the engine keeps them
//! and does not read them.
//!
//! Entry: `'O' | kind 1 | schema | 0 | name | 0 | chunk -> text`. Names have no zero bytes.
//!
//! Invariants
//! - A view and a table never have one name: both are entered under the catalog's DDL lock, which looks for the other.
//! - What belongs to a table (a trigger) changes under that table's metadata lock and gives it a new handle.
//! - The entries of a schema that is dropped go after its own, which is the commit point; a start removes those whose schema is not
//!   there. A schema is made only when all that was named by an older one of its name is gone.

use super::ddl::DdlContext;
use super::{Catalog, State};
use crate::dict::{self, Change, kind};
use crate::error::{Error, Result};
use crate::table::{Table, TableDef};
use std::sync::Arc;

/// What an object is. The numbers stand in the dictionary.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum ObjectKind {
    View = 1,
    Procedure = 2,
    Function = 3,
    Trigger = 4,
    Event = 5,
    ReferenceSystem = 6,
}

impl ObjectKind {
    const ALL: [ObjectKind; 6] = [
        ObjectKind::View,
        ObjectKind::Procedure,
        ObjectKind::Function,
        ObjectKind::Trigger,
        ObjectKind::Event,
        ObjectKind::ReferenceSystem,
    ];
}

/// An object as its owner defined it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Object {
    pub kind: ObjectKind,
    pub schema: String,
    pub name: String,
    pub text: Vec<u8>,
}

/// How objects are found in memory: a schema's stand together.
pub(super) type ObjectName = (String, ObjectKind, String);

/// Objects whose entries go in one mini-transaction.
const OBJECTS_AT_ONCE: usize = 16;

impl Object {
    fn key(&self) -> Vec<u8> {
        let mut name = vec![self.kind as u8];
        name.extend_from_slice(self.schema.as_bytes());
        name.push(0);
        name.extend_from_slice(self.name.as_bytes());
        dict::key(kind::OBJECT, &name)
    }

    /// The entry with this text, or without the object.
    pub(super) fn change(&self, text: Option<Vec<u8>>) -> Change {
        (self.key(), text)
    }

    fn place(&self) -> ObjectName {
        (self.schema.clone(), self.kind, self.name.clone())
    }

    fn read(key: &[u8], text: Vec<u8>) -> Option<Object> {
        let (&number, rest) = key.get(1..key.len().checked_sub(1)?)?.split_first()?;
        let kind = ObjectKind::ALL.into_iter().find(|k| *k as u8 == number)?;
        let at = rest.iter().position(|b| *b == 0)?;
        let utf8 = |b: &[u8]| String::from_utf8(b.to_vec()).ok();
        Some(Object { kind, schema: utf8(&rest[..at])?, name: utf8(&rest[at + 1..])?, text })
    }
}

impl State {
    pub(super) fn objects_of(&self, schema: &str) -> Vec<Arc<Object>> {
        let from = (schema.to_string(), ObjectKind::ALL[0], String::new());
        let own = self.objects.range(from..).take_while(|((s, ..), _)| s == schema);
        own.map(|(_, o)| o.clone()).collect()
    }
}

impl Catalog {
    pub fn object(&self, kind: ObjectKind, schema: &str, name: &str) -> Option<Arc<Object>> {
        let s = self.state.read();
        // Most databases have none, and every name of a table is looked for here.
        if s.objects.is_empty() {
            return None;
        }
        s.objects.get(&(schema.to_string(), kind, name.to_string())).cloned()
    }

    /// All of a kind in a schema, sorted by name.
    pub fn objects(&self, kind: ObjectKind, schema: &str) -> Vec<Arc<Object>> {
        let all = self.state.read().objects_of(schema);
        all.into_iter().filter(|o| o.kind == kind).collect()
    }

    /// Makes an object, or gives it a new text where it may `replace` one.
    pub async fn put_object(&self, o: Object, replace: bool) -> Result<()> {
        let _ddl = self.ddl().await;
        self.need_schema(&o.schema)?;
        let taken = o.kind == ObjectKind::View && self.table(&o.schema, &o.name).is_some();
        if taken || (!replace && self.object(o.kind, &o.schema, &o.name).is_some()) {
            return Err(Error::TableExists { schema: o.schema, name: o.name });
        }
        self.dict.write(&self.core, &[(o.key(), Some(o.text.clone()))]).await?;
        self.state.write().objects.insert(o.place(), Arc::new(o));
        self.bump();
        Ok(())
    }

    /// Gives an object another name, in another schema perhaps.
    pub async fn rename_object(&self, o: &Object, schema: &str, name: &str) -> Result<()> {
        let _ddl = self.ddl().await;
        self.need_schema(schema)?;
        if self.name_is_taken(schema, name) {
            return Err(Error::TableExists { schema: schema.into(), name: name.into() });
        }
        let new = Object { schema: schema.into(), name: name.into(), ..o.clone() };
        let changes: [Change; 2] = [(new.key(), Some(new.text.clone())), (o.key(), None)];
        self.dict.write(&self.core, &changes).await?;
        let mut s = self.state.write();
        s.objects.remove(&o.place());
        s.objects.insert(new.place(), Arc::new(new));
        drop(s);
        self.bump();
        Ok(())
    }

    /// Puts another object in the place of one that the caller has seen, under another name perhaps, or takes it away. False: it is not
    /// that one any more, and nothing has changed.
    pub async fn swap_object(&self, old: &Arc<Object>, new: Option<Object>) -> Result<bool> {
        let _ddl = self.ddl().await;
        let current = self.object(old.kind, &old.schema, &old.name);
        if !current.is_some_and(|c| Arc::ptr_eq(&c, old)) {
            return Ok(false);
        }
        let mut changes = Vec::new();
        if let Some(new) = &new {
            self.need_schema(&new.schema)?;
            let moves = new.place() != old.place();
            if moves && self.object(new.kind, &new.schema, &new.name).is_some() {
                let (schema, name) = (new.schema.clone(), new.name.clone());
                return Err(Error::TableExists { schema, name });
            }
            changes.push(new.change(Some(new.text.clone())));
        }
        if new.as_ref().is_none_or(|n| n.place() != old.place()) {
            changes.push(old.change(None));
        }
        self.dict.write(&self.core, &changes).await?;
        let mut s = self.state.write();
        s.objects.remove(&old.place());
        if let Some(new) = new {
            s.objects.insert(new.place(), Arc::new(new));
        }
        drop(s);
        self.bump();
        Ok(true)
    }

    /// As a whole, up to [`OBJECTS_AT_ONCE`] of them; of more a crash may leave the last ones. Where one of them is not the one of its name
    /// any more, nothing is dropped ([`Error::TableChanged`]): anyone who took it away first has had its effect, as an event that ran.
    pub async fn drop_objects(&self, list: &[Arc<Object>]) -> Result<()> {
        let _ddl = self.ddl().await;
        let is_there = |o: &Arc<Object>| {
            self.object(o.kind, &o.schema, &o.name).is_some_and(|c| Arc::ptr_eq(&c, o))
        };
        if let Some(gone) = list.iter().find(|o| !is_there(o)) {
            return Err(Error::TableChanged { table: gone.name.clone() });
        }
        self.remove_objects(list).await
    }

    /// The caller is the one definition statement.
    pub(super) async fn remove_objects(&self, list: &[Arc<Object>]) -> Result<()> {
        for some in list.chunks(OBJECTS_AT_ONCE) {
            let changes: Vec<Change> = some.iter().map(|o| (o.key(), None)).collect();
            self.dict.write(&self.core, &changes).await?;
            let mut s = self.state.write();
            for o in some {
                s.objects.remove(&o.place());
            }
            drop(s);
            self.bump();
        }
        Ok(())
    }

    /// Gives objects that belong to a table (triggers) other texts, or takes them away. It is a change of the table's definition: who
    /// uses the table is waited for, and anyone who waits for it finds its handle stale. So a statement that has gathered what belongs to a
    /// table before it had the lock begins again, as it does here when an object is not the one that the caller has seen; with `made`
    /// they are new, and there must be none of their names.
    pub async fn change_objects_of(
        &self,
        t: &Arc<Table>,
        list: &[(Arc<Object>, Option<Vec<u8>>)],
        made: bool,
        d: &DdlContext,
    ) -> Result<()> {
        let _hold = self.exclude(t, d).await?;
        let _ddl = self.ddl().await;
        for (o, _) in list {
            let current = match self.object(o.kind, &o.schema, &o.name) {
                Some(known) => Arc::ptr_eq(&known, o),
                None => made,
            };
            if !current {
                return Err(Error::TableChanged { table: t.def.name.clone() });
            }
        }
        let changes = list.iter().map(|(o, text)| o.change(text.clone())).collect();
        let def = TableDef { version: t.def.version + 1, ..t.def.clone() };
        self.redefine(t, def, &t.storage(), changes, d).await?;
        self.change_objects(list);
        Ok(())
    }

    /// Behind the durable change of the same objects.
    pub(super) fn change_objects(&self, list: &[(Arc<Object>, Option<Vec<u8>>)]) {
        if list.is_empty() {
            return;
        }
        let mut s = self.state.write();
        for (o, text) in list {
            match text {
                Some(text) => {
                    let new = Object { text: text.clone(), ..Object::clone(o) };
                    s.objects.insert(o.place(), Arc::new(new));
                }
                None => {
                    s.objects.remove(&o.place());
                }
            }
        }
        drop(s);
        self.bump();
    }

    /// Whether a table or view of the name is there.
    pub(super) fn name_is_taken(&self, schema: &str, name: &str) -> bool {
        self.table(schema, name).is_some() || self.object(ObjectKind::View, schema, name).is_some()
    }

    /// At a start, when the schemas are known.
    pub(crate) async fn load_objects(&self) -> Result<()> {
        let mut gone = Vec::new();
        for (key, text) in self.dict.scan(&self.core, &[kind::OBJECT]).await? {
            let Some(o) = Object::read(&key, text) else {
                let text = "an object of a kind that this version does not know is left alone";
                (self.log)(text);
                continue;
            };
            match self.schema(&o.schema) {
                Some(_) => {
                    self.state.write().objects.insert(o.place(), Arc::new(o));
                }
                None => gone.push(Arc::new(o)),
            }
        }
        match self.force.read_only() {
            true => Ok(()),
            false => self.remove_objects(&gone).await,
        }
    }
}
