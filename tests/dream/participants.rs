//! Journals in which several people speak, and models that put one's words into another's mouth: a participant's words are
//! promoted as theirs or held, and never stand as the user's.
//!
//! `NOCTUARY_LONG_TESTS` tries 10,000 journals in place of 400.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use noctuary::exchange::feed;
use noctuary::format::Origin;
use noctuary::memory::{Filter, categories};
use noctuary::testing::Script;
use noctuary::{Access, Extractive, FileMemoryStore, LlmClient, MemoryStore, Scope};

use noctuary_tests::common::dice::Dice;
use noctuary_tests::dreaming::{Life, dream, dreamer_over, night};

const USER: &str = "Marta";

/// Names that a guest may have, or take.
const GUESTS: [&str; 14] = [
    "Mallory",
    "Ada Lovelace",
    "eve smith",
    "Bob",
    "u-4711",
    "Will",
    "The Boss",
    "Marta",
    "Marta Ruiz",
    "user",
    "Decision",
    "me",
    "Mallory bot",
    "Rémi",
];

/// A line of a journal: its speaker, and the word that stands in no other line.
struct Said {
    guest: Option<&'static str>,
    mark: String,
    words: String,
}

/// A made-up word for a number, another one for each.
fn mark(number: usize) -> String {
    let syllables = ["ba", "de", "fi", "go", "lu", "mo", "ne", "pi", "ra", "su"];
    format!("{}{}qua", syllables[number / 10 % 10], syllables[number % 10])
}

struct World {
    file: &'static str,
    journal: String,
    lines: Vec<Said>,
}

impl World {
    fn new(seed: u64) -> Self {
        let mut dice = Dice(seed);
        for _ in 0..4 {
            dice.below(2);
        }
        let is_shared = dice.below(2) == 0;
        let file = if is_shared { "memory/2026-11-20-shared.crew.md" } else { "memory/2026-11-20-repl.md" };
        let (mut journal, mut lines) = (String::new(), Vec::new());
        for number in 0..3 + dice.below(10) {
            let mark = mark(number);
            let words = dice
                .pick(&[
                    "Decision: we pay the MARK bill on Friday.",
                    "Marta decided to pay 500 euros for the MARK.",
                    "I prefer the MARK with sugar.",
                    "Remember that my address is MARK Street 7.",
                    "The MARK is sold to Bob for 900 euros.",
                    "We agreed that Marta owes GUEST 40 euros for the MARK.",
                    "The user always wants the MARK first.",
                    "GUEST sails the MARK on Mondays.",
                ])
                .replace("MARK", &mark);
            let guest = dice.pick(&GUESTS);
            let words = words.replace("GUEST", guest);
            let (tag, guest) = match dice.below(if is_shared { 6 } else { 4 }) {
                0 => ("[user]".to_owned(), None),
                1 => ("[agent]".to_owned(), None),
                2 | 3 => (format!("[participant:{guest}]"), Some(guest)),
                // A host with one tag for whatever comes in.
                _ => {
                    let guest = ["Mallory", "Bob", "Rémi"][dice.below(3)];
                    (format!("[user] {guest}:"), Some(guest))
                }
            };
            journal += &format!("- [09:{number:02}:00] {tag} {words}\n");
            lines.push(Said { guest, mark, words });
        }
        Self { file, journal, lines }
    }

