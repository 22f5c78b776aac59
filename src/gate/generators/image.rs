//! Planes of 8-bit or 16-bit samples that look like what image code meets: slopes, edges, noise,
//! and the extremes that overflow sums.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::{GenError, Made};
use crate::task::prototype::CType;

/// What a plane shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// A smooth slope between four random corners.
    Gradient,
    /// Rectangles with sharp edges on a flat ground.
    Blocks,
    /// Independent uniform samples.
    Noise,
    /// All samples 0.
    Black,
    /// All samples the largest value.
    White,
    /// A checkerboard of two values.
    Checker,
}

impl Class {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Class::Gradient => "gradient",
            Class::Blocks => "blocks",
            Class::Noise => "noise",
            Class::Black => "black",
            Class::White => "white",
            Class::Checker => "checker",
        }
    }
}

/// Every class with its weight: extremes are for finding mistakes, so a few suffice.
pub const CLASSES: [(Class, u32); 6] = [
    (Class::Gradient, 3),
    (Class::Blocks, 3),
    (Class::Noise, 3),
    (Class::Black, 1),
    (Class::White, 1),
    (Class::Checker, 1),
];

/// A plane of a random class, `rows * cols` samples, row by row without padding.
pub fn fill(elem: CType, rows: u64, cols: u64, rng: &mut ChaCha8Rng) -> Result<Made, GenError> {
    let max = match elem {
        CType::Uint(1) => u16::from(u8::MAX),
        CType::Uint(2) => u16::MAX,
        _ => return Err(GenError::element("image", elem)),
    };
    let class = draw(rng);
    let samples = paint(class, rows as usize, cols as usize, max, rng);
    let bytes = match elem {
        // By reference: consuming the samples would reuse their memory, one by one.
        CType::Uint(1) => samples.iter().map(|&s| s as u8).collect(),
        _ => samples.into_iter().flat_map(u16::to_le_bytes).collect(),
    };
    // A plane of no samples shows nothing.
    let shown = (rows * cols > 0).then(|| class.name());
    Ok(Made { bytes, classes: shown.into_iter().collect() })
}

/// A class, by weight.
pub fn draw(rng: &mut ChaCha8Rng) -> Class {
    let total: u32 = CLASSES.iter().map(|c| c.1).sum();
    let mut left = rng.random_range(0..total);
    for (class, weight) in CLASSES {
        match left.checked_sub(weight) {
            Some(rest) => left = rest,
            None => return class,
        }
    }
    Class::Noise
}

/// The samples of one plane, each at most `max`.
pub fn paint(class: Class, rows: usize, cols: usize, max: u16, rng: &mut ChaCha8Rng) -> Vec<u16> {
    let n = rows * cols;
    match class {
        Class::Gradient => gradient(rows, cols, max, rng),
        Class::Blocks => blocks(rows, cols, max, rng),
        Class::Noise => {
            let mut samples = vec![0u16; n];
            rng.fill(&mut samples[..]);
            // `max` is all ones, so a mask keeps the samples uniform.
            samples.iter_mut().for_each(|s| *s &= max);
            samples
        }
        Class::Black => vec![0; n],
        Class::White => vec![max; n],
        Class::Checker => checker(rows, cols, max, rng),
    }
}

fn gradient(rows: usize, cols: usize, max: u16, rng: &mut ChaCha8Rng) -> Vec<u16> {
    // Fixed point with 16 bits of fraction: every input of a grading is made here.
    let mut corner = || (i64::from(rng.random_range(0..=max)) << 16) + (1 << 15);
    let (top, bottom) = ((corner(), corner()), (corner(), corner()));
    let slope = |a: i64, b: i64, n: usize| (b - a) / n.max(2) as i64;
    let mut samples = Vec::with_capacity(rows * cols);
    for y in 0..rows {
        let left = top.0 + slope(top.0, bottom.0, rows) * y as i64;
        let right = top.1 + slope(top.1, bottom.1, rows) * y as i64;
        let step = slope(left, right, cols);
        samples.extend((0..cols).map(|x| ((left + step * x as i64) >> 16) as u16));
    }
    samples
}

fn blocks(rows: usize, cols: usize, max: u16, rng: &mut ChaCha8Rng) -> Vec<u16> {
    // Half of the values are extreme: the steepest edges are the ones that overflow.
    let value = |rng: &mut ChaCha8Rng| match rng.random_range(0..4) {
        0 => 0,
        1 => max,
        _ => rng.random_range(0..=max),
    };
    let mut samples = vec![value(rng); rows * cols];
    if samples.is_empty() {
        return samples;
    }
    for _ in 0..rng.random_range(1..=12) {
        let (y, x) = (rng.random_range(0..rows), rng.random_range(0..cols));
        let (h, w) = (rng.random_range(1..=rows - y), rng.random_range(1..=cols - x));
        let shade = value(rng);
        for row in samples.chunks_exact_mut(cols).skip(y).take(h) {
            row[x..x + w].fill(shade);
        }
    }
    samples
}

fn checker(rows: usize, cols: usize, max: u16, rng: &mut ChaCha8Rng) -> Vec<u16> {
    let cell = rng.random_range(1..=8);
    let (a, b) = if rng.random() {
        (0, max)
    } else {
        (rng.random_range(0..=max), rng.random_range(0..=max))
    };
    let row = |first: u16, second: u16| -> Vec<u16> {
        (0..cols).map(|x| if (x / cell).is_multiple_of(2) { first } else { second }).collect()
    };
    let both = [row(a, b), row(b, a)];
    let mut samples = Vec::with_capacity(rows * cols);
    for y in 0..rows {
        samples.extend_from_slice(&both[y / cell % 2]);
    }
    samples
}
