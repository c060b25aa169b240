//! `noctuary search`, `forget` and `forgotten`.

use std::io::IsTerminal as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use chrono::{NaiveDate, TimeDelta, Utc};
use noctuary::exchange::{Forget, ForgetPlace, ForgetReceipt, ForgottenList};
use noctuary::facts::{LayeredHit, Layers};
use noctuary::format::JournalName;
use noctuary::life::Indexed;
use noctuary::memory::{AsOf, Query, Reached, SearchOutcome};
use noctuary::search::{ChunkConfig, SearchResult};
use noctuary::store::StoreConfig;
use noctuary::{Access, DocName};
use serde_json::json;

use crate::arguments::Kept;
use crate::commands::rows;
use crate::config::Config;
use crate::home::Home;
use crate::kept::{self, Kept as KeptIndex};
use crate::meaning::MAX_RERANKED;
use crate::output::{End, Output, Trouble, count, notice};
use crate::place::{Place, Whose};
use crate::progress::Progress;

/// The time from which on a reader is told how the next search is faster.
const SLOW: Duration = Duration::from_secs(5);

/// The part of what is found that is shown.
pub(crate) struct Sought<'a> {
    pub(crate) limit: usize,
    pub(crate) around: usize,
    pub(crate) as_of: Option<NaiveDate>,
    /// Further homes, the nearest first.
    pub(crate) with: &'a [Place],
    pub(crate) kept: &'a Kept,
}

impl Sought<'_> {
    /// Returns the number of hits to look through: a part of them may not be kept.
    fn looked_through(&self) -> usize {
        let Kept { category: _, origin, who, tag, from, until } = self.kept;
        let is_all = [origin, who, tag].iter().all(|word| word.is_none());
        let is_always = from.is_none() && until.is_none() && self.as_of.is_none();
        if is_all && is_always { self.limit } else { self.limit.max(MAX_LOOKED_THROUGH) }
    }

    /// Returns whether a document is kept: a journal by its day, others where no day is asked for. Nobody knows a category of it.
    fn takes(&self, name: &DocName, content: &str) -> bool {
        let Kept { category, tag, from, until, .. } = self.kept;
        let until = until.iter().chain(&self.as_of).min();
        let is_within = match JournalName::parse(name).map(|journal| journal.date()) {
            Some(day) => from.is_none_or(|from| day >= from) && until.is_none_or(|until| day <= *until),
            None => from.is_none() && until.is_none(),
        };
        category.is_none() && is_within && tag.as_ref().is_none_or(|tag| rows::has_tag(content, tag))
    }
}

/// The most hits that are looked through for those that are kept.
const MAX_LOOKED_THROUGH: usize = 200;

/// The rows and documents of one home, or of several.
struct Seen<'h> {
    /// The names of the homes, the nearest first.
    homes: Vec<&'h str>,
    rows: Vec<LayeredHit<'h>>,
    /// Passages of documents, with the number of their home.
    documents: Vec<(usize, SearchResult)>,
}

pub(crate) fn search(
    place: &Place,
    query: &[String],
    sought: &Sought<'_>,
    whose: Whose<'_>,
    config: &Config,
    output: Output,
) -> Result<End, Trouble> {
    let mut homes = Vec::new();
    let paths: Vec<&Place> = std::iter::once(place).chain(sought.with).collect();
    for place in &paths {
        homes.push((place.to_string(), Home::open(place, whose)?));
    }
    let seen = {
        let _progress = Progress::begin("searching");
        look((&homes, &paths), &query.join(" "), sought, (whose, config))?
    };
    let is_empty = seen.rows.is_empty() && seen.documents.is_empty();
    if is_empty {
        rows::hint(&homes[0].1, sought.kept)?;
    }
    if output.json {
        print_json(&seen, output)?;
        return Ok(End::look_if(is_empty));
    }
    print(&seen, sought.around, output);
    if is_empty {
        output.say(if whose.models.is_some() { "nothing_near" } else { "nothing_found" }, &[]);
    }
    Ok(End::look_if(is_empty))
}

