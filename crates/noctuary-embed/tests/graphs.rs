//! Models in folders: transformers and cross-encoders, by graphs that the tests write.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

#[expect(dead_code, reason = "tables have tests of their own")]
mod small;

use std::fs;
use std::path::Path;

use noctuary::vectors::{Embedder as _, Purpose, Reranker as _};
use noctuary_embed::{CrossEncoder, Model, ModelConfig, OpenError, Pooling, TransformerEmbedder};
use prost::Message as _;
use small::WORDS;
use tempfile::TempDir;
use tract_onnx::pb::tensor_proto::DataType;
use tract_onnx::pb::tensor_shape_proto::{Dimension, dimension};
use tract_onnx::pb::{
    AttributeProto, GraphProto, ModelProto, NodeProto, OperatorSetIdProto, TensorProto, TensorShapeProto,
    TypeProto, ValueInfoProto, type_proto,
};

fn value(name: &str, kind: DataType, sizes: &[Option<i64>]) -> ValueInfoProto {
    let dimension = |size: &Option<i64>| Dimension {
        value: Some(match size {
            Some(size) => dimension::Value::DimValue(*size),
            None => dimension::Value::DimParam("length".to_owned()),
        }),
        ..Dimension::default()
    };
    let shape = TensorShapeProto { dim: sizes.iter().map(dimension).collect() };
    let tensor = type_proto::Tensor { elem_type: kind as i32, shape: Some(shape) };
    let kind = TypeProto { value: Some(type_proto::Value::TensorType(tensor)), ..TypeProto::default() };
    ValueInfoProto { name: name.to_owned(), r#type: Some(kind), ..ValueInfoProto::default() }
}

fn node(kind: &str, inputs: &[&str], output: &str, attribute: Vec<AttributeProto>) -> NodeProto {
    NodeProto {
        op_type: kind.to_owned(),
        name: output.to_owned(),
        input: inputs.iter().map(|&name| name.to_owned()).collect(),
        output: vec![output.to_owned()],
        attribute,
        ..NodeProto::default()
    }
}

fn tensor(name: &str, dims: &[i64], numbers: Vec<f32>) -> TensorProto {
    let dims = dims.to_vec();
    TensorProto {
        name: name.to_owned(),
        dims,
        data_type: DataType::Float as i32,
        float_data: numbers,
        ..TensorProto::default()
    }
}

/// A graph that looks up the vectors of tokens, and steps behind it.
fn graph(
    input: &str,
    behind: Vec<NodeProto>,
    weights: Vec<TensorProto>,
    output: ValueInfoProto,
) -> ModelProto {
    let mut node = vec![node("Gather", &["words", input], "last_hidden_state", Vec::new())];
    node.extend(behind);
    let table = WORDS.iter().flat_map(|(_, vector)| *vector).collect();
    let mut initializer = vec![tensor("words", &[i64::try_from(WORDS.len()).unwrap(), 2], table)];
    initializer.extend(weights);
    let graph = GraphProto {
        name: "small".to_owned(),
        node,
        initializer,
        input: vec![
            value(input, DataType::Int64, &[Some(1), None]),
            value("attention_mask", DataType::Int64, &[Some(1), None]),
        ],
        output: vec![output],
        ..GraphProto::default()
    };
    let opset = OperatorSetIdProto { domain: String::new(), version: 13 };
    ModelProto { ir_version: 8, opset_import: vec![opset], graph: Some(graph), ..ModelProto::default() }
}

/// A graph that gives the vectors of all tokens.
fn transformer() -> ModelProto {
    graph(
        "input_ids",
        Vec::new(),
        Vec::new(),
        value("last_hidden_state", DataType::Float, &[Some(1), None, Some(2)]),
    )
}

/// A graph that gives numbers for the mean of all vectors: by `columns` sums of weights.
fn scorer(columns: i64) -> ModelProto {
    let ints = |name: &str, ints: Vec<i64>| AttributeProto {
        name: name.to_owned(),
        r#type: 7,
        ints,
        ..AttributeProto::default()
    };
    let int =
        |name: &str, i| AttributeProto { name: name.to_owned(), r#type: 2, i, ..AttributeProto::default() };
    let mean =
        node("ReduceMean", &["last_hidden_state"], "mean", vec![ints("axes", vec![1]), int("keepdims", 0)]);
    let scores = node("MatMul", &["mean", "weights"], "logits", Vec::new());
    let weights = vec![1.0; usize::try_from(2 * columns).unwrap()];
    let output = value("logits", DataType::Float, &[Some(1), Some(columns)]);
    graph("input_ids", vec![mean, scores], vec![tensor("weights", &[2, columns], weights)], output)
}

fn folder(model: &ModelProto) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("model.onnx"), model.encode_to_vec()).unwrap();
    small::tokenizer(folder.path(), WORDS.len());
    folder
}

