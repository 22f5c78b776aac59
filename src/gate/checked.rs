//! What the gate saw of a function's right answers.

use super::compare::{Answer, Errors, errors};
use super::coverage::Coverage;
use super::instance::Values;
use crate::task::Function;
use crate::worker::request::Instance;

/// What was seen of one function.
#[derive(Debug, Clone, PartialEq)]
pub struct Checked {
    /// Calls whose every output was compared.
    pub calls: u64,
    /// Errors of each output that has a tolerance.
    pub errors: Vec<Errors>,
    /// What the calls are examples of.
    pub coverage: Coverage,
}

impl Checked {
    /// Nothing yet.
    pub fn new(function: &Function) -> Self {
        Self { calls: 0, errors: errors::of(function), coverage: Coverage::new(function) }
    }

    /// One right answer more.
    pub fn add(
        &mut self,
        (values, call): (&Values, &Instance),
        oracle: &Answer,
        candidate: &Answer,
    ) {
        self.calls += 1;
        self.coverage.add(values, call);
        self.errors.iter_mut().for_each(|errors| errors.add(call, oracle, candidate));
    }
}
