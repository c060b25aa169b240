//! The words after `--`.

use std::path::PathBuf;
use std::time::Duration;

use crate::course::Size;
use crate::measure::allowance;

/// The time for all facts of a size, where nobody asked for that size.
const FACTS: Duration = Duration::from_secs(16);

pub(crate) struct Arguments {
    /// One size in place of the usual ones.
    pub(crate) rows: Option<u32>,
    pub(crate) json: Option<PathBuf>,
    pub(crate) folder: PathBuf,
    /// A run that only shows that everything works.
    pub(crate) is_short: bool,
    /// The names of what is measured beside the same by hand.
    pub(crate) names: Vec<String>,
}

impl Arguments {
    /// Reads the arguments of this process.
    pub(crate) fn read() -> Self {
        let mut read =
            Self { rows: None, json: None, folder: std::env::temp_dir(), is_short: true, names: Vec::new() };
        let mut is_quick = false;
        let mut arguments = std::env::args().skip(1);
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().unwrap_or_else(|| panic!("{argument} wants a value"));
            match argument.as_str() {
                "--rows" => read.rows = Some(number(&value())),
                "--json" => read.json = Some(value().into()),
                "--folder" => read.folder = value().into(),
                // `cargo bench` says so; without it, this is a test run.
                "--bench" => read.is_short = false,
                "--quick" | "--test" => is_quick = true,
                name => read.names.extend((!name.starts_with('-')).then(|| name.to_owned())),
            }
        }
        if read.is_short && !is_quick {
            // What a test run names are tests.
            read.names.clear();
        }
        read.is_short |= is_quick;
        assert!(read.rows.is_none_or(|rows| rows >= 500), "--rows wants 500 or more");
        read
    }

    /// The sizes that are measured, each ten times the one before it.
    pub(crate) fn sizes(&self) -> Vec<Size> {
        let has_million = std::env::var("NOCTUARY_BENCH_MILLION").is_ok_and(|said| said == "1");
        let rows = match self.rows {
            Some(rows) => vec![rows],
            None if self.is_short => vec![500],
            None if has_million => vec![10_000, 100_000, 1_000_000],
            None => vec![10_000, 100_000],
        };
        // Who asks for a number of rows waits for them.
        let facts = (self.rows.is_none() && !has_million).then_some(FACTS);
        let short =
            |rows| Size { rows, time: Duration::from_millis(100), facts: None, questions: 20, processes: 1 };
        let full = |rows| Size { rows, time: allowance(2), facts, questions: 400, processes: 5 };
        let size = |rows| if self.is_short { short(rows) } else { full(rows) };
        rows.into_iter().map(size).collect()
    }
}

fn number(text: &str) -> u32 {
    text.replace(['_', ','], "").parse().unwrap_or_else(|_| panic!("{text} is no number of rows"))
}
