//! The list of blocks, as data.

use super::block::CacheHint::{self, Session, Stable, Turn};
use crate::base::name::DocName;
use Heading::{FileName, None as Bare, Words};
use Source::{
    Agents, Bootstrap, Briefing, Heartbeat, Identity, Journals, Memory, Precedence, Soul, SoulNotice, Today,
    User, Yesterday,
};

/// The blocks of a prompt, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum PromptOrder {
    /// The seed's order (000): `identity`, `memory_snapshot`, `soul_notice`, `bootstrap`.
    #[default]
    Seed,
    /// `IronClaw`'s order (004), a block a document, under its headings; an onboarding comes first.
    IronClaw,
    /// `OpenClaw`'s order, a block a document: instructions first, the onboarding before memory.
    OpenClaw,
}

/// A block, and what it is made of.
pub(crate) struct Slot {
    pub(crate) id: &'static str,
    pub(crate) cache: CacheHint,
    pub(crate) parts: &'static [(Source, Heading)],
}

/// The source of a part's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Source {
    // In the order in which they get their share of the budget.
    Precedence,
    Soul,
    Agents,
    Bootstrap,
    Identity,
    User,
    Memory,
    /// The page on what is going on now.
    Briefing,
    Heartbeat,
    Today,
    Yesterday,
    /// The journals of all days that the configuration names.
    Journals,
    SoulNotice,
}

impl Source {
    /// Returns the document that it is, unless it is made of several or of none, or the configuration names it.
    pub(crate) fn document(self) -> Option<DocName> {
        match self {
            Soul => Some(DocName::SOUL),
            Agents => Some(DocName::AGENTS),
            Bootstrap => Some(DocName::BOOTSTRAP),
            Identity => Some(DocName::IDENTITY),
            User => Some(DocName::USER),
            Memory => Some(DocName::MEMORY),
            Briefing => Some(DocName::BRIEFING),
            Heartbeat | Precedence | Today | Yesterday | Journals | SoulNotice => None,
        }
    }
}

/// The heading of a part.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Heading {
    /// The document's name; the document keeps its own title.
    FileName,
    /// These words, in place of the document's own title.
    Words(&'static str),
    None,
}

const fn slot(id: &'static str, cache: CacheHint, parts: &'static [(Source, Heading)]) -> Slot {
    Slot { id, cache, parts }
}

const SEED: &[Slot] = &[
    slot("identity", Stable, &[(Soul, FileName), (Agents, FileName), (Precedence, Bare)]),
    slot(
        "memory_snapshot",
        Session,
        &[
            (User, FileName),
            (Memory, FileName),
            (Briefing, FileName),
            (Heartbeat, FileName),
            (Journals, FileName),
        ],
    ),
    slot("soul_notice", Turn, &[(SoulNotice, Bare)]),
    slot("bootstrap", Turn, &[(Bootstrap, FileName)]),
];

const IRONCLAW: &[Slot] = &[
    slot("bootstrap", Turn, &[(Bootstrap, Words("First Run"))]),
    slot("agent_instructions", Stable, &[(Agents, Words("Agent Instructions"))]),
    slot("core_values", Stable, &[(Soul, Words("Core Values"))]),
    slot("user_context", Session, &[(User, Words("User Context"))]),
    slot("identity", Session, &[(Identity, Words("Identity"))]),
    slot("long_term_memory", Session, &[(Memory, Words("Long-Term Memory")), (Briefing, Words("Briefing"))]),
    slot("todays_notes", Session, &[(Today, Words("Today's Notes"))]),
    slot("yesterdays_notes", Session, &[(Yesterday, Words("Yesterday's Notes"))]),
    slot("precedence", Stable, &[(Precedence, Bare)]),
    slot("soul_notice", Turn, &[(SoulNotice, Bare)]),
];

const OPENCLAW: &[Slot] = &[
    slot("agents", Stable, &[(Agents, FileName)]),
    slot("soul", Stable, &[(Soul, FileName)]),
    slot("identity", Session, &[(Identity, FileName)]),
    slot("user", Session, &[(User, FileName)]),
    slot("bootstrap", Turn, &[(Bootstrap, FileName)]),
    slot("memory", Session, &[(Memory, FileName), (Briefing, FileName)]),
    slot("journals", Session, &[(Journals, FileName)]),
    slot("precedence", Stable, &[(Precedence, Bare)]),
    slot("soul_notice", Turn, &[(SoulNotice, Bare)]),
];

impl PromptOrder {
    pub(crate) fn slots(self) -> &'static [Slot] {
        match self {
            Self::Seed => SEED,
            Self::IronClaw => IRONCLAW,
            Self::OpenClaw => OPENCLAW,
        }
    }
}
