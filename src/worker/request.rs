//! From calls with their bytes to the tables and payload in an arena.

use speedgate_harness::MAX_BUFFERS;
use speedgate_harness::seal::{self, Algorithm, Block};
use speedgate_harness::shared::Shared;
use speedgate_harness::wire::{
    self, ArgDesc, BufferDesc, FrameDesc, Header, MAX_ARGS, MAX_OPS, Operation, Role, flags,
};

/// One call of a unit with everything decided: sizes, placement, content, arguments.
#[derive(Debug, Clone)]
pub struct Instance {
    /// Buffers, the sealed scalars last if there are any.
    pub buffers: Vec<BufferInstance>,
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
    /// Alignment of the first byte.
    pub align: u64,
    /// Flush against the guard page at its start instead of its end.
    pub at_start: bool,
    /// What is output: (rows, bytes a row, bytes from row to row). `None`: not compared.
    pub output: Option<(u64, u64, u64)>,
    /// Whether bytes that are not output must keep their content.
    pub kept: bool,
    /// Size of an element.
    pub elem: u64,
    /// Program for the number of valid elements; empty: all.
    pub used: Vec<Operation>,
    /// Content of an input.
    pub content: Vec<u8>,
}

/// One C call.
#[derive(Debug, Clone)]
pub struct FrameInstance {
    /// Index of the symbol.
    pub symbol: u32,
    /// Arguments.
    pub args: Vec<ArgDesc>,
    /// Bytes of the return value ([`FrameDesc::ret`]).
    pub ret: u32,
    /// Whether the return value is output.
    pub ret_compared: bool,
}

impl Instance {
    /// Bytes of all inputs, and of all outputs.
    pub fn footprint(&self) -> (u64, u64) {
        let size = |f: fn(&BufferInstance) -> bool| -> u64 {
            self.buffers.iter().filter(|b| f(b)).map(|b| b.bytes).sum()
        };
        (size(|b| b.role.is_filled()), size(|b| b.output.is_some()))
    }
}

/// How inputs reach the call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// In clear, in place at stage; one call. Optionally mapped read-only.
    Plain {
        /// Inputs can't be written.
        read_only: bool,
    },
    /// Sealed; unsealed while the clock runs.
    Sealed {
        /// Whether each key is the digest of the call before.
        chained: bool,
    },
    /// In clear, put in place call by call: for the oracle.
    Open {
        /// As for sealed.
        chained: bool,
    },
}

impl Mode {
    fn flags(self) -> u32 {
        let (always, when, asked) = match self {
            Mode::Plain { read_only } => (0, flags::READ_ONLY, read_only),
            Mode::Sealed { chained } => (flags::SEALED, flags::CHAINED, chained),
            Mode::Open { chained } => (flags::OPEN, flags::CHAINED, chained),
        };
        if asked { always | when } else { always }
    }
}

/// Contents of a burst's inputs when they are not the instances' own: for each call and buffer.
pub type Sealed = Vec<Vec<Vec<u8>>>;

/// A burst to send.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// Its calls; all of the same function.
    pub calls: &'a [Instance],
    /// How inputs travel.
    pub mode: Mode,
    /// Sealed inputs, for [`Mode::Sealed`].
    pub sealed: Option<&'a Sealed>,
    /// Seed of the poison.
    pub poison: u8,
    /// Whether the buffers of the last call are wanted back.
    pub flush: bool,
    /// For a blank worker: the bytes of each output that a right answer has, for each call. It
    /// computes nothing, so it can't know, and must digest as much as the others.
    pub lengths: Option<&'a [Vec<u64>]>,
}

/// Where the worker will put what it flushes.
#[derive(Debug, Clone, Default)]
pub struct Layout {
    /// For each buffer of the last call: (offset, slack before, slack after).
    pub buffers: Vec<(u64, u64, u64)>,
    /// Offset of the digests.
    pub digests: u64,
    /// Calls.
    pub calls: usize,
    /// Outputs a call has.
    pub outputs: usize,
}

/// Why a request can't be sent: the task is larger than what the engine was given.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    /// Arena too small.
    #[error(
        "the call's buffers take {need} bytes, the worker's arena has {have}; make the sizes of the profile smaller"
    )]
    Arena {
        /// Wanted, bytes.
        need: u64,
        /// There, bytes.
        have: u64,
    },
    /// Too many arguments, buffers or calls for the tables.
    #[error(
        "a unit may have at most {MAX_ARGS} arguments, {MAX_BUFFERS} buffers and {MAX_OPS} operations in `used`"
    )]
    Tables,
}

