//! The public API as a whole, read out of the sources, so that what is added later is asked the same.

#![expect(clippy::unwrap_used, reason = "helpers of a test")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use noctuary::Workspace;
use regex::Regex;

/// An item at the left margin of a source file, with its attributes and its documentation.
struct Item {
    kind: String,
    name: String,
    attributes: String,
    docs: String,
    body: String,
}

/// The sources of the crate, and what it exports.
struct Api {
    files: BTreeMap<String, String>,
    /// Name in the crate, and the item.
    exported: BTreeMap<String, Item>,
    /// The inherent implementations of each type.
    methods: BTreeMap<String, String>,
}

static API: LazyLock<Api> = LazyLock::new(|| {
    let source = noctuary_tests::root().join("src");
    let mut files = BTreeMap::new();
    collect(&source, &source, &mut files);
    let mut all: BTreeMap<String, Vec<(&str, Item)>> = BTreeMap::new();
    for (file, text) in &files {
        for item in items(text) {
            all.entry(item.name.clone()).or_default().push((file, item));
        }
    }
    let mut exported = BTreeMap::new();
    for (list, room) in fronts(&files) {
        let prefix = if room == "testing" { "testing::" } else { "" };
        for (module, name) in uses(&files[&list]) {
            let place = match module.strip_prefix("crate::") {
                Some(module) => module.to_owned(),
                None if room.is_empty() => module,
                None => format!("{room}::{module}"),
            };
            let place = place.replace("::", "/");
            let found = all.get_mut(&name).unwrap_or_else(|| panic!("{name} is no item"));
            let inside = |file: &str| {
                file.strip_prefix(&place).is_some_and(|rest| rest == ".rs" || rest.starts_with('/'))
            };
            // Else the module passes it on.
            let at = found.iter().position(|(file, _)| inside(file)).unwrap_or(0);
            exported.insert(format!("{prefix}{name}"), found.remove(at).1);
        }
        if !room.is_empty() && prefix.is_empty() {
            for item in items(&files[&list]).into_iter().filter(|item| item.kind != "mod") {
                exported.insert(item.name.clone(), item);
            }
        }
    }
    let of = Regex::new(r"(?m)^impl(?:<.*?>)? (\w+)(?:<.*>)? \{$").unwrap();
    let mut methods: BTreeMap<String, String> = BTreeMap::new();
    for text in files.values() {
        for parts in of.captures_iter(text) {
            let whole = text[parts.get(0).unwrap().end()..].split("\n}").next().unwrap();
            *methods.entry(parts[1].to_owned()).or_default() += whole;
        }
    }
    Api { files, exported, methods }
});

/// The root, and the rooms that it opens: file and name.
fn fronts(files: &BTreeMap<String, String>) -> Vec<(String, String)> {
    let room = Regex::new(r"(?m)^pub mod (\w+);").unwrap();
    let mut fronts = vec![("lib.rs".to_owned(), String::new())];
    for parts in room.captures_iter(&files["lib.rs"]).filter(|parts| &parts[1] != "manual") {
        let whole = format!("{}.rs", &parts[1]);
        let file = if files.contains_key(&whole) { whole } else { format!("{}/mod.rs", &parts[1]) };
        fronts.push((file, parts[1].to_owned()));
    }
    fronts
}

impl Api {
    fn of_kind<'a>(&'a self, kinds: &'a [&str]) -> impl Iterator<Item = (&'a str, &'a Item)> {
        let entries = self.exported.iter().map(|(name, item)| (name.as_str(), item));
        entries.filter(|(_, item)| kinds.contains(&item.kind.as_str()))
    }

    fn methods_of(&self, name: &str) -> &str {
        self.methods.get(name.rsplit("::").next().unwrap()).map_or("", String::as_str)
    }
}

fn collect(root: &Path, folder: &Path, files: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path: PathBuf = entry.unwrap().path();
        if path.is_dir() {
            collect(root, &path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let name = path.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/");
            let text = fs::read_to_string(&path).unwrap();
            files.insert(name, text.split("#[cfg(test)]\nmod tests").next().unwrap().to_owned());
        }
    }
}

