//! The speedup of a step from the log ratios of its functions' profiles.
//!
//! A function's log ratio in replicate r is x_{f,r} = Σ_p w_p ln ratio_{p,r} / Σ_p w_p, and its
//! estimate is the mean over replicates. The step's is ln s = mean_f max(0, x̄_f): the floor
//! comes after the weighting *and* after the mean, since a floor on each replicate would add its
//! bias once more.
//!
//! The interval comes from the replicates alone. A function counts towards the width unless its
//! own interval lies wholly below the floor, in which case it contributes exactly nothing. Near
//! the floor this is cautious: the floored value varies less than the raw one that is counted.
//! * Where all counted functions have the same number of replicates, replicate r of one belongs
//!   with replicate r of the others (same processes, same layouts). The t interval is that of
//!   their sums, so what functions share, such as a slow minute of the machine, is in it.
//! * Where effort went unevenly, functions are taken as independent: variances add, with
//!   Welch–Satterthwaite degrees of freedom.

use super::interval::t_two_sided;
use super::{Estimate, StatsError, mean, mean_interval, sd};

/// One profile's `ln(t_reference / t_candidate)`, one a replicate.
#[derive(Debug, Clone, PartialEq)]
pub struct ProfileRatios {
    /// Relative weight, above zero.
    pub weight: f64,
    /// Log ratio of each replicate.
    pub replicates: Vec<f64>,
}

/// The speedup of one function.
#[derive(Debug, Clone, PartialEq)]
pub struct FunctionEstimate {
    /// Raw `ln(t_reference / t_candidate)` with its interval: below zero is a slowdown.
    pub ln: Estimate,
    /// Standard error of `ln.value`.
    pub error: f64,
    /// The weighted log ratio of each replicate.
    pub replicates: Vec<f64>,
}

/// The speedup of a step.
#[derive(Debug, Clone, PartialEq)]
pub struct StepEstimate {
    /// `ln s` with its interval, never below zero.
    pub ln: Estimate,
    /// Its functions, in the order given.
    pub functions: Vec<FunctionEstimate>,
}

/// Another solution of a step, which the candidate was timed against.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rival {
    /// Its ln s, never below zero.
    pub ln_s: f64,
    /// By how much the candidate's ln s exceeds that, with its interval.
    pub lead: Estimate,
}

impl FunctionEstimate {
    /// Weighs a function's profiles; `confidence` such as 0.95. Every profile needs the same
    /// number of replicates, two at least.
    pub fn new(profiles: &[ProfileRatios], confidence: f64) -> Result<Self, StatsError> {
        let first = profiles.first().ok_or(StatsError::Empty)?;
        let count = first.replicates.len();
        let mut total = 0.0;
        let mut replicates = vec![0.0; count];
        for profile in profiles {
            if !(profile.weight.is_finite() && profile.weight > 0.0) {
                return Err(StatsError::BadWeight(profile.weight));
            }
            if profile.replicates.len() != count {
                return Err(StatsError::Uneven(count, profile.replicates.len()));
            }
            total += profile.weight;
            for (sum, x) in replicates.iter_mut().zip(&profile.replicates) {
                *sum += profile.weight * x;
            }
        }
        replicates.iter_mut().for_each(|x| *x /= total);
        let ln = mean_interval(&replicates, confidence)?;
        let error = sd(&replicates)? / (count as f64).sqrt();
        Ok(FunctionEstimate { ln, error, replicates })
    }

    /// The function's raw speedup: below 1 is a slowdown.
    pub fn speedup(&self) -> Estimate {
        self.ln.exp()
    }
}

impl StepEstimate {
    /// Combines the functions of a step, each given by its profiles.
    pub fn new(functions: &[Vec<ProfileRatios>], confidence: f64) -> Result<Self, StatsError> {
        let functions: Vec<FunctionEstimate> = functions
            .iter()
            .map(|profiles| FunctionEstimate::new(profiles, confidence))
            .collect::<Result<_, _>>()?;
        Self::of_functions(functions, confidence)
    }

