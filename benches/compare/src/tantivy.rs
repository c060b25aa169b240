//! An index of tantivy.

use std::path::Path;

use tantivy::collector::TopDocs;
use tantivy::query::BooleanQuery;
use tantivy::schema::{Field, IndexRecordOption, STORED, Schema, TextFieldIndexing, TextOptions, Value};
use tantivy::tokenizer::TextAnalyzer;
use tantivy::{Index, IndexReader, IndexWriter, ReloadPolicy, TantivyDocument, Term, doc};

use crate::engine::Engine;

/// A tokenizer that every index has: words in small letters, stemmed.
const STEMMED: &str = "en_stem";
/// The bytes that a writer keeps in memory before it writes a segment.
const MEMORY: usize = 50_000_000;

pub(crate) struct Tantivy {
    /// None once all is written.
    writer: Option<IndexWriter>,
    reader: IndexReader,
    analyzer: TextAnalyzer,
    number: Field,
    content: Field,
}

impl Tantivy {
    pub(crate) fn open(folder: &Path) -> Self {
        let mut schema = Schema::builder();
        let number = schema.add_u64_field("number", STORED);
        let frequencies = TextFieldIndexing::default()
            .set_tokenizer(STEMMED)
            .set_index_option(IndexRecordOption::WithFreqs);
        let options = TextOptions::default().set_indexing_options(frequencies).set_stored();
        let content = schema.add_text_field("content", options);
        let index = Index::create_in_dir(folder, schema.build()).unwrap();
        let writer = index.writer_with_num_threads(1, MEMORY).unwrap();
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into().unwrap();
        let analyzer = index.tokenizers().get(STEMMED).unwrap();
        Self { writer: Some(writer), reader, analyzer, number, content }
    }
}

impl Engine for Tantivy {
    fn name(&self) -> &'static str {
        "tantivy"
    }

    fn write(&mut self, rows: &[(u32, String)]) {
        let writer = self.writer.as_mut().expect("rows are written before they are searched");
        for (number, text) in rows {
            let row = doc!(self.number => u64::from(*number), self.content => text.as_str());
            writer.add_document(row).unwrap();
        }
        writer.commit().unwrap();
    }

    fn settle(&mut self) {
        self.writer.take().expect("it settles once").wait_merging_threads().unwrap();
        self.reader.reload().unwrap();
    }

    fn search(&mut self, words: &[String]) -> Vec<u32> {
        let mut terms = Vec::new();
        for word in words {
            let mut stream = self.analyzer.token_stream(word);
            stream.process(&mut |token| terms.push(Term::from_field_text(self.content, &token.text)));
        }
        let searcher = self.reader.searcher();
        let query = BooleanQuery::new_multiterms_query(terms);
        let found = searcher.search(&query, &TopDocs::with_limit(10).order_by_score()).unwrap();
        let number = |address| {
            let row: TantivyDocument = searcher.doc(address).unwrap();
            assert!(row.get_first(self.content).is_some(), "the text is read, as of the others");
            u32::try_from(row.get_first(self.number).unwrap().as_u64().unwrap()).unwrap()
        };
        found.into_iter().map(|(_, address)| number(address)).collect()
    }
}
