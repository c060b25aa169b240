//! The scan of a text for secrets, as they are and in disguises.

use std::ops::Range;

use super::chosen::Chosen;
use super::class::{Class, Needs, Proof, Shape};
use super::proof;
use super::table::TABLE;
use super::view::{self, Disguised, Island, Undone};
use crate::{Confidence, View};

/// The proof that a match must give.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Strictness {
    /// A distinctive shape is enough. The seed's behaviour.
    #[default]
    Shape,
    /// A class with a checksum must match it.
    Validated,
}

/// A match that is a secret, and the secret undisguised where it is in a disguise.
pub(super) struct Found {
    pub(super) span: Range<usize>,
    pub(super) class: usize,
    pub(super) confidence: Confidence,
    pub(super) view: View,
    pub(super) plain: Option<String>,
}

/// A scan for the chosen classes.
pub(super) struct Scanner {
    strictness: Strictness,
    sees_disguises: bool,
    chosen: Chosen,
}

impl Scanner {
    pub(super) fn new(strictness: Strictness, sees_disguises: bool, is_on: impl Fn(&Class) -> bool) -> Self {
        Self { strictness, sees_disguises, chosen: Chosen::new(is_on) }
    }

    /// Finds the secrets of a text, ascending and without overlap.
    pub(super) fn scan(&self, text: &str) -> Vec<Found> {
        let mut raw = self.undisguised(text);
        if !self.sees_disguises || view::is_plain(text) {
            return raw;
        }
        let mut disguised = Vec::new();
        for part in view::parts(text) {
            let from = disguised.len();
            self.disguised(&text[part.clone()], Undone::default(), &mut disguised);
            for one in &mut disguised[from..] {
                one.span = part.start + one.span.start..part.start + one.span.end;
                // The rest of a key may stand there as it is, further on.
                let plain = one.plain.as_deref().unwrap_or_default();
                if let Some(body) = TABLE.classes[one.class].body.filter(|_| !plain.contains("-----END")) {
                    one.span.end = body(text, one.span.end);
                }
            }
        }
        if !disguised.is_empty() {
            // Several keys that stand one below the other are no single one.
            disguised.retain(|one| {
                let inside =
                    |known: &&Found| one.span.start <= known.span.start && known.span.end <= one.span.end;
                let known = raw.partition_point(|known| known.span.start < one.span.start);
                let lengths = raw[known..].iter().take_while(inside).map(|known| known.span.len());
                // A code of a key may look like one.
                let is_coded = one.view >= View::Escaped;
                let length =
                    if is_coded { one.span.len() } else { one.plain.as_ref().map_or(0, String::len) };
                lengths.sum::<usize>() < length
            });
            raw.append(&mut disguised);
            raw = settled(raw);
        }
        raw
    }

    fn judge(&self, class: &Class, matched: &str) -> Option<Confidence> {
        let (proven, required) = match class.proof {
            Proof::None => (false, false),
            Proof::Confidence(proof) => (proof(matched), false),
            Proof::Checksum(proof) => (proof(matched), self.strictness == Strictness::Validated),
            Proof::Required(proof) => (proof(matched), true),
        };
        match (proven, required) {
            (true, _) => Some(Confidence::Verified),
            (false, true) => None,
            // `ghp_xxxxxxxx…` shows how a token looks.
            (false, false) => (!proof::is_filler(matched)).then_some(Confidence::Shape),
        }
    }

    /// Returns what is in `text` as it is, ascending and without overlap.
    fn undisguised(&self, text: &str) -> Vec<Found> {
        self.undisguised_but(text, |_, _| false)
    }

    /// Returns the same, without secrets that are passed over by their place and class.
    fn undisguised_but(&self, text: &str, passes: impl Fn(&Range<usize>, usize) -> bool) -> Vec<Found> {
        let mut found: Vec<(Range<usize>, usize, Confidence)> = Vec::new();
        self.chosen.search(text, |of| {
            let confidence = self.judge(TABLE.classes[of.class], &text[of.proving]);
            let confidence = confidence.filter(|_| !passes(&of.span, of.class));
            found.extend(confidence.map(|confidence| (of.span, of.class, confidence)));
            confidence.is_some()
        });
        found.sort_by_key(|(span, class, _)| (span.start, *class));
        // Where two share a place, all of both is one finding of the class that is first in the table.
        found.dedup_by(|(span, class, confidence), (before, first, known)| {
            let overlaps = span.start < before.end;
            if overlaps {
                let named = Named { old: before, first: *first, new: span, class: *class };
                if named.is_new(*class < *first) {
                    (*first, *known) = (*class, *confidence);
                }
                before.end = before.end.max(span.end);
            }
            overlaps
        });
        let found = found.into_iter();
        found
            .map(|(span, class, confidence)| Found { span, class, confidence, view: View::Raw, plain: None })
            .collect()
    }

