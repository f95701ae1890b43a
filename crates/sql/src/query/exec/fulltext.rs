//! Reading the table for a search.

use super::destination::Out;
use super::{Boxed, Runner};
use crate::memory::Held;
use crate::query::eval::frame::{Frame, SubResult};
use crate::query::eval::ranks::{Asked, ENTRY, Ranks, hash_of};
use crate::query::eval::{Ev, eval};
use crate::query::expr::BExpr;
use crate::query::fulltext::by_row::{Question, STOPWORDS};
use crate::query::fulltext::question::parse;
use crate::query::fulltext::rank::{Document, Ranking};
use crate::query::fulltext::terms::Terms;
use crate::query::fulltext::words::{Rules, Words};
use crate::query::plan::QueryPlan;
use crate::query::plan::matching::Matching;
use crate::query::plan::outcome::Run;
use crate::value::{Value, ValueError};
use crate::vars::Var;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// What the rows of the table are read for.
enum Purpose {
    /// What they have of the question.
    Find,
    /// The words of those that were found.
    Words(HashMap<u128, f32>, HashSet<Vec<u8>>),
}

/// The rows of the table, one after the other.
pub struct Gathering {
    terms: Terms,
    purpose: Purpose,
    documents: Vec<Document>,
    /// The place of each text among the documents.
    places: HashMap<u128, u32>,
    rows: u64,
    held: Held,
}

impl Gathering {
    fn new(terms: Terms) -> Gathering {
        Gathering {
            terms,
            purpose: Purpose::Find,
            documents: Vec::new(),
            places: HashMap::new(),
            rows: 0,
            held: Held::default(),
        }
    }

    /// A row more.
    pub fn row(&mut self, items: &[BExpr], f: &Frame<'_>, ev: &mut Ev<'_>) -> Run<()> {
        let texts = items.iter().map(|e| eval(e, f, ev)).collect::<Result<Vec<_>, _>>()?;
        let bytes: Vec<&[u8]> = texts.iter().filter_map(Value::as_bytes).collect();
        ev.cx.work(64 + bytes.iter().map(|b| b.len()).sum::<usize>())?;
        let account = ev.cx.session.memory();
        match &mut self.purpose {
            Purpose::Words(found, words) => {
                if found.contains_key(&hash_of(&texts)) {
                    let grown = bytes.iter().map(|b| self.terms.gather(b, words)).sum();
                    self.held.grow(account, grown).map_err(ValueError::from)?;
                }
            }
            Purpose::Find => {
                self.rows += 1;
                let found = self.terms.look(&bytes);
                if found.hits.is_empty() {
                    return Ok(());
                }
                let hash = hash_of(&texts);
                if let Some(at) = self.places.get(&hash) {
                    self.documents[*at as usize].rows += 1;
                    return Ok(());
                }
                let own = 16 * found.hits.len() + 4 * found.phrases.len();
                self.held.grow(account, own + 2 * ENTRY).map_err(ValueError::from)?;
                self.places.insert(hash, self.documents.len() as u32);
                self.documents.push(Document { found, rows: 1 });
            }
        }
        Ok(())
    }

    /// The texts that were found, with their ranks.
    fn ranks(
        &self,
        asked: &[Vec<crate::query::fulltext::terms::Asked>],
        more: &[usize],
    ) -> HashMap<u128, f32> {
        let ranks = Ranking::new(&self.terms, &self.documents).ranks(asked, more, self.rows);
        let by_place: HashMap<u32, f32> = ranks.into_iter().collect();
        let rank = |(hash, place): (&u128, &u32)| Some((*hash, *by_place.get(place)?));
        self.places.iter().filter_map(rank).collect()
    }

    fn forget(&mut self) {
        self.documents.clear();
        self.places.clear();
        self.rows = 0;
    }
}

