//! The chunks of a document, as the rows that hold them.

use super::links::Links;
use super::words::hashes;
use crate::base::error::Result;
use crate::base::name::DocName;
use crate::postgres::link::Param;
use crate::postgres::within::Within;
use crate::search::documents::{Chunk, words_of_name};

/// The number of chunks that go to the server at once.
const AT_ONCE: usize = 500;

/// A chunk that is not there yet.
struct New<'a> {
    place: i64,
    content: &'a str,
    beside: String,
    /// Its first byte, and its first and last line.
    at: [i64; 3],
}

/// Makes the chunks of a document these. An unchanged chunk is left alone: an append costs only its addition.
pub(super) fn put(
    within: &Within<'_>,
    name: &DocName,
    text: &str,
    chunks: &[Chunk],
    links: &Links,
) -> Result<()> {
    let mut standing = Vec::new();
    for row in within.run(STANDING, [name.as_str().into()])? {
        let number: i64 = within.column(&row, 0)?;
        let place: i64 = within.column(&row, 1)?;
        let words: (Vec<u8>, Vec<u8>) = (within.column(&row, 2)?, within.column(&row, 3)?);
        let at: [i64; 3] = [within.column(&row, 4)?, within.column(&row, 5)?, within.column(&row, 6)?];
        standing.push((number, place, words, at));
    }
    let mut standing = standing.into_iter().peekable();
    let of_name = words_of_name(name);
    let (mut gone, mut new) = (Vec::new(), Vec::new());
    let mut moved: [Vec<i64>; 4] = Default::default();
    for (place, chunk) in (0_i64..).zip(chunks) {
        let content = &text[chunk.bytes.clone()];
        let beside = [of_name.as_str(), &chunk.headings].join("\n");
        let at = [chunk.bytes.start as u64, chunk.lines.0, chunk.lines.1]
            .map(|number| i64::try_from(number).unwrap_or(i64::MAX));
        while let Some((number, ..)) = standing.next_if(|(_, other, ..)| *other < place) {
            gone.push(number);
        }
        match standing.next_if(|(_, other, ..)| *other == place) {
            Some((number, _, words, stands))
                if words.0 == content.as_bytes() && words.1 == beside.as_bytes() =>
            {
                if stands != at {
                    for (column, value) in moved.iter_mut().zip([number, at[0], at[1], at[2]]) {
                        column.push(value);
                    }
                }
            }
            other => {
                gone.extend(other.map(|(number, ..)| number));
                new.push(New { place, content, beside, at });
            }
        }
    }
    gone.extend(standing.map(|(number, ..)| number));
    remove(within, gone)?;
    if !moved[0].is_empty() {
        within.run(MOVE, moved.map(Param::from))?;
    }
    for part in new.chunks(AT_ONCE) {
        insert(within, name, part, links)?;
    }
    Ok(())
}

/// Removes all chunks of a document.
pub(super) fn clear(within: &Within<'_>, name: &DocName) -> Result<()> {
    remove(within, numbers_of(within, name)?)
}

/// Gives the chunks of a document new numbers, so that nothing kept under an old number is used again.
pub(super) fn renumber(within: &Within<'_>, name: &DocName) -> Result<()> {
    let old = numbers_of(within, name)?;
    forget_vectors(within, &old, 0)?;
    let new = more_numbers(within, old.len())?;
    within.run(REMOVE_POSTINGS, [old.clone().into()])?;
    let sql =
        "UPDATE chunks AS held SET number = n.new FROM unnest($3::bigint[], $4::bigint[]) AS n(old, new)
        WHERE held.user_id = $1 AND held.agent_id = $2 AND held.number = n.old";
    within.run(sql, [old.into(), new.clone().into()])?;
    let sql = "INSERT INTO chunk_postings (user_id, agent_id, word, number)
        SELECT $1, $2, unnest(w.words), w.number FROM chunk_words w
        WHERE w.user_id = $1 AND w.agent_id = $2 AND w.number = ANY ($3)";
    within.run(sql, [new.into()]).map(drop)
}

fn numbers_of(within: &Within<'_>, name: &DocName) -> Result<Vec<i64>> {
    let sql = "SELECT number FROM chunks WHERE user_id = $1 AND agent_id = $2 AND path = $3 ORDER BY place";
    within.run(sql, [name.as_str().into()])?.iter().map(|row| within.column(row, 0)).collect()
}

fn remove(within: &Within<'_>, numbers: Vec<i64>) -> Result<()> {
    if numbers.is_empty() {
        return Ok(());
    }
    forget_vectors(within, &numbers, 0)?;
    within.run(REMOVE_POSTINGS, [numbers.clone().into()])?;
    let sql = "DELETE FROM chunks WHERE user_id = $1 AND agent_id = $2 AND number = ANY ($3)";
    within.run(sql, [numbers.into()]).map(drop)
}

