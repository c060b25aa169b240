//! The text of a document as a session is shown it: masked as in a prompt, also where only a passage of it is asked for.

use std::borrow::Cow;

use super::Guarded;
use crate::base::access::SessionKind;
use crate::base::digest::Digest;
use crate::base::document::Document;
use crate::base::error::{Error, Result};
use crate::base::name::{DocName, Name};
use crate::base::sorted::SortedMap;
use crate::format::JournalName;
use crate::gate::Door;
use crate::search::documents::SearchResult;
use crate::search::rank::Plan;
use crate::workspace::Workspace;

/// Returns a text of a document as a prompt would show it: secrets and what was forgotten are masked, instructions are
/// blocked. Lines keep their numbers.
///
/// Else a tool or a search would tell what the prompt of the same session hides.
///
/// With others present, their journals are shown as they stand but for secrets and instructions: whoever writes a guess
/// there and reads it back would see by a mask that it was forgotten.
pub(crate) fn shown<W: Workspace>(view: &Guarded<W>, name: &Name, text: &str) -> Result<String> {
    let is_theirs = JournalName::is_shared_name(name.as_str()) && !is_private(view);
    let doors = if is_theirs { Cow::Borrowed(view.doors()) } else { view.current_doors()? };
    let policy = doors.policy_of(Door::PromptLoad, name).as_shown();
    Ok(view.judge(&doors, Door::PromptLoad, policy, name, text)?.text.into_owned())
}

/// Returns a text of a document as a prompt would show it, and behind each line that holds no more what holds now. Lines
/// keep their numbers.
pub(crate) fn marked<W: Workspace>(view: &Guarded<W>, name: &Name, text: &str) -> Result<String> {
    let mut text = shown(view, name, text)?;
    if let Some(notes) = view.notes_in(name) {
        notes.add_to(&mut text, &mut |_| ());
    }
    Ok(text)
}

/// Returns whether nobody else is present.
pub(crate) fn is_private<W>(view: &Guarded<W>) -> bool {
    view.access().kind == SessionKind::Main
}

/// A document, and what is shown of it.
struct MaskedDocument {
    text: String,
    /// As an index has it; none where nothing of it was forgotten.
    blanked: Option<String>,
    shown: String,
}

impl MaskedDocument {
    fn of<W: Workspace>(view: &Guarded<W>, document: &Document) -> Result<Self> {
        let text = document.lossy().into_owned();
        let blanked = view.current_doors()?.blanked(&text);
        Ok(Self { shown: marked(view, document.name(), &text)?, blanked, text })
    }

    /// Returns a passage as the document shows it, whole lines where something in them is masked; `None` where it
    /// stands there no more. Alone, the half of a secret looks like none.
    fn passage(&self, passage: &str) -> Option<String> {
        let indexed = || self.blanked.as_ref()?.find(passage);
        let at = self.text.find(passage).or_else(indexed)?;
        let before = self.text.as_bytes()[..at].split(|byte| *byte == b'\n').count() - 1;
        let lines = passage.trim_end_matches('\n').matches('\n').count() + 1;
        let in_lines = |text: &str| text.split_inclusive('\n').skip(before).take(lines).collect::<String>();
        let shown = in_lines(&self.shown);
        Some(if in_lines(&self.text) == shown { passage.to_owned() } else { shown })
    }
}

/// The passages of one search, as its session is shown them. Each document is read once.
pub(crate) struct Passages<'v, W> {
    view: &'v Guarded<W>,
    asked: Plan,
    seen: SortedMap<DocName, Option<MaskedDocument>>,
}

impl<'v, W: Workspace> Passages<'v, W> {
    pub(crate) fn new(view: &'v Guarded<W>, query: &str) -> Self {
        Self { view, asked: Plan::of(query, false), seen: SortedMap::new() }
    }

    /// Returns the digest of a document that a result was shown of.
    pub(crate) fn revision(&self, name: &DocName) -> Option<Digest> {
        let seen = self.seen.get(name)?.as_ref()?;
        Some(Digest::of(seen.text.as_bytes()))
    }

    /// Returns the text of a result as it is shown; `None` where it stands in its document no more, and where only
    /// words that are not shown led to it: those could be tried word by word.
    pub(crate) fn shown(&mut self, found: &SearchResult) -> Result<Option<String>> {
        if !self.seen.contains_key(&found.path) {
            let document = match self.view.read(&found.path) {
                // It was replaced by a link, or by what is no document any more.
                Err(Error::Refused { .. } | Error::TooLarge { .. }) => None,
                read => read?,
            };
            let masked = document.map(|document| MaskedDocument::of(self.view, &document)).transpose()?;
            self.seen.insert(found.path.clone(), masked);
        }
        let masked = self.seen.get(&found.path).and_then(Option::as_ref);
        let content = masked.and_then(|masked| masked.passage(&found.content));
        Ok(content.filter(|content| *content == found.content || self.asked.share_in(content) > 0.0))
    }
}
