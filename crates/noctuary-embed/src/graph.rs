//! A graph in ONNX: a transformer that takes tokens, run by tract.

use std::path::{Path, PathBuf};

use noctuary::vectors::EmbedError;
use noctuary::workspace::Digest;
use tokenizers::{EncodeInput, Encoding, Tokenizer};
use tract_onnx::pb::{GraphProto, NodeProto};
use tract_onnx::prelude::*;
use tract_onnx::tract_hir::infer::Factoid as _;

use crate::error::OpenError;
use crate::folder::{Folder, foreign, named, read};

/// The files that may hold the graph, in the order in which they are taken.
pub(crate) const GRAPHS: [&str; 6] = [
    "model.onnx",
    "onnx/model.onnx",
    "model_quantized.onnx",
    "onnx/model_quantized.onnx",
    "onnx/model_int8.onnx",
    "onnx/model_qint8_avx512.onnx",
];

/// A graph and its tokenizer.
pub(crate) struct Graph {
    plan: Arc<TypedRunnableModel>,
    tokenizer: Tokenizer,
    inputs: Vec<(Input, DatumType)>,
    /// The place of the output that is used.
    output: usize,
    /// The vectors that it has for tokens, where the files say it.
    rows: Option<usize>,
    pub(crate) path: PathBuf,
    /// The name of the model.
    pub(crate) name: String,
}

/// An input of a graph.
#[derive(Clone, Copy)]
enum Input {
    Tokens,
    Mask,
    Types,
    Positions,
}

impl Graph {
    /// Opens the graph of a folder, which reads a number of tokens of a text.
    pub(crate) fn open(folder: &Folder<'_>, tokens: usize) -> Result<Self, OpenError> {
        let path = folder.first(&GRAPHS).unwrap_or_else(|| folder.path().join(GRAPHS[0]));
        let of_graph = Digest::of(&read(&path)?);
        let config = folder.settings("config.json")?;
        let (vocabulary, of_tokenizer) = folder.tokenizer(tokens)?;
        let onnx = tract_onnx::onnx();
        let proto = onnx.proto_model_for_path(&path).map_err(|error| foreign(&path, &error))?;
        let graph = proto.graph.as_ref().filter(|graph| !graph.node.is_empty());
        let graph = graph.ok_or_else(|| foreign(&path, &"it holds no graph"))?;
        let said = config["vocab_size"].as_u64().and_then(|size| usize::try_from(size).ok());
        let rows = vectors_of(graph).or(said);
        let tokenizer = match rows {
            Some(rows) => vocabulary.fitting(rows)?,
            None => vocabulary.tokenizer,
        };
        let wrong = |reason: String| OpenError::Graph { path: path.clone(), reason };
        let (plan, names) = planned(&onnx, &proto, &path).map_err(|error| wrong(format!("{error:#}")))?;
        let mut inputs = Vec::new();
        for (name, kind) in names {
            let input = match name.as_str() {
                "input_ids" => Input::Tokens,
                "attention_mask" => Input::Mask,
                "token_type_ids" => Input::Types,
                "position_ids" => Input::Positions,
                _ => return Err(wrong(format!("it takes an input that is not known, {name}"))),
            };
            inputs.push((input, kind));
        }
        // A vector of the whole text, where the graph pools by itself.
        let output = graph.output.iter().position(|output| output.name == WHOLE).unwrap_or(0);
        let name = named("onnx", &[of_graph, of_tokenizer]);
        Ok(Self { plan, tokenizer, inputs, output, rows, path, name })
    }

