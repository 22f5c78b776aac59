//! Two answers to the same call: outputs by the task's rules, everything else byte by byte.

pub mod errors;
mod values;

use std::ops::Range;

use speedgate_harness::seal::{self, Algorithm, Block, Stretch};
use speedgate_harness::wire::{self, Role};

pub use errors::Errors;
pub use values::{Judge, Wide};

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
    /// Of each buffer, the exact values of its elements, where they are known (the oracle's
    /// answer only).
    pub exact: Vec<Option<Vec<Wide>>>,
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
    /// The two values, where they are more than bytes.
    pub values: Option<String>,
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
    for (index, valid) in valid(call, oracle) {
        let expectation = Expectation::new(call, oracle, index, valid, poison);
        expectation.check(index, &candidate.buffers[index])?;
    }
    returned(call, oracle, candidate)
}

/// Compares outputs and return values only, as far as that is left to do once the candidate has
/// committed to `digest` under `key`: what it handed back must be what it had when the clock stopped.
/// `None` if it is not.
pub fn committed(
    call: &Instance,
    oracle: &Answer,
    candidate: &Answer,
    (algorithm, key, digest): (Algorithm, Block, Block),
) -> Option<Result<(), Mismatch>> {
    let mut rows = Vec::new();
    for (index, valid) in valid(call, oracle) {
        let Some((count, row_bytes, stride)) = call.buffers[index].output.filter(|o| o.0 > 0)
        else {
            continue;
        };
        let (before, bytes, _) = candidate.buffers.get(index)?;
        let bytes = bytes.get(*before as usize..)?;
        // As the driver covers it: one long row where there is no padding.
        let (count, row_bytes) = match call.buffers[index].used.is_empty() {
            false => (1, valid),
            true if stride == row_bytes => (1, count * row_bytes),
            true => (count, row_bytes),
        };
        let end = (count - 1) * stride + row_bytes;
        let bytes = bytes.get(..end as usize)?;
        let sizes = [count, row_bytes, stride].map(|x| x as usize);
        rows.push(Stretch {
            start: bytes.as_ptr(),
            rows: sizes[0],
            row_bytes: sizes[1],
            stride: sizes[2],
        });
    }
    // Then the inputs: as they were handed over, or else as they were sent.
    for (b, (before, handed, _)) in call.buffers.iter().zip(&candidate.buffers) {
        if b.role == Role::In {
            let bytes =
                if handed.is_empty() { &b.content[..] } else { handed.get(*before as usize..)? };
            let len = b.bytes as usize;
            let bytes = bytes.get(..len)?;
            rows.push(Stretch { start: bytes.as_ptr(), rows: 1, row_bytes: len, stride: len });
        }
    }
    let compared = call.frames.last().is_some_and(|f| f.ret_compared);
    let ret = if compared { candidate.ret } else { 0 };
    // SAFETY: each stretch was just cut from a slice that lives; the algorithm is this machine's.
    let seen = unsafe {
        match call.is_loose() {
            true => seal::binding(key, &rows, ret),
            false => seal::digest(algorithm, key, &rows, ret),
        }
    };
    (seen == digest).then(|| {
        for (index, valid) in self::valid(call, oracle) {
            let expectation = Expectation::new(call, oracle, index, valid, 0);
            expectation.outputs(index, &candidate.buffers[index])?;
        }
        returned(call, oracle, candidate)
    })
}

/// Each buffer, and how many bytes of it are valid output where the number depends on the call.
pub(super) fn valid<'a>(
    call: &'a Instance,
    oracle: &'a Answer,
) -> impl Iterator<Item = (usize, u64)> + 'a {
    let mut output = 0;
    call.buffers.iter().enumerate().map(move |(index, b)| {
        // As the workers count: an output without rows has no length.
        if b.output.is_none_or(|(rows, ..)| rows == 0) {
            return (index, 0);
        }
        output += 1;
        (index, oracle.lengths.get(output - 1).copied().unwrap_or(b.bytes))
    })
}

fn returned(call: &Instance, oracle: &Answer, candidate: &Answer) -> Result<(), Mismatch> {
    let Some(frame) = call.frames.last().filter(|f| f.ret_compared) else { return Ok(()) };
    let (expected, actual) = (oracle.ret, candidate.ret);
    match Judge::new(frame.ret_rule, None, std::iter::empty()).accepts(0, expected, actual) {
        true => Ok(()),
        false => Err(Mismatch::Return { expected, actual }),
    }
}

