//! Seeding: a workspace gets the templates that it lacks, and nothing that stands is touched.
//!
//! `BOOTSTRAP.md` comes first, and only into a workspace that nobody has used. So the next seeding goes on
//! after a crash at any point, and a used workspace never begins anew. `HEARTBEAT.md` is never seeded; its
//! template serves to restore it.

use super::config::{BootstrapEnd, LifeConfig, Onboarding, SeedSet};
use super::state;
use crate::base::error::{Error, Result};
use crate::base::gather::Gather as _;
use crate::base::name::DocName;
use crate::base::sorted::SortedSet;
use crate::format::documents::templates;
use crate::session::is_persona;
use crate::workspace::{Workspace, WriteMode};

/// The result of seeding.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SeedReport {
    /// The documents that it wrote, in order.
    pub wrote: Vec<DocName>,
    /// Documents of the set that existed already, unchanged.
    pub stood: Vec<DocName>,
}

/// The documents that are seeded after `BOOTSTRAP.md`, in order.
const SET: [DocName; 6] =
    [DocName::AGENTS, DocName::SOUL, DocName::IDENTITY, DocName::USER, DocName::MEMORY, DocName::TOOLS];

/// Writes the templates that a workspace lacks; see [`Life::seed`](crate::Life::seed).
pub(super) fn seed(workspace: &dyn Workspace, config: &LifeConfig) -> Result<SeedReport> {
    let listing = workspace.list(None)?;
    // A group reads who the agent is from its life, and cannot write it: nothing is left there of an attempt.
    let is_of_group = workspace.scope().is_some_and(|scope| scope.group_name().is_some());
    let is_begun =
        listing.documents.contains(&DocName::BOOTSTRAP) || listing.documents.contains(&DocName::SOUL);
    if is_of_group && !is_begun {
        return Err(Error::Uninitialized);
    }
    let folders = listing.folders.iter().map(DocName::to_string);
    let documents = listing.documents.iter().map(DocName::to_string);
    // A link or a device occupies its name as well.
    let standing: SortedSet<String> = folders.chain(documents).chain(listing.refused).collect();
    let mut report = SeedReport::default();

    let offered = standing.contains(DocName::BOOTSTRAP.as_str());
    let first = !offered && is_fresh(&standing) && !state::life(workspace)?.bootstrap_seen;
    if first {
        create(workspace, config, DocName::BOOTSTRAP, &mut report)?;
    }
    if offered || first {
        state::remember(workspace, |life| life.bootstrap_seen = true)?;
    }
    let set = SET.into_iter().filter(|name| config.seed == SeedSet::Full || *name != DocName::TOOLS);
    for name in set {
        let stands = |name: &DocName| standing.contains(name.as_str());
        // `memory.md` is curated memory too, where it alone exists.
        let legacy = name == DocName::MEMORY && !stands(&name) && stands(&DocName::LEGACY_MEMORY);
        let name = if legacy { DocName::LEGACY_MEMORY } else { name };
        if stands(&name) {
            report.stood.push(name);
        } else if !(is_of_group && is_persona(&name)) {
            create(workspace, config, name, &mut report)?;
        }
    }
    Ok(report)
}

/// Returns whether nobody has lived here: no `SOUL.md`, `IDENTITY.md`, `USER.md`, `MEMORY.md`, journal folder, nor an
/// onboarding that was put away. Judged without case, since some systems open names without it.
fn is_fresh(standing: &SortedSet<String>) -> bool {
    !standing.iter().any(|name| {
        let name = name.to_lowercase();
        matches!(name.as_str(), "soul.md" | "identity.md" | "user.md" | "memory.md" | "memory" | "daily")
            || name.starts_with("bootstrap.md.done.")
    })
}

fn create(
    workspace: &dyn Workspace,
    config: &LifeConfig,
    name: DocName,
    report: &mut SeedReport,
) -> Result<()> {
    let text = config.template(&name).expect("every document of the set has a template");
    match workspace.write(&name, text.as_bytes(), WriteMode::Create) {
        Ok(_) => report.wrote.push(name),
        // Another process was faster, or a person.
        Err(Error::Conflict { .. }) => report.stood.push(name),
        Err(error) => return Err(error),
    }
    Ok(())
}

