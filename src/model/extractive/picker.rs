//! The choice of lines that are worth keeping.
//!
//! A line's value is a logistic sum of its [features](super::features), between 0 and 1. One column of weights is for
//! dialogues, one for an agent's log. Lines are ranked by value for their size, marked ones before all others, and
//! taken while they fit.

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
    let ranked: Vec<(Valued<'_, '_>, Gist<'_>)> =
        ranked.into_iter().map(|valued| (valued, Gist::of(&valued.line.wording))).gather();
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
    for ((valued, gist), heard) in ranked.iter().zip(&heard) {
        let (line, bullet) = (valued.line, &bullets[valued.at]);
        let (with, bullets_with) = (bytes + line.bytes, bullet_bytes + bullet.len());
        let size_with = size + line.size;
        let over_share = with > limits.least && real(with) > limits.share * real(total);
        let over_bullets = bullets_with > limits.bullet_bytes || bullet.chars().count() > limits.bullet_chars;
        if over_share || over_bullets || size_with > limits.bytes || picked.len() >= limits.lines {
            left.push((valued.at, UnpickedReason::NoRoom));
            continue;
        }
        let is_decision = Kind::of(line) == Kind::Decision;
        let puts_right = |(later, other): &(Valued<'_, '_>, Gist<'_>)| {
            later.at > valued.at
                && other.renews(gist)
                && !(is_decision
                    && differ_in_numbers_alone(other, gist)
                    && Kind::of(later.line) == Kind::Decision)
        };
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
        } else if ranked.iter().any(puts_right) {
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

/// Returns the lines above the threshold, lines that a person marked, and the user's lines that change memory, best
/// first. Then the places of the others.
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
            ranked.push(Valued { at, line, key });
        } else {
            slight.push(at);
        }
    }
    order::sort_by(&mut ranked, |one, other| {
        other.line.is_marked.cmp(&one.line.is_marked).then(other.key.total_cmp(&one.key))
    });
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
