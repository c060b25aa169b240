//! The tables of the manual, made from the figures of a release: nobody types a number.
//!
//! A place for figures is marked in the page: `<!-- made: NAME -->…<!-- end -->`, in a line or around whole lines.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use super::Result;

/// Prints the figures for each place, or writes them into a page.
pub(crate) fn run(mut arguments: impl Iterator<Item = String>) -> Result<()> {
    let (mut release, mut page) = (None, None);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--into" => page = Some(PathBuf::from(arguments.next().ok_or("--into needs a path")?)),
            path => release = Some(PathBuf::from(path)),
        }
    }
    let release = fs::read(release.ok_or("the file of a release is needed")?)?;
    let release: Value = serde_json::from_slice(&release)?;
    match page {
        Some(page) => fs::write(&page, filled(&fs::read_to_string(&page)?, &release)?)?,
        None => {
            for (name, make) in PLACES {
                println!(
                    "{name}\n\n{}\n",
                    make(&release["parts"]).unwrap_or_else(|| "(not measured)".into())
                );
            }
        }
    }
    Ok(())
}

/// Makes the text of a place from the parts of a release; `None` where a figure is missing.
type Make = fn(&Value) -> Option<String>;

const PLACES: &[(&str, Make)] = &[
    ("search", search),
    ("both sides", |parts| {
        of(&parts["retrieval"]["figures"]["beam-100k"], "both_sides@10", "sides_questions")
    }),
    ("fresh first", |parts| {
        of(&parts["retrieval"]["figures"]["beam-100k"], "fresh_first", "fresh_questions")
    }),
    ("fresh first in the house", |parts| {
        of(&parts["retrieval"]["figures"]["year"], "fresh_first", "fresh_questions")
    }),
    ("first places", |parts| share(&parts["retrieval"]["figures"]["beam-100k"]["turn_any@1"])),
    ("kept", kept),
    ("nights", nights),
    ("promoted alone", |parts| each(parts, "lines@5")),
    ("journals alone", |parts| each(parts, "rows@5")),
    ("judged", |parts| of(&parts["facts"]["figures"]["beam-100k"], "fresh_first", "questions")),
    ("secrets", secrets),
];

const OPENS: &str = "<!-- made: ";
const CLOSES: &str = "<!-- end -->";

/// Returns a page with the text of each place replaced. A place whose figures are missing keeps its text.
fn filled(page: &str, release: &Value) -> Result<String> {
    let (mut out, mut rest) = (String::with_capacity(page.len()), page);
    while let Some((before, behind)) = rest.split_once(OPENS) {
        let (name, behind) = behind.split_once(" -->").ok_or("a place without a name")?;
        let (old, behind) = behind.split_once(CLOSES).ok_or_else(|| format!("{name} has no end"))?;
        let (_, make) = PLACES
            .iter()
            .find(|(known, _)| *known == name)
            .ok_or_else(|| format!("no place is named {name}"))?;
        let text = match make(&release["parts"]) {
            Some(text) if old.starts_with('\n') => format!("\n\n{text}\n\n"),
            Some(text) => text,
            None => old.to_owned(),
        };
        out.push_str(&format!("{before}{OPENS}{name} -->{text}{CLOSES}"));
        rest = behind;
    }
    out.push_str(rest);
    Ok(out)
}

/// A share with three digits, as the manual writes it.
fn share(figure: &Value) -> Option<String> {
    let text = format!("{:.3}", figure.as_f64()?);
    Some(text.strip_prefix('0').map(str::to_owned).unwrap_or(text))
}

/// A share, and 0 where there is nothing at all.
fn none_or_share(figure: &Value) -> Option<String> {
    if figure.as_f64()? == 0.0 { Some("0".to_owned()) } else { share(figure) }
}

/// A share as a count: 15 of 18.
fn of(figures: &Value, share: &str, all: &str) -> Option<String> {
    let all = figures[all].as_f64()?;
    Some(format!("{:.0} of {all:.0}", figures[share].as_f64()? * all))
}

