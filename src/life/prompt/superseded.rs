//! Lines of `MEMORY.md` that hold no more, as a prompt says it. The file stays as it is.

use std::collections::BTreeMap;

use crate::base::text::{self, Unit};
use crate::facts::Superseded;
use crate::format::replies::reply;
use crate::life::receipt::{Item, ShownBy};

/// The most characters of what holds now beside a line.
const MOST: usize = 300;

/// The notes behind lines, by what the lines state.
#[derive(Default)]
pub(super) struct Notes(BTreeMap<String, (String, Item)>);

impl Notes {
    /// Makes the notes of some lines; `say` returns as much of a text as a prompt may say.
    pub(super) fn of<E>(
        superseded: &[Superseded],
        mut say: impl FnMut(&str) -> Result<String, E>,
    ) -> Result<Self, E> {
        let mut notes = BTreeMap::new();
        for Superseded { row, now, since, .. } in superseded {
            let since = since.map(|since| format!(" since {}", since.date_naive())).unwrap_or_default();
            let content = text::head(&now.content, MOST, Unit::Chars).split_whitespace().collect::<Vec<_>>();
            let shown = say(&content.join(" "))?;
            let note = format!(" [superseded{since}; now: {shown}]");
            notes.insert(text::statement(&row.content), (note, Item::row(ShownBy::Prompt, now)));
        }
        Ok(Self(notes))
    }

    /// Adds the notes to a text, and the rows that they say; returns how many.
    pub(super) fn add_to(&self, body: &mut String, rows: &mut Vec<Item>) -> usize {
        if self.0.is_empty() {
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
                notes += self.close(open.take(), &mut marked, rows);
                open = reply::bullet(line).map(str::to_owned);
            }
            marked.push_str(line);
        }
        notes += self.close(open, &mut marked, rows);
        *body = marked;
        notes
    }

    /// Adds the note of a bullet that ends here, where it has one.
    fn close(&self, item: Option<String>, marked: &mut String, rows: &mut Vec<Item>) -> usize {
        let stated = item.map(|item| text::statement(reply::unstruck(&reply::split_citations(&item).0)));
        let Some((note, row)) = stated.and_then(|stated| self.0.get(&stated)) else { return 0 };
        let end = marked.trim_end().len();
        marked.insert_str(end, note);
        rows.push(row.clone());
        1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{Memory, MemoryId, NewMemory, Source};
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
            let marked = if is_marked { format!("{line}{note}") } else { line.to_owned() };
            assert_eq!(notes.add_to(&mut body, &mut Vec::new()), usize::from(is_marked), "{line}");
            assert_eq!(body, format!("# Memory\n\n{marked}\n- Likes tea.\n"));
        }
    }
}
