//! From what the other rooms found to the entries of a record.

use super::race::Timed;
use super::score::{self, Marks};
use crate::build::Built;
use crate::gate::{Checked, Group};
use crate::report::record::{
    self, Count, Decide, Event, Function, FunctionCounts, FunctionLead, Mode, Profile, Record,
    Scatter, SideCounts, StepScore,
};
use crate::stats::counters::{Implausible, PerCall, Uncounted, gigahertz, ipc};
use crate::stats::{self, FunctionEstimate, StatsError, StepEstimate};
use crate::task::{self, Task};
use crate::timer::{CONFIDENCE, Counted, Measured, Target, UNEVEN, allowance, functions_of};

/// Share of the overhead that somebody who unseals faster than the driver could hide.
const SEAL_SHARE: f64 = 0.25;

/// Margin above which a unit is too short for what sealing it costs.
const MOST_MARGIN: f64 = 0.3;

/// A function of the plan of which nothing is known yet.
pub fn function(task: &Task, index: usize) -> Function {
    let step = task.steps.iter().find(|s| s.functions.contains(&index));
    Function {
        name: task.functions[index].name.clone(),
        step: step.map_or(String::new(), |s| s.id.clone()),
        outcome: None,
        message: None,
        speedup: None,
        reference_ns: None,
        candidate_ns: None,
        overhead_ns: None,
        margin: None,
        noise_floor: None,
        checked_calls: 0,
        errors: Vec::new(),
        reached: None,
        leak: None,
        coverage: Vec::new(),
        mode: None,
        profiles: Vec::new(),
    }
}

/// How far a function's right outputs were from what they should be.
pub fn errors(f: &task::Function, checked: &Checked) -> Vec<record::Errors> {
    let of = |a: &stats::Accuracy| record::Accuracy {
        max_ulp: a.max(),
        p99_ulp: a.p99(),
        mean_ulp: a.mean(),
        bias_ulp: a.bias(),
        max_abs: a.max_abs(),
        differing: a.differing(),
    };
    let seen = checked.errors.iter().filter(|e| e.candidate.count() > 0);
    seen.map(|e| record::Errors {
        output: e.buffer.map_or("return value".into(), |b| f.buffers[b].name.clone()),
        against: if e.exact { record::Against::Exact } else { record::Against::Reference },
        values: e.candidate.count(),
        candidate: of(&e.candidate),
        reference: e.exact.then(|| of(&e.reference)),
    })
    .collect()
}

/// Which of a function's classes occurred.
pub fn coverage(checked: &Checked) -> Vec<record::Coverage> {
    let of = |group: &Group| {
        let missing: Vec<String> = group.missing().map(str::to_owned).collect();
        let (classes, what) = (group.classes.len() as u64, group.what.clone());
        record::Coverage { what, classes, seen: classes - missing.len() as u64, missing }
    };
    checked.coverage.0.iter().map(of).collect()
}

/// How both sides were built.
pub fn build(reference: &Built, candidate: Option<&Built>) -> record::Build {
    let theirs = |i: usize| candidate.and_then(|c| c.layouts.get(i)).map(|l| l.sha256.clone());
    let layouts = reference.layouts.iter().enumerate().map(|(i, l)| record::Layout {
        seed: l.seed,
        reference: l.sha256.clone(),
        candidate: theirs(i),
    });
    record::Build {
        compiler: reference.compiler.compiler().into(),
        linker: (&reference.compiler.ld).into(),
        flags: reference.flags.clone(),
        layouts: layouts.collect(),
    }
}

/// What the candidate shares with upstream, if it adds anything.
pub fn reuse(task: &Task, candidate: &Built) -> Option<record::Reuse> {
    let reuse = candidate.reuse.filter(|reuse| reuse.lines > 0)?;
    Some(record::Reuse {
        added_lines: reuse.lines as u64,
        verbatim: reuse.verbatim(),
        verbatim_same_file: reuse.verbatim_same_file(),
        added_tokens: reuse.tokens as u64,
        normalised: reuse.normalised(),
        limit: task.limits.reuse,
    })
}

