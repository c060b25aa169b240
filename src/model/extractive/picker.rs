//! The choice of lines that are worth keeping.
//!
//! A line's value is a logistic sum of its [features](super::features), between 0 and 1. One column of weights is for
//! dialogues, one for an agent's log. Lines are ranked by value for their size, and taken while they fit. Marked lines,
//! and lines that correct a marked one, come before all others.

use super::bullet::Kind;
use super::features::{SIZE, THRESHOLD, column, lift};
use super::gist::{Gist, differ_in_numbers_alone};
use super::lexicon::{Lexicon, Wording};
use super::line::{self, Line, Role};
use super::measure::{measure, real};
use crate::base::gather::Gather as _;
use crate::base::order;
use crate::format::documents::known::{Heard, KnownStatements};
use crate::format::replies::reply;
use crate::llm::UnpickedReason;

/// Bounds on what is taken.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// The most lines.
    pub(crate) lines: usize,
    /// The bytes that may be picked however small the share is.
    pub(crate) least: usize,
    /// The most bytes of lines.
    pub(crate) bytes: usize,
    /// The most bytes of lines as a part of all bytes of the journals, from 0 to 1.
    pub(crate) share: f64,
    /// The most characters of one bullet.
    pub(crate) bullet_chars: usize,
    /// The most bytes of all bullets.
    pub(crate) bullet_bytes: usize,
}

/// A line with its value.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Valued<'l, 'm> {
    /// Its place among the candidates.
    pub(crate) at: usize,
    pub(crate) line: &'l Line<'m>,
    /// The key of the ranking: value for size, in whole millionths, so that equal lines stay in their order on every
    /// platform.
    pub(crate) key: f64,
    /// Whether it is ranked before lines that are not marked: it is marked, or corrects a line that is.
    pub(crate) is_first: bool,
}

/// A known statement: its gist, its place among the candidates if it is no line of memory, and its time.
type Standing<'g, 'h> = (Gist<'g>, Option<usize>, &'h Heard);

