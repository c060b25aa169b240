//! A life across sessions for AI agents: plain markdown memory by day, and by night dreams that lose, double and leak
//! nothing.
//!
//! By day an agent's identity, curated memory and journals are files that its human reads and edits. By night the host
//! calls [`dream_once`]. It shows new journals to the host's own model and checks the answer. It appends the answer to
//! `MEMORY.md` exactly once, even after a crash. There is no runtime, no timer, and no network without the feature
//! `http`.
//!
//! ```
//! use std::sync::Arc;
//! use noctuary::{FileWorkspace, JournalDreamer, LlmReply, LlmRequest, dream_once, llm_fn};
//!
//! let folder = tempfile::tempdir()?; // stands for your agent's workspace
//! std::fs::create_dir(folder.path().join("memory"))?;
//! let journal = format!("memory/{}-repl.md", chrono::Utc::now().format("%Y-%m-%d"));
//! let line = "[user] Decision: releases go out on Fridays.\n";
//! std::fs::write(folder.path().join(&journal), line)?;
//!
//! let workspace = FileWorkspace::open(folder.path())?;
//! let dreamer = JournalDreamer::builder(Arc::new(workspace)).enabled(true).build()?;
//! let model = llm_fn(|_request: &LlmRequest| {
//!     // Send `system` and `user` of the request by the client that you use already.
//!     let answer = format!("### Decisions\n- Releases go out on Fridays. ({journal}#L1)");
//!     Ok(LlmReply::new(answer))
//! });
//! let report = dream_once(&dreamer, &model)?;
//! assert_eq!(report.promoted().count(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Some pages name *a seed*: one of five outside documents whose formats this crate follows. The [`manual`] lists them.
//!
//! New here? [Ten minutes to a first dream](manual::getting_started), then [a bot](manual::bot). The
//! [`manual`] has the long answers.
//!
//! # Where to find what
//!
//! The root has the types of the main jobs. Everything else is in the module that is its room. Each module page opens with its
//! main job in code, and lists the rest and its limits.
//!
//! | Job | Begin with | Room |
//! |---|---|---|
//! | a night | [`JournalDreamer`], [`dream_once`], [`DreamReport`] | [`dream`]: settings, proposals, undo, schedules |
//! | your model | [`LlmClient`], [`llm_fn`], [`Extractive`] | [`model`]: `ChatCompletions`, replies and their ends |
//! | a day | [`Life`], [`Session`], [`Note`] | [`life`]: boot, prompt, turns, editing, retention |
//! | the place of a life | [`FileWorkspace`], `SqliteWorkspace` | [`workspace`]: the contract, names, revisions, leases |
//! | rights of a session | [`Access`], [`SessionKind`], [`Scope`] | [`life::Guarded`] |
//! | secrets and disguised instructions | [`SecretGate`], [`PiiFilter`] | [`gate`]: policies of each door, allow lists |
//! | memory in rows | [`FileMemoryStore`], `SqliteMemoryStore` | [`memory`]: rows, queries, learnings; [`store`]: settings |
//! | current and earlier facts | [`facts::FactStore`] | [`facts`]; [`dream::FactDreamer`] settles contradictions |
//! | methods that only outcomes raise, rules of a person | [`learning::MethodStore`], [`learning::PreferenceStore`] | [`learning`]; [`dream::RoleDreamer`] draws lessons |
//! | who and what is mentioned where | [`edges::EdgeStore`] | [`edges`] |
//! | one page on a name | `pages::Pages` | the feature `pages` |
//! | charts, spreadsheets and reports that an agent makes | `FileArtifactStore`, `SqliteArtifactStore` | the feature `artifacts`: references, status, files at the end of a turn |
//! | files that people hand over | `files::LocalFileStore` | the feature `artifacts`: keys, messages of providers, tables as text |
//! | finding documents | [`life::Indexed`], `SqliteIndex` | [`search`]: ranking, chunks, the contract of an index |
//! | meaning beside words | [`vectors::Embedder`], [`vectors::embed_once`] | [`vectors`]: models, generations, rerankers |
//! | forgetting, copying a life | [`exchange::Forget`], [`exchange::copy_into`] | [`exchange`] |
//! | exporting, importing, merging | `exchange::Export`, `exchange::Import`, `exchange::Merge` | the feature `exchange` |
//! | a look for what should be mended | `doctor::Doctor` | the feature `doctor` |
//! | an agent that tires | `sleep::SleepDreamer` | the feature `sleep` |
//! | tools for a model | [`tools::Toolbox`] | [`tools`] |
//! | reading one file | [`format::DayLog`], [`format::Fields`] | [`format`](mod@format) |
//! | a backend of your own | the feature `testing` | `testing`: contract suites, fault injection |
//! | lives of several machines on one server | the feature `postgres` | `postgres`: `Postgres`, `PostgresWorkspace`, `PostgresMemoryStore`, `PostgresIndex` |
//! | an HTML page on a dream or a name | the feature `report` | `report`: `DreamPage`, `EntityPage` |
//!
//! # Features
//!
//! By default a host has days, nights, both memory stores, search, the gate and tools. Rooms that fewer hosts use are features.
//!
//! | Feature | Adds |
//! |---|---|
//! | `sqlite` (default) | `SqliteWorkspace`, `SqliteMemoryStore`, `SqliteIndex`; SQLite is compiled in, which takes a C compiler |
//! | `postgres` | `PostgresWorkspace`, `PostgresMemoryStore`, `PostgresIndex`: lives on a PostgreSQL server, with a lease across machines |
//! | `http` | `ChatCompletions`, `HttpEmbedder`, `HttpReranker`: blocking clients for endpoints of vendors, and for servers on this machine |
//! | `artifacts` | `artifacts`, `files`: charts, spreadsheets and reports that an agent makes, and files that people hand over |
//! | `charts` | `SvgCharts`: lines, bars and pies as SVG, without a browser; with `artifacts` |
//! | `object-store` | `ObjectFileStore`: files that people hand over in S3, Google Cloud Storage or Azure; with `artifacts` |
//! | `spreadsheets` | workbooks (xlsx) as text for a model; with `artifacts` |
//! | `pages` | `pages`: all that is known of one name, on one page |
//! | `report` | `DreamPage` and `EntityPage`: a page in HTML on a dream or a name, for its operator to look at; with `pages` |
//! | `finance` | `finance`: tickers in texts, a mirror of fills and spot activity, pages on assets; with `pages` |
//! | `exchange` | bundles, memory of other programs, one life out of two copies; with `artifacts` |
//! | `signing` | Ed25519 signatures of bundles, so that another machine can verify them; with `exchange` |
//! | `doctor` | `doctor`: a look at a home for what should be mended, and remedies |
//! | `sleep` | `sleep`: an agent that tires, dreams when it sleeps, and is told who it is when it wakes up |
//! | `tracing` | spans of dreams, memory and tools for the host's subscriber, without any content |
//! | `full` | all of the above; the [command](manual::operate), package `noctuary-cli`, has it |
//! | `encryption` | `SqliteWorkspace::unlock`: a key for a home in a SQLite file; the host builds `rusqlite` with SQLCipher |
//! | `testing` | contract suites for a backend of your own, a scripted model, fault injection |
//!
//! Two cores compile a small host with the default features in about a minute, and in three for a release. Debug information of
//! its dependencies is most of a debug build. Without it, the program takes 28 MB instead of 122, and the folder 306 MB instead
//! of 639.
//!
//! ```toml
//! [profile.dev.package."*"]
//! debug = false
//! ```
//!
//! # Two crates in signatures
//!
//! Times are types of `chrono` 0.4, free values of `serde_json` 1. No type of another crate is in a signature.
//!
//! # Types that may grow
//!
//! Types that a host reads and never builds are `#[non_exhaustive]`, and so are settings with public fields. An enum without
//! that mark, such as [`SessionKind`] and [`WriteMode`], asks for a decision in each case.
#![cfg_attr(docsrs, feature(doc_cfg))]