/// A number with its thousands apart.
fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The names of the sets with search figures, and the word for a corpus of each.
const SETS: [(&str, &str, &str); 4] = [
    ("longmemeval-s", "`LongMemEval-S`", "haystacks"),
    ("locomo", "`LoCoMo`", "dialogues"),
    ("beam-100k", "BEAM 100K", "dialogues"),
    ("year", "`tests/fixtures/year`", "house"),
];

fn search(parts: &Value) -> Option<String> {
    let measured = parts["retrieval"]["figures"].as_object()?;
    let mut table =
        "| Set | questions | | any@1 | any@5 | any@10 | all@5 | MRR |\n|---|---|---|---|---|---|---|---|"
            .to_owned();
    for (set, name, corpora) in SETS {
        let Some(figures) = measured.get(set) else { continue };
        for (unit, key) in [("session", "session"), ("line", "turn")] {
            if figures[format!("{key}_any@5")].is_null() {
                continue;
            }
            let row = ["any@1", "any@5", "any@10", "all@5", "mrr"]
                .map(|figure| share(&figures[format!("{key}_{figure}")]).unwrap_or_default());
            table.push_str(&format!(
                "\n| {name}, {} {corpora} | {} | {unit} | {} |",
                figures["corpora"].as_u64()?,
                figures["questions"].as_u64()?,
                row.join(" | ")
            ));
        }
    }
    Some(table)
}

fn kept(parts: &Value) -> Option<String> {
    let mut table = "| Share of bytes | questions with any evidence line | with all | lines that hold a fact |\n|---|---|---|---|".to_owned();
    for (part, bytes) in [("dream_20", "20 %"), ("dream_10", "10 %")] {
        let figures = &parts[part]["figures"];
        let row = ["questions_any", "questions_all", "fact_lines"].map(|key| share(&figures[key]));
        let [any, all, facts] = row;
        table.push_str(&format!("\n| {bytes} | {} | {} | {} |", any?, all?, facts?));
    }
    Some(table)
}

/// The sets of the nights, in the order of the table.
const NIGHTS: [(&str, &str, &str); 3] = [
    ("beam-100k", "BEAM 100K", " dialogues"),
    ("locomo", "`LoCoMo`", ""),
    ("longmemeval-s", "`LongMemEval-S`", ""),
];

fn nights(parts: &Value) -> Option<String> {
    let sets = NIGHTS.map(|(set, ..)| &parts["night"]["figures"][set]);
    let row = |name: &str, cell: &dyn Fn(&Value) -> Option<String>| {
        let cells = sets.iter().map(|figures| cell(figures)).collect::<Option<Vec<_>>>()?;
        Some(format!("| {name} | {} |\n", cells.join(" | ")))
    };
    let mut table = String::from("| ");
    for ((_, name, unit), figures) in NIGHTS.iter().zip(sets) {
        table.push_str(&format!("| {name}, {}{unit} ", figures["conversations"].as_u64()?));
    }
    table.push_str("|\n|---|---|---|---|\n");
    table.push_str(&row("questions", &|figures| Some(figures["questions"].as_u64()?.to_string()))?);
    for (room, shown) in [("2000", "2,000"), ("4000", "4,000")] {
        table.push_str(&row(
            &format!("gold lines in {shown} characters: journals alone, with memory"),
            &|figures| {
                let [raw, both] = ["raw", "both"].map(|way| share(&figures[format!("{way}@{room}")]));
                Some(format!("{}, {}", raw?, both?))
            },
        )?);
        table.push_str(&row("… the difference, from, to", &|figures| {
            let numbers = figures[format!("difference@{room}")].as_array()?;
            Some(numbers.iter().map(signed).collect::<Option<Vec<_>>>()?.join(", "))
        })?);
    }
    table.push_str(&row("gold lines that reached memory", &|figures| share(&figures["gold_in_memory"]))?);
    table.push_str(&row("promoted lines that their citations support; said before", &|figures| {
        Some(format!("{}; {}", share(&figures["supported"])?, none_or_share(&figures["duplicates"])?))
    })?);
    table.push_str(&row("memory and journals, in KB; calls", &|figures| {
        let kb = |key: &str| Some(thousands((figures[key].as_u64()? + 500) / 1000));
        Some(format!(
            "{}, {}; {}",
            kb("memory_bytes")?,
            kb("journal_bytes")?,
            thousands(figures["calls"].as_u64()?)
        ))
    })?);
    Some(table.trim_end().to_owned())
}

