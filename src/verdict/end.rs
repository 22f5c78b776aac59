//! What ends a trial before its time, and whose fault it is.

use super::error::EngineError;
use crate::build::{BuildError, Refusal};
use crate::gate::{self, Stopped};
use crate::report::record::{Failure, Outcome};
use crate::task::Task;
use crate::timer::{Broken, Halt};
use crate::worker::Fate;

/// What ends a trial early.
pub enum End {
    /// The candidate is to blame.
    Verdict(Box<(Outcome, Failure)>),
    /// Something else is.
    Error(EngineError),
}

impl<E: Into<EngineError>> From<E> for End {
    fn from(error: E) -> Self {
        End::Error(error.into())
    }
}

impl End {
    /// After candidate code was mapped everything is a verdict: it may have had a hand in it.
    pub fn into_verdict(self) -> Self {
        match self {
            End::Error(error) => verdict(Outcome::Incomplete, None, error.to_string()),
            End::Verdict(mut end) => {
                if !end.0.is_verdict() {
                    end.0 = Outcome::Incomplete;
                }
                End::Verdict(end)
            }
        }
    }
}

/// The gate stopped before the end of its plan, through no failure of the candidate's.
pub fn stopped(stopped: Stopped, task: &Task) -> End {
    match stopped {
        Stopped::Candidate(failure) => verdict(failure.outcome, None, failure.message),
        Stopped::Late { function } => {
            let name = task.functions[function].name.clone();
            verdict(Outcome::Incomplete, Some(name), stopped.to_string())
        }
        Stopped::NotReached { function, message } => {
            verdict(Outcome::NotReached, Some(function), message)
        }
        Stopped::NoEntry { .. } | Stopped::Unreadable { .. } | Stopped::Unknown { .. } => {
            End::Error(EngineError::Reference(stopped.to_string()))
        }
        Stopped::Task(error) => End::Error(error.into()),
        Stopped::Reference { .. } => End::Error(EngineError::Reference(stopped.to_string())),
    }
}

/// What a failure says where nobody looks at the rest of it.
pub fn in_words(failure: &Failure) -> String {
    match &failure.function {
        Some(function) => format!("{function}: {}", failure.message),
        None => failure.message.clone(),
    }
}

/// The candidate's end, of which only a sentence is known.
pub fn verdict(outcome: Outcome, function: Option<String>, message: String) -> End {
    End::Verdict(Box::new((outcome, Failure::plain(function, message))))
}

/// A build that is the candidate's fault is a verdict.
pub fn refused(error: BuildError) -> End {
    match error {
        BuildError::Candidate { outcome, log } => {
            let (outcome, message) = match outcome {
                Refusal::BuildFailed => (Outcome::BuildFailed, "the candidate does not build"),
                Refusal::AuditRejected => {
                    (Outcome::AuditRejected, "the candidate's library holds what it must not")
                }
            };
            let mut failure = Failure::plain(None, message.into());
            failure.log = Some(log);
            End::Verdict(Box::new((outcome, failure)))
        }
        other => End::Error(other.into()),
    }
}

/// A worker without candidate code failed.
pub fn trusted(fate: Fate) -> End {
    End::Error(EngineError::Reference(fate.to_string()))
}

/// The candidate's worker could not be started.
pub fn fell(fate: Fate) -> End {
    let (outcome, message) = gate::judge(&fate, None);
    verdict(outcome, None, format!("while its library was loaded: {message}"))
}

/// A contest ended early.
pub fn halted(halt: Halt<End>, task: &Task) -> End {
    let name = |f: usize| task.functions[f].name.clone();
    match halt {
        Halt::Start(end) => end,
        Halt::Broken { function, broken: why } => broken(why, Some(&name(function))),
        Halt::Unmeasured { target, why } => {
            let profile = &task.functions[target.function].profiles[target.profile].name;
            let message = format!("profile {profile}: {why}");
            verdict(Outcome::Incomplete, Some(name(target.function)), message)
        }
        Halt::Stats(error) => End::Error(error.into()),
    }
}

/// A measurement stopped. `function` is absent while no candidate code is mapped.
pub fn broken(broken: Broken, function: Option<&String>) -> End {
    let message = broken.to_string();
    match (broken, function) {
        (Broken::Candidate(fate), _) => {
            let (outcome, message) = gate::judge(&fate, None);
            verdict(outcome, function.cloned(), format!("in a timed call: {message}"))
        }
        (Broken::Wrong { .. }, _) => {
            verdict(Outcome::WrongOutput, function.cloned(), format!("in a timed call: {message}"))
        }
        (Broken::OverBudget { .. }, _) => {
            verdict(Outcome::SetupOverBudget, function.cloned(), message)
        }
        (Broken::Task(error), _) => End::Error(error.into()),
        (Broken::Late, _) => verdict(Outcome::Incomplete, function.cloned(), message),
        (Broken::Unfit, _) => End::Error(EngineError::UnfitMachine { reason: message }),
        // Once candidate code was mapped, nothing odd buys another try.
        (Broken::Reference(_) | Broken::Unsteady, Some(name)) => {
            verdict(Outcome::Incomplete, Some(name.clone()), message)
        }
        (Broken::Reference(_) | Broken::Unsteady, None) => {
            End::Error(EngineError::Reference(message))
        }
    }
}
