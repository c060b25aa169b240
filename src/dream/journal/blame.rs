//! The search for a secret's source: the journals that contain what the filter found in an answer.

use std::ops::Range;

use super::select::Slice;
use crate::base::document::SourceRef;
use crate::base::gather::Gather as _;
use crate::base::name::DocName;
use crate::base::order;
use crate::base::sorted::{SortedMap, SortedSet};
use crate::base::spread::Spread;
use crate::base::text;
use crate::dreamer::Blamed;
use crate::gate::{Cure, Finding, Gate, GateFinding, Places, View};

/// More findings than this in one answer blame no better.
const MOST_FINDINGS: usize = 200;

/// Minimum bytes of a secret that is no word of other texts.
const LONG: usize = 16;

/// The most places that a report names to the character, for each class.
const MOST_TOLD: usize = 50;

/// Blames, for each found class, the journals that contain the match. It may be in any disguise that the filter sees
/// through, or in pieces that an answer may have joined. If neither a journal nor the current memory has it, the whole
/// batch is to blame.
pub(crate) fn blame(
    gate: &Gate,
    answer: &str,
    findings: &[Finding],
    slices: &[Slice],
    memory: &str,
) -> Vec<Blamed> {
    let sources: Vec<Source> = slices.iter().map(|slice| Source::of(gate, slice)).collect();
    let memory_secrets: SortedSet<String> = plain_secrets(gate, memory).map(|(_, plain)| plain).collect();
    let memory = Squeezed::of(memory);
    let mut classes: SortedMap<&str, SortedMap<Secret, &Finding>> = SortedMap::new();
    for finding in findings.iter().take(MOST_FINDINGS) {
        let written = answer.get(finding.span.clone()).unwrap_or_default();
        let secret =
            Secret { plain: gate.plain(answer, finding).into_owned(), written: Squeezed::of(written).text };
        classes.entry(&finding.class).or_default().entry(secret).or_insert(finding);
    }
    let mut blamed = Vec::new();
    for (class, secrets) in classes {
        let (mut places, mut told) = (SortedSet::new(), Vec::new());
        let mut is_nobodys = false;
        for (secret, finding) in &secrets {
            // A short password is a word of other texts too: where the filter sees it, it stands there.
            let is_in_memory = memory_secrets.contains(&secret.plain);
            let is_seen = is_in_memory || sources.iter().any(|source| source.seen(secret).next().is_some());
            let in_pieces = !is_seen || secret.written.len() >= LONG;
            let found: Vec<(SourceRef, GateFinding)> =
                sources.iter().spread(|source| source.holding(secret, finding, in_pieces)).gather();
            let is_of_memory = is_in_memory || (in_pieces && memory.find(&secret.written).is_some());
            is_nobodys |= found.is_empty() && !is_of_memory;
            for (place, finding) in found {
                places.insert(place);
                told.push(finding);
            }
        }
        let journals: SortedSet<DocName> = if is_nobodys {
            slices.iter().map(|slice| slice.journal.name().clone()).collect()
        } else {
            places.iter().map(|place: &SourceRef| place.name.clone()).collect()
        };
        order::sort_by(&mut told, |one, other| one.place().cmp(&other.place()));
        order::dedup(&mut told);
        told.truncate(MOST_TOLD);
        blamed.push(Blamed {
            pattern: class.to_owned(),
            places: places.into_iter().collect(),
            journals: journals.into_iter().gather(),
            findings: told,
        });
    }
    blamed
}

/// A secret of the answer.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Secret {
    /// As it would be used.
    plain: String,
    /// As the answer has it, squeezed.
    written: String,
}

/// A slice, and the secrets that the filter sees in it.
struct Source<'a> {
    slice: &'a Slice,
    /// With what is around it.
    whole: String,
    /// The range of the slice in it.
    body: Range<usize>,
    secrets: Vec<(Finding, String)>,
    squeezed: Squeezed,
}

impl<'a> Source<'a> {
    fn of(gate: &Gate, slice: &'a Slice) -> Self {
        let mut whole = String::from_utf8_lossy(&slice.before).into_owned();
        let start = whole.len();
        whole.push_str(&String::from_utf8_lossy(&slice.bytes));
        let body = start..whole.len();
        whole.push_str(&String::from_utf8_lossy(&slice.after));
        let touches = |finding: &Finding| finding.span.start < body.end && body.start < finding.span.end;
        let secrets = plain_secrets(gate, &whole).filter(|(finding, _)| touches(finding)).gather();
        let squeezed = Squeezed::of(&whole[body.clone()]);
        Self { slice, whole, body, secrets, squeezed }
    }

    /// Returns the findings in it that show a secret of the answer.
    fn seen(&self, secret: &Secret) -> impl Iterator<Item = &Finding> {
        self.secrets.iter().filter(|(_, plain)| *plain == secret.plain).map(|(finding, _)| finding)
    }

    /// Returns the places in the slice that hold a secret of the answer; in pieces too, if that is asked for.
    fn holding(&self, secret: &Secret, finding: &Finding, in_pieces: bool) -> Vec<(SourceRef, GateFinding)> {
        let mut found: Vec<Finding> = self.seen(secret).cloned().gather();
        if in_pieces
            && found.is_empty()
            && let Some(place) = self.squeezed.find(&secret.written)
        {
            // The answer joined what stands here in pieces.
            let span = self.body.start + place.start..self.body.start + place.end;
            found.push(Finding::new(finding.class.clone(), span, finding.confidence).seen_as(View::Joined));
        }
        let line = self.slice.first_line.saturating_sub(text::line_breaks(&self.slice.before));
        let mut places = Places::from_line(&self.whole, line);
        let told = |finding: Finding| {
            let name = self.slice.journal.name();
            let first = places.place(finding.span.start.max(self.body.start));
            let end = finding.span.end.min(self.body.end);
            let breaks = text::line_breaks(&self.whole.as_bytes()[..end]);
            let place = SourceRef { name: name.clone(), first_line: first.0, last_line: line + breaks };
            (place, GateFinding::new(name.clone(), first, &finding, &secret.plain, Cure::TakeOutAndRelease))
        };
        found.into_iter().map(told).gather()
    }
}

/// Returns the filter's findings in a text, each with the secret as it would be used.
fn plain_secrets<'t>(gate: &'t Gate, text: &'t str) -> impl Iterator<Item = (Finding, String)> + 't {
    let plain = |finding: Finding| {
        let plain = gate.plain(text, &finding).into_owned();
        (finding, plain)
    };
    gate.inspect(text).into_iter().map(plain)
}

/// A text without what an answer may have added or lost: spaces, line breaks, markup, what cannot be seen.
struct Squeezed {
    text: String,
    /// The origin of each byte.
    from: Vec<usize>,
}

impl Squeezed {
    fn of(text: &str) -> Self {
        let mut squeezed = Self { text: String::new(), from: Vec::new() };
        for (at, c) in text.char_indices() {
            if !c.is_whitespace()
                && !c.is_control()
                && !text::is_invisible(c)
                && !matches!(c, '`' | '*' | '"' | '\\')
            {
                squeezed.text.push(c);
                squeezed.from.resize(squeezed.text.len(), at);
            }
        }
        squeezed
    }

    /// Returns the range that contains `other`, squeezed too; an empty text is never found.
    fn find(&self, other: &str) -> Option<Range<usize>> {
        let start = self.text.find(other).filter(|_| !other.is_empty())?;
        let last = *self.from.get(start + other.len() - 1)?;
        Some(*self.from.get(start)?..last + 1)
    }
}
