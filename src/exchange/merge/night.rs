//! The section of one dream, taken apart: its day, its lines, and what they cite.

use std::collections::{BTreeMap, BTreeSet};
use std::iter;

use chrono::NaiveDate;

use crate::base::document::SourceRef;
use crate::base::name::DocName;
use crate::dream::Said;
use crate::format::DreamId;
use crate::format::documents::cited::{Cited, cited, compared};
use crate::format::documents::curated::{self, Promoted};
use crate::format::documents::known::{Heard, KnownStatements};
use crate::format::documents::statements::statement_hash;
use crate::format::replies::reply;
use crate::gate::is_struck;

/// The section of a dream, as it was printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Night {
    pub(super) day: NaiveDate,
    pub(super) sources: usize,
    pub(super) body: String,
    /// The lines that were put together with others since it was printed.
    items: Vec<Item>,
    /// Journals that are not known to be those that it cites.
    stale: BTreeSet<DocName>,
    /// The hashes of lines of others that are one with lines here.
    joined: BTreeSet<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Item {
    heading: Option<&'static str>,
    text: String,
}

fn place((name, first_line, last_line): &Cited) -> String {
    SourceRef { name: name.clone(), first_line: *first_line, last_line: *last_line }.to_string()
}

impl Item {
    fn heard(&self) -> Heard {
        Heard::of(&self.text)
    }

    fn cited(&self) -> BTreeSet<Cited> {
        cited(reply::split_citations(&self.text).1).into_iter().collect()
    }

    fn said(&self) -> Said {
        Said::of(&self.text)
    }

    /// Adds what another line of the same statement cites.
    fn cite(&mut self, other: &Self) {
        let known = self.cited();
        for cited in other.cited().difference(&known).filter(|cited| cited.1 > 0) {
            self.text.push_str(&format!(" ({})", place(cited)));
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
        Some(Self {
            day,
            sources,
            body: body.trim().to_owned(),
            items,
            stale: BTreeSet::new(),
            joined: BTreeSet::new(),
        })
    }

    /// Returns whether the section is as a library prints it, by its own mark: no person has changed a line of it.
    pub(super) fn is_printed(&self, section: &str, id: &DreamId) -> bool {
        let section = section.trim_start().replace("\r\n", "\n");
        section == curated::print_section(b"", self.day, id, self.sources, &self.body)
    }

    /// Makes the section of lines that a person has in a text, to be compared with those of dreams.
    pub(super) fn of_lines<'l>(lines: impl Iterator<Item = &'l str>, day: NaiveDate) -> Self {
        let bullets =
            lines.filter_map(reply::bullet).map(|text| Item { heading: None, text: text.to_owned() });
        Self {
            day,
            sources: 0,
            body: String::new(),
            items: bullets.collect(),
            stale: BTreeSet::new(),
            joined: BTreeSet::new(),
        }
    }

    /// Returns the journals that its lines cite.
    pub(super) fn cited(&self) -> BTreeSet<DocName> {
        self.items.iter().flat_map(Item::cited).map(|(name, ..)| name).collect()
    }