    /// The same from functions that are estimated already.
    pub fn of_functions(
        functions: Vec<FunctionEstimate>,
        confidence: f64,
    ) -> Result<Self, StatsError> {
        let floored: Vec<f64> = functions.iter().map(|f| f.ln.value.max(0.0)).collect();
        let value = mean(&floored)?;
        let counted: Vec<&FunctionEstimate> =
            functions.iter().filter(|f| f.ln.high > 0.0).collect();
        let reach = reach(&counted, functions.len() as f64, confidence)?;
        let ln = Estimate { value, low: value - reach, high: value + reach }.max(0.0);
        Ok(StepEstimate { ln, functions })
    }

    /// `s` with its interval, never below 1.
    pub fn speedup(&self) -> Estimate {
        self.ln.exp()
    }

    /// How fast a rival is, from `duel`: the same candidate's times, minutes later, with the rival in
    /// place of the reference. A function's ratio to the rival is that of the two to the
    /// reference, so the rival's is known; ln s of both is their mean with the floor. The interval of
    /// the lead is that of the duel's replicates, widened by what the floor hides. Where the candidate
    /// lost a function to the reference, how much does not count, so nobody can make the rival look
    /// slow by losing more: what counts is `rival`, its own times against the reference. All need
    /// the same functions.
    pub fn rival(
        &self,
        duel: &[FunctionEstimate],
        rival: &[FunctionEstimate],
        confidence: f64,
    ) -> Result<Rival, StatsError> {
        let count = self.functions.len();
        if let Some(other) = [duel.len(), rival.len()].into_iter().find(|n| *n != count) {
            return Err(StatsError::Uneven(count, other));
        }
        let (mut rivals, mut counted, mut floored) = (Vec::new(), Vec::new(), Vec::new());
        for ((own, duel), rival) in self.functions.iter().zip(duel).zip(rival) {
            let (ln, hidden) = if own.ln.value <= 0.0 {
                (rival.ln.value, rival.ln.max(0.0).half_width())
            } else {
                counted.push(duel);
                let ln = own.ln.value - duel.ln.value;
                (ln, if ln > 0.0 { 0.0 } else { own.ln.half_width() })
            };
            rivals.push(ln.max(0.0));
            floored.push(hidden);
        }
        let ln_s = mean(&rivals)?;
        let reach = reach(&counted, count as f64, confidence)?.hypot(mean(&floored)?);
        let value = self.ln.value - ln_s;
        Ok(Rival { ln_s, lead: Estimate { value, low: value - reach, high: value + reach } })
    }

    /// By what share `s` would come out too high if every function were exactly as fast as the
    /// reference (the worst case): the floor keeps the lucky half of the noise.
    pub fn floor_bias(&self) -> f64 {
        let errors: f64 = self.functions.iter().map(|f| f.error).sum();
        floor_bias(errors / self.functions.len() as f64)
    }
}

/// The mean of the functions' ln as it is, below zero too: what `s` would be without the floor.
pub fn raw(functions: &[FunctionEstimate], confidence: f64) -> Result<Estimate, StatsError> {
    let values: Vec<f64> = functions.iter().map(|f| f.ln.value).collect();
    let value = mean(&values)?;
    let counted: Vec<&FunctionEstimate> = functions.iter().collect();
    let reach = reach(&counted, functions.len() as f64, confidence)?;
    Ok(Estimate { value, low: value - reach, high: value + reach })
}

/// How far (ln) a step falls behind one that is exactly as fast, with probability `p` at most, in
/// `count` independent replicates that scatter as the n of a `control` do: t(n−1; 1−p) · sd / √count.
pub fn guard(control: &[FunctionEstimate], count: usize, p: f64) -> Result<f64, StatsError> {
    if count == 0 {
        return Err(StatsError::Empty);
    }
    let replicates = control.first().map_or(0, |f| f.replicates.len());
    let reach = raw(control, 1.0 - 2.0 * p)?.half_width();
    Ok(reach * (replicates as f64 / count as f64).sqrt())
}