/// Removes the vectors of chunks, of one generation or, with 0, of all. A vector of the serving generation is
/// reported.
pub(super) fn forget_vectors(within: &Within<'_>, chunks: &[i64], generation: i64) -> Result<()> {
    let forgotten = within.run(FORGET, [chunks.to_vec().into(), generation.into()])?;
    if forgotten.is_empty() {
        return Ok(());
    }
    let sql = "DELETE FROM chunk_vectors_gone WHERE user_id = $1 AND agent_id = $2 AND number <= (
        SELECT gone - 4096 FROM index_numbers WHERE user_id = $1 AND agent_id = $2)";
    within.run(sql, []).map(drop)
}

fn insert(within: &Within<'_>, name: &DocName, new: &[New<'_>], links: &Links) -> Result<()> {
    let numbers = more_numbers(within, new.len())?;
    let column = |value: fn(&New<'_>) -> i64| Param::Numbers(new.iter().map(value).collect());
    within.run(
        PUT,
        [
            name.as_str().into(),
            numbers.clone().into(),
            column(|chunk| chunk.place),
            Param::ManyBytes(new.iter().map(|chunk| chunk.content.as_bytes().to_vec()).collect()),
            Param::ManyBytes(new.iter().map(|chunk| chunk.beside.as_bytes().to_vec()).collect()),
            column(|chunk| chunk.at[0]),
            column(|chunk| chunk.at[1]),
            column(|chunk| chunk.at[2]),
        ],
    )?;
    let words = new.iter().map(|chunk| {
        let words = hashes(&[chunk.content, &chunk.beside].join("\n"));
        let words: Vec<String> = words.iter().map(i32::to_string).collect();
        format!("{{{}}}", words.join(","))
    });
    within.run(PUT_WORDS, [numbers.clone().into(), words.collect::<Vec<String>>().into()])?;
    let texts: Vec<(i64, &str)> =
        numbers.into_iter().zip(new).map(|(number, chunk)| (number, chunk.content)).collect();
    links.put(within, name, &texts).map(drop)
}

/// Returns numbers that no chunk has, or had.
fn more_numbers(within: &Within<'_>, many: usize) -> Result<Vec<i64>> {
    let many = i64::try_from(many).unwrap_or(i64::MAX);
    let last: i64 = within.one(NUMBERS, [many.into()])?.unwrap_or(many);
    Ok((last - many + 1..=last).collect())
}

const STANDING: &str = "
    SELECT number, place, content, beside, first_byte, first_line, last_line FROM chunks
    WHERE user_id = $1 AND agent_id = $2 AND path = $3 ORDER BY place";

const MOVE: &str = "
    UPDATE chunks AS held SET first_byte = n.first_byte, first_line = n.first_line, last_line = n.last_line
    FROM unnest($3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[]) AS n(number, first_byte, first_line, last_line)
    WHERE held.user_id = $1 AND held.agent_id = $2 AND held.number = n.number";

const PUT: &str = "
    INSERT INTO chunks (user_id, agent_id, path, number, place, content, beside, first_byte, first_line, last_line)
    SELECT $1, $2, $3, n.*
    FROM unnest($4::bigint[], $5::bigint[], $6::bytea[], $7::bytea[], $8::bigint[], $9::bigint[], $10::bigint[]) AS n";

const PUT_WORDS: &str = "
    WITH put AS (
      INSERT INTO chunk_words (user_id, agent_id, number, words)
      SELECT $1, $2, n.number, n.words::int4[] FROM unnest($3::bigint[], $4::text[]) AS n(number, words)
      RETURNING number, words)
    INSERT INTO chunk_postings (user_id, agent_id, word, number) SELECT $1, $2, unnest(put.words), put.number FROM put";

/// A chunk's list says which postings it has.
const REMOVE_POSTINGS: &str = "
    DELETE FROM chunk_postings p USING (
      SELECT unnest(w.words) AS word, w.number FROM chunk_words w
      WHERE w.user_id = $1 AND w.agent_id = $2 AND w.number = ANY ($3)) gone
    WHERE p.user_id = $1 AND p.agent_id = $2 AND p.word = gone.word AND p.number = gone.number";

const NUMBERS: &str = "
    INSERT INTO index_numbers AS held (user_id, agent_id, chunk) VALUES ($1, $2, $3)
    ON CONFLICT (user_id, agent_id) DO UPDATE SET chunk = held.chunk + $3 RETURNING chunk";

/// Numbers of what is gone follow one another without a gap, so that a reader knows what it missed.
const FORGET: &str = "
    WITH removed AS (
      DELETE FROM chunk_vectors WHERE user_id = $1 AND agent_id = $2 AND chunk = ANY ($3)
        AND ($4 = 0 OR generation = $4) RETURNING generation, chunk),
    told AS (
      SELECT r.generation, r.chunk, row_number() OVER (ORDER BY r.generation, r.chunk) AS place FROM removed r
      JOIN chunk_generations g ON g.user_id = $1 AND g.agent_id = $2 AND g.generation = r.generation AND g.serves),
    counted AS (
      UPDATE index_numbers SET gone = gone + (SELECT count(*) FROM told)
      WHERE user_id = $1 AND agent_id = $2 RETURNING gone - (SELECT count(*) FROM told) AS before)
    INSERT INTO chunk_vectors_gone (user_id, agent_id, number, generation, chunk)
    SELECT $1, $2, counted.before + told.place, told.generation, told.chunk FROM told, counted RETURNING 1";
