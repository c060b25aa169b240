//! The way in: a client that stumbles before its first request may still begin, and is told of what could not be read.

use rmcp::RoleServer;
use rmcp::model::{ClientRequest, ErrorData, GetMeta, JsonRpcMessage};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::sync::mpsc::Receiver;
use tokio::task::JoinSet;

/// A transport that passes over notifications and answers until a session has begun. Of themselves they would end it.
pub(crate) struct Opening<T: Transport<RoleServer>> {
    inner: T,
    /// Lines that were no JSON, each to be answered.
    unread: Receiver<()>,
    /// The answers to those that are being sent.
    answers: JoinSet<Result<(), T::Error>>,
    has_begun: bool,
}

impl<T: Transport<RoleServer>> Opening<T> {
    pub(crate) fn new(inner: T, unread: Receiver<()>) -> Self {
        Self { inner, unread, answers: JoinSet::new(), has_begun: false }
    }

    /// The next message; what comes in between and cannot be read is answered.
    async fn next(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            tokio::select! {
                biased;
                Some(()) = self.unread.recv() => {
                    // Apart, since whoever waits for a message may stop in between.
                    while self.answers.try_join_next().is_some() {}
                    self.answers.spawn(self.inner.send(parse_error()));
                }
                message = self.inner.receive() => {
                    if message.is_none() {
                        while let Ok(()) = self.unread.try_recv() {
                            self.answers.spawn(self.inner.send(parse_error()));
                        }
                        while self.answers.join_next().await.is_some() {}
                    }
                    return message;
                }
            }
        }
    }
}

/// The answer to a line that is no JSON. It has no id, as the protocol wants it where none could be read.
fn parse_error() -> TxJsonRpcMessage<RoleServer> {
    TxJsonRpcMessage::<RoleServer>::error(
        ErrorData::parse_error(
            "The line is no JSON that can be read; send each message whole, on a line.",
            None,
        ),
        None,
    )
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for Opening<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.inner.send(item)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let message = self.next().await?;
            let JsonRpcMessage::Request(sent) = &message else {
                if self.has_begun {
                    return Some(message);
                }
                continue;
            };
            // Since 2026-07-28 any request may be the first that names its version, but the one that asks for versions.
            self.has_begun |= match &sent.request {
                ClientRequest::InitializeRequest(_) => true,
                ClientRequest::DiscoverRequest(_) => false,
                other => other.get_meta().protocol_version().is_some(),
            };
            return Some(message);
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.inner.close().await
    }
}
