//! From the blocks of a replicate to one ratio.

use super::pace::Pace;
use crate::stats::{self, StatsError};

/// Mean times of one block, nanoseconds a request, stopwatch included.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Times {
    /// The reference's, over both of its visits.
    pub reference: f64,
    /// The candidate's.
    pub candidate: f64,
    /// The empty function's.
    pub blank: f64,
}

/// The blocks of one target in one replicate.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Blocks {
    /// Requests in clear.
    pub plain: Vec<Times>,
    /// Sealed requests.
    pub sealed: Vec<Times>,
}

/// What one replicate says of one target.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// ln(t_reference / t_candidate).
    pub ln_ratio: f64,
    /// Nanoseconds a call.
    pub reference_ns: f64,
    /// Nanoseconds a call.
    pub candidate_ns: f64,
    /// `N`: stopwatch, and for sealed calls unsealing and digest; nanoseconds a call.
    pub overhead_ns: f64,
    /// `N` of the sealed requests: what somebody who unseals faster could save a fraction of.
    pub sealed_overhead_ns: f64,
    /// The candidate's sealed calls took longer than its plain ones allow, so they count instead.
    pub audit_failed: bool,
    /// Blocks.
    pub blocks: usize,
}

/// Share of the overhead below which no time can be told from none.
const RESOLUTION: f64 = 0.05;

/// Why there is no ratio.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Unmeasured {
    /// A side's time is no number.
    #[error("{side}: {source}")]
    Time {
        /// Which side.
        side: &'static str,
        /// What is wrong with it.
        source: StatsError,
    },
    /// A side's time can't be told from the stopwatch's own.
    #[error(
        "{side} takes {time_ns:.0} ns a request, of which {overhead_ns:.0} ns are the stopwatch's: \
         too short to be measured; the profile needs a longer unit"
    )]
    TooShort {
        /// Which side.
        side: &'static str,
        /// Time of a request, nanoseconds.
        time_ns: f64,
        /// The stopwatch's share, nanoseconds.
        overhead_ns: f64,
    },
    /// No block was completed.
    #[error("no block was completed")]
    NoBlocks,
}

impl Blocks {
    /// The ratio of this replicate.
    pub fn sample(&self, pace: &Pace) -> Result<Sample, Unmeasured> {
        let calls = f64::from(pace.calls);
        let sealed_n = overhead(&self.sealed)?;
        let (reference, candidate, n, audit_failed) = if pace.plain {
            let n = overhead(&self.plain)?;
            let ours = audited("the reference", self, |t| t.reference, n, sealed_n)?;
            let theirs = audited("the candidate", self, |t| t.candidate, n, sealed_n)?;
            (ours.0, theirs.0, n, theirs.1)
        } else {
            let ours = net("the reference", &self.sealed, |t| t.reference, sealed_n)?;
            (ours, net("the candidate", &self.sealed, |t| t.candidate, sealed_n)?, sealed_n, false)
        };
        // The datum of a block is the difference of logarithms of its two sides.
        let differences: Vec<f64> =
            reference.iter().zip(&candidate).map(|(r, c)| r.ln() - c.ln()).collect();
        Ok(Sample {
            ln_ratio: median(&differences)?,
            reference_ns: median(&reference)? / calls,
            candidate_ns: median(&candidate)? / calls,
            overhead_ns: n / calls,
            sealed_overhead_ns: sealed_n / calls,
            audit_failed,
            blocks: differences.len(),
        })
    }
}

fn median(x: &[f64]) -> Result<f64, Unmeasured> {
    stats::median(x).map_err(|_| Unmeasured::NoBlocks)
}

fn overhead(blocks: &[Times]) -> Result<f64, Unmeasured> {
    median(&blocks.iter().map(|t| t.blank).collect::<Vec<_>>())
}

/// Each block's time less the stopwatch's. A single block that noise pushed below what the
/// stopwatch can resolve counts as just that; where most are below it there is no time to tell,
/// and nothing is made of it.
fn net(
    side: &'static str,
    blocks: &[Times],
    time: fn(&Times) -> f64,
    n: f64,
) -> Result<Vec<f64>, Unmeasured> {
    let least = n * (1.0 + RESOLUTION);
    let above = |t: f64| stats::net_time(if t < least { least } else { t }, n);
    let all: Vec<f64> = blocks.iter().map(time).collect();
    let net: Result<Vec<f64>, StatsError> = all.iter().copied().map(above).collect();
    let net = net.map_err(|source| Unmeasured::Time { side, source })?;
    let middle = median(&all)?;
    if middle < least {
        let (time_ns, overhead_ns) = (middle, n);
        return Err(Unmeasured::TooShort { side, time_ns, overhead_ns });
    }
    Ok(net)
}