/// Writes the request into an arena. `slots` holds the size of each buffer's mapping in that
/// worker so far and grows with what is asked.
pub fn write(
    shared: &Shared,
    request: &Request<'_>,
    slots: &mut [u64; MAX_BUFFERS],
) -> Result<Layout, Unfit> {
    let first = request.calls.first().ok_or(Unfit::Tables)?;
    let (buffers, frames) = (first.buffers.len(), first.frames.len());
    let calls = request.calls.len();
    let tables = wire::tables_len(calls as u32, buffers as u32, frames as u32);
    if buffers > MAX_BUFFERS || tables > wire::TABLES_LEN {
        return Err(Unfit::Tables);
    }
    for call in request.calls {
        for (slot, b) in slots.iter_mut().zip(&call.buffers) {
            *slot = (*slot).max(wire::slot_for(b.bytes + b.room));
        }
    }
    let mut end = wire::PAYLOAD as u64;
    let mut bytes = Vec::with_capacity(tables);
    let mut layout = Layout { calls, ..Layout::default() };
    // The head is written last: the results' offset is known only then.
    bytes.resize(size_of::<Header>(), 0);
    for (i, call) in request.calls.iter().enumerate() {
        if call.buffers.len() != buffers || call.frames.len() != frames {
            return Err(Unfit::Tables);
        }
        let last = i + 1 == calls;
        layout.outputs = 0;
        for (b, buffer) in call.buffers.iter().enumerate() {
            let mut d = describe(buffer, slots[b])?;
            if let Some(lengths) = request.lengths.filter(|_| d.rows > 0 && d.used_len > 0) {
                let valid =
                    lengths.get(i).and_then(|l| l.get(layout.outputs)).copied().unwrap_or(0);
                d.used = [Operation::default(); MAX_OPS];
                d.used[0].operand = valid / buffer.elem.max(1);
                d.used_len = 1;
            }
            layout.outputs += usize::from(d.rows > 0);
            if buffer.role.is_filled() {
                let content = request.sealed.map_or(&buffer.content, |s| &s[i][b]);
                d.payload = take(&mut end, buffer.bytes);
                fits(shared, end)?;
                if !shared.copy_in(d.payload, content) {
                    return Err(Unfit::Arena { need: end, have: shared.len() as u64 });
                }
            }
            if last && request.flush {
                let (_, before, after) = wire::placement(&d).ok_or(Unfit::Tables)?;
                d.results = take(&mut end, before + d.bytes + d.room + after);
                layout.buffers.push((d.results, before, after));
            }
            push(&mut bytes, &d);
        }
        for frame in &call.frames {
            push(&mut bytes, &frame_desc(frame)?);
        }
    }
    layout.digests = take(&mut end, (calls * (16 + 8 * layout.outputs) + 8) as u64);
    fits(shared, end)?;
    let header = Header {
        calls: calls as u32,
        buffers: buffers as u32,
        frames: frames as u32,
        flags: request.mode.flags(),
        poison: u64::from(request.poison),
        digests: layout.digests,
    };
    let mut head = Vec::new();
    push(&mut head, &header);
    bytes[..head.len()].copy_from_slice(&head);
    if !shared.copy_in(wire::TABLES as u64, &bytes) {
        return Err(Unfit::Tables);
    }
    Ok(layout)
}

fn fits(shared: &Shared, end: u64) -> Result<(), Unfit> {
    let have = shared.len() as u64;
    if end <= have { Ok(()) } else { Err(Unfit::Arena { need: end, have }) }
}

/// Reserves `len` bytes at the next multiple of 64.
fn take(end: &mut u64, len: u64) -> u64 {
    let at = end.next_multiple_of(64);
    *end = at + len;
    at
}

fn describe(b: &BufferInstance, slot: u64) -> Result<BufferDesc, Unfit> {
    let (rows, row_bytes, stride) = b.output.unwrap_or((0, 0, 0));
    let mut used = [Operation::default(); MAX_OPS];
    if b.used.len() > MAX_OPS {
        return Err(Unfit::Tables);
    }
    used[..b.used.len()].copy_from_slice(&b.used);
    Ok(BufferDesc {
        role: b.role as u32,
        at_start: u32::from(b.at_start),
        bytes: b.bytes,
        room: b.room,
        align: b.align,
        rows,
        row_bytes,
        stride,
        elem: b.elem,
        slot,
        payload: 0,
        results: wire::NOT_FLUSHED,
        used_len: b.used.len() as u64,
        used,
    })
}

fn frame_desc(f: &FrameInstance) -> Result<FrameDesc, Unfit> {
    if f.args.len() > MAX_ARGS {
        return Err(Unfit::Tables);
    }
    let mut args = [ArgDesc::default(); MAX_ARGS];
    args[..f.args.len()].copy_from_slice(&f.args);
    Ok(FrameDesc {
        symbol: f.symbol,
        args_len: f.args.len() as u32,
        ret: f.ret,
        ret_digest: u32::from(f.ret_compared),
        args,
    })
}

fn push<T: Copy>(bytes: &mut Vec<u8>, value: &T) {
    // SAFETY: the tables' types are `repr(C)` integers without padding (checked by a test below).
    let raw =
        unsafe { std::slice::from_raw_parts(std::ptr::from_ref(value).cast(), size_of::<T>()) };
    bytes.extend_from_slice(raw);
}

/// Seals the inputs of a burst: call `i` under `keys[i]`.
pub fn seal_burst(algorithm: Algorithm, calls: &[Instance], keys: &[Block]) -> Sealed {
    let seal_one = |call: u32, buffer: u32, key: Block, clear: &[u8]| {
        let mut out = vec![0u8; clear.len()];
        // SAFETY: both are `clear.len()` bytes; the algorithm was detected on this machine.
        unsafe {
            let counter = seal::counter(call, buffer);
            seal::xor_stream(
                algorithm,
                key,
                counter,
                clear.as_ptr(),
                out.as_mut_ptr(),
                clear.len(),
            );
        }
        out
    };
    let one_call = |(i, (call, key)): (usize, (&Instance, &Block))| {
        let buffers = call.buffers.iter().enumerate();
        buffers.map(|(b, x)| seal_one(i as u32, b as u32, *key, &x.content)).collect()
    };
    calls.iter().zip(keys).enumerate().map(one_call).collect()
}
