//! From the blocks of all replicates to ratios.

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

/// What all replicates say of one target.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// ln(t_reference / t_candidate) of each replicate.
    pub ln_ratios: Vec<f64>,
    /// Nanoseconds a call.
    pub reference_ns: f64,
    /// Nanoseconds a call.
    pub candidate_ns: f64,
    /// `N`: stopwatch, and for sealed calls unsealing and digest; nanoseconds a call.
    pub overhead_ns: f64,
    /// `N` of the sealed requests: what somebody who unseals faster could save a fraction of.
    pub sealed_overhead_ns: f64,
    /// How the auditor saw the candidate; none where all requests are sealed.
    pub audit: Option<Audit>,
    /// Blocks in all.
    pub blocks: usize,
}

/// A side's sealed requests against its plain ones.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Audit {
    /// Time of a sealed call, without the overhead, over that of a plain one.
    pub ratio: f64,
    /// More than the allowance: the sealed time counts.
    pub failed: bool,
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

/// What the auditor allows: a share of the plain time, and a share of the overhead.
pub const ALLOWED: (f64, f64) = (0.03, 0.05);

/// The times of one side in all replicates, the stopwatch's taken off.
struct Net {
    /// For each replicate, one a block.
    times: Vec<Vec<f64>>,
    audit: Option<Audit>,
}

/// Draws the ratios from all replicates of a target. The overhead and the auditor's finding are
/// properties of the machine and of a side, so they are taken from all blocks together.
pub fn settle(replicates: &[Blocks], pace: &Pace) -> Result<Measured, Unmeasured> {
    let calls = f64::from(pace.calls);
    let ours = net("the reference", replicates, pace.plain, |t| t.reference)?;
    let theirs = net("the candidate", replicates, pace.plain, |t| t.candidate)?;
    // The datum of a block is the difference of logarithms of its two sides.
    let ln_ratio =
        |(r, c): (&Vec<f64>, &Vec<f64>)| median(r.iter().zip(c).map(|(r, c)| r.ln() - c.ln()));
    let ln_ratios = ours.times.iter().zip(&theirs.times).map(ln_ratio).collect::<Result<_, _>>()?;
    let n = |kind: Kind| median(pooled(replicates, kind).map(|t| t.blank));
    let sealed_n = n(Kind::Sealed)?;
    Ok(Measured {
        ln_ratios,
        reference_ns: level(&ours.times)? / calls,
        candidate_ns: level(&theirs.times)? / calls,
        overhead_ns: if pace.plain { n(Kind::Plain)? } else { sealed_n } / calls,
        sealed_overhead_ns: sealed_n / calls,
        audit: theirs.audit,
        blocks: theirs.times.iter().map(Vec::len).sum(),
    })
}

/// How inputs travelled.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Plain,
    Sealed,
}

impl Blocks {
    fn of(&self, kind: Kind) -> &[Times] {
        if kind == Kind::Plain { &self.plain } else { &self.sealed }
    }
}

fn pooled(replicates: &[Blocks], kind: Kind) -> impl Iterator<Item = &Times> {
    replicates.iter().flat_map(move |b| b.of(kind))
}

fn median(x: impl Iterator<Item = f64>) -> Result<f64, Unmeasured> {
    stats::median(&x.collect::<Vec<_>>()).map_err(|_| Unmeasured::NoBlocks)
}

/// The level that the score is made of: the mean over replicates of the median of ln t. An audit
/// of any other statistic would leave room to cheat in some of the processes only.
fn level(times: &[Vec<f64>]) -> Result<f64, Unmeasured> {
    let each: Result<Vec<f64>, _> =
        times.iter().map(|blocks| median(blocks.iter().map(|t| t.ln()))).collect();
    stats::mean(&each?).map(f64::exp).map_err(|_| Unmeasured::NoBlocks)
}

