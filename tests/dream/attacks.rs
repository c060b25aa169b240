//! A model that makes things up: what it says beyond its sources is held back, line by line, and what they say is kept.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use noctuary::DreamReport;
use noctuary::dream::{DreamMode, HoldReason, LineOutcome, SectionCaps};
use noctuary::testing::Script;

use noctuary_tests::dreaming::{Life, dream, journal, night};

/// How many people there are, each with lines of their own.
const PEOPLE: usize = 200;

/// A journal's lines about one person.
struct Person {
    name: String,
    thing: String,
    euros: usize,
    day: usize,
    /// The first of the two lines.
    line: usize,
}

/// A made-up word for a number, another one for each.
fn word(number: usize) -> String {
    let syllables = ["ba", "de", "fi", "go", "lu", "mo", "ne", "pi", "ra", "su"];
    [number / 100 % 10, number / 10 % 10, number % 10].map(|at| syllables[at]).concat()
}

fn capital(word: &str) -> String {
    word[..1].to_uppercase() + &word[1..]
}

fn people() -> impl Iterator<Item = Person> {
    (0..PEOPLE).map(|at| Person {
        name: capital(&format!("{}tan", word(at))),
        thing: format!("{}lamp", word(at)),
        euros: 100 + 3 * at,
        day: 1 + at % 14,
        line: 1 + 2 * at,
    })
}

impl Person {
    fn lines(&self) -> String {
        let Self { name, thing, euros, day, .. } = self;
        format!(
            "- [09:00:00] [user] {name} pays {euros} euros for the {thing} on 2026-12-{day:02}, and said \"keep the {thing} dry\".\n\
             - [09:01:00] [user] {name} does not lend the {thing} to anybody.\n"
        )
    }
}

/// A bullet that cites a line.
fn says(claim: &str, line: usize) -> String {
    format!("- {claim} ({}#L{line})\n", journal(20))
}

fn life() -> Life {
    Life::with(&[
        (20, &people().map(|person| person.lines()).collect::<String>()),
        (19, "- [user] Another day.\n"),
    ])
}

/// Returns the result of an answer with a bullet for each person.
fn told(bullet: impl Fn(&Person) -> String) -> DreamReport {
    let life = life();
    let dreamer = life.dreamer_with(|config| {
        config.mode = DreamMode::Preview;
        config.section = SectionCaps::new(usize::MAX, usize::MAX, usize::MAX);
    });
    dream(
        &dreamer,
        &Script::new().says(people().map(|person| bullet(&person)).collect::<String>()),
        night(21),
    )
}

type Claim = fn(&Person) -> String;

#[test]
fn what_the_sources_say_is_kept() {
    let good: [(&str, Claim); 5] = [
        ("as it stands", |p| {
            says(&format!("{} does not lend the {} to anybody.", p.name, p.thing), p.line + 1)
        }),
        ("in part", |p| says(&format!("{} pays {} euros for the {}.", p.name, p.euros, p.thing), p.line)),
        ("with its date", |p| {
            says(&format!("On 2026-12-{:02}, {} pays for the {}.", p.day, p.name, p.thing), p.line)
        }),
        ("quoted", |p| says(&format!("{} said “keep the {} dry.”", p.name, p.thing), p.line)),
        ("in other words", |p| says(&format!("Nobody is lent the {} by {}.", p.thing, p.name), p.line + 1)),
    ];
    for (how, claim) in good {
        let report = told(claim);
        let (kept, held) = (report.promoted().count(), report.held().count());
        println!("{how}: {kept} kept, {held} held");
        assert_eq!(kept + held, PEOPLE);
        assert!(
            held * 50 <= PEOPLE,
            "{how}: at most 2 % are held: {:?}",
            report.held().next().map(|line| &line.fate)
        );
    }
}

#[test]
#[ignore = "sweep"]
fn what_was_made_up_is_held_every_time() {
    // BX-07: 100 %, each with the reason that a person can look up.
    use HoldReason::{Date, Name, Negation, NoSuchLine, Number, Quote, UnknownSource};
    let attacks: [(&str, &[HoldReason], Claim); 14] = [
        ("a number", &[Number], |p| {
            says(&format!("{} pays {} euros for the {}.", p.name, p.euros + 1, p.thing), p.line)
        }),
        ("a number more", &[Number], |p| {
            says(&format!("{} pays for the {} in 7 parts.", p.name, p.thing), p.line)
        }),
        ("a date", &[Date], |p| {
            says(&format!("{} pays for the {} on 2026-12-{:02}.", p.name, p.thing, p.day + 1), p.line)
        }),
        ("a date more", &[Date], |p| {
            says(&format!("{} does not lend the {} until 2027-02-03.", p.name, p.thing), p.line + 1)
        }),
        ("a name", &[Name], |p| {
            says(&format!("Zacharias pays {} euros for the {}.", p.euros, p.thing), p.line)
        }),
        ("a name more", &[Name], |p| {
            says(&format!("{} pays Zacharias for the {}.", p.name, p.thing), p.line)
        }),
        ("a negation", &[Negation], |p| {
            says(&format!("{} does not pay {} euros for the {}.", p.name, p.euros, p.thing), p.line)
        }),
        ("no negation", &[Negation], |p| {
            says(&format!("{} lends the {} to anybody.", p.name, p.thing), p.line + 1)
        }),
        ("a file that is not there", &[UnknownSource], |p| {
            says(&format!("{} pays for the {}.", p.name, p.thing), p.line).replace("2026-11-20", "2026-11-18")
        }),
        ("another file", &[NoSuchLine, Name], |p| {
            says(&format!("{} pays for the {}.", p.name, p.thing), p.line).replace("2026-11-20", "2026-11-19")
        }),
        ("a line that is not there", &[NoSuchLine], |p| {
            says(&format!("{} pays for the {}.", p.name, p.thing), p.line + 2 * PEOPLE)
        }),
        ("another's line", &[Name], |p| {
            says(&format!("{} pays for the {}.", p.name, p.thing), 1 + (p.line + 1) % (2 * PEOPLE))
        }),
        ("a quote", &[Quote], |p| says(&format!("{} said “keep the {} wet”.", p.name, p.thing), p.line)),
        ("a quote put together", &[Quote], |p| {
            says(&format!("{} said \"the {} keep dry\".", p.name, p.thing), p.line)
        }),
    ];
    let mut all = 0;
    for (what, reasons, claim) in attacks {
        let report = told(claim);
        let lines = &report.passes[0].lines;
        assert_eq!(lines.len(), PEOPLE, "{what}");
        for line in lines {
            let LineOutcome::Held(hold) = &line.fate else { panic!("{what}: {:?} {}", line.fate, line.text) };
            assert!(reasons.contains(&hold.reason), "{what}: {:?} {}", hold.reason, line.text);
        }
        all += lines.len();
    }
    println!("{all} of {all} attacks held");
}
