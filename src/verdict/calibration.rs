//! `baselines/<task>/calibration.toml`: how fast the reference solutions are, and the marks that
//! follow.
//!
//! In each replay the reference solution is timed against the reference, and then against itself,
//! differently laid out, as in a duel. `s_ref` is the geometric mean of `s` over the replays. A solution
//! exactly as fast would pass `s > s_ref` half of the time; `pass_at` lies below it by the `guard`: one as
//! fast falls behind by more than that 1 time in 100.
//!
//! `grade` needs a calibration: without one nobody can say whether a step is fast, and "not fast"
//! would be a lie. It refuses before it builds anything ([`CalibrationError::Missing`], the reward
//! files hold 0). `practice` goes on and leaves the marks and `fast` null.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use indexmap::IndexMap;
use miette::{Diagnostic, NamedSource, SourceSpan};
use serde::{Deserialize, Serialize};

use super::score::Marks;
use crate::report::atomic;
use crate::stats::{self, Leads, Replays, StatsError};

/// Fewest replays that fix a mark.
pub const MIN_REPLAYS: usize = 10;
/// Share of equally fast solutions that `pass_at` turns away.
pub(super) const MISSED: f64 = 0.01;
/// Least guard (ln). Replays of one evening on one machine may agree to a few parts in ten thousand, and
/// what another evening adds is not in them: a judgement, far below the 3 % that a mark has to tell.
const LEAST_GUARD: f64 = 0.005;
/// Confidence of the interval of `s_ref`.
const CONFIDENCE: f64 = 0.95;
/// An unchanged library has ln s = 0 but for noise; the mark must be this many deviations above.
const DEVIATIONS: f64 = 3.0;

/// All calibrated steps of a task.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calibration {
    /// By identifier of the step.
    #[serde(default)]
    pub step: IndexMap<String, StepCalibration>,
}

/// One step's marks and what they were measured with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StepCalibration {
    /// Speedup of the reference solution.
    pub s_ref: f64,
    /// Its 95 % interval: `[low, high]`.
    pub s_ref_interval: [f64; 2],
    /// The mark.
    pub pass_at: f64,
    /// Replays it rests on.
    pub replays: usize,
    /// Standard deviation of ln s over the replays.
    pub spread: f64,
    /// How far (ln) one exactly as fast falls behind, or farther, 1 time in 100, in a duel.
    pub guard: f64,
    /// `s` of each replay, in the order in which they ran.
    pub s: Vec<f64>,
    /// By how much (a ratio) it was ahead of itself in each replay.
    pub leads: Vec<f64>,
    /// What the replays ran on; the date is the first one's.
    #[serde(flatten)]
    pub setting: Setting,
    /// What a call takes the reference, nanoseconds (median over the replays that ran last), by function and
    /// profile (`blur/plane`).
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub reference_ns: IndexMap<String, f64>,
}

/// What a calibration needs of a replay.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Replayed {
    /// ln s of the solution.
    pub ln_s: f64,
    /// By how much (ln) it was ahead of itself.
    pub lead: f64,
}

/// What a calibration was measured with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Setting {
    /// Model name of the processor.
    pub cpu: String,
    /// Compiler and version.
    pub compiler: String,
    /// Compiler flags.
    pub flags: Vec<String>,
    /// Version of speedgate.
    pub engine: String,
    /// When, RFC 3339 in UTC.
    pub date: String,
}