/// One side's times. Where plain requests give the number, the sealed ones say whether more work
/// is done when it can't be prepared: then all times grow by as much. Nobody gets 0 from a noisy
/// threshold, and a cheat gets its true time.
fn net(
    side: &'static str,
    replicates: &[Blocks],
    plain: bool,
    time: fn(&Times) -> f64,
) -> Result<Net, Unmeasured> {
    let sealed = taken_off(side, replicates, Kind::Sealed, time);
    if !plain {
        return Ok(Net { times: sealed?.0, audit: None });
    }
    let (mut times, open) = match taken_off(side, replicates, Kind::Plain, time) {
        Ok(found) => found,
        // Nothing is done in clear: then what is done when sealed is all there is.
        Err(Unmeasured::TooShort { .. }) => {
            let audit = Some(Audit { ratio: f64::INFINITY, failed: true });
            return Ok(Net { times: sealed?.0, audit });
        }
        Err(other) => return Err(other),
    };
    // A sealed time that is lost in its own overhead has nothing to hold against the plain one.
    let closed = match sealed {
        Ok((_, closed)) => closed,
        Err(Unmeasured::TooShort { .. }) => open,
        Err(other) => return Err(other),
    };
    let sealed_n = median(pooled(replicates, Kind::Sealed).map(|t| t.blank))?;
    let (of_time, of_overhead) = ALLOWED;
    let audit = Audit {
        ratio: closed / open,
        failed: closed > open * (1.0 + of_time) + of_overhead * sealed_n,
    };
    if audit.failed {
        times.iter_mut().flatten().for_each(|t| *t *= audit.ratio);
    }
    Ok(Net { times, audit: Some(audit) })
}