/// The examples of the README, run as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

#[cfg(feature = "artifacts")]
#[cfg_attr(docsrs, doc(cfg(feature = "artifacts")))]
pub mod artifacts;
pub(crate) mod base;
#[cfg_attr(not(any(test, feature = "testing")), allow(unreachable_pub))]
mod disk;
#[cfg(feature = "doctor")]
#[cfg_attr(docsrs, doc(cfg(feature = "doctor")))]
pub mod doctor;
pub mod dream;
mod dreamer;
mod drive;
pub mod edges;
mod embed;
pub mod exchange;
pub mod facts;
mod file;
#[cfg(feature = "artifacts")]
#[cfg_attr(docsrs, doc(cfg(feature = "artifacts")))]
pub mod files;
#[cfg(feature = "finance")]
#[cfg_attr(docsrs, doc(cfg(feature = "finance")))]
pub mod finance;
pub mod format;
pub mod gate;
pub mod learning;
pub mod life;
mod llm;
pub mod manual;
pub mod memory;
pub mod model;
#[cfg(feature = "object-store")]
mod objects;
#[cfg(feature = "pages")]
#[cfg_attr(docsrs, doc(cfg(feature = "pages")))]
pub mod pages;
#[cfg(feature = "postgres")]
#[cfg_attr(docsrs, doc(cfg(feature = "postgres")))]
pub mod postgres;
#[cfg(feature = "report")]
#[cfg_attr(docsrs, doc(cfg(feature = "report")))]
pub mod report;
pub mod search;
mod session;
#[cfg(feature = "sleep")]
#[cfg_attr(docsrs, doc(cfg(feature = "sleep")))]
pub mod sleep;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod sql;
#[cfg(feature = "sqlite")]
mod sqlite;
pub mod store;
#[cfg(any(test, feature = "testing"))]
#[cfg_attr(docsrs, doc(cfg(feature = "testing")))]
pub mod testing;
pub mod tools;
mod trace;
#[cfg(feature = "finance")]
mod trade;
#[cfg(feature = "artifacts")]
mod upload;
pub mod vectors;
pub mod workspace;