    /// Returns what is in `text` in disguises, in any order.
    fn disguised(&self, text: &str, undone: Undone, found: &mut Vec<Found>) {
        let of = Disguised::new(text);
        for view in undone.next() {
            view::undo(view, &of, &mut |island| {
                let has_lines = matches!(view, View::Joined | View::Escaped);
                // A secret that only a name proves ends with its line. It may have any length, and the next line may
                // look as good.
                let mut inside = self.undisguised_but(&island.text, |span, class| {
                    has_lines
                        && is_named(class)
                        && island.joints(span).into_iter().any(|joint| is_line(text, &island, joint))
                });
                inside.retain_mut(|one| {
                    if has_lines {
                        self.let_go_of_lines(text, &island, one);
                    }
                    let secret = &island.text[one.span.clone()];
                    one.plain = Some(secret.to_owned());
                    // Where only what stands around it is in a disguise, the secret stands as it is.
                    text[island.place(&one.span)] != *secret || view != View::Joined
                });
                self.disguised(&island.text, undone.and(view), &mut inside);
                found.extend(inside.into_iter().map(|one| {
                    let place = island.place(&one.span);
                    let end = if view == View::Joined {
                        place.start + held(&text[place.clone()])
                    } else {
                        place.end
                    };
                    Found { span: place.start..end, view: one.view.max(view), ..one }
                }));
            });
        }
    }

    /// Leaves out the lines, cells or strings of a list behind a secret that need not belong to it. A word and a
    /// date are left out. So is all that the rest of a key may be by itself, if the remaining text is a secret.
    fn let_go_of_lines(&self, text: &str, island: &Island, found: &mut Found) {
        let is_open_key = TABLE.classes[found.class].body.is_some()
            && !island.text[found.span.clone()].contains("-----END");
        let (start, class) = (found.span.start, found.class);
        let is_secret = |joint: usize| {
            let rest = &island.text[start..joint];
            let is_whole = |one: &Found| one.class == class && one.span == (0..rest.len());
            self.undisguised(rest).iter().any(is_whole)
        };
        let joints = island.joints(&found.span).into_iter();
        let lines: Vec<usize> = joints.take_while(|joint| is_line(text, island, *joint)).collect();
        if is_open_key {
            // Its head is enough, and what is before the end of that is short.
            found.span.end =
                lines.into_iter().rev().find(|joint| is_secret(*joint)).unwrap_or(found.span.end);
            return;
        }
        for joint in lines {
            let rest = &island.text.as_bytes()[joint..found.span.end];
            let is_other =
                view::is_word(rest) || is_cell(between(text, island, joint)) && view::is_date(rest);
            if !is_other || !is_secret(joint) {
                break;
            }
            found.span.end = joint;
        }
    }
}

/// Returns the text that parts two pieces of an island.
fn between<'a>(text: &'a str, island: &Island, joint: usize) -> &'a str {
    let place = island.place(&(joint - 1..joint)).end..island.place(&(joint..joint + 1)).start;
    text.get(place).unwrap_or_default()
}

/// Returns whether a line, cell or string of a list ends at a joint.
fn is_line(text: &str, island: &Island, joint: usize) -> bool {
    let between = between(text, island, joint);
    between.contains(['\n', '\r', '\u{b}', '\u{c}', '\\']) || is_cell(between)
}

/// Returns whether cells or strings of a list are parted.
fn is_cell(between: &str) -> bool {
    between.contains(['|', ',']) || between.contains("<t")
}

/// Returns whether only the name before it says of a secret of this class that it is one.
fn is_named(class: usize) -> bool {
    matches!(TABLE.classes[class].shape, Shape::Scan(_, Needs::Name, _))
}

/// The classes of addresses of wallets. They are public, so a host may let them in.
pub const ADDRESSES: [&str; 5] =
    ["evm_address", "btc_bech32", "btc_legacy", "bech32_address", "base58_address"];

fn is_address(class: usize) -> bool {
    ADDRESSES.contains(&TABLE.classes[class].name)
}

/// Two findings that share a place: one of them names all of both. The old one does not begin behind the new one.
struct Named<'f> {
    old: &'f Range<usize>,
    first: usize,
    new: &'f Range<usize>,
    class: usize,
}

impl Named<'_> {
    /// Returns whether the new one names the whole, where its rank would decide so. An address is an exception: it names nothing
    /// longer than itself, such as a password that contains an address.
    fn is_new(&self, by_rank: bool) -> bool {
        match (is_address(self.first), is_address(self.class)) {
            (true, false) => by_rank || self.new.end > self.old.end,
            (false, true) => by_rank && self.new.start == self.old.start && self.new.end >= self.old.end,
            _ => by_rank,
        }
    }
}

/// Keeps one finding of those that share a place: without a disguise rather than in one, else the largest.
fn settled(mut found: Vec<Found>) -> Vec<Found> {
    found.sort_by_key(|one| (one.span.start, one.view, one.class));
    let mut settled: Vec<Found> = Vec::new();
    for one in found {
        match settled.last_mut() {
            Some(last) if one.span.start < last.span.end => {
                let all = last.span.start..last.span.end.max(one.span.end);
                let is_larger =
                    (one.span.len(), last.view, last.class) > (last.span.len(), one.view, one.class);
                let named = Named { old: &last.span, first: last.class, new: &one.span, class: one.class };
                if named.is_new(is_larger) {
                    *last = one;
                }
                last.span = all;
            }
            _ => settled.push(one),
        }
    }
    settled
}

/// Returns how much of a joined text is the secret. A last line without a letter or digit is not part of it, such as
/// a line of `=`.
fn held(joined: &str) -> usize {
    match joined.rfind(['\n', '\r']) {
        Some(at) if !joined[at..].contains(char::is_alphanumeric) => joined[..at].trim_end().len(),
        _ => joined.len(),
    }
}
