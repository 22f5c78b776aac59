//! What a request's tables hold: a head, then of each call its buffers and frames.

use std::mem::size_of;

/// Most arguments one call can have (6 registers and the stack).
pub const MAX_ARGS: usize = 14;
/// Most operations in a `used` program.
pub const MAX_OPS: usize = 6;
/// Bytes on each side of a buffer that carry a canary, where the guard page leaves room.
pub const SLACK: u64 = 64;
/// Size of a page and of a guard.
pub const PAGE: u64 = 4096;

/// Head of the tables.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Header {
    /// Calls in the burst (K).
    pub calls: u32,
    /// Buffers of each call.
    pub buffers: u32,
    /// C calls of each call (a unit may be several).
    pub frames: u32,
    /// C calls that prepare its states; they come before those. Only where there is one call.
    pub makes: u32,
    /// Bits of [`flags`].
    pub flags: u32,
    /// Nothing: the fields after it are eight bytes each.
    pub reserved: u32,
    /// Byte that outputs and canaries are filled with (see [`poison`]).
    pub poison: u64,
    /// Where `calls` digests of 16 bytes go at flush, then the last call's return value, then (open
    /// requests) for each call and output the number of valid bytes; u64 all. Offset from the start
    /// of the payload, as all places that tables name.
    pub digests: u64,
    /// Bytes of all inputs, which the payload begins with, each at a multiple of 64.
    pub payload_len: u64,
}

impl Header {
    /// Whether inputs are put in place call by call while the clock runs.
    pub fn in_window(&self) -> bool {
        self.flags & (flags::SEALED | flags::OPEN) != 0
    }
}

/// Bits of [`Header::flags`].
pub mod flags {
    /// Inputs are sealed, and unsealed into place while the clock runs.
    pub const SEALED: u32 = 1;
    /// The next call's key is this call's digest.
    pub const CHAINED: u32 = 2;
    /// Inputs in clear are mapped read-only during the call.
    pub const READ_ONLY: u32 = 4;
    /// Inputs are in clear but put in place call by call, as sealed ones are: how the oracle
    /// answers a whole burst. It also notes how many bytes of each output were valid.
    pub const OPEN: u32 = 8;
    /// What follows the head is the same as at the last stage: only inputs and poison are new.
    /// Only where inputs are put in place while the clock runs.
    pub const AGAIN: u32 = 16;
    /// The call's buffers are in no cache when it begins.
    pub const COLD: u32 = 32;
    /// They are in the second-level cache, not in the first.
    pub const FAR: u32 = 64;
    /// More than one answer may be right: outputs are digested so that nobody finds others with the
    /// same digest.
    pub const BINDING: u32 = 128;
}

/// A buffer's part in a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Role {
    /// Read only.
    In = 0,
    /// Written only: poisoned at stage.
    Out = 1,
    /// Read and written.
    InOut = 2,
    /// Opaque, zeroed at stage, never in a digest.
    State = 3,
    /// Not passed: holds the call's sealed scalars, 8 bytes each.
    Scalars = 4,
    /// Read only, and in clear from stage on: what states are made of.
    Material = 5,
}

impl Role {
    /// Whether the supervisor provides the content.
    pub fn is_filled(self) -> bool {
        matches!(self, Self::In | Self::InOut | Self::Scalars | Self::Material)
    }

    /// Whether that content is hidden until the clock starts, where inputs are sealed.
    pub fn is_sealed(self) -> bool {
        self.is_filled() && self != Self::Material
    }
}

/// One buffer of one call. All sizes in bytes.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub struct BufferDesc {
    /// A [`Role`].
    pub role: u32,
    /// 0: flush against the guard page at its end; 1: at its start.
    pub at_start: u32,
    /// Size of the extent, from first to last byte.
    pub bytes: u64,
    /// Writable bytes after the extent that the function may touch.
    pub room: u64,
    /// The first byte's address is `phase` modulo this power of two.
    pub align: u64,
    /// 0 for a buffer that is aligned to `align`.
    pub phase: u64,
    /// Rows that the digest covers (1 for a flat buffer, 0: not in the digest).
    pub rows: u64,
    /// Bytes a row.
    pub row_bytes: u64,
    /// Bytes from one row to the next.
    pub stride: u64,
    /// Size of an element (unit of `used`).
    pub elem: u64,
    /// Size of the mapping between the guard pages, a multiple of [`PAGE`].
    pub slot: u64,
    /// Where the content is (`In`, `InOut`, `Scalars`, `Material`).
    pub payload: u64,
    /// Where the buffer with its slack is flushed to; [`NOT_FLUSHED`] for nowhere.
    pub results: u64,
    /// Length of `used`; 0: the whole extent is digested.
    pub used_len: u64,
    /// Number of valid elements after the call, as a postfix program.
    pub used: [Operation; MAX_OPS],
}

/// One operation of a postfix program over u64.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Operation {
    /// An operation code of [`op`].
    pub code: u64,
    /// Constant, or buffer index.
    pub operand: u64,
}

/// Operation codes.
pub mod op {
    /// Push the operand.
    pub const CONST: u64 = 0;
    /// Push the unit's return value.
    pub const RET: u64 = 1;
    /// Push the first element of a buffer (zero-extended).
    pub const DEREF: u64 = 2;
    /// Sum (wrapping, as all below).
    pub const ADD: u64 = 3;
    /// Difference.
    pub const SUB: u64 = 4;
    /// Product.
    pub const MUL: u64 = 5;
    /// Quotient (0 when dividing by 0).
    pub const DIV: u64 = 6;
    /// Remainder (0 when dividing by 0).
    pub const REM: u64 = 7;
    /// Smaller.
    pub const MIN: u64 = 8;
    /// Larger.
    pub const MAX: u64 = 9;
}