impl Runner<'_, '_> {
    /// Makes the ranks of a search, or takes those that the statement has made already.
    pub fn search<'b>(
        &'b mut self,
        m: &'b Matching,
        plan: &'b QueryPlan,
        outer: &'b Frame<'b>,
    ) -> Boxed<'b, SubResult> {
        Box::pin(async move {
            let number = std::ptr::from_ref(m) as usize;
            if let Some((_, known)) = self.searches.iter().find(|(n, _)| *n == number) {
                return Ok(SubResult::Ranks(known.clone()));
            }
            let against = eval(&m.against, outer, &mut self.ev)?;
            let text = against.to_text_in(m.collation).map(|t| t.into_owned());
            let ranks = match text {
                None => Ranks::default(),
                Some(text) => self.search_for(&text, m, plan).await?,
            };
            let ranks = Arc::new(ranks);
            self.searches.push((number, ranks.clone()));
            Ok(SubResult::Ranks(ranks))
        })
    }

    /// The question of a search that each row answers for itself.
    pub fn ask(&mut self, m: &Matching, outer: &Frame<'_>) -> Run<SubResult> {
        let against = eval(&m.against, outer, &mut self.ev)?;
        let text = against.to_text_in(m.collation);
        let globals = self.ev.vars.globals();
        let number = |v: Var| usize::try_from(globals.u64(v)).unwrap_or(usize::MAX);
        // The longest word is one that has a character less, in MyISAM.
        let max = number(Var::ft_max_word_len).saturating_sub(1);
        let rules = Rules { min: number(Var::ft_min_word_len), max, ngram: None, stopwords: true };
        let mut held = Held::default();
        let bytes = text.as_ref().map_or(0, |t| ENTRY * t.len());
        held.grow(self.ev.cx.session.memory(), bytes).map_err(ValueError::from)?;
        let words = || Words::of(m.collation, rules, STOPWORDS);
        let question = text.map(|t| Question::new(&t, words()));
        let asked = Asked { question, collation: m.collation, _held: held };
        Ok(SubResult::Question(Box::new(asked)))
    }

    async fn search_for(&mut self, text: &[u8], m: &Matching, plan: &QueryPlan) -> Run<Ranks> {
        let words = Words::new(m.collation, self.rules_of(m));
        let list = parse(text, m.boolean, &words)?;
        let mut terms = Terms::new(words);
        let asked = terms.of(&list)?;
        let mut g = Gathering::new(terms);
        // What the question itself takes.
        g.held.grow(self.ev.cx.session.memory(), 4 * text.len()).map_err(ValueError::from)?;
        self.read_for(&mut g, plan).await?;
        self.hold_sets(&mut g)?;
        let mut by_text = g.ranks(&asked, &[]);
        if m.expands && !by_text.is_empty() {
            g.purpose = Purpose::Words(by_text, HashSet::new());
            self.read_for(&mut g, plan).await?;
            let Purpose::Words(_, found) = std::mem::replace(&mut g.purpose, Purpose::Find) else {
                return Ok(Ranks::default());
            };
            let mut found: Vec<Vec<u8>> = found.into_iter().collect();
            found.sort_unstable();
            let more: Vec<usize> = found.into_iter().filter_map(|k| g.terms.expand(k)).collect();
            g.forget();
            self.read_for(&mut g, plan).await?;
            self.hold_sets(&mut g)?;
            by_text = g.ranks(&asked, &more);
        }
        let mut held = Held::default();
        let account = self.ev.cx.session.memory();
        held.grow(account, ENTRY / 2 * by_text.len()).map_err(ValueError::from)?;
        Ok(Ranks { by_text, _held: held })
    }

    /// What the sets of rows take that the evaluation makes.
    fn hold_sets(&self, g: &mut Gathering) -> Run<()> {
        let hits: usize = g.documents.iter().map(|d| d.found.hits.len()).sum();
        let bytes = 2 * ENTRY * g.documents.len() + 16 * hits;
        g.held.grow(self.ev.cx.session.memory(), bytes).map_err(ValueError::from)?;
        self.go_on()
    }

    async fn read_for(&mut self, g: &mut Gathering, plan: &QueryPlan) -> Run<()> {
        self.run_query(plan, None, &mut Out::Search(g)).await.map(drop)
    }

    fn rules_of(&self, m: &Matching) -> Rules {
        let globals = self.ev.vars.globals();
        let number = |v: Var| usize::try_from(globals.u64(v)).unwrap_or(usize::MAX);
        Rules {
            min: number(Var::innodb_ft_min_token_size),
            max: number(Var::innodb_ft_max_token_size),
            ngram: m.ngram.then(|| number(Var::ngram_token_size)),
            stopwords: self.ev.vars.bool(Var::innodb_ft_enable_stopword),
        }
    }
}
