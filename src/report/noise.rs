//! What made a run noisy, the worst first, with what to do about it. A pure function of facts:
//! whoever measured them is elsewhere.

use std::fmt::Write;

use super::record::{Cause, Counters, Event, Machine, Noise, Record};

/// What is known of a run, or of a machine at rest. What is not known is `None` and gives no
/// finding. Shares are between 0 and 1.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Facts {
    /// Share of the processors' time that the hypervisor gave to others.
    pub stolen: Option<f64>,
    /// Share of the wall time in which a quota kept the container from running.
    pub throttled: Option<f64>,
    /// Processors' worth of time that a quota allows.
    pub quota: Option<f64>,
    /// How often the two cores were slowed down because of heat.
    pub heat: Option<u64>,
    /// Share of the time in which the busiest SMT sibling of the two cores ran.
    pub sibling: Option<f64>,
    /// Share of the bursts in which supervisor or worker lost its processor.
    pub disturbed: Option<f64>,
    /// Runnable processes before the run, averaged over a minute.
    pub load: Option<f64>,
    /// Share of the time in which a processor was idle because of the disk.
    pub disk: Option<f64>,
    /// Name of the frequency governor.
    pub governor: Option<String>,
    /// Raising the priority was refused.
    pub unprivileged: bool,
    /// Supervisor and workers have one core between them.
    pub shared_core: bool,
    /// Most page faults in a call, and of which function.
    pub page_faults: Option<(f64, String)>,
    /// Most migrations in a call, and of which function.
    pub migrations: Option<(f64, String)>,
    /// Relative change of the clock's rate.
    pub drift: Option<f64>,
    /// |ln s| of the reference against itself.
    pub control: Option<f64>,
}

impl Facts {
    /// Adds what a machine at rest shows.
    pub fn of_machine(mut self, machine: &Machine) -> Self {
        self.load = machine.load;
        self.governor.clone_from(&machine.governor);
        self
    }

    /// Adds what a run's record holds.
    pub fn of_record(self, record: &Record) -> Self {
        let mut facts = self.of_machine(&record.machine);
        facts.control = record.noise_floor;
        facts.page_faults = most(&record.counters, Event::PageFaults);
        facts.migrations = most(&record.counters, Event::Migrations);
        facts
    }
}

/// The largest count a call of either side that is more than noise, and whose it is.
fn most(counters: &Counters, event: Event) -> Option<(f64, String)> {
    let Counters::Counted { functions, .. } = counters else { return None };
    let counts = functions.iter().flat_map(|f| {
        let sides = [("reference", &f.reference), ("candidate", &f.candidate)];
        sides.into_iter().filter_map(move |(side, counts)| {
            let count = counts.of(event).filter(|c| c.per_call > 3.0 * c.error)?;
            Some((count.per_call, format!("{}'s {}", side, f.function)))
        })
    });
    counts.max_by(|a, b| a.0.total_cmp(&b.0))
}

/// A finding with the share of the measured time that it may have touched: what the order goes by.
/// Where no share is measured it is a judgement, and below what a measured nuisance has.
struct Ranked(f64, Noise);

fn share(cause: Cause, weight: f64, amount: f64, of: &str, advice: &str) -> Ranked {
    let noise = Noise {
        cause,
        amount: Some(amount * 100.0),
        unit: format!("% {of}"),
        advice: advice.into(),
    };
    Ranked(weight * amount, noise)
}

fn number(cause: Cause, weight: f64, amount: f64, unit: String, advice: &str) -> Ranked {
    Ranked(weight, Noise { cause, amount: Some(amount), unit, advice: advice.into() })
}

fn setting(cause: Cause, weight: f64, setting: &str, advice: &str) -> Ranked {
    Ranked(weight, Noise { cause, amount: None, unit: setting.into(), advice: advice.into() })
}

