//! One answer of the candidate's against the oracle's.

use std::time::Instant;

use super::batch::{Answered, Prepared};
use super::case::Origin;
use super::compare::{self, Answer, Mismatch};
use super::describe::{describe, judge};
use super::run::{Failure, Gate, Stopped};
use crate::report::record::Outcome;
use crate::worker::{Fate, Worker};

impl Gate<'_> {
    /// Looks at the candidate's answers to a batch, in order.
    pub(super) fn examine(
        &self,
        batch: &[Prepared<'_>],
        candidate: &Worker,
        right: &mut dyn FnMut(&Prepared<'_>, &Answer),
    ) -> Result<(), Stopped> {
        for (index, p) in batch.iter().enumerate() {
            if Instant::now() > self.deadline {
                return Err(Stopped::Late { function: p.case.function });
            }
            right(p, &self.look(p, p.answered(index, candidate))?);
        }
        Ok(())
    }

    /// Holds the reference's answer against the known one, where there is such.
    pub(super) fn known(&self, p: &Prepared<'_>) -> Result<(), Stopped> {
        let f = &self.task.functions[p.case.function];
        let (Some(known), Origin::Known(vector)) = (p.case.known(f), p.case.origin) else {
            return Ok(());
        };
        let answer = &p.right.answer;
        let lengths: Vec<(usize, u64)> = compare::valid(&p.instance, answer).collect();
        let differs = |(index, expected): &(usize, Vec<u8>)| {
            let (before, bytes, _) = answer.buffers.get(*index)?;
            let actual = bytes.iter().skip(*before as usize).take(lengths[*index].1 as usize);
            let same = actual.clone().zip(expected).take_while(|(a, e)| a == e).count();
            let name = &f.buffers[*index].name;
            let there = actual.len();
            (same < there.max(expected.len())).then(|| {
                format!("`{name}` ({there} bytes) differs at byte {same} of {}", expected.len())
            })
        };
        let size = f.calls.last().map_or(8, |call| call.ret.size()).clamp(1, 8);
        let kept = u64::MAX >> (64 - 8 * size);
        let returned = known.ret.filter(|ret| *ret as u64 & kept != answer.ret & kept);
        let returned = returned.map(|ret| format!("return value is {}, not {ret}", answer.ret));
        match known.outputs.iter().find_map(differs).or(returned) {
            None => Ok(()),
            Some(what) => Err(Stopped::Unknown {
                function: f.name.clone(),
                vector: vector + 1,
                file: f.kat.clone().unwrap_or_default(),
                what,
            }),
        }
    }

    /// Looks at one; it is given back if it is right.
    fn look(&self, p: &Prepared<'_>, answered: Answered) -> Result<Answer, Stopped> {
        let Answered { answer, digest, violation } = answered;
        // Other bits than the oracle's may be right, or an input may have been written to: then they must
        // be those that were committed to.
        let seal = (self.algorithm, p.key, digest);
        let kept = || {
            digest == p.right.digest
                || compare::committed(&p.instance, &p.right.answer, &answer, seal).is_some()
        };
        if let Err(mismatch) =
            compare::compare(&p.instance, &p.right.answer, &answer, p.case.poison())
        {
            let function = &self.task.functions[p.case.function];
            // Without the right commitment there were no right outputs, whatever else was written.
            let outcome = match mismatch {
                Mismatch::Written { .. } if kept() => Outcome::MemoryViolation,
                _ => Outcome::WrongOutput,
            };
            let message = describe(&mismatch, function);
            return Err(self.failure(p, outcome, message, Some(mismatch)));
        }
        if !kept() {
            let message = "the outputs are right now, but were not when the clock stopped: \
                           the digest that was committed to is another one";
            return Err(self.failure(p, Outcome::WrongOutput, message.into(), None));
        }
        if let Some(violation) = violation.and_then(|v| v.without(p.right.violation)) {
            let function = &self.task.functions[p.case.function];
            let symbol = function.calls.get(violation.call).map(|c| &*function.symbols[c.symbol]);
            let symbol = symbol.unwrap_or(&function.name);
            let message = format!("after `{symbol}` returned, {violation}");
            return Err(self.failure(p, Outcome::AbiViolation, message, None));
        }
        Ok(answer)
    }

    fn failure(
        &self,
        p: &Prepared<'_>,
        outcome: Outcome,
        message: String,
        mismatch: Option<Mismatch>,
    ) -> Stopped {
        let buffers = self.task.functions[p.case.function].buffers.len();
        let inputs = p.instance.buffers.iter().take(buffers).map(|b| b.content.clone());
        Stopped::Candidate(Box::new(Failure {
            case: p.case.clone(),
            values: p.values.clone(),
            outcome,
            message,
            mismatch,
            history: Vec::new(),
            inputs: inputs.enumerate().filter(|(_, content)| !content.is_empty()).collect(),
        }))
    }

    /// The candidate gave no answer.
    pub(super) fn fell(&self, p: &Prepared<'_>, fate: Fate) -> Stopped {
        let (outcome, message) =
            judge(&fate, Some((&self.task.functions[p.case.function], &p.instance)));
        self.failure(p, outcome, message, None)
    }
}
