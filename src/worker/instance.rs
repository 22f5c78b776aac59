//! One call with everything decided, before it is put into an arena.

use speedgate_harness::wire::{ArgDesc, Operation, Role};

use crate::task::Rule;

/// One call of a unit with everything decided: sizes, placement, content, arguments.
#[derive(Debug, Clone)]
pub struct Instance {
    /// Buffers, the sealed scalars last if there are any.
    pub buffers: Vec<BufferInstance>,
    /// C calls that prepare its states, outside the clock.
    pub makes: Vec<FrameInstance>,
    /// C calls.
    pub frames: Vec<FrameInstance>,
}

/// One buffer of a call. Sizes in bytes.
#[derive(Debug, Clone)]
pub struct BufferInstance {
    /// Its part in the call.
    pub role: Role,
    /// Size from first to last byte.
    pub bytes: u64,
    /// Writable bytes after that.
    pub room: u64,
    /// The first byte's address is `phase` modulo this power of two.
    pub align: u64,
    /// 0 for a buffer that is aligned to `align`.
    pub phase: u64,
    /// Flush against the guard page at its start instead of its end.
    pub at_start: bool,
    /// What is output: (rows, bytes a row, bytes from row to row). `None`: not compared.
    pub output: Option<(u64, u64, u64)>,
    /// Whether bytes that are not output must keep their content.
    pub kept: bool,
    /// Size of an element.
    pub elem: u64,
    /// How elements are compared, where they are.
    pub rule: Rule,
    /// Program for the number of valid elements; empty: all.
    pub used: Vec<Operation>,
    /// Content of an input.
    pub content: Vec<u8>,
    /// Which of the classes of its fill the content is of.
    pub classes: Vec<String>,
}

/// One C call.
#[derive(Debug, Clone)]
pub struct FrameInstance {
    /// Index of the symbol.
    pub symbol: u32,
    /// Arguments.
    pub args: Vec<ArgDesc>,
    /// Bytes of the return value (`FrameDesc::ret` of the wire format).
    pub ret: u32,
    /// Whether the return value is output.
    pub ret_compared: bool,
    /// How it is compared, where it is.
    pub ret_rule: Rule,
}

impl Instance {
    /// Whether other bits than the reference's can be right.
    pub fn is_loose(&self) -> bool {
        let output = |b: &BufferInstance| b.output.is_some() && b.rule.is_loose();
        self.buffers.iter().any(output)
            || self.frames.iter().any(|f| f.ret_compared && f.ret_rule.is_loose())
    }

    /// Bytes of all inputs, and of all outputs.
    pub fn footprint(&self) -> (u64, u64) {
        let size = |f: fn(&BufferInstance) -> bool| -> u64 {
            self.buffers.iter().filter(|b| f(b)).map(|b| b.bytes).sum()
        };
        (size(|b| b.role.is_filled()), size(|b| b.output.is_some()))
    }
}
