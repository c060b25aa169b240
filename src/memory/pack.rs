//! A context with a limit of characters from the hits of a search. Memory takes less room in it than the journals it
//! stands for.

use std::fmt;

use super::found::Hit;
use super::row::Memory;
use crate::base::debug::debug_as;
use crate::base::document::SourceRef;
use crate::base::gather::Gather as _;
use crate::base::order;

/// Rows that a search found, packed into a context with a limit of characters.
///
/// A row with the [lines of its journal](super::NewMemory::cites) says the same as a line that a dream promoted from
/// these lines. The shorter of both is taken, and the room that it leaves is given to further rows. So memory can only
/// add. Each row of a journal is there, itself or by a promoted line that cites all of its lines.
///
/// Pass the rows found in one store, or in a store of journals and a store that is [fed](crate::exchange::feed). The
/// second finds more: fed lines then change no weight of a word among the journals' rows.
///
/// ```
/// use chrono::Utc;
/// use noctuary::exchange::feed;
/// use noctuary::format::SourceRef;
/// use noctuary::memory::{NewMemory, Packed, Query, Source};
/// use noctuary::{Access, DocName, FileMemoryStore, FileWorkspace, MemoryStore, Scope, Workspace, WriteMode};
///
/// # let (home, folder) = (tempfile::tempdir()?, tempfile::tempdir()?);
/// # let workspace = FileWorkspace::open(folder.path())?;
/// # let (scope, now) = (Scope::user("marta"), Utc::now());
/// # std::fs::create_dir(home.path().join("journals"))?;
/// # std::fs::create_dir(home.path().join("dreamed"))?;
/// let said = "I'm looking for a hotel, can you help? By the way, I moved to Porto in May. What would you say?";
/// let memory = "<!-- dream:v1 id=0f3a9c5be2d14477 src=1 sha256=0 -->
/// - 2026-11-20: User: I moved to Porto in May. (memory/2026-11-20-repl.md#L5)
/// <!-- /dream:v1 id=0f3a9c5be2d14477 -->
/// ";
/// # workspace.write(&DocName::MEMORY, memory.as_bytes(), WriteMode::Create)?;
/// let journals = FileMemoryStore::open(home.path().join("journals"), scope.clone())?;
/// let dreamed = FileMemoryStore::open(home.path().join("dreamed"), scope.clone())?;
/// let line = SourceRef { name: DocName::parse("memory/2026-11-20-repl.md")?, first_line: 5, last_line: 5 };
/// let access = Access::agent(scope.clone());
/// journals.write(&access, &NewMemory::new("observation", said, Source::ChatExtracted).cites(vec![line]), now)?;
/// feed(&workspace, &dreamed, &scope, now)?; // after each night
///
/// let query = Query::new("When did I move to Porto?").limit(100);
/// let (rows, lines) = (journals.search(&access, &query)?, dreamed.search(&access, &query)?);
/// let context = Packed::new(rows.hits.iter().chain(&lines.hits), 2000);
/// assert_eq!(context.to_string(), "2026-11-20: User: I moved to Porto in May.\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct Packed<'h> {
    /// The rows, best first: of stores of their own, so an id may be there twice.
    pub rows: Vec<&'h Memory>,
    /// The number of rows that had no room.
    pub left_out: usize,
    /// The number of rows of journals for which a shorter promoted line is there.
    pub replaced: usize,
}

/// A row of a journal, or a promoted line that stands for none that was found.
struct Unit<'h> {
    /// Its place among the found rows, which orders equal ones.
    at: usize,
    row: &'h Memory,
    /// The shortest that says it.
    text: &'h Memory,
    score: f64,
    /// Its score with those of the promoted lines that say it. So are the first chosen that get the room that is left.
    raised: f64,
    /// Whether it is in the context; at first, whether it is there without memory too.
    fits: bool,
}

