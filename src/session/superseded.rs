//! Lines of `MEMORY.md` that no longer hold or may be out of date, and their marks in prompts, tools, searches and pages. The
//! file stays as it is.

use std::borrow::Cow;

use crate::base::gather::Gather as _;
use crate::base::sorted::SortedMap;
use crate::base::text::{self, Unit};
use crate::facts::Superseded;
use crate::format::documents::curated;
use crate::format::replies::reply;
use crate::memory::{Doubt, Memory, SnapshotRow};

/// The most characters of what holds now beside a line.
const MOST: usize = 300;

/// The openings of every note.
const OPEN: &str = " [superseded";
const DOUBT: &str = " [may be out of date";

/// The notes behind lines, by what the lines state.
#[derive(Default)]
pub(crate) struct Notes {
    superseded: SortedMap<String, (String, Memory)>,
    doubted: SortedMap<String, String>,
}

/// A note, and the row whose words it says.
type Note<'n> = (&'n str, Option<&'n Memory>);

impl Notes {
    /// Makes the notes of some lines; `shown` is what a prompt may say of a text.
    pub(crate) fn of<E>(
        superseded: &[Superseded],
        mut shown: impl FnMut(&str) -> Result<String, E>,
    ) -> Result<Self, E> {
        let mut notes = SortedMap::new();
        for Superseded { row, now, since, .. } in superseded {
            let since = since.map(|since| format!(" since {}", since.date_naive())).unwrap_or_default();
            let content = text::head(&now.content, MOST, Unit::Chars).split_whitespace().gather();
            let said = shown(&content.join(" "))?;
            let note = format!("{OPEN}{since}; now: {said}]");
            notes.insert(text::statement(&row.content), (note, now.clone()));
        }
        Ok(Self { superseded: notes, doubted: SortedMap::new() })
    }

    /// Takes over the doubts of others.
    pub(crate) fn doubting_as(mut self, other: &Self) -> Self {
        self.doubted.clone_from(&other.doubted);
        self
    }

    /// Gives rows the reason why they may be out of date, in place of earlier doubts. `shown` returns the part of a text
    /// that a prompt may show.
    pub(crate) fn doubting<E>(
        &self,
        rows: &[SnapshotRow],
        mut shown: impl FnMut(&str) -> Result<String, E>,
    ) -> Result<Self, E> {
        let mut doubted = SortedMap::new();
        for row in rows {
            if let Some(doubt) = Doubt::of(row, rows) {
                let doubt = doubt.told(&mut shown)?;
                doubted.insert(text::statement(&row.content), format!("{DOUBT}: {doubt}]"));
            }
        }
        Ok(Self { superseded: self.superseded.clone(), doubted })
    }

