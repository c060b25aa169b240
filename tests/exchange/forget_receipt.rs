//! The receipt of a forgetting: it counts what hidden files held, gives each reason, and names what was not opened.

#![expect(clippy::unwrap_used, reason = "helpers of a test")]

use noctuary::exchange::{Forget, ForgetPlace, ForgetReceipt};
use noctuary::{Access, FileWorkspace, Scope, Workspace};

use noctuary_tests::dreaming::{Life, night};

const STATEMENT: &str = "My landlord is Jan Kowalski.";

fn forget(workspace: &dyn Workspace, in_files: bool) -> ForgetReceipt {
    let human = Access::human(Scope::user("marta"));
    Forget::new(&human, STATEMENT).in_files(in_files).workspace(workspace).run(night(21)).unwrap()
}

/// A folder with an editor's bin and settings, hidden files beside documents, and a file of state of another program.
fn kept() -> Life {
    let home = Life::empty();
    for file in [".trash/old.md", ".trash/deep/.older.md", "notes/.draft.md", ".obsidian/plugins/recent.json"]
    {
        home.put(file, format!("\u{feff}# Old\r\n{STATEMENT} Tea.\r\n"));
    }
    home.put(".self/diary.md", format!("{STATEMENT}\n"));
    home.put("notes/house.md", "The roof leaks.\n");
    home
}

// A sentence that a person had put into the bin of their editor stayed there, and the receipt called it gone.
#[test]
fn hidden_files_are_forgotten_too_and_counted_as_other_documents() {
    let home = kept();
    let workspace = FileWorkspace::open(home.path("")).unwrap();
    let before = home.tree();
    let asked = forget(&workspace, false);
    let line = asked.place(ForgetPlace::Documents);
    assert_eq!((line.found, line.removed), (5, 0), "{asked}");
    assert_eq!(line.left.as_deref(), Some("files are touched only where their person asks for it"));
    for (file, bytes) in &before {
        assert_eq!(home.tree()[file], *bytes, "{file}");
    }

    let receipt = forget(&workspace, true);
    let line = receipt.place(ForgetPlace::Documents);
    assert_eq!((line.found, line.removed, line.left.as_ref()), (5, 5, None), "{receipt}");
    assert_eq!(receipt.left().count(), 0);
    let text = home.text(".trash/old.md");
    assert_eq!(text, "\u{feff}# Old\r\n[forgotten]----------------. Tea.\r\n");
    for (file, bytes) in home.tree() {
        assert!(!String::from_utf8_lossy(&bytes).contains("Kowalski"), "{file}");
    }
    assert_eq!(
        forget(&workspace, true).place(ForgetPlace::Documents).found,
        0,
        "the second time nothing is left"
    );
}

#[test]
fn a_repository_is_named_as_not_opened_and_the_receipt_is_not_whole() {
    let home = kept();
    home.put(".git/objects/ab/cd", [120, 156, 0, 1]);
    home.put("sub/.git/HEAD", "ref: refs/heads/main\n");
    let workspace = FileWorkspace::open(home.path("")).unwrap();
    let receipt = forget(&workspace, true);
    let backups = receipt.place(ForgetPlace::Backups);
    assert_eq!(
        backups.left.as_deref(),
        Some("out of reach: whoever made them must look; not opened: .git, sub/.git")
    );
    assert!(receipt.left().any(|line| line == backups) && !receipt.is_gone());
    assert_eq!(receipt.place(ForgetPlace::Documents).left, None);
}

// Its state has checksums: overwritten by a request to this life, that one would be damaged.
#[test]
fn the_state_of_a_life_below_this_one_is_named_and_stays() {
    let home = kept();
    let inner = "agent/.dreaming.d/history/USER.md.json";
    home.put(inner, STATEMENT);
    let workspace = FileWorkspace::open(home.path("")).unwrap();
    let receipt = forget(&workspace, true);
    let why = receipt.place(ForgetPlace::Documents).left.clone().unwrap();
    assert_eq!(why, "hidden, and not opened: agent/.dreaming.d");
    assert!(!receipt.is_gone());
    assert_eq!(home.text(inner), STATEMENT);
}

// One link in a folder hid the true reason: files are not touched unasked.
#[cfg(unix)]
#[test]
fn a_line_gives_every_reason_and_names_the_links_without_the_statement() {
    let home = kept();
    home.put("notes/landlord.md", STATEMENT);
    let elsewhere = Life::empty();
    elsewhere.put("shared.md", STATEMENT);
    for link in ["shared.md", "notes/my landlord is Jan Kowalski.md", ".trash/linked.md"] {
        std::os::unix::fs::symlink(elsewhere.path("shared.md"), home.path(link)).unwrap();
    }
    let workspace = FileWorkspace::open(home.path("")).unwrap();
    let receipt = forget(&workspace, false);
    let why = receipt.place(ForgetPlace::Documents).left.clone().unwrap();
    assert!(why.contains("files are touched only where their person asks for it"), "{why}");
    assert!(why.contains("shared.md") && why.contains("notes/[forgotten]"), "{why}");
    assert!(why.contains("hidden, and not opened: .trash/linked.md"), "{why}");
    assert!(!receipt.to_string().contains("Kowalski"));

    let receipt = forget(&workspace, true);
    let line = receipt.place(ForgetPlace::Documents);
    assert_eq!((line.found, line.removed), (6, 6));
    let why = line.left.clone().unwrap();
    assert!(!why.contains("asks for it") && why.contains("shared.md"), "{why}");
    assert_eq!(elsewhere.text("shared.md"), STATEMENT, "a link is not followed");
}

mod index {
    use super::*;
    use noctuary::SqliteIndex;
    use noctuary::life::Indexed;

    // Each run counted the documents that still held it as removed from the index.
    #[test]
    fn an_index_that_holds_it_no_more_is_not_cleared_again() {
        let home = kept();
        home.put("memory/2026-11-19-repl.md", format!("- {STATEMENT}\n"));
        let index = SqliteIndex::open_in_memory(Scope::user("marta")).unwrap();
        let indexed = Indexed::new(FileWorkspace::open(home.path("")).unwrap(), index);
        indexed.sync(night(20)).unwrap();
        let human = Access::human(Scope::user("marta"));
        let run = |text: &str| {
            let request = Forget::new(&human, text).workspace(&indexed).index(&indexed);
            let receipt = request.run(night(21)).unwrap();
            let line = receipt.place(ForgetPlace::DocumentIndex);
            (line.found, line.removed, line.left.clone())
        };
        assert_eq!(run(STATEMENT), (2, 2, None), "the journal, and the diary in the sleeper's folder");
        assert_eq!(run(STATEMENT), (0, 0, None));
        assert_eq!(run("The roof leaks badly."), (0, 0, None));
    }

    // A request borrowed what it was given to the end of the scope.
    #[test]
    fn what_a_request_was_given_may_be_changed_after_its_last_use() {
        let home = kept();
        let index = SqliteIndex::open_in_memory(Scope::user("marta")).unwrap();
        let mut indexed = Indexed::new(FileWorkspace::open(home.path("")).unwrap(), index);
        let human = Access::human(Scope::user("marta"));
        let request = Forget::new(&human, STATEMENT).workspace(&indexed).index(&indexed);
        let receipt = request.run(night(21)).unwrap();
        let again = &mut indexed;
        assert!(again.sync(night(22)).unwrap().added.is_empty());
        assert_eq!(receipt.place(ForgetPlace::DocumentIndex).found, 0, "nothing was indexed yet");
    }
}
