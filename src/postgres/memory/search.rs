//! Rows as a search reads them: postings find the rows that may fit, and each statement limits them to rows in sight.

use crate::sql::Columns;
use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use super::table::Table;
use super::terms::word_of;
use crate::base::error::Result;
use crate::memory::{Filter, Memory, Order};
use crate::postgres::kept::KeptCard;
use crate::postgres::link::params;
use crate::search::rank::{Card, Clause, Counted, Frequencies, Term, Visibility, stem};
use crate::sql::memory::{card, filtered, holding, listed, rows_of, trusted, with_card};
use crate::sql::{Dialect, DriverExt};
use crate::store::searchable::{Searchable, Take, Wanted};

/// The conditions of a filter, whose values are `$3` to `$5`.
pub(super) const CONDITIONS: &str = Dialect::Postgres.conditions();

/// The columns of what is weighed of a row, of a table that is called `m`.
pub(super) const CARD: &str = card(Dialect::Postgres);

/// The number of texts that are read together.
const TEXTS_AT_ONCE: usize = 256;

impl Searchable for Table<'_> {
    fn frequencies(&self, visibility: Visibility, terms: &[Term]) -> Result<Frequencies> {
        let state = self.state();
        let rows = match visibility {
            Visibility::All => state.rows,
            Visibility::Shared => state.shared,
        };
        let mut frequencies = Frequencies::of(u32::try_from(rows.max(0)).unwrap_or(u32::MAX));
        if terms.is_empty() {
            return Ok(frequencies);
        }
        let words = terms.iter().map(|term| word_of(&term.stem)).collect();
        for found_in in self.found_in(visibility, words, frequencies.worth_counting())? {
            frequencies.push(found_in);
        }
        Ok(frequencies)
    }

    fn matching(&self, wanted: &Wanted<'_>, take: &mut Take<'_>) -> Result<()> {
        if wanted.plan.required.is_none() && wanted.order == Order::Relevance {
            return self.best(wanted, take);
        }
        let (candidates, are_all) = self.candidates(wanted)?;
        for ids in candidates.chunks(TEXTS_AT_ONCE) {
            let read = self.read(wanted.visibility, ids)?;
            for found in ids.iter().filter_map(|id| read.get(id)) {
                if !self.give(found, take)? {
                    return Ok(());
                }
            }
        }
        if are_all { Ok(()) } else { self.others(wanted, &candidates.into_iter().collect(), take) }
    }

    fn beside(
        &self,
        visibility: Visibility,
        filter: &Filter,
        rows: &[i64],
        take: &mut dyn FnMut(i64, &Card<'_>),
    ) -> Result<()> {
        self.all_beside(visibility, filter, rows, take)
    }

    fn rows(&self, visibility: Visibility, ids: &[i64]) -> Result<Vec<Memory>> {
        rows_of(self, visibility, ids)
    }

    fn list(&self, visibility: Visibility, filter: &Filter) -> Result<Vec<Memory>> {
        listed(self, visibility, filter)
    }

    fn holding(&self, visibility: Visibility, filter: &Filter, text: &str) -> Result<Vec<Memory>> {
        holding(self, visibility, filter, text)
    }
}

