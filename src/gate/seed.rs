//! Where all of a run's randomness comes from.

use std::fmt;
use std::str::FromStr;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use sha2::{Digest, Sha256};

/// Seed of all inputs of a run: 128 bits, written as 32 hex digits.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Seed(pub [u8; 16]);

impl Seed {
    /// The one that `practice` and `check` use unless another is given: anybody can make its
    /// inputs again.
    pub const PUBLIC: Seed = Seed(*b"speedgate public");

    /// A fresh one from the operating system.
    pub fn fresh() -> Result<Self, rand::rngs::SysError> {
        use rand::TryRng;
        let mut bytes = [0; 16];
        rand::rngs::SysRng.try_fill_bytes(&mut bytes)?;
        Ok(Seed(bytes))
    }

    /// Another one, for a purpose of its own.
    pub fn derived(&self, purpose: &str) -> Self {
        use rand::Rng as _;
        let mut bytes = [0; 16];
        self.stream(purpose, "", 0).fill_bytes(&mut bytes);
        Seed(bytes)
    }

    /// Random numbers of one request: ChaCha8 keyed by SHA-256 of what names it, so that one
    /// request can be made without those before it, and those of one purpose tell nothing about
    /// another's.
    pub fn stream(&self, purpose: &str, function: &str, number: u64) -> ChaCha8Rng {
        let mut hash = Sha256::new().chain_update(self.0).chain_update(number.to_le_bytes());
        for text in [purpose, function] {
            hash.update((text.len() as u64).to_le_bytes());
            hash.update(text);
        }
        ChaCha8Rng::from_seed(hash.finalize().into())
    }
}

impl fmt::Display for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

impl fmt::Debug for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Seed({self})")
    }
}

/// Not a seed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a seed is 32 hexadecimal digits, as a report prints it")]
pub struct BadSeed;

impl FromStr for Seed {
    type Err = BadSeed;

    fn from_str(text: &str) -> Result<Self, BadSeed> {
        let mut bytes = [0; 16];
        hex::decode_to_slice(text, &mut bytes).map_err(|_| BadSeed)?;
        Ok(Seed(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_survives_being_printed() {
        let seed = Seed::fresh().unwrap();
        assert_eq!(seed.to_string().parse(), Ok(seed));
        assert_eq!(Seed::PUBLIC.to_string().len(), 32);
        assert_eq!(format!("{seed:?}"), format!("Seed({seed})"));
        for bad in ["", "12", "zz", &"0".repeat(31), &"0".repeat(33)] {
            assert_eq!(bad.parse::<Seed>(), Err(BadSeed));
        }
    }

    #[test]
    fn streams_depend_on_every_part_of_the_name() {
        use rand::Rng as _;
        let first = |seed: Seed, purpose, function, number| {
            seed.stream(purpose, function, number).next_u64()
        };
        let base = first(Seed::PUBLIC, "gate", "f", 0);
        assert_eq!(base, first(Seed::PUBLIC, "gate", "f", 0));
        let others = [
            first(Seed([0; 16]), "gate", "f", 0),
            first(Seed::PUBLIC, "time", "f", 0),
            first(Seed::PUBLIC, "gate", "g", 0),
            first(Seed::PUBLIC, "gate", "f", 1),
        ];
        assert!(others.iter().all(|o| *o != base));
    }
}
