//! The tools that show a model what it made earlier.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};

use super::room::Room;
use super::shown::cut;
use super::tool::Tool;
use super::{MAX_ANSWER, ToolDef, ToolError, Toolbox};
use crate::artifacts::{
    Artifact, ArtifactData, ArtifactFilter, ArtifactId, ArtifactStatus, ArtifactStore, ArtifactStoreExt,
};
use crate::base::access::{Access, Actor};
use crate::base::error::Error;
use crate::base::name::StateName;
use crate::gate::{Door, Doors, Masks};

/// The artifacts of a session.
#[derive(Debug, Clone)]
struct Artifacts {
    store: Arc<dyn ArtifactStore>,
    access: Access,
    doors: Doors,
}

#[derive(Deserialize)]
struct Asked {
    uri: String,
    #[serde(default)]
    offset: usize,
}

#[derive(Deserialize)]
struct Listed {
    kind: Option<String>,
    status: Option<String>,
    after: Option<String>,
    limit: Option<usize>,
}

/// The most artifacts of one answer.
const MOST: usize = 50;

impl Toolbox {
    /// Adds `artifact_list` and `artifact_get`: what was made earlier, masked as in a prompt. A reference that a model makes up is an
    /// error that it can act on.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use chrono::Utc;
    /// use noctuary::artifacts::{ArtifactData, ArtifactKind, ArtifactStore, NewArtifact};
    /// use noctuary::tools::Toolbox;
    /// use noctuary::{Access, FileArtifactStore, Scope};
    /// use serde_json::json;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let store = Arc::new(FileArtifactStore::open(folder.path(), Scope::user("marta"))?);
    /// let access = Access::agent(Scope::user("marta"));
    /// let id = store.insert(&access, &NewArtifact::new(ArtifactKind::Report, "October"), Utc::now())?;
    /// store.mark_completed(&access, &id, &ArtifactData::markdown("# October"), Utc::now())?;
    ///
    /// let tools = Toolbox::without_documents(access).artifacts(store);
    /// let listed = tools.call("artifact_list", &json!({}), Utc::now())?;
    /// let report = tools.call("artifact_get", &json!({"uri": listed["artifacts"][0]["uri"]}), Utc::now())?;
    /// assert_eq!(report["markdown"], "# October");
    /// let made_up = tools.call("artifact_get", &json!({"uri": "chart://x-1"}), Utc::now()).unwrap_err();
    /// assert!(made_up.message().starts_with("There is no artifact x-1: "));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    #[cfg_attr(docsrs, doc(cfg(feature = "artifacts")))]
    pub fn artifacts(mut self, store: Arc<dyn ArtifactStore>) -> Self {
        let access = Access { actor: Actor::Agent, ..self.access.clone() };
        self.rooms[1] = Some(Arc::new(Artifacts { store, access, doors: self.doors.clone() }));
        self.anew()
    }
}

impl Room for Artifacts {
    fn tools(&self, doors: &Doors) -> Vec<Tool> {
        let list = ToolDef::new(
            "artifact_list",
            "Lists charts, spreadsheets and reports that were made, the latest first, each with the reference by which a message \
             names it. Use it before you refer to one: never make up a reference.",
            json!({
                "type": "object",
                "properties": {
                    "kind": { "type": "string", "enum": ["chart", "spreadsheet", "report"], "description": "One kind alone." },
                    "status": { "type": "string", "enum": ["running", "completed", "error"], "description": "One status alone." },
                    "after": { "type": "string", "description": "The last reference of the page before." },
                    "limit": { "type": "integer", "minimum": 1, "maximum": MOST, "description": "At most so many; 20 unless said." }
                },
                "additionalProperties": false
            }),
        );
        let get = ToolDef::new(
            "artifact_get",
            "Shows one chart, spreadsheet or report with its data, by its reference.",
            json!({
                "type": "object",
                "properties": {
                    "uri": { "type": "string", "description": "The reference, such as chart://x-0f3a or report://r-51c0." },
                    "offset": { "type": "integer", "minimum": 0, "description": "The byte of the data to begin at, where an answer was cut." }
                },
                "required": ["uri"],
                "additionalProperties": false
            }),
        );
        let artifacts = Self { doors: doors.clone(), ..self.clone() };
        let other = artifacts.clone();
        vec![
            Tool::new(list, move |call| other.list(&call.read()?)),
            Tool::new(get, move |call| artifacts.get(&call.read()?)),
        ]
    }
}