/// A difference with its sign; nothing at all is 0.
fn signed(figure: &Value) -> Option<String> {
    let number = figure.as_f64()?;
    if number == 0.0 {
        return Some("0".to_owned());
    }
    let text = format!("{:.3}", number.abs());
    let sign = if number < 0.0 { '−' } else { '+' };
    Some(format!("{sign}{}", text.strip_prefix('0').unwrap_or(&text)))
}

/// A share of each set of the nights.
fn each(parts: &Value, key: &str) -> Option<String> {
    let [one, two, three] = NIGHTS.map(|(set, ..)| share(&parts["night"]["figures"][set][key]));
    Some(format!("{}, {} and {}", one?, two?, three?))
}

fn secrets(parts: &Value) -> Option<String> {
    let figures = &parts["gate"]["figures"];
    let count = |key: &str| figures[key].as_u64().map(thousands);
    Some(format!(
        "{} of {} found, {} of {} of wallets; {} of {} counter-examples flagged, beside {} with a distinctive prefix",
        count("found")?,
        count("examples")?,
        count("wallets_found")?,
        count("wallets")?,
        count("flagged")?,
        count("counter_examples")?,
        count("flagged_by_prefix")?
    ))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use serde_json::json;

    use super::*;

    #[test]
    fn places_are_filled_and_the_rest_is_left() {
        let release = json!({ "parts": { "retrieval": { "figures": { "beam-100k": {
            "fresh_first": 0.833_333, "fresh_questions": 18, "corpora": 10, "questions": 176,
            "turn_any@5": 0.699, "turn_any@1": 0.409 } } } } });
        let page = "An update is first in <!-- made: fresh first -->3 of 4<!-- end -->, and both sides in\n\
                    <!-- made: both sides -->18 of 20<!-- end -->.\n\n<!-- made: search -->\nold\n<!-- end -->\nend\n";
        let made = filled(page, &release).unwrap();
        assert!(made.starts_with("An update is first in <!-- made: fresh first -->15 of 18<!-- end -->,"));
        assert!(made.contains("-->18 of 20<"), "no figure, no change");
        assert!(made.contains("\n| BEAM 100K, 10 dialogues | 176 | line | .409 | .699 |"), "{made}");
        assert!(!made.contains("old") && made.ends_with("<!-- end -->\nend\n"));
        assert_eq!(filled(&made, &release).unwrap(), made);
        assert!(filled("<!-- made: nothing -->1<!-- end -->", &release).is_err());
        assert!(filled("<!-- made: search -->", &release).is_err());
    }

    #[test]
    fn the_manual_has_the_figures_of_the_release() {
        let read = |path: &str| fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap();
        let release = serde_json::from_str(&read("evaluate/release.json")).unwrap();
        let page = read("../src/manual/measured.md");
        let is_same = filled(&page, &release).unwrap() == page;
        assert!(
            is_same,
            "run `evaluate -- tables examples/evaluate/release.json --into src/manual/measured.md`"
        );
    }

    #[test]
    fn numbers_are_written_as_in_the_manual() {
        assert_eq!(
            (thousands(5), thousands(5_899), thousands(1_234_567)),
            ("5".into(), "5,899".into(), "1,234,567".into())
        );
        let signs =
            [json!(0.009), json!(-0.0004), json!(0.0), json!(1.25)].map(|number| signed(&number).unwrap());
        assert_eq!(signs, ["+.009", "−.000", "0", "+1.250"]);
        assert_eq!(share(&json!(1.0)).as_deref(), Some("1.000"));
    }
}