impl Table<'_> {
    /// Gives the rows whose words weigh most together, each with the words counted in it.
    fn best(&self, wanted: &Wanted<'_>, take: &mut Take<'_>) -> Result<()> {
        let words: Vec<i64> = wanted.weights.iter().map(|(term, _)| word_of(&term.stem)).collect();
        if words.is_empty() {
            return Ok(());
        }
        let lists = self.latest_having(wanted.visibility, &words, usize::MAX)?;
        let weights = wanted.weights.iter().map(|(_, weight)| *weight);
        let mut ranked: Vec<(Reverse<i64>, Reverse<i64>)> =
            sums(lists.iter().zip(weights)).map(|(id, weight)| (Reverse(weight), Reverse(id))).collect();
        ranked.sort_unstable();
        let mut ids: Vec<i64> = ranked.into_iter().map(|(_, Reverse(id))| id).collect();
        if wanted.is_open() {
            ids.truncate(wanted.most);
        }
        let asked: Vec<i64> = wanted.plan.terms.iter().map(|term| word_of(&term.stem)).collect();
        let mut counts = Vec::with_capacity(asked.len());
        // Of a filter the next ones are asked for until there are enough.
        let (mut left, mut at_once) = (wanted.most, wanted.most.max(TEXTS_AT_ONCE));
        while !ids.is_empty() && left > 0 {
            let behind = ids.split_off(ids.len().min(at_once));
            if !wanted.is_open() {
                let passing: HashSet<i64> =
                    self.passing(wanted, ids.clone())?.into_iter().map(|(id, _)| id).collect();
                ids.retain(|id| passing.contains(id));
                ids.truncate(left);
            }
            left -= ids.len();
            let cards = self.counted(wanted.visibility, &ids)?;
            for (id, card) in ids.iter().filter_map(|id| Some((id, cards.get(id)?))) {
                counts.clear();
                counts.extend(asked.iter().map(|word| card.count(*word)));
                let counted = Counted { counts: &counts, length: card.length().unwrap_or(0) };
                if !take(&card.card(*id), Some(counted)) {
                    return Ok(());
                }
            }
            (ids, at_once) = (behind, at_once * 2);
        }
        Ok(())
    }

    /// Returns those of some rows in sight that the filter takes, with the times at which they were touched.
    fn passing(&self, wanted: &Wanted<'_>, ids: Vec<i64>) -> Result<Vec<(i64, String)>> {
        let sql = format!(
            "SELECT m.id, m.updated_at FROM {} WHERE {CONDITIONS} AND {} {}",
            Dialect::Postgres.by_ids("$6"),
            Dialect::Postgres.in_sight(wanted.visibility),
            trusted(wanted.filter)
        );
        let mut values = filtered(wanted.filter);
        values.extend(params![ids]);
        self.all(&sql, values, |found| Ok((found.number(0)?, found.text(1)?)))
    }

    /// Gives a row of [`CARD`] and its text.
    fn give(&self, found: &::postgres::Row, take: &mut Take<'_>) -> Result<bool> {
        let found = self.found(found);
        let text = found.text(10)?;
        with_card(&found, &text, |card| {
            let known = Arc::new(KeptCard::of(card));
            self.held.borrow_mut().cards.entry(card.id).or_insert(known);
            take(card, None)
        })
    }

    /// Reads rows in sight, by their ids.
    pub(super) fn read(&self, visibility: Visibility, ids: &[i64]) -> Result<HashMap<i64, ::postgres::Row>> {
        let sql = format!(
            "SELECT {CARD}, m.content FROM {} WHERE m.user_id = $1 AND m.agent_id = $2 AND {}",
            Dialect::Postgres.by_ids("$3"),
            Dialect::Postgres.in_sight(visibility)
        );
        let mut read = HashMap::with_capacity(ids.len());
        for found in self.run(sql, params![ids.to_vec()])? {
            read.insert(self.found(&found).number(0)?, found);
        }
        Ok(read)
    }

    /// Gives the rows that the filter takes, except those that were given, the first ones first, until no more are taken.
    fn others(&self, wanted: &Wanted<'_>, given: &BTreeSet<i64>, take: &mut Take<'_>) -> Result<()> {
        let (behind, order) = match wanted.order {
            Order::Relevance => ("m.id < $6 AND $7 IS NOT NULL", "m.id DESC"),
            Order::Recency => {
                ("m.updated_at <= $7 AND (m.updated_at < $7 OR m.id < $6)", "m.updated_at DESC, m.id DESC")
            }
        };
        let sql = format!(
            "SELECT {CARD}, m.content, m.updated_at FROM memories m
             WHERE {CONDITIONS} AND {} {} AND {behind} ORDER BY {order} LIMIT $8",
            Dialect::Postgres.in_sight(wanted.visibility),
            trusted(wanted.filter)
        );
        // Times begin with digits.
        let (mut last, mut touched) = (i64::MAX, "~".to_owned());
        loop {
            let mut values = filtered(wanted.filter);
            values.extend(params![last, &touched, TEXTS_AT_ONCE]);
            let rows = self.run(sql.clone(), values)?;
            for found in &rows {
                last = self.found(found).number(0)?;
                if !given.contains(&last) && !self.give(found, take)? {
                    return Ok(());
                }
            }
            match rows.last() {
                Some(found) if rows.len() == TEXTS_AT_ONCE => {
                    touched = self.found(found).text(11)?;
                }
                _ => return Ok(()),
            }
        }
    }

    /// Lists the rows that may be found by a condition, or by time, best or latest first. Also returns whether there are
    /// no others.
    fn candidates(&self, wanted: &Wanted<'_>) -> Result<(Vec<i64>, bool)> {
        let weights: Vec<(i64, i64)> =
            wanted.weights.iter().map(|(term, weight)| (word_of(&term.stem), *weight)).collect();
        let mut words: BTreeSet<i64> = weights.iter().map(|(word, _)| *word).collect();
        let mut beginnings = HashMap::new();
        if let Some(required) = &wanted.plan.required {
            words_of(required, &mut words, &mut |beginning| {
                let found = self.all_beginning(wanted.visibility, beginning)?;
                beginnings.insert(beginning.to_owned(), found);
                Ok(())
            })?;
        }
        let lists = self.all_having(wanted.visibility, &words)?;
        let none = BTreeSet::new();
        let sums: HashMap<i64, i64> =
            sums(weights.iter().map(|(word, weight)| (lists.get(word).unwrap_or(&none), *weight))).collect();
        let may_fit = match &wanted.plan.required {
            Some(required) => may_fulfil(required, &lists, &beginnings),
            None => Some(sums.keys().copied().collect()),
        };
        let are_all = may_fit.is_some();
        // By time the others come between those that are known.
        let may_fit = match wanted.order {
            Order::Recency if !are_all => return Ok((Vec::new(), false)),
            _ => may_fit.unwrap_or_else(|| sums.keys().copied().collect()),
        };
        let mut found = self.passing(wanted, may_fit.into_iter().collect())?;
        let weight = |id: &i64| sums.get(id).copied().unwrap_or(0);
        match wanted.order {
            Order::Relevance => found.sort_unstable_by_key(|(id, _)| Reverse((weight(id), *id))),
            Order::Recency => found.sort_unstable_by(|(one, touched), (other, other_touched)| {
                (other_touched, other).cmp(&(touched, one))
            }),
        }
        Ok((found.into_iter().map(|(id, _)| id).collect(), are_all))
    }
}