/// Writes a step's times and estimates (one a function) into the record.
pub fn times(
    task: &Task,
    timed: &Timed,
    estimates: &[FunctionEstimate],
    record: &mut Record,
) -> Result<(), StatsError> {
    let targets = &timed.targets;
    for (index, estimate) in functions_of(targets).into_iter().zip(estimates) {
        let f = &task.functions[index];
        let Some(entry) = record.functions.iter_mut().find(|e| e.name == f.name) else { continue };
        let mine = || {
            let all = targets.iter().zip(&timed.results.measured).zip(&timed.slowed);
            all.filter(|(((t, _), _), _)| t.function == index)
        };
        let mut weighted = [0.0; 4];
        let mut short = None;
        for (((target, pace), measured), slowed) in mine() {
            let profile = &f.profiles[target.profile];
            let margin = margin(measured, pace.plain);
            let Measured { reference_ns, candidate_ns, overhead_ns, .. } = *measured;
            let all = [reference_ns, candidate_ns, overhead_ns, margin];
            if !pace.plain && margin > MOST_MARGIN {
                short = Some((profile.name.clone(), margin));
            }
            weighted.iter_mut().zip(all).for_each(|(sum, x)| *sum += profile.weight * x);
            entry.profiles.push(Profile {
                name: profile.name.clone(),
                weight: profile.weight,
                speedup: stats::mean_interval(&measured.ln_ratios, CONFIDENCE)?.exp().into(),
                reference_ns,
                candidate_ns,
                margin,
                calls_per_burst: u64::from(pace.calls),
                replicates: measured.ln_ratios.len() as u64,
                blocks: measured.blocks as u64,
                audit: measured.audit.map(|a| a.ratio),
                uneven: measured.uneven.exp(),
                slowed: slowed.map(f64::exp_m1),
                scatter: scatter(measured, timed.results.layouts)?,
            });
        }
        let total: f64 = entry.profiles.iter().map(|p| p.weight).sum();
        let [reference_ns, candidate_ns, overhead_ns, margin] = weighted.map(|x| x / total);
        let plain = mine().all(|(((_, pace), _), _)| pace.plain);
        entry.speedup = Some(estimate.speedup().into());
        entry.reference_ns = Some(reference_ns);
        entry.candidate_ns = Some(candidate_ns);
        entry.overhead_ns = Some(overhead_ns);
        entry.margin = Some(margin);
        entry.mode = Some(if plain { Mode::PlainAudit } else { Mode::Sealed });
        if let Some((name, margin)) = short {
            entry.message = Some(format!(
                "somebody who unseals faster could raise the speedup of profile `{name}` by {:.0} %: it \
                 needs a longer unit (a whole plane, an array of items)",
                100.0 * f64::exp_m1(margin)
            ));
        }
        if mine().any(|((_, measured), _)| measured.audit.is_some_and(|a| a.failed)) {
            let message = "sealed calls took longer than plain ones allow: their time counts";
            entry.message = Some(message.into());
        }
        if mine().any(|(_, slowed)| slowed.is_some_and(|s| s > 0.0)) {
            let message = "the reference was slower right after the candidate: taken off";
            entry.message = Some(message.into());
        }
    }
    Ok(())
}

/// Each function of a duel: how fast it is against the solution's, and what was seen beside that.
pub fn leads(task: &Task, duel: &Timed, estimates: &[FunctionEstimate]) -> Vec<FunctionLead> {
    let functions = functions_of(&duel.targets).into_iter().zip(estimates);
    let lead = |(index, estimate): (usize, &FunctionEstimate)| {
        let all = duel.targets.iter().zip(&duel.results.measured).zip(&duel.slowed);
        let mine = || all.clone().filter(|(((t, _), _), _)| t.function == index);
        let slowed = mine().filter_map(|(_, slowed)| *slowed).reduce(f64::max);
        FunctionLead {
            name: task.functions[index].name.clone(),
            lead: estimate.speedup().into(),
            slowed: slowed.map(f64::exp_m1),
            audit_failed: mine().any(|((_, measured), _)| measured.audit.is_some_and(|a| a.failed)),
        }
    };
    functions.map(lead).collect()
}

/// By how much (ln) a speedup could be raised by who owns the worker: unevenly slow inputs, faster
/// unsealing, and in clear what the auditor allows.
fn margin(measured: &Measured, plain: bool) -> f64 {
    let Measured { sealed_overhead_ns: sealed, candidate_ns, .. } = *measured;
    let audit = if plain { allowance(sealed, candidate_ns) } else { 0.0 };
    UNEVEN + audit + SEAL_SHARE * sealed / candidate_ns
}

fn scatter(measured: &Measured, layouts: usize) -> Result<Scatter, StatsError> {
    let split = stats::components(&measured.ln_ratios, measured.block_errors.as_deref(), layouts)?;
    let stats::Components { layout, process, block } = split;
    Ok(Scatter { layout, process, block })
}