/// Looks in all homes.
fn look<'h>(
    (homes, paths): (&'h [(String, Home)], &[&Place]),
    query: &str,
    sought: &Sought<'_>,
    (whose, config): (Whose<'_>, &Config),
) -> Result<Seen<'h>, Trouble> {
    let models = whose.models;
    let (limit, most) = (sought.limit, sought.looked_through());
    let mut asked = Query::new(query);
    asked.filter = rows::filter(sought.kept, config)?;
    asked.filter.limit = most;
    let last = sought.as_of.map(|date| rows::ends(date, config)).transpose()?;
    asked.as_of = last.map(|ends| AsOf::Held(ends - TimeDelta::milliseconds(1)));
    let mut layers = Layers::default();
    for (name, home) in homes {
        let store = home.store.any();
        models.map(|models| models.fill(home.store.vectors())).transpose()?;
        layers = layers.then(name, store, store, home.owner());
    }
    let found = layers.search_unmasked(&asked)?;
    let is_guess = |outcome: &SearchOutcome| matches!(outcome, SearchOutcome::Weak | SearchOutcome::Empty);
    let mut are_guesses = found.outcomes.iter().all(|(_, outcome)| is_guess(outcome));
    let mut rows = found.hits;
    rows.retain(|row| rows::is_wanted(&row.hit.memory, sought.kept));
    rows.truncate(limit);

    let mut placed: Vec<(usize, usize, SearchResult)> = Vec::new();
    for (number, (_, home)) in homes.iter().enumerate() {
        // The home is not written to.
        let index = kept::open(paths[number], &home.scope, whose, config)?.with_edges(None);
        let index = index.with_ranking(StoreConfig::preset(config.preset()).ranking);
        let chunks = ChunkConfig::preset(config.preset());
        let vectors = index.clone();
        let mut indexed =
            Indexed::with_chunks(Arc::clone(&home.workspace), index, chunks)?.with_neighbours(sought.around);
        let begun = Instant::now();
        indexed.sync(Utc::now())?;
        let may_keep = config.search.index.is_none() && matches!(paths[number], Place::Path(_));
        if may_keep && begun.elapsed() > SLOW && std::io::stderr().is_terminal() {
            notice("search_slow", &[&paths[number]]);
        }
        if let Some(models) = models {
            models.fill_anew(&vectors)?;
            indexed = indexed.with_embedder(Arc::clone(&models.embedder));
        }
        let is_reranked = models.is_some_and(|models| models.reranker.is_some());
        let asked = if is_reranked { most.max(MAX_RERANKED) } else { most };
        let mut found = indexed.search_unmasked(&home.owner(), query, asked)?;
        are_guesses &= is_guess(&found.outcome);
        found.results.retain(|one| sought.takes(&one.path, &one.content));
        models.inspect(|models| models.rerank(query, &mut found.results));
        // Who said it is known of each entry.
        let of_somebody = sought.kept.origin.is_some() || sought.kept.who.is_some();
        let looked = if of_somebody || sought.kept.tag.is_some() { most } else { limit };
        found.results.truncate(looked);
        let mut found = indexed.entries(&home.owner(), query, found, looked)?;
        // A passage has entries with a tag beside others.
        found.results.retain(|one| sought.takes(&one.path, &one.content));
        found.results.retain(|one| !of_somebody || rows::is_from(one.origin.as_ref(), sought.kept));
        found.results.truncate(limit);
        for (at, one) in found.results.into_iter().enumerate() {
            // The same passage in several homes is that of the nearest.
            if !placed.iter().any(|(_, nearer, passage)| *nearer < number && passage.content == one.content) {
                placed.push((at, number, one));
            }
        }
    }
    placed.sort_by_key(|(at, number, _)| (*at, *number));
    placed.truncate(limit);
    if models.is_some() && are_guesses && !(rows.is_empty() && placed.is_empty()) {
        notice("nearest", &[]);
    }
    Ok(Seen {
        homes: homes.iter().map(|(name, _)| name.as_str()).collect(),
        rows,
        documents: placed.into_iter().map(|(_, number, one)| (number, one)).collect(),
    })
}

fn print_json(seen: &Seen<'_>, output: Output) -> Result<(), Trouble> {
    let is_one = seen.homes.len() == 1;
    let rows: Vec<_> = seen
        .rows
        .iter()
        .map(|LayeredHit { layer, hit, also_in, newer, .. }| {
            let mut row =
                json!({"id": hit.memory.id.get(), "category": hit.memory.category, "content": hit.memory.content,
                       "updated_at": hit.memory.updated_at, "score": hit.score, "reached": hit.reached, "span": hit.span,
                       "stale": hit.stale});
            if !is_one {
                row["home"] = json!(layer);
                row["also_in"] = json!(also_in);
                row["newer"] = json!(newer.map(|(home, id)| json!({"home": home, "id": id.get()})));
            }
            row
        })
        .collect();
    let documents: Vec<_> = seen
        .documents
        .iter()
        .map(|(number, found)| {
            let mut one = json!({"document": found.path, "lines": [found.lines.0, found.lines.1],
                                 "content": found.content, "score": found.score, "span": found.span,
                                 "newer": found.newer, "origin": found.origin});
            if !is_one {
                one["home"] = json!(seen.homes[*number]);
            }
            one
        })
        .collect();
    output.value(&json!({"rows": rows, "documents": documents}))
}

