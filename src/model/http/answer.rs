//! Vectors and scores, as servers answer them.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::wire::{error, without_mark};
use crate::base::order;

/// Why an answer cannot be used.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Unusable {
    NoJson,
    /// Another shape; with its words of an error, if it has any.
    NoList(String),
    Count {
        asked: usize,
        got: usize,
    },
    Dimensions {
        asked: usize,
        got: usize,
    },
    /// A number that is not finite or none at all.
    NoNumber,
}

#[derive(Deserialize)]
struct Embeddings {
    data: Vec<Embedding>,
}

#[derive(Deserialize)]
struct Embedding {
    index: Option<usize>,
    /// Some servers write `null` for what is not finite.
    embedding: Vec<Option<f32>>,
}

#[derive(Deserialize)]
struct Ranking {
    results: Vec<Rank>,
}

#[derive(Deserialize)]
struct Rank {
    index: usize,
    #[serde(alias = "score")]
    relevance_score: Option<f32>,
}

/// Reads the vectors of a number of texts, in the order of the texts. They have the same length: the expected one, if
/// there is one.
pub(super) fn vectors(
    body: &[u8],
    texts: usize,
    dimensions: Option<usize>,
) -> Result<Vec<Vec<f32>>, Unusable> {
    let found = read::<Embeddings>(body)?.data;
    let indexed = found.into_iter().enumerate().map(|(at, one)| (one.index.unwrap_or(at), one.embedding));
    let vectors = in_order(indexed.collect(), texts)?;
    let asked = dimensions.or_else(|| vectors.first().map(Vec::len)).unwrap_or_default();
    if let Some(other) = vectors.iter().find(|vector| vector.len() != asked || asked == 0) {
        return Err(Unusable::Dimensions { asked, got: other.len() });
    }
    vectors.into_iter().map(|vector| vector.into_iter().map(finite).collect()).collect()
}

/// Reads the scores of a number of texts, in the order of the texts.
pub(super) fn scores(body: &[u8], texts: usize) -> Result<Vec<f32>, Unusable> {
    let found = read::<Ranking>(body)?.results;
    let indexed = found.into_iter().map(|one| (one.index, one.relevance_score));
    in_order(indexed.collect(), texts)?.into_iter().map(finite).collect()
}

fn finite(number: Option<f32>) -> Result<f32, Unusable> {
    number.filter(|number| number.is_finite()).ok_or(Unusable::NoNumber)
}

/// Reads the shape of an answer.
fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, Unusable> {
    let body = without_mark(body);
    serde_json::from_slice(body).map_err(|_| match serde_json::from_slice::<Value>(body) {
        Ok(value) => Unusable::NoList(error(&value).unwrap_or_default().to_owned()),
        Err(_) => Unusable::NoJson,
    })
}