    /// Returns the lines that it cites, of journals that are known to be those.
    pub(super) fn places(&self) -> impl Iterator<Item = Cited> + '_ {
        self.items.iter().flat_map(Item::cited).filter(|(name, ..)| !self.stale.contains(name))
    }

    /// Returns the cited lines that say what its lines say: a person may have changed these, and the journal as well.
    pub(super) fn told<'t>(&self, journal: &dyn Fn(&DocName) -> Option<&'t str>) -> Vec<Cited> {
        let mut all = Vec::new();
        for item in &self.items {
            let said = Said::of(curated::strip_date(&item.text).1);
            for (name, first, last) in item.cited() {
                let lines = journal(&name).into_iter().flat_map(str::lines).zip(1..);
                let mut lines = lines.filter(|(_, number)| (first..=last).contains(number));
                if lines.any(|(line, _)| said.is_told_by(line)) {
                    all.push((name, first, last));
                }
            }
        }
        all
    }

    /// Says which journals are not those that its lines cite.
    pub(super) fn lost_sight_of(&mut self, journals: BTreeSet<DocName>) {
        self.stale = journals;
    }

    /// Cites the places where the cited lines are now.
    pub(super) fn recite(&mut self, moved: &dyn Fn(&Cited) -> Vec<Cited>) {
        let mut is_changed = false;
        for item in &mut self.items {
            let (claim, cited) = reply::split_citations(&item.text);
            let cited: Option<Vec<Cited>> = cited
                .into_iter()
                .map(|cited| Some((cited.name?, cited.first_line, cited.last_line)))
                .collect();
            let cited = cited.filter(|cited| cited.iter().all(|(name, ..)| !self.stale.contains(name)));
            let Some(cited) = cited.filter(|cited| cited.iter().all(|cited| cited.1 > 0)) else { continue };
            let now: Vec<Cited> = cited.iter().flat_map(moved).collect();
            if now != cited {
                let now: Vec<String> = now.iter().map(place).collect();
                item.text = format!("{} ({})", claim.trim_end(), now.join(", "));
                is_changed = true;
            }
        }
        if is_changed {
            self.print();
        }
    }

    /// Cites the line of a journal that alone says what an item says, where none that it cites there does. A tool
    /// brought the section and the journal from different moments.
    pub(super) fn look_up<'t>(&mut self, journal: &dyn Fn(&DocName) -> Option<&'t str>) {
        let mut is_changed = false;
        for item in &mut self.items {
            // A date in front is the day of the journal.
            let (said, all) = (Said::of(curated::strip_date(&item.text).1), item.cited());
            let names: BTreeSet<&DocName> =
                all.iter().filter(|cited| cited.1 > 0).map(|cited| &cited.0).collect();
            let mut moved = BTreeMap::new();
            for name in names {
                let Some(text) = journal(name) else { continue };
                let (mut tell, mut is_cited) = (Vec::new(), false);
                for (_, number) in text.lines().zip(1..).filter(|(line, _)| said.is_told_by(line)) {
                    let has = |cited: &Cited| cited.0 == *name && (cited.1..=cited.2).contains(&number);
                    is_cited |= all.iter().any(has);
                    tell.push(number);
                }
                if let ([line], false) = (tell.as_slice(), is_cited) {
                    moved.insert(name.clone(), *line);
                }
            }
            if moved.is_empty() {
                continue;
            }
            let place = |cited: &Cited| match moved.get(&cited.0) {
                Some(line) if cited.1 > 0 => place(&(cited.0.clone(), *line, *line)),
                _ => place(cited),
            };
            let now: BTreeSet<String> = all.iter().map(place).collect();
            let claim = reply::split_citations(&item.text).0;
            item.text = format!("{} ({})", claim.trim_end(), now.into_iter().collect::<Vec<_>>().join(", "));
            is_changed = true;
        }
        if is_changed {
            self.print();
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.body.is_empty()
    }

    /// Says its lines to `all`.
    pub(super) fn tell(&self, all: &mut KnownStatements) {
        for item in &self.items {
            all.insert(item.heard(), 0);
        }
    }

    /// Returns the hashes by which its statements are remembered, those that others said in other words among them.
    pub(super) fn hashes(&self) -> impl Iterator<Item = String> + '_ {
        self.items.iter().map(|item| statement_hash(&item.text)).chain(self.joined.iter().cloned())
    }

    /// Takes in the section of the same dream on another machine, whose model may have said something else.
    pub(super) fn unite(&mut self, mut theirs: Self) {
        let (day, sources) = (self.day.min(theirs.day), self.sources.max(theirs.sources));
        if (&theirs.items, &theirs.body) < (&self.items, &self.body) {
            std::mem::swap(self, &mut theirs);
        }
        (self.day, self.sources) = (day, sources);
        if theirs.body == self.body {
            return self.join_contained();
        }
        // Both were shown the same lines, be they wherever they are by now.
        let lost: BTreeSet<DocName> = self.stale.intersection(&theirs.stale).cloned().collect();
        self.stale.retain(|name| !lost.contains(name));
        theirs.stale.retain(|name| !lost.contains(name));
        self.take_longer(&mut theirs);
        let mut all = KnownStatements::default();
        self.tell(&mut all);
        theirs.tell(&mut all);
        self.take_doubles(&mut theirs, &|_| true, &all);
        self.stale.extend(lost);
        self.items.append(&mut theirs.items);
        self.print();
        self.join_contained();
    }

    /// Takes the longer of two lines that cite the same, where it has all words of the other. A person may have added
    /// some.
    fn take_longer(&mut self, theirs: &mut Self) {
        for item in &mut self.items {
            let cited = item.cited();
            for other in theirs.items.iter_mut().filter(|other| !other.cited().is_disjoint(&cited)) {
                let (here, there) = (item.said(), other.said());
                if here.is_in(&there) && here.len() < there.len() {
                    std::mem::swap(&mut item.text, &mut other.text);
                }
            }
        }
    }

    /// Takes out a line whose words are all in another line that cites the same. Before a tool brought the rest, they cited other
    /// places.
    fn join_contained(&mut self) {
        let mut by_lines: BTreeMap<Cited, Vec<usize>> = BTreeMap::new();
        for (at, item) in self.items.iter().enumerate() {
            for cited in item.cited() {
                by_lines.entry(cited).or_default().push(at);
            }
        }
        let mut gone: BTreeMap<usize, usize> = BTreeMap::new();
        for near in by_lines.into_values().filter(|near| near.len() > 1) {
            let said: Vec<Said> = near.iter().map(|at| self.items[*at].said()).collect();
            for (one, at) in near.iter().enumerate() {
                let is_in = |other: &usize| {
                    *other != one && !gone.contains_key(&near[*other]) && said[one].is_in(&said[*other])
                };
                if let Some(other) = (0..near.len()).find(is_in) {
                    gone.insert(*at, near[other]);
                }
            }
        }
        if gone.is_empty() {
            return;
        }
        for (at, other) in &gone {
            let item = self.items[*at].clone();
            self.items[*other].cite(&item);
        }
        let mut at = 0..;
        self.items.retain(|_| at.next().is_some_and(|at| !gone.contains_key(&at)));
        self.print();
    }

    /// Takes lines out of a later section that say the same as lines here. So are lines in similar words that were promoted from
    /// the same lines of a journal. Their citations come here. A value that returned stays: one of `all` lines between the two
    /// said another value.
    pub(super) fn take_doubles(
        &mut self,
        later: &mut Self,
        is_same: &dyn Fn(&Cited) -> bool,
        all: &KnownStatements,
    ) {
        let heard: Vec<Heard> = self.items.iter().map(Item::heard).collect();
        let mut places = KnownStatements::default();
        for (at, heard) in heard.iter().enumerate() {
            places.insert(heard.clone(), at);
        }
        let said_by = |item: &Item| {
            let later = item.heard();
            let nearest = places.find(&later)?;
            iter::once(nearest)
                .chain(0..heard.len())
                .find(|at| heard[*at].is_same(&later) && !all.parts(&heard[*at], &later))
        };
        let before = self.items.clone();
        // What an item cites, and of that the lines of documents that are known to be those.
        let cited = |item: &Item, stale: &BTreeSet<DocName>| {
            let all = item.cited();
            let is_known = |cited: &&Cited| !stale.contains(&cited.0) && is_same(cited);
            let known: BTreeSet<Cited> = all.iter().filter(is_known).cloned().collect();
            (all, known)
        };
        let here: Vec<_> = self.items.iter().map(|item| cited(item, &self.stale)).collect();
        let mut by_lines: BTreeMap<Cited, Vec<usize>> = BTreeMap::new();
        for (at, (all, _)) in here.iter().enumerate() {
            for place in all {
                by_lines.entry(compared(place)).or_default().push(at);
            }
        }
        let of_lines = |item: &Item, stale: &BTreeSet<DocName>| {
            let (all, known) = cited(item, stale);
            let near: BTreeSet<usize> =
                all.iter().filter_map(|line| by_lines.get(&compared(line))).flatten().copied().collect();
            near.into_iter().find(|at| {
                let there = &here[*at].1;
                // An earlier merge may have given one of the two more citations.
                let is_same_place = !known.is_empty()
                    && !there.is_empty()
                    && (known.is_subset(there) || there.is_subset(&known));
                let (one, other) = (before[*at].said(), item.said());
                one.is_nearly(&other) || (is_same_place && one.may_be(&other))
            })
        };
        let (count, stale) = (later.items.len(), later.stale.clone());
        // What is left of forgotten words says nothing, so it says nothing twice: but for the same lines.
        let is_stub = |item: &Item| is_struck(&item.text);
        let stub_of = |item: &Item| {
            let all: BTreeSet<Cited> = item.cited().iter().map(compared).collect();
            let is_same = |at: &usize| {
                is_stub(&before[*at]) && here[*at].0.iter().map(compared).collect::<BTreeSet<_>>() == all
            };
            (0..before.len()).find(is_same)
        };
        later.items.retain(|item| {
            let place = if is_stub(item) {
                stub_of(item)
            } else {
                let same = said_by(item).or_else(|| of_lines(item, &stale));
                same.filter(|at| !is_stub(&before[*at]))
            };
            if let Some(at) = place {
                self.items[at].cite(item);
                self.joined.insert(statement_hash(&item.text));
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
        headings.sort_by_key(|heading| {
            heading.map(|heading| reply::HEADINGS.iter().position(|known| *known == heading))
        });
        let group = |heading: Option<&str>| {
            let title = heading.map(|heading| format!("### {heading}\n")).unwrap_or_default();
            let lines = self.items.iter().filter(|item| item.heading == heading);
            title + &lines.map(|item| format!("- {}", item.text)).collect::<Vec<_>>().join("\n")
        };
        self.body = headings.iter().copied().map(group).collect::<Vec<_>>().join("\n\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn night(lines: &[&str]) -> Night {
        let printed: String = lines.iter().map(|line| format!("- {line}\n")).collect();
        Night::of_lines(printed.lines(), NaiveDate::default())
    }

    fn joined(first: &[&str], later: &[&str]) -> (Vec<String>, Vec<String>) {
        let (mut first, mut later) = (night(first), night(later));
        first.take_doubles(&mut later, &|_| true, &KnownStatements::default());
        let texts = |night: Night| night.items.into_iter().map(|item| item.text).collect();
        (texts(first), texts(later))
    }

    #[test]
    fn other_words_about_the_same_line_are_one_statement_and_another_statement_of_that_line_is_two() {
        let line = "(memory/2026-11-20-repl.md#L4)";
        let moved = format!("Marta moved to Lisbon in 2025. {line}");
        let (first, later) = joined(&[&moved], &[&format!("In 2025 the user moved to Lisbon. {line}")]);
        assert_eq!((first, later), (vec![moved.clone()], vec![]));
        for other in [
            "She drinks green tea.",
            "Marta moved to Lisbon in 2024.",
            "Marta never moved to Lisbon in 2025.",
        ] {
            let other = format!("{other} {line}");
            let (first, later) = joined(&[&moved], &[&other]);
            assert_eq!((first, later), (vec![moved.clone()], vec![other]));
        }
    }

    #[test]
    fn a_value_that_returned_stays_where_another_was_said_between() {
        let line = |city: &str, day: u32| {
            night(&[&format!("The office is in {city}. (memory/2026-11-0{day}-repl.md#L1)")])
        };
        for (city, left) in [("Bergen", 1), ("Oslo", 0)] {
            let (mut first, mut later) = (line("Oslo", 1), line("Oslo", 3));
            let mut all = KnownStatements::default();
            for told in [&first, &line(city, 2), &later] {
                told.tell(&mut all);
            }
            first.take_doubles(&mut later, &|_| true, &all);
            assert_eq!(later.items.len(), left, "{city}");
        }
    }

    #[test]
    fn words_that_a_person_added_to_a_line_stay_whichever_machine_they_are_on() {
        let line = "(memory/2026-11-20-repl.md#L4)";
        let (short, long) = (format!("We ship 6 crates. {line}"), format!("We ship 6 wooden crates. {line}"));
        for [one, other] in [[&short, &long], [&long, &short]] {
            let mut united = night(&[one]);
            united.body = one.clone();
            let mut theirs = night(&[other]);
            theirs.body = other.clone();
            united.unite(theirs);
            assert_eq!(united.items.iter().map(|item| &item.text).collect::<Vec<_>>(), [&long]);
        }
    }

    #[test]
    fn what_another_line_of_the_same_night_says_whole_is_there_once() {
        let line = "(memory/2026-11-20-repl.md#L4)";
        let section = format!(
            "## Dreamed 2026-11-21\n<!-- dream:v1 id=0123456789abcdef src=1 sha256=0123456789abcdef -->\n\n- Marta likes tea. {line}\n- \
             We know: Marta likes tea. {line}\n- Marta likes green tea never. {line}\n- Marta likes tea. \
             (memory/2026-11-21-repl.md#L1)\n\n<!-- /dream:v1 id=0123456789abcdef -->\n"
        );
        let mut night = Night::read(&section).unwrap();
        night.unite(night.clone());
        let texts: Vec<&str> = night.items.iter().map(|item| item.text.as_str()).collect();
        assert_eq!(
            texts,
            [
                format!("We know: Marta likes tea. {line}"),
                format!("Marta likes green tea never. {line}"),
                "Marta likes tea. (memory/2026-11-21-repl.md#L1)".to_owned()
            ]
        );
    }

    #[test]
    fn equal_words_are_one_statement_wherever_they_were_said() {
        let (first, later) = joined(
            &["The boat is called Brisk. (memory/2026-11-20-repl.md#L1)"],
            &["The boat is called Brisk. (memory/2026-11-21-repl.md#L9)"],
        );
        let both = "The boat is called Brisk. (memory/2026-11-20-repl.md#L1) (memory/2026-11-21-repl.md#L9)";
        assert_eq!((first, later), (vec![both.to_owned()], vec![]));
    }
}
