//! When two values of an output are the same.

use super::prototype::CType;

/// How values of a type are compared.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rule {
    /// C type of a value.
    pub elem: CType,
    /// When two are the same.
    pub same: Same,
}

impl Default for Rule {
    /// Bits of nothing.
    fn default() -> Self {
        Self { elem: CType::Void, same: Same::Bits }
    }
}

impl Rule {
    /// Whether other bits than the reference's can be right.
    pub fn is_loose(&self) -> bool {
        matches!(self.same, Same::Mod { .. } | Same::Near(_))
    }
}

/// How outputs are compared.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Same {
    /// Bit for bit.
    Bits,
    /// Congruent modulo `q`, each value within `lo..=hi`.
    Mod {
        /// Modulus.
        q: i64,
        /// Smallest allowed value.
        lo: i64,
        /// Largest allowed value.
        hi: i64,
    },
    /// Within a tolerance.
    Near(Near),
    /// Not compared.
    Ignore,
}

/// A tolerance for floating-point values: whichever of the bounds that are given is met suffices.
/// What is special in the reference's value must be the same unless a policy says otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Near {
    /// Largest difference.
    pub abs: Option<f64>,
    /// Largest difference as a share of the reference's value.
    pub rel: Option<f64>,
    /// Largest number of steps from one representable value to the next.
    pub ulp: Option<u64>,
    /// Largest error against the exact value, in multiples of the reference's own largest one.
    pub times: Option<f64>,
    /// Any NaN equals any NaN; else the payload and sign count.
    pub nan: bool,
    /// +0 equals −0.
    pub zero: bool,
    /// Subnormal values count as zeros of their sign.
    pub subnormal: bool,
    /// An infinity counts as the value after the largest finite one; else it equals itself only.
    pub infinity: bool,
}
