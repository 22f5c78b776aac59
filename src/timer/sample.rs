//! From the bursts of all replicates to ratios.
//!
//! Noise only ever adds time, and comes in spells: a neighbour on the other hardware thread, a
//! slower clock, an interrupt. Each input is timed on both sides within some milliseconds, mostly in
//! the same spell, so the *middle* of the ratios of single inputs scatters far less than a ratio of
//! sums. It gives the number. A ratio of the *whole*, in which every slow request counts in full,
//! sees to it that nobody hides slow inputs behind the middle: where the two are further apart than
//! [`UNEVEN`], the whole one counts, up to that allowance.

use super::pace::Pace;
use crate::stats::{self, StatsError};

/// The bursts of one block that count, nanoseconds each, stopwatch included.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Block {
    /// What each input took: the reference, the candidate.
    pub pairs: Vec<[f64; 2]>,
    /// For each of them, whether the reference was visited right after the candidate.
    pub after: Vec<bool>,
    /// What the empty function took.
    pub blank: Vec<f64>,
    /// What it took to prepare each of them, its states included: the reference, the candidate.
    pub preparing: Vec<[f64; 2]>,
}

/// The blocks of one target in one replicate.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Blocks {
    /// Requests in clear.
    pub plain: Vec<Block>,
    /// Sealed requests.
    pub sealed: Vec<Block>,
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
    /// ln of the ratio of the whole over the one in the middle.
    pub uneven: f64,
    /// How the auditor saw the candidate; none where all requests are sealed.
    pub audit: Option<Audit>,
    /// For each replicate, by how much (ln) the reference is slower right after the candidate than
    /// after others; none where the schedule had no such visits.
    pub neighbour: Vec<f64>,
    /// For each replicate, the standard error of its number that its blocks account for; none where
    /// one of them is a single block.
    pub block_errors: Option<Vec<f64>>,
    /// Blocks in all.
    pub blocks: usize,
}

/// The speedup in clear against that of the sealed requests.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Audit {
    /// Speedup in clear over speedup sealed.
    pub ratio: f64,
    /// More than the allowance: the sealed one counts, and the allowance.
    pub failed: bool,
}

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

/// How far apart (in ln) the middle and the whole may be.
pub const UNEVEN: f64 = 0.03;
/// Share of the overhead below which no time can be told from none.
const RESOLUTION: f64 = 0.05;
const NAMES: [&str; 2] = ["the reference", "the candidate"];

/// What the auditor allows the speedup in clear above the sealed one, in ln: 3 % of the
/// candidate's time, and 5 % of what sealing costs it.
pub fn allowance(sealed_overhead_ns: f64, candidate_ns: f64) -> f64 {
    (0.03 + 0.05 * sealed_overhead_ns / candidate_ns).ln_1p()
}

/// One kind of requests in one replicate.
#[derive(Debug, Clone, Copy)]
struct Look {
    /// Median of ln of the ratio of single inputs.
    middle: f64,
    /// ln of the ratio of all.
    whole: f64,
    /// Time of a usual request on each side, the stopwatch's included.
    times: [f64; 2],
    /// The stopwatch's.
    blank: f64,
    /// ln of the reference's time right after the candidate over that after others.
    neighbour: Option<f64>,
    /// Standard error of `middle` by the scatter of its blocks, if there are several.
    block_error: Option<f64>,
}

/// Draws the ratios from all replicates of a target. In a `duel` the reference is as fast as candidates
/// are: its sealed time, too, may be lost in the overhead.
pub fn settle(replicates: &[Blocks], pace: &Pace, duel: bool) -> Result<Measured, Unmeasured> {
    let looks = |of: fn(&Blocks) -> &Vec<Block>| -> Result<Vec<Look>, Unmeasured> {
        replicates.iter().map(|r| look(of(r))).collect()
    };
    let sealed = looks(|r| &r.sealed)?;
    let open = if pace.plain { looks(|r| &r.plain)? } else { sealed.clone() };
    let calls = f64::from(pace.calls);
    let [reference_ns, candidate_ns] = [0, 1].map(|side| net_level(&open, side));
    let n = level(&open, |l| l.blank)?;
    let sealed_n = level(&sealed, |l| l.blank)?;
    let mut measured = Measured {
        ln_ratios: scored(&open)?,
        reference_ns: reference_ns? / calls,
        candidate_ns: candidate_ns? / calls,
        overhead_ns: n / calls,
        sealed_overhead_ns: sealed_n / calls,
        uneven: gap(&open)?,
        audit: None,
        neighbour: open.iter().filter_map(|l| l.neighbour).collect(),
        block_errors: open.iter().map(|l| l.block_error).collect(),
        blocks: replicates.iter().map(|r| r.plain.len().max(r.sealed.len())).sum(),
    };
    if !pace.plain {
        too_short(&sealed, 0).and(too_short(&sealed, 1))?;
        return Ok(measured);
    }
    too_short(&open, 0)?;
    let in_clear = too_short(&open, 1);
    // The candidate's own sealed time may be lost in its overhead: it then counts as the least that
    // can be told from none. Were it not held against the plain one at all, whoever unseals a little
    // faster would be free of the auditor.
    if !duel {
        too_short(&sealed, 0)?;
    }
    if in_clear.is_err() {
        too_short(&sealed, 1)?;
    }
    let closed = scored(&sealed)?;
    let [clear, truth] = [mean(&measured.ln_ratios)?, mean(&closed)?];
    let honest = net_level(&sealed, 1)?;
    // Relative to the time of the sealed calls: that of the others may be a fake.
    let allowed = allowance(sealed_n, honest);
    let failed = in_clear.is_err() || clear > truth + allowed;
    measured.audit = Some(Audit { ratio: (clear - truth).exp(), failed });
    if failed {
        measured.ln_ratios = closed.iter().map(|x| x + allowed).collect();
        measured.candidate_ns = honest;
    }
    Ok(measured)
}