/// Returns the exports of a file from its modules: module and name.
fn uses(text: &str) -> Vec<(String, String)> {
    let export = Regex::new(r"(?m)^pub use ((?:\w+::)*\w+)::(?:\{([^}]*)\}|(\w+));").unwrap();
    let mut found = Vec::new();
    for parts in export.captures_iter(text) {
        let names = parts.get(2).or_else(|| parts.get(3)).unwrap().as_str();
        for name in names.split(',').map(str::trim).filter(|name| !name.is_empty()) {
            found.push((parts[1].to_owned(), name.to_owned()));
        }
    }
    found
}

fn items(text: &str) -> Vec<Item> {
    let head = Regex::new(r"^pub (?:async )?(struct|enum|trait|type|const|fn|mod) (\w+)").unwrap();
    let (mut docs, mut attributes) = (String::new(), String::new());
    let mut found = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some(doc) = line.strip_prefix("///") {
            docs += doc;
            docs.push('\n');
        } else if line.starts_with("#[") || line.starts_with(' ') || [")]", "]"].contains(&line) {
            attributes += line;
        } else if let Some(parts) = head.captures(line) {
            let (kind, name) = (parts[1].to_owned(), parts[2].to_owned());
            let mut body = line.to_owned();
            let mut last = line;
            while !(last.ends_with(';') || last.ends_with('}')) || last.starts_with(' ') {
                let Some(next) = lines.next() else { break };
                last = next;
                body.push('\n');
                body += last;
            }
            let (docs, attributes) = (std::mem::take(&mut docs), std::mem::take(&mut attributes));
            found.push(Item { kind, name, attributes, docs, body });
        } else {
            docs.clear();
            attributes.clear();
        }
    }
    found
}

/// Compares what is listed here with what is there.
fn expect_all<'a>(what: &str, there: impl Iterator<Item = &'a str>, listed: &[&str]) {
    let (there, listed): (BTreeSet<&str>, BTreeSet<&str>) =
        (there.collect(), listed.iter().copied().collect());
    let missing: Vec<_> = there.difference(&listed).collect();
    assert!(missing.is_empty(), "{what}: say here how it is with {missing:?}");
    let gone: Vec<_> = listed.difference(&there).collect();
    assert!(gone.is_empty(), "{what}: these are listed without need: {gone:?}");
}

fn may_be_shared<T: Send + Sync + Debug>() {}
fn may_be_sent<T: Send + Debug>() {}

macro_rules! shared {
    (testing: $($name:ident)*) => {{
        $(may_be_shared::<noctuary::testing::$name>();)* [$(concat!("testing::", stringify!($name))),*]
    }};
    ($room:ident: $($name:ident)*) => {{ $(may_be_shared::<noctuary::$room::$name>();)* [$(stringify!($name)),*] }};
    (: $($name:ident)*) => {{ $(may_be_shared::<noctuary::$name>();)* [$(stringify!($name)),*] }};
}

/// A trait that is no object does not compile here.
macro_rules! objects {
    ($room:ident: $($name:ident)*) => {{
        $(let _: Option<&dyn noctuary::$room::$name> = None;)* [$(stringify!($name)),*]
    }};
    (: $($name:ident)*) => {{ $(let _: Option<&dyn noctuary::$name> = None;)* [$(stringify!($name)),*] }};
}

type View = Arc<dyn Workspace>;
type Ask = fn(&noctuary::LlmRequest) -> Result<noctuary::LlmReply, noctuary::LlmError>;
type Latest = fn(usize) -> noctuary::Result<Vec<noctuary::dream::HistoryItem>>;

