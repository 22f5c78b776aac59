//! What a failure counts as, and what it is in a sentence.

use super::compare::{Judge, Kept, Mismatch};
use crate::report::record::Outcome;
use crate::task::{Function, Ret};
use crate::worker::Fate;
use crate::worker::request::Instance;

/// What a candidate's end counts as, and a sentence about it. `call` is what it was asked.
pub fn judge(fate: &Fate, call: Option<(&Function, &Instance)>) -> (Outcome, String) {
    let outcome = match fate {
        Fate::Exited(_) => Outcome::Exited,
        Fate::Signalled { fault: Some(_), .. } => Outcome::MemoryViolation,
        Fate::Signalled { .. } | Fate::Corrupted(_) | Fate::LoadFailed(_) => Outcome::Crashed,
        Fate::ForbiddenSyscall => Outcome::ForbiddenSyscall,
        Fate::Hung { .. } | Fate::Stopped => Outcome::Hung,
        Fate::OutOfMemory { .. } => Outcome::OutOfMemory,
        Fate::Ours(_) => Outcome::InternalError,
    };
    if let (Fate::Signalled { fault: Some(fault), .. }, Some((function, instance))) = (fate, call)
        && let (Some(b), Some(i)) =
            (function.buffers.get(fault.buffer), instance.buffers.get(fault.buffer))
    {
        let past = fault.offset.wrapping_sub_unsigned(i.bytes + i.room);
        let place = match fault.offset {
            o if o < 0 => format!("{} bytes before the start of `{}`", o.unsigned_abs(), b.name),
            _ if past >= 0 => format!("byte {past} after the end of `{}`", b.name),
            o => format!("byte {o} of `{}`, which is read-only", b.name),
        };
        return (outcome, format!("access to {place} ({fate})"));
    }
    (outcome, fate.to_string())
}

/// A mismatch in a sentence.
pub fn describe(mismatch: &Mismatch, function: &Function) -> String {
    let name = |index: usize| {
        function
            .buffers
            .get(index)
            .map_or_else(|| "the scalars".into(), |b| format!("`{}`", b.name))
    };
    match mismatch {
        Mismatch::Return { expected, actual } => {
            let values = match function.ret {
                Ret::Same(rule) => Judge::new(rule, None, std::iter::empty()),
                Ret::Void | Ret::Ignore => Judge::default(),
            };
            match values.explain(0, *expected, *actual) {
                Some(values) => format!("returned {values}"),
                None => format!(
                    "returned {actual} ({actual:#x}), \
                     the reference returns {expected} ({expected:#x})"
                ),
            }
        }
        Mismatch::Output(place) => {
            let row = place.row.map_or(String::new(), |(y, x)| format!(" (row {y}, byte {x})"));
            let values = place.values.as_ref().map_or(String::new(), |v| format!(": {v}"));
            format!(
                "{} differs from the reference at byte {}{row}{values}",
                name(place.buffer),
                place.offset
            )
        }
        Mismatch::Written { what, place } => {
            let buffer = name(place.buffer);
            match what {
                Kept::Input => format!("input {buffer} was changed at byte {}", place.offset),
                Kept::Outside => format!("wrote outside {buffer}, at byte {}", place.offset),
                Kept::Padding => {
                    format!("wrote where {buffer} must stay untouched, at byte {}", place.offset)
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gate::Seed;
    use crate::gate::instance::{Maker, Values};
    use crate::task::expression::Expr;
    use crate::task::fixture::{self, Fixture};
    use crate::task::{Buffer, Role};
    use crate::worker::Fault;

    #[test]
    fn a_wrong_return_value_is_told_in_both_bases() {
        let fixture = Fixture::c(&[], &["f"]);
        let said =
            describe(&Mismatch::Return { expected: 18, actual: 255 }, &fixture.task.functions[0]);
        assert_eq!(said, "returned 255 (0xff), the reference returns 18 (0x12)");
    }

    #[test]
    fn an_access_is_told_by_the_end_that_it_is_beyond() {
        let mut fixture = Fixture::c(&[], &["f"]);
        fixture.task.functions[0].buffers =
            vec![Buffer { room: Some(Expr::Const(3)), ..fixture::buffer("x", Role::In, "8") }];
        let f = &fixture.task.functions[0];
        let mut rng = Seed::PUBLIC.stream("accesses", "f", 0);
        let call = Maker::new(f, &[], &[]).shape(&Values::default(), &mut rng).unwrap();
        for (offset, place) in [
            (-2, "access to 2 bytes before the start of `x` ("),
            (0, "access to byte 0 of `x`, which is read-only ("),
            (10, "access to byte 10 of `x`, which is read-only ("),
            (11, "access to byte 0 after the end of `x` ("),
        ] {
            let fate = Fate::Signalled { signal: 11, fault: Some(Fault { buffer: 0, offset }) };
            let (outcome, message) = judge(&fate, Some((f, &call)));
            assert_eq!(outcome, Outcome::MemoryViolation);
            assert!(message.starts_with(place), "{message}");
        }
    }
}