impl<'h> Packed<'h> {
    /// Packs rows that are best first in each store. A row that does not fit is left out, and shorter ones behind it are
    /// taken. The same rows give the same context.
    ///
    /// The rows are as the search returned them: check them at the doors of your prompt as any remembered text.
    #[must_use]
    pub fn new(hits: impl IntoIterator<Item = &'h Hit>, max_chars: usize) -> Self {
        let (promoted, journals): (Vec<&Hit>, Vec<&Hit>) =
            hits.into_iter().partition(|hit| hit.memory.dream.is_some());
        let mut is_used = vec![false; promoted.len()];
        let mut units: Vec<Unit<'h>> = Vec::with_capacity(journals.len() + promoted.len());
        for (at, hit) in journals.into_iter().enumerate() {
            let mut unit = Unit {
                at,
                row: &hit.memory,
                text: &hit.memory,
                score: hit.score,
                raised: hit.score,
                fits: false,
            };
            for (line, is_used) in promoted.iter().zip(&mut is_used) {
                if stands_for(&line.memory, &hit.memory) {
                    *is_used = true;
                    unit.raised += PROMOTED * line.score;
                    if chars(&line.memory) < chars(unit.text) {
                        unit.text = &line.memory;
                    }
                }
            }
            units.push(unit);
        }
        let mut room = max_chars;
        let mut saved = 0;
        for unit in &mut units {
            let needed = chars(unit.row);
            if needed <= room {
                room -= needed;
                saved += needed - chars(unit.text);
                unit.fits = true;
            }
        }
        room += saved;
        let alone = promoted.into_iter().zip(is_used).filter(|(_, is_used)| !is_used).map(|(line, _)| line);
        units.extend(alone.map(|line| {
            let (row, score) = (&line.memory, PROMOTED * line.score);
            Unit { at: usize::MAX, row, text: row, score, raised: score, fits: false }
        }));
        order::sort_by(&mut units, |one, other| other.raised.total_cmp(&one.raised));
        for unit in units.iter_mut().filter(|unit| !unit.fits) {
            let needed = chars(unit.text);
            if needed <= room {
                room -= needed;
                unit.fits = true;
            }
        }
        // A newer row stays in front of the older one that it updates, however much was promoted of either.
        order::sort_by(&mut units, |one, other| {
            other.score.total_cmp(&one.score).then(one.at.cmp(&other.at))
        });
        let mut packed = Self { rows: Vec::new(), left_out: 0, replaced: 0 };
        for unit in units {
            if !unit.fits {
                packed.left_out += 1;
                continue;
            }
            packed.replaced += usize::from(!std::ptr::eq(unit.row, unit.text));
            // A promoted line may stand for several rows.
            if !packed.rows.iter().any(|row| std::ptr::eq(*row, unit.text)) {
                packed.rows.push(unit.text);
            }
        }
        packed
    }
}

/// The weight of a promoted line's score beside that of a row of a journal.
const PROMOTED: f64 = 0.5;

/// Returns whether a promoted line cites all lines that a row cites.
fn stands_for(line: &Memory, row: &Memory) -> bool {
    let cites = |wanted: &SourceRef| {
        line.cites.iter().any(|cited| {
            cited.name == wanted.name
                && cited.first_line <= wanted.first_line
                && wanted.last_line <= cited.last_line
        })
    };
    !row.cites.is_empty() && row.cites.iter().all(cites)
}

/// Counts the characters of a row as it is printed, with its line break.
fn chars(row: &Memory) -> usize {
    let (front, text) = printed(row);
    front.chars().count() + text.map(|word| word.chars().count() + 1).sum::<usize>().max(1)
}

/// Returns the front of a row, its day and its speaker where they are known, and its words.
fn printed(row: &Memory) -> (String, impl Iterator<Item = &str>) {
    let mut front = String::new();
    if let Some(place) = &row.place {
        if let Some(day) = place.said_at {
            front.push_str(&format!("{}: ", day.date_naive()));
        }
        if let Some(speaker) = &place.speaker {
            front.push_str(&format!("{speaker}: "));
        }
    }
    (front, row.content.split_whitespace())
}

