//! Rows as a model is shown them: masked as in a prompt.

use crate::base::error::Result;
use crate::base::name::DocName;
use crate::format::Origin;
use crate::gate::{Door, DoorPolicy, Doors, Masks};
use crate::memory::{Found, Memory, Place, Query, SearchOutcome, Source};
use crate::search::rank::Plan;

/// The mask for the rows of one answer: a secret has the same number in all of them.
pub(crate) struct Veil<'a> {
    doors: &'a Doors,
    policy: DoorPolicy,
    masks: Masks,
}

impl<'a> Veil<'a> {
    pub(crate) fn new(doors: &'a Doors) -> Self {
        let policy = doors.policy_of(Door::PromptLoad, &DocName::MEMORY).as_shown();
        Self { doors, policy, masks: Masks::default() }
    }

    /// Masks a text.
    pub(crate) fn text(&mut self, text: String) -> Result<String> {
        let passed =
            self.doors.judge(Door::PromptLoad, self.policy, &DocName::MEMORY, &text, &mut self.masks)?;
        let masked = (passed.text != text).then(|| passed.text.into_owned());
        Ok(masked.unwrap_or(text))
    }

    /// Masks all words of a row. A note of the host with any finding is left out. Masked, it may be no JSON, and a
    /// name in it may be what makes a value a secret.
    pub(crate) fn row(&mut self, row: Memory) -> Result<Memory> {
        let source = match row.source {
            Some(Source::Other(word)) => Some(Source::Other(self.text(word)?)),
            known => known,
        };
        let origin = match row.origin {
            Some(Origin::Tool(name)) => Some(Origin::Tool(self.text(name)?)),
            Some(Origin::Participant(name)) => Some(Origin::Participant(self.text(name)?)),
            known => known,
        };
        let place = match row.place {
            Some(Place { session, speaker, position, role, said_at }) => {
                let speaker = speaker.map(|name| self.text(name)).transpose()?;
                Some(Place { session: self.text(session)?, speaker, position, role, said_at })
            }
            None => None,
        };
        let metadata = match row.metadata {
            Some(notes) => {
                let written = notes.to_string();
                (self.text(written.clone())? == written).then_some(notes)
            }
            None => None,
        };
        let (category, content) = (self.text(row.category)?, self.text(row.content)?);
        Ok(Memory { category, content, source, metadata, place, origin, ..row })
    }
}

/// Masks the found rows. A row that only its masked words led to is left out: those could be tried word by word.
pub(crate) fn masked(found: Found, query: &Query, doors: &Doors) -> Result<Found> {
    let (mut veil, mut asked) = (Veil::new(doors), None);
    let mut hits = Vec::with_capacity(found.hits.len());
    for mut hit in found.hits {
        let written = words(&hit.memory);
        hit.memory = veil.row(hit.memory)?;
        let told = words(&hit.memory);
        if told != written {
            let asked = asked.get_or_insert_with(|| Plan::of(&query.text, false));
            if asked.share_in(&told) <= 0.0 {
                continue;
            }
            hit.span = asked.sentence_in(&hit.memory.content);
        }
        hits.push(hit);
    }
    let outcome = match found.outcome {
        SearchOutcome::Degraded(_) => found.outcome,
        _ if hits.is_empty() => SearchOutcome::Empty,
        other => other,
    };
    Ok(Found { outcome, hits, shares: found.shares })
}

/// Returns the words of a row by which it is found.
fn words(row: &Memory) -> String {
    let speaker = row.place.as_ref().and_then(|place| place.speaker.as_deref()).unwrap_or_default();
    format!("{} {} {speaker}", row.category, row.content)
}
