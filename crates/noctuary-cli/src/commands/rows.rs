//! `noctuary rows`, `row`, `remember`, `correct`, `pin`, `retire`, `restore`, `suspects` and `feed`.

use std::collections::BTreeSet;

use chrono::{DateTime, Days, NaiveDate, Utc};
use noctuary::Access;
use noctuary::edges::Entity;
use noctuary::facts::{
    ConsolidationEvent, Decision, EventId, EventOutcome, Fact, FactKey, FactState, Suspicion, Verdict,
};
use noctuary::format::Origin;
use noctuary::memory::{Filter, Memory, MemoryId, NewMemory, Query, Source, Stale, categories};
use serde_json::{Value, json};

use crate::arguments::{Answer, Kept, Row, RowState, Suspects, Wanted};
use crate::config::Config;
use crate::home::{AnyStore, Home};
use crate::output::{End, Output, Trouble, count, notice};
use crate::place::{Place, Whose};
use crate::progress::Progress;

pub(crate) fn rows(
    place: &Place,
    wanted: &Wanted,
    whose: Whose<'_>,
    config: &Config,
    output: Output,
) -> Result<End, Trouble> {
    let home = Home::open(place, whose)?;
    if wanted.state == Some(RowState::Retired) {
        return retired(&home, place, wanted, config, output);
    }
    let mut filter = filter(&wanted.kept, config)?;
    let state = wanted.state.and_then(RowState::of_fact);
    filter.retired = state.is_some_and(FactState::is_retired);
    let (mut listed, mut more) = (Vec::new(), 0);
    for row in home.store.any().list(&home.owner(), &filter)? {
        if !is_wanted(&row, &wanted.kept) {
            continue;
        }
        if listed.len() == wanted.limit && state.is_none() {
            more += 1;
            continue;
        }
        let Some(fact) = home.store.any().fact(&home.owner(), row.id)? else { continue };
        if state.is_some_and(|state| fact.status.state != state) {
            continue;
        }
        if listed.len() < wanted.limit {
            listed.push(fact);
        } else {
            more += 1;
        }
    }
    if listed.is_empty() {
        hint(&home, &wanted.kept)?;
    }
    if output.json {
        output.value(&json!({"rows": listed.iter().map(printed).collect::<Vec<_>>(), "more": more}))?;
        return Ok(End::look_if(listed.is_empty()));
    }
    for fact in &listed {
        show(fact, config, output)?;
    }
    if more > 0 {
        output.line(format!("{more} more: --limit says how many are shown."));
    }
    if listed.is_empty() {
        output.say("no_rows", &[place]);
    }
    Ok(End::look_if(listed.is_empty()))
}

/// Lists the rows that `retire` took out and that can be restored.
fn retired(
    home: &Home,
    place: &Place,
    wanted: &Wanted,
    config: &Config,
    output: Output,
) -> Result<End, Trouble> {
    let mut filter = filter(&wanted.kept, config)?;
    filter.deleted = true;
    let mut rows = home.store.any().list(&home.owner(), &filter)?;
    rows.retain(|row| is_wanted(row, &wanted.kept));
    let more = rows.len().saturating_sub(wanted.limit);
    rows.truncate(wanted.limit);
    if output.json {
        let list: Vec<_> = rows
            .iter()
            .map(|row| json!({"id": row.id.get(), "category": row.category, "content": row.content, "updated_at": row.updated_at}))
            .collect();
        output.value(&json!({"rows": list, "more": more}))?;
        return Ok(End::look_if(rows.is_empty()));
    }
    for row in &rows {
        show_as(row, "retired", config, output)?;
    }
    if more > 0 {
        output.line(format!("{more} more: --limit says how many are shown."));
    }
    match rows.first() {
        Some(row) => {
            output.line(format!("`noctuary restore {place} {}` brings the first one back.", row.id));
        }
        None => output.line("No row is retired."),
    }
    Ok(End::look_if(rows.is_empty()))
}

