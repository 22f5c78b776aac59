//! From calls with their bytes to the tables and payload in an arena.
//!
//! Tables say everything of a burst but its inputs' bytes. They are encoded once and serve every
//! worker; a worker that has just been sent the same ones is told so and parses nothing.

use std::sync::Arc;

use speedgate_harness::MAX_BUFFERS;
use speedgate_harness::seal::{self, Algorithm, Block};
use speedgate_harness::shared::Shared;
use speedgate_harness::wire::series::Entry;
use speedgate_harness::wire::{
    self, ArgDesc, BufferDesc, FrameDesc, Header, MAX_ARGS, MAX_OPS, Operation, flags,
};

use crate::task::Cache;

pub use super::instance::{BufferInstance, FrameInstance, Instance};

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
    /// Whether inputs are put in place call by call while the clock runs.
    pub fn in_window(self) -> bool {
        !matches!(self, Mode::Plain { .. })
    }

    fn flags(self) -> u32 {
        let (always, when, asked) = match self {
            Mode::Plain { read_only } => (0, flags::READ_ONLY, read_only),
            Mode::Sealed { chained } => (flags::SEALED, flags::CHAINED, chained),
            Mode::Open { chained } => (flags::OPEN, flags::CHAINED, chained),
        };
        if asked { always | when } else { always }
    }
}

/// A burst to send.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// What its calls are like.
    pub tables: &'a Arc<Tables>,
    /// How inputs travel.
    pub mode: Mode,
    /// The inputs' bytes as they lie in the arena ([`Tables::payload`]), sealed or in clear.
    pub payload: &'a [u8],
    /// Seed of the poison.
    pub poison: u8,
    /// Where the call finds its data.
    pub cache: Cache,
}

impl Request<'_> {
    fn flags(&self) -> u32 {
        let cache = match self.cache {
            Cache::Warm => 0,
            Cache::L2 => flags::FAR,
            Cache::Cold => flags::COLD,
        };
        let digest = if self.tables.binding { flags::BINDING } else { 0 };
        self.mode.flags() | cache | digest
    }
}

/// Everything about a burst but its inputs' bytes, encoded once: the same tables serve every
/// worker, and every burst whose calls differ in nothing else.
#[derive(Debug, PartialEq)]
pub struct Tables {
    bytes: Vec<u8>,
    calls: usize,
    buffers: usize,
    makes: usize,
    frames: usize,
    /// Where each input lies, in the order of calls and buffers.
    inputs: Vec<Input>,
    payload_len: usize,
    layout: Layout,
    /// Whether the digest of the outputs must be a binding one.
    binding: bool,
    /// End of payload and results.
    end: u64,
}

/// One input of one call.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Input {
    /// Call in the burst.
    pub call: usize,
    /// Buffer of the call.
    pub buffer: usize,
    /// First byte in the payload.
    pub at: usize,
    /// Bytes.
    pub len: usize,
    /// Whether it is hidden until the clock starts, where inputs are sealed.
    pub sealed: bool,
}

/// Where in the payload the worker will put what it flushes.
#[derive(Debug, Clone, PartialEq)]
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

impl Default for Layout {
    fn default() -> Self {
        Self::new()
    }
}

impl Layout {
    /// Nothing comes back.
    pub const fn new() -> Self {
        Self { buffers: Vec::new(), digests: 0, calls: 0, outputs: 0 }
    }
}

/// Size of each buffer's mapping. It only grows, so that workers need not map anew for each call.
pub type Slots = [u64; MAX_BUFFERS];

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

/// Which buffers of the last call are wanted back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// None.
    Nothing,
    /// Those with output.
    Outputs,
    /// All.
    All,
}

/// Makes the slots large enough for these calls.
pub fn fit(calls: &[Instance], slots: &mut Slots) {
    for call in calls {
        for (slot, b) in slots.iter_mut().zip(&call.buffers) {
            *slot = (*slot).max(wire::slot_for(b.bytes + b.room));
        }
    }
}

