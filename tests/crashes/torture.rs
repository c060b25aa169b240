//! The torture of the night: crashes, kills, thieves, faults and editors, counted.
//!
//! ```text
//! NOCTUARY_TORTURE_SECONDS=60 cargo test --release -p noctuary-tests --test sweeps torture -- --include-ignored --nocapture
//! ```
//!
//! runs each part for that long and prints one line of counts a part; without the variable a part takes about
//! three seconds. A part fails on any violation. Where it ran too little to mean anything it
//! runs again, longer; where that does not help it fails.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "helpers of a test panic with what does not hold")]

mod crash_states;
mod editors;
mod histories;
mod kills;
mod kit;
mod locks;
mod machines;
mod outcomes;
mod peers;
mod sleepers;
mod system_calls;
mod vectors;

use kit::alone;

use noctuary_tests::common;

/// Where the processes begin that these tests start.
const HERE: &str = module_path!();

#[test]
#[ignore = "sweep"]
fn crash_states_lose_and_double_nothing() {
    // BX-01, DR-13…18: any cut of the power, in the recovery too, by a disk that knows what is durable.
    kit::run(crash_states::run);
}

#[test]
#[ignore = "sweep"]
fn crash_states_on_drives_that_lie_are_found_out() {
    // BX-01: where a sync does nothing no promise can be kept, and the search for violations finds some.
    let _alone = alone();
    crash_states::run_on_drives_that_lie();
}

#[test]
#[ignore = "sweep"]
fn kills_lose_and_double_nothing() {
    // BX-01, DR-13…18, DB-01…06: kill -9 at any time, several tickers, an operator who writes meanwhile.
    kit::run(kills::run);
}

#[test]
#[ignore = "sweep"]
fn killed_sleepers_lose_and_double_nothing() {
    // SL-18, SL-20 to SL-22: kill -9 at any time, several processes of one sleeper, a person who writes meanwhile.
    kit::run(sleepers::run);
}

#[test]
#[ignore = "sweep"]
fn killed_passes_resume_and_mix_no_vectors() {
    // BX-27: kill -9 at any time while generations are filled and swapped and texts change, in each home.
    kit::run(vectors::run);
}

#[test]
#[ignore = "sweep"]
fn killed_reports_count_once() {
    // LL-01, LL-05, LL-07: kill -9 at any time, two processes that report the same outcomes, a person who approves.
    kit::run(outcomes::run);
}

#[test]
#[ignore = "sweep"]
fn one_dream_at_a_time() {
    // DL-01, DL-05, DL-08: by an oracle that knows nothing of leases, in both homes.
    kit::run(|| locks::run(locks::Case::Files));
    kit::run(|| locks::run(locks::Case::Sqlite));
}

#[test]
#[ignore = "sweep"]
fn a_clock_that_jumps_gives_no_live_lease_away() {
    // DL-01, DL-08: each process has a clock that is set back and forth by hours, also while it holds.
    kit::run(|| locks::run(locks::Case::Clocks));
}

#[test]
#[ignore = "sweep"]
fn one_dream_at_a_time_on_any_device() {
    // DL-01, DL-08: both lock files on the disk; then the state folder and the journals on devices of their own.
    kit::run(locks::run_on_the_disk);
    let _alone = alone();
    locks::run_across_devices();
}

#[test]
#[ignore = "sweep"]
fn machines_that_share_a_server_hold_one_lease() {
    // DL-01, DL-05, DL-08, BX-28: sixteen processes, and a server that crashes.
    kit::run(machines::run_claims);
}

#[test]
#[ignore = "sweep"]
fn machines_that_share_a_server_promote_once() {
    // BX-01, DR-13…18: the same, with dreams, and an operator who writes meanwhile.
    kit::run(machines::run_dreams);
}

#[test]
#[ignore = "sweep"]
fn a_connection_that_ends_at_any_statement_of_a_dream_loses_and_doubles_nothing() {
    // BX-01: also in COMMIT, where nobody hears the answer.
    kit::run(machines::run_cuts);
}

#[test]
#[ignore = "sweep"]
fn a_server_whose_disk_is_full_loses_nothing() {
    // BX-02: what was acknowledged is there, and what was refused is not.
    kit::run(machines::run_full_disk);
}

#[test]
#[ignore = "sweep"]
fn a_deleted_guard_stops_the_older_holder() {
    // DL-08, DL-10: whoever held the old guard writes nothing once the next holder has written.
    kit::run(|| locks::run(locks::Case::GuardsGo));
}

#[test]
#[ignore = "sweep"]
fn every_system_call_of_a_tick_fails_once() {
    // BX-01, BX-02: by strace, which knows nothing of our seams.
    kit::run(system_calls::run);
}

#[test]
#[ignore = "sweep"]
fn a_foreign_peer() {
    // DL-01…06, DL-10, DS-01…08: a peer that knows only the seed's protocol, in Rust and in Node.
    kit::run(peers::run);
}

#[test]
#[ignore = "sweep"]
fn editors_lose_nothing() {
    // BX-03, DR-16: an editor's steps at every operation of a commit.
    kit::run(editors::run);
}

#[test]
#[ignore = "sweep"]
fn any_history_shows_every_byte_once_or_reports_it() {
    // DR-13…18, BX-17, BX-18: against a reference model that knows only bytes.
    kit::run(histories::run);
}

#[test]
fn a_child_plays_its_role() {
    let Some((role, folder)) = common::role() else { return };
    let mut words = role.split(' ');
    let part = words.next().unwrap();
    let words: Vec<&str> = words.collect();
    match part {
        "ticks" => kills::child(&folder, words[0].parse().unwrap(), words.get(1) == Some(&"true")),
        "sleeps" => sleepers::child(&folder, words[0].parse().unwrap()),
        "embeds" => vectors::child(&folder, &words),
        "reports" => outcomes::child(&folder, &words),
        "claims" => locks::child(&folder, &words),
        "machine-claims" => machines::claims(&folder, words[0].parse().unwrap()),
        "machine-dreams" => machines::dreams(&folder, words[0].parse().unwrap()),
        "claims-across-devices" => locks::across_devices(&folder),
        "one-tick" => system_calls::child(&folder, words[0]),
        "seed" => peers::child(&folder, &words),
        other => panic!("no role {other:?}"),
    }
}