fn print(seen: &Seen<'_>, around: usize, output: Output) {
    let is_one = seen.homes.len() == 1;
    let of = |home: &str| if is_one { String::new() } else { format!("{home}: ") };
    for LayeredHit { layer, hit, also_in, newer, .. } in &seen.rows {
        let mut about =
            hit.stale.iter().fold(hit.memory.category.clone(), |told, why| format!("{told}, {why}"));
        if let Reached::Retired(before) = hit.reached {
            about.push_str(&format!(", found by memories/{before}, which it replaced"));
        }
        for home in also_in {
            about.push_str(&format!(", also in {home}"));
        }
        if let Some((home, id)) = newer {
            about.push_str(&format!(", memory {id} of {home} is newer and states the same property"));
        }
        let title = output.bold(&format!("{}memories/{}", of(layer), hit.memory.id));
        output.line(format!("{title}  {}", output.faint(&about)));
        output.wrapped(4, &shown(&hit.memory.content, hit.excerpt(EXCERPT_BYTES)));
    }
    for (number, found) in &seen.documents {
        let place =
            format!("{}{}#L{}-L{}", of(seen.homes[*number]), found.path, found.lines.0, found.lines.1);
        let newer = found.newer.as_ref().map(|newer| format!("  may be out of date: {newer} says it anew"));
        output.line(format!("{}{}", output.bold(&place), output.faint(&newer.unwrap_or_default())));
        // What was asked for is shown whole.
        let is_whole = around > 0 && JournalName::parse(&found.path).is_some();
        let excerpt = if is_whole { &found.content } else { found.excerpt(EXCERPT_BYTES) };
        for line in shown(&found.content, excerpt).lines() {
            output.wrapped(4, line);
        }
    }
}

/// The most bytes that are shown of what was found.
const EXCERPT_BYTES: usize = 480;

/// Returns a part of a text, with dots where the text goes on.
fn shown(whole: &str, part: &str) -> String {
    let before = if whole.trim_start().starts_with(part.trim_start()) { "" } else { "… " };
    let behind = if whole.trim_end().ends_with(part.trim_end()) { "" } else { " …" };
    format!("{before}{}{behind}", part.trim())
}

pub(crate) fn forget(
    place: &Place,
    text: &[String],
    in_files: bool,
    whose: Whose<'_>,
    config: &Config,
    output: Output,
) -> Result<End, Trouble> {
    let home = Home::open(place, whose)?;
    let (owner, text) = (home.owner(), text.join(" "));
    let receipt = {
        let _progress = Progress::begin("forgetting");
        // The documents of its groups are among those of the life, and their rows are in stores of their own.
        let mut groups = Vec::new();
        for group in home.groups()? {
            groups.push(Home::open(place, Whose { group: Some(&group.to_string()), ..whose })?);
        }
        let artifacts = home.artifacts(place, whose)?;
        let mut request =
            Forget::new(&owner, text.as_str()).store(home.store.any()).workspace(&home.workspace);
        request = request.artifacts(artifacts.as_ref());
        for there in &groups {
            request = request.store(there.store.any());
        }
        let statements = request.statements()?;
        let kept = KeptIndex::of(place, config);
        kept.iter().try_for_each(KeptIndex::remove)?;
        let receipt = request.in_files(in_files).run(Utc::now())?;
        // A search may have made one meanwhile.
        kept.iter().try_for_each(KeptIndex::remove)?;
        for statement in &statements {
            listed(&home, &owner).note(statement, &receipt)?;
            for there in &groups {
                listed(there, &there.owner()).note(statement, &receipt)?;
            }
        }
        receipt
    };
    // A next step is about the same life.
    let here = format!("{place}{}", whose.options());
    let is_left = receipt.left().next().is_some();
    let is_found = receipt.places.iter().any(|line| line.found > 0);
    if output.json {
        output.value(&receipt)?;
        return Ok(End::look_if(is_left || !is_found));
    }
    tell_forgotten(&receipt, output);
    if !is_found {
        output.say("nothing_to_forget", &[&here]);
    }
    if !in_files && is_left {
        output.line(format!(
            "With `--in-files`, `noctuary forget {here}` also takes the words out of files, the lines of dreams included."
        ));
    }
    output.line("Out of reach: sessions under way, exports and backups.");
    Ok(End::look_if(is_left || !is_found))
}

