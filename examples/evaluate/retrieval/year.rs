//! The set of this repository, `tests/fixtures/year`: tables of turns and of questions.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::Path;

use super::{Corpus, Question, Session, Set, Turn, name_of};
use crate::Result;

const TURNS: &str = "turns.tsv";
const QUESTIONS: &str = "questions.tsv";

/// Whether a folder holds the tables.
pub(crate) fn is_here(folder: &Path) -> bool {
    [TURNS, QUESTIONS].iter().all(|file| folder.join(file).is_file())
}

/// Reads the tables: one corpus of all sessions.
pub(super) fn read(folder: &Path) -> Result<Set> {
    let name = name_of(folder);
    let mut corpus = Corpus { id: name.clone(), sessions: Vec::new() };
    let mut sessions: HashMap<String, Session> = HashMap::new();
    let turns = fs::read_to_string(folder.join(TURNS))?;
    for row in rows(&turns) {
        let [id, day, speaker, text] = row[..] else { return Err("a turn has four columns".into()) };
        let (session, _) = id.split_once('.').ok_or("a turn is named by its session and its position")?;
        if !sessions.contains_key(session) {
            corpus.sessions.push((session.to_owned(), format!("{day} 09:00")));
        }
        let role = if speaker == "Assistant" { "assistant" } else { "user" };
        let [id, role, speaker, text] = [id, role, speaker, text].map(str::to_owned);
        let all = sessions
            .entry(session.to_owned())
            .or_insert_with(|| Session { id: session.to_owned(), turns: Vec::new() });
        all.turns.push(Turn { id, role, speaker, text });
    }
    let mut questions = Vec::new();
    for row in rows(&fs::read_to_string(folder.join(QUESTIONS))?) {
        let [kind, text, gold, ..] = row[..] else { return Err("a question has three columns".into()) };
        let ids = |ids: &str| ids.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let stale = row.get(3).map(|stale| ids(stale)).unwrap_or_default();
        let mut gold_sessions: Vec<String> =
            gold.split(' ').filter_map(|id| Some(id.split_once('.')?.0.to_owned())).collect();
        gold_sessions.dedup();
        questions.push(Question {
            corpus: name.clone(),
            r#type: kind.to_owned(),
            text: text.to_owned(),
            gold_turns: ids(gold),
            gold_sessions,
            fresh: if stale.is_empty() { Vec::new() } else { ids(gold) },
            stale,
            sides: Vec::new(),
        });
    }
    Ok((sessions, vec![corpus], BTreeMap::from([(name, questions)])))
}

fn rows(table: &str) -> impl Iterator<Item = Vec<&str>> {
    table.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('\t').collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_of_this_repository_are_a_set() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures/year");
        assert!(is_here(&folder));
        let (sessions, corpora, questions) = read(&folder).unwrap();
        assert_eq!((corpora.len(), questions.len()), (1, 1));
        assert_eq!(corpora[0].sessions.len(), sessions.len());
        let questions = &questions["year"];
        let of_other_turns = questions.iter().flat_map(|question| &question.gold_turns).find(|gold| {
            !sessions.values().any(|session| session.turns.iter().any(|turn| turn.id == **gold))
        });
        assert_eq!(of_other_turns, None);
        assert!(questions.iter().any(|question| !question.fresh.is_empty()));
    }
}