/// The types of the rooms about rows and texts.
fn types_of_words() -> Vec<&'static str> {
    let mut listed: Vec<&str> = Vec::new();
    listed.extend(shared!(artifacts:
        Artifact ArtifactAudit ArtifactData ArtifactEvent ArtifactEventName ArtifactFilter ArtifactId ArtifactKind ArtifactPage
        ArtifactStatus ArtifactUri ChartPicture Materialised Materialiser NewArtifact SvgCharts
    ));
    listed.extend(shared!(edges:
        Cited CitedSource Edge Entity Mention Neighbor Neighborhood Passage TextEdges TopEntity
    ));
    listed.extend(shared!(pages:
        Citation CompiledPage Contradiction PageConstraint PageLine PageMethod PageParts Pages
    ));
    listed.extend(shared!(postgres:
        Postgres PostgresArtifactStore PostgresConfig PostgresIndex PostgresMemoryStore PostgresTls
        PostgresWorkspace
    ));
    listed.extend(shared!(format:
        Checks DayLog DreamId DreamedState Entry Fields Heartbeat HeartbeatFile Identity JournalName
        Mark NoteKind Observation Observations OnboardingEnd Origin Profile Quarantine
        QuarantineEntry QuarantinedFile SourceRef UnknownMark UnknownNoteKind UnknownOrigin
    ));
    listed.extend(shared!(memory:
        AuditEntry AuditOutcome Degraded EventName Filter Found Hit IndexProgress IndexState Learning LearningId Memory MemoryEvent MemoryId
        NewLearning NewMemory Order Packed Place PlaceReceipt Query QueryVector Reached Role SearchOutcome Shares Signal SnapshotRow Source
        Stale Syntax
    ));
    listed
}