/// Returns the rows of some lists, each with the weights of its lists together.
fn sums<'l, L>(lists: impl Iterator<Item = (L, i64)>) -> impl Iterator<Item = (i64, i64)>
where
    L: IntoIterator<Item = &'l i64>,
{
    let mut sums: HashMap<i64, i64> = HashMap::new();
    for (list, weight) in lists {
        for id in list {
            *sums.entry(*id).or_default() += weight;
        }
    }
    sums.into_iter()
}

/// Adds the words by which rows are found that may fulfil a clause, and tells of each beginning of a word.
fn words_of(
    clause: &Clause,
    words: &mut BTreeSet<i64>,
    tell: &mut dyn FnMut(&str) -> Result<()>,
) -> Result<()> {
    match clause {
        Clause::Word(_) | Clause::Phrase(_) => words.extend(stems(clause).iter().map(|stem| word_of(stem))),
        Clause::Prefix(beginning) => tell(beginning)?,
        Clause::And(clauses) | Clause::Or(clauses) => {
            for clause in clauses {
                words_of(clause, words, tell)?;
            }
        }
        Clause::Without(clause, _) => words_of(clause, words, tell)?,
    }
    Ok(())
}

/// Returns the stems that a row has which fulfils a word or a phrase.
fn stems(clause: &Clause) -> Vec<String> {
    let mut stems: Vec<String> = match clause {
        Clause::Word(terms) => terms.iter().map(|term| term.stem.clone()).collect(),
        Clause::Phrase(words) => words.iter().map(|spelled| stem(&spelled.word)).collect(),
        _ => Vec::new(),
    };
    stems.retain(|stem| !stem.is_empty());
    stems
}

/// Returns the rows that may fulfil a clause, and all that do; `None` for any row.
fn may_fulfil(
    clause: &Clause,
    lists: &HashMap<i64, BTreeSet<i64>>,
    beginnings: &HashMap<String, Option<BTreeSet<i64>>>,
) -> Option<BTreeSet<i64>> {
    let both = |one: BTreeSet<i64>, other: &BTreeSet<i64>| -> BTreeSet<i64> {
        one.intersection(other).copied().collect()
    };
    match clause {
        Clause::Word(_) | Clause::Phrase(_) => {
            let each = stems(clause).into_iter().map(|stem| lists.get(&word_of(&stem)).cloned());
            each.map(Option::unwrap_or_default).reduce(|one, other| both(one, &other))
        }
        Clause::Prefix(beginning) => beginnings.get(beginning).cloned().flatten(),
        Clause::And(clauses) => {
            let each = clauses.iter().filter_map(|clause| may_fulfil(clause, lists, beginnings));
            each.reduce(|one, other| both(one, &other))
        }
        Clause::Or(clauses) => {
            let each: Option<Vec<_>> =
                clauses.iter().map(|clause| may_fulfil(clause, lists, beginnings)).collect();
            Some(each?.into_iter().flatten().collect())
        }
        Clause::Without(clause, _) => may_fulfil(clause, lists, beginnings),
    }
}
