//! Errors as the command line shows them, and the exit codes.

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use miette::{GraphicalReportHandler, GraphicalTheme, Report};

use crate::report::record::{Outcome, Record};
use crate::verdict::error::{Class, EngineError};

/// Exit codes. Scripts rely on them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Done, whatever the verdict.
    Done = 0,
    /// `--require-pass`, and it did not pass.
    NotPassed = 1,
    /// The command line can't be used as it is.
    Usage = 2,
    /// The task is at fault.
    BadTask = 3,
    /// Unfit machine, no compiler, or a source that is not served.
    Environment = 4,
    /// speedgate itself failed.
    Internal = 5,
}

impl Exit {
    /// For a run that ended with a record.
    pub fn of(record: &Record, require_pass: bool) -> Self {
        match record.outcome {
            Outcome::UnfitMachine | Outcome::SourceNotServed => Exit::Environment,
            Outcome::InternalError => Exit::Internal,
            Outcome::Pass => Exit::Done,
            _ if require_pass => Exit::NotPassed,
            _ => Exit::Done,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit as u8)
    }
}

impl From<Class> for Exit {
    fn from(class: Class) -> Self {
        match class {
            Class::Usage => Exit::Usage,
            Class::Task => Exit::BadTask,
            Class::Environment => Exit::Environment,
            Class::Internal => Exit::Internal,
        }
    }
}

/// An error on its way to the user.
#[derive(Debug)]
pub struct CliError {
    exit: Exit,
    report: Report,
}

impl<E: Into<EngineError>> From<E> for CliError {
    fn from(error: E) -> Self {
        let error = error.into();
        CliError { exit: error.class().into(), report: error.into() }
    }
}

impl CliError {
    /// Prints the error on stderr (without colours on a pipe) and says how to exit.
    pub fn show(&self) -> Exit {
        let theme = match io::stderr().is_terminal() {
            true => GraphicalTheme::default(),
            false => GraphicalTheme::none(),
        };
        let mut text = String::new();
        let handler = GraphicalReportHandler::new_themed(theme).with_links(false);
        if handler.render_report(&mut text, self.report.as_ref()).is_err() {
            text = format!("{}\n", self.report);
        }
        // Nothing is left to be done when stderr is closed.
        let _ = io::stderr().write_all(text.as_bytes());
        self.exit
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample_record;

    #[test]
    fn a_verdict_of_any_kind_is_done() {
        for outcome in Outcome::ALL {
            let record = sample_record(outcome);
            let expected = match outcome {
                Outcome::UnfitMachine | Outcome::SourceNotServed => {
                    (Exit::Environment, Exit::Environment)
                }
                Outcome::InternalError => (Exit::Internal, Exit::Internal),
                Outcome::Pass => (Exit::Done, Exit::Done),
                _ => (Exit::Done, Exit::NotPassed),
            };
            assert_eq!((Exit::of(&record, false), Exit::of(&record, true)), expected, "{outcome}");
        }
    }

    #[test]
    fn each_class_has_its_code() {
        let codes = [Class::Usage, Class::Task, Class::Environment, Class::Internal]
            .map(|class| Exit::from(class) as u8);
        assert_eq!(codes, [2, 3, 4, 5]);
    }
}