    /// Runs the graph over one text or one pair. Several at a time would share a scale of their numbers, and a vector
    /// would depend on its neighbours.
    pub(crate) fn run<'a>(&self, text: impl Into<EncodeInput<'a>>) -> Result<Tensor, EmbedError> {
        let encoding = self.tokenizer.encode_fast(text, true).map_err(EmbedError::other)?;
        // The graph would end the process for a token behind its table.
        let is_behind = |token: &u32| self.rows.is_some_and(|rows| *token as usize >= rows);
        if encoding.get_ids().iter().any(is_behind) {
            return Err(EmbedError::new("the text has a token without a vector").permanent());
        }
        let run = || -> TractResult<_> {
            let inputs = self.inputs.iter().map(|(input, kind)| numbers_of(*input, *kind, &encoding));
            self.plan.run(inputs.collect::<TractResult<_>>()?)
        };
        let outputs = run().map_err(|error| EmbedError::new(format!("the model did not run: {error}")))?;
        let output = outputs.into_iter().nth(self.output);
        let output = output.ok_or_else(|| EmbedError::new("the model has no output"))?.into_tensor();
        Ok(output.cast_to::<f32>().map_err(|error| EmbedError::new(error.to_string()))?.into_owned())
    }

    /// Runs the graph once, so that one that cannot be run is noticed when it is opened. Returns the shape of the answer.
    pub(crate) fn tried<'a>(&self, text: impl Into<EncodeInput<'a>>) -> Result<Vec<usize>, OpenError> {
        match self.run(text) {
            Ok(output) => Ok(output.shape().to_vec()),
            Err(error) => Err(self.wrong(error.to_string())),
        }
    }

    /// Says why the graph is of no use.
    pub(crate) fn wrong(&self, reason: String) -> OpenError {
        OpenError::Graph { path: self.path.clone(), reason }
    }
}

/// The output that is one vector of a text.
const WHOLE: &str = "sentence_embedding";

type Names = Vec<(String, DatumType)>;

/// Makes the graph ready to run, and returns the names and types of its inputs.
fn planned(
    onnx: &tract_onnx::Onnx,
    proto: &tract_onnx::pb::ModelProto,
    path: &Path,
) -> TractResult<(Arc<TypedRunnableModel>, Names)> {
    let model = onnx.parse(proto, path.parent().and_then(Path::to_str))?.model;
    let mut names = Vec::new();
    for (at, input) in model.input_outlets()?.iter().enumerate() {
        let kind = model.input_fact(at)?.datum_type.concretize().unwrap_or(DatumType::I64);
        names.push((model.node(input.node).name.clone(), kind));
    }
    Ok((model.into_optimized()?.into_runnable()?, names))
}

/// Returns the numbers of an input.
fn numbers_of(input: Input, kind: DatumType, encoding: &Encoding) -> TractResult<TValue> {
    let numbers = match input {
        Input::Tokens => encoding.get_ids(),
        Input::Mask => encoding.get_attention_mask(),
        Input::Types => encoding.get_type_ids(),
        Input::Positions => &(0..).take(encoding.len()).collect::<Vec<u32>>(),
    };
    let numbers: Vec<i64> = numbers.iter().copied().map(i64::from).collect();
    Ok(Tensor::from_shape(&[1, numbers.len()], &numbers)?.cast_to_dt(kind)?.into_owned().into())
}

/// Returns the number of vectors that a graph has for tokens, where it looks them up in a table.
fn vectors_of(graph: &GraphProto) -> Option<usize> {
    let made_by = |name: &str| graph.node.iter().find(|node| node.output.iter().any(|output| output == name));
    let is_tokens = |name: &String| {
        name == "input_ids"
            || made_by(name).is_some_and(|node| node.op_type == "Cast" && node.input[0] == "input_ids")
    };
    let looks_up = |node: &&NodeProto| node.op_type == "Gather" && node.input.get(1).is_some_and(is_tokens);
    let table = graph.node.iter().find(looks_up)?.input.first()?;
    // Of a table of small numbers, those are looked up, or their true values.
    let table = made_by(table).and_then(|node| node.input.first()).unwrap_or(table);
    let table = graph.initializer.iter().find(|tensor| tensor.name == *table)?;
    usize::try_from(*table.dims.first()?).ok()
}
