//! Models in folders: static tables, and what is no model.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod small;

use std::fs;
use std::path::{Path, PathBuf};

use noctuary::vectors::{Embedder as _, Purpose, Strength};
use noctuary_embed::{Model, OpenError, StaticEmbedder};
use small::{WORDS, table, tensors, tokenizer, vectors};
use tempfile::TempDir;

fn folder() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("model");
    table(&model);
    (folder, model)
}

fn vector(folder: &Path, text: &str) -> Vec<f32> {
    StaticEmbedder::open(folder).unwrap().embed(&[text], Purpose::Document).unwrap().remove(0)
}

fn error(folder: &Path) -> OpenError {
    let error = Model::open(folder).unwrap_err();
    assert!(error.to_string().contains(folder.to_str().unwrap()), "{error}");
    error
}

#[test]
fn a_table_gives_the_direction_of_the_mean() {
    let (_root, folder) = folder();
    assert_eq!(vector(&folder, "rope"), [1.0, 0.0]);
    assert_eq!(vector(&folder, "Cordage nobody knows"), [1.0, 0.0], "what is not known counts nothing");
    let mixed = vector(&folder, "rope tea");
    assert!((mixed[0] - 0.6).abs() < 1e-6 && (mixed[1] - 0.8).abs() < 1e-6, "{mixed:?}");
    assert_eq!(vector(&folder, "nobody knows"), [0.0, 0.0]);
}

#[test]
fn an_id_is_of_the_files_and_not_of_their_place() {
    let (root, folder) = folder();
    let before = StaticEmbedder::open(&folder).unwrap().id().clone();
    assert_eq!((before.dimensions, before.strength), (2, Strength::Static));
    let moved = root.path().join("moved");
    fs::rename(&folder, &moved).unwrap();
    assert_eq!(Model::open(&moved).unwrap().embedder().unwrap().id(), &before);
    let half: Vec<u8> = vectors().into_iter().rev().collect();
    tensors(&moved.join("model.safetensors"), &[("embeddings", "F32", &[WORDS.len(), 2], half)]);
    assert_ne!(StaticEmbedder::open(&moved).unwrap().id().generation(), before.generation());
}

#[test]
fn tokens_that_share_rows_have_weights_of_their_own() {
    let (_root, folder) = folder();
    let rows: Vec<u8> = [1.0_f32, 0.0, 0.0, 1.0].into_iter().flat_map(f32::to_le_bytes).collect();
    let mapping: Vec<u8> = [0_i64, 0, 0, 0, 0, 1, 1].into_iter().flat_map(i64::to_le_bytes).collect();
    let weights: Vec<u8> =
        [1.0_f64, 1.0, 1.0, 3.0, 1.0, 4.0, 1.0].into_iter().flat_map(f64::to_le_bytes).collect();
    let file = folder.join("model.safetensors");
    let all = [
        ("embeddings", "F32", &[2, 2][..], rows),
        ("mapping", "I64", &[7], mapping),
        ("weights", "F64", &[7], weights),
    ];
    tensors(&file, &all);
    let mixed = vector(&folder, "rope tea");
    assert!((mixed[0] - 0.6).abs() < 1e-6 && (mixed[1] - 0.8).abs() < 1e-6, "{mixed:?}");
    let mut wrong = all.clone();
    wrong[1].3 = [0_i64, 0, 0, 0, 0, 1, 2].into_iter().flat_map(i64::to_le_bytes).collect();
    tensors(&file, &wrong);
    assert!(matches!(error(&folder), OpenError::Foreign { .. }));
    let mut few = all.clone();
    few[2].2 = &[6];
    few[2].3.truncate(48);
    tensors(&file, &few);
    assert!(matches!(error(&folder), OpenError::Foreign { .. }));
}

#[test]
fn a_folder_or_a_file_that_is_missing_is_named() {
    let (root, folder) = folder();
    let nowhere = root.path().join("nowhere");
    assert!(matches!(error(&nowhere), OpenError::Missing { path, .. } if path == nowhere));
    assert!(matches!(error(root.path()), OpenError::Missing { .. }), "a folder without a model");
    fs::remove_file(folder.join("tokenizer.json")).unwrap();
    let missing = error(&folder);
    assert!(
        matches!(&missing, OpenError::Missing { path, .. } if path.ends_with("tokenizer.json")),
        "{missing}"
    );
}

#[test]
fn a_damaged_or_foreign_file_is_named() {
    let (_root, folder) = folder();
    for (file, bytes) in
        [("model.safetensors", &b"damaged"[..]), ("tokenizer.json", b"{}"), ("config.json", b"{")]
    {
        let path = folder.join(file);
        let before = fs::read(&path).ok();
        fs::write(&path, bytes).unwrap();
        let error = error(&folder);
        assert!(matches!(&error, OpenError::Foreign { path: named, .. } if *named == path), "{error}");
        match before {
            Some(before) => fs::write(&path, before).unwrap(),
            None => fs::remove_file(&path).unwrap(),
        }
    }
    let file = folder.join("model.safetensors");
    let as_text = ("embeddings", "U8", &[7, 2][..], vec![0; 14]);
    for foreign in
        [("encoder.weight", "F32", &[7, 2][..], vectors()), ("embeddings", "F32", &[14], vectors()), as_text]
    {
        tensors(&file, &[foreign]);
        assert!(matches!(error(&folder), OpenError::Foreign { .. }));
    }
}

#[test]
fn a_tokenizer_of_another_model_is_told() {
    let (_root, folder) = folder();
    tensors(&folder.join("model.safetensors"), &[("embeddings", "F32", &[5, 2], vectors()[..40].to_vec())]);
    let more = error(&folder);
    assert!(matches!(more, OpenError::Vocabulary { tokens: 7, rows: 5, .. }), "{more}");
    // A table may be a little longer than its vocabulary, and not much.
    tokenizer(&folder, 4);
    tensors(&folder.join("model.safetensors"), &[("embeddings", "F32", &[7, 2], vectors())]);
    StaticEmbedder::open(&folder).unwrap();
    tensors(&folder.join("model.safetensors"), &[("embeddings", "I8", &[300, 1], vec![1; 300])]);
    assert!(matches!(error(&folder), OpenError::Vocabulary { tokens: 4, rows: 300, .. }));
}

#[test]
fn dimensions_that_do_not_fit_are_told() {
    let (_root, folder) = folder();
    fs::write(folder.join("config.json"), r#"{"hidden_dim": 256, "normalize": true}"#).unwrap();
    let said = error(&folder);
    assert!(matches!(said, OpenError::Dimensions { found: 2, wanted: 256, .. }), "{said}");
    fs::remove_file(folder.join("config.json")).unwrap();
    tensors(&folder.join("model.safetensors"), &[("embeddings", "I8", &[7, 5000], vec![1; 35_000])]);
    let many = error(&folder);
    assert!(matches!(many, OpenError::Dimensions { found: 5000, wanted: 4096, .. }), "{many}");
}