/// What was counted of a target.
pub fn counts(
    task: &Task,
    target: Target,
    counted: &Counted,
    measured: &Measured,
) -> FunctionCounts {
    let function = &task.functions[target.function];
    FunctionCounts {
        function: function.name.clone(),
        profile: function.profiles[target.profile].name.clone(),
        calls: counted.calls,
        reference: side_counts(&counted.reference, measured.reference_ns),
        candidate: side_counts(&counted.candidate, measured.candidate_ns),
    }
}

/// One side's counts, and what follows from them and the time of a call.
fn side_counts(events: &[(Event, Result<PerCall, Uncounted>)], call_ns: f64) -> SideCounts {
    let mut side = SideCounts::default();
    for (event, counted) in events {
        match counted {
            Ok(PerCall { value, error, running }) => side.counts.push(Count {
                event: *event,
                per_call: *value,
                error: *error,
                running: *running,
            }),
            Err(why) => side.refused.push(format!("{event}: {why}")),
        }
    }
    let of = |wanted| {
        events.iter().find(|(e, _)| *e == wanted).and_then(|(_, counted)| counted.as_ref().ok())
    };
    let mut derive = |name: &str, value: Result<f64, Implausible>| {
        value.map_err(|why| side.refused.push(format!("{name}: {why}"))).ok()
    };
    if let Some(cycles) = of(Event::Cycles) {
        side.ghz = derive("GHz", gigahertz(*cycles, call_ns));
        if let Some(instructions) = of(Event::Instructions) {
            side.ipc = derive("IPC", ipc(*instructions, *cycles));
        }
    }
    side
}

/// A step's score against its marks.
pub fn step(id: &str, estimate: &StepEstimate, marks: Option<Marks>, decide: Decide) -> StepScore {
    let s = estimate.speedup();
    let speed = marks.map(|marks| score::speed(s, marks, decide));
    StepScore {
        id: id.into(),
        speedup: s.into(),
        s_ref: marks.map(|m| m.s_ref),
        pass_at: marks.map(|m| m.pass_at),
        fast: speed.map(|s| s.fast),
        confident: speed.map(|s| s.confident),
    }
}

/// The verdict on a step's speed in a sentence; `why` there is none, though there is a mark.
pub fn sentence(score: &StepScore, decide: Decide, why: Option<&str>) -> String {
    let s = score.speedup.value;
    let mark = match decide {
        Decide::PassAt => score.pass_at,
        Decide::SRef => score.s_ref,
    };
    match (mark, score.fast) {
        (Some(mark), Some(true)) => {
            format!("every output is right, and s = {s:.3} is above {mark:.3}")
        }
        (Some(mark), Some(false)) => {
            format!("every output is right, but s = {s:.3} is not above {mark:.3}")
        }
        (Some(mark), None) => {
            let why = why.unwrap_or_default();
            format!("every output is right; s = {s:.3} (mark {mark:.3}){why}")
        }
        (None, _) => {
            format!("every output is right; s = {s:.3}, and the step has no calibrated mark")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(value: f64) -> Result<PerCall, Uncounted> {
        Ok(PerCall { value, error: 0.0, running: 1.0 })
    }

    #[test]
    fn what_follows_from_counts_is_given_or_refused_with_a_reason() {
        let events = [
            (Event::Cycles, counted(3000.0)),
            (Event::Instructions, counted(6000.0)),
            (Event::BranchMisses, Err(Uncounted::Multiplexed(0.1))),
        ];
        let good = side_counts(&events, 1000.0);
        assert_eq!((good.ghz, good.ipc), (Some(3.0), Some(2.0)));
        assert_eq!(good.of(Event::Cycles).unwrap().per_call, 3000.0);
        assert!(good.of(Event::BranchMisses).is_none());
        assert!(good.refused[0].starts_with("branch misses: it ran 10 %"), "{good:?}");
        // A hypervisor that makes up cycles: 3000 in a nanosecond.
        let bad = side_counts(&events, 1.0);
        assert_eq!((bad.ghz, bad.ipc), (None, Some(2.0)));
        assert!(bad.refused.iter().any(|r| r.starts_with("GHz: 3000")), "{bad:?}");
    }

    #[test]
    fn without_cycles_nothing_follows_and_nothing_is_refused() {
        let side = side_counts(&[(Event::PageFaults, counted(0.0))], 1000.0);
        assert_eq!((side.ghz, side.ipc, side.refused.len()), (None, None, 0));
        assert_eq!(side.of(Event::PageFaults).unwrap().per_call, 0.0);
    }
}
