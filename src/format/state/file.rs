//! The shape that most state files have: one object as a line of JSON.
//!
//! ```text
//! {"v":1,"waiting":[],"check":"9f86d081884c7d65"}
//! ```
//!
//! `v` is the version. A file of a newer one is refused before its shape is judged. `check` is a [checksum](seal). A file
//! that a peer writes too has neither. Where a type keeps the keys of others, they come back as they were.
//!
//! Files of another shape: a person edits the state of a dream and the quarantine, so they are read as far as they go. The
//! entries of the ledger are parsed one by one. The intent of a merge has no end of line. Logs are lines of JSON.

use std::borrow::Cow;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::seal;
use crate::base::error::{Error, Result, parse_json};
use crate::base::name::StateName;

/// A state file by its name, its version, and whether it has a checksum.
pub(crate) struct StateFile {
    name: StateName,
    version: Option<u64>,
    is_sealed: bool,
}

impl StateFile {
    /// Makes a file with a checksum, of versions up to this one where it has one.
    pub(crate) const fn sealed(name: StateName, version: Option<u64>) -> Self {
        Self { name, version, is_sealed: true }
    }

    /// Makes a file without both.
    pub(crate) const fn plain(name: StateName) -> Self {
        Self { name, version: None, is_sealed: false }
    }

    /// Parses the file; `None` where there is none.
    ///
    /// # Errors
    ///
    /// [`Error::NewerVersion`], and [`Error::Corrupt`] for a file that was damaged.
    pub(crate) fn parse<T: DeserializeOwned>(&self, bytes: Option<&[u8]>) -> Result<Option<T>> {
        let Some(bytes) = bytes else { return Ok(None) };
        let name = self.name.as_str();
        if let Some(known) = self.version {
            check_version(name, bytes, known)?;
        }
        let object = if self.is_sealed { seal::opened(name, bytes)? } else { Cow::Borrowed(bytes) };
        Ok(Some(parse_json(name, &object)?))
    }

    /// Prints the file.
    pub(crate) fn print(&self, state: &impl Serialize) -> Vec<u8> {
        if self.is_sealed { seal::print(state) } else { line(state) }
    }

    /// Refuses a state that has a fault.
    pub(crate) fn refuse(&self, fault: Option<&'static str>) -> Result<()> {
        let Some(what) = fault else { return Ok(()) };
        Err(Error::Corrupt { name: self.name.to_string(), line: 0, column: 0, what })
    }
}

/// Prints an object or a list as one line.
pub(super) fn line(state: &impl Serialize) -> Vec<u8> {
    let mut bytes = serde_json::to_vec(state).expect("maps with text keys print");
    bytes.push(b'\n');
    bytes
}

