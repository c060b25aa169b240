//! Two replicas of a service on one database: both wake up for the same night, and one of them dreams.
//!
//! ```text
//! NOCTUARY_POSTGRES="$(.ci/postgres)" cargo run --features postgres --example postgres
//! ```
//!
//! `.ci/postgres` starts a private server of this machine; any other URL will do, by `NOCTUARY_POSTGRES`.

use std::sync::{Arc, Barrier};

use chrono::Utc;
use noctuary::postgres::{Postgres, PostgresConfig};
use noctuary::workspace::WorkspaceExt;
use noctuary::{
    DocName, DreamReport, JournalDreamer, LlmReply, LlmRequest, Outcome, Result, Scope, Workspace,
    dream_once, llm_fn,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let Ok(url) = std::env::var("NOCTUARY_POSTGRES") else {
        println!("Set NOCTUARY_POSTGRES to the URL of a server: NOCTUARY_POSTGRES=\"$(.ci/postgres)\"");
        return Ok(());
    };
    let mut config = PostgresConfig::default();
    "noctuary_example".clone_into(&mut config.schema);
    config.max_connections = 4;

    // Once, by an operator or at each start: replicas that start together wait for one another.
    let server = Postgres::connect_with(&url, config.clone())?;
    for step in server.migrate()? {
        println!("Did {step}.");
    }

    // A day: any replica writes.
    let user = format!("marta-{}", std::process::id());
    let marta = server.workspace(Scope::user(&user))?;
    let journal = format!("memory/{}-repl.md", Utc::now().format("%Y-%m-%d"));
    let today = DocName::parse(&journal)?;
    marta.append(&today, b"[user] Decision: releases go out on Fridays.\n")?;

    // A night: both replicas begin at once, each with a pool of its own, as on two machines.
    let together = Barrier::new(2);
    let reports: Vec<Result<DreamReport>> = std::thread::scope(|threads| {
        let replicas: Vec<_> = (0..2)
            .map(|_| {
                let (url, config, user, journal, together) =
                    (&url, config.clone(), &user, &journal, &together);
                threads.spawn(move || replica(url, config, user, journal, together))
            })
            .collect();
        replicas.into_iter().map(|replica| replica.join().expect("a replica does not panic")).collect()
    });
    for (number, report) in reports.into_iter().enumerate() {
        println!("Replica {}: {}", number + 1, report?);
    }

    let memory = marta.read_text(&DocName::MEMORY)?.unwrap_or_default();
    println!("\n{memory}");
    let times = memory.matches("Releases go out on Fridays.").count();
    println!("Promoted {times} time.");
    assert_eq!(times, 1, "whoever came first");
    Ok(())
}

fn replica(
    url: &str,
    config: PostgresConfig,
    user: &str,
    journal: &str,
    together: &Barrier,
) -> Result<DreamReport> {
    let server = Postgres::connect_with(url, config);
    together.wait();
    let life = server?.workspace(Scope::user(user))?;
    let dreamer = JournalDreamer::builder(Arc::new(life)).enabled(true).build()?;
    let model = llm_fn(|_: &LlmRequest| {
        Ok(LlmReply::new(format!("### Decisions\n- Releases go out on Fridays. ({journal}#L1)")))
    });
    loop {
        let report = dream_once(&dreamer, &model)?;
        if report.outcome != Outcome::LockHeld {
            return Ok(report);
        }
        // The other one dreams just now. What is left is looked at afterwards.
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}
