//! The steps of a history, and what may happen in one.

use noctuary_tests::common::dice::Dice;

/// The way in which the machines of a history come together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Carrier {
    /// Whole lives, with the last moment that both came of.
    Base,
    /// Whole lives, and nobody knows what they came of.
    Bare,
    /// As git does: a file that one machine alone changed is not asked for.
    Git,
    /// File by file, with copies of what both changed: as Syncthing does.
    Tool,
    /// The same, as a cloud drive names its copies.
    Drive,
}

/// What happens in a history, beside notes, nights and syncs.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each switches one thing")]
pub(super) struct Kind {
    pub(super) carrier: Carrier,
    pub(super) machines: usize,
    /// Which machines keep their life in a database.
    pub(super) databases: [bool; 3],
    /// The days by which the clocks of the machines are off.
    pub(super) days: [i64; 3],
    /// Whether the model of the second machine has words of its own.
    pub(super) has_words: bool,
    pub(super) proposals: bool,
    pub(super) archives: bool,
    /// Whether a session writes under the name of a journal that was moved away.
    pub(super) reuses: bool,
    /// Whether memory has a budget, beyond which its oldest sections are moved away.
    pub(super) compacts: bool,
    /// Whether files of different moments may stand together on a machine.
    pub(super) partial: bool,
    pub(super) crashes: bool,
    /// Whether a person edits sections and journals.
    pub(super) hands: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum What {
    Note,
    Chat,
    Dream,
    Undo,
    Redo,
    Forget,
    ForgetInFiles,
    /// A person types the word that stands for what was overwritten.
    TypeMark,
    AddMine,
    TakeMine,
    EditSection,
    EditJournal,
    Archive,
    Propose,
    /// Two machines come together.
    Sync,
    /// Conflict copies are merged.
    Tidy,
}

/// A step: of a machine, with a number from which its choices follow.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step {
    pub(super) at: usize,
    pub(super) what: What,
    pub(super) pick: u64,
}

#[derive(Debug, Clone)]
pub(super) struct History {
    pub(super) kind: Kind,
    pub(super) steps: Vec<Step>,
}

/// How often each step is taken.
const STEPS: [(What, usize); 16] = [
    (What::Note, 8),
    (What::Chat, 2),
    (What::Dream, 6),
    (What::Undo, 3),
    (What::Redo, 2),
    (What::Forget, 1),
    (What::ForgetInFiles, 2),
    (What::TypeMark, 1),
    (What::AddMine, 3),
    (What::TakeMine, 1),
    (What::EditSection, 1),
    (What::EditJournal, 1),
    (What::Archive, 2),
    (What::Propose, 2),
    (What::Sync, 7),
    (What::Tidy, 1),
];

impl Kind {
    /// What makes a history plainer, each for itself.
    pub(super) const PLAINER: [fn(&mut Self); 11] = [
        |kind| kind.machines = 2,
        |kind| kind.databases = [false; 3],
        |kind| kind.days = [0; 3],
        |kind| kind.has_words = false,
        |kind| kind.proposals = false,
        |kind| kind.archives = false,
        |kind| kind.reuses = false,
        |kind| kind.compacts = false,
        |kind| kind.partial = false,
        |kind| kind.crashes = false,
        |kind| kind.hands = false,
    ];

    fn of(random: &mut Dice) -> Self {
        use Carrier::{Bare, Base, Drive, Git, Tool};
        let carrier = [Base, Base, Base, Bare, Bare, Git, Tool, Tool, Drive][random.below(9)];
        let is_whole = [Base, Bare].contains(&carrier);
        let is_tool = [Tool, Drive].contains(&carrier);
        let mut is = |of: usize| random.below(of) == 0;
        let is_in_database = is(6) && is_whole;
        Self {
            carrier,
            machines: if is(3) && !is_tool { 3 } else { 2 },
            databases: [is_in_database, is_in_database && is(2), is_in_database && is(2)],
            days: if is(3) { [0, -3, 2] } else { [0; 3] },
            has_words: is(4) && carrier != Git,
            proposals: is(6) && !is_tool,
            archives: is(3) && is_whole,
            reuses: is(2),
            compacts: is(5) && is_whole,
            partial: is(5) && carrier == Base && !is_in_database,
            crashes: is(5) && is_whole,
            hands: is(3),
        }
    }

    /// Whether each file of a machine is of one moment.
    pub(super) fn is_whole(&self) -> bool {
        [Carrier::Base, Carrier::Bare].contains(&self.carrier) && !self.partial
    }

    /// Whether a file that one machine alone changed is taken as it is.
    pub(super) fn is_by_file(&self) -> bool {
        self.carrier == Carrier::Git || self.is_tool()
    }

    pub(super) fn is_tool(&self) -> bool {
        [Carrier::Tool, Carrier::Drive].contains(&self.carrier)
    }
}

impl History {
    pub(super) fn of(seed: u64) -> Self {
        let mut random = Dice(seed);
        let kind = Kind::of(&mut random);
        let all: Vec<What> =
            STEPS.iter().flat_map(|(what, often)| std::iter::repeat_n(*what, *often)).collect();
        let count = 10 + random.below(22);
        let mut step = || Step {
            at: random.below(kind.machines),
            what: all[random.below(all.len())],
            pick: random.roll(),
        };
        let steps = (0..count).map(|_| step()).collect();
        Self { kind, steps }
    }
}

/// Returns one of some items; `None` of none.
pub(super) fn any_of<'i, T>(random: &mut Dice, items: &'i [T]) -> Option<&'i T> {
    if items.is_empty() { None } else { Some(&items[random.below(items.len())]) }
}