/// A calibration can't be read, made or written.
#[derive(Debug, thiserror::Error, Diagnostic)]
pub enum CalibrationError {
    /// The step has no calibration.
    #[error("step `{step}` of `{task}` is not calibrated: there is no mark to grade against")]
    #[diagnostic(help("run `speedgate calibrate {task} --step {step}` on the grading machine"))]
    Missing {
        /// Name of the task.
        task: String,
        /// Identifier of the step.
        step: String,
    },
    /// The file can't be read or written.
    #[error("can't {act} `{}`: {source}", path.display())]
    Io {
        /// `read` or `write`.
        act: &'static str,
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file is not a calibration.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Damaged(Box<Damaged>),
    /// Too few replays.
    #[error("{have} replays are too few: a mark needs {MIN_REPLAYS}")]
    #[diagnostic(help(
        "`--replays {MIN_REPLAYS}`; `--more` joins only replays with the same processor, compiler and flags"
    ))]
    TooFew {
        /// Replays given.
        have: usize,
    },
    /// A mark so low would let an unchanged library pass by luck.
    #[error(
        "the reference solution's speedup {s_ref:.3} (mark {pass_at:.3}, noise {:.1} %) does not \
         stand out from the noise: an unchanged library could pass",
        spread * 100.0
    )]
    #[diagnostic(help("calibrate on a quieter machine, or make the reference solution faster"))]
    NotFaster {
        /// Speedup of the reference solution.
        s_ref: f64,
        /// The mark that would follow.
        pass_at: f64,
        /// Standard deviation of ln s over the replays.
        spread: f64,
    },
    /// The replays can't be summarised.
    #[error("the replays can't be summarised: {0}")]
    Stats(#[from] StatsError),
}

/// A file that is not a calibration.
#[derive(Debug, thiserror::Error, Diagnostic)]
#[error("`{path}` is not a calibration: {reason}")]
#[diagnostic(help("`speedgate calibrate` writes this file; delete it to begin anew"))]
pub struct Damaged {
    /// The file.
    pub path: String,
    /// What is wrong.
    pub reason: String,
    /// Its text.
    #[source_code]
    pub text: NamedSource<String>,
    /// Where.
    #[label("here")]
    pub place: Option<SourceSpan>,
}

impl Calibration {
    /// The file in a task's folder under `baselines/`.
    pub fn path(baselines: &Path) -> PathBuf {
        baselines.join("calibration.toml")
    }

    /// Reads the file; none at all is a calibration without steps.
    pub fn read(baselines: &Path) -> Result<Self, CalibrationError> {
        let path = Self::path(baselines);
        let text = match fs::read_to_string(&path) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(source) => return Err(CalibrationError::Io { act: "read", path, source }),
            Ok(text) => text,
        };
        let bad = |reason: String, text: &str, place: Option<SourceSpan>| {
            let path = path.display().to_string();
            let text = NamedSource::new(&path, text.to_owned());
            CalibrationError::Damaged(Box::new(Damaged { path, reason, text, place }))
        };
        let all: Self = toml::from_str(&text)
            .map_err(|e| bad(e.message().to_owned(), &text, e.span().map(SourceSpan::from)))?;
        for (id, step) in &all.step {
            if ![step.guard, step.spread].iter().all(|x| x.is_finite() && *x >= 0.0) {
                let reason = format!("guard and spread of step `{id}` must be numbers from 0 up");
                return Err(bad(reason, &text, None));
            }
            if step.s.len() != step.leads.len() {
                let reason = format!("step `{id}` needs a lead for each s");
                return Err(bad(reason, &text, None));
            }
            if ![step.s_ref, step.pass_at].iter().all(|m| m.is_finite() && *m >= 1.0) {
                let reason = format!("the marks of step `{id}` must be numbers from 1 up");
                return Err(bad(reason, &text, None));
            }
        }
        Ok(all)
    }

    /// Marks of a step, if it has any.
    pub fn marks(&self, step: &str) -> Option<Marks> {
        self.step.get(step).map(|s| Marks { s_ref: s.s_ref, pass_at: s.pass_at })
    }

    /// Marks of a step, for those who can't do without.
    pub fn require(&self, task: &str, step: &str) -> Result<Marks, CalibrationError> {
        self.marks(step).ok_or_else(|| CalibrationError::Missing {
            task: task.to_owned(),
            step: step.to_owned(),
        })
    }

    /// Puts one step's calibration into the file and keeps the others, in order of their
    /// identifiers. The folder is created if need be.
    pub fn write_step(
        baselines: &Path,
        id: &str,
        step: StepCalibration,
    ) -> Result<(), CalibrationError> {
        let mut all = Self::read(baselines)?;
        all.step.insert(id.to_owned(), step);
        all.step.sort_keys();
        let path = Self::path(baselines);
        let text = toml::to_string(&all).map_err(io::Error::other).map(|body| {
            format!("# Written by `speedgate calibrate`: see METHODOLOGY.md.\n\n{body}")
        });
        text.and_then(|text| {
            fs::create_dir_all(baselines)?;
            atomic::write(&path, text.as_bytes())
        })
        .map_err(|source| CalibrationError::Io { act: "write", path, source })
    }
}