/// Sorts what came by its index: each index once, and none beyond the texts.
fn in_order<T>(mut found: Vec<(usize, T)>, texts: usize) -> Result<Vec<T>, Unusable> {
    let got = found.len();
    order::sort_by_key(&mut found, |(index, _)| *index);
    if got != texts || found.iter().enumerate().any(|(at, (index, _))| at != *index) {
        // Of those that came twice, or for no text, one counts.
        order::retain(&mut found, |(index, _)| *index < texts);
        found.dedup_by_key(|(index, _)| *index);
        let got = if got == texts { found.len() } else { got };
        return Err(Unusable::Count { asked: texts, got });
    }
    Ok(found.into_iter().map(|(_, one)| one).collect())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read_vectors(
        data: &Value,
        texts: usize,
        dimensions: Option<usize>,
    ) -> Result<Vec<Vec<f32>>, Unusable> {
        vectors(json!({ "object": "list", "data": data }).to_string().as_bytes(), texts, dimensions)
    }

    fn one(index: usize, embedding: &Value) -> Value {
        json!({ "object": "embedding", "index": index, "embedding": embedding })
    }

    #[test]
    fn vectors_come_in_the_order_of_their_texts() {
        let data = json!([one(1, &json!([3, 4])), one(0, &json!([1, 2.5]))]);
        assert_eq!(read_vectors(&data, 2, Some(2)), Ok(vec![vec![1.0, 2.5], vec![3.0, 4.0]]));
        let bare = json!([{ "embedding": [1] }, { "embedding": [2] }]);
        assert_eq!(
            read_vectors(&bare, 2, None),
            Ok(vec![vec![1.0], vec![2.0]]),
            "without an index as they come"
        );
    }

    #[test]
    fn each_text_has_one_vector() {
        let v = json!([1, 2]);
        let count = |got| Err(Unusable::Count { asked: 2, got });
        assert_eq!(read_vectors(&json!([]), 2, Some(2)), count(0));
        assert_eq!(read_vectors(&json!([one(0, &v)]), 2, Some(2)), count(1));
        assert_eq!(read_vectors(&json!([one(0, &v), one(1, &v), one(2, &v)]), 2, Some(2)), count(3));
        assert_eq!(read_vectors(&json!([one(0, &v), one(0, &v)]), 2, Some(2)), count(1), "twice the same");
        assert_eq!(read_vectors(&json!([one(0, &v), one(7, &v)]), 2, Some(2)), count(1), "for no text");
    }

    #[test]
    fn vectors_of_another_length_and_numbers_that_are_none_are_refused() {
        let of = |embedding: Value, dimensions| read_vectors(&json!([one(0, &embedding)]), 1, dimensions);
        assert_eq!(of(json!([1, 2, 3]), Some(2)), Err(Unusable::Dimensions { asked: 2, got: 3 }));
        assert_eq!(of(json!([]), None), Err(Unusable::Dimensions { asked: 0, got: 0 }));
        for embedding in [json!([1, null]), json!([1, 1e300])] {
            assert_eq!(of(embedding.clone(), Some(2)), Err(Unusable::NoNumber), "{embedding}");
        }
        let uneven = json!([one(0, &json!([1, 2])), one(1, &json!([1]))]);
        assert_eq!(read_vectors(&uneven, 2, None), Err(Unusable::Dimensions { asked: 2, got: 1 }));
        // JSON has no such word.
        assert_eq!(vectors(br#"{"data":[{"index":0,"embedding":[NaN]}]}"#, 1, None), Err(Unusable::NoJson));
    }

    #[test]
    fn another_shape_says_so() {
        let nothing = |words: &str| Err(Unusable::NoList(words.to_owned()));
        for body in
            ["{}", "[]", "null", r#"{"data":null}"#, r#"{"data":[{"index":0,"embedding":"AACAPw=="}]}"#]
        {
            assert_eq!(vectors(body.as_bytes(), 1, None), nothing(""), "{body}");
        }
        assert_eq!(vectors(br#"{"error":"busy"}"#, 1, None), nothing("busy"));
        assert_eq!(
            scores(br#"{"error":{"message":"busy"}}"#, 1).unwrap_err(),
            Unusable::NoList("busy".to_owned())
        );
        assert_eq!(vectors(b"<html>", 1, None), Err(Unusable::NoJson));
        assert_eq!(vectors(b"", 1, None), Err(Unusable::NoJson));
    }

    #[test]
    fn scores_come_in_the_order_of_their_texts() {
        let of = |results: Value| scores(json!({ "results": results }).to_string().as_bytes(), 2);
        let best_first =
            json!([{ "index": 1, "relevance_score": 0.9 }, { "index": 0, "relevance_score": -7.5 }]);
        assert_eq!(of(best_first), Ok(vec![-7.5, 0.9]));
        let short = json!([{ "index": 1, "score": 0.9 }, { "index": 0, "score": 0.1 }]);
        assert_eq!(of(short), Ok(vec![0.1, 0.9]));
        let half = json!([{ "index": 1, "relevance_score": 0.9 }]);
        assert_eq!(of(half), Err(Unusable::Count { asked: 2, got: 1 }));
        let none = json!([{ "index": 1, "relevance_score": null }, { "index": 0, "relevance_score": 1 }]);
        assert_eq!(of(none), Err(Unusable::NoNumber));
    }
}
