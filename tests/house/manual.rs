//! The pages hold together: every link points to something that exists, and every page is to be found.
//!
//! Rustdoc checks links to code (`crate::…`); the rest is checked here.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

fn root() -> &'static Path {
    noctuary_tests::root()
}

fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The names of the pages in `src/manual`, without their `.md`.
fn pages() -> BTreeSet<String> {
    let files = fs::read_dir(root().join("src/manual")).unwrap().map(|entry| entry.unwrap().file_name());
    files.filter_map(|file| Some(file.to_str()?.strip_suffix(".md")?.to_owned())).collect()
}

/// The documents whose links are checked, relative to the root.
fn documents() -> Vec<PathBuf> {
    let mut documents: Vec<PathBuf> =
        ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"].map(PathBuf::from).to_vec();
    documents.extend(pages().into_iter().map(|page| format!("src/manual/{page}.md").into()));
    let mut folders = vec![root().join("examples")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.file_name().is_some_and(|name| name == "README.md") {
                documents.push(path.strip_prefix(root()).unwrap().to_owned());
            }
        }
    }
    documents
}

/// The links of a markdown text, and the anchors of its headings as rustdoc and GitHub make them.
struct Outline {
    links: Vec<String>,
    anchors: BTreeSet<String>,
}

fn outline(text: &str) -> Outline {
    let (mut links, mut anchors, mut heading) = (Vec::new(), BTreeSet::new(), None::<String>);
    for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                links.push(dest_url.into_string());
            }
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::End(TagEnd::Heading(_)) => {
                let slug = slug(&heading.take().unwrap_or_default());
                let taken = (1..).map(|n| format!("{slug}-{n}"));
                let is_free = |slug: &String| !anchors.contains(slug) && !OF_RUSTDOC.contains(&slug.as_str());
                let free = std::iter::once(slug.clone()).chain(taken).find(is_free);
                anchors.extend(free);
            }
            Event::Text(text) | Event::Code(text) => {
                if let Some(heading) = &mut heading {
                    heading.push_str(&text);
                }
            }
            _ => {}
        }
    }
    Outline { links, anchors }
}

/// Anchors that rustdoc has for itself: a heading of that name gets another one.
const OF_RUSTDOC: [&str; 8] =
    ["fields", "help", "implementations", "implementors", "main-content", "search", "settings", "variants"];

fn slug(heading: &str) -> String {
    let kept = heading.trim().chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect()
}

/// Returns the fault of a link in `document`, if it has one.
fn fault(document: &Path, link: &str, outlines: &BTreeMap<PathBuf, Outline>) -> Option<String> {
    let has_anchor = |path: &Path, anchor: &str| {
        outlines.get(path).is_some_and(|outline| anchor.is_empty() || outline.anchors.contains(anchor))
    };
    let page = |page: &str| PathBuf::from(format!("src/manual/{page}.md"));
    let (target, anchor) = link.split_once('#').unwrap_or((link, ""));
    if let Some(item) = target.strip_prefix("crate::") {
        // rustdoc says whether the item is there, and nothing of the anchor.
        let is_ours = item.strip_prefix("manual::").is_none_or(|name| has_anchor(&page(name), anchor));
        return (!is_ours).then(|| "no such page or heading".to_owned());
    }
    if let Some(path) = target.strip_prefix("https://docs.rs/noctuary/") {
        let Some(inside) = path.strip_prefix("latest/noctuary/") else {
            return Some("not the latest documentation".to_owned());
        };
        if inside.is_empty() {
            return (!has_anchor(Path::new("README.md"), anchor)).then(|| "no such heading".to_owned());
        }
        let Some(name) = inside.strip_prefix("manual/") else {
            return Some("no page of the manual".to_owned());
        };
        let name = name.trim_end_matches("index.html").trim_end_matches('/');
        let found = name.is_empty() || has_anchor(&page(name), anchor);
        return (!found).then(|| "no such page or heading".to_owned());
    }
    if target.contains("://") {
        let is_whole = target.starts_with("https://") && target.len() > "https://x.y".len();
        return (!is_whole).then(|| "not an address that a reader should follow".to_owned());
    }
    if target.is_empty() {
        return (!has_anchor(document, anchor)).then(|| "no such heading".to_owned());
    }
    let path = root().join(document).parent().unwrap().join(target);
    (!path.exists()).then(|| "no such file".to_owned())
}

