//! Event counts of bursts: scaled where the counter had to share its hardware, the empty worker's
//! taken off, per call; and what follows from them, refused where it can't be true.

use super::{mean, median, sd};

/// One event over one burst, as the kernel gives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reading {
    /// Events counted.
    pub count: u64,
    /// How long it was to count, nanoseconds on the processor.
    pub enabled_ns: u64,
    /// How long it did: less where more counters were wanted than there are.
    pub running_ns: u64,
}

impl Reading {
    /// What was counted all of the time.
    pub fn whole(count: u64) -> Self {
        Self { count, enabled_ns: 1, running_ns: 1 }
    }

    /// What came between an earlier reading of the same counter and this one.
    pub fn since(self, earlier: Self) -> Self {
        Self {
            count: self.count.saturating_sub(earlier.count),
            enabled_ns: self.enabled_ns.saturating_sub(earlier.enabled_ns),
            running_ns: self.running_ns.saturating_sub(earlier.running_ns),
        }
    }

    /// The count as it would be had the counter run all of the time. `None` if it never ran.
    fn scaled(self) -> Option<f64> {
        if self.running_ns == 0 {
            return None;
        }
        let share = self.enabled_ns.max(self.running_ns) as f64 / self.running_ns as f64;
        Some(self.count as f64 * share)
    }
}

/// Share of its time that a counter must have run. Scaling assumes that the rest was like the part
/// that was counted, which is not said of a small part.
pub const LEAST_SHARE: f64 = 0.25;

/// Why a count means nothing.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum Uncounted {
    /// Too few bursts in which it ran.
    #[error("it ran in {0} bursts only, two are needed")]
    TooFew(usize),
    /// Others had the hardware.
    #[error(
        "it ran {:.0} % of the time, {:.0} % are needed: something else uses the counters",
        .0 * 100.0,
        LEAST_SHARE * 100.0
    )]
    Multiplexed(f64),
    /// It counted nothing where there must have been something.
    #[error("the counter stands still")]
    Still,
}

/// Events of one call.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PerCall {
    /// Events a call, the empty worker's taken off. Not below zero.
    pub value: f64,
    /// Standard error of that.
    pub error: f64,
    /// Share of the time that the counter ran.
    pub running: f64,
}

impl PerCall {
    /// It is known to about a tenth: good enough for a ratio.
    fn is_certain(self) -> bool {
        self.value > 0.0 && self.error <= 0.1 * self.value
    }
}

/// Events a call of bursts of `calls` calls each. As with times, a side's bursts are averaged, so
/// that slow inputs count in full, and of the empty worker's the median is taken off. `busy` says
/// that a running process can't have had none of them.
pub fn per_call(
    side: &[Reading],
    blank: &[Reading],
    calls: f64,
    busy: bool,
) -> Result<PerCall, Uncounted> {
    let (side, ran) = scaled(side)?;
    let (blank, blank_ran) = scaled(blank)?;
    if busy && side.iter().all(|&x| x == 0.0) {
        return Err(Uncounted::Still);
    }
    let too_few = |_| Uncounted::TooFew(side.len().min(blank.len()));
    let spread = |x: &[f64]| sd(x).map(|s| s * s / x.len() as f64).map_err(too_few);
    // The median of normal values varies π/2 times as much as their mean.
    let variance = spread(&side)? + std::f64::consts::FRAC_PI_2 * spread(&blank)?;
    // Rare events may come out the same in a few bursts by chance: no count is known better than to
    // one event in all of them.
    let one = 1.0 / side.len() as f64;
    let net = mean(&side).map_err(too_few)? - median(&blank).map_err(too_few)?;
    Ok(PerCall {
        value: (net / calls).max(0.0),
        error: variance.sqrt().max(one) / calls,
        running: ran.min(blank_ran),
    })
}

/// The scaled counts of the bursts in which the counter ran, and the share of time that it did.
fn scaled(bursts: &[Reading]) -> Result<(Vec<f64>, f64), Uncounted> {
    let counts: Vec<f64> = bursts.iter().filter_map(|r| r.scaled()).collect();
    if counts.len() < 2 {
        return Err(Uncounted::TooFew(counts.len()));
    }
    let sum = |f: fn(&Reading) -> u64| bursts.iter().map(|r| f(r) as f64).sum::<f64>();
    let share = sum(|r| r.running_ns) / sum(|r| r.enabled_ns.max(r.running_ns));
    if share < LEAST_SHARE { Err(Uncounted::Multiplexed(share)) } else { Ok((counts, share)) }
}