/// Erases one person of a group, or says what would go.
pub(crate) fn erase_person(
    place: &Place,
    (who, mentions): (&str, bool),
    yes: bool,
    whose: Whose<'_>,
    config: &Config,
    output: Output,
) -> Result<End, Trouble> {
    if whose.group.is_none() || who.trim().is_empty() {
        return Err(Trouble::of("who_without_group", &[]));
    }
    let home = Home::open(place, whose)?;
    let owner = home.owner();
    let request = Forget::person(&owner, who).mentions(mentions).in_files(true);
    let request = request.store(home.store.any()).workspace(&home.workspace);
    let nobody = || output.line(format!("Nothing is of {who}, and nothing names them."));
    if !yes {
        let plan = request.plan()?;
        let is_in_text = !(plan.said.is_empty() && plan.rests.is_empty() && plan.mentions.is_empty());
        let is_there = is_in_text || plan.proposals + plan.versions > 0;
        if output.json {
            output.value(&plan)?;
            return Ok(End::look_if(!is_there));
        }
        let named = if mentions { "would erase" } else { "names them" };
        for (verb, lines) in
            [("would erase", &plan.said), ("would erase", &plan.rests), (named, &plan.mentions)]
        {
            for line in lines {
                output.folded(4, &format!("{verb}  {}  {}", line.place, line.text));
            }
        }
        for (number, place) in [
            (plan.proposals, "proposals that wait for review"),
            (plan.versions, "earlier versions of documents"),
        ] {
            if number > 0 {
                let places = count(usize::try_from(number).unwrap_or(usize::MAX), "place");
                output.line(format!("would erase  {places} in {place}"));
            }
        }
        if !is_there {
            nobody();
            return Ok(End::look_if(true));
        }
        if !mentions && !plan.mentions.is_empty() {
            output.line("Lines and rows of others that name them stay: `--mentions` takes them too.");
        }
        output.line("Nothing was removed. `--yes` does it, and nothing brings it back.");
        return Ok(End::Well);
    }
    let receipt = {
        let _progress = Progress::begin("erasing");
        let kept = KeptIndex::of(place, config);
        kept.iter().try_for_each(KeptIndex::remove)?;
        let receipt = request.run(Utc::now())?;
        kept.iter().try_for_each(KeptIndex::remove)?;
        receipt
    };
    let is_left = receipt.left().next().is_some();
    if output.json {
        output.value(&receipt)?;
        return Ok(End::look_if(is_left));
    }
    if receipt.mentions.is_empty() && receipt.places.iter().all(|line| line.found == 0) {
        nobody();
        return Ok(End::Look);
    }
    tell_forgotten(&receipt, output);
    for place in &receipt.mentions {
        output.line(format!("names them  {place}"));
    }
    output.line("Out of reach: sessions under way, exports and backups.");
    Ok(End::look_if(is_left))
}

/// Says where words were found, and where they may still be.
fn tell_forgotten(receipt: &ForgetReceipt, output: Output) {
    let left: Vec<ForgetPlace> = receipt.left().map(|line| line.place).collect();
    for line in &receipt.places {
        let is_left = left.contains(&line.place);
        if !is_left && (line.found == 0 || is_index(line.place)) {
            continue;
        }
        let why = line.left.iter().filter(|_| is_left);
        let why: String = why.map(|why| format!(": {}", why.replace("in_files", "--in-files"))).collect();
        let name = called(line.place);
        output.folded(4, &format!("{name:<18} {:>3} found, {:>3} removed{why}", line.found, line.removed));
        for row in &line.rows {
            // Of one that said nothing else, marks alone are left.
            let rest = row.words.replace("[forgotten]", "");
            let says =
                if rest.chars().any(char::is_alphanumeric) { row.to_string() } else { removed(row.row) };
            output.folded(8, &format!("    {says}"));
        }
    }
}

