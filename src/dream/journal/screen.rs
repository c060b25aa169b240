//! Looks at lines of an answer for words that no line may have, whatever its evidence.

use std::borrow::Cow;
use std::ops::Range;

use crate::base::gather::Gather as _;
use crate::base::name::DocName;
use crate::dream::engine::{Item, Run};
use crate::dreamer::{Hold, HoldReason, PassReport};
use crate::gate::{Door, DoorPolicy, Finding, InjectionPolicy, Masks, mask_within};

/// Returns the policy of the door that an answer passes.
pub(super) fn reply_policy(run: &Run) -> DoorPolicy {
    run.host.doors.policy_of(Door::DreamReply, &DocName::MEMORY)
}

/// Returns, for each bullet that holds a part of something forgotten, the report about it. A statement may be spread over
/// bullets that follow one another.
pub(super) fn without_forgotten<'i>(run: &Run, items: impl Iterator<Item = &'i Item>) -> Vec<Option<String>> {
    let Some(forgotten) = &run.forgotten else { return Vec::new() };
    let (mut text, mut places) = (String::new(), Vec::new());
    for item in items {
        let start = text.len();
        text.push_str(&item.text);
        places.push(start..text.len());
        text.push('\n');
    }
    let findings = forgotten.inspect(&text);
    let told = |place: Range<usize>| {
        let touches = |finding: &Finding| finding.span.start < place.end && place.start < finding.span.end;
        let said = |finding: &Finding| Cow::Borrowed(&text[finding.span.clone()]);
        let masked = || mask_within(&text, place.clone(), &findings, &mut Masks::default(), said);
        findings.iter().any(touches).then(masked)
    };
    places.into_iter().map(told).gather()
}

/// Returns whether a bullet is held back for an instruction in disguise.
pub(super) fn instructs(run: &Run, item: &Item, report: &mut PassReport) -> Option<Hold> {
    let policy = reply_policy(run).injections;
    if policy == InjectionPolicy::Allow {
        return None;
    }
    let found = run.host.doors.injections(&item.text);
    let first = found.first().filter(|_| policy == InjectionPolicy::Block);
    let hold = first.map(|finding| Hold {
        reason: HoldReason::Injection,
        word: Some(finding.class.clone().into_owned()),
    });
    report.warn(found.into_iter().map(|finding| (finding.class.into_owned(), 1)));
    hold
}
