//! Workers of an engineer's own: outside of the sandbox, under a tool that looks into their code.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use speedgate_harness::WORKER_NAME;

use crate::sandbox;

/// A tool with a library to run under it.
#[derive(Debug)]
pub struct Workshop {
    /// Where the library lies, an absolute path: tools read its debug information there.
    pub library: PathBuf,
    /// The tool with its options; empty for one that needs no program.
    pub tool: Vec<OsString>,
    /// Variables for it.
    pub environment: Vec<(&'static str, OsString)>,
    /// Where it writes what it finds.
    pub log: File,
    /// A folder in which a link to this program may be made.
    pub folder: PathBuf,
}

impl Workshop {
    /// The command line up to the worker's own arguments.
    ///
    /// # Errors
    /// When this program can't be found, or linked to.
    pub(super) fn command(&self) -> io::Result<Command> {
        // A worker is known by the name it is run under.
        let worker = self.folder.join(WORKER_NAME);
        if !worker.exists() {
            std::os::unix::fs::symlink(std::env::current_exe()?, &worker)?;
        }
        let mut command = match self.tool.split_first() {
            Some((program, options)) => {
                let mut command = sandbox::command(program);
                command.args(options).arg(worker);
                command
            }
            None => sandbox::command(worker),
        };
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command.stderr(Stdio::from(self.log.try_clone()?));
        Ok(command)
    }
}
