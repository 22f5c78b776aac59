//! Whether the time of a function depends on its secrets: looked at where something is timed, told
//! in the report, and part of the verdict where the task says so.

use super::end::{End, broken, fell, trusted, verdict};
use super::race::Race;
use crate::build::Built;
use crate::report::record::{Leak, Outcome, Record};
use crate::sandbox::Party;
use crate::stats::{self, BOUND};
use crate::task::Function;
use crate::timer::{Look, ROUNDS, Side, look};

/// A look that a second one confirmed, or the one that came closest.
struct Found {
    leak: stats::Leak,
    calls: usize,
    confirmed: bool,
}

impl Race<'_, '_> {
    /// Looks at every function of `functions` that has secrets, and writes down what it sees.
    pub fn secrets(
        &mut self,
        functions: &[usize],
        candidate: &Built,
        record: &mut Record,
    ) -> Result<(), End> {
        let task = self.setup.task;
        for (&index, place) in functions.iter().zip(0..) {
            let f = &task.functions[index];
            if f.secret.is_empty() {
                continue;
            }
            self.progress.stage("looking at times of secrets", None);
            let Some(found) = self.found(index, candidate, Side::Candidate)? else { continue };
            // What the reference leaks as well is not the candidate's doing.
            let reference = match found.confirmed {
                true => self.found(index, self.reference, Side::Reference)?,
                false => None,
            };
            let reference_leaks = reference.map(|r| r.confirmed);
            let entry = &mut record.functions[place];
            let leaks = found.confirmed;
            entry.leak = Some(Leak {
                t: found.leak.t,
                bound: BOUND,
                difference_ns: found.leak.difference,
                calls: found.calls as u64,
                leaks,
                reference_leaks,
                required: f.constant_time,
            });
            if f.constant_time && leaks && reference_leaks == Some(false) {
                let message = sentence(f, &found);
                return Err(verdict(Outcome::LeaksSecret, Some(f.name.clone()), message));
            }
        }
        Ok(())
    }

    /// Tries fixed secrets one after the other until one leaks.
    fn found(&mut self, index: usize, built: &Built, side: Side) -> Result<Option<Found>, End> {
        let name = &self.setup.task.functions[index].name;
        let mut once = |round, attempt| {
            let party = match side {
                Side::Candidate => Party::Candidate,
                _ => Party::Reference,
            };
            let worker = self.setup.start(party, built.layouts.first());
            let mut worker =
                worker.map_err(if side == Side::Candidate { fell } else { trusted })?;
            let which = Look { function: index, round, attempt };
            let (forge, deadline) = (self.forge(), self.deadline());
            look(&forge, which, &mut *self.oracle, &mut worker, side, deadline)
                .map_err(|why| broken(why, Some(name)))
        };
        let mut closest: Option<Found> = None;
        for round in 0..ROUNDS {
            let Some((leak, mut calls)) = once(round, 0)? else { return Ok(None) };
            let mut confirmed = false;
            if leak.seen()
                && let Some((again, more)) = once(round, 1)?
            {
                calls += more;
                confirmed = leak.confirmed(&again);
            }
            let found = Found { leak, calls, confirmed };
            if confirmed {
                return Ok(Some(found));
            }
            if closest.as_ref().is_none_or(|c| c.leak.t.abs() < leak.t.abs()) {
                closest = Some(found);
            }
        }
        Ok(closest)
    }
}

fn sentence(f: &Function, found: &Found) -> String {
    let secrets: Vec<String> =
        f.secret.iter().map(|&s| format!("`{}`", f.buffers[s].name)).collect();
    format!(
        "its time depends on {}: a fixed secret and random ones differ by {:.1} ns (t = {:.1}, and \
         again beyond {BOUND} in a second process), the reference's do not",
        secrets.join(" or "),
        found.leak.difference.abs(),
        found.leak.t
    )
}
