//! The day of whoever uses the command: by the settings, by `TZ`, or by the machine.

use std::path::Path;

use chrono::{DateTime, Utc};

use crate::{json, noctuary};

/// Runs a command in a zone that a variable names, at an instant of a clock that is set.
fn in_zone(folder: &Path, zone: &str, arguments: &[&str]) -> (Option<i32>, String) {
    let output = noctuary(folder).args(arguments).env("TZ", zone).output().unwrap();
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    (output.status.code(), format!("{out}{err}"))
}

/// The dates of an instant before and after a command ran, in hours east of UTC.
fn dates(east: i64, before: DateTime<Utc>) -> [String; 2] {
    [before, Utc::now()].map(|at| (at + chrono::Duration::hours(east)).date_naive().to_string())
}

// An evening in Los Angeles stood in the journal of the next day. (BX-54)
#[test]
fn a_note_is_in_the_journal_of_the_day_that_the_persons_clock_shows() {
    for (zone, east) in [("Pacific/Kiritimati", 14), ("Etc/GMT+12", -12), (":Asia/Tokyo", 9), ("UTC", 0)] {
        let folder = tempfile::tempdir().unwrap();
        let before = Utc::now();
        assert_eq!(in_zone(folder.path(), zone, &["init", "agent"]).0, Some(0));
        let (code, told) = in_zone(folder.path(), zone, &["note", "agent", "We release on Fridays."]);
        assert_eq!(code, Some(0), "{told}");
        let named = dates(east, before);
        assert!(
            named.iter().any(|date| told.contains(&format!("memory/{date}"))),
            "{zone} {named:?}: {told}"
        );
        let (_, status) = in_zone(folder.path(), zone, &["status", "agent"]);
        let told = zone.trim_start_matches(':');
        let named = dates(east, before);
        assert!(named.iter().any(|date| status.contains(&format!("{date} in {told}"))), "{zone}: {status}");
        let (_, dreamed) = in_zone(folder.path(), zone, &["dream", "agent"]);
        assert!(dreamed.contains("1 line"), "{dreamed}");
        let (_, status) = in_zone(folder.path(), zone, &["status", "agent"]);

        assert_eq!(status.matches(told).count(), 3, "the day, when it dreamt, and when it is due: {status}");
    }
}

#[test]
fn the_file_of_settings_counts_before_the_variable_and_a_slip_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let settings = at.join(".config/noctuary/config.toml");
    std::fs::create_dir_all(settings.parent().unwrap()).unwrap();
    std::fs::write(&settings, "[day]\nzone = \"Pacific/Auckland\"\nbegins = 4\n").unwrap();
    assert_eq!(in_zone(at, "Etc/GMT+12", &["init", "agent"]).0, Some(0));
    let (_, status) = in_zone(at, "Etc/GMT+12", &["status", "agent"]);
    assert!(status.contains("in Pacific/Auckland, from 04:00"), "{status}");
    assert_eq!(json(at, &["status", "agent", "--json"], 0)["zone"], "Pacific/Auckland");
    let (_, shown) = in_zone(at, "UTC", &["--show-config"]);
    assert!(shown.contains("zone = \"Pacific/Auckland\"") && shown.contains("begins = 4"), "{shown}");

    for (text, says) in [
        ("[day]\nzone = \"Auckland\"\n", "day.zone names no time zone: Auckland"),
        ("[day]\nbegins = 24\n", "day.begins must be an hour from 0 to 23"),
    ] {
        std::fs::write(&settings, text).unwrap();
        let (code, told) = in_zone(at, "UTC", &["status", "agent"]);
        assert!(code == Some(2) && told.contains(says), "{told}");
    }
    std::fs::remove_file(&settings).unwrap();
    let (code, told) = in_zone(at, "CET-1CEST", &["status", "agent"]);
    assert!(code == Some(2) && told.contains("TZ names no time zone: CET-1CEST"), "{told}");
    assert!(told.contains("[day]"), "the next step: {told}");
}
