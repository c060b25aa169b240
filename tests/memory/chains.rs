//! Chains of states of one thing, generated, the same every time, in ten wordings; and rows that stand between them.

use noctuary_tests::common::dice::Dice;

/// Something that is otherwise from time to time.
pub(crate) struct Slot {
    /// `{s}` is the subject, `{v}` the value.
    pub(crate) says: &'static str,
    pub(crate) now: &'static str,
    /// `{o}` is the value before.
    pub(crate) denied: &'static str,
    pub(crate) moved: &'static str,
    pub(crate) noun: &'static str,
    pub(crate) asked: [&'static str; 2],
    pub(crate) values: [&'static str; 6],
}

pub(crate) const SLOTS: [Slot; 12] = [
    Slot {
        says: "{s} lives in {v}.",
        now: "{s} now lives in {v}.",
        denied: "{s} no longer lives in {o} but in {v}.",
        moved: "{s} moved to {v}.",
        noun: "city to live in",
        asked: ["Where does {s} live?", "Which city does {s} live in?"],
        values: ["Lisbon", "Bergen", "Turin", "Leeds", "Ghent", "Osaka"],
    },
    Slot {
        says: "{s} uses {v} as editor.",
        now: "The editor of {s} is now {v}.",
        denied: "{s} no longer uses {o}; the editor is {v}.",
        moved: "{s} moved to {v} as editor.",
        noun: "editor",
        asked: ["Which editor does {s} use?", "What is the editor of {s}?"],
        values: ["Helix", "Vim", "Zed", "Emacs", "Kakoune", "Nano"],
    },
    Slot {
        says: "The standup of {s} is at {v}.",
        now: "The standup of {s} is at {v} now.",
        denied: "The standup of {s} is no longer at {o} but at {v}.",
        moved: "The standup of {s} moved to {v}.",
        noun: "standup",
        asked: ["When is the standup of {s}?", "What time does {s} have standup?"],
        values: ["9:00", "9:30", "10:15", "11:00", "2 pm", "3:45 pm"],
    },
    Slot {
        says: "{s} deploys on {v}.",
        now: "{s} now deploys on {v}.",
        denied: "{s} no longer deploys on {o}; it is {v}.",
        moved: "The deploy day of {s} moved to {v}.",
        noun: "deploy day",
        asked: ["On which day does {s} deploy?", "When does {s} deploy?"],
        values: ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Sunday"],
    },
    Slot {
        says: "The budget of {s} is {v}.",
        now: "The budget of {s} is now {v}.",
        denied: "The budget of {s} is no longer {o}, it is {v}.",
        moved: "The budget of {s} moved up to {v}.",
        noun: "budget",
        asked: ["What is the budget of {s}?", "How much budget does {s} have?"],
        values: ["$400", "$1,250", "$3,000", "$4,500", "$7,200", "$9,900"],
    },
    Slot {
        says: "{s} reports to {v}, the manager.",
        now: "{s} now has {v} as manager.",
        denied: "{s} no longer reports to {o}; the manager is {v}.",
        moved: "{s} moved to {v} as manager.",
        noun: "manager",
        asked: ["Who is the manager of {s}?", "Which manager does {s} have?"],
        values: ["Odile", "Ravi", "Sunniva", "Tomas", "Ulrike", "Viktor"],
    },
    Slot {
        says: "{s} stores its data in {v}.",
        now: "The data store of {s} is now {v}.",
        denied: "{s} no longer stores its data in {o} but in {v}.",
        moved: "{s} moved its data to {v}.",
        noun: "data store",
        asked: ["Where does {s} store its data?", "Where is the data of {s}?"],
        values: ["Postgres", "SQLite", "MariaDB", "DuckDB", "Cassandra", "Redis"],
    },
    Slot {
        says: "The deadline for {s} is {v}.",
        now: "The deadline for {s} is now {v}.",
        denied: "The deadline for {s} is no longer {o} but {v}.",
        moved: "The deadline for {s} moved to {v}.",
        noun: "deadline",
        asked: ["When is the deadline for {s}?", "What deadline does {s} have?"],
        values: ["May 10", "May 24", "June 3", "July 18", "August 2", "September 30"],
    },
    Slot {
        says: "There are {v} people in the team of {s}.",
        now: "The team of {s} now has {v} people.",
        denied: "The team of {s} is no longer {o} people but {v}.",
        moved: "The team of {s} moved up to {v} people.",
        noun: "number of people in the team",
        asked: ["How many people are in the team of {s}?", "How big is the team of {s}?"],
        values: ["4", "five", "6", "seven", "9", "12"],
    },
    Slot {
        says: "The test coverage of {s} is {v}.",
        now: "The test coverage of {s} is at {v} now.",
        denied: "The test coverage of {s} is no longer {o}, it is {v}.",
        moved: "The test coverage of {s} moved up to {v}.",
        noun: "test coverage",
        asked: ["What is the test coverage of {s}?", "How much test coverage does {s} have?"],
        values: ["45%", "58%", "65%", "78%", "83%", "91%"],
    },
    Slot {
        says: "{s} drinks {v} in the morning.",
        now: "{s} now drinks {v} in the morning.",
        denied: "{s} no longer drinks {o} in the morning but {v}.",
        moved: "{s} moved on to {v} in the morning.",
        noun: "morning drink",
        asked: ["What does {s} drink in the morning?", "Which drink does {s} have in the morning?"],
        values: ["oolong", "espresso", "cocoa", "matcha", "chicory", "water"],
    },
    Slot {
        says: "The gateway of {s} listens on port {v}.",
        now: "The gateway of {s} now listens on port {v}.",
        denied: "The gateway of {s} no longer listens on {o} but on {v}.",
        moved: "The gateway of {s} moved to port {v}.",
        noun: "gateway port",
        asked: ["On which port does the gateway of {s} listen?", "What is the gateway port of {s}?"],
        values: ["8080", "8443", "9000", "3000", "7070", "5005"],
    },
];

/// The name of an update, and its words.
pub(crate) const WORDINGS: [(&str, &str); 10] = [
    ("moved", ""),
    ("changed to", "The {n} of {s} changed to {v}."),
    ("no longer", ""),
    ("now", ""),
    ("switched from", "{s} switched from {o} to {v}."),
    ("correction", ""),
    ("replaced", "{v} has replaced {o} as the {n} of {s}."),
    ("updated", "We updated the {n} of {s} to {v}, as agreed."),
    ("instead", "For {s} it is {v} instead of {o} from today on, the {n} I mean."),
    ("restated", ""),
];

pub(crate) const SUBJECTS: [&str; 14] = [
    "Marta", "Joris", "Atlas", "Beacon", "Ingrid", "Paolo", "Quartz", "Nimbus", "Hanne", "Lucia", "Ferrum",
    "Orchard", "Dmitri", "Solveig",
];

/// Rows that are about a subject, and about no slot.
pub(crate) const ABOUT: [&str; 8] = [
    "{s} asked about the invoice again.",
    "Lunch with {s} was fun, and now I am tired.",
    "We changed the picture of {s} on the wall.",
    "{s} sent a postcard from the mountains.",
    "I updated my notes on {s} after the call.",
    "{s} has a new bicycle, a red one.",
    "The parcel for {s} arrived on Saturday at 4 pm.",
    "{s} paid $20 for the cake.",
];

pub(crate) const CHATTER: [&str; 6] = [
    "The printer is out of paper again.",
    "I moved the chairs back to the kitchen.",
    "Can you summarise what we talked about?",
    "It rained all day, so we stayed in.",
    "My new shoes hurt, I went back to the old ones.",
    "The bakery around the corner closes at 6 pm now.",
];

pub(crate) const SEED: u64 = 20_260_711;

/// States of one slot of one subject, the newest last.
pub(crate) struct Chain {
    pub(crate) wording: &'static str,
    pub(crate) question: String,
    pub(crate) states: Vec<String>,
    /// Whether they are said right after each other.
    pub(crate) is_close: bool,
}

impl Chain {
    pub(crate) fn draw(dice: &mut Dice, number: usize, subject: &str, slot: &Slot) -> Self {
        let (wording, template) = WORDINGS[number % WORDINGS.len()];
        let first = dice.below(slot.values.len());
        let length = 2 + usize::from(dice.below(4) == 0);
        let value = |state: usize| slot.values[(first + state) % slot.values.len()];
        let fill = |template: &str, state: usize| {
            template
                .replace("{s}", subject)
                .replace("{n}", slot.noun)
                .replace("{v}", value(state))
                .replace("{o}", if state > 0 { value(state - 1) } else { "" })
        };
        let mut states = vec![fill(slot.says, 0)];
        for state in 1..length {
            let said = match wording {
                "moved" => fill(slot.moved, state),
                "no longer" => fill(slot.denied, state),
                "now" => fill(slot.now, state),
                "correction" => format!("Correction: {}", fill(slot.says, state)),
                "restated" => format!("As I said to the others, {}", fill(slot.says, state)),
                _ => fill(template, state),
            };
            states.push(said);
        }
        let question = fill(dice.pick(&slot.asked), 0);
        Self { wording, question, states, is_close: dice.below(3) == 0 }
    }
}

/// The lines of many chains and of what stands between them, and where each chain's states are.
pub(crate) fn world(dice: &mut Dice, chains: &[Chain]) -> (Vec<String>, Vec<Vec<usize>>) {
    // A chain that is said at once is one event, any other as many as it has states.
    let mut events: Vec<usize> = Vec::new();
    for (number, chain) in chains.iter().enumerate() {
        events.extend(std::iter::repeat_n(number, if chain.is_close { 1 } else { chain.states.len() }));
    }
    for at in (1..events.len()).rev() {
        events.swap(at, dice.below(at + 1));
    }
    let (mut lines, mut places) = (Vec::new(), vec![Vec::new(); chains.len()]);
    for number in events {
        let chain = &chains[number];
        let said = if chain.is_close { chain.states.len() } else { 1 };
        for _ in 0..said {
            let state: &String = &chain.states[places[number].len()];
            places[number].push(lines.len());
            lines.push(state.clone());
        }
        if dice.below(2) == 0 {
            lines.push(dice.pick(&ABOUT).replace("{s}", dice.pick(&SUBJECTS)));
        }
        if dice.below(4) == 0 {
            lines.push(dice.pick(&CHATTER).to_owned());
        }
    }
    (lines, places)
}

pub(crate) fn shuffle<T>(dice: &mut Dice, all: &mut [T]) {
    for at in (1..all.len()).rev() {
        all.swap(at, dice.below(at + 1));
    }
}

/// Chains of different slots and subjects, so many.
pub(crate) fn chains(dice: &mut Dice, count: usize) -> Vec<Chain> {
    let all = SUBJECTS.iter().flat_map(|subject| SLOTS.iter().map(move |slot| (*subject, slot)));
    let mut all: Vec<(&str, &Slot)> = all.collect();
    shuffle(dice, &mut all);
    let drawn = all.into_iter().take(count).enumerate();
    drawn.map(|(number, (subject, slot))| Chain::draw(dice, number, subject, slot)).collect()
}