fn error(folder: impl AsRef<Path>) -> OpenError {
    Model::open(folder).unwrap_err()
}

#[test]
fn the_folder_says_how_a_transformer_pools_and_what_it_wants_before_a_question() {
    let folder = folder(&transformer());
    let of = |config: &ModelConfig, purpose| {
        let model = TransformerEmbedder::open(folder.path(), config).unwrap();
        model.embed(&["rope tea"], purpose).unwrap().remove(0)
    };
    let plain = ModelConfig::default();
    // Of a folder that says nothing, the mean: of the beginning, two words, and the end.
    assert_eq!(of(&plain, Purpose::Document), [0.75, 1.0]);
    assert_eq!(of(&plain.clone().pooling(Pooling::Last), Purpose::Document), [0.0, 0.0]);
    assert_eq!(of(&plain.clone().prefixes("tea ", "cordage "), Purpose::Query), [0.6, 1.6]);
    fs::create_dir(folder.path().join("1_Pooling")).unwrap();
    fs::write(folder.path().join("1_Pooling/config.json"), r#"{"pooling_mode_cls_token": true}"#).unwrap();
    assert_eq!(of(&plain, Purpose::Document), [0.0, 0.0]);
    assert_eq!(
        of(&plain.clone().pooling(Pooling::Mean), Purpose::Document),
        [0.75, 1.0],
        "a setting goes first"
    );
    fs::write(folder.path().join("1_Pooling/config.json"), r#"{"pooling_mode_mean_tokens": true}"#).unwrap();
    let said = r#"{"prompts": {"query": "query "}}"#;
    fs::write(folder.path().join("config_sentence_transformers.json"), said).unwrap();
    assert_eq!(of(&plain, Purpose::Document), [0.75, 1.0]);
    assert_eq!(of(&plain, Purpose::Query), [0.6, 1.0]);
    fs::write(folder.path().join("1_Pooling/config.json"), r#"{"pooling_mode_max_tokens": true}"#).unwrap();
    assert!(
        matches!(error(&folder), OpenError::Foreign { path, .. } if path.ends_with("1_Pooling/config.json"))
    );
}

#[test]
fn an_id_is_of_the_files_and_of_all_settings() {
    let one = folder(&transformer());
    let id = |config: &ModelConfig| TransformerEmbedder::open(&one, config).unwrap().id().generation();
    let plain = ModelConfig::default();
    assert_eq!(id(&plain), id(&plain));
    let others =
        [plain.clone().pooling(Pooling::First), plain.clone().prefixes("a", ""), plain.clone().tokens(9)];
    for other in &others {
        assert_ne!(id(&plain), id(other), "{other:?}");
    }
    let before = id(&plain);
    let mut changed = transformer();
    changed.graph.as_mut().unwrap().initializer[0].float_data[0] += 1.0;
    fs::write(one.path().join("model.onnx"), changed.encode_to_vec()).unwrap();
    assert_ne!(id(&plain), before, "another version of the same model");
}

#[test]
fn a_text_is_read_up_to_its_tokens() {
    let folder = folder(&transformer());
    let config = ModelConfig::default().tokens(8);
    let model = TransformerEmbedder::open(&folder, &config).unwrap();
    let text = "rope ".repeat(300);
    assert_eq!(model.embed(&[&text], Purpose::Document).unwrap(), [[2.25, 0.0]]);
    fs::write(folder.path().join("config.json"), r#"{"max_position_embeddings": 9}"#).unwrap();
    let model = TransformerEmbedder::open(&folder, &ModelConfig::default()).unwrap();
    let vector = model.embed(&[&text], Purpose::Document).unwrap().remove(0);
    assert!((vector[0] - 7.0 * 3.0 / 9.0).abs() < 1e-5, "{vector:?}");
}

#[test]
fn a_graph_with_one_number_is_a_cross_encoder() {
    let folder = folder(&scorer(1));
    let reranker = Model::open(&folder).unwrap().reranker().unwrap();
    let scores = reranker.rerank("tea", &["rope", "tea", "nothing known"]).unwrap();
    assert!(scores[1] > scores[0], "{scores:?}");
    assert_eq!(CrossEncoder::open(&folder).unwrap().rerank("tea", &["rope"]).unwrap(), scores[..1]);
    let error = Model::open(&folder).unwrap().embedder().unwrap_err();
    assert!(matches!(&error, OpenError::Kind { found: "a cross-encoder", .. }), "{error}");
}

#[test]
fn a_model_that_makes_vectors_is_no_reranker() {
    let folder = folder(&transformer());
    assert_eq!(Model::open(&folder).unwrap().embedder().unwrap().id().dimensions, 2);
    assert!(matches!(Model::open(&folder).unwrap().reranker(), Err(OpenError::Kind { .. })));
    assert!(matches!(CrossEncoder::open(&folder), Err(OpenError::Graph { .. })));
}

#[test]
fn a_graph_that_pools_by_itself_gives_its_vector() {
    let folder = folder(&scorer(3));
    assert_eq!(Model::open(&folder).unwrap().embedder().unwrap().id().dimensions, 3);
}

#[test]
fn files_of_different_models_are_told() {
    let folder = folder(&transformer());
    small::tokenizer(folder.path(), WORDS.len());
    let mut short = transformer();
    let table = &mut short.graph.as_mut().unwrap().initializer[0];
    table.dims[0] = 5;
    table.float_data.truncate(10);
    fs::write(folder.path().join("model.onnx"), short.encode_to_vec()).unwrap();
    let error = error(&folder);
    assert!(
        matches!(&error, OpenError::Vocabulary { tokens: 7, rows: 5, path } if path.ends_with("tokenizer.json")),
        "{error}"
    );
}

#[test]
fn the_dimensions_that_a_folder_says_are_those_of_its_graph() {
    let folder = folder(&transformer());
    fs::write(folder.path().join("config.json"), r#"{"hidden_size": 384}"#).unwrap();
    let error = error(&folder);
    assert!(matches!(&error, OpenError::Dimensions { found: 2, wanted: 384, .. }), "{error}");
}

#[test]
fn a_graph_that_cannot_be_run_is_told_when_it_is_opened() {
    let step = node("NoSuchStep", &["last_hidden_state"], "logits", Vec::new());
    let output = || value("logits", DataType::Float, &[Some(1), None, Some(2)]);
    let unknown = error(folder(&graph("input_ids", vec![step], Vec::new(), output())));
    assert!(matches!(&unknown, OpenError::Graph { .. }), "{unknown}");
    assert!(unknown.to_string().contains("NoSuchStep"), "{unknown}");
    let output = value("last_hidden_state", DataType::Float, &[Some(1), None, Some(2)]);
    let input = error(folder(&graph("pixels", Vec::new(), Vec::new(), output)));
    assert!(input.to_string().contains("pixels"), "{input}");
}

#[test]
fn a_damaged_graph_is_told() {
    let folder = folder(&transformer());
    for bytes in [&b"not a graph"[..], b"", &transformer().encode_to_vec()[..40]] {
        fs::write(folder.path().join("model.onnx"), bytes).unwrap();
        let error = error(&folder);
        assert!(matches!(&error, OpenError::Foreign { path, .. } if path.ends_with("model.onnx")), "{error}");
    }
}
