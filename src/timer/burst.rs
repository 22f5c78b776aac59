//! Bursts: inputs that were never used before, with the digests that right answers have.

use rand::Rng;
use speedgate_harness::seal::{self, Algorithm, Block};

use super::pace::{Pace, Target};
use super::visit::Broken;
use crate::gate::Seed;
use crate::gate::instance::{self, InstanceError, Maker, Values};
use crate::task::Task;
use crate::worker::request::{self, Instance, Mode, Request, Sealed};
use crate::worker::{Patience, Worker};

/// Makes bursts.
#[derive(Debug)]
pub struct Forge<'a> {
    /// The task.
    pub task: &'a Task,
    /// Symbols in the workers' order.
    pub symbols: &'a [String],
    /// Seed of all inputs.
    pub seed: Seed,
    /// Seal in use.
    pub algorithm: Algorithm,
}

/// Calls to be made between *go* and *done*.
#[derive(Debug)]
pub struct Burst {
    /// The calls.
    pub calls: Vec<Instance>,
    /// Key of the first; secret until *go*.
    pub key: Block,
    /// Digest of each call's right outputs.
    pub digests: Vec<Block>,
    /// Valid bytes of each output of each call.
    pub lengths: Vec<Vec<u64>>,
    /// Whether inputs are sealed or in clear.
    pub sealed: Option<Sealed>,
    /// The poison of its outputs.
    pub poison: u8,
}

impl Burst {
    /// What a worker with the right outputs commits to.
    pub fn commitment(&self, chained: bool) -> Block {
        let last = self.digests.last().copied().unwrap_or_default();
        if chained {
            last
        } else {
            self.digests.iter().fold([0, 0], |all, d| seal::combine(all, *d))
        }
    }

    /// How its inputs travel.
    pub fn mode(&self, chained: bool) -> Mode {
        match self.sealed {
            Some(_) => Mode::Sealed { chained },
            None => Mode::Plain { read_only: false },
        }
    }
}

impl Forge<'_> {
    /// A call of a profile, numbered; each number is used once in a grading.
    fn call(&self, target: Target, number: u64) -> Result<(Instance, u64), InstanceError> {
        let function = &self.task.functions[target.function];
        let profile = &function.profiles[target.profile];
        let purpose = format!("time {}", profile.name);
        let mut rng = self.seed.stream(&purpose, &function.name, number);
        let values = instance::draw(&function.name, &profile.draws, &Values::default(), &mut rng)?;
        let call = Maker::new(function, self.symbols, &profile.fills).make(&values, &mut rng)?;
        Ok((call, rng.next_u64()))
    }

    /// Bursts `numbers` of a target, answered by the oracle; the first `plain` in clear, the rest
    /// sealed. The oracle must be stopped, and is stopped again.
    pub fn forge(
        &self,
        target: Target,
        pace: &Pace,
        numbers: std::ops::Range<u64>,
        plain: usize,
        oracle: &mut Worker,
    ) -> Result<Vec<Burst>, Broken> {
        oracle.resume().map_err(Broken::Reference)?;
        let mut bursts = Vec::new();
        for number in numbers {
            let mut burst = self.answered(target, pace, number, oracle)?;
            if bursts.len() >= plain {
                let mut keys = vec![burst.key];
                if pace.chained {
                    keys.extend(&burst.digests[..burst.digests.len() - 1]);
                } else {
                    keys.resize(burst.calls.len(), burst.key);
                }
                burst.sealed = Some(request::seal_burst(self.algorithm, &burst.calls, &keys));
            }
            bursts.push(burst);
        }
        oracle.pause().map_err(Broken::Reference)?;
        Ok(bursts)
    }

    fn answered(
        &self,
        target: Target,
        pace: &Pace,
        number: u64,
        oracle: &mut Worker,
    ) -> Result<Burst, Broken> {
        let mut calls = Vec::with_capacity(pace.calls as usize);
        let mut poison = 0x5A;
        for i in 0..u64::from(pace.calls) {
            let (call, bits) = self.call(target, number * u64::from(pace.calls) + i)?;
            calls.push(call);
            poison = if bits & 1 == 0 { 0x5A } else { 0xA5 };
        }
        // Not from the seed: whoever learns the seed of the inputs still lacks the key.
        let key = [rand::random(), rand::random()];
        let patience = Patience::for_call(pace.burst_time());
        let request = Request {
            calls: &calls,
            mode: Mode::Open { chained: pace.chained },
            sealed: None,
            poison,
            flush: false,
            lengths: None,
        };
        oracle.stage(&request, patience).map_err(Broken::Reference)?;
        oracle.run(key, patience).map_err(Broken::Reference)?;
        oracle.flush(patience).map_err(Broken::Reference)?;
        let (digests, lengths) = (oracle.digests(), oracle.lengths());
        Ok(Burst { calls, key, digests, lengths, sealed: None, poison })
    }
}
