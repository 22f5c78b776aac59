//! Two answers to the same call, byte by byte.

use speedgate_harness::wire::{self, Role};

use crate::worker::request::{BufferInstance, Instance};

/// What a worker left behind after one call.
#[derive(Debug, Clone, Default)]
pub struct Answer {
    /// For each buffer: slack before, all bytes with slack, slack after.
    pub buffers: Vec<(u64, Vec<u8>, u64)>,
    /// Return value.
    pub ret: u64,
    /// Valid bytes of each output (the oracle's answer only).
    pub lengths: Vec<u64>,
}

/// Why an answer is not right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mismatch {
    /// The return value differs.
    Return {
        /// The oracle's.
        expected: u64,
        /// The candidate's.
        actual: u64,
    },
    /// A valid output byte differs.
    Output(Place),
    /// A byte that had to keep its content was written: input, canary or padding.
    Written {
        /// What kind of place.
        what: Kept,
        /// Where.
        place: Place,
    },
}

/// Kinds of bytes that must keep their content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// Content of an input buffer.
    Input,
    /// Before the buffer's first byte or after its last.
    Outside,
    /// Between the rows of a plane, or beyond the valid elements.
    Padding,
}

/// The first differing byte of a buffer, and what lies around it on both sides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Index of the buffer.
    pub buffer: usize,
    /// Offset from the buffer's first byte; negative before it.
    pub offset: i64,
    /// Row and byte in the row, for planes.
    pub row: Option<(u64, u64)>,
    /// Offset of the first byte of `expected` and `actual`.
    pub start: i64,
    /// What should be there.
    pub expected: Vec<u8>,
    /// What is there.
    pub actual: Vec<u8>,
}

/// Bytes shown on each side of a difference.
const CONTEXT: i64 = 32;

/// Compares the candidate's answer with the oracle's. `poison` is what the candidate's outputs
/// and canaries were filled with.
pub fn compare(
    call: &Instance,
    oracle: &Answer,
    candidate: &Answer,
    poison: u8,
) -> Result<(), Mismatch> {
    let mut output = 0;
    for (index, b) in call.buffers.iter().enumerate() {
        // As the workers count: an output without rows has no length.
        let valid = if b.output.is_some_and(|(rows, ..)| rows > 0) {
            output += 1;
            oracle.lengths.get(output - 1).copied().unwrap_or(b.bytes)
        } else {
            0
        };
        let (before, bytes, _) = &oracle.buffers[index];
        let oracle = bytes.get(*before as usize..).unwrap_or(&[]);
        Expectation { buffer: b, oracle, valid, poison }.check(index, &candidate.buffers[index])?;
    }
    if call.frames.last().is_some_and(|f| f.ret_compared) && oracle.ret != candidate.ret {
        return Err(Mismatch::Return { expected: oracle.ret, actual: candidate.ret });
    }
    Ok(())
}

/// What a byte of the candidate's buffer must be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Expected {
    /// This output.
    Output(u8),
    /// Untouched.
    Kept(Kept, u8),
    /// Anything.
    Any,
}

/// What a whole buffer must be after the call.
struct Expectation<'a> {
    buffer: &'a BufferInstance,
    /// The oracle's bytes, from the buffer's first.
    oracle: &'a [u8],
    /// Valid bytes, where the number depends on the call.
    valid: u64,
    poison: u8,
}