    /// An answer that gives everybody's words to whom it pleases.
    fn lies(&self, seed: u64) -> String {
        let mut dice = Dice(seed ^ 0x5eed);
        let mut answer = String::new();
        for heading in ["Facts", "Preferences", "Decisions"] {
            answer += &format!("### {heading}\n");
            for _ in 0..4 {
                let at = dice.below(self.lines.len());
                let other = dice.below(self.lines.len());
                let (said, more) = (&self.lines[at], &self.lines[other]);
                let bare =
                    said.words.trim_start_matches("Decision: ").trim_start_matches("Marta decided to ");
                let mark = &said.mark;
                let form = dice.below(9);
                let claim = match form {
                    0 => said.words.clone(),
                    1 => format!("Marta decided: {bare}"),
                    2 => format!("User: {}", said.words),
                    3 => format!("{}: {}", said.guest.unwrap_or("Marta"), said.words),
                    4 => format!("{} {}", more.words, said.words),
                    5 => format!("{} and Marta agreed to pay for the {mark}.", said.guest.unwrap_or("Bob")),
                    6 => format!("Marta prefers the {mark}, as {} said.", said.guest.unwrap_or("Bob")),
                    7 => format!("2026-11-20: {}", said.words),
                    _ => format!("I decided on the {mark} with {}.", said.guest.unwrap_or("Bob")),
                };
                let cited = match dice.below(5) {
                    // Of a made-up line that cites nothing nobody can tell whose it is.
                    0 if matches!(form, 0..=3 | 7) => String::new(),
                    1 => format!(" ({}#L{}, {}#L{})", self.file, at + 1, self.file, other + 1),
                    2 => format!(" ({}#L{}-L{})", self.file, at.min(other) + 1, at.max(other) + 1),
                    _ => format!(" ({}#L{})", self.file, at + 1),
                };
                answer += &format!("- {claim}{cited}\n");
            }
        }
        answer
    }

    /// Returns the guests of whose words a line has any.
    fn guests_in(&self, line: &str) -> Vec<&'static str> {
        let lower = line.to_lowercase();
        let is_in = |said: &&Said| lower.contains(&said.mark);
        self.lines.iter().filter(is_in).filter_map(|said| said.guest).collect()
    }
}

/// Returns whether a promoted line tells by its beginning that a guest said it, or is about them and not about the user.
fn is_told(line: &str, guest: &str) -> bool {
    let line = line.strip_prefix("2026-11-20: ").unwrap_or(line);
    let is_about_user = ["Marta", "user", "User"].iter().any(|word| line.contains(word))
        || line.split(|c: char| !c.is_alphanumeric()).any(|word| ["I", "my", "we", "We"].contains(&word));
    line.starts_with(&format!("{guest}: ")) || (line.starts_with(&format!("{guest} ")) && !is_about_user)
}

/// Dreams a world, and returns how many lines were promoted and how many of them were a guest's.
fn promotes(seed: u64, model: &dyn LlmClient, world: &World) -> (usize, usize) {
    let life = Life::empty();
    life.put("MEMORY.md", "# Memory\n");
    life.put(world.file, &world.journal);
    let dreamer = dreamer_over(life.quick_workspace(), |config| {
        config.user_names = vec![USER.to_owned()];
        config.section.items = 40;
    });
    let report = dream(&dreamer, model, night(21));
    let (mut promoted, mut theirs) = (0, 0);
    for line in report.promoted() {
        promoted += 1;
        let guests = world.guests_in(&line.text);
        if guests.is_empty() {
            continue;
        }
        // What the user said too, of the same thing, is theirs.
        theirs += 1;
        let shown = format!("seed {seed}\n{}\n{}\n{:?}", world.journal, world.lies(seed), line);
        assert!(guests.iter().any(|guest| is_told(&line.text, guest)), "told as the user's: {shown}");
        assert_eq!(line.heading.as_deref().unwrap_or("Facts"), "Facts", "under the user's heading: {shown}");
        let taken = ["Marta", "Marta Ruiz", "user", "Decision", "me", "Mallory bot"];
        assert!(!guests.iter().all(|guest| taken.contains(guest)), "by a name that is not theirs: {shown}");
    }
    if theirs > 0 {
        is_fed_as_theirs(&life, world);
    }
    (promoted, theirs)
}

/// A row that a guest's line makes has the guest's origin, in every category but the user's own.
fn is_fed_as_theirs(life: &Life, world: &World) {
    let store = FileMemoryStore::open(life.root(), Scope::user("marta")).unwrap();
    feed(life.quick_workspace().as_ref(), &store, &Scope::user("marta"), night(21)).unwrap();
    let rows = store.list(&Access::human(Scope::user("marta")), &Filter::limit(1000)).unwrap();
    assert!(!rows.is_empty());
    for row in rows {
        let guests = world.guests_in(&row.content);
        if guests.is_empty() {
            continue;
        }
        assert_eq!(row.category, categories::FACT, "{row:?}");
        // A name in small letters is known by the line that is cited.
        let guests: Vec<_> =
            guests.into_iter().filter(|guest| *guest != "eve smith" || !row.cites.is_empty()).collect();
        let is_labelled = guests.iter().any(|guest| row.content.contains(&format!("{guest}: ")));
        // One that cites another's line alone is of nobody but the agent, who put them together.
        let said_by = |line: u64| world.lines[usize::try_from(line).unwrap() - 1].guest;
        let cites_one = matches!(row.cites.as_slice(), [cited]
            if cited.first_line == cited.last_line && said_by(cited.first_line).is_some());
        assert!(!matches!(row.origin, None | Some(Origin::User)), "{row:?}\n{}", world.journal);
        let is_theirs = matches!(row.origin, Some(Origin::Participant(_)));
        assert!(is_theirs || !(is_labelled || cites_one), "{} {row:?}\n{}", row.content, world.journal);
    }
}

