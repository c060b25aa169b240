//! The filling of a generation: the texts that leave for an embedder, and the kept parts of its answer.

use std::collections::HashMap;

use super::backend::{Counts, Entry, Sight, VectorChanges, VectorRows};
use super::probe::kept_text;
use super::ready::{dimensions_of, is_ready};
use crate::base::digest::Digest;
use crate::base::error::Result;
use crate::base::gather::Gather as _;
use crate::base::name::Name;
use crate::embed::store::{BatchFrom, BatchSize, EmbedBatch, EmbedText, EmbeddingStatus, KeptVectors, Probe};
use crate::embed::{EmbedError, EmbedderId, Generation};
use crate::gate::Doors;
use crate::search::vectors::{Dimensions, VectorError, check_answer, encode};

/// The vectors of an earlier generation that one step removes.
const DROP_BATCH: usize = 500;

/// The error of a pass whose model makes other vectors than those that are kept under its name.
const OF_ANOTHER_MODEL: &str = "the vectors kept under the name of this embedder are of another model; give it another name or other settings";

/// A place of texts with vectors.
pub(crate) trait VectorHome {
    /// Reads in one view.
    fn read<T>(&self, read: impl FnOnce(&dyn VectorRows) -> Result<T>) -> Result<T>;

    /// Reads and changes in one step.
    fn change<T>(&self, change: impl FnOnce(&mut dyn VectorChanges) -> Result<T>) -> Result<T>;

    /// Returns the doors that texts leave by.
    fn doors(&self) -> Result<Doors>;

    /// Returns the name of a text, for the policy of a door.
    fn name_of(&self, id: i64) -> Name;

    /// Returns the sight of a main session.
    fn sight_of_main(&self) -> Sight;
}

/// The verbs of [`VectorStore`](crate::vectors::VectorStore).
pub(crate) trait Fill: VectorHome {
    fn embedding_status(&self, embedder: &EmbedderId) -> Result<EmbeddingStatus> {
        let generation = embedder.generation();
        self.read(|vectors| {
            let Counts { embedded, failed, skipped, rows } = vectors.counts(&generation)?;
            let pending = rows.saturating_sub(embedded + failed + skipped);
            let serving = vectors.serving()?.map(|serving| serving.generation);
            let generations = vectors.generations()?;
            Ok(EmbeddingStatus { pending, embedded, failed, skipped, serving, generations })
        })
    }

    fn embed_batch(
        &self,
        embedder: &EmbedderId,
        from: &BatchFrom,
        size: BatchSize,
    ) -> Result<Option<EmbedBatch>> {
        let dimensions = dimensions_of(embedder)?;
        let (generation, mut from) = (embedder.generation(), *from);
        let is_first = from.failed_until.is_none();
        loop {
            let found = self.read(|vectors| {
                let failed_until = from.failed_until.map_or_else(|| vectors.moment(), Ok)?;
                Ok((waiting(vectors, &generation, from.after, failed_until, size)?, failed_until))
            })?;
            let (Waiting { rows, attempts, is_retry }, failed_until) = found;
            from.failed_until = Some(failed_until);
            if rows.is_empty() {
                return Ok(None);
            }
            let doors = self.doors()?;
            let (mut texts, mut skipped, mut bytes) = (Vec::new(), Vec::new(), 0);
            for (id, content) in rows {
                let of = Digest::of(content.as_bytes());
                let Some(text) = to_embed(&doors, &self.name_of(id), &content)? else {
                    skipped.push((id, of, Entry::Skipped));
                    from.after = if is_retry { from.after } else { id };
                    continue;
                };
                bytes += text.len();
                if bytes > size.bytes && !texts.is_empty() {
                    break;
                }
                texts.push(EmbedText { id, text, of });
                from.after = if is_retry { from.after } else { id };
            }
            if !skipped.is_empty() {
                self.keep_entries(&generation, dimensions, &skipped)?;
            }
            if !texts.is_empty() {
                let probe = if is_first { self.probe(&generation)? } else { None };
                return Ok(Some(EmbedBatch { texts, attempts, next: from, probe }));
            }
        }
    }

    /// Returns a text whose vector serves in a generation, as an embedder is shown it.
    fn probe(&self, generation: &Generation) -> Result<Option<Probe>> {
        let sight = self.sight_of_main();
        let kept = self.read(|vectors| kept_text(vectors, generation, sight))?;
        let Some((id, content, vector)) = kept else { return Ok(None) };
        let text = to_embed(&self.doors()?, &self.name_of(id), &content)?;
        Ok(text.map(|text| Probe { text, vector }))
    }

