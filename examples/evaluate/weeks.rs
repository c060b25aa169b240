//! The contract of weeks: a life over twelve scripted weeks, without a model, which is asked after each.

#[path = "weeks/life.rs"]
mod life;

use std::fs;

use serde_json::{Value, json};

use super::Result;

/// Lives the weeks, prints their figures, and writes them.
pub(crate) fn run(mut arguments: impl Iterator<Item = String>) -> Result<()> {
    let (mut json, mut tells) = (None, false);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--json" => json = Some(arguments.next().ok_or("--json needs a path")?),
            "--wrong" => tells = true,
            other => return Err(format!("weeks takes no {other}").into()),
        }
    }
    let weeks = life::live(1)?;
    println!("week {}", life::HEADS);
    for (number, week) in &weeks {
        println!("{number:>4} {week}");
    }
    let mut told = Vec::new();
    for (number, week) in weeks.iter().filter(|_| tells) {
        println!("\nweek {number}");
        week.wrong.iter().filter(|wrong| !told.contains(wrong)).for_each(|wrong| println!("  {wrong}"));
        told = week.wrong.iter().collect();
    }
    if let Some(path) = json {
        let figures: Vec<Value> = weeks.iter().map(figures).collect();
        fs::write(path, serde_json::to_string_pretty(&json!({ "weeks": figures }))? + "\n")?;
    }
    Ok(())
}

fn figures((number, week): &(u32, life::Week)) -> Value {
    json!({
        "week": number, "asked": week.asked, "first": week.first, "first_of_rows": week.first_of_rows,
        "first_of_documents": week.first_of_documents, "stale_first": week.stale_first,
        "doubted": week.doubted, "stale_unmarked": week.unmarked, "forgotten": week.forgotten,
        "duplicates": week.duplicates, "memory_bytes": week.memory_bytes, "journal_bytes": week.journal_bytes,
    })
}