/// Names the categories that are there on stderr, where nothing was found of one that is not.
pub(crate) fn hint(home: &Home, kept: &Kept) -> Result<(), Trouble> {
    let Some(category) = &kept.category else { return Ok(()) };
    let mut all = Filter::limit(usize::MAX);
    all.retired = true;
    let known: BTreeSet<String> =
        home.store.any().list(&home.owner(), &all)?.into_iter().map(|row| row.category).collect();
    if !known.iter().any(|known| known.eq_ignore_ascii_case(category)) && !known.is_empty() {
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        notice("no_such_category", &[category, &known.join(", ")]);
    }
    Ok(())
}

/// Returns the filter of the library for what is kept; a day is that of the person.
pub(crate) fn filter(kept: &Kept, config: &Config) -> Result<Filter, Trouble> {
    let mut filter = Filter::limit(usize::MAX);
    filter.category.clone_from(&kept.category);
    filter.since = kept.from.map(|date| config.day().map(|day| day.begins(date))).transpose()?;
    filter.until = kept.until.map(|date| ends(date, config)).transpose()?;
    Ok(filter)
}

/// Returns when a day of the person is over.
pub(crate) fn ends(date: NaiveDate, config: &Config) -> Result<DateTime<Utc>, Trouble> {
    let next = date.checked_add_days(Days::new(1)).unwrap_or(date);
    Ok(config.day()?.begins(next))
}

/// Returns whether a row is what was asked for, by what a filter of the library does not know.
pub(crate) fn is_wanted(row: &Memory, kept: &Kept) -> bool {
    is_from(row.origin.as_ref(), kept) && kept.tag.as_ref().is_none_or(|tag| has_tag(&row.content, tag))
}

/// Returns whether words are of the origin and of the person that are asked for. Names are compared in any case and composition.
pub(crate) fn is_from(origin: Option<&Origin>, kept: &Kept) -> bool {
    let origin = origin.map(ToString::to_string).unwrap_or_default();
    let kinds = [Some(origin.as_str()), origin.split(':').next()].map(Option::unwrap_or_default);
    let is_of = |kind: &String| kinds.iter().any(|own| own.to_lowercase() == kind.to_lowercase());
    let is_by = |name: &String| {
        origin.strip_prefix("participant:").is_some_and(|said| Entity::fold(said) == Entity::fold(name))
    };
    kept.origin.as_ref().is_none_or(is_of) && kept.who.as_ref().is_none_or(is_by)
}

/// Returns whether a text has a tag, as tags are compared everywhere: in any case and composition.
pub(crate) fn has_tag(text: &str, tag: &str) -> bool {
    let tag = Entity::fold(tag.trim_start_matches('#'));
    let is_it = |word: &str| Entity::fold(word.trim_end_matches(['.', ',', ';', ':', '!', '?', ')'])) == tag;
    text.split_whitespace().filter_map(|word| word.strip_prefix('#')).any(is_it)
}

/// Prints a row in one line, and its words below.
fn show(fact: &Fact, config: &Config, output: Output) -> Result<(), Trouble> {
    show_as(&fact.memory, fact.status.state.as_str(), config, output)
}

fn show_as(row: &Memory, state: &str, config: &Config, output: Output) -> Result<(), Trouble> {
    let pinned = if row.pinned { ", pinned" } else { "" };
    let told = format!("{}, {state}{pinned}, {}", row.category, config.day()?.date(row.updated_at));
    output.line(format!("{}  {}", output.bold(&format!("memories/{}", row.id)), output.faint(&told)));
    output.wrapped(4, &row.content);
    Ok(())
}

/// Returns a row for a program.
fn printed(fact: &Fact) -> Value {
    let row = &fact.memory;
    json!({
        "id": row.id.get(), "category": row.category, "content": row.content, "source": row.source, "origin": row.origin,
        "shared": row.shared, "pinned": row.pinned, "dream": row.dream, "metadata": row.metadata,
        "cites": row.cites.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "created_at": row.created_at, "updated_at": row.updated_at,
        "about": fact.key.as_ref().map(|key| json!({"subject": key.subject, "slot": key.slot})),
        "valid_from": fact.valid_from, "status": fact.status,
    })
}