/// One C call.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub struct FrameDesc {
    /// Index of the symbol, in the order given at start.
    pub symbol: u32,
    /// Number of arguments.
    pub args_len: u32,
    /// Bytes of the return value that count (0: none). Bit 31 set: it is in the vector register.
    pub ret: u32,
    /// 1: the return value is part of the digest.
    pub ret_digest: u32,
    /// Arguments.
    pub args: [ArgDesc; MAX_ARGS],
}

/// [`BufferDesc::results`] of a buffer that nobody wants to look at.
pub const NOT_FLUSHED: u64 = u64::MAX;

/// Bit of [`FrameDesc::ret`].
pub const RET_VECTOR: u32 = 1 << 31;

/// One argument of a C call.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub struct ArgDesc {
    /// A kind of [`arg`].
    pub kind: u32,
    /// Buffer that it refers to.
    pub buffer: u32,
    /// Value, or byte offset.
    pub value: u64,
}

/// Kinds of arguments.
pub mod arg {
    /// `value` itself.
    pub const VALUE: u32 = 0;
    /// Address of `buffer` plus `value`.
    pub const POINTER: u32 = 1;
    /// The u64 at offset `value` of `buffer`, read when the clock runs.
    pub const SEALED: u32 = 2;
}

/// Byte that an untouched output (or canary) position holds under poison `seed`; `position` is
/// relative to the buffer's first byte and wraps below it.
///
/// Position-dependent, so that a shifted copy of old content shows; seeds that are complements of
/// each other give patterns that differ in every byte. It repeats every 64 bytes, so that filling a
/// plane is a copy.
pub fn poison(seed: u64, position: u64) -> u8 {
    PATTERN[(position % 64) as usize] ^ (seed as u8)
}

/// The pattern of positions 0 to 63, after which it repeats.
pub fn poison_block(seed: u64) -> [u8; 64] {
    PATTERN.map(|byte| byte ^ (seed as u8))
}

const PATTERN: [u8; 64] = {
    let mut pattern = [0; 64];
    let mut at = 0;
    while at < 64 {
        pattern[at] = (at * 37 + 11) as u8 & 0x7F;
        at += 1;
    }
    pattern
};

/// Where a buffer lies in its slot: (offset of the first byte, slack before, slack after), bytes.
///
/// Both sides compute it from the same descriptor. `None` if it does not fit.
pub fn placement(buffer: &BufferDesc) -> Option<(u64, u64, u64)> {
    let size = buffer.bytes.checked_add(buffer.room)?;
    let align = buffer.align.max(1);
    if !align.is_power_of_two() || align > PAGE || buffer.phase >= align {
        return None;
    }
    let last = buffer.slot.checked_sub(size)?.checked_sub(buffer.phase)?;
    let start = buffer.phase + if buffer.at_start != 0 { 0 } else { last & !(align - 1) };
    let after = buffer.slot - start - size;
    Some((start, start.min(SLACK), after.min(SLACK)))
}

/// Smallest slot for a buffer of `size` bytes: whole pages with slack on both sides.
pub fn slot_for(size: u64) -> u64 {
    (size + 2 * SLACK).div_ceil(PAGE) * PAGE
}

/// Offset in the tables of call `index`'s buffers and frames, those that prepare states first.
pub fn call_offsets(header: &Header, index: u32) -> (usize, usize) {
    let buffers = header.buffers as usize * size_of::<BufferDesc>();
    let frames = (header.makes as usize + header.frames as usize) * size_of::<FrameDesc>();
    let start = size_of::<Header>() + index as usize * (buffers + frames);
    (start, start + buffers)
}

/// Size of the tables of a burst; `frames` counts those that prepare states, too.
pub fn tables_len(calls: u32, buffers: u32, frames: u32) -> usize {
    let header = Header { calls, buffers, frames, ..Header::default() };
    call_offsets(&header, calls).0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placement_is_flush_and_aligned() {
        let at_end = BufferDesc { bytes: 100, align: 1, slot: PAGE, ..Default::default() };
        assert_eq!(placement(&at_end), Some((PAGE - 100, SLACK, 0)));
        let at_start = BufferDesc { at_start: 1, ..at_end };
        assert_eq!(placement(&at_start), Some((0, 0, SLACK)));
        let aligned = BufferDesc { align: 32, ..at_end };
        assert_eq!(placement(&aligned), Some((PAGE - 128, SLACK, 28)));
        for phase in 0..32 {
            let (start, before, after) =
                placement(&BufferDesc { phase, ..aligned }).expect("it fits");
            assert_eq!(start % 32, phase);
            assert_eq!((before, after), (SLACK, PAGE - start - 100), "as near as can be");
            assert!(after < 32);
            let at_start = BufferDesc { phase, ..BufferDesc { at_start: 1, ..aligned } };
            assert_eq!(placement(&at_start), Some((phase, phase, SLACK)));
        }
        assert_eq!(placement(&BufferDesc { phase: 32, ..aligned }), None);
        let full = BufferDesc { bytes: PAGE, phase: 1, ..aligned };
        assert_eq!(placement(&full), None, "no room for the phase");
        let too_big = BufferDesc { bytes: PAGE + 1, ..at_end };
        assert_eq!(placement(&too_big), None);
        let odd = BufferDesc { align: 3, ..at_end };
        assert_eq!(placement(&odd), None);
    }

    #[test]
    fn poisons_differ_everywhere() {
        assert!((0..4096).all(|i| poison(0x5A, i) != poison(0xA5, i)));
        let first: Vec<u8> = (0..64).map(|i| poison(0x5A, i)).collect();
        let shifted: Vec<u8> = (1..65).map(|i| poison(0x5A, i)).collect();
        assert_ne!(first, shifted);
    }
}
