//! A candidate must gain nothing by slowing the reference: through caches that it leaves dirty,
//! through power and heat, by whatever it does in its own visit. Half of the reference's visits
//! follow the candidate's and half another trusted worker's, in the same spell of noise. By how
//! much the first are slower than the second is compared with the same in the control, where the
//! candidate is the reference's own copy.
//!
//! (Comparing the reference's times with its times alone, minutes apart, would say nothing on a
//! machine whose speed drifts by more.)

use super::sample::Measured;
use crate::stats;

/// Standard errors beyond which an excess is no noise.
const CERTAIN: f64 = 3.0;
/// Share of the reference's requests that can be affected: a visit right after the candidate's is
/// one of two.
const SHARE: f64 = 0.5;

/// Takes what the reference was slowed by off the speedup. Returns it (ln): 0 where it is lost in
/// the noise. None if it was not measured.
pub fn correct(measured: &mut Measured, control: &Measured) -> Option<f64> {
    let (ours, theirs) = (&control.neighbour, &measured.neighbour);
    let variance = |x: &[f64]| Some(stats::sd(x).ok()?.powi(2) / x.len() as f64);
    let excess = stats::mean(theirs).ok()? - stats::mean(ours).ok()?;
    let error = (variance(ours)? + variance(theirs)?).sqrt();
    let slowed = if excess > CERTAIN * error { SHARE * excess } else { 0.0 };
    measured.ln_ratios.iter_mut().for_each(|x| *x -= slowed);
    Some(slowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(neighbour: &[f64]) -> Measured {
        Measured {
            ln_ratios: vec![0.5, 0.6],
            reference_ns: 1.0,
            candidate_ns: 1.0,
            overhead_ns: 1.0,
            sealed_overhead_ns: 1.0,
            uneven: 0.0,
            audit: None,
            neighbour: neighbour.to_vec(),
            block_errors: None,
            blocks: 1,
        }
    }

    #[test]
    fn a_slowed_reference_earns_nothing() {
        let mut m = measured(&[0.21, 0.20, 0.19, 0.20]);
        let slowed = correct(&mut m, &measured(&[0.01, -0.01, 0.0])).unwrap();
        assert!((slowed - 0.1).abs() < 1e-12);
        assert!((m.ln_ratios[0] - 0.4).abs() < 1e-12);
    }

    #[test]
    fn what_the_reference_does_to_itself_is_no_excess() {
        let mut m = measured(&[0.21, 0.20, 0.19, 0.20]);
        assert_eq!(correct(&mut m, &measured(&[0.2, 0.21, 0.19])), Some(0.0));
        // Nor is noise, nor a reference that is faster after the candidate.
        let mut m = measured(&[0.3, -0.1, 0.1, 0.0]);
        assert_eq!(correct(&mut m, &measured(&[0.0, 0.01, -0.01])), Some(0.0));
        let mut m = measured(&[-0.2, -0.2, -0.2]);
        assert_eq!(correct(&mut m, &measured(&[0.0, 0.01, -0.01])), Some(0.0));
        assert_eq!(m.ln_ratios, [0.5, 0.6]);
        assert_eq!(correct(&mut measured(&[]), &measured(&[0.1])), None);
    }
}
