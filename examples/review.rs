//! A night that asks first: what it would keep waits in a file, a person edits it and says yes to one, and no to another.
//!
//! ```text
//! cargo run --example review
//! ```
//!
//! It needs no model, and checks what it tells: whatever does not hold ends it.

use std::error::Error as StdError;
use std::fs;
use std::sync::Arc;

use chrono::{DateTime, TimeZone, Utc};
use noctuary::dream::{DreamMode, DreamProposal, ProposalEnd};
use noctuary::{Access, Error, Extractive, FileWorkspace, JournalDreamer, Outcome, Scope, dream_once_at};

type Result<T> = std::result::Result<T, Box<dyn StdError>>;

const JOURNALS: [(&str, &str); 2] = [
    (
        "memory/2026-11-19-repl.md",
        "- 09:12 [user] Decision: the boat is called Brisk, and Ilya paints it on 2026-12-04.\n\
         - 09:15 [agent] Noted, I will order the paint.\n",
    ),
    ("memory/2026-11-20-repl.md", "- 18:40 [user] I prefer the harbour of Nes to the one of Oude Zijl.\n"),
];

fn main() -> Result<()> {
    let folder = tempfile::tempdir()?;
    fs::create_dir(folder.path().join("memory"))?;
    for (journal, text) in JOURNALS {
        fs::write(folder.path().join(journal), text)?;
    }
    let dreamer = JournalDreamer::builder(Arc::new(FileWorkspace::open(folder.path())?))
        .enabled(true)
        .configure(|config| {
            config.mode = DreamMode::Propose;
            config.total_input_bytes = 64; // a proposal for each journal
        })
        .build()?;

    let night = at(21, 3);
    let report = dream_once_at(&dreamer, &Extractive::new(), &|| night)?;
    assert_eq!(report.outcome, Outcome::Proposed);
    println!("The night of {}: {}, MEMORY.md does not exist yet.", night.date_naive(), report.outcome);
    assert!(!folder.path().join("MEMORY.md").exists());

    // Only the human of a main session sees proposals.
    let agent = Access::agent(Scope::user("marta"));
    assert!(matches!(dreamer.proposals(&agent, night), Err(Error::Denied { .. })));
    let marta = Access::human(Scope::user("marta"));
    let morning = at(21, 8);
    let proposals = dreamer.proposals(&marta, morning)?;
    let about = |word: &str| -> Result<&DreamProposal> {
        let found = proposals.iter().find(|proposal| proposal.document.lossy().contains(word));
        Ok(found.ok_or_else(|| format!("nothing is proposed about {word}"))?)
    };
    let (boat, harbour) = (about("Brisk")?, about("harbour")?);
    println!("\n{}, {} hours old:\n", boat.document.name(), boat.age.num_hours());
    print!("{}", boat.document.lossy());

    // Marta opens the file in her editor, and saves a line too much at first.
    let file = folder.path().join(boat.document.name().as_str());
    let text = fs::read_to_string(&file)?;
    fs::write(&file, text.replace("Brisk", "Brisk II\nbut ask again"))?;
    let error = dreamer.accept_proposal(&marta, &boat.id, morning).expect_err("prose is no bullet");
    println!("\nNot yet: {error}.");
    fs::write(&file, text.replace("Brisk", "Brisk II"))?;

    let accepted = dreamer.accept_proposal(&marta, &boat.id, morning)?;
    assert_eq!(accepted.end, ProposalEnd::Appended);
    assert!(dreamer.reject_proposal(&marta, &harbour.id, morning)?);
    let memory = fs::read_to_string(folder.path().join("MEMORY.md"))?;
    assert!(memory.contains("Brisk II") && !memory.contains("harbour"));
    println!("\nMEMORY.md, once she said yes to the boat and no to the harbour:\n\n{memory}");

    // Nobody is asked again, and no answer counts twice.
    assert_eq!(dreamer.accept_proposal(&marta, &boat.id, morning)?.end, ProposalEnd::NotWaiting);
    let again = dream_once_at(&dreamer, &Extractive::new(), &|| at(22, 3))?;
    assert_eq!((again.outcome, again.calls), (Outcome::NothingNew, 0));
    assert_eq!(fs::read_to_string(folder.path().join("MEMORY.md"))?, memory);
    println!("The next night: {}.", again.outcome);

    // What was accepted can be taken back, and brought back in the same bytes.
    assert!(dreamer.undo_dream(&marta, &boat.id, morning)?);
    assert!(!fs::read_to_string(folder.path().join("MEMORY.md"))?.contains("Brisk II"));
    assert!(dreamer.redo_dream(&marta, &boat.id, morning)?);
    assert_eq!(fs::read_to_string(folder.path().join("MEMORY.md"))?, memory);
    println!("Taken back, and brought back: not a byte differs.");
    Ok(())
}

/// An hour of a day in November.
fn at(day: u32, hour: u32) -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2026, 11, day, hour, 0, 0).unwrap()
}
