//! What a run is asked to do.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use sha2::{Digest, Sha256};

/// What is put to the test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    /// The editable files of this folder.
    Workspace(PathBuf),
    /// The task's own reference solution of the step.
    Solution,
}

/// What `grade` is asked to do.
#[derive(Debug, Clone)]
pub struct GradeRequest {
    /// Name of the task or path of its folder.
    pub task: String,
    /// Identifier of the step or a unique prefix of it.
    pub step: String,
    /// The candidate.
    pub entry: Entry,
    /// Folder for the reward and the result.
    pub out: PathBuf,
    /// Grade although the sandbox can't hold a hostile workspace here.
    pub trust_workspace: bool,
}

/// What `practice` and `check` are asked to do.
#[derive(Debug, Clone)]
pub struct TryRequest {
    /// Name of the task or path of its folder.
    pub task: String,
    /// Identifier of the step or a unique prefix of it; all steps when there is none.
    pub step: Option<String>,
    /// The candidate.
    pub entry: Entry,
    /// Seed of the inputs.
    pub seed: Seed,
}

/// What `calibrate` is asked to do.
#[derive(Debug, Clone)]
pub struct CalibrateRequest {
    /// Name of the task or path of its folder.
    pub task: String,
    /// Identifier of the step or a unique prefix of it; all steps when there is none.
    pub step: Option<String>,
    /// How many times the reference solution is graded; see [`super::calibration::MIN_REPLAYS`].
    pub replays: usize,
}

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

    /// Key of the random stream that serves one purpose, such as `inputs` or `keys`: streams of
    /// different purposes tell nothing about each other.
    pub fn stream(&self, purpose: &str) -> [u8; 32] {
        Sha256::new().chain_update(self.0).chain_update(purpose).finalize().into()
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
        for bad in ["", "12", "zz", &"0".repeat(31), &"0".repeat(33)] {
            assert_eq!(bad.parse::<Seed>(), Err(BadSeed));
        }
    }

    #[test]
    fn streams_differ_by_seed_and_purpose() {
        let other = Seed([0; 16]);
        assert_ne!(Seed::PUBLIC.stream("inputs"), Seed::PUBLIC.stream("keys"));
        assert_ne!(Seed::PUBLIC.stream("inputs"), other.stream("inputs"));
    }
}