/// Reads the id of a row, as lists print it.
pub(crate) fn id(text: &str) -> Result<MemoryId, Trouble> {
    let digits = text.strip_prefix("memories/").unwrap_or(text);
    let number = digits.parse().ok().filter(|number| *number > 0);
    number.map(MemoryId::new).ok_or_else(|| Trouble::of("no_row_id", &[&text]))
}

fn fact(home: &Home, here: &str, id: MemoryId) -> Result<Fact, Trouble> {
    if let Some(fact) = home.store.any().fact(&home.owner(), id)? {
        return Ok(fact);
    }
    let mut filter = Filter::limit(usize::MAX);
    filter.deleted = true;
    let is_retired = home.store.any().list(&home.owner(), &filter)?.iter().any(|row| row.id == id);
    Err(Trouble::of(if is_retired { "row_retired" } else { "no_row" }, &[&id, &here]))
}

/// Returns the row that replaces an old one. `None` if the old one was not replaced, or no row is left.
fn current(home: &Home, fact: &Fact) -> Result<Option<MemoryId>, Trouble> {
    if fact.status.successor.is_none() {
        return Ok(None);
    }
    let history = home.store.any().history(&home.owner(), fact.memory.id)?;
    let last = history.iter().rev().find(|other| !other.status.state.is_retired());
    Ok(last.map(|last| last.memory.id))
}

pub(crate) fn row(of: &Row, whose: Whose<'_>, config: &Config, output: Output) -> Result<End, Trouble> {
    let home = Home::open(&of.path, whose)?;
    let (id, owner, store) = (id(&of.id)?, home.owner(), home.store.any());
    let fact = fact(&home, &whose.here(&of.path), id)?;
    let mut history = store.history(&owner, id)?;
    history.retain(|other| other.memory.id != id);
    let mut doubts = store.suspicions(&owner, usize::MAX)?;
    doubts.retain(|pair| [pair.older.memory.id, pair.newer.memory.id].contains(&id));
    if output.json {
        let mut told = printed(&fact);
        told["history"] = history.iter().map(printed).collect();
        told["suspicions"] = doubts.iter().map(pair).collect();
        output.value(&told)?;
        return Ok(End::Well);
    }
    show(&fact, config, output)?;
    let line = |name: &str, text: String| {
        output.folded(14, &format!("    {}{text}", output.faint(&format!("{name:<10}"))));
    };
    let row = &fact.memory;
    let said = |at: Option<DateTime<Utc>>, is_of_day: bool| -> Result<Option<String>, Trouble> {
        let Some(at) = at else { return Ok(None) };
        let told = config.told(at)?;
        Ok(Some(match told.split_once(' ') {
            Some((day, _)) if is_of_day => day.to_owned(),
            _ => told,
        }))
    };
    // A dream knows the day of a journal and no hour: its row is true since that day.
    let begins_by_day = row.dream.is_some();
    let begins_then =
        |other: &Fact| other.memory.dream.is_some() && other.valid_from == fact.status.valid_until;
    let ends_by_day = history.iter().any(begins_then);
    let key = fact.key.as_ref().map(|key| format!("{} / {}", key.subject, key.slot));
    let cited: Vec<String> = row.cites.iter().map(ToString::to_string).collect();
    for (name, text) in [
        ("source", row.source.as_ref().map(|source| source.as_str().to_owned())),
        ("origin", row.origin.as_ref().map(ToString::to_string)),
        ("written", Some(config.told(row.created_at)?)),
        ("touched", Some(config.told(row.updated_at)?).filter(|_| row.updated_at != row.created_at)),
        ("about", key),
        ("true from", said(fact.valid_from, begins_by_day)?),
        ("until", said(fact.status.valid_until, ends_by_day)?),
        ("replaced", fact.status.successor.map(|next| format!("by memories/{next}"))),
        ("shared", row.shared.then(|| "with sessions where others are present".to_owned())),
        ("dream", row.dream.as_ref().map(ToString::to_string)),
        ("cites", (!cited.is_empty()).then(|| cited.join(", "))),
        ("notes", row.metadata.as_ref().map(ToString::to_string)),
    ] {
        if let Some(text) = text {
            line(name, text);
        }
    }
    for other in &history {
        let is_later = (other.since(), other.memory.id) > (fact.since(), id);
        output.line(output.bold(if is_later { "Later" } else { "Before" }));
        show(other, config, output)?;
    }
    for doubt in &doubts {
        let other = if doubt.older.memory.id == id { &doubt.newer } else { &doubt.older };
        output.line(output.bold("May contradict"));
        show(other, config, output)?;
    }
    Ok(End::look_if(!doubts.is_empty()))
}