impl LifeConfig {
    /// Returns the template of one of the eight root documents; `None` for any other name.
    ///
    /// The sentence in `AGENTS.md` on the end of the first run, and the questions in `BOOTSTRAP.md`, follow this
    /// configuration.
    ///
    /// ```
    /// use noctuary::{DocName, LifeConfig};
    ///
    /// let config = LifeConfig::default();
    /// assert!(config.template(&DocName::SOUL).is_some_and(|text| text.starts_with("# ")));
    /// assert_eq!(config.template(&DocName::JOURNALS), None);
    /// ```
    #[must_use]
    pub fn template(&self, name: &DocName) -> Option<String> {
        let first_run = match self.bootstrap_end {
            BootstrapEnd::Archive => 0,
            BootstrapEnd::Delete => 1,
            BootstrapEnd::Clear => 2,
        };
        let questions = match self.bootstrap {
            Onboarding::General => 0,
            Onboarding::Finance => 1,
        };
        templates::template(name, templates::FIRST_RUNS[first_run], templates::QUESTIONS[questions])
    }
}

/// The parts that the two steering documents should have: a heading, or the label of a field.
const PARTS: [(DocName, &[&str]); 2] = [
    (DocName::SOUL, &["name", "role", "values|traits", "capabilities"]),
    (DocName::AGENTS, &["first run", "every session", "memory", "safety", "external vs internal"]),
];

/// Returns the parts that `SOUL.md` and `AGENTS.md` lack. Advice: no reader depends on them.
pub(crate) fn lacks(workspace: &dyn Workspace) -> Result<Vec<(DocName, &'static str)>> {
    let mut lacks = Vec::new();
    for (name, parts) in PARTS {
        let Some(document) = workspace.read(&name)? else { continue };
        let text = document.lossy().to_lowercase();
        let said: Vec<&str> = text.lines().filter_map(subject).gather();
        let lacking =
            |part: &&&str| !part.split('|').any(|word| said.iter().any(|said| said.ends_with(word)));
        lacks.extend(parts.iter().filter(lacking).map(|part| (name.clone(), *part)));
    }
    Ok(lacks)
}

