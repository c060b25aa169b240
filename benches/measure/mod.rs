//! The shared parts of the benchmarks: rounds in turn, their medians, and the table of them.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

/// How many rounds at most, for how long, and how much smaller each is than it would be.
#[derive(Clone, Copy)]
pub(crate) struct Effort {
    pub(crate) rounds: usize,
    pub(crate) divisor: u32,
    /// No round begins after it, but for the first three.
    pub(crate) time: Duration,
}

impl Effort {
    /// The size of a run by its arguments: `--bench` all of it, `--quick` or a test run one small round.
    pub(crate) fn of_arguments() -> Self {
        let is_quick = std::env::args().any(|argument| argument == "--quick" || argument == "--test");
        // `cargo bench` says so; without a word from either, it is a test run.
        let is_bench = std::env::args().any(|argument| argument == "--bench");
        if is_quick || !is_bench {
            Self { rounds: 1, divisor: 1000, time: Duration::ZERO }
        } else {
            Self { rounds: 61, divisor: 1, time: allowance(4) }
        }
    }
}

/// The time for one row of a table: so many seconds, or as many as `NOCTUARY_BENCH_SECONDS` says.
pub(crate) fn allowance(usual: u32) -> Duration {
    let said = std::env::var("NOCTUARY_BENCH_SECONDS").ok();
    let seconds = said.map(|said| said.parse().expect("NOCTUARY_BENCH_SECONDS is a number of seconds"));
    Duration::from_secs_f64(seconds.unwrap_or(usual.into()))
}

/// Returns a time in seconds. With `NOCTUARY_BENCH_CPU=1` it is that of this thread on a processor, as Linux has it: other
/// programs do not count then, and neither does a wait for a disk.
fn clock() -> f64 {
    static BEGUN: LazyLock<Instant> = LazyLock::new(Instant::now);
    if std::env::var("NOCTUARY_BENCH_CPU").is_ok_and(|said| said == "1") {
        let told = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux tells it");
        let nanos = told.split(' ').next().and_then(|nanos| nanos.parse::<f64>().ok());
        return nanos.expect("it is a number") / 1e9;
    }
    BEGUN.elapsed().as_secs_f64()
}

impl Effort {
    /// A ninth of the rounds, for what takes seconds.
    #[allow(dead_code, reason = "each benchmark uses a part of it")]
    pub(crate) fn fewer(self) -> Self {
        Self { rounds: self.rounds.div_ceil(9), ..self }
    }
}

/// One thing that is measured, once for each call. The argument is a number that is new each time.
pub(crate) type Operation<'a> = Box<dyn FnMut(u64) + 'a>;

/// Fewer say nothing.
const LEAST_ROUNDS: usize = 3;

pub(crate) struct Row {
    /// Where, what, and beside what.
    pub(crate) labels: [&'static str; 3],
    /// Microseconds, where the labels say nothing else.
    pub(crate) bare: f64,
    pub(crate) ours: f64,
    /// The greatest ratio that is kept to, where there is one.
    pub(crate) bound: Option<f64>,
    /// How many rounds there were.
    pub(crate) rounds: usize,
}

/// Measures both in turn. `before` runs ahead of each side's round and is not timed.
pub(crate) fn compare(
    effort: Effort,
    labels: [&'static str; 3],
    calls: u32,
    mut before: impl FnMut(),
    mut bare: Operation<'_>,
    mut ours: Operation<'_>,
) -> Row {
    let calls = (calls / effort.divisor).max(1);
    let mut number = 0;
    let mut time = |operation: &mut Operation<'_>| {
        before();
        let begun = clock();
        for _ in 0..calls {
            number += 1;
            operation(number);
        }
        (clock() - begun) * 1e6 / f64::from(calls)
    };
    time(&mut bare);
    time(&mut ours);
    let begun = Instant::now();
    let (mut of_bare, mut of_ours) = (Vec::new(), Vec::new());
    for round in 0..effort.rounds {
        // Neither is always the one that finds the caches warm.
        if round % 2 == 0 {
            of_bare.push(time(&mut bare));
            of_ours.push(time(&mut ours));
        } else {
            of_ours.push(time(&mut ours));
            of_bare.push(time(&mut bare));
        }
        if round + 1 >= LEAST_ROUNDS && begun.elapsed() > effort.time {
            break;
        }
    }
    let rounds = of_bare.len();
    Row { labels, bare: median(of_bare), ours: median(of_ours), bound: None, rounds }
}

pub(crate) fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_unstable_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

/// Prints the rows under the heads of their labels.
pub(crate) fn print(effort: Effort, heads: [&str; 3], rows: &[Row]) {
    let width = |at: usize| {
        let labels = rows.iter().map(|row| row.labels[at]).chain([heads[at]]);
        labels.map(|label| label.chars().count()).max().unwrap_or(0)
    };
    let widths = [width(0), width(1), width(2)];
    let line = |[one, two, three]: [&str; 3], numbers: &str| {
        println!("| {one:0$} | {two:1$} | {three:2$} | {numbers} |", widths[0], widths[1], widths[2]);
    };
    let has_bounds = rows.iter().any(|row| row.bound.is_some());
    let counts = || rows.iter().map(|row| row.rounds);
    let rounds = match (counts().min().unwrap_or(0), counts().max().unwrap_or(0)) {
        (least, most) if least == most => format!("{most}"),
        (least, most) => format!("{least} to {most}"),
    };
    println!("Median of {rounds} rounds, in microseconds for one operation.");
    if effort.divisor > 1 {
        println!("This was a short run, which says nothing of speed.");
    }
    println!();
    line(heads, &format!("    bare |     ours | ratio{}", if has_bounds { " | bound" } else { "" }));
    let dashes = widths.map(|width| "-".repeat(width));
    let bound = if has_bounds { " | -----" } else { "" };
    line([&dashes[0], &dashes[1], &dashes[2]], &format!("-------: | -------: | ----:{bound}"));
    for Row { labels, bare, ours, bound, .. } in rows {
        let ratio = ours / bare.max(f64::MIN_POSITIVE);
        let bound = match bound {
            Some(bound) if ratio > *bound => format!(" | {bound:<5} missed"),
            Some(bound) => format!(" | {bound:<5}"),
            None if has_bounds => " |      ".to_owned(),
            None => String::new(),
        };
        line(*labels, &format!("{bare:>8.1} | {ours:>8.1} | {ratio:>5.2}{bound}"));
    }
}