#[test]
fn every_link_points_to_something() {
    let outlines: BTreeMap<PathBuf, Outline> =
        documents().into_iter().map(|document| (document.clone(), outline(&read(&document)))).collect();
    let mut wrong = Vec::new();
    for (document, outline) in &outlines {
        for link in &outline.links {
            if let Some(fault) = fault(document, link, &outlines) {
                wrong.push(format!("{}: {link}: {fault}", document.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    let checked: usize = outlines.values().map(|outline| outline.links.len()).sum();
    assert!(checked > 300, "the pages have links, and {checked} were found");
}

#[test]
fn a_link_to_nothing_is_seen() {
    let text = "# One thing, `two`\n\n# Search\n\n[s](#search) [a](#one-thing-two) [b](#three) [c](gone.md) [d](crate::manual::night#no-such)\n\
                [e](https://docs.rs/noctuary/latest/noctuary/manual/gone/) [f](http://a.b) [g](Cargo.toml)\n\
                | t |\n|---|\n| [h](crate::manual::gone) |\n";
    let document = PathBuf::from("page.md");
    let night = outline(&read("src/manual/night.md"));
    let outlines =
        BTreeMap::from([(document.clone(), outline(text)), (PathBuf::from("src/manual/night.md"), night)]);
    let links = &outlines[&document].links;
    let wrong: Vec<&str> =
        links.iter().filter(|link| fault(&document, link, &outlines).is_some()).map(String::as_str).collect();
    let gone = "https://docs.rs/noctuary/latest/noctuary/manual/gone/";
    assert_eq!(
        wrong,
        [
            "#search",
            "#three",
            "gone.md",
            "crate::manual::night#no-such",
            gone,
            "http://a.b",
            "crate::manual::gone"
        ]
    );
}

#[test]
fn every_page_is_registered_and_named_on_the_front_page() {
    let front = read("src/manual/mod.rs");
    for page in pages() {
        assert!(
            front.contains(&format!("include_str!(\"{page}.md\")")),
            "{page}.md is no part of the manual"
        );
        assert!(front.contains(&format!("pub mod {page} {{}}")), "{page} has no module");
        let named =
            front.lines().any(|line| line.starts_with("//! |") && line.contains(&format!("[`{page}`]")));
        assert!(named, "the front page does not name {page}");
    }
}

/// The words in the code spans of the first column of the tables of a page.
fn first_column(page: &str) -> BTreeSet<String> {
    let rows = page.lines().filter_map(|line| line.strip_prefix("| "));
    let cells = rows.filter_map(|row| row.split(" | ").next());
    cells.flat_map(|cell| cell.split('`').skip(1).step_by(2)).map(str::to_owned).collect()
}

#[test]
fn the_page_on_nights_has_a_row_for_every_word_that_a_report_may_say() {
    let page = read("src/manual/night.md");
    let named = first_column(&page);
    let files = ["failure", "journal", "line", "notice", "outcome"];
    let source: String = files.map(|file| read(format!("src/dreamer/{file}.rs"))).concat();
    let variants = |name: &str| -> Vec<String> {
        let (_, body) = source.split_once(&format!("pub enum {name} {{\n")).expect("the enum");
        let (body, _) = body.split_once("\n}").expect("its end");
        let lines = body.lines().filter_map(|line| line.strip_prefix("    "));
        let variants = lines.filter(|line| line.starts_with(char::is_uppercase));
        variants.map(|line| line.split(|c: char| !c.is_alphanumeric()).next().unwrap().to_owned()).collect()
    };
    let mut missing = Vec::new();
    for name in ["Failure", "Notice", "LineOutcome"] {
        let known = |variant: &String| {
            named.iter().any(|word| word.split(['(', ' ']).next() == Some(variant.as_str()))
        };
        missing.extend(variants(name).into_iter().filter(|variant| !known(variant)));
    }
    for reason in variants("HoldReason") {
        if !named.contains(&format!("Held({reason})")) && !named.contains(&reason) {
            missing.push(reason);
        }
    }
    for outcome in variants("Outcome") {
        if !page.contains(&format!("` | `{outcome}` | ")) {
            missing.push(outcome);
        }
    }
    for mode in variants("DreamMode") {
        if !named.contains(&mode) {
            missing.push(mode);
        }
    }
    assert!(missing.is_empty(), "the page does not say what to do about {missing:?}");
}

/// Returns the doc lines of a field of a struct, as one line.
fn field_docs(source: &str, of: &str, field: &str) -> String {
    let (_, body) = source.split_once(&format!("pub struct {of} {{\n")).expect("the struct");
    let (above, _) = body.split_once(&format!("    pub {field}: ")).unwrap_or_else(|| panic!("{of}.{field}"));
    let lines: Vec<&str> = above.lines().rev().map_while(|line| line.trim().strip_prefix("///")).collect();
    lines.into_iter().rev().collect::<Vec<_>>().join(" ")
}

#[test]
fn every_setting_of_a_night_says_its_default_where_it_is_declared() {
    use noctuary::DreamConfig;
    use noctuary::dream::{BackOff, SectionCaps};
    use noctuary::workspace::ClaimTerms;

    let config = DreamConfig::default();
    let (claim, section) = (ClaimTerms::default(), SectionCaps::default());
    let back_off = config.budget.back_off.unwrap_or(BackOff { first: claim.ttl, most: claim.ttl });
    let switch = |is_on: bool| if is_on { "On" } else { "Off" }.to_owned();
    let count = |number: u32| number.to_string();
    let hours = |time: std::time::Duration| format!("{} hours", time.as_secs() / 3600);
    let minutes = |time: std::time::Duration| format!("{} minutes", time.as_secs() / 60);
    let kib = |bytes: u64| format!("{} KiB", bytes >> 10);
    let settings = [
        ("DreamConfig", "enabled", switch(config.enabled)),
        ("DreamConfig", "mode", format!("`{:?}`", config.mode)),
        ("DreamConfig", "interval", hours(config.interval)),
        ("DreamConfig", "total_input_bytes", kib(config.total_input_bytes)),
        ("DreamConfig", "max_file_bytes", kib(config.max_file_bytes)),
        ("DreamConfig", "memory_bytes", kib(config.memory_bytes as u64)),
        ("DreamConfig", "window_days", count(config.window_days.unwrap())),
        ("DreamConfig", "max_passes", count(config.max_passes)),
        ("DreamConfig", "max_tries", count(config.max_tries)),
        ("DreamConfig", "read_past_quarantine", switch(config.read_past_quarantine)),
        ("DreamConfig", "evidence", format!("`{:?}`", config.evidence)),
        ("DreamConfig", "trust", format!("`{:?}`", config.trust)),
        ("DreamConfig", "statements_only", switch(config.statements_only)),
        ("DreamConfig", "briefing", switch(config.briefing)),
        ("DreamConfig", "memory_budget", "10,000".to_owned()),
        ("DreamConfig", "over_budget", format!("`{:?}`", config.over_budget)),
        ("DreamConfig", "insist", switch(config.insist)),
        ("DreamConfig", "max_proposals", count(config.max_proposals)),
        (
            "DreamConfig",
            "proposal_max_age",
            format!("{} days", config.proposal_max_age.unwrap().as_secs() / 86_400),
        ),
        ("ClaimTerms", "ttl", minutes(claim.ttl)),
        ("ClaimTerms", "max_hold", hours(claim.max_hold)),
        ("ClaimTerms", "settle", format!("{} second", claim.settle.as_secs())),
        ("ClaimTerms", "allow_network", switch(claim.allow_network)),
        ("SectionCaps", "items", section.items.to_string()),
        ("SectionCaps", "item_chars", section.item_chars.to_string()),
        ("SectionCaps", "bytes", kib(section.bytes as u64)),
        ("CallBudget", "max_calls_per_day", count(config.budget.max_calls_per_day.unwrap())),
        ("CallBudget", "max_bytes_per_day", format!("`{:?}`", config.budget.max_bytes_per_day)),
        ("CallBudget", "max_tokens_per_day", format!("`{:?}`", config.budget.max_tokens_per_day)),
        ("CallBudget", "max_output_tokens", "4,096".to_owned()),
        ("BackOff", "first", minutes(back_off.first)),
        ("BackOff", "most", hours(back_off.most)),
    ];
    let files =
        ["dream/journal/config.rs", "workspace/claim.rs", "dream/engine/caps.rs", "dream/engine/budget.rs"];
    let source: String = files.map(|file| read(format!("src/{file}"))).concat();
    for (of, field, default) in settings {
        let docs = field_docs(&source, of, field);
        assert!(docs.contains(&default), "{of}.{field} is {default} by default, and says: {docs}");
    }
    assert_eq!((config.memory_budget, config.budget.max_output_tokens), (10_000, Some(4096)));
}

#[test]
fn the_page_on_models_knows_how_long_the_instructions_are() {
    use noctuary::dream::Step;
    use noctuary::{Dreamer, FileWorkspace, JournalDreamer};

    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("memory")).unwrap();
    fs::write(folder.path().join("memory/2026-11-20-repl.md"), "[user] I prefer tea.\n").unwrap();
    let workspace = std::sync::Arc::new(FileWorkspace::open(folder.path()).unwrap());
    let dreamer = JournalDreamer::builder(workspace).enabled(true).build().unwrap();
    let Step::Ask(pass) = dreamer.begin("2026-11-21T03:00:00Z".parse().unwrap()).unwrap() else {
        panic!("there is something to ask")
    };
    let bytes = pass.request().system.len();
    let page = read("src/manual/models.md");
    let (thousands, rest) = (bytes / 1000, bytes % 1000);
    for printed in
        [format!("| instructions | {thousands},{rest:03} |"), format!("({thousands},{rest:03} + bytes")]
    {
        assert!(page.contains(&printed), "the instructions have {bytes} bytes");
    }
}

/// A life, and which of its files are restored.
type Part<'a> = (&'a Path, &'a dyn Fn(&str) -> bool);

/// Copies a life file by file, with its times of change, as far as `takes` says.
fn restore(from: &Path, to: &Path, takes: impl Fn(&str) -> bool) {
    let mut folders = vec![from.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let inside = path.strip_prefix(from).unwrap();
            if path.is_dir() {
                folders.push(path);
            } else if takes(&inside.to_string_lossy().replace('\\', "/")) {
                let target = to.join(inside);
                fs::create_dir_all(target.parent().unwrap()).unwrap();
                fs::copy(&path, &target).unwrap();
                let modified = fs::metadata(&path).unwrap().modified().unwrap();
                fs::File::options().append(true).open(target).unwrap().set_modified(modified).unwrap();
            }
        }
    }
}

/// A night over a folder, in which the model, where it is asked, says `answer`.
fn night(folder: &Path, answer: &str) -> noctuary::DreamReport {
    use noctuary::{FileWorkspace, JournalDreamer, LlmReply, dream_once_at, llm_fn};

    let workspace = std::sync::Arc::new(FileWorkspace::open(folder).unwrap());
    let dreamer = JournalDreamer::builder(workspace).enabled(true).build().unwrap();
    let now = "2026-11-22T03:00:00Z".parse().unwrap();
    dream_once_at(&dreamer, &llm_fn(|_| Ok(LlmReply::new(answer))), &|| now).unwrap()
}

#[test]
fn a_restored_life_goes_on_as_the_page_on_durability_says() {
    use noctuary::dream::{LineOutcome, Notice, ReadReason};
    use noctuary::workspace::{Claim, ClaimTerms};
    use noctuary::{FileWorkspace, Outcome, Workspace};

    const FRIDAYS: &str = "### Decisions\n- Releases go out on Fridays. (memory/2026-11-20-repl.md#L1)\n";
    let (before, after) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fs::create_dir(before.path().join("memory")).unwrap();
    let journal = before.path().join("memory/2026-11-20-repl.md");
    fs::write(&journal, "[user] Releases go out on Fridays.\n").unwrap();
    let long_ago = "2026-11-20T10:00:00Z".parse::<chrono::DateTime<chrono::Utc>>().unwrap();
    fs::File::options().append(true).open(journal).unwrap().set_modified(long_ago.into()).unwrap();
    restore(before.path(), after.path(), |_| true);
    assert_eq!(night(after.path(), FRIDAYS).outcome, Outcome::Appended);
    let is_dotted = |name: &str| name.starts_with('.');
    let made_of = |parts: &[Part<'_>]| {
        let life = tempfile::tempdir().unwrap();
        for (from, takes) in parts {
            restore(from, life.path(), takes);
        }
        life
    };

    // Everything, of one moment, also with the lock of a holder that is not there.
    let held = FileWorkspace::open(after.path()).unwrap();
    let Claim::Granted(lease) = held.claim(&ClaimTerms::default()).unwrap() else { panic!("nobody dreams") };
    let life = made_of(&[(after.path(), &|_| true)]);
    lease.release().unwrap();
    assert!(life.path().join(".dreaming.lock").exists(), "it was copied while it was held");
    assert_eq!(night(life.path(), "not asked").outcome, Outcome::NothingNew);

    // The markdown alone: dreamed again, and what is said in the same words is dropped.
    let life = made_of(&[(after.path(), &|name| !is_dotted(name))]);
    assert_eq!(night(life.path(), "not asked").outcome, Outcome::AlreadyPromoted, "nothing was added to it");
    let life = made_of(&[(after.path(), &|name| !is_dotted(name))]);
    let added = life.path().join("memory/2026-11-20-repl.md");
    fs::write(added, "[user] Releases go out on Fridays.\n[user] I prefer tea.\n").unwrap();
    let report = night(life.path(), FRIDAYS);
    assert_eq!((report.outcome, report.calls), (Outcome::NothingToPromote, 1));
    assert_eq!(report.passes[0].lines[0].fate, LineOutcome::Duplicate);

    // The markdown with its times, and the watermark: ours says nothing of what was shown, and a peer's is believed.
    let life = made_of(&[(after.path(), &|name| !is_dotted(name) || name == ".dreamed-state.json")]);
    assert_eq!(night(life.path(), "not asked").outcome, Outcome::AlreadyPromoted);
    let life = made_of(&[(after.path(), &|name| !is_dotted(name))]);
    let now = "2026-11-21T00:00:00Z".parse::<chrono::DateTime<chrono::Utc>>().unwrap().timestamp_millis();
    let state = format!("{{\"version\":1,\"last_processed_mtime\":{now}}}");
    fs::write(life.path().join(".dreamed-state.json"), state).unwrap();
    let report = night(life.path(), "not asked");
    assert_eq!((report.outcome, report.journals[0].reason), (Outcome::NothingNew, ReadReason::DreamedByPeer));

    // An older MEMORY.md beside newer dot files.
    let life = made_of(&[(before.path(), &|_| true), (after.path(), &|name| is_dotted(name))]);
    let report = night(life.path(), "not asked");
    assert_eq!(report.outcome, Outcome::NothingNew);
    assert!(matches!(report.notices[0], Notice::SectionMissing(_)), "{:?}", report.notices);

    // A newer one beside older dot files, of which there were none.
    let life = made_of(&[(before.path(), &|_| true), (after.path(), &|name| name == "MEMORY.md")]);
    assert_eq!(night(life.path(), "not asked").outcome, Outcome::AlreadyPromoted);
}

/// The cells of the table under the line `head`, row by row.
fn table(page: &str, head: &str) -> Vec<Vec<String>> {
    let rows = page.lines().skip_while(|line| *line != head).skip(2);
    let rows = rows.take_while(|line| line.starts_with('|'));
    rows.map(|row| row.trim_matches('|').split(" | ").map(|cell| cell.trim().to_owned()).collect()).collect()
}

#[test]
fn the_table_of_who_may_do_what_is_what_a_view_does() {
    use noctuary::life::Guarded;
    use noctuary::workspace::{Name, StateName};
    use noctuary::{Access, Actor, DocName, Error, FileWorkspace, Scope, SessionKind, Workspace, WriteMode};

    let folder = tempfile::tempdir().unwrap();
    let workspace = FileWorkspace::open(folder.path()).unwrap();
    let document = |name: &str| Name::from(DocName::parse(name).unwrap());
    let page = read("src/manual/privacy.md");
    let rows = table(&page, "| Document | `Main` | `Shared`, `Subagent` | `Scheduled` |");
    assert_eq!(rows.len(), 10);
    for row in rows {
        let names: Vec<Name> = match row[0].as_str() {
            "`BOOTSTRAP.md*`" => {
                vec![document("BOOTSTRAP.md"), document("BOOTSTRAP.md.done.20261121T091405Z")]
            }
            "`TOOLS.md`, and any other document" => vec![document("TOOLS.md"), document("projects/plan.md")],
            "journals of private sessions" => {
                vec![document("memory/2026-11-20-repl.md"), document("daily/2026-11-20.md")]
            }
            other if other.starts_with("journals of sessions with others") => {
                vec![document("memory/2026-11-20-shared.team.md")]
            }
            other if other.starts_with("the library's files") => vec![StateName::LEDGER.into()],
            other => other.split(", ").map(|name| document(name.trim_matches('`'))).collect(),
        };
        let cell = |at: usize| {
            let said = if row[at] == "the same" { &row[at - 1] } else { &row[at] };
            said.split(['(', ';']).next().unwrap().trim().to_owned()
        };
        for (kind, told) in [
            (SessionKind::Main, cell(1)),
            (SessionKind::Shared, cell(2)),
            (SessionKind::Subagent, cell(2)),
            (SessionKind::Scheduled, cell(3)),
        ] {
            for name in &names {
                let view = Guarded::new(&workspace, Access::new(kind, Actor::Agent, Scope::user("marta")));
                let may = |done: Result<(), Error>| !matches!(done, Err(Error::Denied { .. }));
                let verbs = [
                    ("read", may(view.read(name).map(drop))),
                    ("append", may(view.append(name, b"- a note\n"))),
                    ("write", may(view.write(name, b"- a note\n", WriteMode::Replace).map(drop))),
                ];
                let allowed: Vec<&str> =
                    verbs.iter().filter(|(_, may)| *may).map(|(verb, _)| *verb).collect();
                let allowed = if allowed.is_empty() { "nothing".to_owned() } else { allowed.join(", ") };
                assert_eq!(allowed, told, "{name} in a {kind:?} session");
            }
        }
    }
}

#[test]
fn the_table_of_presets_is_what_the_presets_are() {
    use noctuary::LifeConfig;
    use noctuary::life::Preset;

    let page = read("src/manual/bot.md");
    let rows = table(&page, "| Preset | Other than by default |");
    let value = |config: &LifeConfig, field: &str| match field {
        "boot" => format!("{:?}", config.boot),
        "seed" => format!("{:?}", config.seed),
        "bootstrap_end" => format!("{:?}", config.bootstrap_end),
        "end_failed_bootstrap" => config.end_failed_bootstrap.to_string(),
        "daily_log.enabled" => config.daily_log.enabled.to_string(),
        "naming" => format!("{:?}", config.naming),
        "heartbeat.enabled" => config.heartbeat.enabled.to_string(),
        "shared_user" => format!("{:?}", config.shared_user),
        "bootstrap" => format!("{:?}", config.bootstrap),
        "prompt.max_user_chars" => config.prompt.max_user_chars.to_string(),
        "prompt.order" => format!("{:?}", config.prompt.order),
        "prompt.requires_soul" => config.prompt.requires_soul.to_string(),
        "hygiene.enabled" => config.hygiene.enabled.to_string(),
        "retention.without_dreams" => config.retention.without_dreams.to_string(),
        "retention.most" => format!("{:?}", config.retention.most),
        other => panic!("no such field: {other}"),
    };
    let fields = [
        "boot",
        "seed",
        "bootstrap",
        "bootstrap_end",
        "end_failed_bootstrap",
        "daily_log.enabled",
        "naming",
        "heartbeat.enabled",
        "shared_user",
        "prompt.order",
        "prompt.max_user_chars",
        "prompt.requires_soul",
        "hygiene.enabled",
        "retention.most",
        "retention.without_dreams",
    ];
    let default = LifeConfig::default();
    assert_eq!(LifeConfig::preset(Preset::Default), default);
    let presets =
        [Preset::Minara, Preset::OpenSeed, Preset::Rfc0009Strict, Preset::OpenClaw, Preset::IronClaw];
    assert_eq!(rows.len(), presets.len());
    for (row, preset) in rows.iter().zip(presets) {
        assert_eq!(row[0], format!("`{preset:?}`"));
        let config = LifeConfig::preset(preset);
        let words: Vec<&str> = row[1].split('`').skip(1).step_by(2).collect();
        let told: BTreeMap<&str, &str> = words.chunks(2).map(|pair| (pair[0], pair[1])).collect();
        let other: BTreeMap<&str, String> = fields
            .into_iter()
            .map(|field| (field, value(&config, field)))
            .filter(|(field, value_of)| *value_of != value(&default, field))
            .collect();
        let other: BTreeMap<&str, &str> =
            other.iter().map(|(field, value)| (*field, value.as_str())).collect();
        assert_eq!(told, other, "{preset:?}");
    }
}

/// Rustdoc shows a picture only where it is in the page itself.
#[test]
fn the_pictures_of_the_manual_are_those_of_the_folder() {
    let folder = root().join("src/manual/pictures");
    let mut shown = 0;
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let picture = fs::read(root().join(format!("pictures/{name}.png"))).unwrap();
        assert_eq!(picture.get(1..4), Some(&b"PNG"[..]), "{name}");
        let text = data_encoding::BASE64.encode(&picture);
        assert_eq!(fs::read_to_string(&path).unwrap(), text, "{name}: make it anew from the picture");
        assert!(read("src/manual/mod.rs").contains(&format!("pictures/{name}.b64")), "{name} is on no page");
        shown += 1;
    }
    assert_eq!(shown, 2);
}