pub use base::access::{Access, Actor, Scope, SessionKind};
pub use base::error::{Error, Result};
pub use base::name::DocName;
pub use dream::journal::{DreamConfig, JournalDreamer};
pub use dreamer::{DreamReport, Dreamer, Outcome};
pub use drive::{dream_once, dream_once_async, dream_once_async_at, dream_once_at};
#[cfg(feature = "artifacts")]
#[cfg_attr(docsrs, doc(cfg(feature = "artifacts")))]
pub use file::FileArtifactStore;
pub use file::{FileMemoryStore, FileWorkspace};
pub use format::documents::note::Note;
pub use life::config::LifeConfig;
pub use life::life::Life;
pub use life::session::Session;
pub use llm::{LlmClient, LlmError, LlmReply, LlmRequest, llm_fn};
pub use memory::store::MemoryStore;
pub use model::extractive::Extractive;
#[doc(inline)]
pub use noctuary_gate::{PiiFilter, SecretGate};
#[cfg(all(feature = "artifacts", feature = "sqlite"))]
#[cfg_attr(docsrs, doc(cfg(all(feature = "artifacts", feature = "sqlite"))))]
pub use sqlite::SqliteArtifactStore;
#[cfg(feature = "sqlite")]
#[cfg_attr(docsrs, doc(cfg(feature = "sqlite")))]
pub use sqlite::{SqliteIndex, SqliteMemoryStore, SqliteWorkspace};
pub use workspace::contract::Workspace;
pub use workspace::write::WriteMode;
