//! The tables of an index: the fifth seed's chunks, the documents that they are of, and an FTS5 index over them.
//!
//! As in the store, no trigger calls a function or tokenizer of this library. So any SQLite shell can read and
//! mend the tables.

use rusqlite::Connection;

use crate::sql::vectors::Names;
use crate::sqlite::vectors::{TABLES as VECTOR_TABLES, named};

/// An index has a table of documents of its own: those of a folder have no rows in `memory_documents`.
const TABLES: &str = "
    CREATE TABLE indexed_documents (
        id TEXT NOT NULL PRIMARY KEY,
        user_id TEXT NOT NULL,
        agent_id TEXT NOT NULL DEFAULT '',
        path TEXT NOT NULL,
        size INTEGER NOT NULL,
        modified_ns INTEGER NOT NULL,
        revision TEXT NOT NULL,
        audience INTEGER NOT NULL,
        chunking TEXT NOT NULL,
        chunks INTEGER NOT NULL,
        indexed_at TEXT NOT NULL,
        UNIQUE (user_id, agent_id, path)
    );

    CREATE TABLE memory_chunks (
        number INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        document_id TEXT NOT NULL REFERENCES indexed_documents (id) ON DELETE CASCADE,
        chunk_index INTEGER NOT NULL,
        content TEXT NOT NULL,
        terms TEXT NOT NULL DEFAULT '',
        first_byte INTEGER NOT NULL DEFAULT 0,
        first_line INTEGER NOT NULL DEFAULT 1,
        last_line INTEGER NOT NULL DEFAULT 1,
        embedding BLOB,
        generation TEXT,
        created_at TEXT NOT NULL,
        UNIQUE (document_id, chunk_index)
    );
    CREATE INDEX idx_chunks_document ON memory_chunks (document_id);

    CREATE TRIGGER memory_documents_ad AFTER DELETE ON memory_documents BEGIN
        DELETE FROM indexed_documents WHERE id = old.id;
    END;
";

const INDEX: &str = "
    DROP TRIGGER IF EXISTS memory_chunks_ai;
    DROP TRIGGER IF EXISTS memory_chunks_ad;
    DROP TRIGGER IF EXISTS memory_chunks_au;
    DROP TABLE IF EXISTS memory_chunks_fts;
    CREATE VIRTUAL TABLE memory_chunks_fts USING fts5(
        content, terms, content='memory_chunks', content_rowid='number', tokenize='porter unicode61'
    );
";

const TRIGGERS: &str = "
    CREATE TRIGGER memory_chunks_ai AFTER INSERT ON memory_chunks BEGIN
        INSERT INTO memory_chunks_fts (rowid, content, terms) VALUES (new.number, new.content, new.terms);
    END;
    CREATE TRIGGER memory_chunks_ad AFTER DELETE ON memory_chunks BEGIN
        INSERT INTO memory_chunks_fts (memory_chunks_fts, rowid, content, terms)
        VALUES ('delete', old.number, old.content, old.terms);
    END;
    CREATE TRIGGER memory_chunks_au AFTER UPDATE OF content, terms ON memory_chunks BEGIN
        INSERT INTO memory_chunks_fts (memory_chunks_fts, rowid, content, terms)
        VALUES ('delete', old.number, old.content, old.terms);
        INSERT INTO memory_chunks_fts (rowid, content, terms) VALUES (new.number, new.content, new.terms);
    END;
";

/// Makes the tables.
pub(crate) fn make(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(TABLES)?;
    connection.execute_batch(INDEX)?;
    connection.execute_batch(TRIGGERS)?;
    connection.execute_batch(&named(NAMES, VECTOR_TABLES))?;
    connection.execute_batch(VECTOR_TRIGGERS)
}

/// The names of the tables of vectors.
pub(super) const NAMES: Names = Names {
    generations: "chunk_generations",
    id: "id",
    vectors: "chunk_vectors",
    text: "text_id",
    gone: "chunk_vectors_gone",
};

/// A chunk may get the number of one that is gone, so what is filled ends before it.
const VECTOR_TRIGGERS: &str = "
    CREATE TRIGGER chunk_vectors_of_changed AFTER UPDATE OF number, document_id, content ON memory_chunks
    WHEN (old.number IS NOT new.number OR old.document_id IS NOT new.document_id OR old.content IS NOT new.content)
        AND EXISTS (SELECT 1 FROM chunk_generations) BEGIN
        DELETE FROM chunk_vectors WHERE text_id IN (old.number, new.number);
        UPDATE chunk_generations SET filled = min(filled, old.number - 1, new.number - 1);
    END;
    CREATE TRIGGER chunk_vectors_of_removed AFTER DELETE ON memory_chunks
    WHEN EXISTS (SELECT 1 FROM chunk_generations) BEGIN
        DELETE FROM chunk_vectors WHERE text_id = old.number;
        UPDATE chunk_generations SET filled = min(filled, old.number - 1);
    END;
    CREATE TRIGGER chunk_vectors_of_moved AFTER UPDATE OF id, user_id, agent_id, audience ON indexed_documents
    WHEN (old.id IS NOT new.id OR old.user_id IS NOT new.user_id OR old.agent_id IS NOT new.agent_id
            OR old.audience IS NOT new.audience)
        AND EXISTS (SELECT 1 FROM chunk_generations) BEGIN
        DELETE FROM chunk_vectors
        WHERE text_id IN (SELECT number FROM memory_chunks WHERE document_id IN (old.id, new.id));
        UPDATE chunk_generations SET filled = min(filled, coalesce(
            (SELECT min(number) - 1 FROM memory_chunks WHERE document_id IN (old.id, new.id)), filled));
    END;
    CREATE TRIGGER chunk_vectors_ad AFTER DELETE ON chunk_vectors
    WHEN EXISTS (SELECT 1 FROM chunk_generations WHERE id = old.generation AND serves = 1) BEGIN
        INSERT INTO chunk_vectors_gone (generation, text_id) VALUES (old.generation, old.text_id);
        DELETE FROM chunk_vectors_gone WHERE number <= (SELECT max(number) FROM chunk_vectors_gone) - 4096;
    END;
";

/// Changes chunks without the text index, and makes that anew from them: also where it is damaged.
pub(super) fn remake(
    connection: &Connection,
    change: impl FnOnce(&Connection) -> rusqlite::Result<()>,
) -> rusqlite::Result<()> {
    connection.execute_batch(INDEX)?;
    change(connection)?;
    connection.execute_batch("INSERT INTO memory_chunks_fts (memory_chunks_fts) VALUES ('rebuild')")?;
    connection.execute_batch(TRIGGERS)
}

/// Compares the text index with the chunks; an error of damage where they differ.
pub(super) fn compare(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(
        "INSERT INTO memory_chunks_fts (memory_chunks_fts, rank) VALUES ('integrity-check', 1)",
    )
}

/// Chunks of no document: another program deleted it with foreign keys off.
pub(super) const ORPHANS: &str = "document_id NOT IN (SELECT id FROM indexed_documents)";
