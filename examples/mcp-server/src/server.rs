//! The protocol's side: what the client is told of the tools, and the way of a call to them.

use std::sync::Arc;

use chrono::Utc;
use noctuary::tools::{ToolDef, ToolError};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool, ToolAnnotations,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::Value;
use tokio::sync::Mutex;

use crate::tools::Tools;

/// The tools of one session, as a client sees them.
#[derive(Debug)]
pub(crate) struct Server {
    tools: Arc<Tools>,
    /// Calls are carried out one after the other, as they came: a note stands where it belongs, and is found by the
    /// search that was asked for after it.
    turn: Mutex<()>,
}

impl Server {
    pub(crate) fn new(tools: Arc<Tools>) -> Self {
        Self { tools, turn: Mutex::default() }
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION")))
            .with_instructions(self.tools.instructions())
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.tools.catalogue().into_iter().map(listed).collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let _turn = self.turn.lock().await;
        let tools = Arc::clone(&self.tools);
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let called = move || tools.call(&request.name, &arguments, Utc::now());
        // A panic ends the call, and not the server.
        let answer = tokio::task::spawn_blocking(called)
            .await
            .unwrap_or_else(|_| Err(ToolError::new("The tool failed. Do not try again: tell the user.")));
        Ok(match answer {
            Ok(answer) => CallToolResult::success(vec![ContentBlock::text(answer.to_string())]),
            Err(error) => CallToolResult::error(vec![ContentBlock::text(error.message())]),
        }
        .into())
    }
}

/// A tool as it is listed. None reaches beyond the workspace.
fn listed(tool: ToolDef) -> Tool {
    let hints = ToolAnnotations::new().open_world(false);
    let hints = match tool.name.as_str() {
        // It may replace a document, and appends twice when it is called twice.
        "memory_write" => hints.read_only(false).destructive(true).idempotent(false),
        "journal_note" => hints.read_only(false).destructive(false).idempotent(false),
        _ => hints.read_only(true).destructive(false).idempotent(true),
    };
    let schema = tool.input_schema.as_object().cloned().unwrap_or_default();
    Tool::new(tool.name, tool.description, schema).annotate(hints)
}
