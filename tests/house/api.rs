//! The public API as a whole, as rustdoc's JSON has it, so that each new name is asked the same. `.ci/api` writes the JSON.

#![expect(clippy::unwrap_used, reason = "helpers of a test")]

#[path = "api/rustdoc.rs"]
mod rustdoc;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use regex::Regex;
use rustdoc::{Api, Item, named, planted};

static API: LazyLock<Option<Api>> = LazyLock::new(|| {
    if let Some(path) = std::env::var_os("NOCTUARY_API") {
        return Some(Api::load(Path::new(&path)));
    }
    let how = "no JSON of the API: export NOCTUARY_API=\"$(.ci/api)\" makes it";
    assert!(std::env::var_os("CI").is_none(), "{how}");
    println!("skipped: {how}");
    None
});

/// Returns a path without its room, which no other name has outside of `testing`.
fn short(path: &str) -> String {
    let name = path.rsplit("::").next().unwrap();
    if path.starts_with("testing::") { format!("testing::{name}") } else { name.to_owned() }
}

fn those<'a>(names: Vec<(String, Item<'a>)>, are: impl Fn(Item<'a>) -> bool) -> Vec<String> {
    names.into_iter().filter(|(_, item)| are(*item)).map(|(path, _)| short(&path)).collect()
}

/// Compares what is listed, in groups with a reason each, with what is there.
fn expect_all(what: &str, there: Vec<String>, listed: &[(&str, &str)]) {
    let there: BTreeSet<String> = there.into_iter().collect();
    let groups = listed.iter().flat_map(|(_, names)| names.split_whitespace());
    let listed: BTreeSet<String> = groups.map(str::to_owned).collect();
    let missing: Vec<_> = there.difference(&listed).collect();
    assert!(missing.is_empty(), "{what}: say here how it is with {missing:?}");
    let gone: Vec<_> = listed.difference(&there).collect();
    assert!(gone.is_empty(), "{what}: these are listed without need: {gone:?}");
}

#[test]
fn every_type_may_be_sent_and_shared_and_printed() {
    let Some(api) = &*API else { return };
    let lacks = |name| those(api.types(), move |item| !item.implements(name));
    expect_all("Send", lacks("Send"), &[]);
    expect_all("Sync", lacks("Sync"), &[("they own a lease, which one thread at a time has", "Claim Step")]);
    expect_all("Debug", lacks("Debug"), &[]);
}

#[test]
fn every_trait_is_an_object() {
    let Some(api) = &*API else { return };
    expect_all("traits", no_objects(api), &[]);
}

fn no_objects(api: &Api) -> Vec<String> {
    those(api.of_kind(&["trait"]), |item| item.inner()["is_dyn_compatible"] != true)
}

#[test]
fn the_door_shows_the_main_jobs_and_the_rooms() {
    let Some(api) = &*API else { return };
    let names = api.names();
    let (inside, root): (Vec<&str>, Vec<&str>) =
        names.iter().map(|(path, _)| path.as_str()).partition(|path| path.contains("::"));
    assert!((25..=40).contains(&root.len()), "{}: {root:?}", root.len());
    let rooms: BTreeSet<_> = inside.iter().filter_map(|path| path.split("::").next()).collect();
    assert!((14..=24).contains(&rooms.len()), "{}: {rooms:?}", rooms.len());
    expect_all("names", shown_twice(api), &[]);
    let same =
        [("an entry of a folder and one of a day, and how each contract makes its store", "Entry Make")];
    expect_all("types with the name of another", same_names(api), &same);
}

/// Returns names that have two paths.
fn shown_twice(api: &Api) -> Vec<String> {
    let (mut items, mut seen) = (BTreeSet::new(), BTreeSet::new());
    let mut names = api.names();
    names.retain(|(path, item)| {
        let is_in_use = !path.starts_with("testing::") && !seen.insert(short(path));
        !items.insert(item.key()) || is_in_use
    });
    names.into_iter().map(|(path, _)| path).collect()
}

/// Returns the names that two public types share.
fn same_names(api: &Api) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let types = api.of_kind(&["struct", "enum", "union", "trait", "type_alias"]);
    let name = |path: &str| path.rsplit("::").next().unwrap().to_owned();
    types.iter().map(|(path, _)| name(path)).filter(|name| !seen.insert(name.clone())).collect()
}

#[test]
fn what_may_grow_is_non_exhaustive() {
    let Some(api) = &*API else { return };
    let matched = [
        ("who is told what, and what happens to a text where", "Actor Door SessionKind"),
        (
            "what a backend is asked to do, or answers",
            "Cardinality Ending Claim FactState IndexEntry Order Role Space WriteMode",
        ),
        ("what a host does next", "BootState StartStep Step"),
        ("closed by the files that hold them", "Mark OnboardingEnd"),
        ("of tests", "testing::CrashOutcome testing::Fault testing::Kind testing::Lie testing::Open"),
    ];
    expect_all("enums: whoever matches handles each, a new one too", closed(api, "enum"), &matched);
    let literal = [
        (
            "written as literals, by hosts and by backends",
            "Access BackOff ClaimTerms FactKey Place Scope SourceRef Usage IndexChange Metadata SearchResult SeenDocument
             StatusChange Suspect testing::Entry testing::Stat",
        ),
    ];
    expect_all("structs", closed(api, "struct"), &literal);
}

