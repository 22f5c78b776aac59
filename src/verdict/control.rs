//! The control of every run: the reference against itself, laid out as the candidate's will be. What
//! differs there is the noise of this run. Candidate code is not mapped yet, so a machine that is too
//! noisy is nobody's fault, and effort can be shared out without the candidate having a say.

use super::end::End;
use super::error::EngineError;
use super::race::{Race, Timed};
use super::trial::Trial;
use crate::build::Overlay;
use crate::report::noise;
use crate::report::record::{Cause, Kind, Record};
use crate::stats::{Estimate, FunctionEstimate, StatsError, mean_interval};
use crate::timer::strain::Snapshot;
use crate::timer::{self, Budget, CONFIDENCE};

impl Trial<'_> {
    /// Runs it for every step, notes the noise floors, and gives each target its blocks. A grading
    /// goes no further on a machine with more noise than the task allows.
    pub(super) fn control(
        &self,
        race: &mut Race<'_, '_>,
        timed: &mut [Timed],
        budget: Budget,
        strain: &Snapshot,
        record: &mut Record,
    ) -> Result<(), End> {
        let setup = race.setup;
        let theirs = &self.layouts()[1][..race.reference.layouts.len()];
        let twin = setup.build("control", Overlay::Pristine, theirs, race.progress)?;
        for step in timed {
            race.progress.stage("timing the reference against itself", None);
            let mut control = [step.again()];
            race.time_own(&twin, &mut control, budget.control())?;
            let [control] = control;
            let found = timer::estimates(setup.task, &control.targets, &control.results)?;
            for (index, estimate) in timer::functions_of(&control.targets).into_iter().zip(&found) {
                let name = &setup.task.functions[index].name;
                if let Some(f) = record.functions.iter_mut().find(|f| f.name == *name) {
                    f.noise_floor = Some(estimate.ln.far());
                }
            }
            if self.step.is_some() {
                let floor = unfloored(&found)?.far();
                record.noise_floor = Some(floor);
                if self.kind == Kind::Grade && floor > setup.task.limits.noise {
                    let reason = too_noisy(race, floor, strain, record);
                    return Err(End::Error(EngineError::UnfitMachine { reason }));
                }
            }
            budget.spend(setup.task, &mut step.targets, &control.results.measured);
            step.control = control.results.measured;
        }
        Ok(())
    }
}

/// Why nothing is graded here, and what is most likely to be the cause.
fn too_noisy(race: &Race<'_, '_>, floor: f64, strain: &Snapshot, record: &Record) -> String {
    let facts = strain.since(&race.setup.cores).of_record(record);
    let causes = noise::rank(&facts);
    let worst = causes.iter().find(|n| n.cause != Cause::Control);
    let worst = worst.map_or_else(
        || {
            "nothing that can be seen from here disturbed it: a neighbour on the host, perhaps"
                .into()
        },
        |n| format!("what disturbed it most: {}: {}; {}", n.cause, noise::amount(n), n.advice),
    );
    format!(
        "the reference may differ from itself by {:.1} %, the task allows {:.1} %; {worst}",
        100.0 * floor.exp_m1(),
        100.0 * race.setup.task.limits.noise
    )
}

/// The mean over functions as it is, below 1 too.
fn unfloored(functions: &[FunctionEstimate]) -> Result<Estimate, StatsError> {
    let rounds = functions.iter().map(|f| f.replicates.len()).min().unwrap_or(0);
    let sum = |r: usize| functions.iter().map(|f| f.replicates[r]).sum::<f64>();
    let means: Vec<f64> = (0..rounds).map(|r| sum(r) / functions.len() as f64).collect();
    mean_interval(&means, CONFIDENCE)
}
