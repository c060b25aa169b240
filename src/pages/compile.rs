//! The making of a page from the homes of edges and other sources.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, NaiveTime, Utc};

use super::line::{Citation, PageLine};
use super::naming::written;
use super::page::{CompiledPage, Contradiction};
use super::source::PageParts;
use crate::base::error::Result;
use crate::edges::{Cited, Entity, Mention, Neighbor, Neighborhood, Passage, is_asked};
use crate::facts::{Fact, FactState};
use crate::format::JournalName;
use crate::gate::Doors;
use crate::memory::categories;
use crate::store::Veil;

/// The most texts that are read for a page, and the most entries of its sections.
pub(super) const TEXTS: usize = 120;
const FACTS: usize = 40;
pub(super) const TIMELINE: usize = 30;
const NEIGHBORS: usize = 20;
const PAIRS: usize = 10;
/// The most bytes of a claim.
const LONGEST: usize = 400;

/// A page as it is being made.
pub(super) struct Compiler<'c> {
    doors: &'c Doors,
    keys: Vec<String>,
    now: DateTime<Utc>,
}

impl<'c> Compiler<'c> {
    pub(super) fn new(doors: &'c Doors, keys: Vec<String>, now: DateTime<Utc>) -> Self {
        Self { doors, keys, now }
    }

    /// Makes the page.
    pub(super) fn page(
        &self,
        asked: &str,
        homes: &[Neighborhood],
        parts: Vec<PageParts>,
        with_constraints: bool,
    ) -> Result<CompiledPage> {
        let mentions: Vec<&Mention> = homes.iter().flat_map(|home| &home.mentions).collect();
        let asked_for = |entity: &&Entity| is_asked(&entity.key, &self.keys);
        let entities = mentions.iter().flat_map(|mention| &mention.edges).map(|edge| &edge.entity);
        let kinds: BTreeSet<String> =
            entities.filter(asked_for).map(|entity| entity.kind.to_string()).collect();
        let mut page = CompiledPage {
            title: self.shown(&self.title(asked, &mentions, &parts))?,
            kinds: kinds.into_iter().collect(),
            texts: mentions.len() as u64,
            is_cut: homes.iter().any(|home| home.is_cut),
            facts: Vec::new(),
            methods: Vec::new(),
            constraints: Vec::new(),
            timeline: Vec::new(),
            contradictions: Vec::new(),
            neighbors: self.neighbors(homes)?,
        };
        for mention in &mentions {
            match &mention.said {
                Cited::Row(fact) if self.holds(fact) => page.facts.push(self.of_row(fact, true)?),
                Cited::Row(fact) => page.timeline.push(self.of_row(fact, false)?),
                Cited::Passage(passage) => page.timeline.push(self.of_passage(passage)?),
                Cited::Note(_) => {}
            }
        }
        for pair in homes.iter().flat_map(|home| &home.contradictions).take(PAIRS) {
            page.contradictions.push(Contradiction {
                older: self.of_row(&pair.older, true)?,
                newer: self.of_row(&pair.newer, true)?,
                reason: pair.reason,
            });
        }
        for part in parts {
            for claim in part.timeline {
                let text = self.shown(&claim.text)?;
                let citation = Citation::of(claim.citation.source, &text);
                let kind = self.shown(&claim.kind)?;
                page.timeline.push(PageLine { text: cut(&text), kind, citation, ..claim });
            }
            for mut method in part.methods.into_iter().filter(super::source::PageMethod::is_shown) {
                method.name = self.shown(&method.name)?;
                page.methods.push(method);
            }
            for mut rule in part.constraints.into_iter().filter(|rule| rule.is_active && with_constraints) {
                (rule.text, rule.approved_by) = (self.shown(&rule.text)?, self.shown(&rule.approved_by)?);
                page.constraints.push(rule);
            }
        }
        let place = |claim: &PageLine| (Reverse(claim.at), Reverse(claim.citation.source.clone()));
        page.facts.sort_by_key(place);
        page.timeline.sort_by_key(place);
        page.facts.truncate(FACTS);
        page.timeline.truncate(TIMELINE);
        page.methods.sort_by(|one, other| {
            other.confidence.total_cmp(&one.confidence).then_with(|| one.name.cmp(&other.name))
        });
        page.constraints
            .sort_by(|one, other| (one.approved_at, &one.text).cmp(&(other.approved_at, &other.text)));
        Ok(page)
    }

    /// Returns whether a row says what holds now: a fact or a preference, of somebody's own words, whose time is not over.
    fn holds(&self, fact: &Fact) -> bool {
        let kinds = [categories::FACT, categories::PREFERENCE, categories::PERSONALIZATION];
        let row = &fact.memory;
        let is_stated =
            fact.key.is_some() || kinds.iter().any(|kind| row.category.eq_ignore_ascii_case(kind));
        is_stated && row.is_trusted() && row.over(self.now).is_none()
    }