fn closed(api: &Api, kind: &str) -> Vec<String> {
    those(api.of_kind(&[kind]), |item| {
        let (fields, hides) = item.fields();
        !item.has_attribute("non_exhaustive") && (item.kind() == "enum" || !hides && !fields.is_empty())
    })
}

#[test]
fn signatures_name_chrono_and_serde_json_and_no_other_crate() {
    let Some(api) = &*API else { return };
    let mut named = foreign(api);
    for of in ["chrono", "serde_json"] {
        assert!(named.remove(of).is_some(), "{of} is in no signature");
    }
    assert!(named.is_empty(), "{named:#?}");
}

/// Returns the crates of others that signatures name, and where.
fn foreign(api: &Api) -> BTreeMap<&str, BTreeSet<String>> {
    let mut found: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for (path, item) in api.names() {
        let mut ids = Vec::new();
        item.signatures().into_iter().for_each(|signature| named(signature, &mut ids));
        let json = &api.0[item.of];
        for id in ids {
            let of = &json["paths"][id.to_string()]["crate_id"];
            let of = json["external_crates"][of.to_string()]["name"].as_str().unwrap_or("noctuary");
            if !of.starts_with("noctuary") && !["std", "core", "alloc"].contains(&of) {
                found.entry(of).or_default().insert(path.clone());
            }
        }
    }
    found
}

/// Types that derive `Debug` over text, and why that text may be printed.
const PRINTED: &[(&str, &str)] = &[
    (
        "ids, names, classes and counts",
        "ArtifactAudit ArtifactId ArtifactPage AuditOutcome Belongings Blamed BootstrapOutcome BundleAction BundleItem BundlePlan Charge ChatLeftOut
         ChatPlan
         CopiesReport DoctorFinding DoorWarning Duty EraseReceipt Error Filter Finding Fixed ForgottenStatement FoundAt GateFinding GroupName Health
         Holder ImportItem ImportPlan ImportRefusal LeftOutReason Listing MergeConflict MessageShape NameError Notice Origin
         Place ReplySource RulingOutcome Scope SecretAudit Source SyncReport testing::Entry",
    ),
    ("keys, hashes and extensions, which are no words", "FileKey NewFile Shown"),
    (
        "settings of the operator, and the names of models",
        "ChatImport ChunkConfig DreamConfig EmbedderId FactConfig FactDreamConfig Generation PostgresConfig RoleConfig SeenDocument",
    ),
    ("words of the library, of a policy or of a table", "Edge PlaceReceipt ShownRules"),
    ("numbers of rows and of lines", "ForgetReceipt"),
    ("what everybody is told: how the agent shows itself, and its tools", "Identity ToolDef"),
    ("the place of a workspace; what it holds prints its own shape", "DreamReport"),
    ("a state file, and what a peer keeps there", "DreamedState QuarantineEntry SleepState"),
];

#[test]
fn no_debug_prints_the_words_of_a_person() {
    let Some(api) = &*API else { return };
    let source = |file: &str| fs::read_to_string(noctuary_tests::root().join(file)).unwrap();
    expect_all("Debug", printed(api, source), PRINTED);
}

/// Returns the types with a derived `Debug` that hold a text, also in a field that is hidden: those only the source shows.
fn printed(api: &Api, source: impl Fn(&str) -> String) -> Vec<String> {
    let text = Regex::new(r"\b(?:(?:String|Value)\b|Cow<'|Vec<u8>)").unwrap();
    those(api.types(), |item| {
        let is_derived = |(of, made): (Option<&str>, Item<'_>)| {
            of == Some("Debug") && made.has_attribute("automatically_derived")
        };
        let line = |end: &str| usize::try_from(item.value["span"][end][0].as_u64().unwrap()).unwrap();
        item.impls().any(is_derived) && {
            let file = source(item.value["span"]["filename"].as_str().unwrap());
            let body = file.lines().take(line("end")).skip(line("begin") - 1).map(str::trim);
            body.filter(|line| !line.starts_with("//") && !line.starts_with('#'))
                .any(|line| text.is_match(line))
        }
    })
}

#[test]
fn every_entry_point_has_an_example() {
    let Some(api) = &*API else { return };
    let listed = [
        ("the library or a backend makes it, and a host reads it", "FindingKind Passage"),
        ("the page of its room shows it", "TradeHistory fills_as_history spot_as_history"),
        ("the example of `strike_superseded` takes its strikes back", "unstrike"),
        (
            "tools of tests: a number, and disks as those in the examples of `MemoryDisk` and `Faults`",
            "testing::FaultyDisk testing::FaultyWorkspace testing::cases testing::folder",
        ),
    ];
    expect_all("examples", without_example(api), &listed);
}

