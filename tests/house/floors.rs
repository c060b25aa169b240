//! The house stands: code uses the floors below its own, and no two files use each other.
//!
//! The test reads every file of each crate, finds the paths that it names, and follows each through front pages to the file that
//! defines the name. Unit tests are exempt, and so is a front page that leads to its own files by `pub use`.

#[path = "floors/house.rs"]
mod house;
#[path = "floors/tokens.rs"]
mod tokens;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use house::{Arrow, House, room_of};

/// Each room and its floor. An arrow points down only, and rooms of one floor that stand apart do not see each other, unless
/// [`TOGETHER`] says so.
const FLOORS: &[(u32, &[&str])] = &[
    (0, &["base"]),
    (1, &["workspace", "llm", "embed", "format", "disk"]),
    (2, &["memory", "facts", "learning", "edges", "artifacts", "dreamer", "trade", "upload"]),
    (3, &["trace"]),
    (4, &["gate", "search"]),
    (5, &["session", "store"]),
    (6, &["life", "sql"]),
    (7, &["dream", "file", "sqlite", "postgres", "model", "objects"]),
    (8, &["drive", "tools", "exchange", "pages", "report", "sleep", "vectors", "doctor", "finance", "files"]),
    (9, &["testing", "manual"]),
];

/// Rooms of one floor of which the first may use the second, and why.
const TOGETHER: &[(&str, &str, &str)] = &[
    ("facts", "memory", "a fact is a row with a key"),
    ("learning", "memory", "a preference names its row"),
    ("edges", "memory", "an edge leads from a row"),
    ("edges", "facts", "the surroundings of an entity are facts"),
    ("edges", "learning", "an edge leads from a note of a role"),
    ("dreamer", "memory", "a report on facts names rows"),
    ("dreamer", "facts", "a report on facts names decisions"),
    ("dream", "model", "the language of a line tells what its \"morgen\" or \"hier\" is"),
    ("pages", "exchange", "a page is dropped when a statement on it is forgotten"),
    ("finance", "pages", "an asset has a page"),
    ("report", "pages", "a page is drawn"),
    ("tools", "pages", "a page is shown to an agent"),
    ("doctor", "vectors", "rows without vectors are filled in the pass of everybody"),
];

#[test]
fn floors_hold_and_neighbours_do_not_see_each_other() {
    let house = houses().next().expect("the library");
    assert!(house.modules().count() > 100, "the crate was found");
    let wrong = wrong_floors(&house);
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    for (room, other, _) in TOGETHER {
        let is_used =
            house.arrows().iter().any(|arrow| room_of(&arrow.from) == *room && room_of(&arrow.to) == *other);
        assert!(is_used, "{room} uses {other} no more: take the pair off the list");
    }
}

#[test]
fn the_picture_for_contributors_is_the_table_of_floors() {
    let page = fs::read_to_string(noctuary_tests::root().join("CONTRIBUTING.md")).expect("the page");
    let drawn: String =
        FLOORS.iter().rev().map(|(floor, rooms)| format!("{floor}  {}\n", rooms.join("  "))).collect();
    assert!(page.contains(&format!("```text\n{drawn}```\n")), "CONTRIBUTING.md does not have\n{drawn}");
}

#[test]
fn no_file_is_part_of_a_circle() {
    let circles: Vec<String> =
        houses().flat_map(|house| house.circles()).map(|circle| circle.told()).collect();
    assert!(circles.is_empty(), "\n{}", circles.join("\n"));
}

