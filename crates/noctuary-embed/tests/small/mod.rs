//! Small models that a test writes: a table of vectors, and its tokenizer.

use std::fs;
use std::path::Path;

/// The words of the small models, each with its vector. The first three are marks of the tokenizer.
pub(crate) const WORDS: [(&str, [f32; 2]); 7] = [
    ("[UNK]", [9.0, 9.0]),
    ("[CLS]", [0.0, 0.0]),
    ("[SEP]", [0.0, 0.0]),
    ("rope", [3.0, 0.0]),
    ("cordage", [2.0, 0.0]),
    ("tea", [0.0, 4.0]),
    ("query", [0.0, 1.0]),
];

/// Writes a tokenizer that knows the first words, and divides a text at its spaces.
pub(crate) fn tokenizer(folder: &Path, words: usize) {
    let vocabulary: Vec<String> =
        WORDS[..words].iter().enumerate().map(|(id, (word, _))| format!(r#""{word}": {id}"#)).collect();
    let text = format!(
        r#"{{"version": "1.0", "truncation": null, "padding": null, "added_tokens": [],
            "normalizer": {{"type": "Lowercase"}}, "pre_tokenizer": {{"type": "Whitespace"}},
            "post_processor": {{"type": "BertProcessing", "sep": ["[SEP]", 2], "cls": ["[CLS]", 1]}}, "decoder": null,
            "model": {{"type": "WordLevel", "vocab": {{{}}}, "unk_token": "[UNK]"}}}}"#,
        vocabulary.join(", ")
    );
    fs::write(folder.join("tokenizer.json"), text).unwrap();
}

/// Writes a table in the form of safetensors: the length of its head, the head, the numbers.
pub(crate) fn tensors(file: &Path, tensors: &[(&str, &str, &[usize], Vec<u8>)]) {
    let (mut head, mut data) = (Vec::new(), Vec::<u8>::new());
    for (name, kind, shape, bytes) in tensors {
        let (begin, end) = (data.len(), data.len() + bytes.len());
        head.push(format!(
            r#""{name}": {{"dtype": "{kind}", "shape": {shape:?}, "data_offsets": [{begin}, {end}]}}"#
        ));
        data.extend(bytes);
    }
    let head = format!("{{{}}}", head.join(", "));
    let mut file_bytes = (head.len() as u64).to_le_bytes().to_vec();
    file_bytes.extend(head.as_bytes());
    file_bytes.extend(data);
    fs::write(file, file_bytes).unwrap();
}

/// The vectors of the words, one behind the other.
pub(crate) fn vectors() -> Vec<u8> {
    WORDS.iter().flat_map(|(_, vector)| *vector).flat_map(f32::to_le_bytes).collect()
}

/// Writes a static model.
pub(crate) fn table(folder: &Path) {
    fs::create_dir_all(folder).unwrap();
    tokenizer(folder, WORDS.len());
    tensors(&folder.join("model.safetensors"), &[("embeddings", "F32", &[WORDS.len(), 2], vectors())]);
}