/// Takes the lines that are worth keeping, best first, within the limits. Says of all others, by their places, why they
/// were left. `bullets` are the lines as they will be printed, `total` is the size of all journals.
///
/// A line that repeats memory or a better line is skipped. If a person marked it, it is skipped only if its words are
/// the same. A line that a later line corrects is skipped, unless both are decisions that differ in numbers alone.
/// Lines that cite a journal, and lines with a masked secret, are skipped too.
pub(crate) fn pick<'l, 'm>(
    lines: &'l [Line<'m>],
    bullets: &[String],
    memory: &[String],
    total: usize,
    limits: Limits,
) -> (Vec<Valued<'l, 'm>>, Vec<(usize, UnpickedReason)>) {
    let told = Heard::all(&mut memory.iter().map(|line| reply::strip_bullet(line.trim())));
    let standing: Vec<String> =
        memory.iter().map(|line| line::undressed(&reply::split_citations(line).0)).gather();
    let read = |line: &String| Wording::of(line, Lexicon::of(line));
    let memory: Vec<Wording> = standing.iter().map(read).gather();
    let mut said: Vec<Standing<'_, '_>> =
        memory.iter().zip(&told).map(|(line, heard)| (Gist::of(line), None, heard)).gather();
    let (ranked, slight) = rank(lines, &memory, &said);
    let mut ranked: Vec<(Valued<'_, '_>, Gist<'_>)> =
        ranked.into_iter().map(|valued| (valued, Gist::of(&valued.line.wording))).gather();
    inherit_marks(&mut ranked);
    order::sort_by(&mut ranked, |(one, _), (other, _)| {
        other.is_first.cmp(&one.is_first).then(other.key.total_cmp(&one.key))
    });
    let mut left: Vec<(usize, UnpickedReason)> =
        slight.into_iter().map(|at| (at, UnpickedReason::Slight)).gather();
    let (mut all, mut heard) = (KnownStatements::default(), Vec::new());
    for line in &told {
        all.insert(line.clone(), 0);
    }
    for (valued, _) in &ranked {
        let line = Heard::of(reply::strip_bullet(bullets[valued.at].trim()));
        all.insert(line.clone(), 0);
        heard.push(line);
    }
    let mut picked = Vec::new();
    let (mut bytes, mut size, mut bullet_bytes) = (0, 0, 0);
    for (entry, heard) in ranked.iter().zip(&heard) {
        let (valued, gist) = entry;
        let (line, bullet) = (valued.line, &bullets[valued.at]);
        let (with, bullets_with) = (bytes + line.bytes, bullet_bytes + bullet.len());
        let size_with = size + line.size;
        let over_share = with > limits.least && real(with) > limits.share * real(total);
        let over_bullets = bullets_with > limits.bullet_bytes || bullet.chars().count() > limits.bullet_chars;
        if over_share || over_bullets || size_with > limits.bytes || picked.len() >= limits.lines {
            left.push((valued.at, UnpickedReason::NoRoom));
            continue;
        }
        // A mark is repeated by the same words alone, since few words have little of a gist. A value that returns repeats nothing.
        let mut is_repeated = false;
        for (number, (other, at, before)) in said.iter().enumerate() {
            let repeats = match at {
                _ if !line.is_marked => gist.repeats(other),
                Some(at) => lines[*at].said == line.said,
                None => standing[number].trim_end().ends_with(&line.text),
            };
            if repeats && !all.parts(heard, before) {
                is_repeated = true;
                break;
            }
        }
        let reason = if is_repeated {
            Some(UnpickedReason::Repeated)
        } else if ranked.iter().any(|later| puts_right(later, entry)) {
            Some(UnpickedReason::Renewed)
        } else if line.said.contains(MASK) {
            Some(UnpickedReason::Masked)
        } else {
            (!reply::split_citations(line.said).1.is_empty()).then_some(UnpickedReason::Echo)
        };
        if let Some(reason) = reason {
            left.push((valued.at, reason));
            continue;
        }
        said.push((gist.clone(), Some(valued.at), heard));
        picked.push(*valued);
        (bytes, size, bullet_bytes) = (with, size_with, bullets_with);
    }
    (picked, left)
}

/// Returns whether a line corrects one above it, so that it takes its place. Of two decisions that differ in numbers
/// alone, none corrects the other.
fn puts_right(
    (later, gist): &(Valued<'_, '_>, Gist<'_>),
    (line, other): &(Valued<'_, '_>, Gist<'_>),
) -> bool {
    let are_decisions = || Kind::of(line.line) == Kind::Decision && Kind::of(later.line) == Kind::Decision;
    later.at > line.at && gist.renews(other) && !(differ_in_numbers_alone(gist, other) && are_decisions())
}

/// Gives the rank of a marked line to the last line that corrects it. Otherwise the marked one is left out as corrected,
/// the correction finds no room, and nothing of both is kept. The lines are in the order of the journals.
fn inherit_marks(ranked: &mut [(Valued<'_, '_>, Gist<'_>)]) {
    for line in 0..ranked.len() {
        let (above, below) = ranked.split_at_mut(line + 1);
        let marked = &above[line];
        if !marked.0.is_first {
            continue;
        }
        for later in below.iter_mut().rev() {
            if puts_right(later, marked) {
                let heir = &mut later.0;
                heir.key = if heir.is_first { heir.key.max(marked.0.key) } else { marked.0.key };
                heir.is_first = true;
                break;
            }
        }
    }
}

/// Returns the lines above the threshold, lines that a person marked, and the user's lines that change memory.
/// Then the places of the others.
fn rank<'l, 'm>(
    lines: &'l [Line<'m>],
    memory: &[Wording],
    standing: &[Standing<'_, '_>],
) -> (Vec<Valued<'l, 'm>>, Vec<usize>) {
    let (mut ranked, mut slight) = (Vec::new(), Vec::new());
    for (at, (features, line)) in measure(lines, memory).iter().zip(lines).enumerate() {
        let sum = features.sum(column(line)) + lift(line);
        let value = 1.0 / (1.0 + (-sum).exp());
        let key = (1e6 * value * (100.0 / real(line.size)).powf(SIZE[column(line)])).floor();
        let is_stated = line.role() == Some(Role::User) && features.question + features.errand == 0.0;
        let updates = || {
            let gist = Gist::of(&line.wording);
            for (other, ..) in standing {
                if gist.updates(other) {
                    return true;
                }
            }
            false
        };
        if value >= THRESHOLD || line.is_marked || (is_stated && updates()) {
            ranked.push(Valued { at, line, key, is_first: line.is_marked });
        } else {
            slight.push(at);
        }
    }
    (ranked, slight)
}

/// The beginning of the mask of a secret.
const MASK: &str = "[REDACTED:";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::name::DocName;
    use crate::format::replies::fences::ShownLine;

    fn shown(texts: &[&str]) -> Vec<(DocName, Vec<ShownLine>)> {
        let lines = (1..).zip(texts).map(|(number, text)| ShownLine { number, text: (*text).to_owned() });
        vec![(DocName::parse("memory/2026-03-12.md").unwrap(), lines.collect())]
    }

    /// Returns whether a line of the user's in a log is worth keeping.
    fn is_kept(text: &str) -> bool {
        let journals = shown(&[&format!("[user] {text}")]);
        let lines = line::candidates(&journals, false);
        rank(&lines, &[], &[]).0.len() == 1
    }

    #[test]
    fn a_statement_that_stands_alone_is_kept_and_talk_is_not() {
        for text in [
            "Sill takes his tablets in a little butter, never crushed; crushed he spits them out.",
            "Bengt Hallgren is told first and by phone if the alerts are late.",
            "Backfills never run between 07:00 and 10:00, the analysts in Lyon need the slots then.",
            "I prefer metric units in every report, please remember that.",
        ] {
            assert!(is_kept(text), "{text}");
        }
        for text in [
            "hi. today: how do the alerts hear about new readings",
            "better. less red",
            "remind me what I told bengt",
            "yes. he promised, I have witnesses",
            "what does a full backfill cost",
            "did I promise anything for the meetup",
            "no broker. I refuse to run a broker on a 4 GB box",
            "Write a summary of the meeting with Karen and Tom, two paragraphs, and send it to me.",
        ] {
            assert!(!is_kept(text), "{text}");
        }
    }
}
