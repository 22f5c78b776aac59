//! What this machine can resolve: small functions of known character against copies of themselves.

use std::io;
use std::path::Path;

use super::calibration::Calibration;
use super::end::{End, in_words};
use super::error::EngineError;
use super::marks::Live;
use super::race::Race;
use super::setup::{Poised, Setup};
use super::trial::{Only, Trial};
use crate::build::Overlay;
use crate::gate::{self, Seed};
use crate::report::progress::Progress;
use crate::report::record::Kind;
use crate::report::resolution::{Measurement, Resolution};
use crate::task::Task;
use crate::timer::{self, Budget};

/// The task `benches/pairs`, which an installed program has no copy of.
const PAIRS: [(&str, &str); 8] = [
    ("task.toml", include_str!("../../benches/pairs/task.toml")),
    ("include/pairs.h", include_str!("../../benches/pairs/include/pairs.h")),
    ("src/fnv.c", include_str!("../../benches/pairs/src/fnv.c")),
    ("src/fnv64.c", include_str!("../../benches/pairs/src/fnv64.c")),
    ("src/memxor.c", include_str!("../../benches/pairs/src/memxor.c")),
    ("src/poly.c", include_str!("../../benches/pairs/src/poly.c")),
    ("src/sad16.c", include_str!("../../benches/pairs/src/sad16.c")),
    ("src/utf8.c", include_str!("../../benches/pairs/src/utf8.c")),
];

/// Times each function against a differently laid-out copy of itself, for `seconds` in all.
pub fn measure(seconds: u64, progress: &dyn Progress) -> Result<Resolution, EngineError> {
    let folder = tempfile::tempdir().map_err(scratch)?;
    for (name, text) in PAIRS {
        write(&folder.path().join(name), text).map_err(scratch)?;
    }
    let task = Task::load(folder.path())?;
    let mut setup = Setup::new(&task)?;
    let each = seconds as f64 / task.functions.len() as f64;
    // Never narrow enough: the time is what there is to spend.
    let budget = Budget { replicates: (5, 1_000), seconds: each, width: 0.0, ..Budget::GRADE };
    let seed = Seed::PUBLIC;
    let calibration = Calibration::default();
    let trial = Trial {
        kind: Kind::Practice,
        overlay: Overlay::Pristine,
        step: None,
        seed,
        cases: gate::Plan::PRACTICE,
        only: Only::Everything,
        budget: Some(budget),
        calibration: &calibration,
        live: Live::Never,
        only_s: false,
    };
    let reference = trial.build_reference(&setup, progress)?;
    let theirs = &trial.layouts()[1][..reference.layouts.len()];
    let twin = setup.build("copies", Overlay::Pristine, theirs, progress)?;
    let _lease = setup.lease_cores("doctor --measure", progress)?;
    let _poised = Poised::take(&setup);
    let run = || -> Result<Resolution, End> {
        let mut oracle = setup.oracle(&reference, progress)?;
        let mut race = Race::new(&setup, &reference, &mut oracle, seed, progress);
        let mut timed = trial.pace(&mut race, budget)?;
        progress.stage("timing each against its copy", Some(seconds));
        race.time_own(&twin, &mut timed, budget)?;
        let mut functions = Vec::new();
        for step in &timed {
            for index in timer::functions_of(&step.targets) {
                let estimates = timer::estimates(&task, &step.targets, &step.results)?;
                let (Some(found), Some(m)) = (estimates.first(), step.results.measured.first())
                else {
                    continue;
                };
                functions.push(Measurement {
                    name: task.functions[index].name.clone(),
                    reference_ns: m.reference_ns,
                    overhead_ns: m.overhead_ns,
                    bell_ns: step.targets.first().map_or(0.0, |(_, pace)| pace.bell_ns),
                    difference: found.ln.value,
                    half_width: found.ln.half_width(),
                    replicates: m.ln_ratios.len() as u64,
                });
            }
        }
        Ok(Resolution { seconds, functions })
    };
    run().map_err(|end| match end {
        End::Error(error) => error,
        End::Verdict(end) => EngineError::Reference(in_words(&end.1)),
    })
}

fn write(path: &Path, text: &str) -> io::Result<()> {
    std::fs::create_dir_all(path.parent().unwrap_or(path))?;
    std::fs::write(path, text)
}

fn scratch(source: io::Error) -> EngineError {
    EngineError::System { act: "can't write the functions that are timed".into(), source }
}
