//! Searches a small life by words alone and with a static model, or serves the model:
//!
//! ```text
//! cargo run --release -p noctuary-static -- FOLDER-OF-MODEL [--serve PORT]
//! ```

use std::error::Error;
use std::sync::Arc;

use noctuary_static::StaticEmbedder;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().ok_or("usage: noctuary-static FOLDER-OF-MODEL [--serve PORT]")?;
    noctuary_embedder_kit::run(arguments, Arc::new(StaticEmbedder::open(folder)?), None)
}