    fn get(&self, statement: &str) -> Option<Note<'_>> {
        let superseded = self.superseded.get(statement).map(|(note, row)| (note.as_str(), Some(row)));
        superseded.or_else(|| self.doubted.get(statement).map(|note| (note.as_str(), None)))
    }

    /// Returns the notes with the statements that they are of, those of superseded lines first.
    fn all(&self) -> impl Iterator<Item = (&str, Note<'_>)> {
        let superseded =
            self.superseded.iter().map(|(key, (note, row))| (key.as_str(), (note.as_str(), Some(row))));
        superseded.chain(self.doubted.iter().map(|(key, note)| (key.as_str(), (note.as_str(), None))))
    }

    /// Adds the notes to a text, and hands over the row that each says; returns how many.
    pub(crate) fn add_to(&self, body: &mut String, said: &mut dyn FnMut(&Memory)) -> usize {
        if self.all().next().is_none() {
            return 0;
        }
        let (mut marked, mut notes) = (String::with_capacity(body.len()), 0);
        let mut open: Option<String> = None;
        for line in body.split_inclusive('\n') {
            let continues =
                line.starts_with([' ', '\t']) && !line.trim().is_empty() && reply::bullet(line).is_none();
            if let (true, Some(item)) = (continues, &mut open) {
                item.push(' ');
                item.push_str(line.trim());
            } else {
                notes += self.close(open.take(), &mut marked, said);
                open = reply::bullet(line).map(str::to_owned);
            }
            marked.push_str(line);
        }
        notes += self.close(open, &mut marked, said);
        notes += self.close_cut(&mut marked, said);
        *body = marked;
        notes
    }

    /// Adds the notes of the two lines within which a text that is too long may be cut.
    fn close_cut(&self, marked: &mut String, said: &mut dyn FnMut(&Memory)) -> usize {
        let Some(cut) = marked.find(curated::LEFT_OUT) else { return 0 };
        let mut notes = 0;
        let from = cut + curated::LEFT_OUT.len();
        if let Some(rest) = marked[from..].strip_prefix(curated::WITHIN) {
            let line = rest.lines().next().unwrap_or_default();
            let (end, stated) = (from + curated::WITHIN.len() + line.trim_end().len(), stated(line));
            let is_end = |key: &str| !stated.is_empty() && key.ends_with(&stated);
            let note = self.all().find(|(key, _)| is_end(key)).filter(|_| !is_noted(line));
            if let Some((_, (note, row))) = note {
                marked.insert_str(end, note);
                row.into_iter().for_each(&mut *said);
                notes += 1;
            }
        }
        // Behind the head are the headings that were left out.
        let head = marked[..cut].lines().rev().find(|line| !line.is_empty() && !line.starts_with('#'));
        let Some(item) = head.filter(|head| !is_noted(head)).and_then(reply::bullet) else {
            return notes;
        };
        let begun = text::statement(item);
        let is_begin = |key: &str| {
            let is_half = key.starts_with(&begun) && 2 * begun.len() >= key.len();
            let behind = begun.strip_prefix(key).map(|rest| rest.trim_start_matches(['.', ' ']));
            is_half || behind.is_some_and(|rest| rest.starts_with('('))
        };
        if let Some((_, (note, row))) = self.all().find(|(key, _)| is_begin(key)) {
            let at = marked[..cut].rfind(item).map_or(cut, |at| at + item.trim_end().len());
            marked.insert_str(at, note);
            row.into_iter().for_each(&mut *said);
            notes += 1;
        }
        notes
    }

    /// Returns the note of a bullet, with a space in front.
    #[cfg(feature = "report")]
    pub(crate) fn of_bullet(&self, item: &str) -> Option<&str> {
        self.get(&stated(item)).map(|(note, _)| note)
    }

    /// Takes the notes out of a text that somebody was shown and gives back, so that no file holds them.
    pub(crate) fn take_from<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if !is_noted(text) {
            return Cow::Borrowed(text);
        }
        let mut bare = String::with_capacity(text.len());
        for line in text.split_inclusive('\n') {
            let said = line.trim_end();
            let opens = said.rfind(OPEN).into_iter().chain(said.rfind(DOUBT)).max();
            let note = opens.filter(|at| self.all().any(|(_, (note, _))| *note == said[*at..]));
            let end = note.unwrap_or(said.len());
            bare.extend([&said[..end], &line[said.len()..]]);
        }
        Cow::Owned(bare)
    }

    /// Adds the note of a bullet that ends here, where it has one.
    fn close(&self, item: Option<String>, marked: &mut String, said: &mut dyn FnMut(&Memory)) -> usize {
        let Some((note, row)) = item.and_then(|item| self.get(&stated(&item))) else { return 0 };
        let end = marked.trim_end().len();
        marked.insert_str(end, note);
        row.into_iter().for_each(said);
        1
    }
}

/// Returns whether a text has a note.
fn is_noted(text: &str) -> bool {
    text.contains(OPEN) || text.contains(DOUBT)
}