/// Half-width of the interval of ln s (see the module's text).
fn reach(counted: &[&FunctionEstimate], all: f64, confidence: f64) -> Result<f64, StatsError> {
    let Some(first) = counted.first() else { return Ok(0.0) };
    let rounds = first.replicates.len();
    if counted.iter().all(|f| f.replicates.len() == rounds) {
        let sums: Vec<f64> = (0..rounds)
            .map(|r| counted.iter().map(|f| f.replicates[r]).sum::<f64>() / all)
            .collect();
        return Ok(mean_interval(&sums, confidence)?.half_width());
    }
    let variances = counted.iter().map(|f| (f.error.powi(2), (f.replicates.len() - 1) as f64));
    let total: f64 = variances.clone().map(|(v, _)| v).sum();
    if total == 0.0 {
        return Ok(0.0);
    }
    // Shares of the total, so that tiny variances do not underflow when squared.
    let freedom = 1.0 / variances.map(|(v, n)| (v / total).powi(2) / n).sum::<f64>();
    Ok(t_two_sided(freedom, confidence)? * total.sqrt() / all)
}

/// Share by which a floor at 1 lifts the geometric mean of ratios that are truly 1, with noise
/// `sigma` (standard deviation of each function's estimated log ratio):
/// E max(0, X) = σ/√(2π) for X ~ N(0, σ²), however many functions there are.
pub fn floor_bias(sigma: f64) -> f64 {
    (sigma / std::f64::consts::TAU.sqrt()).exp_m1()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(replicates: &[f64]) -> Vec<ProfileRatios> {
        vec![ProfileRatios { weight: 1.0, replicates: replicates.to_vec() }]
    }

    #[test]
    fn weighs_then_averages() {
        let profiles = [
            ProfileRatios { weight: 3.0, replicates: vec![1.0, 2.0] },
            ProfileRatios { weight: 1.0, replicates: vec![5.0, -2.0] },
        ];
        let f = FunctionEstimate::new(&profiles, 0.95).unwrap();
        assert_eq!(f.replicates, [2.0, 1.0]);
        assert_eq!(f.ln.value, 1.5);
    }

    #[test]
    fn floor_comes_after_the_weighting() {
        // A profile that lost is made up for by one that won: the function as a whole is at ln 2.
        let profiles = vec![
            ProfileRatios { weight: 1.0, replicates: vec![-(2f64.ln()); 3] },
            ProfileRatios { weight: 1.0, replicates: vec![8f64.ln(); 3] },
        ];
        let s = StepEstimate::new(&[profiles], 0.95).unwrap().speedup();
        assert!((s.value - 2.0).abs() < 1e-12);
    }

    #[test]
    fn slowdowns_are_floored_in_the_step_and_kept_in_the_function() {
        let step = StepEstimate::new(
            &[one(&[4f64.ln(), 4f64.ln()]), one(&[0.5f64.ln(), 0.5f64.ln()])],
            0.95,
        )
        .unwrap();
        let s = step.speedup();
        assert!((s.value - 2.0).abs() < 1e-12, "sqrt(4 · 1)");
        assert!((s.low - 2.0).abs() < 1e-12 && (s.high - 2.0).abs() < 1e-12);
        assert!((step.functions[1].speedup().value - 0.5).abs() < 1e-12);
    }

    #[test]
    fn all_slower_is_exactly_one() {
        let step = StepEstimate::new(&[one(&[-1.0, -1.1, -0.9])], 0.95).unwrap();
        let s = step.speedup();
        assert_eq!((s.value, s.low, s.high), (1.0, 1.0, 1.0));
    }

    #[test]
    fn a_loser_that_may_be_a_winner_widens_the_interval() {
        let step = StepEstimate::new(&[one(&[-0.01, 0.02, -0.02])], 0.95).unwrap();
        assert_eq!(step.ln.value, 0.0);
        assert!(step.ln.high > 0.0);
        assert_eq!(step.ln.low, 0.0);
    }

    #[test]
    fn what_functions_share_stays_in_the_width() {
        // The same ups and downs in both: they do not average out.
        let both = [1.0, 1.1, 0.9, 1.05];
        let shared = StepEstimate::new(&[one(&both), one(&both)], 0.95).unwrap();
        let alone = StepEstimate::new(&[one(&both)], 0.95).unwrap();
        assert!((shared.ln.half_width() - alone.ln.half_width()).abs() < 1e-12);
        // Opposite ones cancel.
        let other: Vec<f64> = both.iter().map(|x| 2.0 - x).collect();
        let opposite = StepEstimate::new(&[one(&both), one(&other)], 0.95).unwrap();
        assert!(opposite.ln.half_width() < 1e-12);
    }

    #[test]
    fn uneven_effort_adds_variances() {
        let (a, b) = (one(&[1.0, 1.2, 0.8]), one(&[2.0, 2.1, 1.9, 2.0]));
        let step = StepEstimate::new(&[a, b], 0.95).unwrap();
        // var_a = 0.04/3, var_b = 0.02/3/4; freedom by Welch–Satterthwaite = 2.49...
        let (va, vb): (f64, f64) = (0.04 / 3.0, 0.02 / 3.0 / 4.0);
        let freedom = (va + vb).powi(2) / (va * va / 2.0 + vb * vb / 3.0);
        let expected = t_two_sided(freedom, 0.95).unwrap() * (va + vb).sqrt() / 2.0;
        assert!((step.ln.half_width() - expected).abs() < 1e-9);
        assert_eq!(step.ln.value, 1.5);
    }

    fn step(functions: &[&[f64]]) -> StepEstimate {
        let functions: Vec<_> = functions.iter().map(|replicates| one(replicates)).collect();
        StepEstimate::new(&functions, 0.95).unwrap()
    }

    #[test]
    fn the_floor_keeps_the_lucky_half_of_the_mean_error() {
        let step = step(&[&[1.0, 1.2, 0.8], &[0.5, 0.6, 0.4]]);
        // Standard errors 0.2/√3 and 0.1/√3; E max(0, X) = σ/√(2π).
        let sigma = 0.15 / 3f64.sqrt();
        assert!((step.floor_bias() - (sigma * 0.3989422804).exp_m1()).abs() < 1e-9);
    }

    #[test]
    fn a_guard_is_the_reach_of_so_many_replicates() {
        let control = step(&[&[0.1, -0.1, 0.2, -0.2]]).functions;
        // sd √(0.1/3); t(3; 0.99) = 4.540703; sixteen replicates.
        let expected = 4.540703 * (0.1f64 / 3.0).sqrt() / 4.0;
        assert!((guard(&control, 16, 0.01).unwrap() - expected).abs() < 1e-6);
        assert_eq!(guard(&control, 0, 0.01), Err(StatsError::Empty));
    }

    #[test]
    fn without_the_floor_a_slowdown_counts() {
        let functions = step(&[&[1.0, 1.2, 0.8], &[-2.0, -2.2, -1.8]]).functions;
        let raw = raw(&functions, 0.95).unwrap();
        assert!((raw.value + 0.5).abs() < 1e-12);
        assert!(raw.half_width() < 1e-9, "what one gained the other lost in each replicate");
    }

    #[test]
    fn a_rival_is_as_fast_as_the_candidate_less_its_lead() {
        // 1.5 and 2.0 against the reference, ahead of the rival by 0.02 in one of two functions.
        let own = step(&[&[1.4, 1.6, 1.5], &[2.0, 2.4, 1.6]]);
        let duel = step(&[&[0.01, 0.03, 0.02], &[0.0, 0.0, 0.0]]).functions;
        let Rival { ln_s, lead } = own.rival(&duel, &own.functions, 0.95).unwrap();
        assert!((ln_s - 1.74).abs() < 1e-12 && (lead.value - 0.01).abs() < 1e-12, "{lead:?}");
        // The duel's scatter, not the far larger one against the reference.
        let expected = mean_interval(&[0.005, 0.015, 0.01], 0.95).unwrap().half_width();
        assert!((lead.half_width() - expected).abs() < 1e-12 && own.ln.half_width() > 0.3);
    }

    #[test]
    fn a_lead_knows_of_the_floor() {
        // Behind by 1 where s does not go: the rival's 0.6 is lost, and no more.
        let own = step(&[&[1.0, 1.3, 0.7], &[-0.4, -0.5, -0.3]]);
        let duel = step(&[&[0.0, 0.0, 0.0], &[-1.0, -1.1, -0.9]]).functions;
        let rival = step(&[&[1.0, 1.3, 0.7], &[0.6, 0.7, 0.5]]).functions;
        let Rival { ln_s, lead } = own.rival(&duel, &rival, 0.95).unwrap();
        assert!((ln_s - 0.8).abs() < 1e-12 && (lead.value + 0.3).abs() < 1e-12, "{lead:?}");
        // How fast that is, only the rival's own times say.
        let wide = step(&[&[1.0, 1.3, 0.7], &[0.6, 0.8, 0.4]]).functions;
        let wide = own.rival(&duel, &wide, 0.95).unwrap();
        assert!(wide.lead.half_width() > lead.half_width());
        // Lost for certain by both: no lead, and no width.
        let slow = step(&[&[1.0, 1.3, 0.7], &[-4.0, -4.1, -3.9]]);
        let Rival { lead, .. } = slow.rival(&duel, &slow.functions, 0.95).unwrap();
        assert_eq!((lead.value, lead.half_width()), (0.0, 0.0));
    }

    /// Somebody who does one of four functions, and is slower in the others than need be while the
    /// reference is beside him: as if the rival had done no more.
    #[test]
    fn losing_on_purpose_makes_no_rival_slow() {
        let flat = |x: [f64; 4]| step(&x.map(|x| [x, x]).each_ref().map(<[f64; 2]>::as_slice));
        let own = flat([2.0, -2.1, -2.1, -2.1]);
        let (duel, rival) = (flat([0.0, -2.0, -2.0, -2.0]), flat([2.0; 4]));
        let found = own.rival(&duel.functions, &rival.functions, 0.95).unwrap();
        assert!((found.ln_s - 2.0).abs() < 1e-12 && (found.lead.value + 1.5).abs() < 1e-12);
    }

    #[test]
    fn a_rival_needs_the_same_functions() {
        let own = step(&[&[1.0, 1.1], &[1.0, 1.1]]);
        let one = step(&[&[1.0, 1.1]]).functions;
        assert_eq!(own.rival(&one, &own.functions, 0.95), Err(StatsError::Uneven(2, 1)));
        assert_eq!(own.rival(&own.functions, &one, 0.95), Err(StatsError::Uneven(2, 1)));
    }

    #[test]
    fn refuses_what_has_no_answer() {
        assert_eq!(StepEstimate::new(&[], 0.95), Err(StatsError::Empty));
        assert_eq!(StepEstimate::new(&[vec![]], 0.95), Err(StatsError::Empty));
        assert_eq!(
            StepEstimate::new(&[one(&[1.0])], 0.95),
            Err(StatsError::TooFew { have: 1, need: 2 })
        );
        for weight in [0.0, -1.0] {
            let bad = vec![ProfileRatios { weight, replicates: vec![1.0, 1.0] }];
            assert_eq!(StepEstimate::new(&[bad], 0.95), Err(StatsError::BadWeight(weight)));
        }
        let uneven = vec![
            ProfileRatios { weight: 1.0, replicates: vec![1.0, 1.0] },
            ProfileRatios { weight: 1.0, replicates: vec![1.0, 1.0, 1.0] },
        ];
        assert_eq!(StepEstimate::new(&[uneven], 0.95), Err(StatsError::Uneven(2, 3)));
        assert!(matches!(
            StepEstimate::new(&[one(&[f64::NAN, 1.0])], 0.95),
            Err(StatsError::NotFinite(_))
        ));
    }

    #[test]
    fn floor_bias_of_known_noise() {
        // measured by simulation elsewhere: 1 % → +0.40 %, 2 % → +0.80 %, 5 % → +2.0 %
        assert!((floor_bias(0.01) - 0.0040).abs() < 5e-5);
        assert!((floor_bias(0.02) - 0.0080).abs() < 5e-5);
        assert!((floor_bias(0.05) - 0.0201).abs() < 5e-5);
        assert_eq!(floor_bias(0.0), 0.0);
    }
}