/// Prints each row in a line of its own: `2026-11-20: Marta: I moved to Porto in May.`
impl fmt::Display for Packed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in &self.rows {
            let (front, words) = printed(row);
            writeln!(f, "{front}{}", words.gather().join(" "))?;
        }
        Ok(())
    }
}

debug_as!(
    Packed<'_>,
    |it| "Packed {{ {} rows, {} left out, {} replaced }}",
    it.rows.len(),
    it.left_out,
    it.replaced
);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::name::DocName;
    use crate::format::DreamId;
    use crate::memory::{MemoryId, NewMemory, Source};
    use chrono::DateTime;
    use proptest::prelude::*;

    fn hit(id: i64, score: f64, content: &str, lines: (u64, u64), is_dreamed: bool) -> Hit {
        let name = DocName::parse("memory/2026-11-20-repl.md").unwrap();
        let cited = SourceRef { name, first_line: lines.0, last_line: lines.1 };
        let mut row = NewMemory::new("observation", content, Source::ChatExtracted).cites(vec![cited]);
        if is_dreamed {
            row = row.of_dream(DreamId::parse("0f3a9c5be2d14477").unwrap());
        }
        Hit::new(Memory::new(MemoryId::new(id), row, DateTime::UNIX_EPOCH), score, Vec::new())
    }

    #[test]
    fn the_shorter_of_both_is_taken_and_leaves_room() {
        let long = hit(1, 1.0, "I look for a hotel; by the way, I moved in May", (5, 5), false);
        let other = hit(2, 0.5, "Tea, please", (9, 9), false);
        let line = hit(1, 1.0, "I moved in May", (5, 5), true);
        let room = long.memory.content.len() + 1;
        let without = Packed::new([&long, &other], room);
        assert_eq!((without.rows.len(), without.left_out, without.replaced), (1, 1, 0));
        let with = Packed::new([&long, &other, &line], room);
        assert_eq!((with.to_string().as_str(), with.replaced), ("I moved in May\nTea, please\n", 1));
    }

    #[test]
    fn a_line_that_cites_a_part_of_a_row_does_not_stand_for_it() {
        let long = hit(1, 1.0, "a long row of two lines", (5, 6), false);
        let line = hit(2, 0.9, "a part of it", (5, 5), true);
        assert_eq!(Packed::new([&long, &line], 100).rows.len(), 2);
        assert_eq!(Packed::new([&long, &line], 24).to_string(), "a long row of two lines\n");
        let longer = hit(3, 1.0, "a longer line that says the same of the two lines", (5, 6), true);
        assert_eq!(Packed::new([&long, &longer], 100).to_string(), "a long row of two lines\n");
    }

    proptest! {
        #[test]
        fn memory_only_adds_and_never_takes_more_room(
            rows in proptest::collection::vec((1_usize..40, 0.0..1.0_f64), 0..12),
            lines in proptest::collection::vec((1_usize..40, 0.0..1.0_f64, 0_u64..12, 0_u64..3), 0..12),
            room in 0_usize..200,
        ) {
            let row = |(at, (size, score)): (u64, &(usize, f64))| {
                hit(1, *score, &"r".repeat(*size), (at, at), false)
            };
            let rows: Vec<Hit> = (0..).zip(&rows).map(row).collect();
            let line = |(size, score, first, more): &(usize, f64, u64, u64)| {
                hit(1, *score, &"d".repeat(*size), (*first, first + more), true)
            };
            let lines: Vec<Hit> = lines.iter().map(line).collect();
            let without = Packed::new(&rows, room);
            let with = Packed::new(rows.iter().chain(&lines), room);
            prop_assert!(with.to_string().chars().count() <= room);
            for row in without.rows {
                let is_there = with.rows.iter().any(|there| std::ptr::eq(*there, row) || (there.dream.is_some() && stands_for(there, row)));
                prop_assert!(is_there);
            }
        }
    }
}