/// Makes a row of a person's words.
fn typed(category: &str, words: &[String]) -> Result<NewMemory, Trouble> {
    let text = words.join(" ");
    if text.trim().is_empty() {
        return Err(Trouble::of("nothing_to_note", &[]));
    }
    Ok(NewMemory::new(category, text.trim(), Source::UserManual).origin(Origin::User))
}

/// Returns the row in force that says the same in the same words.
fn known_row(home: &Home, row: &NewMemory) -> Result<Option<MemoryId>, Trouble> {
    let found = home.store.any().search(&home.owner(), &Query::new(&row.content).limit(SAME_LOOKED_AT))?;
    for hit in found.hits {
        let Some(fact) = home.store.any().fact(&home.owner(), hit.memory.id)? else { continue };
        let is_same = hit.memory.content == row.content && hit.memory.category == row.category;
        // Behind another value that nobody decided on, it is one that returned.
        let is_doubted = hit.stale.iter().any(
            |stale| matches!(stale, Stale::Suspected(other) | Stale::Newer(other) if *other > hit.memory.id),
        );
        if is_same && !is_doubted && !fact.status.state.is_retired() {
            return Ok(Some(hit.memory.id));
        }
    }
    Ok(None)
}

/// The rows that are looked at for one of the same words.
const SAME_LOOKED_AT: usize = 20;

pub(crate) fn remember(
    place: &Place,
    words: &[String],
    (category, about): (&str, Option<&str>),
    whose: Whose<'_>,
    output: Output,
) -> Result<End, Trouble> {
    let mut row = typed(category, words)?;
    let home = Home::open(place, whose)?;
    let (owner, now) = (home.owner(), Utc::now());
    let recorded = match about {
        None => match known_row(&home, &row)? {
            Some(id) => {
                if output.json {
                    output.value(&json!({"id": id, "suspects": []}))?;
                } else {
                    output.line(format!("It is there already: {}", output.bold(&format!("memories/{id}"))));
                }
                return Ok(End::Well);
            }
            None => home.store.any().record(&owner, &row, now)?,
        },
        Some(about) => {
            let parts: Vec<&str> = about.split('/').map(str::trim).collect();
            let [subject, slot] = parts[..] else { return Err(Trouble::of("no_key", &[&about])) };
            if subject.is_empty() || slot.is_empty() {
                return Err(Trouble::of("no_key", &[&about]));
            }
            row = row.about(FactKey::one(subject, slot));
            let recorded = home.store.any().replace(&owner, &row, now)?;
            // A pin goes on to the new value, as by a correction.
            let before = home.store.any().history(&owner, recorded.id)?;
            let is_pinned = |old: &Fact| old.memory.pinned && old.status.successor == Some(recorded.id);
            if before.iter().any(is_pinned) {
                home.store.any().pin(&owner, recorded.id, true, now)?;
            }
            recorded
        }
    };
    home.store.any().settle(now)?;
    // Those of the seed, and those that dreams and chats write.
    let known = [&categories::ALL[..], &["decision", "user"]].concat();
    if !known.iter().any(|known| known.eq_ignore_ascii_case(category)) {
        notice("new_category", &[&category, &known.join(", ")]);
    }
    let suspects: Vec<MemoryId> = recorded.suspects.iter().map(|suspect| suspect.id).collect();
    if output.json {
        output.value(&json!({"id": recorded.id, "suspects": suspects}))?;
        return Ok(End::look_if(!suspects.is_empty()));
    }
    output.line(format!("Remembered: {}", output.bold(&format!("memories/{}", recorded.id))));
    if home.store.any().get(&owner, recorded.id)?.is_some_and(|there| there.content != row.content) {
        output.line("It is an earlier value: that row says what holds since a later time.");
    }
    if !suspects.is_empty() {
        let pairs = count(suspects.len(), "row");
        output.line(format!("It may contradict {pairs}: noctuary suspects {}", whose.here(place)));
    }
    Ok(End::look_if(!suspects.is_empty()))
}