impl Expectation<'_> {
    /// The byte at `offset` from the buffer's first.
    fn at(&self, offset: i64) -> Expected {
        let b = self.buffer;
        let pattern = wire::poison(u64::from(self.poison), offset as u64);
        if offset < 0 || offset as u64 >= b.bytes + b.room {
            return Expected::Kept(Kept::Outside, pattern);
        }
        let at = offset as u64;
        if at >= b.bytes || b.role == Role::State {
            return Expected::Any;
        }
        let untouched = b.content.get(at as usize).copied().unwrap_or(pattern);
        if matches!(b.role, Role::In | Role::Scalars) {
            return Expected::Kept(Kept::Input, untouched);
        }
        let Some((rows, row_bytes, stride)) = b.output else { return Expected::Any };
        let valid = if b.used.is_empty() {
            stride > 0 && at / stride < rows && at % stride < row_bytes
        } else {
            at < self.valid
        };
        match self.oracle.get(at as usize) {
            Some(&byte) if valid => Expected::Output(byte),
            _ if b.kept => Expected::Kept(Kept::Padding, untouched),
            _ => Expected::Any,
        }
    }

    /// Holds a buffer with its slack (`actual`) against it.
    fn check(&self, index: usize, actual: &(u64, Vec<u8>, u64)) -> Result<(), Mismatch> {
        let (before, bytes, _) = actual;
        let first = -(*before as i64);
        let wrong = (first..).zip(bytes).find_map(|(offset, &byte)| match self.at(offset) {
            Expected::Output(e) if e != byte => Some((offset, None)),
            Expected::Kept(what, e) if e != byte => Some((offset, Some(what))),
            _ => None,
        });
        let Some((offset, kept)) = wrong else { return Ok(()) };
        // Canaries before the first byte are shown only when one of them is the matter.
        let start = (offset - CONTEXT).max(if offset < 0 { first } else { 0 });
        let end = (offset + CONTEXT).min(first + bytes.len() as i64);
        let actual: Vec<u8> = (start..end).map(|o| bytes[(o - first) as usize]).collect();
        let expected = (start..end).zip(&actual).map(|(o, &actual)| match self.at(o) {
            Expected::Output(e) | Expected::Kept(_, e) => e,
            Expected::Any => actual,
        });
        let plane = self.buffer.output.filter(|o| o.2 > 0 && o.0 > 1 && offset >= 0);
        let place = Place {
            buffer: index,
            offset,
            row: plane.map(|(_, _, stride)| (offset as u64 / stride, offset as u64 % stride)),
            start,
            expected: expected.collect(),
            actual,
        };
        Err(match kept {
            None => Mismatch::Output(place),
            Some(what) => Mismatch::Written { what, place },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::worker::request::FrameInstance;

    fn buffer(
        role: Role,
        bytes: u64,
        output: Option<(u64, u64, u64)>,
        kept: bool,
    ) -> BufferInstance {
        let content = if role.is_filled() { (0..bytes as u8).collect() } else { Vec::new() };
        BufferInstance {
            role,
            bytes,
            room: 0,
            align: 1,
            at_start: false,
            output,
            kept,
            elem: 1,
            used: Vec::new(),
            content,
        }
    }

    /// A buffer as a worker flushes it: four bytes of canary on each side, content from `f`.
    fn flushed(bytes: u64, poison: u8, f: impl Fn(u64) -> u8) -> (u64, Vec<u8>, u64) {
        let canary = |o: i64| wire::poison(u64::from(poison), o as u64);
        let all = (-4..bytes as i64 + 4)
            .map(|o| if (0..bytes as i64).contains(&o) { f(o as u64) } else { canary(o) });
        (4, all.collect(), 4)
    }

    fn call(b: BufferInstance) -> Instance {
        let frame = FrameInstance { symbol: 0, args: vec![], ret: 4, ret_compared: true };
        Instance { buffers: vec![b], frames: vec![frame] }
    }

    fn answer(buffer: (u64, Vec<u8>, u64), ret: u64, lengths: Vec<u64>) -> Answer {
        Answer { buffers: vec![buffer], ret, lengths }
    }

    #[test]
    fn equal_answers_pass_whatever_the_poison() {
        let plane = call(buffer(Role::Out, 30, Some((3, 8, 11)), true));
        let f = |poison: u8| {
            move |o: u64| if o % 11 < 8 { o as u8 } else { wire::poison(u64::from(poison), o) }
        };
        let oracle = answer(flushed(30, 0x5A, f(0x5A)), 7, vec![24]);
        let candidate = answer(flushed(30, 0xA5, f(0xA5)), 7, vec![]);
        assert_eq!(compare(&plane, &oracle, &candidate, 0xA5), Ok(()));
    }

    #[test]
    fn every_single_wrong_byte_is_found_and_named() {
        let plane = call(buffer(Role::Out, 30, Some((3, 8, 11)), true));
        let f = |o: u64| if o % 11 < 8 { o as u8 } else { wire::poison(0x5A, o) };
        let oracle = answer(flushed(30, 0x5A, f), 7, vec![24]);
        for at in -4i64..34 {
            let mut candidate = oracle.clone();
            candidate.buffers[0].1[(at + 4) as usize] ^= 1;
            let found = compare(&plane, &oracle, &candidate, 0x5A).unwrap_err();
            match found {
                Mismatch::Output(p) => {
                    assert!((0..30).contains(&at) && at % 11 < 8);
                    assert_eq!((p.offset, p.row), (at, Some((at as u64 / 11, at as u64 % 11))));
                }
                Mismatch::Written { what: Kept::Padding, place } => {
                    assert!((0..30).contains(&at) && at % 11 >= 8 && place.offset == at);
                }
                Mismatch::Written { what: Kept::Outside, place } => {
                    assert!(!(0..30).contains(&at) && place.offset == at);
                }
                other => panic!("{other:?}"),
            }
        }
    }

    #[test]
    fn inputs_must_come_back_as_they_went() {
        let input = call(buffer(Role::In, 20, None, false));
        let oracle = answer(flushed(20, 0x5A, |o| o as u8), 0, vec![]);
        assert_eq!(compare(&input, &oracle, &oracle, 0x5A), Ok(()));
        let mut changed = oracle.clone();
        changed.buffers[0].1[10] = 99;
        let found = compare(&input, &oracle, &changed, 0x5A);
        assert!(matches!(found, Err(Mismatch::Written { what: Kept::Input, .. })), "{found:?}");
    }

    #[test]
    fn only_valid_elements_are_compared_when_a_call_says_how_many() {
        let mut b = buffer(Role::Out, 20, Some((1, 20, 20)), false);
        b.used = vec![Default::default()];
        let text = call(b);
        let oracle = answer(flushed(20, 0x5A, |o| o as u8), 5, vec![5]);
        let other = answer(flushed(20, 0x5A, |o| if o < 5 { o as u8 } else { 77 }), 5, vec![]);
        assert_eq!(compare(&text, &oracle, &other, 0x5A), Ok(()));
        let short = answer(flushed(20, 0x5A, |o| if o < 4 { o as u8 } else { 77 }), 5, vec![]);
        assert!(matches!(compare(&text, &oracle, &short, 0x5A), Err(Mismatch::Output(_))));
        let ret = answer(flushed(20, 0x5A, |o| o as u8), 6, vec![]);
        let found = compare(&text, &oracle, &ret, 0x5A);
        assert_eq!(found, Err(Mismatch::Return { expected: 5, actual: 6 }));
    }
}