impl StepCalibration {
    /// What a single look says: enough to decide how functions are timed, no mark to grade by.
    pub fn look(ln_s: f64, setting: Setting) -> Self {
        let s = ln_s.exp();
        StepCalibration {
            s_ref: s,
            s_ref_interval: [s, s],
            pass_at: s,
            replays: 1,
            spread: 0.0,
            guard: 0.0,
            s: Vec::new(),
            leads: Vec::new(),
            setting,
            reference_ns: IndexMap::new(),
        }
    }

    /// The marks that follow from the replays.
    pub fn from_replays(replays: &[Replayed], setting: Setting) -> Result<Self, CalibrationError> {
        if replays.len() < MIN_REPLAYS {
            return Err(CalibrationError::TooFew { have: replays.len() });
        }
        let ln_s: Vec<f64> = replays.iter().map(|r| r.ln_s).collect();
        let leads: Vec<f64> = replays.iter().map(|r| r.lead).collect();
        let s_ref = stats::mean_interval(&ln_s, CONFIDENCE)?;
        let spread = stats::sd(&ln_s)?;
        let guard = Leads::of(&leads)?.guard(MISSED)?.max(LEAST_GUARD);
        let ln_mark = s_ref.value - guard;
        let s_ref = s_ref.exp();
        let ratios = |ln: &[f64]| ln.iter().map(|ln| rounded(ln.exp())).collect();
        let made = StepCalibration {
            s_ref: rounded(s_ref.value),
            s_ref_interval: [rounded(s_ref.low), rounded(s_ref.high)],
            pass_at: rounded(ln_mark.exp()),
            replays: replays.len(),
            spread: rounded(spread),
            guard: rounded(guard),
            s: ratios(&ln_s),
            leads: ratios(&leads),
            setting,
            reference_ns: IndexMap::new(),
        };
        if ln_mark <= made.chance() {
            let (s_ref, pass_at) = (s_ref.value, ln_mark.exp());
            return Err(CalibrationError::NotFaster { s_ref, pass_at, spread });
        }
        Ok(made)
    }

    /// Its replays, to be joined by others; none where those of `now` were made with something else.
    pub fn joined_by(&self, now: &Setting) -> Vec<Replayed> {
        if !self.differences(now).is_empty() {
            return Vec::new();
        }
        let both = self.s.iter().zip(&self.leads);
        both.map(|(s, lead)| Replayed { ln_s: s.ln(), lead: lead.ln() }).collect()
    }

    /// How far (ln) s may be off by chance. A mark has to be above that, so that an unchanged library
    /// does not pass it by luck.
    pub fn chance(&self) -> f64 {
        DEVIATIONS * self.spread
    }

    /// The replays in brief, as ln s.
    pub fn in_brief(&self) -> Result<Replays, StatsError> {
        let ln_s: Vec<f64> = self.s.iter().map(|s| s.ln()).collect();
        Replays::of(&ln_s)
    }

    /// In what the present setting differs from the calibration's, in words; the marks may not
    /// fit there.
    pub fn differences(&self, now: &Setting) -> Vec<String> {
        let then = &self.setting;
        [
            ("processor", &then.cpu, &now.cpu),
            ("compiler", &then.compiler, &now.compiler),
            ("flags", &then.flags.join(" "), &now.flags.join(" ")),
        ]
        .into_iter()
        .filter(|(_, then, now)| then != now)
        .map(|(what, then, now)| format!("calibrated with {what} `{then}`, this is `{now}`"))
        .collect()
    }
}

impl fmt::Display for StepCalibration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [low, high] = self.s_ref_interval;
        write!(
            f,
            "s_ref = {:.3} ({low:.3} - {high:.3}), pass_at = {:.3}, from {} replays",
            self.s_ref, self.pass_at, self.replays
        )
    }
}

/// Four decimals: more would only be noise in the file.
fn rounded(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}

#[cfg(test)]
#[path = "calibration_tests.rs"]
pub(super) mod tests;