impl Tables {
    /// Of these calls, all of the same function, the last one's `wanted` buffers to be handed back.
    /// `lengths`: for a blank worker, the bytes of each output of each call, in order, that a right
    /// answer has; it computes nothing, so it can't know, and must digest as much as the others.
    pub fn new(
        calls: &[Instance],
        slots: &mut Slots,
        wanted: Wanted,
        lengths: Option<&[u64]>,
    ) -> Result<Self, Unfit> {
        let first = calls.first().ok_or(Unfit::Tables)?;
        let (buffers, makes, frames) = (first.buffers.len(), first.makes.len(), first.frames.len());
        let len = wire::tables_len(calls.len() as u32, buffers as u32, (makes + frames) as u32);
        if buffers > MAX_BUFFERS || len > wire::TABLES_LEN {
            return Err(Unfit::Tables);
        }
        let counts = |c: &Instance| (c.buffers.len(), c.makes.len(), c.frames.len());
        if calls.iter().any(|c| counts(c) != (buffers, makes, frames)) {
            return Err(Unfit::Tables);
        }
        fit(calls, slots);
        let mut tables = Self {
            bytes: Vec::with_capacity(len - size_of::<Header>()),
            calls: calls.len(),
            buffers,
            makes,
            frames,
            inputs: Vec::new(),
            payload_len: 0,
            layout: Layout { calls: calls.len(), ..Layout::new() },
            binding: first.is_loose(),
            end: 0,
        };
        tables.place_inputs(calls);
        let mut end = tables.payload_len as u64;
        let mut inputs = tables.inputs.clone().into_iter().peekable();
        let mut lengths = lengths.map(|l| l.iter().copied());
        for (i, call) in calls.iter().enumerate() {
            let last = i + 1 == calls.len();
            let mut outputs = 0;
            for (b, buffer) in call.buffers.iter().enumerate() {
                let mut d = describe(buffer, slots[b])?;
                if d.rows > 0 {
                    outputs += 1;
                    let valid = lengths.as_mut().map(|l| l.next().unwrap_or(0));
                    if let Some(valid) = valid.filter(|_| d.used_len > 0) {
                        d.used = [Operation::default(); MAX_OPS];
                        d.used[0].operand = valid / buffer.elem.max(1);
                        d.used_len = 1;
                    }
                }
                if let Some(input) = inputs.next_if(|x| (x.call, x.buffer) == (i, b)) {
                    d.payload = input.at as u64;
                }
                let flushed = match wanted {
                    Wanted::Nothing => false,
                    Wanted::Outputs => d.rows > 0,
                    Wanted::All => true,
                };
                if last && flushed {
                    let (_, before, after) = wire::placement(&d).ok_or(Unfit::Tables)?;
                    d.results = take(&mut end, before + d.bytes + d.room + after);
                    tables.layout.buffers.push((d.results, before, after));
                } else if last {
                    tables.layout.buffers.push((wire::NOT_FLUSHED, 0, 0));
                }
                push(&mut tables.bytes, &d);
            }
            tables.layout.outputs = outputs;
            for frame in call.makes.iter().chain(&call.frames) {
                push(&mut tables.bytes, &frame_desc(frame)?);
            }
        }
        let digests = calls.len() * (16 + 8 * tables.layout.outputs) + 8;
        tables.layout.digests = take(&mut end, digests as u64);
        tables.end = end;
        Ok(tables)
    }

    fn place_inputs(&mut self, calls: &[Instance]) {
        for (call, instance) in calls.iter().enumerate() {
            for (buffer, b) in instance.buffers.iter().enumerate() {
                if b.role.is_filled() {
                    let (at, len) = (self.payload_len, b.bytes as usize);
                    let sealed = b.role.is_sealed();
                    self.inputs.push(Input { call, buffer, at, len, sealed });
                    self.payload_len = (at + len).next_multiple_of(64);
                }
            }
        }
    }

