//! The way in: a client that stumbles before its first request may still begin.

use rmcp::RoleServer;
use rmcp::model::{ClientRequest, GetMeta, JsonRpcMessage};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;

/// A transport that passes over notifications and answers until a session has begun. Of themselves they would end it.
pub(crate) struct Opening<T> {
    inner: T,
    has_begun: bool,
}

impl<T> Opening<T> {
    pub(crate) fn new(inner: T) -> Self {
        Self { inner, has_begun: false }
    }
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
            let message = self.inner.receive().await?;
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