impl Artifacts {
    fn list(&self, asked: &Listed) -> Result<Value, ToolError> {
        let fault = |error| ToolError::at("the list of artifacts", error);
        let mut filter = ArtifactFilter::default().limit(asked.limit.unwrap_or(20).clamp(1, MOST));
        filter.kind = asked.kind.as_deref().map(str::parse).transpose().map_err(fault)?;
        filter.status = asked.status.as_deref().map(str::parse).transpose().map_err(fault)?;
        if let Some(after) = &asked.after {
            let id = after.split_once("://").map_or(after.as_str(), |(_, id)| id);
            filter.after = Some(id.parse::<ArtifactId>().map_err(fault)?);
        }
        let found = self.store.list(&self.access, &filter).map_err(fault)?;
        let shown = found.iter().map(|artifact| self.head(artifact)).collect::<Result<Vec<_>, _>>()?;
        Ok(json!({ "artifacts": shown }))
    }

    fn get(&self, asked: &Asked) -> Result<Value, ToolError> {
        let fault = |error| ToolError::at("the artifact", error);
        let artifact = self.store.resolve(&self.access, &asked.uri).map_err(fault)?;
        let mut answer = self.head(&artifact)?;
        if let Some(data) = &artifact.data {
            let (field, text) = match data {
                ArtifactData::Chart { charts } => {
                    ("charts", serde_json::to_string_pretty(charts).unwrap_or_default())
                }
                ArtifactData::Spreadsheet { csv, .. } => ("csv", csv.clone()),
                ArtifactData::Report { text, is_html } => {
                    (if *is_html { "html" } else { "markdown" }, text.clone())
                }
            };
            // Masked whole: a secret does not come out in two halves.
            let text = self.shown(&artifact, &text)?;
            let Some(rest) = text.get(asked.offset.min(text.len())..) else {
                return Err(ToolError::new(
                    "Nothing was read: offset is inside of a character. Take that of the answer before.",
                ));
            };
            let (part, is_whole) = cut(rest, MAX_ANSWER - 4_096);
            answer[field] = json!(part);
            if !is_whole {
                let next = asked.offset + part.len();
                answer["cut"] = json!(format!("The end is left out: go on with offset {next}."));
            }
        }
        Ok(answer)
    }

    /// Returns all but the data.
    fn head(&self, artifact: &Artifact) -> Result<Value, ToolError> {
        let mut head = json!({
            "uri": artifact.uri().to_string(),
            "status": artifact.status.as_str(),
            "title": self.shown(artifact, &artifact.title)?,
            "created_at": artifact.created_at.format("%Y-%m-%d %H:%M UTC").to_string(),
        });
        if artifact.status == ArtifactStatus::Error {
            head["error"] = json!(self.shown(artifact, artifact.message.as_deref().unwrap_or_default())?);
        }
        Ok(head)
    }

    /// Returns a text as a prompt would show it.
    fn shown(&self, artifact: &Artifact, text: &str) -> Result<String, ToolError> {
        let name = StateName::row("artifacts", &artifact.id);
        let policy = self.doors.policy_of(Door::PromptLoad, &name).as_shown();
        let passed = self.doors.judge(Door::PromptLoad, policy, &name, text, &mut Masks::default());
        passed
            .map(|passed| passed.text.into_owned())
            .map_err(|error: Error| ToolError::at(&artifact.uri().to_string(), error))
    }
}
