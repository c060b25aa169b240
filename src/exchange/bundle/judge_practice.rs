//! The judgement of methods, preferences and notes of roles in a bundle.

use super::front::Front;
use super::gone;
use super::judge::{Entry, Judged};
use super::plan::{BundleAction, Channel, Work};
use super::practice::{
    self, CarriedPreference, KnownPractice, is_same_note, texts_of_method, texts_of_note, texts_of_preference,
};
use super::presence::Presence;
use super::rows::Rows;
use crate::base::access::Access;
use crate::base::error::Result;
use crate::learning::{MethodStore, PreferenceKind, PreferenceState, PreferenceStore, RoleStore};
use crate::store::practice::{kept_wish, normal};

/// Reads the learning loop of a home.
pub(super) fn known_practice(store: &dyn Rows, access: &Access) -> Result<KnownPractice> {
    let methods = MethodStore::methods(store, access)?;
    let mut notes = RoleStore::notes(store, access, true)?;
    notes.extend(RoleStore::notes(store, access, false)?);
    Ok(KnownPractice {
        methods: methods.iter().map(|method| normal(&method.class, &method.body)).collect(),
        wishes: PreferenceStore::preferences(store, access)?.iter().map(kept_wish).collect(),
        notes,
    })
}

/// Whether a person is there to answer, and the words that a host knows; `None` for any.
#[derive(Clone, Default)]
pub(super) struct Accepted {
    pub(super) presence: Option<Presence>,
    pub(super) classes: Option<Vec<String>>,
    pub(super) dimensions: Option<Vec<String>>,
}

fn is_known(words: Option<&Vec<String>>, word: &String) -> bool {
    words.is_none_or(|words| words.contains(word))
}

/// Judges an entry of the learning loop.
pub(super) fn judge_practice(
    entry: &Entry<'_>,
    front: &Front,
    channel: &mut Channel,
    accepted: &Accepted,
    pass: &dyn Fn(&str) -> std::result::Result<(), String>,
    known: &mut KnownPractice,
    work: &mut Work,
) -> Judged {
    let schema = |field: &str| format!("its field {field} is missing or unknown");
    let kind: String = front.get("kind").unwrap_or_default();
    let path = entry.path.to_owned();
    match kind.as_str() {
        "methodology" => {
            let method = practice::read_method(front).map_err(schema)?;
            if !is_known(accepted.classes.as_ref(), &method.method.class) {
                return Err(schema("asset_class"));
            }
            texts_of_method(&method).into_iter().try_for_each(pass)?;
            // A method that is there keeps what it earned here.
            if !known.methods.insert(normal(&method.method.class, &method.method.body)) {
                return Ok(BundleAction::Keep);
            }
            if *channel == Channel::Signed && !entry.is_gone(gone::METHOD, method.method.created_at) {
                work.methods.push(method);
            } else {
                *channel = Channel::Unsigned;
                work.new_methods.push((path, practice::new_method(&method)));
            }
        }
        "preference" => {
            let (preference, memory) = practice::read_preference(front).map_err(schema)?;
            if !is_known(accepted.dimensions.as_ref(), &preference.dimension) {
                return Err(schema("dimension"));
            }
            texts_of_preference(&preference).try_for_each(pass)?;
            let is_constraint = preference.kind == PreferenceKind::HardConstraint;
            if is_constraint && accepted.presence.is_none() {
                return Err(
                    "a hard constraint comes in only where a person at a terminal asks for it".to_owned()
                );
            }
            let is_trusted = *channel == Channel::Signed
                && !entry.is_gone(gone::PREFERENCE, preference.created_at)
                && !is_constraint;
            if !is_trusted && preference.state == PreferenceState::Withdrawn {
                return Err("it was withdrawn".to_owned());
            }
            if !known.wishes.insert(kept_wish(&preference)) {
                return Ok(BundleAction::Keep);
            }
            if is_trusted {
                work.preferences.push(CarriedPreference { preference, memory });
            } else {
                if !is_constraint {
                    *channel = Channel::Unsigned;
                }
                work.new_preferences.push((path, practice::new_preference(&preference)));
            }
        }
        _ => {
            let note = practice::read_note(front).map_err(schema)?;
            texts_of_note(&note).try_for_each(pass)?;
            if known.notes.iter().any(|known| is_same_note(known, &note)) {
                return Ok(BundleAction::Keep);
            }
            if *channel == Channel::Unsigned {
                return Err("notes of roles come in signed alone".to_owned());
            }
            if entry.is_gone(gone::NOTE, note.created_at) {
                return Err("the home had it, and has it no more".to_owned());
            }
            known.notes.push(note.clone());
            work.notes.push(note);
        }
    }
    Ok(BundleAction::Add)
}