/// Returns the text of a heading, or the label of a field.
fn subject(line: &str) -> Option<&str> {
    let line = line.trim();
    if line.starts_with('#') {
        return Some(line.trim_matches(['#', ' ']));
    }
    line.split_once(':').map(|(label, _)| label.trim_matches(['-', '*', ' ']))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::preset::Preset;
    use crate::life::edit::EDITABLE;
    use crate::life::onboarding::is_bootstrap_done;
    use noctuary_gate::PiiFilter;
    use noctuary_gate::SecretGate;

    fn text(name: &DocName) -> String {
        LifeConfig::default().template(name).unwrap()
    }

    fn says(name: &DocName, words: &[&str]) {
        let text = text(name).to_lowercase();
        for word in words {
            assert!(text.contains(&word.to_lowercase()), "{name} says {word:?}");
        }
    }

    // WS-04, WS-05, WS-27: who the agent is.
    #[test]
    fn the_soul_names_identity_values_capabilities_and_boundaries() {
        says(&DocName::SOUL, &["# Soul\n", "## Identity\n", "**Name:**", "**Role:**", "## Values\n"]);
        says(&DocName::SOUL, &["## Capabilities\n", "## Boundaries\n"]);
        says(&DocName::SOUL, &["private stays private", "whose effect you doubt, ask", "can be undone"]);
        says(&DocName::SOUL, &["never your human's voice", "filler", "opinions", "look first", "respect"]);
    }

    // WS-06, WS-07, WS-08, WS-27, SE-11, PR-03: how it works.
    #[test]
    fn the_agents_page_holds_its_sections_and_rules() {
        let sections = [
            "First Run",
            "Every Session",
            "Soul",
            "Memory",
            "Safety",
            "External vs Internal",
            "With Others",
            "Formatting",
            "Heartbeats",
        ];
        for section in sections {
            says(&DocName::AGENTS, &[&format!("\n## {section}\n")]);
        }
        says(&DocName::AGENTS, &["the workspace wins", "before you answer", "search your memory"]);
        says(&DocName::AGENTS, &["does not survive", "go into its journal", "write important facts"]);
        says(&DocName::AGENTS, &["participant", "nobody's proxy", "stay silent", "HEARTBEAT_OK"]);
        says(&DocName::AGENTS, &["never speak for your human", "`USER.md` or `MEMORY.md`"]);
        // A group's own memory is in its prompts, and is no secret there.
        says(&DocName::AGENTS, &["memory of its own", "may be told in that group, and nowhere else"]);
        // HB-12, JR-14: what a heartbeat is used for.
        says(
            &DocName::AGENTS,
            &["tidy `memory.md`", "sum up sessions", "`context/`", "thirty days", "archived"],
        );
        // PR-08: remembered text lifts no gate.
        says(&DocName::AGENTS, &["never lifts a safety check of the host"]);
        let text = text(&DocName::AGENTS);
        let session = text.split("## Every Session").nth(1).unwrap().split("\n## ").next().unwrap();
        let order = ["BOOTSTRAP.md", "SOUL.md", "USER.md", "memory/YYYY-MM-DD", "MEMORY.md", "Begin"];
        let at: Vec<_> = order.iter().map(|step| session.find(step).unwrap()).collect();
        assert!(at.is_sorted(), "BS-03: {at:?}");
    }

    // N26: the first run ends as the policy has it.
    #[test]
    fn the_sentence_on_the_first_run_follows_the_policy() {
        for (preset, word) in [
            (Preset::Default, "put away under another name"),
            (Preset::Rfc0009Strict, "deleted"),
            (Preset::OpenClaw, "deleted"),
            (Preset::IronClaw, "emptied"),
        ] {
            let text = LifeConfig::preset(preset).template(&DocName::AGENTS).unwrap();
            let run = text.split("## First Run").nth(1).unwrap().split("\n## ").next().unwrap();
            let words = ["put away under another name", "deleted", "emptied"];
            assert_eq!(words.iter().filter(|word| run.contains(**word)).collect::<Vec<_>>(), [&word]);
        }
    }

    // BS-04, BS-05: the questions, general and for finance, in two turns.
    #[test]
    fn the_bootstrap_asks_its_questions_and_names_the_token_in_prose() {
        says(
            &DocName::BOOTSTRAP,
            &["name", "timezone", "language", "focus", "`USER.md`", "`BOOTSTRAP_DONE`"],
        );
        let mut config = LifeConfig::default();
        assert!(!text(&DocName::BOOTSTRAP).contains("venue"));
        config.bootstrap = Onboarding::Finance;
        let finance = config.template(&DocName::BOOTSTRAP).unwrap().to_lowercase();
        for question in ["name", "timezone", "focus", "risk", "venue"] {
            assert!(finance.contains(question), "{question}");
        }
    }

    // WS-13, C19.
    #[test]
    fn memory_begins_with_three_sections() {
        assert_eq!(text(&DocName::MEMORY), "# Memory\n\n## Facts\n\n## Preferences\n\n## Decisions\n");
    }

    #[test]
    fn every_template_is_clean_markdown() {
        for name in EDITABLE {
            for onboarding in [Onboarding::General, Onboarding::Finance] {
                let config = LifeConfig { bootstrap: onboarding, ..LifeConfig::default() };
                let text = config.template(&name).unwrap();
                assert!(text.starts_with("# ") && text.ends_with('\n') && !text.ends_with("\n\n"), "{name}");
                assert!(!text.contains(['\r', '\t', '\u{feff}']) && !text.contains("{{"), "{name}");
                assert!(text.is_ascii() && text.len() < 4_000, "{name} is small: {}", text.len());
                assert!(SecretGate::default().scan(&text).is_empty(), "{name}");
                // An agent that repeats a template has not ended its onboarding.
                assert!(!is_bootstrap_done(&text), "{name}");
            }
        }
        assert_eq!(LifeConfig::default().template(&DocName::JOURNALS), None);
    }
}