pub(crate) fn correct(of: &Row, words: &[String], whose: Whose<'_>, output: Output) -> Result<End, Trouble> {
    let home = Home::open(&of.path, whose)?;
    let id = id(&of.id)?;
    let fact = fact(&home, &whose.here(&of.path), id)?;
    if let Some(next) = current(&home, &fact)? {
        return Err(Trouble::of("row_replaced", &[&id, &next, &whose.here(&of.path)]));
    }
    let row =
        fact.restated(typed(&fact.memory.category, words)?.content, Source::UserManual).origin(Origin::User);
    let (store, now) = (home.store.any(), Utc::now());
    let right = store.correct(&home.owner(), id, &row, now)?.id;
    if fact.memory.pinned {
        store.pin(&home.owner(), right, true, now)?;
    }
    store.settle(now)?;
    if output.json {
        output.value(&json!({"id": right, "replaces": id}))?;
        return Ok(End::Well);
    }
    let told = output.bold(&format!("memories/{right}"));
    output.line(format!("{told} says it now; memories/{id} is in its history."));
    if fact.memory.dream.is_some() {
        output.say("line_stays", &[&whose.here(&of.path)]);
    }
    Ok(End::Well)
}

/// A change of one row that can be taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Change {
    Pin,
    Unpin,
    Retire,
    Restore,
}

pub(crate) fn change(of: &Row, change: Change, whose: Whose<'_>, output: Output) -> Result<End, Trouble> {
    let home = Home::open(&of.path, whose)?;
    let (id, owner, store, now) = (id(&of.id)?, home.owner(), home.store.any(), Utc::now());
    let here = whose.here(&of.path);
    let row = store.get(&owner, id)?;
    let is_of_others = row.as_ref().is_some_and(|row| !row.is_trusted());
    let (is_done, told) = match change {
        Change::Pin if is_of_others => (store.pin(&owner, id, true, now)?, "is pinned"),
        Change::Pin => {
            (store.pin(&owner, id, true, now)?, "is in every prompt of a main session from now on")
        }
        Change::Unpin => (store.pin(&owner, id, false, now)?, "is pinned no more"),
        Change::Retire => (store.delete(&owner, id, now)?, "is out of lists, searches and prompts"),
        Change::Restore => (store.restore(&owner, id, now)?, "is back"),
    };
    if !is_done {
        // The error says why not; else it is so already.
        let fact = fact(&home, &here, id).map_err(|trouble| match change {
            Change::Restore if trouble.is("row_retired") => Trouble::of("row_too_old", &[&id, &here]),
            _ => trouble,
        })?;
        if let Some(next) = current(&home, &fact)? {
            return Err(Trouble::of("row_replaced", &[&id, &next, &here]));
        }
    }
    if output.json {
        output.value(&json!({"id": id, "done": is_done}))?;
        return Ok(End::look_if(!is_done));
    }
    if !is_done {
        return Ok(output.say("row_so_already", &[&id, &here]));
    }
    output.line(format!("memories/{id} {told}."));
    if change == Change::Pin && is_of_others {
        output.say("row_of_others", &[&id, &here]);
    }
    if change == Change::Retire {
        output.line(format!("For 30 days this brings it back: noctuary restore {here} {id}"));
        if row.is_some_and(|row| row.dream.is_some()) {
            output.say("line_stays", &[&here]);
        }
    }
    Ok(End::Well)
}