/// What is worth saying, the worst first.
pub fn rank(facts: &Facts) -> Vec<Noise> {
    let above = |x: Option<f64>, least: f64| x.filter(|x| *x > least);
    let found = [
        above(facts.stolen, 0.002).map(|x| {
            let advice = "others share this host: use a dedicated machine, or a quieter hour";
            share(Cause::Steal, 1.0, x, "of processor time", advice)
        }),
        above(facts.throttled, 0.0005).map(|x| {
            let advice = "give whole cores instead of a quota: --cpuset-cpus, not --cpus";
            share(Cause::Throttled, 1.0, x, "of wall time", advice)
        }),
        facts.quota.filter(|_| above(facts.throttled, 0.0005).is_none()).map(|x| {
            let advice = "it may stop calls midway: give whole cores instead (--cpuset-cpus)";
            number(Cause::Quota, 0.003, x, "processors' worth of time".into(), advice)
        }),
        facts.heat.filter(|n| *n > 0).map(|n| {
            let advice = "cool it, or bound its clock rate (cpupower frequency-set --max)";
            number(Cause::Heat, 0.05, n as f64, "times too hot".into(), advice)
        }),
        above(facts.sibling, 0.05).map(|x| {
            // Two threads of a core get some two thirds of it each.
            let advice = "keep other work off that core, or turn SMT off";
            share(Cause::Sibling, 0.3, x, "of the time", advice)
        }),
        above(facts.disturbed, 0.02).map(|x| {
            // Those calls are dropped: what is left of them is fewer samples and colder caches.
            let advice = "stop other work on this machine, or keep it off these two cores";
            share(Cause::Disturbed, 0.2, x, "of bursts", advice)
        }),
        above(facts.load, 0.5).map(|x| {
            let advice = "wait until other work is done";
            let unit = "runnable over the last minute".into();
            number(Cause::Load, 0.003 * x.min(4.0), x, unit, advice)
        }),
        above(facts.disk, 0.05).map(|x| {
            let advice = "memory or disk is short: look for swapping and large writes";
            share(Cause::Disk, 0.05, x, "of the time", advice)
        }),
        facts.governor.as_deref().filter(|g| *g != "performance").map(|g| {
            let advice = "`cpupower frequency-set -g performance` steadies it";
            setting(Cause::Governor, 0.004, g, advice)
        }),
        facts.unprivileged.then(|| {
            let advice = "run as root, or with --cap-add SYS_NICE in a container";
            setting(Cause::Priority, 0.005, "raising it was refused", advice)
        }),
        facts.shared_core.then(|| {
            let advice = "give it two cores that are no SMT siblings";
            setting(Cause::SharedCore, 0.03, "the stopwatch has to sleep", advice)
        }),
        facts.page_faults.as_ref().filter(|(n, _)| *n >= 0.5).map(|(n, who)| {
            let advice = "calls wait for fresh memory: let them reuse what they allocate";
            number(Cause::PageFaults, 0.002, *n, format!("a call of the {who}"), advice)
        }),
        facts.migrations.as_ref().filter(|(n, _)| *n >= 0.01).map(|(n, who)| {
            let advice = "the worker left its core: it must not set its own affinity";
            number(Cause::Migrations, 0.01, *n, format!("a call of the {who}"), advice)
        }),
        facts.drift.filter(|d| d.abs() > 1e-4).map(|d| {
            let advice = "the machine was moved or slept: repeat the run";
            share(Cause::Clock, 1.0, d.abs(), "off its rate at the start", advice)
        }),
        above(facts.control, 0.01).map(|x| {
            let advice = "smaller differences mean nothing in this run: see to the other causes, \
                          and repeat it";
            share(Cause::Control, 1.0, x, "where nothing differs", advice)
        }),
    ];
    let mut found: Vec<Ranked> = found.into_iter().flatten().collect();
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    found.into_iter().map(|Ranked(_, noise)| noise).collect()
}

/// `3.2 % of processor time`, or the setting.
pub fn amount(noise: &Noise) -> String {
    match noise.amount {
        Some(x) if noise.unit.starts_with("% ") => format!("{x:.2} {}", noise.unit),
        Some(x) if x.fract() == 0.0 => format!("{x} {}", noise.unit),
        Some(x) => format!("{x:.2} {}", noise.unit),
        None => noise.unit.clone(),
    }
}

/// Most findings in a report for people; the record has them all.
const SHOWN: usize = 4;