/// Returns the statement of a bullet, by which its note is known.
fn stated(item: &str) -> String {
    text::statement(reply::unstruck(&reply::split_citations(item).0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{MemoryId, NewMemory, Source};
    use chrono::{TimeZone, Utc};

    #[test]
    fn the_line_that_holds_no_more_says_so() {
        let at = Utc.with_ymd_and_hms(2026, 11, 21, 9, 0, 0).unwrap();
        let row = |id, content: &str| {
            Memory::new(MemoryId::new(id), NewMemory::new("fact", content, Source::Dreamed), at)
        };
        let one = Superseded::new(row(1, "Lives in Berlin."), row(2, "Lives in\nLisbon."), Some(at));
        let notes = Notes::of(&[one], |text| Ok::<_, ()>(text.to_owned())).unwrap();
        let note = " [superseded since 2026-11-21; now: Lives in Lisbon.]";
        for (line, is_marked) in [
            ("- Lives in Berlin. (memory/2026-11-20.md#L1)", true),
            ("- Lives in\n  Berlin.", true),
            ("- ~~Lives in Berlin.~~ (memory/2026-11-20.md#L1)", true),
            ("- Never lives in Berlin.", false),
            ("Lives in Berlin.", false),
        ] {
            let mut body = format!("# Memory\n\n{line}\n- Likes tea.\n");
            let of_others = format!("{body}- Tea [superseded since 2026-11-21; now: coffee]\n");
            assert_eq!(notes.take_from(&of_others), of_others, "a note that a person wrote");
            let marked = if is_marked { format!("{line}{note}") } else { line.to_owned() };
            assert_eq!(notes.add_to(&mut body, &mut |_| ()), usize::from(is_marked), "{line}");
            assert_eq!(body, format!("# Memory\n\n{marked}\n- Likes tea.\n"));
            assert_eq!(notes.take_from(&body), format!("# Memory\n\n{line}\n- Likes tea.\n"));
        }
    }

    #[test]
    fn a_line_that_may_be_out_of_date_says_why() {
        use crate::memory::Stale;
        let mut rows: Vec<SnapshotRow> = ["Lives in Berlin.", "Likes tea."]
            .map(|content| SnapshotRow::new(MemoryId::new(1), "fact".to_owned(), content.to_owned(), false))
            .into();
        rows[1].id = MemoryId::new(2);
        rows[0].stale.push(Stale::SourceGone);
        let doubt = |rows: &[SnapshotRow]| {
            Doubt::of(&rows[1], rows)
                .map(|doubt| doubt.told(&mut |text| Ok::<_, ()>(text.to_owned())).unwrap())
        };
        assert_eq!(doubt(&rows), None);
        for (id, said) in [(1, "\"Lives in Berlin.\" may contradict it"), (9, "another may contradict it")] {
            rows[1].stale = vec![Stale::Suspected(MemoryId::new(id))];
            assert_eq!(doubt(&rows).as_deref(), Some(said));
        }
        rows[1].stale.clear();
        let notes = Notes::default().doubting(&rows, |text| Ok::<_, ()>(text.to_owned())).unwrap();
        let text = "- Lives in Berlin. (memory/2026-11-20.md#L1)\n- Likes tea.\n";
        let mut body = text.to_owned();
        assert_eq!(notes.add_to(&mut body, &mut |_| ()), 1);
        let expected = "#L1) [may be out of date: a journal line that it cites is gone]\n- Likes tea.\n";
        assert!(body.ends_with(expected), "{body}");
        assert_eq!(notes.take_from(&body), text);
    }

    #[test]
    fn a_line_within_which_a_text_is_cut_says_so_too() {
        let at = Utc.with_ymd_and_hms(2026, 11, 21, 9, 0, 0).unwrap();
        let row = |content: &str| {
            Memory::new(MemoryId::new(1), NewMemory::new("fact", content, Source::Dreamed), at)
        };
        let one = |content: &str| Superseded::new(row(content), row("It is in Faro."), None);
        let all = [one("The office is in Berlin."), one("The archive is in Rome.")];
        let notes = Notes::of(&all, |text| Ok::<_, ()>(text.to_owned())).unwrap();
        let mark = " [superseded; now: It is in Faro.]";
        for (head, tail, marked) in [
            ("- The office is in Ber", "chive is in Rome. (memory/a.md#L1)", (true, true)),
            ("- The office is in Berlin. (memory/a", "in Rome.", (true, true)),
            ("- The office is in Porto. (memory/a", "in Porto.", (false, false)),
            ("- The off", "", (false, false)),
        ] {
            let mut body = format!("{head}\n## Dreamed 2026-11-20\n[...left out]\n…{tail}\n- Tea.\n");
            let note = |is_marked| if is_marked { mark } else { "" };
            let (first, last) = (note(marked.0), note(marked.1));
            let expected =
                format!("{head}{first}\n## Dreamed 2026-11-20\n[...left out]\n…{tail}{last}\n- Tea.\n");
            assert_eq!(
                notes.add_to(&mut body, &mut |_| ()),
                usize::from(marked.0) + usize::from(marked.1),
                "{head}"
            );
            assert_eq!(body, expected);
        }
    }
}