/// Returns the rows of a pair, the one first that is true since an earlier time: old chats may be read later.
fn sides(pair: &Suspicion) -> (&Fact, &Fact) {
    let since = |fact: &Fact| fact.valid_from.unwrap_or(fact.memory.created_at);
    let (one, other) = (&pair.older, &pair.newer);
    if since(other) < since(one) { (other, one) } else { (one, other) }
}

fn ids((older, newer): (&Fact, &Fact)) -> (MemoryId, MemoryId) {
    (older.memory.id, newer.memory.id)
}

/// Returns a pair for a program.
fn pair(pair: &Suspicion) -> Value {
    let (older, newer) = sides(pair);
    json!({"older": printed(older), "newer": printed(newer), "reason": pair.reason})
}

/// Answers a pair of rows.
fn answer(
    store: &dyn AnyStore,
    (owner, here): (&Access, &str),
    (older, newer): (MemoryId, MemoryId),
    answer: Answer,
    output: Output,
) -> Result<End, Trouble> {
    let pairs = store.suspicions(owner, usize::MAX)?;
    let is_there = |asked| pairs.iter().any(|pair| ids(sides(pair)) == asked);
    if !is_there((older, newer)) {
        let (message, older, newer) = if is_there((newer, older)) {
            ("pair_turned", newer, older)
        } else if !answers(store, owner, (older, newer))?.is_empty() {
            ("pair_answered", older, newer)
        } else if !answers(store, owner, (newer, older))?.is_empty() {
            ("pair_answered", newer, older)
        } else {
            ("no_pair", older, newer)
        };
        return Err(Trouble::of(message, &[&older, &newer, &here]));
    }
    let decisions = match answer {
        Answer::Same => vec![Decision::duplicate(older, newer)],
        Answer::Newer => vec![Decision::supersede(older, newer)],
        Answer::Older => vec![Decision::reject(newer)],
        Answer::Both => vec![Decision::coexist(older, newer)],
        Answer::Neither => vec![Decision::reject(newer), Decision::reject(older)],
    };
    for decision in &decisions {
        store.decide(owner, decision, Utc::now())?;
    }
    if output.json {
        output.value(&json!({"older": older, "newer": newer, "decided": decisions.len()}))?;
    } else {
        output.line(format!("Decided. noctuary row {here} {newer} tells how it stands."));
        output.line(format!("This takes it back: noctuary suspects {here} {older} {newer} --undo"));
    }
    Ok(End::Well)
}

/// Returns the decisions of the last answer on a pair that still counts; none where there is no such answer.
fn answers(
    store: &dyn AnyStore,
    owner: &Access,
    (older, newer): (MemoryId, MemoryId),
) -> Result<Vec<EventId>, Trouble> {
    let told = store.decisions(owner, usize::MAX)?;
    let mut written = Vec::new();
    for id in [older, newer] {
        written.extend(store.fact(owner, id)?.map(|fact| fact.memory.created_at));
    }
    let last = written.iter().max().copied();
    let undone: BTreeSet<EventId> = standing_reversals(&told);
    // A correction decides while it writes its row, and is no answer.
    let is_answer = |event: &&ConsolidationEvent| {
        let is_of_pair = (event.older, event.newer) == (Some(older), Some(newer));
        let is_rejection =
            event.verdict == Verdict::Reject && event.older.is_some_and(|row| [older, newer].contains(&row));
        event.outcome == EventOutcome::Applied
            && event.reverts.is_none()
            && event.verdict != Verdict::Settle
            && (is_of_pair || is_rejection)
            && last.is_some_and(|last| event.at > last)
            && !undone.contains(&event.id)
    };
    let all = told.iter().filter(is_answer);
    Ok(match told.iter().find(is_answer) {
        // `neither` rejects both rows, one after the other.
        Some(last) if last.verdict == Verdict::Reject => {
            all.take_while(|event| event.verdict == Verdict::Reject).take(2).map(|event| event.id).collect()
        }
        last => last.iter().map(|last| last.id).collect(),
    })
}

