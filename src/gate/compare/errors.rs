//! How far right answers are from the reference's: what a bound lets through.

use super::values::{self, Wide};
use super::{Answer, Expectation, valid};
use crate::stats::Accuracy;
use crate::task::prototype::CType;
use crate::task::{Function, Ret, Role, Same};
use crate::worker::request::Instance;

/// Errors of one output with a tolerance, over all calls that were checked.
#[derive(Debug, Clone, PartialEq)]
pub struct Errors {
    /// Index of its buffer; none for the return value.
    pub buffer: Option<usize>,
    /// Type of its values.
    pub(super) elem: CType,
    /// Whether they are against exact values; else against the reference's.
    pub exact: bool,
    /// The candidate's.
    pub candidate: Accuracy,
    /// The reference's, where exact values are known.
    pub reference: Accuracy,
}

/// One for each output of a function that has a tolerance.
pub fn of(function: &Function) -> Vec<Errors> {
    let new = |buffer, elem| Errors {
        buffer,
        elem,
        exact: function.exact.is_some(),
        candidate: Accuracy::default(),
        reference: Accuracy::default(),
    };
    let buffers = function.buffers.iter().enumerate();
    let written = buffers.filter(|(_, b)| matches!(b.role, Role::Out | Role::InOut));
    let near = written.filter(|(_, b)| matches!(b.same, Same::Near(_)));
    let mut all: Vec<Errors> = near.map(|(i, b)| new(Some(i), b.elem)).collect();
    if let Ret::Same(rule) = function.ret
        && matches!(rule.same, Same::Near(_))
    {
        all.push(Errors { exact: false, ..new(None, rule.elem) });
    }
    all
}

impl Errors {
    /// Adds those of one call.
    pub fn add(&mut self, call: &Instance, oracle: &Answer, candidate: &Answer) {
        let Some(index) = self.buffer else {
            return self.value(oracle.ret, candidate.ret, None);
        };
        let Some((_, bytes)) = valid(call, oracle).find(|(i, _)| *i == index) else { return };
        let expectation = Expectation::new(call, oracle, index, bytes, 0);
        let (before, theirs, _) = &candidate.buffers[index];
        let size = self.elem.size() as usize;
        let exact = oracle.exact.get(index).and_then(Option::as_deref);
        for (i, expected) in expectation.elements() {
            let start = *before as usize + i * size;
            let Some(actual) = theirs.get(start..start + size) else { return };
            let exact = exact.and_then(|all| all.get(i)).copied();
            self.value(expected, values::bits(actual), exact);
        }
    }

    fn value(&mut self, expected: u64, actual: u64, exact: Option<Wide>) {
        let (e, a) = (values::float(self.elem, expected), values::float(self.elem, actual));
        let right = if self.exact { exact } else { Some([e, 0.0]) };
        let Some(right) = right.filter(|r| r[0].is_finite()) else { return };
        let unit = values::spacing(self.elem, right[0]);
        let add = |to: &mut Accuracy, value: f64| {
            let error = values::error(value, right);
            to.add(error / unit, error);
        };
        add(&mut self.candidate, a);
        if self.exact {
            add(&mut self.reference, e);
        }
    }
}
