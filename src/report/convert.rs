//! What the rooms below say, in the record's words.

use super::record::{Capability, Protection, Tool};
use crate::{build, sandbox};

impl From<sandbox::Capability> for Capability {
    fn from(c: sandbox::Capability) -> Self {
        let state = match c.state {
            sandbox::State::Proven => Protection::Proven,
            sandbox::State::Absent => Protection::Absent,
        };
        Capability { name: c.name.into(), state, note: c.note }
    }
}

impl From<&build::Tool> for Tool {
    fn from(tool: &build::Tool) -> Self {
        Tool {
            path: tool.path.display().to_string(),
            version: tool.version.clone(),
            sha256: tool.sha256.clone(),
        }
    }
}
