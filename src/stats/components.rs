//! Where the scatter of a mean comes from: layouts, processes, blocks.
//!
//! A replicate is a fresh process with one of several layouts, and its datum comes from blocks. In
//! the terms of Kalibera and Jones (ISMM 2013) that is a random-effects model of three levels,
//! estimated by the moments of a nested analysis of variance (Searle, Casella and McCulloch,
//! *Variance Components*, 1992, chapter 3). A component that comes out negative is none.

use super::{StatsError, mean, sd};

/// Standard deviations of one replicate's datum that each level adds, in the datum's unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Components {
    /// From layout to layout. None while no layout was used twice: it is in `process` then.
    pub layout: Option<f64>,
    /// From process to process with the same layout; none with fewer than two replicates.
    pub process: Option<f64>,
    /// Within a process, from block to block, as far as it is left in the replicate's datum. None
    /// where a replicate is a single block: it is in `process` then.
    pub block: Option<f64>,
}

/// Splits the scatter of `replicates`, of which number i had layout i modulo `layouts`. `blocks` is
/// the standard error of each one's datum that its blocks account for; none where those are not known.
pub fn components(
    replicates: &[f64],
    blocks: Option<&[f64]>,
    layouts: usize,
) -> Result<Components, StatsError> {
    let square = |blocks: &[f64]| mean(&blocks.iter().map(|b| b * b).collect::<Vec<_>>());
    let block = blocks.map(square).transpose()?;
    let root = |variance: f64| variance.max(0.0).sqrt();
    let mut found = Components { layout: None, process: None, block: block.map(root) };
    let block = block.unwrap_or(0.0);
    if replicates.len() < 2 {
        return Ok(found);
    }
    let groups = layouts.clamp(1, replicates.len());
    let of = |g: usize| replicates.iter().skip(g).step_by(groups).copied().collect::<Vec<f64>>();
    let groups: Vec<Vec<f64>> = (0..groups).map(of).collect();
    let (n, k) = (replicates.len() as f64, groups.len() as f64);
    if n == k || k < 2.0 {
        found.process = Some(root(sd(replicates)?.powi(2) - block));
        return Ok(found);
    }
    let (grand, mut within, mut between, mut sizes) = (mean(replicates)?, 0.0, 0.0, 0.0);
    for group in &groups {
        let (size, centre) = (group.len() as f64, mean(group)?);
        within += group.iter().map(|x| (x - centre).powi(2)).sum::<f64>();
        between += size * (centre - grand).powi(2);
        sizes += size * size;
    }
    let (within, between) = (within / (n - k), between / (k - 1.0));
    // The mean size of a group, as unequal sizes count in the expectation of `between`.
    let size = (n - sizes / n) / (k - 1.0);
    found.process = Some(root(within - block));
    found.layout = Some(root((between - within) / size));
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;
    use statrs::distribution::{ContinuousCDF, Normal};

    fn simulate(layout: f64, process: f64, block: f64, layouts: usize, n: usize) -> [f64; 3] {
        let mut rng = ChaCha8Rng::seed_from_u64(11);
        let standard = Normal::standard();
        let mut normal = || standard.inverse_cdf(rng.random_range(1e-12..1.0));
        let mut sums = [0.0; 3];
        let rounds = 2_000;
        for _ in 0..rounds {
            let places: Vec<f64> = (0..layouts).map(|_| layout * normal()).collect();
            let replicates: Vec<f64> = (0..n)
                .map(|i| places[i % layouts] + process * normal() + block * normal())
                .collect();
            let c = components(&replicates, Some(&vec![block; n]), layouts).unwrap();
            let all = [c.layout.unwrap_or(0.0), c.process.unwrap(), c.block.unwrap()];
            sums.iter_mut().zip(all).for_each(|(sum, x)| *sum += x * x);
        }
        sums.map(|s| (s / f64::from(rounds)).sqrt())
    }

    #[test]
    fn known_components_are_found() {
        let [layout, process, block] = simulate(3.0, 2.0, 1.0, 8, 24);
        assert!((layout - 3.0).abs() < 0.15, "{layout}");
        assert!((process - 2.0).abs() < 0.1, "{process}");
        assert_eq!(block, 1.0);
        // Groups of unequal size.
        let [layout, process, _] = simulate(3.0, 2.0, 1.0, 8, 20);
        assert!((layout - 3.0).abs() < 0.2 && (process - 2.0).abs() < 0.1, "{layout} {process}");
    }

    #[test]
    fn what_was_not_repeated_is_not_split() {
        let c = components(&[1.0, 2.0, 3.0], Some(&[0.1; 3]), 8).unwrap();
        assert_eq!(c.layout, None);
        assert!((c.process.unwrap() - 0.99f64.sqrt()).abs() < 1e-12);
        assert_eq!(components(&[1.0], Some(&[0.1]), 8).unwrap().process, None);
        let c = components(&[1.0, 2.0, 3.0], None, 8).unwrap();
        assert_eq!((c.block, c.process), (None, Some(1.0)));
    }

    #[test]
    fn groups_of_unequal_size_count_by_it() {
        // Layouts 0 and 1: {1, 5, 6} and {2, 4}. Within: 14 + 2 over 3; between: 3 · 0.16 + 2 · 0.36.
        let c = components(&[1.0, 2.0, 5.0, 4.0, 6.0], None, 2).unwrap();
        assert!((c.process.unwrap() - (16.0f64 / 3.0).sqrt()).abs() < 1e-12, "{c:?}");
        assert_eq!(c.layout, Some(0.0));
        // {1, 1.1, 0.9} and {5, 5.2}: within 0.04 / 3; between 3 · 1.64² + 2 · 2.46²; a group has 5 − 13/5.
        let c = components(&[1.0, 5.0, 1.1, 5.2, 0.9], None, 2).unwrap();
        let (within, between) = (0.04f64 / 3.0, 3.0 * 1.64f64.powi(2) + 2.0 * 2.46f64.powi(2));
        assert!((c.process.unwrap() - within.sqrt()).abs() < 1e-12, "{c:?}");
        assert!((c.layout.unwrap() - ((between - within) / 2.4).sqrt()).abs() < 1e-12, "{c:?}");
    }

    #[test]
    fn two_replicates_have_a_spread_and_one_layout_has_none() {
        let c = components(&[1.0, 3.0], None, 1).unwrap();
        assert_eq!((c.layout, c.process), (None, Some(2f64.sqrt())));
        let c = components(&[1.0, 3.0, 5.0], None, 1).unwrap();
        assert_eq!((c.layout, c.process), (None, Some(2.0)));
    }

    #[test]
    fn a_component_that_is_lost_in_the_one_below_is_none() {
        let c = components(&[1.0, 1.1, 0.9, 1.0], Some(&[1.0; 4]), 2).unwrap();
        assert_eq!((c.process, c.block), (Some(0.0), Some(1.0)));
    }
}
