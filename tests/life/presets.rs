//! Presets: a dialect's values in every configuration that has one of them. (CF-16)

use noctuary::gate::{Door, Doors};
use noctuary::life::{Preset, PromptConfig, SharedUser, Snapshot};
use noctuary::memory::{NewMemory, Source};
use noctuary::search::{ChunkConfig, Fusion, Ranking};
use noctuary::sleep::SleepConfig;
use noctuary::store::{ArtifactConfig, StoreConfig};
use noctuary::workspace::DayPolicy;
use noctuary::{DocName, FileMemoryStore, FileWorkspace, LifeConfig, MemoryStore, Workspace, WriteMode};
use noctuary_tests::common::marta::{agent as private, now};

const ADDRESS: &str = "TrueUSD issuer: 0x52908400098527886E0F7030069857D2E4169EE7";
const KEY: &str = "AKIAIOSFODNN7EXAMPLE";

/// Returns the values that a preset changes beside those of the life, whose list is in its own room.
fn beside_the_life(preset: Preset) -> String {
    let (store, sleep) = (StoreConfig::preset(preset), SleepConfig::preset(preset));
    let Ranking { fusion, entities, nearest, .. } = store.ranking;
    let fusion = match fusion {
        Fusion::Ranks { k } => format!("ranks with {k}"),
        _ => "scores".to_owned(),
    };
    let passes = store.doors.pass(Door::StoreWrite, &DocName::MEMORY, ADDRESS).is_ok();
    format!(
        "{fusion}; entities {entities}; nearest {nearest}; addresses {}; chunks {}; sleep in {}, calls {:?}",
        if passes { "pass" } else { "stop" },
        ChunkConfig::preset(preset).identity(),
        sleep.folder,
        sleep.budget.max_calls_per_day,
    )
}

// CF-16, SQ-09, HY-03, HY-04, HY-06, VW-08, VW-11, SL-12, SL-26, GE-01.
#[test]
fn a_preset_sets_the_values_of_its_seed_in_every_configuration() {
    let plain = "scores; entities 0.1; nearest 100; addresses stop; chunks markdown/2 1600/320; sleep in self, calls Some(200)";
    let openseed = plain.replace("sleep in self, calls Some(200)", "sleep in .self, calls None");
    let minara = plain.replace(
        "scores; entities 0.1; nearest 100; addresses stop",
        "ranks with 60; entities 0.3; nearest 50; addresses pass",
    );
    let ironclaw = plain
        .replace("scores; entities 0.1; nearest 100", "ranks with 60; entities 0; nearest 50")
        .replace("markdown/2 1600/320", r#"plain/2 500/50 ["\n\n", "\n", ". "]"#);
    for (preset, told) in [
        (Preset::Default, plain),
        (Preset::Minara, &minara),
        (Preset::OpenClaw, plain),
        (Preset::IronClaw, &ironclaw),
        (Preset::OpenSeed, &openseed),
        (Preset::Rfc0009Strict, plain),
    ] {
        assert_eq!(beside_the_life(preset), told, "{preset:?}");
        assert!(!SleepConfig::preset(preset).enabled, "no preset turns a dream on");
        SleepConfig::preset(preset).validate().unwrap();
    }
    for preset in
        [Preset::Minara, Preset::OpenClaw, Preset::IronClaw, Preset::OpenSeed, Preset::Rfc0009Strict]
    {
        assert_ne!(LifeConfig::preset(preset), LifeConfig::default(), "{preset:?}");
    }
}

// WS-11
#[test]
fn under_openclaw_a_prompt_has_four_thousand_characters_of_the_user() {
    let folder = tempfile::tempdir().unwrap();
    let workspace = FileWorkspace::open(folder.path()).unwrap();
    let long = format!("# User\n\n{}", "- likes the harbour\n".repeat(500));
    for (name, text) in
        [(DocName::USER, long.as_str()), (DocName::SOUL, "# Soul\n"), (DocName::AGENTS, "# Agents\n")]
    {
        workspace.write(&name, text.as_bytes(), WriteMode::Create).unwrap();
    }
    let shown = |config: &PromptConfig| {
        let view = noctuary::life::Guarded::new(&workspace, private());
        let snapshot = Snapshot::take(&view, config, SharedUser::Subset, DayPolicy::UTC, now()).unwrap();
        let prompt = snapshot.prompt(&view, None, &[]).unwrap().to_string();
        prompt.matches("likes the harbour").count()
    };
    assert_eq!(shown(&PromptConfig::default()), 500);
    let most = shown(&LifeConfig::preset(Preset::OpenClaw).prompt);
    assert!((190..=200).contains(&most), "{most} lines of 20 characters");
}

// GE-01, PF-09: for a trader the address is the point of the memory; a key is a secret everywhere.
#[test]
fn addresses_are_data_for_a_trader_and_keys_never_are() {
    let write = |config: StoreConfig, text: &str| {
        let folder = tempfile::tempdir().unwrap();
        let store = FileMemoryStore::open_with(folder.path(), private().scope, config).unwrap();
        store.write(&private(), &NewMemory::new("reference", text, Source::AgentRecorded), now()).is_ok()
    };
    assert!(!write(StoreConfig::default(), ADDRESS));
    assert!(write(StoreConfig::preset(Preset::Minara), ADDRESS));
    for doors in [
        StoreConfig::preset(Preset::Minara).doors,
        ArtifactConfig::default().doors,
        Doors::default().with_addresses(),
    ] {
        let name = DocName::parse("charts.md").unwrap();
        let pass = |text: &str| doors.pass(Door::WorkspaceWrite, &name, text).is_ok();
        for address in [
            ADDRESS,
            "send to bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4",
            "or 1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa",
        ] {
            assert!(pass(address), "{address}");
        }
        let phrase =
            "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about";
        // A password is none the less one where an address is a part of it.
        let password = "postgres://app:0x52908400098527886E0F7030069857D2E4169EE7-Sup3r@db.example/x";
        for secret in [KEY, &format!("seed phrase: {phrase}"), "-----BEGIN PRIVATE KEY-----", password] {
            assert!(!pass(secret), "{secret}");
        }
    }
    assert!(!write(StoreConfig::preset(Preset::Minara), &format!("the key is {KEY}")));
}
