//! What the gate saw of a function's right answers.

use super::compare::{Answer, Errors, errors};
use crate::task::Function;
use crate::worker::request::Instance;

/// What was seen of one function.
#[derive(Debug, Clone, PartialEq)]
pub struct Checked {
    /// Calls whose every output was compared.
    pub calls: u64,
    /// Errors of each output that has a tolerance.
    pub errors: Vec<Errors>,
}

impl Checked {
    /// Nothing yet.
    pub fn new(function: &Function) -> Self {
        Self { calls: 0, errors: errors::of(function) }
    }

    /// One right answer more.
    pub fn add(&mut self, call: &Instance, oracle: &Answer, candidate: &Answer) {
        self.calls += 1;
        self.errors.iter_mut().for_each(|errors| errors.add(call, oracle, candidate));
    }
}
