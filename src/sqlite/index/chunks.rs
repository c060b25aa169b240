//! The chunks of a document, as the rows that hold them.

use rusqlite::{Connection, Row, params};

use super::links::Links;
use crate::base::name::DocName;
use crate::base::uuid::chunk_id;
use crate::search::documents::{Chunk, words_of_name};
use crate::sqlite::columns::ReadAll;
use crate::sqlite::words;

/// Makes the chunks of a document these. An unchanged chunk is left alone: an append costs only its addition.
pub(super) fn put(
    connection: &Connection,
    (document, name): (&str, &DocName),
    text: &str,
    chunks: &[Chunk],
    links: &Links,
    at: &str,
) -> rusqlite::Result<()> {
    let standing: Vec<(i64, String, String, [i64; 3])> = {
        let mut statement = connection.prepare_cached(
            "SELECT chunk_index, content, terms, first_byte, first_line, last_line FROM memory_chunks
             WHERE document_id = ?1 ORDER BY chunk_index",
        )?;
        let place = |row: &Row<'_>| Ok::<_, rusqlite::Error>([row.get(3)?, row.get(4)?, row.get(5)?]);
        let rows = statement.query([document])?;
        rows.all(|row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, place(row)?)))?
    };
    let mut standing = standing.into_iter().peekable();
    let of_name = words_of_name(name);
    let mut put = connection.prepare_cached(PUT_CHUNK)?;
    let mut shift = connection.prepare_cached(
        "UPDATE memory_chunks SET first_byte = ?3, first_line = ?4, last_line = ?5
         WHERE document_id = ?1 AND chunk_index = ?2",
    )?;
    for (index, chunk) in (0_i64..).zip(chunks) {
        let content = &text[chunk.bytes.clone()];
        let mut terms = [of_name.as_str(), &chunk.headings, ""].join("\n");
        words::add_beside(&mut terms, content);
        words::add_stems(&mut terms, content);
        let place = [chunk.bytes.start as u64, chunk.lines.0, chunk.lines.1]
            .map(|number| i64::try_from(number).unwrap_or(i64::MAX));
        let [byte, first, last] = place;
        match standing.next_if(|(other, ..)| *other == index) {
            Some((_, text, words, stands)) if text == content && words == terms => {
                if stands != place {
                    shift.execute(params![document, index, byte, first, last])?;
                }
            }
            _ => {
                let id = chunk_id(document, index);
                let bound = params![id, document, index, content, terms, byte, first, last, at];
                let number = put.query_row(bound, |row| row.get(0))?;
                links.put(connection, name, (number, content), at)?;
            }
        }
    }
    connection
        .prepare_cached("DELETE FROM memory_chunks WHERE document_id = ?1 AND chunk_index >= ?2")?
        .execute(params![document, i64::try_from(chunks.len()).unwrap_or(i64::MAX)])?;
    Ok(())
}

/// A text that is another has no vector yet.
const PUT_CHUNK: &str = "INSERT INTO memory_chunks
       (id, document_id, chunk_index, content, terms, first_byte, first_line, last_line, created_at)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
     ON CONFLICT (document_id, chunk_index) DO UPDATE SET
       content = excluded.content, terms = excluded.terms, first_byte = excluded.first_byte,
       first_line = excluded.first_line, last_line = excluded.last_line, created_at = excluded.created_at,
       embedding = NULL, generation = NULL
     RETURNING number";