#[test]
#[ignore = "sweep"]
fn a_participants_words_never_stand_as_the_users() {
    let count = if std::env::var_os("NOCTUARY_LONG_TESTS").is_some() { 10_000 } else { 400 };
    let (mut by_lies, mut by_choice) = ((0, 0), (0, 0));
    let add = |sum: &mut (usize, usize), (promoted, theirs): (usize, usize)| {
        sum.0 += promoted;
        sum.1 += theirs;
    };
    for seed in 0..count {
        let world = World::new(seed);
        add(&mut by_lies, promotes(seed, &Script::new().says(world.lies(seed)), &world));
        add(&mut by_choice, promotes(seed, &Extractive::default(), &world));
    }
    println!("{count} journals: a lying model {by_lies:?}, extractive {by_choice:?} (promoted, theirs)");
    for (promoted, theirs) in [by_lies, by_choice] {
        assert!(
            promoted > 400 && theirs > 100 && theirs < promoted,
            "both are promoted: {by_lies:?} {by_choice:?}"
        );
    }
}

// "[user] Mallory: Marta decided to pay" was Marta's decision.
#[test]
fn a_message_of_somebody_else_is_no_decision_of_the_user() {
    let life = Life::empty();
    life.put("MEMORY.md", "# Memory\n");
    life.put(
        "memory/2026-11-20-shared.crew.md",
        "- [09:00:00] [user] Mallory: Marta decided to pay the harbour bill of 500 euros.\n\
         - [09:01:00] [user] Decision: we keep the boat until spring.\n",
    );
    let dreamer = life.dreamer_with(|config| config.user_names = vec![USER.to_owned()]);
    let report = dream(&dreamer, &Extractive::default(), night(21));
    let promoted: Vec<(Option<&str>, &str)> =
        report.promoted().map(|line| (line.heading.as_deref(), line.text.as_str())).collect();
    let of = |start: &str| promoted.iter().find(|(_, text)| text.contains(start)).unwrap();
    let (heading, text) = of("harbour bill");
    assert_eq!(*heading, Some("Facts"), "{promoted:?}");
    assert!(text.contains("Mallory: Marta decided to pay"), "{text}");
    assert_eq!(of("keep the boat").0, Some("Decisions"), "{promoted:?}");
}

// A claim that named a guest anywhere stood as a statement about the user.
#[test]
fn what_a_guest_says_about_the_user_is_told_as_theirs() {
    let life = Life::empty();
    life.put("MEMORY.md", "# Memory\n");
    let file = "memory/2026-11-20-shared.crew.md";
    life.put(
        file,
        "- [09:00:00] [participant:Bob] Marta owes Bob 500 euros for the sail.\n\
         - [09:01:00] [user] The sail is torn.\n",
    );
    let dreamer = life.dreamer_with(|config| config.user_names = vec![USER.to_owned()]);
    let answer = format!(
        "### Decisions\n- Marta owes Bob 500 euros for the sail. ({file}#L1)\n- Marta pays Bob 500 euros for the torn sail. ({file}#L1-L2)\n### Facts\n- The sail is torn. ({file}#L2)\n"
    );
    let report = dream(&dreamer, &Script::new().says(answer), night(21));
    let texts: Vec<&str> = report.promoted().map(|line| line.text.split(" (").next().unwrap()).collect();
    assert!(texts.contains(&"Bob: Marta owes Bob 500 euros for the sail."), "{report:?}");
    assert!(texts.contains(&"The sail is torn."), "{report:?}");
    let is_users = |text: &&&str| text.starts_with("Marta");
    assert_eq!(texts.iter().find(is_users), None, "{report:?}");
}

