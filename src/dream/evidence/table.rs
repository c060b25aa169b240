//! Lines that a curator may honestly write, lines that it must not, and lines that the rules judge wrongly.

mod dishonest;
mod honest;
mod measured;

use proptest::prelude::*;

use super::judge::judge;
use super::shown::Shown;
use crate::base::name::DocName;
use crate::base::sorted::SortedMap;
use crate::dreamer::{Hold, HoldReason};
use crate::format::JournalName;
use crate::format::replies::fences::ShownLine;
use crate::format::replies::reply::split_citations;
use dishonest::DISHONEST;
use honest::{FRI, HONEST};
use measured::MEASURED;

/// False, and not held: the words, numbers and names all are in the sources. Kept here so that the module's doc stays
/// true.
const STILL_PASSES: &[(&str, &str)] = &[
    ("Marta called Ilya.", "[user] Ilya called Marta"),
    ("The rent is 300 and the deposit 900.", "[user] rent 900, deposit 300"),
    ("Lives in Lisbon.", "[user] moved from Lisbon to Porto"),
    ("Deploys on Fridays.", "[user] do we deploy on Fridays? No."),
    ("The talk is on 2026-11-23.", "[user] the talk is next week"),
    ("Will buy the boat.", "[user] if we win we buy the boat"),
    ("Twice a week.", "[user] I run once a week"),
    ("Bolt is more expensive than Acme.", "[user] Acme is more expensive than Bolt"),
    ("用户住在北京。", "[user] 用户住在上海"),
];

/// Honest, and held: it follows from the sources, and no rule here can see that it does.
const STILL_HELD: &[(&str, &str)] = &[
    ("Fasts until noon.", "[user] I don't eat before 12"),
    ("Has two children, Ana and Leo.", "[user] my kids Ana and Leo go to school"),
    ("Born in 1986.", "[user] I turned 40 today"),
    ("Contract ends on 2027-05-31.", "[user] contract of six months from 2026-12-01"),
    ("Spends Hanukkah with family.", "[user] the holidays are for family"),
];

/// Judges a bullet that cites all lines of one journal.
fn verdict(claim: &str, lines: &str, day: &str) -> Option<Hold> {
    let journal = JournalName::parse(&DocName::parse(format!("memory/{day}-repl.md")).unwrap()).unwrap();
    let lines: Vec<ShownLine> = lines
        .split('\n')
        .zip(7..)
        .map(|(text, number)| ShownLine { number, text: text.to_owned() })
        .collect();
    let last = lines.last().unwrap().number;
    let mut shown = Shown::default();
    shown.add(&journal, 7, last, &lines, &SortedMap::new());
    let (claim, citations) = split_citations(&format!("{claim} (memory/{day}-repl.md#L7-L{last})"));
    judge(&claim, &citations, &shown)
}

#[test]
fn no_honest_line_is_held() {
    let honest = [HONEST, MEASURED].concat();
    let held: Vec<_> = honest
        .iter()
        .filter_map(|(claim, lines, day)| verdict(claim, lines, day).map(|hold| (claim, lines, hold)))
        .collect();
    assert!(honest.len() >= 40);
    assert!(held.is_empty(), "{} of {} are held: {held:#?}", held.len(), honest.len());
}

#[test]
fn every_dishonest_line_is_held_for_its_reason() {
    let wrong: Vec<_> = DISHONEST
        .iter()
        .map(|(claim, lines, reason)| {
            (claim, lines, verdict(claim, lines, FRI).map(|hold| hold.reason), reason)
        })
        .filter(|(.., found, reason)| *found != Some(**reason))
        .collect();
    assert!(DISHONEST.len() >= 40);
    assert!(wrong.is_empty(), "{} of {} differ: {wrong:#?}", wrong.len(), DISHONEST.len());
}

#[test]
fn what_is_known_to_go_wrong_is_written_down() {
    for (claim, lines) in STILL_PASSES {
        assert!(verdict(claim, lines, FRI).is_none(), "{claim}");
    }
    for (claim, lines) in STILL_HELD {
        assert!(verdict(claim, lines, FRI).is_some(), "{claim}");
    }
}

#[test]
fn a_journal_that_is_named_without_a_line_is_held() {
    let lines = [ShownLine { number: 7, text: "We sail on Friday.".to_owned() }];
    let journal = JournalName::parse(&DocName::parse("memory/2026-11-20-repl.md").unwrap()).unwrap();
    let mut shown = Shown::default();
    shown.add(&journal, 7, 7, &lines, &SortedMap::new());
    for (cited, reason) in [
        ("(memory/2026-11-20-repl.md#L7)", None),
        ("(2026-11-20-repl.md, line 7)", None),
        ("(memory/2026-11-20-repl.md)", Some(HoldReason::NoSuchLine)),
        ("(memory/2026-11-20-repl.md#L0)", Some(HoldReason::NoSuchLine)),
        ("(evil/memory/2026-11-20-repl.md#L7)", Some(HoldReason::NoSuchLine)),
        ("(memory/2026-11-20-repl.md#L7, L8)", Some(HoldReason::NoSuchLine)),
        ("(memory/2026-11-19-repl.md#L7)", Some(HoldReason::UnknownSource)),
    ] {
        let (claim, citations) = split_citations(&format!("We sail on Friday. {cited}"));
        assert!(!citations.is_empty(), "{cited}");
        assert_eq!(judge(&claim, &citations, &shown).map(|hold| hold.reason), reason, "{cited}");
    }
}

proptest! {
    #[test]
    fn a_verbatim_line_is_never_held(text in "\\PC{0,60}", words in "(not |no |2026-13-40 |12/40 |from |to |over |Myth: |不|[A-Z][a-z]{1,8} |[0-9]{1,12}[k.:%]?|\\PC){0,14}") {
        for line in [text, words] {
            let lines = line.replace('\n', " ");
            prop_assert_eq!(verdict(&lines, &lines, FRI), None);
            let tagged = format!("- 09:12 [user] {lines}");
            prop_assert_eq!(verdict(&lines, &tagged, FRI), None);
        }
    }

    #[test]
    fn any_claim_is_judged(claim in "\\PC{0,60}", lines in "[0-9a-z:.,/ 年月日-]{0,60}") {
        verdict(&claim, &lines, "9999-12-31");
        verdict(&format!("nine{}", " hundred".repeat(claim.len())), &lines, FRI);
        verdict(&lines, &claim, "0001-01-01");
    }
}
