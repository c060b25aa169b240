//! A laptop and a server that carry one life through git: merges, rebases, picks and stashes of random days and nights.

#![expect(clippy::case_sensitive_file_extension_comparisons, reason = "the names in here are lower case")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use chrono::{DateTime, Duration, Utc};
use noctuary::dream::DreamStanding;
use noctuary::exchange::Forget;
use noctuary::testing::cases;
use noctuary::{Access, FileWorkspace, Life, LifeConfig, LlmReply, LlmRequest, Scope, Workspace, llm_fn};

use noctuary_tests::common::dice::Dice;
use noctuary_tests::dreaming::{dream, dreamer_over, name, night, seen};

/// A clone.
struct Machine {
    folder: PathBuf,
}

fn human() -> Access {
    Access::human(Scope::user("marta"))
}

impl Machine {
    fn git(&self, arguments: &[&str]) -> Output {
        let mut git = Command::new("git");
        git.current_dir(&self.folder).args(arguments).stdin(std::process::Stdio::null());
        git.env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_SYSTEM", "/dev/null")
            .env("GIT_EDITOR", "true");
        for who in ["AUTHOR", "COMMITTER"] {
            git.env(format!("GIT_{who}_NAME"), "Marta").env(format!("GIT_{who}_EMAIL"), "marta@example.com");
        }
        git.output().unwrap()
    }

    #[track_caller]
    fn done(&self, arguments: &[&str]) -> String {
        let output = self.git(arguments);
        let told = [output.stdout.as_slice(), &output.stderr].concat();
        let told = String::from_utf8_lossy(&told).into_owned();
        assert!(output.status.success(), "git {arguments:?} on {}: {told}", self.folder.display());
        told
    }

    fn noctuary(&self, arguments: &[&str]) -> Output {
        crate::noctuary(&self.folder).args(arguments).output().unwrap()
    }

