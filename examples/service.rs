//! A service with three replicas on one database: each answers turns of any person, and wakes up for every night; one of them dreams.
//!
//! ```text
//! NOCTUARY_POSTGRES="$(.ci/postgres)" cargo run --features postgres,tokio --example service
//! ```
//!
//! Here the replicas are tasks of one process, each with a pool of its own, as on three machines.

use std::sync::Arc;
use std::time::Duration;

use chrono::Utc;
use noctuary::life::Indexed;
use noctuary::postgres::{Postgres, PostgresConfig, PostgresWorkspace};
use noctuary::workspace::WorkspaceExt;
use noctuary::{
    Access, DocName, Error, JournalDreamer, LlmReply, LlmRequest, Outcome, Result, Scope, Workspace,
    dream_once, llm_fn,
};

const PEOPLE: [&str; 4] = ["marta", "ilya", "jan", "noor"];

type Life = Indexed<PostgresWorkspace>;

/// A replica: it holds no state but its connections.
#[derive(Clone)]
struct Replica {
    number: usize,
    server: Postgres,
}

impl Replica {
    fn life(&self, user: &str) -> Result<Life> {
        let scope = Scope::user(user);
        Ok(Indexed::new(self.server.workspace(scope.clone())?, self.server.index(scope)?))
    }

    /// A turn of a person, whom any replica may serve.
    fn turn(&self, user: &str, said: &str) -> Result<()> {
        let today =
            DocName::parse(format!("memory/{}-replica{}.md", Utc::now().format("%Y-%m-%d"), self.number))?;
        self.life(user)?.append(&today, format!("[user] {said}\n").as_bytes())
    }

    /// The night of a person: `None` where another replica is at it.
    fn night(&self, user: &str) -> Result<Option<Outcome>> {
        let life = self.life(user)?;
        let dreamer = JournalDreamer::builder(Arc::new(life)).enabled(true).build()?;
        // Stands for your model: it keeps each decision, with the line that it is from.
        let model = llm_fn(|request: &LlmRequest| {
            let mut journal = "";
            let mut kept = String::new();
            for line in request.user.lines() {
                if let Some(at) = line.find("memory/") {
                    journal = line[at..].trim_end_matches('>');
                }
                if let Some((number, said)) = line.split_once("| [user] Decision: ") {
                    kept += &format!("- {said} ({journal}#{number})\n");
                }
            }
            Ok(LlmReply::new(if kept.is_empty() { "NOTHING_TO_PROMOTE".to_owned() } else { kept }))
        });
        let report = dream_once(&dreamer, &model)?;
        Ok((report.outcome != Outcome::LockHeld).then_some(report.outcome))
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let Ok(url) = std::env::var("NOCTUARY_POSTGRES") else {
        println!("Set NOCTUARY_POSTGRES to the URL of a server: NOCTUARY_POSTGRES=\"$(.ci/postgres)\"");
        return Ok(());
    };
    let mut config = PostgresConfig::default();
    "noctuary_service".clone_into(&mut config.schema);
    config.max_connections = 4;
    let run = format!("{}-{}", std::process::id(), Utc::now().timestamp());

    let mut replicas = Vec::new();
    for number in 1..=3 {
        let (url, config) = (url.clone(), config.clone());
        let replica = tokio::task::spawn_blocking(move || {
            let server = Postgres::connect_with(&url, config)?;
            server.migrate()?; // those that start together wait for one another
            Ok::<_, Error>(Replica { number, server })
        });
        replicas.push(replica.await??);
    }

    // A day: turns reach whichever replica is free.
    let mut turns = tokio::task::JoinSet::new();
    for (at, person) in PEOPLE.iter().enumerate() {
        for (turn, said) in ["Decision: releases go out on Fridays.", "thanks"].iter().enumerate() {
            let replica = replicas[(at + turn) % replicas.len()].clone();
            let user = format!("{person}-{run}");
            turns.spawn_blocking(move || replica.turn(&user, said));
        }
    }
    while let Some(done) = turns.join_next().await {
        done??;
    }

    // A night: every replica wakes up for everybody.
    let mut nights = tokio::task::JoinSet::new();
    for replica in &replicas {
        for person in PEOPLE {
            let (replica, user) = (replica.clone(), format!("{person}-{run}"));
            nights.spawn_blocking(move || (replica.number, person, replica.night(&user)));
        }
    }
    while let Some(done) = nights.join_next().await {
        let (number, person, outcome) = done?;
        match outcome {
            Ok(Some(outcome)) => println!("Replica {number}, {person}: {outcome}"),
            Ok(None) => println!("Replica {number}, {person}: another replica dreams"),
            // Nothing of it was written; the next night takes it up.
            Err(error) => println!("Replica {number}, {person}: {error}"),
        }
    }
    // Where each replica met another one, the night is still to come.
    for person in PEOPLE {
        let (replica, user) = (replicas[0].clone(), format!("{person}-{run}"));
        tokio::time::timeout(
            Duration::from_secs(60),
            tokio::task::spawn_blocking(move || {
                while replica.night(&user)?.is_none() {
                    std::thread::sleep(Duration::from_millis(20));
                }
                let life = replica.life(&user)?;
                let memory = life.read_text(&DocName::MEMORY)?.unwrap_or_default();
                assert_eq!(memory.matches("releases go out on Fridays").count(), 1, "{memory}");
                let found = life.search(&Access::human(Scope::user(&user)), "when are releases", 5)?;
                assert!(found.results.iter().any(|hit| hit.path == DocName::MEMORY));
                Ok::<_, Error>(())
            }),
        )
        .await???;
    }
    println!("Promoted once, for each of {} people.", PEOPLE.len());
    Ok(())
}