/// Why a derived number is not given.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum Implausible {
    /// Outside what hardware does.
    #[error("{value:.3} {unit} is not between {low} and {high}: {why}")]
    Outside {
        /// What came out.
        value: f64,
        /// Its unit.
        unit: &'static str,
        /// Least believed.
        low: f64,
        /// Most believed.
        high: f64,
        /// Where the bounds come from.
        why: &'static str,
    },
    /// One of the counts varies too much.
    #[error("the counts are uncertain by more than a tenth")]
    Uncertain,
    /// There is no time to divide by.
    #[error("the time is not above zero")]
    NoTime,
}

/// Clock rates that are believed, GHz.
pub const GHZ: (f64, f64) = (0.1, 8.0);
/// Instructions per cycle that are believed.
pub const IPC: (f64, f64) = (0.001, 12.0);

/// Rate of the core's clock, GHz: cycles of a call over its time, nanoseconds.
pub fn gigahertz(cycles: PerCall, call_ns: f64) -> Result<f64, Implausible> {
    if !(call_ns.is_finite() && call_ns > 0.0) {
        return Err(Implausible::NoTime);
    }
    let why = "no core is clocked slower or faster; counts of another process, or a counter that \
               a hypervisor makes up";
    within(cycles, cycles.value / call_ns, GHZ, "GHz", why)
}

/// Instructions per cycle.
pub fn ipc(instructions: PerCall, cycles: PerCall) -> Result<f64, Implausible> {
    if !cycles.is_certain() {
        return Err(Implausible::Uncertain);
    }
    let why = "no core finishes more at once, and none that runs finishes so few";
    within(instructions, instructions.value / cycles.value, IPC, "instructions a cycle", why)
}

