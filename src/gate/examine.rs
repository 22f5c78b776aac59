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

#[cfg(test)]
mod tests {
    use speedgate_harness::seal::Block;
    use speedgate_harness::wire;

    use super::*;
    use crate::gate::batch::Line;
    use crate::gate::case::{Case, Placement};
    use crate::gate::fixture::gate;
    use crate::gate::instance::Values;
    use crate::task::expression::Expr;
    use crate::task::fixture::{self, Fixture};
    use crate::task::known::Known;
    use crate::task::prototype::CType;
    use crate::task::{Arg, Call, Ret, Role, Rule, Same};

    /// What `short f(out y)` gives, of four bytes, by the one vector that is known and by the
    /// reference, is put before `check`.
    fn with<R>(check: impl FnOnce(&Gate<'_>, &mut Prepared<'_>) -> R) -> R {
        let mut fixture = Fixture::c(&[], &["f"]);
        let f = &mut fixture.task.functions[0];
        f.buffers = vec![fixture::buffer("y", Role::Out, "4")];
        let ret = CType::Int(2);
        f.ret = Ret::Same(Rule { elem: ret, same: Same::Bits });
        let args = vec![Arg::Pointer { buffer: 0, offset: Expr::Const(0) }];
        f.calls = vec![Call { symbol: 0, args, ret }];
        let (draws, outputs) = (Values::default(), vec![(0, vec![1, 2, 3, 4])]);
        f.known = vec![Known { draws, inputs: Vec::new(), outputs, ret: Some(-2) }];
        let symbols = ["f".to_owned()];
        let gate = gate(&fixture.task, &symbols);
        let cases = [Case::new(0, 0, Origin::Known(0), Placement::AtEnd, Values::default())];
        let mut batch = Line::new(&gate, &cases).batch(None).unwrap();
        let buffers = vec![(0, vec![1, 2, 3, 4], 0)];
        batch[0].right.answer = Answer { buffers, ret: 0xFFFE, ..Answer::default() };
        check(&gate, &mut batch[0])
    }

    #[test]
    fn of_a_known_return_value_all_bits_of_its_type_count_and_no_more() {
        let says = |ret: u64| {
            with(|gate, p| {
                p.right.answer.ret = ret;
                gate.known(p).map_err(|stopped| stopped.to_string())
            })
        };
        assert_eq!([says(0xFFFE), says(u64::MAX - 1)], [Ok(()), Ok(())]);
        let sign = says(0x7FFE).unwrap_err();
        assert!(sign.contains("return value is 32766, not -2"), "{sign}");
    }

    #[test]
    fn of_a_known_output_every_byte_counts() {
        let says = |f: fn(&mut Vec<u8>)| {
            with(|gate, p| {
                f(&mut p.right.answer.buffers[0].1);
                gate.known(p).map_err(|stopped| stopped.to_string())
            })
        };
        assert_eq!(says(|_| {}), Ok(()));
        let last = says(|bytes| bytes[3] = 9).unwrap_err();
        assert!(last.contains("vector 1") && last.contains("differs at byte 3 of 4"), "{last}");
        let short = says(|bytes| bytes.truncate(2)).unwrap_err();
        assert!(short.contains("`y` (2 bytes) differs at byte 2 of 4"), "{short}");
    }

    #[test]
    fn a_failure_shows_the_inputs_that_there_were() {
        let inputs = |content: &[u8]| {
            with(|gate, p| {
                p.instance.buffers[0].content = content.to_vec();
                match gate.failure(p, Outcome::Crashed, String::new(), None) {
                    Stopped::Candidate(failure) => failure.inputs,
                    other => panic!("{other:?}"),
                }
            })
        };
        assert_eq!(inputs(&[]), []);
        assert_eq!(inputs(&[7, 8]), [(0, vec![7, 8])]);
    }

    #[test]
    fn who_wrote_elsewhere_has_no_right_outputs_without_having_committed_to_them() {
        let outcome = |digest: Block| {
            with(|gate, p| {
                p.right.digest = [1, 2];
                let byte = |o: i64| match o {
                    0..4 => o as u8 + 1,
                    _ => wire::poison(0x5A, o as u64),
                };
                let mut bytes: Vec<u8> = (-4..8).map(byte).collect();
                bytes[0] ^= 1;
                let buffers = vec![(4, bytes, 4)];
                let answer = Answer { buffers, ret: 0xFFFE, ..Answer::default() };
                match gate.look(p, Answered { answer, digest, violation: None }) {
                    Err(Stopped::Candidate(failure)) => failure.outcome,
                    other => panic!("{other:?}"),
                }
            })
        };
        assert_eq!(outcome([1, 2]), Outcome::MemoryViolation);
        assert_eq!(outcome([3, 4]), Outcome::WrongOutput);
    }
}
