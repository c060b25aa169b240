//! The speakers of a journal, by the heads of all its lines.

use super::head::Head;
use crate::base::gather::Gather as _;
use crate::base::sorted::SortedMap;
use crate::format::documents::origin::Origin;
use crate::format::documents::speakers::Speaker;

/// Who speaks in a journal.
pub(super) struct Cast {
    /// Whether roles are named.
    pub(super) has_roles: bool,
    /// Whether some of them have a bullet and no time.
    has_bullets: bool,
    /// The names that speak in a journal without roles: two at least, three times each.
    names: Vec<String>,
}

/// The number of lines that must carry a name, or words that may be labels, before they are taken for speakers.
const NAMED_LINES: usize = 3;

impl Cast {
    pub(super) fn of<'h>(heads: impl Iterator<Item = &'h Head<'h>>, has_speakers: bool) -> Self {
        let (mut sure, mut roles, mut has_bullets) = (has_speakers, Vec::new(), false);
        let mut names: SortedMap<&str, usize> = SortedMap::new();
        for head in heads {
            match head {
                Head::Entry { speaker, .. } if speaker.is_named() => {
                    sure |= speaker.is_sure;
                    *names.entry(speaker.name).or_default() += 1;
                }
                Head::Entry { speaker, is_bulleted, is_stamped, .. } => {
                    sure |= speaker.is_sure;
                    has_bullets |= *is_bulleted && !is_stamped;
                    roles.push(&speaker.origin);
                }
                Head::Nested(speaker) => sure |= speaker.is_sure,
                Head::Session | Head::Stamped | Head::Plain => {}
            }
        }
        let is_user = |origin: &&&Origin| **origin == &Origin::User;
        let talk =
            roles.iter().any(|origin| is_user(&origin)) && !roles.iter().all(|origin| is_user(&origin));
        let names = names.into_iter().filter(|(_, lines)| *lines >= NAMED_LINES);
        let names: Vec<String> = names.map(|(name, _)| name.to_owned()).gather();
        Self { has_roles: sure || talk || roles.len() >= NAMED_LINES, has_bullets, names }
    }

    pub(super) fn is_dialogue(&self) -> bool {
        self.names.len() > 1
    }

    pub(super) fn counts(&self, speaker: &Speaker<'_>, is_bulleted: bool, is_stamped: bool) -> bool {
        if !speaker.is_named() {
            return speaker.is_sure || self.has_roles;
        }
        if speaker.is_sure {
            return true;
        }
        let has_place = is_stamped || !is_bulleted || self.has_bullets;
        (self.has_roles && has_place)
            || (self.is_dialogue() && self.names.iter().any(|name| name == speaker.name))
    }
}
