//! The check of an embedder's answer.

use super::dimensions::Dimensions;
use super::error::{AnswerError, VectorError};
use super::unit::Unit;

/// Checks the answer for a batch of texts, and returns a vector of length one or its fault for each text.
///
/// A single bad vector spoils its own text only. A wrong number of vectors or dimensions spoils the batch: nobody knows
/// the text or model of each vector.
///
/// # Errors
///
/// [`AnswerError`], if the batch cannot be used.
pub fn check_answer(
    answer: &[Vec<f32>],
    texts: usize,
    dimensions: Dimensions,
) -> Result<Vec<Result<Unit, VectorError>>, AnswerError> {
    if answer.len() != texts {
        return Err(AnswerError::Count { expected: texts, found: answer.len() });
    }
    let expected = dimensions.get();
    if let Some(at) = answer.iter().position(|vector| vector.len() != expected) {
        return Err(AnswerError::Length { at, expected, found: answer[at].len() });
    }
    Ok(answer.iter().map(|vector| Unit::new(vector, dimensions)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(answer: &[Vec<f32>], texts: usize) -> Result<Vec<Result<Unit, VectorError>>, AnswerError> {
        check_answer(answer, texts, Dimensions::new(2).expect("two is in bounds"))
    }

    #[test]
    fn a_wrong_count_spoils_the_batch() {
        for answer in [vec![], vec![vec![1.0, 0.0]], vec![vec![1.0, 0.0]; 3]] {
            assert_eq!(check(&answer, 2), Err(AnswerError::Count { expected: 2, found: answer.len() }));
        }
    }

    #[test]
    fn another_models_vector_spoils_the_batch() {
        let answer = [vec![1.0, 0.0], vec![1.0, 0.0, 0.0]];
        assert_eq!(check(&answer, 2), Err(AnswerError::Length { at: 1, expected: 2, found: 3 }));
    }

    #[test]
    fn a_bad_vector_spoils_its_own_text_only() {
        let answer = [vec![2.0, 0.0], vec![f32::NAN, 1.0], vec![0.0, 0.0], vec![0.0, 1.0]];
        let checked = check(&answer, 4).expect("count and dimensions are right");
        assert_eq!(checked[0].as_ref().map(Unit::numbers), Ok(&[1.0, 0.0][..]));
        assert_eq!(checked[1], Err(VectorError::NotFinite { at: 0 }));
        assert_eq!(checked[2], Err(VectorError::Zero));
        assert!(checked[3].is_ok());
    }

    #[test]
    fn nothing_asked_is_nothing_answered() {
        assert_eq!(check(&[], 0), Ok(vec![]));
    }
}
