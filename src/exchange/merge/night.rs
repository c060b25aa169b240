//! The section of one dream, taken apart: its day, its lines, and what they cite.

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;

use crate::base::name::DocName;
use crate::format::documents::curated::{self, Promoted};
use crate::format::replies::reply;

/// A cited place: a journal, and its first and last line.
pub(super) type Cited = (DocName, u64, u64);

/// The section of a dream, as it was printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Night {
    pub(super) day: NaiveDate,
    pub(super) sources: usize,
    pub(super) body: String,
    /// The lines that were put together with others since it was printed.
    items: Vec<Item>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Item {
    heading: Option<&'static str>,
    text: String,
}

impl Item {
    fn key(&self) -> String {
        curated::statement_key(&self.text)
    }

    fn cited(&self) -> BTreeSet<Cited> {
        let cited = reply::split_citations(&self.text).1.into_iter();
        cited.filter_map(|cited| Some((cited.name?, cited.first_line, cited.last_line))).collect()
    }

    /// Adds what another line of the same statement cites.
    fn cite(&mut self, other: &Self) {
        let known = self.cited();
        for (name, first, last) in other.cited().difference(&known).filter(|cited| cited.1 > 0) {
            let lines = if first == last { format!("L{first}") } else { format!("L{first}-L{last}") };
            self.text.push_str(&format!(" ({name}#{lines})"));
        }
    }
}

impl Night {
    /// Reads a section; `None` where it is not one that was printed.
    pub(super) fn read(section: &str) -> Option<Self> {
        let section = section.trim_start().replace("\r\n", "\n");
        let (heading, rest) = section.split_once('\n')?;
        let day = heading.strip_prefix(curated::HEADING)?.trim().parse().ok()?;
        let (mark, rest) = rest.split_once('\n')?;
        curated::mark(mark)?;
        let sources = mark.split_once(" src=")?.1.split(' ').next()?.parse().ok()?;
        let body = &rest[..rest.rfind(curated::END)?];
        let items = curated::promoted(&section).into_iter();
        let items = items.map(|Promoted { heading, text, .. }| Item { heading, text }).collect();
        Some(Self { day, sources, body: body.trim().to_owned(), items })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.body.is_empty()
    }

    /// Returns the hashes by which its statements are remembered.
    pub(super) fn hashes(&self) -> impl Iterator<Item = String> + '_ {
        self.items.iter().map(|item| crate::format::state::log::statement_hash(&item.text))
    }

    /// Takes in the section of the same dream on another machine, whose model may have said something else.
    pub(super) fn unite(&mut self, mut theirs: Self) {
        if theirs.body == self.body {
            return;
        }
        if theirs.items < self.items {
            std::mem::swap(self, &mut theirs);
        }
        self.sources = self.sources.max(theirs.sources);
        let is_same_life = |_: &Cited| true;
        self.take_doubles(&mut theirs, &is_same_life);
        self.items.append(&mut theirs.items);
        self.print();
    }

    /// Takes lines out of a later section that say the same as lines here, or were promoted from the same lines of a journal. What
    /// they cite is cited here.
    pub(super) fn take_doubles(&mut self, later: &mut Self, is_same: &dyn Fn(&Cited) -> bool) {
        let places: BTreeMap<String, usize> =
            self.items.iter().enumerate().map(|(at, item)| (item.key(), at)).collect();
        let cited = |item: &Item| Some(item.cited()).filter(|cited| !cited.is_empty() && cited.iter().all(is_same));
        let mut by_lines: BTreeMap<BTreeSet<Cited>, usize> = BTreeMap::new();
        for (at, item) in self.items.iter().enumerate() {
            if let Some(cited) = cited(item) {
                by_lines.entry(cited).or_insert(at);
            }
        }
        let (before, count) = (self.items.clone(), later.items.len());
        later.items.retain(|item| {
            let place = places.get(&item.key()).copied();
            let place = place.or_else(|| by_lines.get(&cited(item)?).copied());
            if let Some(at) = place {
                self.items[at].cite(item);
            }
            place.is_none()
        });
        if self.items != before {
            self.print();
        }
        if later.items.len() < count {
            later.print();
        }
    }

    fn print(&mut self) {
        let mut headings: Vec<Option<&str>> = Vec::new();
        for item in &self.items {
            if !headings.contains(&item.heading) {
                headings.push(item.heading);
            }
        }
        headings.sort_by_key(|heading| heading.map(|heading| reply::HEADINGS.iter().position(|known| *known == heading)));
        let group = |heading: &Option<&str>| {
            let title = heading.map(|heading| format!("### {heading}\n")).unwrap_or_default();
            let lines = self.items.iter().filter(|item| item.heading == *heading);
            title + &lines.map(|item| format!("- {}", item.text)).collect::<Vec<_>>().join("\n")
        };
        self.body = headings.iter().map(group).collect::<Vec<_>>().join("\n\n");
    }
}