/// Refuses a file that a newer version wrote, before its shape is judged. One without a version may be as old as any.
pub(super) fn check_version(name: &str, bytes: &[u8], known: u64) -> Result<()> {
    #[derive(Deserialize)]
    struct Version {
        #[serde(default)]
        v: u64,
    }
    let found = parse_json::<Version>(name, bytes)?.v;
    if found > known { Err(Error::NewerVersion { name: name.to_owned(), found, known }) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::state::asked::AskedState;
    use crate::format::state::forgotten::Forgotten;
    use crate::format::state::intent::Intent;
    use crate::format::state::ledger::Ledger;
    use crate::format::state::life::LifeState;
    use crate::format::state::proposal::Proposals;
    use crate::format::state::receipts::ReceiptKeys;
    use crate::format::state::soul::SoulState;
    use crate::format::state::undone::Undone;
    #[cfg(feature = "sleep")]
    use crate::format::state::{sleep_intent::SleepIntent, sleep_state::SleepState};
    use crate::gate::Tombstones;

    /// A file as it is on disk, without its checksum.
    struct Row {
        text: &'static str,
        /// Reads a file, and prints it again.
        again: fn(&[u8]) -> Result<Vec<u8>>,
        /// The newest version that is read.
        version: Option<u64>,
        is_sealed: bool,
        keeps_others: bool,
        /// Other texts that are no such file.
        damaged: &'static [&'static str],
    }

    const fn row(text: &'static str, version: u64, again: fn(&[u8]) -> Result<Vec<u8>>) -> Row {
        Row {
            text,
            again,
            version: Some(version),
            is_sealed: true,
            keeps_others: true,
            damaged: &["[]", "{}"],
        }
    }

    const ROWS: &[Row] = &[
        Row {
            damaged: &[
                r#"{"v":1}"#,
                r#"{"v":1,"key":"k","answered":{"after":7,"rulings":[{"older":1,"newer":2,"ruling":"delete","seen":"ab"}]}}"#,
            ],
            ..row(
                r#"{"v":1,"key":"k","pace":{"calls_that_day":2},"asked":{"1-2":"ab"},"answered":{"after":7,"rulings":[{"older":1,"newer":2,"ruling":"supersede","seen":"ab"}]}}"#,
                1,
                |bytes| Ok(AskedState::parse(&StateName::FACTS, Some(bytes), String::new)?.print()),
            )
        },
        row(
            r#"{"v":1,"waiting":[{"id":"0123456789abcdef","at":"1970-01-01T00:00:00Z","day":"2026-11-21","sources":[],"lines":["a"]}]}"#,
            1,
            |bytes| Ok(Proposals::parse(Some(bytes))?.print()),
        ),
        Row {
            damaged: &[r#"{"v":1,"keys":[]}"#],
            ..row(
                r#"{"v":1,"keys":["9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"]}"#,
                1,
                |bytes| Ok(ReceiptKeys::parse(Some(bytes))?.expect("it is there").print()),
            )
        },
        Row {
            damaged: &[r#"{"v":1,"forgotten":{"key":"00","tombstones":[]}}"#],
            ..row(
                r#"{"v":1,"forgotten":{"key":"0909090909090909090909090909090909090909090909090909090909090909","tombstones":[]}}"#,
                2,
                |bytes| Ok(Forgotten::<Tombstones>::parse(Some(bytes))?.expect("it is there").print()),
            )
        },
        Row {
            keeps_others: false,
            ..row(
                r#"{"v":1,"dreams":[],"appended":[{"id":"0f3a9c5be2d14477","section":"\n## Dreamed\n"}]}"#,
                1,
                |bytes| Ok(Undone::parse(Some(bytes))?.print()),
            )
        },
        Row {
            keeps_others: false,
            ..row(
                r#"{"v":1,"id":"0f3a9c5be2d14477","epoch":1,"ledger":{},"forget":[],"watermark":null,"state":{},"log":{"v":1,"at":null,"day":"2026-02-12","id":"0f3a9c5be2d14477","epoch":1,"outcome":"appended","sources":[],"request_bytes":0}}"#,
                2,
                |bytes| Ok(Intent::parse(Some(bytes))?.expect("it is there").print()),
            )
        },
        #[cfg(feature = "sleep")]
        Row {
            keeps_others: false,
            ..row(
                r#"{"v":1,"id":"0f3a9c5be2d14477","epoch":1,"folder":"self","deeds":[],"state":{"dreams":1,"last_deep":0,"read":5,"actions":3,"at":null,"asleep_since":null},"log":{"v":1,"at":null,"day":"2026-02-12","id":"0f3a9c5be2d14477","epoch":1,"outcome":"appended","sources":[],"request_bytes":0}}"#,
                1,
                |bytes| Ok(SleepIntent::parse(Some(bytes))?.expect("it is there").print()),
            )
        },
        Row {
            keeps_others: false,
            ..row(r#"{"v":1,"epoch":7,"watermark":1795230000000,"journals":{}}"#, 1, |bytes| {
                Ok(Ledger::parse(Some(bytes))?.print())
            })
        },
        #[cfg(feature = "sleep")]
        Row {
            damaged: &["[]"],
            ..row(
                r#"{"v":1,"folder":"self","actions":12,"warned":false,"dreams":9,"last_deep":0,"read":48122,"consecutive_failures":0,"bytes_that_day":0,"tokens_that_day":0}"#,
                1,
                |bytes| Ok(SleepState::parse(Some(bytes), None)?.print()),
            )
        },
        Row {
            version: None,
            damaged: &["[]", r#"{"bootstrap_seen":"yes"}"#, r#"{"onboarding":{"end":"maybe"}}"#],
            ..row(
                r#"{"bootstrap_seen":true,"onboarding":{"end":"done","at":"2026-11-21T09:14:05Z","finished":true,"by":"x"},"merged":{"MEMORY.md":["9f86d081884c7d65"]}}"#,
                0,
                |bytes| Ok(LifeState::parse(Some(bytes))?.print()),
            )
        },
        Row {
            version: None,
            is_sealed: false,
            damaged: &["[]", r#"{"hash":"abc"}"#],
            ..row(r#"{"seen_at":"2026-11-21T09:14:05.000Z"}"#, 0, |bytes| {
                Ok(SoulState::parse(Some(bytes))?.print())
            })
        },
    ];

    #[test]
    fn a_state_file_reads_back_with_keys_of_others_and_damage_is_no_fresh_start() {
        for &Row { text, again, version, is_sealed, keeps_others, damaged } in ROWS {
            let closed = |text: &str| {
                if is_sealed { seal::close(text.into()) } else { format!("{text}\n").into_bytes() }
            };
            let printed = closed(text);
            let shown = String::from_utf8_lossy(&printed);
            assert_eq!(again(text.as_bytes()).unwrap(), printed, "{text}");
            assert_eq!(again(&printed).unwrap(), printed, "{text}");
            let theirs = closed(&format!("{},\"theirs\":[1]}}", &text[..text.len() - 1]));
            assert_eq!(again(&theirs).unwrap(), if keeps_others { theirs } else { printed.clone() });
            for cut in 0..printed.len() - 2 {
                let cut = &printed[..cut];
                assert!(matches!(again(cut), Err(Error::Corrupt { .. })), "{}", String::from_utf8_lossy(cut));
            }
            for damaged in damaged {
                assert!(matches!(again(damaged.as_bytes()), Err(Error::Corrupt { .. })), "{damaged}");
            }
            let edited = shown.replacen('{', "{\"theirs\":[1],", 1);
            assert_eq!(again(edited.as_bytes()).is_err(), is_sealed, "{edited}");
            if let Some(newest) = version {
                let newer = format!(r#"{{"v":{},"whatever":true}}"#, newest + 1);
                match again(newer.as_bytes()) {
                    Err(Error::NewerVersion { found, known, .. }) => {
                        assert_eq!((found, known), (newest + 1, newest), "{text}");
                    }
                    other => panic!("{text}: {other:?}"),
                }
            }
        }
    }
}
