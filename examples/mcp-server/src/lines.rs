//! The client's lines, before the protocol reads them: what is no JSON is answered, and not dropped.

use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::mpsc::Sender;

/// The longest line, in bytes, with its end.
const LONGEST: u64 = 16 << 20;

/// Passes on the lines that are JSON, until the client closes its end or nobody listens. Says of every other that it came.
pub(crate) async fn sift(
    client: impl AsyncRead + Unpin,
    mut lines: impl AsyncWrite + Unpin,
    unread: Sender<()>,
) {
    let mut client = BufReader::new(client);
    let mut line = Vec::new();
    while let Some(is_whole) = next_line(&mut client, &mut line).await {
        let is_heard = if is_whole && is_json(&line) {
            lines.write_all(&line).await.is_ok()
        } else {
            unread.send(()).await.is_ok()
        };
        if !is_heard {
            return;
        }
    }
}

/// Reads a line, and whether it was short enough to be read whole; `None` at the end.
async fn next_line(client: &mut (impl AsyncBufReadExt + Unpin), line: &mut Vec<u8>) -> Option<bool> {
    let mut is_whole = true;
    loop {
        line.clear();
        let read = (&mut *client).take(LONGEST).read_until(b'\n', line).await.ok()?;
        let is_ended = line.ends_with(b"\n") || (read as u64) < LONGEST;
        if is_ended {
            return (read > 0 || !is_whole).then_some(is_whole);
        }
        is_whole = false;
    }
}

/// Whether the protocol can read a line. One of blanks alone is none of its business.
fn is_json(line: &[u8]) -> bool {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line).trim_ascii();
    // Into values, since what is only passed over may hold halves of characters.
    line.is_empty() || serde_json::from_slice::<serde_json::Value>(line).is_ok()
}
