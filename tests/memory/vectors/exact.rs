//! Identifiers and quotes: what words alone settle is settled, whatever a model says of it.

use std::collections::BTreeSet;
use std::sync::Arc;

use noctuary::memory::{NewMemory, Query, SearchOutcome, Signal, Source};
use noctuary::search::Ranking;
use noctuary::testing::HashEmbedder;
use noctuary::vectors::{EmbedError, Embedder, EmbedderId, Purpose, Strength};

use super::{each, embed, marta, noon, search, write};

const PARAPHRASES: &str = include_str!("../../fixtures/meaning/paraphrases.tsv");
const EXACT: &str = include_str!("../../fixtures/meaning/exact.tsv");

/// The rows and their questions.
fn cases(text: &'static str) -> Vec<[&'static str; 2]> {
    let parts = |line: &'static str| {
        let mut parts = line.split('\t').skip(1);
        std::array::from_fn(|_| parts.next().unwrap())
    };
    text.lines().map(parts).collect()
}

// HY-05: words find nothing there, so that what is found is found by meaning.
#[test]
fn a_paraphrase_shares_no_word_with_its_row() {
    each(|stores| {
        let store = stores.with(|_| {});
        let cases = cases(PARAPHRASES);
        assert_eq!(cases.len(), 60);
        let rows: Vec<_> = cases
            .iter()
            .map(|[row, _]| NewMemory::new("note", *row, Source::UserExplicit))
            .map(|row| store.write(&marta(), &row, noon()).unwrap())
            .collect();
        let found = cases.iter().zip(&rows).filter(|([_, question], row)| {
            let found = store.search(&marta(), &Query::new(*question).limit(10)).unwrap();
            found.hits.iter().any(|hit| hit.memory.id == **row)
        });
        assert!(found.count() <= 6, "words alone find a tenth of them at most");
    });
}

#[test]
#[ignore = "sweep"]
fn no_identifier_and_no_quote_moves_from_its_first_place() {
    // One that hashes words, one to which most words mean the same, and one of many dimensions.
    let dull: Vec<&str> = ["the", "entry", "what", "about", "waits", "says", "holds", "is", "was"].into();
    let embedders = [
        HashEmbedder::new(64),
        HashEmbedder::new(32).alike(&dull),
        HashEmbedder::new(384).strength(Strength::Static),
    ];
    let by_ranks = [(HashEmbedder::new(32).alike(&dull), Ranking::seed())];
    for (embedder, ranking) in
        embedders.map(|embedder| (embedder, Ranking::default())).into_iter().chain(by_ranks)
    {
        each(|stores| {
            let words = stores.with(|config| config.ranking = ranking);
            let both = stores.with(|config| {
                config.ranking = ranking;
                config.embedder = Some(Arc::new(embedder.clone()));
            });
            let cases = cases(EXACT);
            assert_eq!(cases.iter().collect::<BTreeSet<_>>().len(), 60);
            for store in [&words, &both] {
                for [row, _] in &cases {
                    let row = NewMemory::new("note", *row, Source::UserExplicit);
                    store.write(&marta(), &row, noon()).unwrap();
                }
            }
            embed(both.as_ref(), &embedder);
            let mut fused = 0;
            for [row, question] in &cases {
                let query = Query::new(*question);
                let by_words = words.search(&marta(), &query).unwrap();
                assert_eq!(by_words.hits[0].memory.content, *row, "{question}");
                let found = both.search(&marta(), &query).unwrap();
                assert!(!matches!(found.outcome, SearchOutcome::Degraded(_)), "{:?}", found.outcome);
                assert_eq!(found.hits[0].memory.content, *row, "{question}");
                let by_meaning = |signal: &(Signal, usize)| signal.0 == Signal::Meaning;
                fused += usize::from(found.hits.iter().any(|hit| hit.why.iter().any(by_meaning)));
            }
            assert!(fused >= 45, "{fused} of 60 were asked for by meaning too");
        });
    }
}

/// A model to which a question is near every row but the one that has its identifier.
#[derive(Debug)]
struct Contrary(EmbedderId);

impl Embedder for Contrary {
    fn id(&self) -> &EmbedderId {
        &self.0
    }

    fn embed(&self, texts: &[&str], purpose: Purpose) -> Result<Vec<Vec<f32>>, EmbedError> {
        let vector = |text: &&str| {
            let is_it = purpose != Purpose::Query && text.contains("INV-20431");
            if is_it { vec![0.1, 0.995] } else { vec![1.0, 0.0] }
        };
        Ok(texts.iter().map(vector).collect())
    }
}

#[test]
fn a_row_that_words_settle_is_first_whatever_a_model_says() {
    let contrary = Arc::new(Contrary(HashEmbedder::new(2).named("contrary").id().clone()));
    for ranking in [Ranking::default(), Ranking::seed()] {
        each(|stores| {
            let store = stores.with(|config| {
                config.ranking = ranking;
                config.embedder = Some(contrary.clone());
            });
            let row = "The invoice INV-20431 was paid by the insurance.";
            for number in 0..60 {
                write(store.as_ref(), &format!("The invoice of guest {number} was paid."));
            }
            write(store.as_ref(), row);
            embed(store.as_ref(), contrary.as_ref());
            let found = search(store.as_ref(), "was invoice INV-20431 paid");
            assert!(!matches!(found.outcome, SearchOutcome::Degraded(_)), "{:?}", found.outcome);
            assert_eq!(found.hits[0].memory.content, row);
        });
    }
}