/// Only one module each speaks to the kernel's locks, writes files, reads the wall clock.
#[test]
fn floors_keep_their_own_doors() {
    // The command and the models are no part of the library: they read files of their own, and the command the clock.
    let doors: &[(&str, &[&str])] = &[
        ("fs4::", &["src/disk/lock.rs"]),
        ("std::fs", &["src/disk/", "crates/noctuary-cli/", "crates/noctuary-embed/src/folder.rs"]),
        ("Utc::now", &["src/disk/", "src/drive.rs", "crates/noctuary-cli/"]),
        ("SystemTime::now", &[]),
        ("rusqlite", &["src/sqlite/"]),
        (" ::postgres::", &["src/postgres/"]),
    ];
    let mut wrong = Vec::new();
    let all = noctuary_tests::sources().into_iter().flat_map(|source| {
        let place = source.strip_prefix(noctuary_tests::root()).expect("a path of the repository");
        let place = place.to_string_lossy().replace('\\', "/");
        files(&source).into_iter().map(move |(path, text)| (format!("{place}/{path}"), text))
    });
    for (path, text) in all {
        let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
        for line in code.lines().map(str::trim).filter(|line| !line.starts_with("//")) {
            for (word, allowed) in doors {
                if line.contains(word) && !allowed.iter().any(|door| path.starts_with(door)) {
                    wrong.push(format!("{path}: {line}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn a_planted_circle_is_named_also_through_a_front_page() {
    let house = House::of(&[
        ("lib.rs", "pub mod gate;"),
        (
            "gate/mod.rs",
            "mod door;\nmod scan;\nmod word;\npub use door::Door;\npub(crate) use scan::{Scan, find as look};",
        ),
        ("gate/door.rs", "use super::look;\npub struct Door;\nfn open() { look(); }"),
        ("gate/scan.rs", "use super::word::Word;\npub(crate) struct Scan;\npub(crate) fn find() {}"),
        ("gate/word.rs", "pub(crate) struct Word;\nfn of() -> impl Sized + use<> { crate::gate::Door }"),
    ]);
    let circles = house.circles();
    let files: Vec<&[String]> = circles.iter().map(|circle| circle.files.as_slice()).collect();
    assert_eq!(files, [["gate/door", "gate/scan", "gate/word"]]);
    let told = circles[0].told();
    for arrow in ["gate/door -> gate/scan", "gate/scan -> gate/word", "gate/word -> gate/door"] {
        assert!(told.contains(arrow), "{told}");
    }
    assert!(wrong_floors(&house).is_empty(), "a circle inside of a room is no matter of floors");
}

#[test]
fn a_parent_and_a_child_that_use_each_other_are_named() {
    let child = ("life/turn.rs", "use super::Life;\npub(crate) fn turn(life: &Life) {}");
    let both = House::of(&[
        ("life/mod.rs", "mod turn;\npub struct Life;\nfn day(life: &Life) { turn::turn(life) }"),
        child,
    ]);
    assert_eq!(both.circles().len(), 1);
    assert_eq!(both.circles()[0].files, ["life", "life/turn"]);
    let led = House::of(&[
        ("life/mod.rs", "mod turn;\npub use turn::Turn;\npub struct Life(Turn);"),
        ("life/turn.rs", "use super::Life;\npub struct Turn(Box<Life>);"),
    ]);
    assert_eq!(led.circles().len(), 1, "a page that uses what it leads to is no front page");
    let front = House::of(&[
        ("life/mod.rs", "mod day;\nmod turn;\npub use day::Life;\npub(crate) use turn::turn;"),
        ("life/day.rs", "pub struct Life;"),
        child,
    ]);
    assert!(front.circles().is_empty(), "a front page only leads to its files: {:?}", front.arrows());
}

#[test]
fn a_planted_arrow_upwards_or_to_a_neighbour_is_named() {
    let house = House::of(&[
        ("base/mod.rs", "pub(crate) mod name;"),
        ("base/name.rs", "pub struct Name;"),
        ("dream/mod.rs", "pub(crate) mod due;"),
        ("dream/due.rs", "pub struct Due;"),
        ("file/mod.rs", "pub(crate) struct Home(crate::sqlite::Home);"),
        (
            "sqlite/mod.rs",
            "use crate::base::name::Name;\nuse crate::dream::{self, due};\npub struct Home(Name, due::Due);",
        ),
        ("workspace/mod.rs", "use crate::{base::name::Name, dream::due::Due as Night};"),
        ("attic.rs", ""),
    ]);
    let wrong = wrong_floors(&house);
    let named = |words: &[&str]| wrong.iter().any(|line| words.iter().all(|word| line.contains(word)));
    assert!(named(&["workspace", "dream/due", "crate::dream::due::Due"]), "upwards: {wrong:?}");
    assert!(named(&["file", "sqlite"]), "to a neighbour: {wrong:?}");
    assert!(named(&["sqlite", "dream/due"]), "to a neighbour: {wrong:?}");
    assert!(named(&["attic"]), "a room without a floor: {wrong:?}");
    assert!(!wrong.iter().any(|line| line.contains("base")), "down is fine: {wrong:?}");
}

#[test]
fn tests_comments_strings_and_visibility_are_no_arrows() {
    let house = House::of(&[
        (
            "disk/mod.rs",
            "//! As crate::dream::Due.\n/* crate::dream /* crate::dream::Due */ */\npub(in crate::disk) struct Disk<'a>(&'a str);\n\
             const NAME: &str = \"crate::dream::Due // \\\" \";\nconst RAW: &str = r#\"use crate::dream::Due;\"#;\n\
             const MARK: char = '\"';\n\
             #[cfg(test)]\n#[expect(dead_code)]\nmod tests {\n    use crate::dream::Due;\n    fn it() { { crate::dream::due(); } }\n}\n\
             #[cfg(test)]\nuse crate::dream::Due;\n\
             #[cfg(test)]\nfn only_in_tests() { crate::dream::due(); }\n",
        ),
        ("dream/mod.rs", "use crate::disk::Disk;\npub struct Due(Disk<'static>);\npub fn due() {}"),
    ]);
    let arrows: Vec<(String, String)> =
        house.arrows().into_iter().map(|arrow| (arrow.from, arrow.to)).collect();
    assert_eq!(arrows, [("dream".to_owned(), "disk".to_owned())]);
}

/// Says of each arrow that does not point down, and of each room without a floor.
fn wrong_floors(house: &House) -> Vec<String> {
    let floor = |room: &str| FLOORS.iter().find(|(_, rooms)| rooms.contains(&room)).map(|(floor, _)| *floor);
    let rooms: BTreeSet<&str> = house.modules().map(room_of).collect();
    let homeless = rooms.into_iter().filter(|room| !room.is_empty() && floor(room).is_none());
    let mut wrong: Vec<String> = homeless.map(|room| format!("{room} stands on no floor")).collect();
    for Arrow { from, to, path } in house.arrows() {
        let (room, other) = (room_of(&from), room_of(&to));
        let (Some(own), Some(used)) = (floor(room), floor(other)) else { continue };
        let apart = own == used
            && room != other
            && !TOGETHER.iter().any(|(one, two, _)| (*one, *two) == (room, other));
        if used > own || apart {
            wrong.push(format!("{from} (floor {own}) uses {to} (floor {used}) by {path}"));
        }
    }
    wrong
}

/// The house of the library itself, and those of the packages beside it.
fn houses() -> impl Iterator<Item = House> {
    noctuary_tests::sources().into_iter().map(|source| {
        let files = files(&source);
        let sources: Vec<(&str, &str)> =
            files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        House::of(&sources)
    })
}

/// The files of a crate, each with its path below `src/` and its text.
fn files(source: &Path) -> Vec<(String, String)> {
    let files = noctuary_tests::files_below(vec![source.to_owned()]).into_iter().filter_map(|path| {
        let name = path.strip_prefix(source).expect("a path below src");
        // Unit tests that have files of their own are exempt as the others are.
        let is_test = name.iter().any(|part| part == "tests" || part == "tests.rs");
        let is_code = path.extension().is_some_and(|extension| extension == "rs") && !is_test;
        let text = || fs::read_to_string(&path).expect("a file of the crate");
        is_code.then(|| (name.to_string_lossy().replace('\\', "/"), text()))
    });
    files.collect()
}