fn within(
    count: PerCall,
    value: f64,
    (low, high): (f64, f64),
    unit: &'static str,
    why: &'static str,
) -> Result<f64, Implausible> {
    if !count.is_certain() {
        Err(Implausible::Uncertain)
    } else if (low..=high).contains(&value) {
        Ok(value)
    } else {
        Err(Implausible::Outside { value, unit, low, high, why })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn readings(counts: &[u64]) -> Vec<Reading> {
        counts.iter().map(|&count| Reading { count, enabled_ns: 1000, running_ns: 1000 }).collect()
    }

    fn certain(value: f64) -> PerCall {
        PerCall { value, error: 0.0, running: 1.0 }
    }

    #[test]
    fn the_empty_workers_counts_come_off_and_calls_share_the_rest() {
        let n = per_call(&readings(&[900, 1100]), &readings(&[200, 200, 9000]), 4.0, true).unwrap();
        assert_eq!(n.value, (1000.0 - 200.0) / 4.0);
        assert_eq!(n.running, 1.0);
        let steady = per_call(&readings(&[500; 4]), &readings(&[100; 4]), 2.0, true).unwrap();
        assert_eq!(steady.error, 0.25 / 2.0, "one event in four bursts of two calls");
    }

    #[test]
    fn the_error_is_that_of_a_mean_less_a_median() {
        let n = per_call(&readings(&[10, 20, 30]), &readings(&[1, 2, 3]), 2.0, true).unwrap();
        // variances 100 and 1, three bursts each
        let expected = (100.0_f64 / 3.0 + std::f64::consts::FRAC_PI_2 / 3.0).sqrt() / 2.0;
        assert!((n.error - expected).abs() < 1e-12);
    }

    #[test]
    fn shared_counters_are_scaled_by_the_time_they_ran() {
        let half = Reading { count: 500, enabled_ns: 2000, running_ns: 1000 };
        let n = per_call(&[half; 2], &readings(&[0, 0]), 1.0, true).unwrap();
        assert_eq!((n.value, n.running), (1000.0, 0.5));
    }

    #[test]
    fn bursts_without_the_counter_do_not_count_as_zero() {
        let ran = Reading { count: 800, enabled_ns: 1000, running_ns: 1000 };
        let not = Reading { count: 0, enabled_ns: 1000, running_ns: 0 };
        let n = per_call(&[ran, not, ran], &readings(&[0, 0]), 1.0, true).unwrap();
        assert_eq!(n.value, 800.0);
        assert!((n.running - 2.0 / 3.0).abs() < 1e-12);
        let refused = per_call(&[not; 4], &readings(&[0, 0]), 1.0, true);
        assert_eq!(refused, Err(Uncounted::TooFew(0)));
    }

    #[test]
    fn a_counter_that_hardly_ran_is_refused() {
        let little = Reading { count: 10, enabled_ns: 1000, running_ns: 100 };
        let refused = per_call(&[little; 4], &readings(&[0, 0]), 1.0, true).unwrap_err();
        assert_eq!(refused, Uncounted::Multiplexed(0.1));
        assert!(refused.to_string().contains("10 % of the time, 25 %"), "{refused}");
        // On the empty worker as well: what is taken off must be known too.
        assert!(per_call(&readings(&[5; 4]), &[little; 4], 1.0, true).is_err());
        let quarter = Reading { running_ns: 250, ..little };
        assert_eq!(per_call(&[quarter; 4], &readings(&[0, 0]), 1.0, true).unwrap().running, 0.25);
    }

    #[test]
    fn a_counter_that_stands_still_is_not_zero() {
        let none = readings(&[0, 0, 0]);
        assert_eq!(per_call(&none, &none, 1.0, true), Err(Uncounted::Still));
        // There may be no page faults.
        assert_eq!(per_call(&none, &none, 1.0, false).unwrap().value, 0.0);
    }

    #[test]
    fn noise_does_not_make_negative_counts() {
        let n = per_call(&readings(&[90, 100]), &readings(&[100, 110]), 1.0, true).unwrap();
        assert_eq!(n.value, 0.0);
        assert!(n.error > 0.0);
    }

    #[test]
    fn differences_of_running_totals() {
        let before = Reading { count: 100, enabled_ns: 50, running_ns: 40 };
        let after = Reading { count: 175, enabled_ns: 80, running_ns: 60 };
        assert_eq!(after.since(before), Reading { count: 75, enabled_ns: 30, running_ns: 20 });
        // A counter that fell is broken, not a huge number.
        assert_eq!(before.since(after).count, 0);
    }

    #[test]
    fn rates_that_hardware_has_are_given() {
        assert_eq!(gigahertz(certain(3000.0), 1000.0), Ok(3.0));
        assert_eq!(ipc(certain(4000.0), certain(2000.0)), Ok(2.0));
    }

    #[test]
    fn rates_that_no_hardware_has_are_refused_with_the_bounds() {
        for cycles in [50.0, 9000.0] {
            let refused = gigahertz(certain(cycles), 1000.0).unwrap_err();
            assert!(refused.to_string().contains("between 0.1 and 8"), "{refused}");
        }
        for instructions in [1.0, 30_000.0] {
            let refused = ipc(certain(instructions), certain(2000.0)).unwrap_err();
            assert!(refused.to_string().contains("between 0.001 and 12"), "{refused}");
        }
        for time in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(gigahertz(certain(1.0), time), Err(Implausible::NoTime));
        }
    }

    #[test]
    fn a_tenth_is_certain_enough() {
        let known = |value: f64, error: f64| PerCall { value, error, running: 1.0 }.is_certain();
        assert!(known(4000.0, 399.0) && !known(4000.0, 401.0));
        assert!(known(0.5, 0.049) && !known(0.5, 0.051) && !known(0.0, 0.0));
    }

    #[test]
    fn rates_of_uncertain_counts_are_refused() {
        let vague = PerCall { value: 3000.0, error: 400.0, running: 1.0 };
        assert_eq!(gigahertz(vague, 1000.0), Err(Implausible::Uncertain));
        assert_eq!(ipc(certain(1.0), vague), Err(Implausible::Uncertain));
        assert_eq!(ipc(vague, certain(1.0)), Err(Implausible::Uncertain));
        assert_eq!(ipc(certain(1.0), certain(0.0)), Err(Implausible::Uncertain));
    }
}
