//! A record for the tests of whoever reads, writes or prints one.

use super::record::*;

/// A grading of step `01-resizing` with two functions; `Pass` is rewarded, all else is not.
pub(crate) fn sample_record(outcome: Outcome) -> Record {
    let pass = outcome == Outcome::Pass;
    let correct = matches!(outcome, Outcome::Pass | Outcome::TooSlow);
    let speedup = Speedup { value: 7.31, low: 7.25, high: 7.38 };
    let function = |name: &str, value: f64| Function {
        name: name.into(),
        step: "01-resizing".into(),
        outcome: Some(if correct { Outcome::Pass } else { outcome }),
        message: None,
        speedup: correct.then_some(Speedup { value, low: value * 0.99, high: value * 1.01 }),
        reference_ns: correct.then_some(812_345.0),
        candidate_ns: correct.then_some(812_345.0 / value),
        overhead_ns: correct.then_some(1_234.0),
        margin: correct.then_some(0.004),
        noise_floor: correct.then_some(0.003),
        checked_calls: 4096,
        errors: Vec::new(),
        reached: None,
        leak: None,
        coverage: Vec::new(),
        mode: correct.then_some(Mode::PlainAudit),
        profiles: Vec::new(),
    };
    Record {
        schema: SCHEMA.into(),
        kind: Kind::Grade,
        engine: Engine::this(),
        task: "simd".into(),
        step: Some("01-resizing".into()),
        outcome,
        message: "a sample".into(),
        correct: outcome.is_verdict().then_some(correct),
        fast: correct.then_some(pass),
        reward: Some(u8::from(pass)),
        speedup: correct.then_some(speedup),
        s_ref: Some(7.2),
        pass_at: Some(7.1),
        marks: Some(MarkSource::Calibration),
        calibrated_marks: Some(MarkSet {
            s_ref: Speedup { value: 7.2, low: 7.15, high: 7.25 },
            pass_at: 7.1,
            lead: None,
            fast: correct.then_some(pass),
            confident: correct.then_some(true),
        }),
        live_marks: None,
        decide: Decide::PassAt,
        confident: correct.then_some(true),
        needs_human: false,
        noise_floor: correct.then_some(0.002),
        timing: None,
        floor_bias: correct.then_some(0.0008),
        steps: Vec::new(),
        functions: vec![function("reduce_2x2", 9.5), function("bilinear", 0.8)],
        failure: None,
        more_failures: Vec::new(),
        ignored_edits: Vec::new(),
        reuse: None,
        build: None,
        machine: Machine {
            cpu: "Sample CPU @ 3.00GHz".into(),
            cores: 2,
            smt: Some(false),
            large_pages: Some(true),
            kernel: "6.1.0".into(),
            hypervisor: Some("kvm".into()),
            tsc: Tsc::Invariant,
            tsc_ghz: Some(3.0),
            governor: None,
            load: Some(0.25),
            stopwatch: Some(Stopwatch::Spin),
            priority: Some("real-time".into()),
            supervisor_core: Some(0),
            worker_core: Some(1),
        },
        capabilities: vec![
            Capability {
                name: "own uid".into(),
                state: Protection::Proven,
                note: "a write to a root-owned file was refused".into(),
            },
            Capability {
                name: "seccomp".into(),
                state: Protection::Absent,
                note: "not built in".into(),
            },
        ],
        counters: Counters::Absent { reason: "no performance counters in this machine".into() },
        noise: Vec::new(),
        seed: "00112233445566778899aabbccddeeff".into(),
        started: "2026-01-02T03:04:05Z".into(),
        seconds: 42.5,
    }
}