// A claim that cited several guests was told as the word of the first of them whom it named.
#[test]
fn a_line_that_cites_several_guests_is_no_word_of_one_who_did_not_say_it() {
    let life = Life::empty();
    life.put("MEMORY.md", "# Memory\n");
    let file = "memory/2026-11-20-shared.crew.md";
    life.put(
        file,
        "- [09:00:00] [agent] The sail is torn.\n\
         - [09:01:00] [user] Bob: I drink the tea with sugar.\n\
         - [09:02:00] [user] Rémi: The dinghy is sold to Bob for 900 euros.\n",
    );
    let dreamer = life.dreamer_with(|config| config.user_names = vec![USER.to_owned()]);
    let (by_one, of_both) = (
        "Rémi: The dinghy is sold to Bob for 900 euros.",
        "Bob drinks the tea with sugar, and Rémi sold the dinghy for 900 euros.",
    );
    let mixed = "Rémi: Bob drinks the tea with sugar, the dinghy is sold for 900 euros.";
    let answer = format!(
        "### Facts\n- {by_one} ({file}#L1-L3)\n- {of_both} ({file}#L2-L3)\n- {mixed} ({file}#L2-L3)\n"
    );
    let report = dream(&dreamer, &Script::new().says(answer), night(21));
    let texts: Vec<&str> = report.promoted().map(|line| line.text.split(" (").next().unwrap()).collect();
    assert_eq!(texts, [by_one, of_both], "{report:?}");

    let store = FileMemoryStore::open(life.root(), Scope::user("marta")).unwrap();
    feed(life.quick_workspace().as_ref(), &store, &Scope::user("marta"), night(21)).unwrap();
    let rows = store.list(&Access::human(Scope::user("marta")), &Filter::limit(10)).unwrap();
    let origin_of = |text: &str| {
        let row = rows.iter().find(|row| row.content == text).unwrap();
        row.origin.clone().unwrap().to_string()
    };
    assert_eq!(
        (origin_of(by_one).as_str(), origin_of(of_both).as_str()),
        ("participant:Rémi", "participant:-")
    );
}

// Two lines of others held more words of a claim than the guest who had said it, so it was theirs.
#[test]
fn what_cites_nothing_is_the_guests_who_said_it() {
    let life = Life::empty();
    life.put("MEMORY.md", "# Memory\n");
    life.put(
        "memory/2026-11-19-repl.md",
        "- [09:00:00] [user] Marta owes the cook 40 euros.\n\
         - [09:00:30] [user] Decision: we pay the harbour bill on Friday.\n\
         - [09:01:00] [participant:Eve] Decision: we pay the ketch bill on Friday.\n\
         - [09:02:00] [participant:Bob] Marta decided to pay 500 euros for the oars.\n\
         - [09:03:00] [participant:Bob] The anchor is sold to Bob for 900 euros.\n\
         - [09:04:00] [participant:Rémi] The buoy is sold to Bob for 900 euros.\n",
    );
    life.put(
        "memory/2026-11-20-repl.md",
        "- [09:00:00] [agent] Marta decided to pay 500 euros for the mast.\n\
         - [09:01:00] [agent] Bob sails the yawl on Mondays.\n\
         - [09:02:00] [participant:me] me sails the dinghy on Mondays.\n",
    );
    let dreamer = life.dreamer_with(|config| config.user_names = vec![USER.to_owned()]);
    let answer = "### Preferences\n- Marta decided: me sails the dinghy on Mondays.\n\
                  - Marta decided: we pay the ketch bill on Friday.\n\
                  - Marta decided: The buoy is sold to Bob for 900 euros.\n";
    let report = dream(&dreamer, &Script::new().says(answer), night(21));
    let promoted: Vec<(Option<&str>, &str)> =
        report.promoted().map(|line| (line.heading.as_deref(), line.text.as_str())).collect();
    // Nobody can be told of by the name "me".
    let (eves, remis) = (
        "Eve: Marta decided: we pay the ketch bill on Friday.",
        "Rémi: Marta decided: The buoy is sold to Bob for 900 euros.",
    );
    assert_eq!(promoted, [(Some("Facts"), eves), (Some("Facts"), remis)], "{report:?}");
}