/// Takes the last answer on a pair back.
fn take_back(
    store: &dyn AnyStore,
    (owner, here): (&Access, &str),
    (older, newer): (MemoryId, MemoryId),
    output: Output,
) -> Result<End, Trouble> {
    let answers = answers(store, owner, (older, newer))?;
    if answers.is_empty() {
        return Err(Trouble::of("no_answer_to_undo", &[&older, &newer, &here]));
    }
    for event in &answers {
        store.revert(owner, *event, Utc::now()).map_err(|error| match error {
            noctuary::Error::DecidedSince { .. } => Trouble::of("decided_since", &[&older, &newer, &here]),
            other => other.into(),
        })?;
    }
    if output.json {
        output.value(&json!({"older": older, "newer": newer, "taken_back": answers.len()}))?;
    } else {
        output.line(format!("Taken back. Both rows stand as before: noctuary suspects {here}"));
    }
    Ok(End::Well)
}

/// Returns the decisions that a reversal took back which still counts.
fn standing_reversals(told: &[ConsolidationEvent]) -> BTreeSet<EventId> {
    let mut undone = BTreeSet::new();
    // The latest first: what a later reversal took back takes nothing back.
    for event in told.iter().filter(|event| event.outcome == EventOutcome::Applied) {
        if !undone.contains(&event.id) {
            undone.extend(event.reverts);
        }
    }
    undone
}

pub(crate) fn suspects(
    of: &Suspects,
    whose: Whose<'_>,
    config: &Config,
    output: Output,
) -> Result<End, Trouble> {
    let Suspects { path: place, older, newer, answer: said, undo } = of;
    let asked = older.as_deref().zip(newer.as_deref());
    if asked.is_some() && !undo && said.is_none() {
        return Err(Trouble::of("no_answer_said", &[]));
    }
    let home = Home::open(place, whose)?;
    let (owner, store) = (home.owner(), home.store.any());
    let here = whose.here(place);
    if let Some((older, newer)) = asked {
        let pair = (id(older)?, id(newer)?);
        return match said {
            Some(said) => answer(store, (&owner, &here), pair, *said, output),
            None => take_back(store, (&owner, &here), pair, output),
        };
    }
    let pairs = store.suspicions(&owner, usize::MAX)?;
    if output.json {
        output.value(&pairs.iter().map(pair).collect::<Vec<_>>())?;
        return Ok(End::look_if(!pairs.is_empty()));
    }
    for pair in &pairs {
        let (older, newer) = sides(pair);
        output.line(output.bold(&format!("{} {}", older.memory.id, newer.memory.id)));
        show(older, config, output)?;
        show(newer, config, output)?;
    }
    match pairs.first() {
        None => output.line("No rows may contradict each other."),
        Some(pair) => {
            let (older, newer) = ids(sides(pair));
            output.line(format!(
                "`noctuary suspects {here} {older} {newer} newer` answers the first: same, newer, older, both or neither."
            ));
        }
    }
    Ok(End::look_if(!pairs.is_empty()))
}

pub(crate) fn feed(place: &Place, whose: Whose<'_>, output: Output) -> Result<End, Trouble> {
    let home = Home::open(place, whose)?;
    let report = {
        let _progress = Progress::begin("feeding");
        home.feed(Utc::now())?
    };
    if output.json {
        output.value(&report)?;
        return Ok(End::Well);
    }
    output.line(format!(
        "{} lines of MEMORY.md came by dreams: {} rows made, {} removed, {} left out as you deleted them.",
        report.lines, report.written, report.removed, report.withheld
    ));
    if report.refused > 0 {
        output.say("lines_refused", &[&report.refused]);
    }
    Ok(End::Well)
}
