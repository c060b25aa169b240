//! A BERT in a folder: its tokens and its graph.

use std::path::Path;

use noctuary::vectors::EmbedError;
use tokenizers::{EncodeInput, Encoding, Tokenizer, TruncationParams};
use tract_onnx::prelude::*;

/// A graph in `model.onnx` that takes tokens, a mask and types, and its `tokenizer.json`.
pub(crate) struct Graph {
    plan: Arc<TypedRunnableModel>,
    tokenizer: Tokenizer,
    inputs: Vec<String>,
}

impl Graph {
    /// Loads a folder. Of a text so many tokens are read.
    pub(crate) fn open(folder: &Path, tokens: usize) -> Result<Self, EmbedError> {
        let broken = |error: &dyn std::fmt::Display| {
            EmbedError::new(format!("cannot load a model from {}: {error}", folder.display())).permanent()
        };
        let mut tokenizer =
            Tokenizer::from_file(folder.join("tokenizer.json")).map_err(|error| broken(&error))?;
        let truncation = TruncationParams { max_length: tokens, ..TruncationParams::default() };
        tokenizer.with_truncation(Some(truncation)).map_err(|error| broken(&error))?;
        tokenizer.with_padding(None);
        let load = || -> TractResult<_> {
            let model = tract_onnx::onnx().model_for_path(folder.join("model.onnx"))?;
            let name = |input: &OutletId| model.node(input.node).name.clone();
            let inputs = model.input_outlets()?.iter().map(name).collect();
            Ok((inputs, model.into_optimized()?.into_runnable()?))
        };
        let (inputs, plan) = load().map_err(|error| broken(&error))?;
        Ok(Self { plan, tokenizer, inputs })
    }

    /// Runs the graph over one text or one pair. Several at a time would share a scale of their numbers, and a vector
    /// would depend on its neighbours.
    pub(crate) fn run<'a>(&self, text: impl Into<EncodeInput<'a>>) -> Result<Tensor, EmbedError> {
        let encoding = self.tokenizer.encode(text, true).map_err(EmbedError::other)?;
        let run = || -> TractResult<_> {
            let inputs = self.inputs.iter().map(|name| input(name, &encoding)).collect::<TractResult<_>>()?;
            self.plan.run(inputs)
        };
        let outputs = run().map_err(|error| EmbedError::new(format!("the model did not run: {error}")))?;
        let first = outputs.into_iter().next().ok_or_else(|| EmbedError::new("the model has no output"))?;
        Ok(first.into_tensor())
    }
}

/// Returns one input of the graph, by its name.
fn input(name: &str, encoding: &Encoding) -> TractResult<TValue> {
    let numbers = match name {
        "attention_mask" => encoding.get_attention_mask(),
        "token_type_ids" => encoding.get_type_ids(),
        _ => encoding.get_ids(),
    };
    let numbers: Vec<i64> = numbers.iter().copied().map(i64::from).collect();
    Ok(Tensor::from_shape(&[1, numbers.len()], &numbers)?.into())
}