/// The findings as part of a report, each a line; empty without any.
pub fn render(findings: &[Noise]) -> String {
    let mut out = String::new();
    if findings.is_empty() {
        return out;
    }
    out.push_str("what made this run noisy, the worst first:\n");
    for noise in findings.iter().take(SHOWN) {
        // Writing to a string can't fail.
        let _ = writeln!(out, "  {}: {}; {}", noise.cause, amount(noise), noise.advice);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::record::{Count, FunctionCounts, Outcome, SideCounts};
    use crate::report::sample_record;

    fn causes(facts: &Facts) -> Vec<Cause> {
        rank(facts).into_iter().map(|n| n.cause).collect()
    }

    /// A machine with nothing to complain about.
    fn quiet() -> Facts {
        Facts {
            stolen: Some(0.0),
            throttled: Some(0.0),
            heat: Some(0),
            sibling: Some(0.01),
            disturbed: Some(0.001),
            load: Some(0.2),
            disk: Some(0.0),
            governor: Some("performance".into()),
            drift: Some(2e-7),
            control: Some(0.002),
            ..Facts::default()
        }
    }

    #[test]
    fn a_quiet_machine_and_an_unknown_one_give_no_findings() {
        assert_eq!(causes(&quiet()), []);
        assert_eq!(causes(&Facts::default()), []);
        assert_eq!(render(&[]), "");
    }

    #[test]
    fn each_planted_fact_is_found_alone() {
        type Plant = fn(&mut Facts);
        let plant: [(Cause, Plant); 15] = [
            (Cause::Steal, |f| f.stolen = Some(0.03)),
            (Cause::Throttled, |f| f.throttled = Some(0.02)),
            (Cause::Quota, |f| f.quota = Some(1.5)),
            (Cause::Heat, |f| f.heat = Some(3)),
            (Cause::Sibling, |f| f.sibling = Some(0.9)),
            (Cause::Disturbed, |f| f.disturbed = Some(0.3)),
            (Cause::Load, |f| f.load = Some(3.0)),
            (Cause::Disk, |f| f.disk = Some(0.2)),
            (Cause::Governor, |f| f.governor = Some("powersave".into())),
            (Cause::Priority, |f| f.unprivileged = true),
            (Cause::SharedCore, |f| f.shared_core = true),
            (Cause::PageFaults, |f| f.page_faults = Some((12.0, "candidate's f".into()))),
            (Cause::Migrations, |f| f.migrations = Some((0.5, "candidate's f".into()))),
            (Cause::Clock, |f| f.drift = Some(-0.01)),
            (Cause::Control, |f| f.control = Some(0.04)),
        ];
        for (cause, plant) in plant {
            let mut facts = quiet();
            plant(&mut facts);
            let found = rank(&facts);
            assert_eq!(found.len(), 1, "{cause}: {found:?}");
            assert_eq!(found[0].cause, cause);
            assert!(!found[0].advice.is_empty() && !found[0].unit.is_empty());
        }
    }

    #[test]
    fn the_worst_comes_first_whatever_the_others_are() {
        let mut facts = Facts {
            stolen: Some(0.2),
            disturbed: Some(0.1),
            load: Some(2.0),
            governor: Some("powersave".into()),
            ..quiet()
        };
        let stolen = [Cause::Steal, Cause::Disturbed, Cause::Load, Cause::Governor];
        assert_eq!(causes(&facts), stolen);
        // The same things, in other measure.
        (facts.stolen, facts.disturbed) = (Some(0.003), Some(0.9));
        let disturbed = [Cause::Disturbed, Cause::Load, Cause::Governor, Cause::Steal];
        assert_eq!(causes(&facts), disturbed);
    }

    #[test]
    fn a_quota_that_bites_is_not_told_twice() {
        let facts = Facts { quota: Some(1.0), throttled: Some(0.1), ..quiet() };
        assert_eq!(causes(&facts), [Cause::Throttled]);
    }

    #[test]
    fn amounts_have_their_unit() {
        let found = rank(&Facts { stolen: Some(0.0312), heat: Some(3), ..quiet() });
        let texts: Vec<String> = found.iter().map(amount).collect();
        assert_eq!(texts, ["3 times too hot", "3.12 % of processor time"]);
        let text = render(&found);
        assert!(text.starts_with("what made this run noisy, the worst first:\n"), "{text}");
        assert!(text.contains("  stolen time: 3.12 % of processor time; others share"), "{text}");
    }

    #[test]
    fn a_record_gives_its_facts() {
        let mut record = sample_record(Outcome::Pass);
        record.noise_floor = Some(0.03);
        record.machine.load = Some(7.0);
        let count = |per_call, error| SideCounts {
            counts: vec![Count { event: Event::PageFaults, per_call, error, running: 1.0 }],
            ..SideCounts::default()
        };
        let function = |name: &str, reference, candidate| FunctionCounts {
            function: name.into(),
            profile: "p".into(),
            calls: 10,
            reference,
            candidate,
        };
        record.counters = Counters::Counted {
            events: Vec::new(),
            functions: vec![
                function("f", count(0.0, 0.0), count(8.0, 0.1)),
                function("noisy", count(90.0, 50.0), count(0.0, 0.0)),
            ],
        };
        let facts = Facts::default().of_record(&record);
        assert_eq!(facts.page_faults, Some((8.0, "candidate's f".into())));
        assert_eq!((facts.load, facts.control), (Some(7.0), Some(0.03)));
        assert_eq!(causes(&facts), [Cause::Control, Cause::Load, Cause::PageFaults]);
    }
}