    /// Lets git carry the life; the program that was built is not on the path.
    fn set_up(&self) {
        let output = self.noctuary(&["init", ".", "--git"]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }

    fn workspace(&self) -> std::sync::Arc<dyn Workspace> {
        std::sync::Arc::new(FileWorkspace::open(&self.folder).unwrap())
    }

    fn text(&self, file: &str) -> String {
        std::fs::read_to_string(self.folder.join(file)).unwrap_or_default()
    }

    fn commit(&self) -> bool {
        self.done(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message", "a day"]).status.success()
    }

    /// Has a person keep both versions wherever git stopped, and goes on.
    fn settle(&self, go_on: &[&str]) -> usize {
        let mut decided = 0;
        for _ in 0..40 {
            let waiting = self.done(&["diff", "--name-only", "--diff-filter=U"]);
            for file in waiting.lines().filter(|line| !line.is_empty()) {
                let text = self.text(file);
                assert!(
                    file.ends_with(".md"),
                    "{file} is no text of a person, and git stopped at it: {}",
                    self.done(&["status"])
                );
                let is_mark = |line: &&str| {
                    ["<<<<<<< ", "=======", ">>>>>>> "].iter().any(|mark| line.starts_with(mark))
                };
                let kept: Vec<&str> = text.lines().filter(|line| !is_mark(line)).collect();
                std::fs::write(self.folder.join(file), kept.join("\n") + "\n").unwrap();
                decided += 1;
            }
            self.done(&["add", "--all"]);
            if go_on.is_empty() || self.git(go_on).status.success() {
                return decided;
            }
            if self.done(&["diff", "--name-only", "--diff-filter=U"]).is_empty() {
                // A commit that has become empty.
                if self.git(&["rebase", "--skip"]).status.success() {
                    return decided;
                }
            }
        }
        panic!("git does not come to an end: {}", self.done(&["status"]));
    }
}

fn promotes(request: &LlmRequest, machine: usize) -> LlmReply {
    let mut lines = Vec::new();
    for line in seen(request) {
        if let Some(at) = line.text.find("Stone q") {
            let front = if machine == 1 { "We know: " } else { "" };
            lines.push(format!("- {front}{} ({}#L{})", &line.text[at..], line.journal, line.number));
        }
    }
    LlmReply::new(if lines.is_empty() { "NOTHING_TO_PROMOTE".to_owned() } else { lines.join("\n") })
}

fn stone(number: usize) -> String {
    format!("Stone q{number} lies in harbour h{number}.")
}

#[derive(Default)]
struct Expected {
    stones: usize,
    forgotten: BTreeSet<usize>,
    undone: BTreeSet<String>,
    /// Whether any dream was taken back: its journals are shown again.
    gave_back: bool,
    mine: Vec<String>,
    conflicts: usize,
    syncs: usize,
}

struct World {
    machines: [Machine; 2],
    now: DateTime<Utc>,
    expected: Expected,
}

impl World {
    fn new(at: &Path) -> Self {
        let folder = |name: &str| at.join(name);
        let of = |name: &str| Machine { folder: folder(name) };
        std::fs::create_dir(folder("laptop")).unwrap();
        let laptop = of("laptop");
        laptop.done(&["init", "--quiet", "--initial-branch=main"]);
        std::fs::write(laptop.folder.join("MEMORY.md"), "# Memory\n\n- Known already.\n").unwrap();
        laptop.set_up();
        laptop.commit();
        let here = Machine { folder: at.to_owned() };
        here.done(&["clone", "--quiet", "--bare", "laptop", "hub.git"]);
        here.done(&["clone", "--quiet", "hub.git", "server"]);
        laptop.done(&["remote", "add", "origin", folder("hub.git").to_str().unwrap()]);
        laptop.done(&["fetch", "--quiet"]);
        laptop.done(&["branch", "--quiet", "--set-upstream-to=origin/main"]);
        let server = of("server");
        server.set_up();
        server.commit();
        Self { machines: [laptop, server], now: night(10), expected: Expected::default() }
    }

    fn clock(&self, machine: usize) -> DateTime<Utc> {
        self.now + Duration::hours([0, -5][machine])
    }

    fn step(&mut self, random: &mut Dice) {
        let at = random.below(2);
        self.now += Duration::minutes(7);
        let now = self.clock(at);
        match random.below(12) {
            0..=3 => {
                self.expected.stones += 1;
                let session = ["repl".to_owned(), format!("m{at}")][random.below(2)].clone();
                let journal = name(&format!("memory/{}-{session}.md", self.now.date_naive()));
                let line = format!(
                    "- [{}] [user] Decision: {}\n",
                    now.format("%H:%M:%S"),
                    stone(self.expected.stones)
                );
                self.machines[at].workspace().append(&journal, line.as_bytes()).unwrap();
            }
            4 | 5 => self.dream(at),
            6 => {
                let dreamer = dreamer_over(self.machines[at].workspace(), |_| {});
                let dreams = dreamer.dreams().unwrap();
                let whole: Vec<_> =
                    dreams.iter().filter(|dream| dream.standing == DreamStanding::Whole).collect();
                if !whole.is_empty() {
                    let id = &whole[random.below(whole.len())].id;
                    if dreamer.undo_dream(&human(), id, now).is_ok_and(|was| was) {
                        self.expected.undone.insert(id.to_string());
                        self.expected.gave_back = true;
                    }
                }
            }
            7 if self.expected.stones > 0 && random.below(2) == 0 => {
                let number = 1 + random.below(self.expected.stones);
                let workspace = self.machines[at].workspace();
                Forget::new(&human(), stone(number))
                    .in_files(true)
                    .workspace(workspace.as_ref())
                    .run(now)
                    .unwrap();
                self.expected.forgotten.insert(number);
            }
            8 => {
                let line = format!("- Mine {} m{at}.", self.expected.mine.len());
                let memory = self.machines[at].text("MEMORY.md");
                let mut lines: Vec<&str> = memory.lines().collect();
                let place = if random.below(2) == 0 { 2 } else { lines.len() };
                lines.insert(place.min(lines.len()), &line);
                std::fs::write(self.machines[at].folder.join("MEMORY.md"), lines.join("\n") + "\n").unwrap();
                self.expected.mine.push(line);
            }
            _ => self.sync(at, random.below(4)),
        }
    }

    fn dream(&mut self, at: usize) {
        let dreamer = dreamer_over(self.machines[at].workspace(), |_| {});
        let before = self.machines[at].text(".dreaming.d/log.jsonl");
        // One model for both: git asks for no merge of a ledger that one side alone changed, so lines of a journal that both wrote may be
        // shown again, and another wording of them would be another line.
        dream(&dreamer, &llm_fn(|request| Ok(promotes(request, 0))), self.clock(at));
        let after = self.machines[at].text(".dreaming.d/log.jsonl");
        // What was taken back here may be dreamed again here.
        let said = |text: &str, id: &str, word: &str| {
            text.lines().any(|line| line.contains(id) && line.contains(&format!("\"outcome\":\"{word}\"")))
        };
        let new = after.strip_prefix(before.as_str()).unwrap_or(&after).to_owned();
        self.expected.undone.retain(|id| !(said(&before, id, "undone") && said(&new, id, "appended")));
    }

    /// Takes over what the other machine pushed, in one of the ways of git, and pushes.
    fn sync(&mut self, at: usize, way: usize) {
        let machine = &self.machines[at];
        self.expected.syncs += 1;
        let decided = match way {
            // Changes that nobody committed are put aside, and back.
            3 => {
                machine.done(&["add", "--all"]);
                let is_stashed = !machine.git(&["diff", "--cached", "--quiet"]).status.success();
                if is_stashed {
                    machine.done(&["stash", "push", "--quiet"]);
                }
                let mut decided = 0;
                if !machine.git(&["pull", "--quiet", "--no-rebase", "--no-edit"]).status.success() {
                    decided += machine.settle(&["commit", "--quiet", "--no-edit"]);
                }
                if is_stashed && !machine.git(&["stash", "pop", "--quiet"]).status.success() {
                    decided += machine.settle(&[]);
                    machine.done(&["stash", "drop", "--quiet"]);
                }
                machine.commit();
                decided
            }
            // Own commits are picked onto those of the other, one after the other.
            2 => {
                machine.commit();
                machine.done(&["fetch", "--quiet"]);
                let own = machine.done(&["rev-list", "--reverse", "--no-merges", "origin/main..HEAD"]);
                let mut decided = 0;
                machine.done(&["reset", "--quiet", "--hard", "origin/main"]);
                for commit in own.lines() {
                    if !machine
                        .git(&["cherry-pick", "--allow-empty", "--keep-redundant-commits", commit])
                        .status
                        .success()
                    {
                        decided += machine.settle(&["cherry-pick", "--continue"]);
                    }
                }
                decided
            }
            1 => {
                machine.commit();
                if machine.git(&["pull", "--quiet", "--rebase"]).status.success() {
                    0
                } else {
                    machine.settle(&["rebase", "--continue"])
                }
            }
            _ => {
                machine.commit();
                if machine.git(&["pull", "--quiet", "--no-rebase", "--no-edit"]).status.success() {
                    0
                } else {
                    machine.settle(&["commit", "--quiet", "--no-edit"])
                }
            }
        };
        self.expected.conflicts += decided;
        machine.done(&["push", "--quiet"]);
    }

    fn check(&mut self, seed: u64) {
        for at in [0, 1, 0, 1] {
            self.sync(at, 0);
        }
        let [laptop, server] = &self.machines;
        let trees = [laptop, server].map(|machine| machine.done(&["rev-parse", "HEAD^{tree}"]));
        assert_eq!(trees[0], trees[1], "seed {seed}: machines differ");
        let (memory, mut journals) = (laptop.text("MEMORY.md"), String::new());
        for folder in ["memory", "memory/archive"] {
            for entry in std::fs::read_dir(laptop.folder.join(folder)).into_iter().flatten() {
                journals += &std::fs::read_to_string(entry.unwrap().path()).unwrap_or_default();
            }
        }
        for number in (1..=self.expected.stones).filter(|number| !self.expected.forgotten.contains(number)) {
            let count = journals.matches(&stone(number)).count();
            assert_eq!(count, 1, "seed {seed}: {} in journals\n{journals}", stone(number));
            let count = memory.matches(&stone(number)).count();
            assert!(count <= 1, "seed {seed}: {} is doubled\n{memory}", stone(number));
        }
        for id in &self.expected.undone {
            assert!(!memory.contains(&format!("dream:v1 id={id} ")), "seed {seed}: {id} is back\n{memory}");
        }
        for line in &self.expected.mine {
            let count = memory.lines().filter(|known| known == line).count();
            assert_eq!(count, 1, "seed {seed}: {line}\n{memory}");
        }
        // A file that git took from one machine may still say what the other has forgotten. No prompt does.
        let life = Life::new(laptop.workspace(), LifeConfig::default());
        let mut session = life.begin_session(human(), "cli", "cli", self.now).unwrap();
        let prompt = session.system_prompt().unwrap();
        for number in &self.expected.forgotten {
            assert!(!prompt.contains(&stone(*number)), "seed {seed}: {} is shown\n{prompt}", stone(*number));
        }
        self.now += Duration::days(1);
        self.dream(0);
        let memory = self.machines[0].text("MEMORY.md");
        for number in (1..=self.expected.stones).filter(|number| !self.expected.forgotten.contains(number)) {
            let count = memory.matches(&stone(number)).count();
            let is_whole = count <= 1 || self.expected.gave_back;
            assert!(is_whole, "seed {seed}: {} is doubled by the next night\n{memory}", stone(number));
        }
    }
}

// 100 histories with a thousand syncs in a long run.
#[test]
fn a_life_that_git_carries_loses_nothing_and_doubles_nothing() {
    if !Command::new("git").arg("--version").output().is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: git is not here");
        return;
    }
    let only = std::env::var("NOCTUARY_SEED").ok().and_then(|seed| seed.parse().ok());
    let count = if std::env::var_os("NOCTUARY_LONG_TESTS").is_some() { cases(150) } else { 6 };
    let seeds: Vec<u64> = only.map_or_else(|| (1..=u64::from(count)).collect(), |seed| vec![seed]);
    let (mut syncs, mut conflicts, mut failed) = (0, 0, Vec::new());
    for seed in seeds {
        let lived = std::panic::catch_unwind(|| {
            let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
            let mut random = Dice(seed);
            let mut world = World::new(folder.path());
            for _ in 0..24 {
                world.step(&mut random);
            }
            world.check(seed);
            (world.expected.syncs, world.expected.conflicts)
        });
        match lived {
            Ok((more, decided)) => (syncs, conflicts) = (syncs + more, conflicts + decided),
            Err(_) => failed.push(seed),
        }
    }
    println!("{syncs} syncs through git, {conflicts} places decided by a person");
    assert!(failed.is_empty(), "histories failed: {failed:?}");
}
