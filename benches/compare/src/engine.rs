//! One of the engines that are compared.

use std::fs;
use std::path::Path;

pub(crate) trait Engine {
    fn name(&self) -> &'static str;

    /// Writes rows with their numbers; they are durable when it returns.
    fn write(&mut self, rows: &[(u32, String)]);

    /// Waits for what the engine does behind its writes.
    fn settle(&mut self) {}

    /// Finds the numbers of the ten best rows that have any of these words.
    fn search(&mut self, words: &[String]) -> Vec<u32>;
}

/// How many bytes the files of a folder have.
pub(crate) fn bytes(folder: &Path) -> f64 {
    let mut sum = 0.0;
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let metadata = entry.metadata().unwrap();
        #[expect(clippy::cast_precision_loss, reason = "a rounded figure is printed")]
        let length = metadata.len() as f64;
        sum += if metadata.is_dir() { bytes(&entry.path()) } else { length };
    }
    sum
}