#[test]
#[expect(clippy::too_many_lines, reason = "a list")]
fn every_type_may_be_sent_and_shared_and_printed() {
    let mut listed = types_of_words();
    listed.extend(shared!(:
        Access Actor DocName DreamConfig DreamReport Error Extractive FileArtifactStore FileMemoryStore FileWorkspace
        JournalDreamer Life LifeConfig LlmError LlmReply LlmRequest Note Outcome Scope SecretGate
        Session SessionKind SqliteArtifactStore SqliteIndex SqliteMemoryStore SqliteWorkspace WriteMode
    ));
    listed.extend(shared!(dream:
        BackOff Backlog Blamed CallBudget Charge DreamMode DreamProposal DreamRecord DreamStanding DreamSurvey
        DropReason Dropped Due Evidence FactDreamConfig FactDreamer FactDreamerBuilder FactReport
        FactRuling Failure HistoryItem Hold HoldReason JournalDreamerBuilder JournalReport
        JournalSpan LeftPair LeftReason Level LineReport MemoryGauge NotDue Notice OverBudget Pace
        PassReport PersonalizationConfig PersonalizationDreamer PersonalizationDreamerBuilder
        LineOutcome ProposalEnd ProposalReport ReadReason RoleConfig RoleDreamer RoleDreamerBuilder RulingOutcome SectionCaps ShownSlice Trust
    ));
    listed.extend(shared!(doctor:
        AnonymousFinding Apply Doctor DoctorFinding Examination FindingKind FixAction Fixed Health
    ));
    listed.extend(shared!(exchange:
        Bundle BundleAction BundleItem BundleKey BundlePlan Channel CopiesReport Dialect DocumentReceipt EraseReceipt FeedReport Foreign ForgetPlace ForgetReceipt
        Import ImportAction ImportItem ImportPlan ImportRefusal ImportReport MergeConflict MergeConflictKind MergePlan MergeReport
        Presence SecretAudit Strikes TravelFile
    ));
    listed.extend(shared!(facts:
        Cardinality ConsolidationEvent Decision EventId EventOutcome Fact FactConfig FactKey
        FactState FactStatus Recorded Settled StatusChange Superseded Suspect SuspectReason Suspicion UnknownFactState
        Verdict
    ));
    listed.extend(shared!(files:
        FileKey FileLimits Lifted LocalFileStore MessageFiles NewFile ObjectFileStore ObjectSettings
        ObjectStorage Provider Removal StoredFile TableLimits TableText
    ));
    listed.extend(shared!(finance:
        Fill FinanceEdges FinanceEntities MirrorSource Mirrored SpotActivity SyncConfig SyncDue SyncState TradeHistory
    ));
    listed.extend(shared!(gate:
        Allow Confidence Cure Door DoorPolicy DoorWarning Doors Finding GateFinding Injection
        InjectionPolicy SecretPolicy Strictness Tombstone TombstoneKey Tombstones View
    ));
    listed.extend(shared!(learning:
        Approval Case CaseId Constraint Ending LearningConfig Method MethodId NewMethod NewOutcome NewPreference
        NewRoleNote Preference PreferenceId PreferenceKind PreferenceState Reflection Reported RoleClass RoleNote RoleNoteId
    ));
    listed.extend(shared!(life:
        Beat Block Boot BootPolicy BootState BootstrapEnd BootstrapOutcome CacheHint Completion Consent
        ContextConfig DailyLogConfig Duty Exhibit GroupName HeartbeatConfig HygieneConfig Journal JournalNaming MemoryContext
        LeftOut LeftOutReason ReceiptConfig ReplySource Shown ShownBy ShownRules Standing Why
        Onboarding Preset Prompt PromptConfig PromptNotice PromptOrder Proposal QuietHours Retention
        RetentionPlan SeedReport SeedSet SharedUser Snapshot Soul SoulNotice SoulPolicy StartStep
        SyncReport TurnEnd TurnOutcome TurnReport Undreamed Unreadable
    ));
    listed.extend(shared!(model:
        ChatCompletions Finish HttpEmbedder HttpReranker Unpicked UnpickedReason Usage
    ));
    listed.extend(shared!(search:
        Audience Chunk ChunkConfig FoundChunks Fusion GenericEntities IndexChange IndexEntry
        Ranking SearchResult SeenDocument
    ));
    listed.extend(shared!(sleep:
        DeepReport DreamEntry Fatigue MessageShape PauseReason PlanFault Said SetSleep SleepConfig
        SleepDreamer SleepDreamerBuilder SleepFiles SleepPlan SleepReport SleepState TrimPlan WakeUp
    ));
    listed.extend(shared!(store:
        ArtifactConfig StoreConfig
    ));
    listed.extend(shared!(tools:
        ToolDef ToolError Toolbox
    ));
    listed.extend(shared!(vectors:
        BatchFrom BatchSize EmbedBatch EmbedConfig EmbedError EmbedReport EmbedderId EmbeddingStatus
        Generation KeptVectors Purpose Strength
    ));
    listed.extend(shared!(workspace:
        ClaimTerms DayPolicy Digest Document FoundAt Holder Listing LostBy Metadata Name NameError
        OpenLimit Reach Refusal Revision Space StateName Tail Version
    ));
    listed.extend(shared!(testing:
        CrashOutcome EmbedScript Entry Fault Faults FaultyDisk FaultyWorkspace HashEmbedder Kind Lie MemoryDisk Open PowerLoss QuickDisk Script Stat
    ));
    let generic: &[(&str, fn())] = &[
        ("BundleImport", may_be_shared::<noctuary::exchange::BundleImport<'static>>),
        ("DreamEvent", may_be_shared::<noctuary::dream::DreamEvent<'static>>),
        ("DreamPage", may_be_shared::<noctuary::report::DreamPage<'static>>),
        ("EntityPage", may_be_shared::<noctuary::report::EntityPage<'static>>),
        ("Export", may_be_shared::<noctuary::exchange::Export<'static>>),
        ("EmbedPass", may_be_shared::<noctuary::vectors::EmbedPass<'static>>),
        ("Editor", may_be_shared::<noctuary::life::Editor<'static>>),
        ("Forget", may_be_shared::<noctuary::exchange::Forget<'static>>),
        ("GroupView", may_be_shared::<noctuary::life::GroupView<View>>),
        ("Guarded", may_be_shared::<noctuary::life::Guarded<View>>),
        ("Learned", may_be_shared::<noctuary::pages::Learned<noctuary::FileMemoryStore>>),
        ("HistoryFn", may_be_shared::<noctuary::dream::HistoryFn<Latest>>),
        ("Indexed", may_be_shared::<noctuary::life::Indexed<View>>),
        ("LlmFn", may_be_shared::<noctuary::model::LlmFn<Ask>>),
        ("Merge", may_be_shared::<noctuary::exchange::Merge<'static>>),
        ("MemoryTool", may_be_shared::<noctuary::tools::MemoryTool<View>>),
        ("Passed", may_be_shared::<noctuary::gate::Passed<'static>>),
        ("StoredRows", may_be_shared::<noctuary::exchange::StoredRows<'static>>),
        // They own a lease, which one thread at a time has.
        ("Claim", may_be_sent::<noctuary::workspace::Claim>),
        ("Step", may_be_sent::<noctuary::dream::Step>),
    ];
    listed.extend(generic.iter().map(|(name, _)| *name));
    let api = &*API;
    expect_all("types", api.of_kind(&["struct", "enum"]).map(|(name, _)| name), &listed);
}

/// One way to words: `Display` prints them, `as_str` borrows those of a file, `FromStr` reads them back, and `From<&str>` where
/// each text is one.
#[test]
fn a_type_prints_its_words_by_display() {
    let own = Regex::new(r"(?m)^    pub (?:const )?fn (?:word|words|explain|of_word|from_word)\(").unwrap();
    assert!(own.is_match("    pub fn explain(self) -> &'static str {"));
    let with_own = API.exported.keys().filter(|name| own.is_match(API.methods_of(name)));
    assert_eq!(with_own.collect::<Vec<_>>(), [""; 0]);
    let lends = Regex::new(r"(?m)^    pub (?:const )?fn as_str\(").unwrap();
    for (name, _) in API.of_kind(&["enum"]).filter(|(name, _)| lends.is_match(API.methods_of(name))) {
        let of_type = Regex::new(&format!(r"(?m)^impl fmt::Display for {name} \{{$")).unwrap();
        assert!(API.files.values().any(|text| of_type.is_match(text)), "{name}");
    }
}

/// Whoever copies an example writes the form that says who reads, and not three arguments of it.
#[test]
fn examples_state_access_in_the_short_form() {
    let root = noctuary_tests::root();
    let mut files: Vec<PathBuf> = vec![root.join("README.md")];
    let mut folders = ["src", "examples", "benches"].map(|folder| root.join(folder)).to_vec();
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() && !path.ends_with("target") {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs" || extension == "md") {
                files.push(path);
            }
        }
    }
    assert!(files.iter().any(|file| file.ends_with("src/manual/ten_types.md")), "the manual was found");
    let long = Regex::new(concat!(
        r"Access::new\(\s*(?:SessionKind::)?",
        r"(?:Main,\s*Actor::(?:Human|Agent)|(?:Shared|Subagent|Scheduled),\s*Actor::Agent)\b",
    ))
    .unwrap();
    assert!(long.is_match("Access::new(SessionKind::Main, Actor::Agent, scope)"));
    let found: Vec<_> =
        files.iter().filter(|file| long.is_match(&fs::read_to_string(file).unwrap())).collect();
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn every_trait_is_an_object() {
    let mut listed: Vec<&str> = Vec::new();
    listed.extend(objects!(: Dreamer LlmClient MemoryStore PiiFilter Workspace));
    listed.extend(objects!(artifacts: ArtifactObserver ArtifactStore ArtifactStoreExt ChartRenderer));
    listed.extend(objects!(dream: DreamPass HistorySource Observer));
    listed.extend(objects!(edges: EdgeExtractor EdgeStore));
    listed.extend(objects!(facts: FactStore));
    listed.extend(objects!(files: FileStore FileUrls));
    listed.extend(objects!(finance: MirrorStore));
    listed.extend(objects!(learning: MethodStore PreferenceStore RoleStore));
    listed.extend(objects!(memory: LearningStore MemoryObserver));
    listed.extend(objects!(pages: PageSource));
    listed.extend(objects!(search: DocumentIndex Entities));
    listed.extend(objects!(vectors: Embedder Reranker VectorStore));
    listed.extend(objects!(workspace: Lease WorkspaceExt));
    let _: (Option<&dyn noctuary::testing::Disk>, Option<&dyn noctuary::testing::DiskFile>) = (None, None);
    listed.extend(["testing::Disk", "testing::DiskFile"]);
    let api = &*API;
    expect_all("traits", api.of_kind(&["trait"]).map(|(name, _)| name), &listed);
}

#[test]
fn the_door_shows_the_main_jobs_and_the_rooms() {
    let root = uses(&API.files["lib.rs"]);
    assert!((25..=40).contains(&root.len()), "{}: {root:?}", root.len());
    let rooms = fronts(&API.files).len() - 1;
    assert!((14..=24).contains(&rooms), "{rooms}");
    // One way to each name.
    let mut seen = BTreeSet::new();
    for (file, _) in fronts(&API.files) {
        for (_, name) in uses(&API.files[&file]) {
            assert!(
                file.starts_with("testing") || seen.insert(name.clone()),
                "{name} is shown twice, again in {file}"
            );
        }
    }
}

#[test]
fn what_may_grow_is_non_exhaustive() {
    let api = &*API;
    let open = Regex::new(r"(?m)^    pub \w+:").unwrap();
    let hidden = Regex::new(r"(?m)^    (pub\(\w+\) )?[a-z]\w*:").unwrap();
    let is_closed = |item: &Item| {
        let is_built = item.kind == "enum" || open.is_match(&item.body) && !hidden.is_match(&item.body);
        is_built && !item.attributes.contains("#[non_exhaustive]")
    };
    let closed = |kind: &str| -> Vec<&str> {
        let of_kind = api.exported.iter().filter(|(_, item)| item.kind == kind && is_closed(item));
        of_kind.map(|(name, _)| name.as_str()).collect()
    };
    // A new one must not go by unseen: whoever matches handles each.
    let matched = [
        // Who is told what, and what happens to a text where.
        "Actor",
        "Door",
        "SessionKind",
        // What a backend is asked to do, or answers.
        "Cardinality",
        "Ending",
        "Claim",
        "FactState",
        "IndexEntry",
        "Order",
        "Role",
        "Space",
        "WriteMode",
        // What a host does next.
        "BootState",
        "StartStep",
        "Step",
        // Closed by the files that hold them.
        "Mark",
        "OnboardingEnd",
        "testing::CrashOutcome",
        "testing::Fault",
        "testing::Kind",
        "testing::Lie",
        "testing::Open",
    ];
    expect_all("enums", closed("enum").into_iter(), &matched);
    // Written as literals, by hosts and by backends.
    let literal = [
        "Access",
        "BackOff",
        "ClaimTerms",
        "FactKey",
        "Place",
        "Scope",
        "SourceRef",
        "Usage",
        "IndexChange",
        "Metadata",
        "SearchResult",
        "SeenDocument",
        "StatusChange",
        "Suspect",
        "testing::Entry",
        "testing::Stat",
    ];
    expect_all("structs", closed("struct").into_iter(), &literal);
}

/// Returns the visible parts of a file's public items: their fields, and the heads of their functions.
fn signatures(text: &str) -> Vec<String> {
    let head = Regex::new(r"(?ms)^ *(?:pub )?(?:async )?fn .*?(?:;|\{)$").unwrap();
    let method = Regex::new(r"(?ms)^    pub (?:async |const )*fn .*?\{$").unwrap();
    let mut shown: Vec<String> = method.find_iter(text).map(|found| found.as_str().to_owned()).collect();
    for item in items(text) {
        match item.kind.as_str() {
            "trait" => shown.extend(head.find_iter(&item.body).map(|found| found.as_str().to_owned())),
            "fn" => shown.push(item.body.split(" {\n").next().unwrap().to_owned()),
            "struct" => {
                shown.extend(item.body.lines().filter(|line| line.contains("pub ")).map(str::to_owned));
            }
            _ => shown.push(item.body),
        }
    }
    shown
}

#[test]
fn signatures_name_chrono_and_serde_json_and_no_other_crate() {
    let manifest = fs::read_to_string(noctuary_tests::root().join("Cargo.toml")).unwrap();
    let normal = manifest.split("[dependencies]").nth(1).unwrap().split("[dev-dependencies]").next().unwrap();
    let crates: BTreeSet<String> = Regex::new(r"(?m)^([\w-]+) =")
        .unwrap()
        .captures_iter(normal)
        .map(|parts| parts[1].replace('-', "_"))
        .collect();
    assert!(crates.contains("rusqlite") && crates.contains("rustix"), "{crates:?}");
    let import = Regex::new(r"(?ms)^use (\w+)(::.*?);").unwrap();
    let word = Regex::new(r"\b[A-Z]\w+").unwrap();
    let path = Regex::new(r"\b([a-z]\w+)::").unwrap();
    let mut named: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (file, text) in &API.files {
        let mut foreign: BTreeMap<&str, &str> = BTreeMap::new();
        for parts in import.captures_iter(text).filter(|parts| crates.contains(&parts[1])) {
            let (of, list) = (parts.get(1).unwrap().as_str(), parts.get(2).unwrap().as_str());
            let taken = list.split(',').filter(|name| !name.contains(" as _"));
            foreign.extend(taken.flat_map(|one| word.find_iter(one)).map(|name| (name.as_str(), of)));
        }
        for shown in signatures(text) {
            let by_name = word.find_iter(&shown).filter_map(|name| foreign.get(name.as_str()).copied());
            let by_path = path.captures_iter(&shown).map(|parts| parts.get(1).unwrap().as_str());
            for of in by_name.chain(by_path.filter(|of| crates.contains(*of))) {
                named.entry(of.to_owned()).or_default().push(format!("{file}: {shown}"));
            }
        }
    }
    for of in ["chrono", "serde_json"] {
        assert!(named.remove(of).is_some(), "{of} stands in no signature");
    }
    assert!(named.is_empty(), "{named:#?}");
}

/// Types that derive `Debug` over text, and why that text may be printed.
const PRINTED: &[(&str, &str)] = &[
    ("FileKey", "a key, which is a reference and no words"),
    ("NewFile", "an extension"),
    ("ArtifactAudit", "ids, and words of actions"),
    ("ArtifactId", "an id"),
    ("ArtifactPage", "an id, and names of files"),
    ("AuditOutcome", "classes, and the name of a setting"),
    ("Blamed", "classes and names"),
    ("BootstrapOutcome", "classes and names"),
    ("BundleAction", "classes and rules"),
    ("BundleItem", "a path of ids and names"),
    ("BundlePlan", "paths of ids and names"),
    ("Charge", "a class"),
    ("ChunkConfig", "a setting"),
    ("DoctorFinding", "names and classes"),
    ("DoorWarning", "classes and names"),
    ("DreamReport", "the place of a workspace; what it holds prints its own shape"),
    ("DreamedState", "a state file, and what a peer keeps there"),
    ("Duty", "the name of a check"),
    ("EmbedderId", "the name of a model"),
    ("Error", "names and classes"),
    ("FactConfig", "a setting of the operator"),
    ("DreamConfig", "a setting of the operator"),
    ("FactDreamConfig", "a setting of the operator"),
    ("GroupName", "the name of a group"),
    ("Filter", "a category"),
    ("FoundAt", "a class"),
    ("Generation", "the name of a model"),
    ("GateFinding", "a class, and the preview that says so"),
    ("Health", "counts, and words for states"),
    ("Holder", "the name of a host"),
    ("Identity", "how the agent shows itself to everybody"),
    ("EraseReceipt", "names of tables and counts"),
    ("ImportItem", "names and classes"),
    ("ImportPlan", "names"),
    ("ImportRefusal", "classes"),
    ("Listing", "names"),
    ("CopiesReport", "names of copies"),
    ("MergeConflict", "the name of a file, and a class"),
    ("MessageShape", "ids of calls"),
    ("NameError", "a name"),
    ("Notice", "names and sizes"),
    ("Origin", "the name of a tool"),
    ("Place", "names of a conversation and of who speaks"),
    ("PostgresConfig", "a setting of the operator"),
    ("QuarantineEntry", "a state file, and what a peer keeps there"),
    ("RoleConfig", "a setting of the operator"),
    ("RulingOutcome", "the rule that refused it"),
    ("Scope", "ids"),
    ("SecretAudit", "names"),
    ("SeenDocument", "a setting"),
    ("SleepState", "a state file, and what a peer keeps there"),
    ("Source", "a word for where a row comes from"),
    ("SyncReport", "names"),
    ("LeftOutReason", "a class"),
    ("ReplySource", "a name"),
    ("Shown", "hashes"),
    ("ShownRules", "words of policies"),
    ("ToolDef", "what every model is told"),
    ("testing::Entry", "a name"),
];

#[test]
fn no_debug_prints_the_words_of_a_person() {
    let api = &*API;
    let text = Regex::new(r"\b(?:String|Cow<'\w+, str>|Vec<u8>|Value)\b").unwrap();
    let field = Regex::new(r"(?m)^ +(?:pub )?\w+: .*|^    \w+[({].*|^pub struct \w+\(.*").unwrap();
    let mut derives = Vec::new();
    for (name, item) in api.of_kind(&["struct", "enum"]) {
        let is_derived = item.attributes.contains("Debug");
        if is_derived && field.find_iter(&item.body).any(|line| text.is_match(line.as_str())) {
            derives.push(name);
        }
    }
    let listed: Vec<&str> = PRINTED.iter().map(|(name, _)| *name).collect();
    expect_all("Debug", derives.into_iter(), &listed);
}

/// Items that are exported, can be called or made, and have no example of their own.
const WITHOUT_EXAMPLE: &[(&str, &[&str])] = &[
    (
        "a backend makes it, and the suite of its contract shows how it is read",
        &[
            "Approval",
            "Artifact",
            "ArtifactAudit",
            "ArtifactEvent",
            "AuditEntry",
            "Case",
            "ConsolidationEvent",
            "Constraint",
            "Document",
            "DocumentIndex",
            "Edge",
            "Fact",
            "FactStatus",
            "Found",
            "FoundChunks",
            "Generation",
            "Hit",
            "Learning",
            "Memory",
            "MemoryEvent",
            "Method",
            "Mention",
            "Neighborhood",
            "Passage",
            "PlaceReceipt",
            "Preference",
            "QueryVector",
            "Recorded",
            "Reported",
            "RoleNote",
            "SnapshotRow",
            "Source",
            "Superseded",
            "Suspicion",
            "TopEntity",
        ],
    ),
    ("the example of a dreamer of one's own makes one", &["DreamReport", "LineReport", "PassReport"]),
    (
        "the example of `MemoryStore`, `FactStore`, `LearningStore`, `MethodStore`, `PreferenceStore` or `ArtifactStore` makes one",
        &[
            "Decision",
            "FactKey",
            "Filter",
            "NewArtifact",
            "NewLearning",
            "NewMethod",
            "NewOutcome",
            "NewPreference",
            "NewRoleNote",
            "Reflection",
        ],
    ),
    (
        "the example of what takes it makes one",
        &[
            "Citation",
            "Consent",
            "PageConstraint",
            "DreamId",
            "Duty",
            "Finding",
            "HistoryItem",
            "LlmRequest",
            "PageMethod",
            "PageLine",
            "SectionCaps",
            "SleepFiles",
            "TombstoneKey",
        ],
    ),
    ("the examples of `FileStore` and `LocalFileStore` make one", &["NewFile", "Removal", "StoredFile"]),
    (
        "the examples of the page `finance`, and of `MirrorStore`, make one",
        &["Fill", "Mirrored", "SpotActivity", "TradeHistory", "fills_as_history", "spot_as_history"],
    ),
    ("the example of `strike_superseded` takes its strikes back", &["unstrike"]),
    (
        "a disk of a test's, which `MemoryDisk` and `Faults` show",
        &[
            "testing::Disk",
            "testing::DiskFile",
            "testing::FaultyDisk",
            "testing::FaultyWorkspace",
            "testing::folder",
        ],
    ),
];

#[test]
fn every_entry_point_has_an_example() {
    let api = &*API;
    let made = Regex::new(r"(?m)^    pub (?:async )?fn \w+(?:<[^\n(]*>)?\((?:[^&ms)]|m[^u]|s[^e])").unwrap();
    let mut without = Vec::new();
    for (name, item) in &api.exported {
        let methods = api.methods_of(name);
        let is_entry = match item.kind.as_str() {
            "fn" | "trait" => true,
            "struct" | "enum" => made.is_match(methods),
            _ => false,
        };
        let texts = [item.docs.as_str(), &item.body, methods];
        if is_entry && !texts.iter().any(|text| text.contains("```")) {
            without.push(name.as_str());
        }
    }
    let listed: Vec<&str> = WITHOUT_EXAMPLE.iter().flat_map(|(_, names)| names.iter().copied()).collect();
    expect_all("examples", without.into_iter(), &listed);
}