    fn of_row(&self, fact: &Fact, holds: bool) -> Result<PageLine> {
        let row = &fact.memory;
        let text = self.shown(&row.content)?;
        let mut notes = Vec::new();
        match fact.status.state {
            FactState::Verified => notes.push("confirmed".to_owned()),
            FactState::Disputed => notes.push("disputed".to_owned()),
            _ => {}
        }
        if let Some(end) = row.stale_after().filter(|end| *end <= self.now) {
            notes.push(format!("over since {}", end.format("%Y-%m-%d")));
        }
        if let Some(origin) = row.origin.as_ref().filter(|_| !row.is_trusted()) {
            notes.push(format!("from {}", self.shown(&origin.to_string())?));
        }
        let said_at = row.place.as_ref().and_then(|place| place.said_at);
        let said_at = said_at.unwrap_or(row.created_at);
        Ok(PageLine {
            citation: Citation::of(crate::edges::CitedSource::Row(row.id), &text),
            text: cut(&text),
            kind: self.shown(&row.category)?,
            at: Some(if holds { fact.valid_from.unwrap_or(said_at) } else { said_at }),
            notes,
            lines: row.cites.clone(),
        })
    }

    /// Quotes the first line of a passage that speaks of the entity.
    fn of_passage(&self, passage: &Passage) -> Result<PageLine> {
        let masked = masked(self.doors, &passage.text)?;
        let line = masked.lines().find(|line| self.keys.iter().any(|key| written(line, key).is_some()));
        let text =
            plain(line.or_else(|| masked.lines().find(|line| !line.trim().is_empty())).unwrap_or_default());
        let day = JournalName::parse(&passage.lines.name).map(|journal| journal.date());
        Ok(PageLine {
            citation: Citation::of(crate::edges::CitedSource::Lines(passage.lines.clone()), &text),
            text: cut(&text),
            kind: self.shown(passage.lines.name.as_str())?,
            at: day.map(|day| day.and_time(NaiveTime::MIN).and_utc()),
            notes: Vec::new(),
            lines: Vec::new(),
        })
    }

    fn neighbors(&self, homes: &[Neighborhood]) -> Result<Vec<Neighbor>> {
        let mut all: BTreeMap<&Entity, Neighbor> = BTreeMap::new();
        for near in homes.iter().flat_map(|home| &home.neighbors) {
            match all.get_mut(&near.entity) {
                Some(known) => {
                    known.texts += near.texts;
                    known.latest = known.latest.min(near.latest);
                }
                None => drop(all.insert(&near.entity, near.clone())),
            }
        }
        let mut neighbors: Vec<Neighbor> = all.into_values().collect();
        neighbors.sort_by_key(|near| (Reverse(near.texts), near.latest));
        neighbors.truncate(NEIGHBORS);
        for near in &mut neighbors {
            near.entity.key = self.shown(&near.entity.key)?;
        }
        Ok(neighbors)
    }

    /// Returns the entity as the latest text writes it.
    fn title(&self, asked: &str, mentions: &[&Mention], parts: &[PageParts]) -> String {
        let keys = || self.keys.iter().filter(|key| !key.is_empty());
        let of_parts = parts.iter().flat_map(|part| {
            let rules = part.constraints.iter().map(|rule| rule.text.as_str());
            let methods = part.methods.iter().map(|method| method.name.as_str());
            rules.chain(methods).chain(part.timeline.iter().map(|line| line.text.as_str()))
        });
        let texts = mentions.iter().map(|mention| mention.said.text()).chain(of_parts);
        let mut found = texts.flat_map(|text| keys().filter_map(move |key| written(text, key)));
        let known = mentions.iter().flat_map(|mention| &mention.edges).map(|edge| &edge.entity.key);
        let mut known = known.filter(|key| self.keys.contains(key));
        match found.next().or_else(|| known.next().map(String::as_str)) {
            Some(title) => title.to_owned(),
            None => asked.trim().to_owned(),
        }
    }

    /// Returns a text as a model may be shown it, on one line.
    fn shown(&self, text: &str) -> Result<String> {
        Ok(plain(&masked(self.doors, text)?))
    }
}

/// Returns whether the words of a source are those that were quoted.
pub(super) fn says(doors: &Doors, citation: &Citation, words: &str) -> Result<bool> {
    let masked = masked(doors, words)?;
    let is_quoted = |text: &str| Citation::of(citation.source.clone(), &plain(text)) == *citation;
    Ok(is_quoted(&masked) || masked.lines().any(is_quoted))
}

fn masked(doors: &Doors, text: &str) -> Result<String> {
    Veil::new(doors).text(text.to_owned())
}

/// Puts a text on one line, without marks that hide or reorder it.
fn plain(text: &str) -> String {
    let words: Vec<String> = text
        .split_whitespace()
        .map(|word| {
            word.chars().filter(|c| !c.is_control() && !crate::base::text::is_invisible(*c)).collect()
        })
        .collect();
    words.join(" ")
}

fn cut(text: &str) -> String {
    if text.len() <= LONGEST {
        return text.to_owned();
    }
    format!("{}…", crate::base::text::cut(text, LONGEST))
}