/// Plain times, unless the sealed requests say that more work was done than in clear: then theirs.
/// A sealed request can't be prepared for, so a cheat gets its true time and nobody gets 0.
fn audited(
    side: &'static str,
    blocks: &Blocks,
    time: fn(&Times) -> f64,
    n: f64,
    sealed_n: f64,
) -> Result<(Vec<f64>, bool), Unmeasured> {
    let sealed: Vec<f64> = blocks.sealed.iter().map(|t| time(t) - sealed_n).collect();
    let plain: Vec<f64> = blocks.plain.iter().map(|t| time(t) - n).collect();
    if median(&sealed)? <= 1.03 * median(&plain)? + 0.05 * sealed_n {
        Ok((net(side, &blocks.plain, time, n)?, false))
    } else {
        Ok((net(side, &blocks.sealed, time, sealed_n)?, true))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Pace = Pace {
        plain: true,
        calls: 1,
        chained: true,
        requests: 5,
        audits: 2,
        blocks: 3,
        reference_ns: 1e4,
        block_ns: 0.0,
    };

    fn blocks(plain: (f64, f64), sealed: (f64, f64)) -> Blocks {
        let times = |(reference, candidate): (f64, f64), blank: f64| {
            vec![Times { reference: reference + blank, candidate: candidate + blank, blank }; 3]
        };
        Blocks { plain: times(plain, 200.0), sealed: times(sealed, 1_000.0) }
    }

    #[test]
    fn honest_times_come_from_the_plain_requests() {
        let s = blocks((8e3, 2e3), (8.1e3, 2.05e3)).sample(&PLAIN).unwrap();
        assert!((s.ln_ratio - 4f64.ln()).abs() < 1e-12 && !s.audit_failed);
        assert_eq!((s.reference_ns, s.candidate_ns, s.overhead_ns), (8e3, 2e3, 200.0));
    }

    #[test]
    fn who_is_fast_only_in_clear_gets_its_sealed_time() {
        let s = blocks((8e3, 100.0), (8e3, 4e3)).sample(&PLAIN).unwrap();
        assert!(s.audit_failed);
        assert!((s.ln_ratio - 2f64.ln()).abs() < 1e-12);
    }

    #[test]
    fn short_calls_share_the_time_of_their_burst() {
        let pace = Pace { plain: false, calls: 64, ..PLAIN };
        let s = blocks((0.0, 0.0), (6_400.0, 3_200.0)).sample(&pace).unwrap();
        assert_eq!((s.reference_ns, s.candidate_ns), (100.0, 50.0));
        assert!((s.overhead_ns - 1_000.0 / 64.0).abs() < 1e-9);
    }

    #[test]
    fn a_time_that_is_not_above_the_stopwatchs_is_refused() {
        let pace = Pace { plain: false, ..PLAIN };
        for fast in [0.0, -50.0, 1.0] {
            let refused = blocks((0.0, 0.0), (8e3, fast)).sample(&pace);
            let side = "the candidate";
            assert!(
                matches!(refused, Err(Unmeasured::TooShort { side: s, .. }) if s == side),
                "{fast}"
            );
        }
    }

    #[test]
    fn one_block_below_the_stopwatch_does_not_decide() {
        let pace = Pace { plain: false, ..PLAIN };
        let mut b = blocks((0.0, 0.0), (8e3, 2e3));
        b.sealed[1].candidate = 900.0;
        assert!((b.sample(&pace).unwrap().ln_ratio - 4f64.ln()).abs() < 1e-12);
    }

    #[test]
    fn a_time_that_is_no_number_is_refused() {
        let pace = Pace { plain: false, ..PLAIN };
        for bad in [f64::NAN, f64::INFINITY] {
            let refused = blocks((0.0, 0.0), (8e3, bad)).sample(&pace);
            assert!(
                matches!(refused, Err(Unmeasured::Time { side: "the candidate", .. })),
                "{bad}"
            );
        }
        assert_eq!(Blocks::default().sample(&pace), Err(Unmeasured::NoBlocks));
    }

    #[test]
    fn one_wild_block_does_not_move_the_ratio() {
        let mut b = blocks((8e3, 2e3), (8e3, 2e3));
        b.plain[1].candidate = 1e9;
        let s = b.sample(&PLAIN).unwrap();
        assert!((s.ln_ratio - 4f64.ln()).abs() < 1e-12);
    }
}
