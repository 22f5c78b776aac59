//! The control of every run: the reference against itself, laid out as the candidate's will be. What
//! differs there is the noise of this run. (A duel has one of its own, of the reference solution, which
//! judges no machine: see `marks`.) Candidate code is not mapped yet, so a machine that is too
//! noisy is nobody's fault, and effort can be shared out without the candidate having a say.

use super::end::End;
use super::error::EngineError;
use super::race::{Race, Timed};
use super::trial::Trial;
use crate::build::{BuildError, Built, Overlay};
use crate::report::noise;
use crate::report::record::{Cause, Kind, Record};
use crate::stats;
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
        let twin = self.twin(race, Overlay::Pristine, budget)?;
        for step in timed {
            race.progress.stage("timing the reference against itself", None);
            let found = race.control(&twin, step, budget)?;
            for (index, estimate) in timer::functions_of(&step.targets).into_iter().zip(&found) {
                let name = &setup.task.functions[index].name;
                if let Some(f) = record.functions.iter_mut().find(|f| f.name == *name) {
                    f.noise_floor = Some(estimate.ln.far());
                }
            }
            if self.step.is_some() {
                let floor = stats::raw(&found, CONFIDENCE)?.far();
                record.noise_floor = Some(floor);
                if self.kind == Kind::Grade && floor > setup.task.limits.noise {
                    let reason = too_noisy(race, floor, strain, record);
                    return Err(End::Error(EngineError::UnfitMachine { reason }));
                }
            }
        }
        Ok(())
    }

    /// What the race's reference is built from, laid out as a candidate's library will be, in as many
    /// layouts as a control has replicates.
    pub(super) fn twin(
        &self,
        race: &Race<'_, '_>,
        source: Overlay<'_>,
        budget: Budget,
    ) -> Result<Built, BuildError> {
        let count = race.reference.layouts.len().min(budget.control().replicates.1);
        race.setup.build("control", source, &self.layouts()[1][..count], race.progress)
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