/// Each block's time less the stopwatch's, and their level. A single block that noise pushed
/// below what the stopwatch can resolve counts as just that; where most are below it there is no
/// time to tell, and nothing is made of it.
fn taken_off(
    side: &'static str,
    replicates: &[Blocks],
    kind: Kind,
    time: fn(&Times) -> f64,
) -> Result<(Vec<Vec<f64>>, f64), Unmeasured> {
    let n = median(pooled(replicates, kind).map(|t| t.blank))?;
    let least = n * (1.0 + RESOLUTION);
    let above = |t: &Times| {
        let t = time(t);
        stats::net_time(if t < least { least } else { t }, n)
    };
    let one = |b: &Blocks| b.of(kind).iter().map(above).collect::<Result<Vec<f64>, _>>();
    let times: Result<Vec<_>, StatsError> = replicates.iter().map(one).collect();
    let times = times.map_err(|source| Unmeasured::Time { side, source })?;
    let middle = median(pooled(replicates, kind).map(time))?;
    if middle < least {
        let (time_ns, overhead_ns) = (middle, n);
        return Err(Unmeasured::TooShort { side, time_ns, overhead_ns });
    }
    let level = level(&times)?;
    Ok((times, level))
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

    fn near(a: f64, b: f64) -> bool {
        (a / b - 1.0).abs() < 1e-9
    }

    fn settled(b: &Blocks, pace: &Pace) -> Result<Measured, Unmeasured> {
        settle(&[b.clone(), b.clone()], pace)
    }

    #[test]
    fn honest_times_come_from_the_plain_requests() {
        let m = settled(&blocks((8e3, 2e3), (8.1e3, 2.05e3)), &PLAIN).unwrap();
        assert!(m.ln_ratios.iter().all(|x| (x - 4f64.ln()).abs() < 1e-12));
        assert!(near(m.reference_ns, 8e3) && near(m.candidate_ns, 2e3));
        assert_eq!(m.overhead_ns, 200.0);
        assert_eq!((m.ln_ratios.len(), m.blocks), (2, 6));
        let audit = m.audit.unwrap();
        assert!(!audit.failed && (audit.ratio - 1.025).abs() < 1e-9);
    }

    #[test]
    fn who_is_fast_only_in_clear_gets_its_sealed_time() {
        let m = settled(&blocks((8e3, 100.0), (8e3, 4e3)), &PLAIN).unwrap();
        assert!(m.audit.unwrap().failed);
        assert!(m.ln_ratios.iter().all(|x| (x - 2f64.ln()).abs() < 1e-9));
        assert!((m.candidate_ns - 4e3).abs() < 1e-6);
    }

    #[test]
    fn who_cheats_in_some_processes_or_blocks_only_gains_nothing() {
        let honest = blocks((8e3, 2e3), (8e3, 2e3));
        let cheat = blocks((8e3, 50.0), (8e3, 2e3));
        let some = [&honest, &cheat, &honest, &cheat, &honest].map(Clone::clone);
        let score = |replicates: &[Blocks]| {
            let m = settle(replicates, &PLAIN).unwrap();
            assert!(m.audit.unwrap().failed);
            stats::mean(&m.ln_ratios).unwrap()
        };
        assert!(score(&some) < 4f64.ln() + 1e-9);
        // One of two blocks, in every process.
        let mut half = honest.clone();
        half.plain.truncate(2);
        half.sealed.truncate(2);
        half.plain[1].candidate = cheat.plain[1].candidate;
        assert!(score(&[half.clone(), half]) < 4f64.ln() + 1e-9);
    }

    #[test]
    fn who_does_nothing_in_clear_gets_its_sealed_time() {
        let m = settled(&blocks((8e3, 1.0), (8e3, 4e3)), &PLAIN).unwrap();
        assert!(m.audit.unwrap().failed);
        assert!(m.ln_ratios.iter().all(|x| (x - 2f64.ln()).abs() < 1e-9));
    }

    #[test]
    fn a_sealed_time_lost_in_its_overhead_convicts_nobody() {
        let m = settled(&blocks((8e3, 2e3), (8e3, 10.0)), &PLAIN).unwrap();
        assert!(!m.audit.unwrap().failed);
        assert!(m.ln_ratios.iter().all(|x| (x - 4f64.ln()).abs() < 1e-12));
    }

    #[test]
    fn short_calls_share_the_time_of_their_burst() {
        let pace = Pace { plain: false, calls: 64, ..PLAIN };
        let m = settled(&blocks((0.0, 0.0), (6_400.0, 3_200.0)), &pace).unwrap();
        assert!(near(m.reference_ns, 100.0) && near(m.candidate_ns, 50.0));
        assert!((m.overhead_ns - 1_000.0 / 64.0).abs() < 1e-9 && m.audit.is_none());
    }

    #[test]
    fn a_time_that_is_not_above_the_stopwatchs_is_refused() {
        let pace = Pace { plain: false, ..PLAIN };
        for fast in [0.0, -50.0, 1.0] {
            let refused = settled(&blocks((0.0, 0.0), (8e3, fast)), &pace);
            let candidate = |r: &Result<_, _>| {
                matches!(r, Err(Unmeasured::TooShort { side: "the candidate", .. }))
            };
            assert!(candidate(&refused), "{fast}");
        }
    }

    #[test]
    fn one_block_below_the_stopwatch_does_not_decide() {
        let pace = Pace { plain: false, ..PLAIN };
        let mut b = blocks((0.0, 0.0), (8e3, 2e3));
        b.sealed[1].candidate = 900.0;
        let m = settled(&b, &pace).unwrap();
        assert!(m.ln_ratios.iter().all(|x| (x - 4f64.ln()).abs() < 1e-12));
    }

    #[test]
    fn a_time_that_is_no_number_is_refused() {
        let pace = Pace { plain: false, ..PLAIN };
        for bad in [f64::NAN, f64::INFINITY] {
            let refused = settled(&blocks((0.0, 0.0), (8e3, bad)), &pace);
            let named = matches!(refused, Err(Unmeasured::Time { side: "the candidate", .. }));
            assert!(named, "{bad}");
        }
        assert_eq!(settle(&[], &pace), Err(Unmeasured::NoBlocks));
        assert_eq!(settled(&Blocks::default(), &pace), Err(Unmeasured::NoBlocks));
    }

    #[test]
    fn one_wild_block_does_not_move_the_ratio() {
        let mut b = blocks((8e3, 2e3), (8e3, 2e3));
        b.plain[1].candidate = 1e9;
        let m = settled(&b, &PLAIN).unwrap();
        assert!(m.ln_ratios.iter().all(|x| (x - 4f64.ln()).abs() < 1e-12));
    }
}