/// What a byte of the candidate's buffer that is no output must be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Expected {
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
    judge: Judge<'a>,
}

impl<'a> Expectation<'a> {
    fn new(call: &'a Instance, oracle: &'a Answer, index: usize, valid: u64, poison: u8) -> Self {
        let buffer = &call.buffers[index];
        let (before, bytes, _) = &oracle.buffers[index];
        let bytes = bytes.get(*before as usize..).unwrap_or(&[]);
        let exact = oracle.exact.get(index).and_then(Option::as_deref);
        let mut all = Self {
            buffer,
            oracle: bytes,
            valid,
            poison,
            judge: Judge::new(buffer.rule, None, std::iter::empty()),
        };
        if exact.is_some() {
            all.judge = Judge::new(buffer.rule, exact, all.elements());
        }
        all
    }

    /// The stretches of valid output, in order.
    fn rows(&self) -> impl Iterator<Item = Range<u64>> + use<'a> {
        let b = self.buffer;
        let (count, row_bytes, stride) = match b.output {
            // Canaries and inputs have none, and a state is nobody's business.
            None => (0, 0, 0),
            Some(_) if !b.used.is_empty() => (1, self.valid, 0),
            Some((rows, row_bytes, stride)) if rows <= 1 || stride > 0 => (rows, row_bytes, stride),
            Some(_) => (0, 0, 0),
        };
        let end = (self.oracle.len() as u64).min(b.bytes);
        (0..count)
            .map(move |y| y * stride..(y * stride + row_bytes).min(end))
            .filter(|r| !r.is_empty())
    }

    /// Index and bits of each valid element of the reference.
    fn elements(&self) -> impl Iterator<Item = (usize, u64)> + use<'a> {
        let (oracle, elem) = (self.oracle, self.buffer.elem.max(1));
        self.rows().flat_map(move |row| {
            let first = (row.start / elem) as usize;
            let bytes = &oracle[row.start as usize..row.end as usize];
            let all = bytes.chunks_exact(elem as usize).map(values::bits);
            all.enumerate().map(move |(i, bits)| (first + i, bits))
        })
    }

    /// What the byte at `offset` from the buffer's first must be, where it is no output.
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
        if matches!(b.role, Role::In | Role::Scalars | Role::Material) {
            return Expected::Kept(Kept::Input, untouched);
        }
        match b.output {
            Some(_) if b.kept => Expected::Kept(Kept::Padding, untouched),
            _ => Expected::Any,
        }
    }

    /// Holds a buffer with its slack (`actual`) against it.
    fn check(&self, index: usize, actual: &(u64, Vec<u8>, u64)) -> Result<(), Mismatch> {
        let (before, bytes, _) = actual;
        let first = -(*before as i64);
        let mut at = first;
        let last = first + bytes.len() as i64;
        for row in self.rows() {
            let (start, end) = (row.start as i64, row.end as i64);
            self.kept(index, at..start, actual)?;
            self.output(index, row, actual)?;
            at = end;
        }
        self.kept(index, at..last, actual)
    }

    /// Holds the valid output against it.
    fn outputs(&self, index: usize, actual: &(u64, Vec<u8>, u64)) -> Result<(), Mismatch> {
        self.rows().try_for_each(|row| self.output(index, row, actual))
    }

    /// Whether no byte of a stretch that is no output is wrong: as [`Self::at`] says, whole runs at a
    /// time.
    fn all_kept(&self, range: &Range<i64>, before: u64, bytes: &[u8]) -> bool {
        let b = self.buffer;
        let block = wire::poison_block(u64::from(self.poison));
        let part = |from: i64, to: i64| {
            let (from, to) = (range.start.max(from), range.end.min(to));
            let at = |offset: i64| (offset + before as i64) as usize;
            (from, if from < to { bytes.get(at(from)..at(to)) } else { Some(&[][..]) })
        };
        let poisoned = |(from, part): (i64, Option<&[u8]>)| {
            let first = from.rem_euclid(64) as usize;
            part.is_some_and(|part| {
                let (head, rest) = part.split_at(part.len().min(64 - first));
                *head == block[first..first + head.len()]
                    && rest.chunks(64).all(|run| *run == block[..run.len()])
            })
        };
        let (len, filled) = (b.bytes as i64, b.content.len() as i64);
        let read = matches!(b.role, Role::In | Role::Scalars | Role::Material);
        let inside = if b.role == Role::State || !(read || b.output.is_some() && b.kept) {
            true
        } else {
            let (from, there) = part(0, len.min(filled));
            let content = |there: &[u8]| {
                there.is_empty() || *there == b.content[from as usize..from as usize + there.len()]
            };
            there.is_some_and(content) && poisoned(part(filled, len))
        };
        inside && poisoned(part(i64::MIN, 0)) && poisoned(part(len + b.room as i64, i64::MAX))
    }

    /// The first wrong byte of such a stretch.
    fn first_written(&self, range: Range<i64>, before: u64, bytes: &[u8]) -> Option<(i64, Kept)> {
        range.into_iter().find_map(|offset| match self.at(offset) {
            Expected::Kept(what, e) if bytes.get((offset + before as i64) as usize) != Some(&e) => {
                Some((offset, what))
            }
            _ => None,
        })
    }

    /// Holds a stretch that is no output against it.
    fn kept(
        &self,
        index: usize,
        range: Range<i64>,
        actual: &(u64, Vec<u8>, u64),
    ) -> Result<(), Mismatch> {
        let (before, bytes, _) = actual;
        if self.all_kept(&range, *before, bytes) {
            return Ok(());
        }
        let Some((offset, what)) = self.first_written(range, *before, bytes) else {
            return Ok(());
        };
        Err(Mismatch::Written { what, place: self.place(index, offset, None, actual) })
    }

    /// The first wrong element of a row of output.
    fn output(
        &self,
        index: usize,
        row: Range<u64>,
        actual: &(u64, Vec<u8>, u64),
    ) -> Result<(), Mismatch> {
        let (before, bytes, _) = actual;
        let expected = &self.oracle[row.start as usize..row.end as usize];
        let start = (before + row.start) as usize;
        let theirs = bytes.get(start..start + expected.len()).unwrap_or(&[]);
        let elem = self.buffer.elem.max(1);
        let first = (row.start / elem) as usize;
        let at = match self.judge.first_wrong(first, expected, theirs) {
            Some(at) => at,
            None if theirs.len() == expected.len() => return Ok(()),
            None => 0,
        };
        let size = elem as usize;
        let of = |all: &'_ [u8]| {
            all.chunks(size).nth(at).map_or((Vec::new(), 0), |e| (e.to_vec(), values::bits(e)))
        };
        let ((e, expected), (a, actually)) = (of(expected), of(theirs));
        let byte = e.iter().zip(&a).position(|(e, a)| e != a).unwrap_or(0);
        let offset = row.start as i64 + (at * size + byte) as i64;
        let values = self.judge.explain(first + at, expected, actually);
        Err(Mismatch::Output(self.place(index, offset, values, actual)))
    }

    /// A wrong byte and what lies around it.
    fn place(
        &self,
        index: usize,
        offset: i64,
        values: Option<String>,
        actual: &(u64, Vec<u8>, u64),
    ) -> Place {
        let (before, bytes, _) = actual;
        let first = -(*before as i64);
        // Canaries before the first byte are shown only when one of them is the matter.
        let start = (offset - CONTEXT).max(if offset < 0 { first } else { 0 });
        let end = (offset + CONTEXT).min(first + bytes.len() as i64);
        let actual: Vec<u8> = (start..end).map(|o| bytes[(o - first) as usize]).collect();
        let rows: Vec<Range<u64>> = self.rows().collect();
        let is_output = |o: i64| o >= 0 && rows.iter().any(|r| r.contains(&(o as u64)));
        let expected = (start..end).zip(&actual).map(|(o, &actual)| match self.at(o) {
            _ if is_output(o) => self.oracle[o as usize],
            Expected::Kept(_, e) => e,
            Expected::Any => actual,
        });
        let plane = self.buffer.output.filter(|o| o.2 > 0 && o.0 > 1 && offset >= 0);
        Place {
            buffer: index,
            offset,
            row: plane.map(|(_, _, stride)| (offset as u64 / stride, offset as u64 % stride)),
            start,
            expected: expected.collect(),
            actual,
            values,
        }
    }
}

#[cfg(test)]
mod tests;