    /// Where each input lies in the payload, in the order of calls and buffers.
    pub fn inputs(&self) -> &[Input] {
        &self.inputs
    }

    /// Size of the payload, bytes.
    pub fn payload_len(&self) -> usize {
        self.payload_len
    }

    /// Size of the encoding, bytes.
    #[allow(clippy::len_without_is_empty, reason = "there is always a call")]
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Room that payload and results take, bytes.
    pub fn room(&self) -> u64 {
        self.end
    }

    /// Whether the library has to prepare states before it is called.
    pub fn has_makes(&self) -> bool {
        self.makes > 0
    }

    /// Where results will be.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The payload of the calls that the tables were made of.
    pub fn payload(&self, calls: &[Instance]) -> Vec<u8> {
        let mut payload = vec![0; self.payload_len];
        for x in &self.inputs {
            let content = &calls[x.call].buffers[x.buffer].content;
            payload[x.at..x.at + x.len].copy_from_slice(content);
        }
        payload
    }

    /// Seals a payload: call `i` under `keys[i]`.
    pub fn seal(&self, algorithm: Algorithm, payload: &mut [u8], keys: &[Block]) {
        for x in self.inputs.iter().filter(|x| x.sealed) {
            let bytes = payload[x.at..x.at + x.len].as_mut_ptr();
            let counter = seal::counter(x.call as u32, x.buffer as u32);
            // SAFETY: `len` bytes in place; the algorithm was detected on this machine.
            unsafe {
                seal::xor_stream(algorithm, keys[x.call], counter, bytes, bytes, x.len);
            }
        }
    }
}

/// Writes the request into an arena. `again`: the tables are those of the worker's last request,
/// so that only the head and the payload need to be written.
pub fn write(shared: &Shared, request: &Request<'_>, again: bool) -> Result<(), Unfit> {
    write_at(shared, request, (wire::TABLES as u64, wire::PAYLOAD as u64), again)
}

/// The same with tables and payload at places of their own.
pub fn write_at(
    shared: &Shared,
    request: &Request<'_>,
    (at, payload): (u64, u64),
    again: bool,
) -> Result<(), Unfit> {
    let tables = request.tables;
    let (need, have) = (payload.saturating_add(tables.end), shared.len() as u64);
    let fits = need <= have && request.payload.len() == tables.payload_len;
    if !fits || !shared.copy_in(payload, request.payload) {
        return Err(Unfit::Arena { need, have });
    }
    let header = Header {
        calls: tables.calls as u32,
        buffers: tables.buffers as u32,
        frames: tables.frames as u32,
        makes: tables.makes as u32,
        reserved: 0,
        flags: request.flags() | if again { flags::AGAIN } else { 0 },
        poison: u64::from(request.poison),
        digests: tables.layout.digests,
        payload_len: tables.payload_len as u64,
    };
    let written = shared.copy_in(at, raw(&header))
        && (again || shared.copy_in(at + size_of::<Header>() as u64, &tables.bytes));
    if written { Ok(()) } else { Err(Unfit::Tables) }
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
        phase: b.phase,
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

// No padding: the sum of the fields is the whole.
const _: () = assert!(size_of::<Header>() == 6 * 4 + 3 * 8);
const _: () = assert!(size_of::<BufferDesc>() == 2 * 4 + 12 * 8 + MAX_OPS * 16);
const _: () = assert!(size_of::<FrameDesc>() == 4 * 4 + MAX_ARGS * 16);
const _: () = assert!(size_of::<Entry>() == 5 * 8);

fn push<T: Copy>(bytes: &mut Vec<u8>, value: &T) {
    bytes.extend_from_slice(raw(value));
}

/// The bytes of a table entry.
pub(super) fn raw<T: Copy>(value: &T) -> &[u8] {
    // SAFETY: the tables' types are `repr(C)` integers without padding (checked above).
    unsafe { std::slice::from_raw_parts(std::ptr::from_ref(value).cast(), size_of::<T>()) }
}