/// The number of each replicate: the one in the middle, or where that is too far from the whole,
/// the whole one with the allowance. Decided for all replicates together: one alone has too few
/// requests to judge anybody by.
fn scored(looks: &[Look]) -> Result<Vec<f64>, Unmeasured> {
    let gap = gap(looks)?;
    let number = |l: &Look| match gap.abs() <= UNEVEN {
        true => l.middle,
        false => l.whole - UNEVEN.copysign(gap),
    };
    Ok(looks.iter().map(number).collect())
}

/// ln of the whole ratio less the one in the middle.
fn gap(looks: &[Look]) -> Result<f64, Unmeasured> {
    mean(&looks.iter().map(|l| l.whole - l.middle).collect::<Vec<_>>())
}

fn look(blocks: &[Block]) -> Result<Look, Unmeasured> {
    let blank: Vec<f64> = blocks.iter().flat_map(|b| b.blank.iter().copied()).collect();
    let blank = median(&blank)?;
    let net = |[reference, candidate]: [f64; 2]| -> Result<f64, Unmeasured> {
        Ok(above(0, reference, blank)?.ln() - above(1, candidate, blank)?.ln())
    };
    let pairs = || blocks.iter().flat_map(|b| &b.pairs);
    let each: Vec<f64> = pairs().map(|p| net(*p)).collect::<Result<_, _>>()?;
    let times = [0, 1].map(|side| median(&pairs().map(|p| p[side]).collect::<Vec<_>>()));
    let [reference, candidate] = times;
    let whole = |b: &Block| {
        let side = |side: usize| mean(&b.pairs.iter().map(|p| p[side]).collect::<Vec<_>>());
        net([side(0)?, side(1)?])
    };
    let filled = || blocks.iter().filter(|b| !b.pairs.is_empty());
    let whole: Vec<f64> = filled().map(whole).collect::<Result<_, _>>()?;
    let of_block = |b: &Block| -> Result<f64, Unmeasured> {
        median(&b.pairs.iter().map(|p| net(*p)).collect::<Result<Vec<_>, _>>()?)
    };
    let middles: Vec<f64> = filled().map(of_block).collect::<Result<_, _>>()?;
    let error = |sd: f64| sd / (middles.len() as f64).sqrt();
    Ok(Look {
        middle: median(&each)?,
        whole: median(&whole)?,
        times: [reference?, candidate?],
        blank,
        neighbour: neighbour(blocks)?,
        block_error: match middles.len() {
            0 | 1 => None,
            _ => Some(error(stats::sd(&middles).map_err(unmeasured)?)),
        },
    })
}

/// What a visit of the candidate leaves behind for the reference's next one: caches, power, heat.
/// Both kinds of visits of a block are in the same spell of noise.
fn neighbour(blocks: &[Block]) -> Result<Option<f64>, Unmeasured> {
    let mut all = Vec::new();
    for block in blocks {
        let times = |after: bool| -> Vec<f64> {
            let both = block.pairs.iter().zip(&block.after);
            both.filter(|(_, a)| **a == after).map(|(p, _)| p[0].ln()).collect()
        };
        let (after, other) = (times(true), times(false));
        if !after.is_empty() && !other.is_empty() {
            all.push(median(&after)? - median(&other)?);
        }
    }
    if all.is_empty() { Ok(None) } else { median(&all).map(Some) }
}

/// A time less the stopwatch's, and no less than what can be told from none.
fn above(side: usize, time: f64, n: f64) -> Result<f64, Unmeasured> {
    let time =
        stats::positive(time).map_err(|source| Unmeasured::Time { side: NAMES[side], source })?;
    Ok((time - n).max(RESOLUTION * n).max(f64::MIN_POSITIVE))
}

/// Refuses a side whose time as a whole can't be told from none.
fn too_short(looks: &[Look], side: usize) -> Result<(), Unmeasured> {
    let (time_ns, overhead_ns) = (level(looks, |l| l.times[side])?, level(looks, |l| l.blank)?);
    if time_ns < overhead_ns * (1.0 + RESOLUTION) {
        return Err(Unmeasured::TooShort { side: NAMES[side], time_ns, overhead_ns });
    }
    Ok(())
}

/// A side's time without the stopwatch's, over all replicates.
fn net_level(looks: &[Look], side: usize) -> Result<f64, Unmeasured> {
    above(side, level(looks, |l| l.times[side])?, level(looks, |l| l.blank)?)
}

fn level(looks: &[Look], of: impl Fn(&Look) -> f64) -> Result<f64, Unmeasured> {
    median(&looks.iter().map(of).collect::<Vec<_>>())
}

fn median(x: &[f64]) -> Result<f64, Unmeasured> {
    stats::median(x).map_err(unmeasured)
}

fn mean(x: &[f64]) -> Result<f64, Unmeasured> {
    stats::mean(x).map_err(unmeasured)
}

fn unmeasured(source: StatsError) -> Unmeasured {
    match source {
        StatsError::Empty => Unmeasured::NoBlocks,
        source => Unmeasured::Time { side: "a timed request", source },
    }
}

#[cfg(test)]
#[path = "sample_tests.rs"]
mod tests;