    fn keep_vectors(
        &self,
        embedder: &EmbedderId,
        batch: &EmbedBatch,
        answer: std::result::Result<Vec<Vec<f32>>, EmbedError>,
    ) -> Result<KeptVectors> {
        let dimensions = dimensions_of(embedder)?;
        let mut kept = KeptVectors::none();
        let checked = answer.and_then(|answer| {
            let mut checked = check_answer(&answer, batch.texts().len(), dimensions)
                .map_err(|error| EmbedError::other(error).permanent())?;
            // Beside another vector, zeros say that the model has no direction for a text. Alone, they may be a server's that is unwell.
            if checked.iter().all(|vector| *vector == Err(VectorError::Zero)) {
                return Err(EmbedError::new("every vector of the answer is zero"));
            }
            let probed = batch.probe.as_ref().and_then(|probe| Some((probe, checked.pop()?.ok()?)));
            Ok((checked, probed.is_some_and(|(probe, new)| probe.is_of_another(&new, dimensions))))
        });
        if let Ok((_, true)) = checked {
            // The rows wait on, for the model whose vectors are kept or for another name of this one.
            kept.error = Some(EmbedError::new(OF_ANOTHER_MODEL).permanent());
            return Ok(kept);
        }
        let failed = || Entry::Failed(batch.attempts.saturating_add(1));
        let entry = |vector| match vector {
            Ok(unit) => Entry::Vector(encode(&unit)),
            Err(VectorError::Zero) => Entry::Skipped,
            Err(_) => failed(),
        };
        let entries: Vec<Entry> = match checked {
            Ok((vectors, _)) => vectors.into_iter().map(entry).gather(),
            Err(error) => {
                kept.error = Some(error);
                batch.texts.iter().map(|_| failed()).gather()
            }
        };
        let entries: Vec<(i64, Digest, Entry)> =
            batch.texts.iter().zip(entries).map(|(text, entry)| (text.id, text.of, entry)).gather();
        for (_, entry) in self.keep_entries(&embedder.generation(), dimensions, &entries)? {
            *match entry {
                Entry::Vector(_) => &mut kept.embedded,
                Entry::Failed(_) => &mut kept.failed,
                Entry::Skipped => &mut kept.skipped,
            } += 1;
        }
        kept.moved = entries.len() as u64 - kept.embedded - kept.failed - kept.skipped;
        Ok(kept)
    }

    /// Keeps states of rows that say what they said; returns those.
    fn keep_entries(
        &self,
        generation: &Generation,
        dimensions: Dimensions,
        entries: &[(i64, Digest, Entry)],
    ) -> Result<Vec<(i64, Entry)>> {
        self.change(|vectors| {
            let ids: Vec<i64> = entries.iter().map(|(id, ..)| *id).gather();
            let mut standing: HashMap<i64, Digest> = HashMap::new();
            vectors.contents_of(&ids, &mut |id, content| {
                standing.insert(id, Digest::of(content.as_bytes()));
            })?;
            let kept = entries.iter().filter(|(id, of, _)| standing.get(id) == Some(of));
            let kept: Vec<(i64, Entry)> = kept.map(|(id, _, entry)| (*id, entry.clone())).gather();
            vectors.keep(generation, dimensions.get(), &kept)?;
            Ok(kept)
        })
    }

    fn serve_vectors(&self, embedder: &EmbedderId) -> Result<bool> {
        let dimensions = dimensions_of(embedder)?;
        let generation = embedder.generation();
        let is_serving = self
            .read(|vectors| Ok(vectors.serving()?.is_some_and(|serving| serving.generation == generation)))?;
        if is_serving {
            return Ok(true);
        }
        self.change(|vectors| {
            let is_ready = is_ready(vectors.counts(&generation)?);
            if is_ready {
                vectors.serve(&generation, dimensions.get())?;
            }
            Ok(is_ready)
        })
    }

    fn drop_vectors(&self, embedder: &EmbedderId) -> Result<u64> {
        let generation = embedder.generation();
        self.change(|vectors| vectors.drop_others(&generation, DROP_BATCH))
    }
}

impl<H: VectorHome + ?Sized> Fill for H {}

/// Rows that wait.
struct Waiting {
    rows: Vec<(i64, String)>,
    attempts: u32,
    is_retry: bool,
}

/// Returns the rows that never had a state; where there are none, those that failed.
fn waiting(
    vectors: &dyn VectorRows,
    generation: &Generation,
    after: i64,
    failed_until: i64,
    size: BatchSize,
) -> Result<Waiting> {
    let most = size.texts.max(1);
    let rows = vectors.unfilled(generation, after, most)?;
    if !rows.is_empty() {
        return Ok(Waiting { rows, attempts: 0, is_retry: false });
    }
    let failed = vectors.failed(generation, failed_until, most)?;
    // A text that an embedder chokes on spoils fewer and fewer others, and is alone in the end.
    let attempts = failed.first().map_or(0, |row| row.attempts);
    let most = most.checked_shr(attempts).unwrap_or(0).max(1);
    let alike = failed.into_iter().take(most).take_while(|row| row.attempts == attempts);
    let rows = alike.map(|row| (row.id, row.content)).gather();
    Ok(Waiting { rows, attempts, is_retry: true })
}

/// Returns the text of a row as an embedder is shown it; `None` for one that needs no vector.
fn to_embed(doors: &Doors, name: &Name, content: &str) -> Result<Option<String>> {
    if is_short(content) {
        return Ok(None);
    }
    doors.text_for_an_embedder(name, content)
}

/// The fewest words of a text that says something by itself, and the fewest letters where words are not parted.
const WORDS: usize = 3;
const LETTERS: usize = 4;

/// Returns whether a text is too short to mean anything. That is two words, or three characters of a script without spaces
/// between words.
fn is_short(text: &str) -> bool {
    let words = text.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).count();
    let is_unparted = |letter: &char| letter.is_alphabetic() && *letter >= '\u{2e80}';
    words < WORDS && text.chars().filter(is_unparted).count() < LETTERS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_words_mean_nothing_and_four_signs_do() {
        for short in ["", "ok", "yes, thanks", "- ! -", "好的", "a b -"] {
            assert!(is_short(short), "{short}");
        }
        for long in ["buy more rope", "买一些绳子", "Seil für Boot", "ロープを買う"] {
            assert!(!is_short(long), "{long}");
        }
    }
}