/// Returns what can be called or made and has no example: neither itself, nor one of its methods, nor a function that takes or
/// returns it, alone or as a field. An example of a type or a trait is one of its methods too. The suites of contracts are called
/// as the page on them says.
fn without_example(api: &Api) -> Vec<String> {
    let mut names = api.names();
    names.retain(|(path, _)| !path.starts_with("testing::contract::"));
    let is_function = |item: &Item<'_>| item.kind() == "function";
    let has_example = |item: Item<'_>| {
        let parts = item.fields().0.into_iter().chain(item.methods());
        parts.chain([item]).any(Item::has_example)
    };
    let mut shown = BTreeSet::new();
    for (_, item) in names.iter().filter(|(_, item)| has_example(*item)) {
        for function in item.methods().into_iter().chain([*item]).filter(is_function) {
            let mut ids = Vec::new();
            named(function.inner(), &mut ids);
            for taken in ids.into_iter().filter_map(|id| function.at(id)) {
                shown.insert(taken.key());
                let mut ids = Vec::new();
                taken.fields().0.into_iter().for_each(|field| named(field.inner(), &mut ids));
                shown.extend(ids.into_iter().filter_map(|id| taken.at(id)).map(Item::key));
            }
        }
    }
    let takes_itself = |item: &Item<'_>| item.inner()["sig"]["inputs"][0][0] == "self";
    those(names, |item| {
        let is_made = || item.methods().iter().any(|method| is_function(method) && !takes_itself(method));
        let is_entry = match item.kind() {
            "function" | "trait" => true,
            "struct" | "enum" => is_made(),
            _ => false,
        };
        is_entry && !has_example(item) && !shown.contains(&item.key())
    })
}

/// One way to words: `Display` prints them, `as_str` borrows those of a file, `FromStr` reads them back, and `From<&str>` where
/// each text is one.
#[test]
fn a_type_prints_its_words_by_display() {
    let Some(api) = &*API else { return };
    expect_all("own words", own_words(api), &[]);
}

fn own_words(api: &Api) -> Vec<String> {
    those(api.types(), |item| {
        let has = |words: &[&str]| {
            item.methods().iter().any(|method| words.iter().any(|word| method.value["name"] == *word))
        };
        has(&["word", "words", "explain", "of_word", "from_word"])
            || item.kind() == "enum" && has(&["as_str"]) && !item.implements("Display")
    })
}

/// Whoever copies an example writes the form that says who reads, and not three arguments of it.
#[test]
fn examples_state_access_in_the_short_form() {
    let root = noctuary_tests::root();
    let folders = ["src", "crates", "examples", "benches"].map(|folder| root.join(folder));
    let mut files = noctuary_tests::files_below(folders.to_vec());
    files.push(root.join("README.md"));
    files.retain(|file| file.extension().is_some_and(|end| end == "rs" || end == "md"));
    assert!(files.iter().any(|file| file.ends_with("src/manual/getting_started.md")), "the manual was found");
    let long = Regex::new(concat!(
        r"Access::new\(\s*(?:SessionKind::)?",
        r"(?:Main,\s*Actor::(?:Human|Agent)|(?:Shared|Subagent|Scheduled),\s*Actor::Agent)\b",
    ))
    .unwrap();
    assert!(long.is_match("Access::new(SessionKind::Main, Actor::Agent, scope)"));
    files.retain(|file| long.is_match(&fs::read_to_string(file).unwrap()));
    assert!(files.is_empty(), "{files:?}");
}

#[test]
fn each_planted_fault_is_named() {
    let api = planted();
    let lacks = |name| those(api.types(), move |item| !item.implements(name));
    assert_eq!(lacks("Sync"), ["Bad", "Worse", "Bad", "Kept"]);
    assert_eq!(lacks("Debug"), ["Bad", "Kept"]);
    assert_eq!(no_objects(&api), ["Odd"]);
    assert_eq!(shown_twice(&api), ["Worse", "room::Bad"]);
    assert_eq!(same_names(&api), ["Bad"]);
    assert_eq!([closed(&api, "struct"), closed(&api, "enum")], [vec!["Bad", "Worse"], vec!["Bad"]]);
    assert_eq!(foreign(&api), BTreeMap::from([("rusqlite", ["Bad", "Worse"].map(str::to_owned).into())]));
    let source =
        |of: &'static str| move |_: &str| format!("String\npub struct Bad {{\n    {of},\n}}\nString");
    assert_eq!(printed(&api, source("row: Vec<u8>")), ["Bad", "Worse"]);
    assert!(printed(&api, source("/// A String.")).is_empty());
    assert_eq!(without_example(&api), ["Bad", "Worse", "Odd"]);
    assert_eq!(own_words(&api), ["Bad", "Worse", "Bad"]);
    let listed =
        std::panic::catch_unwind(|| expect_all("planted", vec!["Bad".to_owned()], &[("why", "Gone")]));
    assert!(listed.is_err());
}
