//! `noctuary rules`, `methods` and `lessons`.

use std::io::{BufRead, IsTerminal, Write};

use chrono::Utc;
use noctuary::learning::{Method, MethodId, Preference, PreferenceId, PreferenceKind, PreferenceState};
use serde_json::json;

use crate::arguments::{Methods, Rules};
use crate::config::Config;
use crate::home::Home;
use crate::output::{At, End, Output, Trouble};
use crate::place::Whose;

fn number(text: &str) -> Result<i64, Trouble> {
    text.parse().ok().filter(|number| *number > 0).ok_or_else(|| Trouble::of("no_number", &[&text]))
}

pub(crate) fn rules(of: &Rules, whose: Whose<'_>, output: Output) -> Result<End, Trouble> {
    let home = Home::open(&of.path, whose)?;
    let (owner, store, now) = (home.owner(), home.store.any(), Utc::now());
    let mut listed = store.preferences(&owner)?;
    let named = |text: &str| {
        let id = PreferenceId::new(number(text)?);
        let rule = listed.iter().find(|rule| rule.id == id);
        rule.cloned().ok_or_else(|| Trouble::of("no_rule", &[&text, &of.path]))
    };
    if let Some(text) = &of.approve {
        let rule = named(text)?;
        if rule.kind == PreferenceKind::HardConstraint && !is_confirmed(&rule, output)? {
            return Err(Trouble::of("nobody_approves", &[]));
        }
        listed = vec![store.approve_preference(&owner, rule.id, now)?];
    } else if let Some(text) = &of.withdraw {
        listed = vec![store.withdraw_preference(&owner, named(text)?.id, now)?];
    }
    if output.json {
        output.value(&listed)?;
        return Ok(End::look_if(waits(&listed)));
    }
    for rule in &listed {
        let kind = if rule.kind == PreferenceKind::HardConstraint { "hard constraint" } else { "preference" };
        output.line(format!(
            "{}  {}",
            output.bold(&rule.id.to_string()),
            output.faint(&format!("{kind}, {}, {}", rule.state, rule.dimension))
        ));
        show(rule, output);
    }
    if listed.is_empty() {
        output.line("There are no rules. The agent proposes them, and an import brings them.");
    } else if waits(&listed) {
        output.line("`--approve ID` puts a proposed one into force, `--withdraw ID` takes one back.");
    }
    Ok(End::look_if(waits(&listed)))
}

fn show(rule: &Preference, output: Output) {
    output.wrapped(4, &rule.statement);
    for (name, words) in [("tools", &rule.tools), ("words", &rule.words)] {
        if !words.is_empty() {
            output.folded(4, &format!("    {name}: {}", words.join(", ")));
        }
    }
}

fn waits(rules: &[Preference]) -> bool {
    rules.iter().any(|rule| rule.state == PreferenceState::Proposed)
}

/// Asks the person at the terminal; a hard constraint is approved by nobody else.
fn is_confirmed(rule: &Preference, output: Output) -> Result<bool, Trouble> {
    if !std::io::stdin().is_terminal() || output.json {
        return Ok(false);
    }
    show(rule, output);
    print!("Hold calls of tools to this from now on? [y]es, [n]o: ");
    std::io::stdout().flush().at("write to", "the terminal")?;
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line).at("read from", "the terminal")?;
    Ok(["y", "yes"].contains(&line.trim().to_ascii_lowercase().as_str()))
}

pub(crate) fn methods(of: &Methods, whose: Whose<'_>, output: Output) -> Result<End, Trouble> {
    let home = Home::open(&of.path, whose)?;
    let (owner, store, now) = (home.owner(), home.store.any(), Utc::now());
    let id = |text: &str| Ok::<_, Trouble>(MethodId::new(number(text)?));
    let listed = if let Some(text) = &of.graduate {
        vec![store.graduate_method(&owner, id(text)?, now)?]
    } else if let Some(text) = &of.quarantine {
        vec![store.quarantine_method(&owner, id(text)?, true, now)?]
    } else if let Some(text) = &of.release {
        vec![store.quarantine_method(&owner, id(text)?, false, now)?]
    } else {
        store.methods(&owner)?
    };
    if output.json {
        output.value(&listed)?;
        return Ok(End::Well);
    }
    for method in &listed {
        let standing = standing(method);
        let told = format!("{standing}, {} of {} good, {}", method.successes, method.uses, method.class);
        let name = format!("{}  {}", method.id, method.name);
        output.line(format!("{}  {}", output.bold(&name), output.faint(&told)));
        output.wrapped(4, &method.body);
        for case in store.method_cases(&owner, method.id, of.cases)? {
            let outcome = case.outcome.map(|outcome| format!("{outcome}: ")).unwrap_or_default();
            output.wrapped(8, &format!("{outcome}{}", case.content));
        }
    }
    if listed.is_empty() {
        output.line("There are no methods. The agent makes them, and an import brings them.");
    }
    Ok(End::Well)
}

fn standing(method: &Method) -> &'static str {
    match (method.quarantine, &method.graduated) {
        (0, Some(_)) => "graduated",
        (0, None) => "in use",
        _ => "in quarantine",
    }
}

pub(crate) fn lessons(
    place: &crate::place::Place,
    limit: usize,
    whose: Whose<'_>,
    config: &Config,
    output: Output,
) -> Result<End, Trouble> {
    let home = Home::open(place, whose)?;
    let lessons = home.store.any().learnings(&home.owner(), limit)?;
    if output.json {
        let list: Vec<_> = lessons
            .iter()
            .map(|lesson| {
                json!({"id": lesson.id, "content": lesson.content, "context": lesson.context, "created_at": lesson.created_at})
            })
            .collect();
        output.value(&list)?;
        return Ok(End::Well);
    }
    for lesson in &lessons {
        let about = lesson.context.as_ref().map(|context| format!(", {context}")).unwrap_or_default();
        let told = format!("{}{about}", config.day()?.date(lesson.created_at));
        output.line(format!("{}  {}", output.bold(&lesson.id.to_string()), output.faint(&told)));
        output.wrapped(4, &lesson.content);
    }
    if lessons.is_empty() {
        output.line("There are no lessons. The agent writes them down by its tools.");
    }
    Ok(End::Well)
}