/// Says that a row said nothing else.
fn removed(row: i64) -> String {
    if row == 0 { "a value was removed".to_owned() } else { format!("row {row} was removed") }
}

/// Returns what a person calls a place.
fn called(place: ForgetPlace) -> String {
    match place {
        ForgetPlace::Learnings => "lessons",
        ForgetPlace::Preferences => "rules",
        ForgetPlace::Mirror => "trades",
        ForgetPlace::Ledgers => "state of dreams",
        ForgetPlace::Logs => "records of dreams",
        _ if is_index(place) => "index of searches",
        place => return place.to_string(),
    }
    .to_owned()
}

/// Returns whether a place has no words of its own.
fn is_index(place: ForgetPlace) -> bool {
    use ForgetPlace::{DocumentIndex, Edges, Pages, TextIndex, Vectors};
    matches!(place, DocumentIndex | Edges | Pages | TextIndex | Vectors)
}

/// Returns the list of what a home has forgotten.
pub(super) fn listed<'h>(home: &'h Home, owner: &'h Access) -> ForgottenList<'h> {
    ForgottenList::new(owner).workspace(home.workspace.as_ref()).store(home.store.rows())
}

pub(crate) fn forgotten(
    place: &Place,
    whose: Whose<'_>,
    config: &Config,
    output: Output,
) -> Result<End, Trouble> {
    let home = Home::open(place, whose)?;
    let owner = home.owner();
    let all = listed(&home, &owner).list()?;
    // The words of a line that it hides are those that were forgotten.
    if output.json {
        let told = all.iter().map(|statement| {
            let hides: Vec<_> = statement.hides.iter().map(|line| json!({"place": line.place})).collect();
            json!({"id": statement.id, "words": statement.words, "at": statement.at, "places": statement.places, "hides": hides, "groups": statement.groups})
        });
        output.value(&told.collect::<Vec<_>>())?;
        return Ok(End::Well);
    }
    if all.is_empty() {
        output.line("Nothing is forgotten.");
    }
    for statement in &all {
        let words = count(usize::try_from(statement.words).unwrap_or(usize::MAX), "word");
        let mut told = format!("{}  {words}", output.bold(&statement.id));
        let groups: Vec<String> = statement.groups.iter().map(ToString::to_string).collect();
        if !groups.is_empty() {
            told.push_str(&format!(", of the group {} alone", groups.join(", ")));
        }
        if let Some(at) = statement.at {
            let places: Vec<String> = statement
                .places
                .iter()
                .filter(|place| !is_index(**place))
                .map(|place| called(*place))
                .collect();
            let from = if places.is_empty() { "nowhere".to_owned() } else { places.join(", ") };
            told.push_str(&format!(", forgotten on {}, found in {from}", config.day()?.date(at)));
        }
        let hides: Vec<&str> = statement.hides.iter().map(|line| line.place.as_str()).collect();
        if !hides.is_empty() {
            told.push_str(&format!("; it hides {}", hides.join(", ")));
        }
        output.folded(4, &told);
    }
    if !all.is_empty() {
        output.line(format!("`noctuary forgotten lift {place}{} ID` lets one in again.", whose.options()));
    }
    Ok(End::Well)
}

pub(crate) fn lift(place: &Place, text: &[String], whose: Whose<'_>, output: Output) -> Result<End, Trouble> {
    let home = Home::open(place, whose)?;
    let (owner, text, now) = (home.owner(), text.join(" "), Utc::now());
    let list = listed(&home, &owner);
    let by_words = || {
        let request = Forget::new(&owner, text.as_str()).store(home.store.any()).workspace(&home.workspace);
        match request.lift(now) {
            // So few words are no statement, and may be an id with a slip in it.
            Err(noctuary::Error::Config { .. }) => Ok(false),
            lifted => lifted,
        }
    };
    let is_lifted = list.lift(&text, now)? || by_words()?;
    if output.json {
        output.value(&json!({"lifted": is_lifted}))?;
    } else if is_lifted {
        output.line("It may be written and remembered again. What was removed stays removed.");
        if !home.groups()?.is_empty() {
            output.line("The rows of its groups have lists of their own: add `--group NAME`.");
        }
    } else {
        output.line(format!(
            "No forgotten statement has this id or these words. `noctuary forgotten list {place}{}` lists them.",
            whose.options()
        ));
    }
    Ok(End::look_if(!is_lifted))
}
