//! Staging: from the tables to a burst that is ready to run. Nothing here is timed; everything
//! that the timed window needs is laid out so that it only has to be walked.

use std::mem::size_of;

use crate::cache::Caches;
use crate::fault::Context;
use crate::seal;
use crate::shared::Shared;
use crate::slots::{self, MAX_BUFFERS, Placed};
use crate::stub::Frame;
use crate::wire::{
    self, BufferDesc, FrameDesc, Header, MAX_ARGS, MAX_OPS, Operation, RET_VECTOR, Role, Status,
    arg, flags,
};

/// Most calls a burst may have.
pub const MAX_CALLS: u32 = 4096;

/// Where in an arena a request lies.
#[derive(Debug, Clone, Copy)]
pub struct Request {
    /// Its tables.
    pub tables: Shared,
    /// Its inputs, and room for its results.
    pub payload: Shared,
}

impl Request {
    /// The only one of an arena. `None` if that is too small.
    pub fn only(arena: &Shared) -> Option<Self> {
        let payload = arena.len().checked_sub(wire::PAYLOAD)?;
        Some(Self {
            tables: arena.part(wire::TABLES, wire::TABLES_LEN)?,
            payload: arena.part(wire::PAYLOAD, payload)?,
        })
    }
}

/// A burst ready to run.
#[derive(Debug, Default)]
pub struct Burst {
    /// The head it was made from.
    pub header: Header,
    /// Its calls, in order.
    pub calls: Vec<Call>,
    /// Digest of each call of the last run.
    pub digests: Vec<seal::Block>,
    /// Valid bytes of each output of each call of the last open run.
    pub lengths: Vec<u64>,
    /// Puts its data where its calls shall find them.
    pub caches: Caches,
    /// Private copy of the sealed inputs.
    staging: Vec<u8>,
}

/// One call of a burst.
#[derive(Debug, Default)]
pub struct Call {
    /// What to put in place while the clock runs.
    pub inputs: Vec<Segment>,
    /// Clear bytes of a sealed request, to be put in place before states are made.
    pub material: Vec<Segment>,
    /// What to call to prepare its states.
    pub makes: Vec<Step>,
    /// What to call.
    pub frames: Vec<Step>,
    /// What the digest covers: the rows of each output; then each input, since whoever left sealed
    /// what the function does not read would save time that is subtracted as if it had been spent.
    pub covered: Vec<seal::Stretch>,
    /// How many of them are outputs.
    pub outputs: usize,
    /// The outputs of which only a part counts, which is known after the call.
    pub partial: Vec<Partial>,
    /// Where the buffers lie.
    pub buffers: Vec<(BufferDesc, Placed)>,
}

/// Staged bytes, sealed or open, and where their plaintext goes.
#[derive(Debug, Clone, Copy)]
pub struct Segment {
    /// First block of its stream.
    pub counter: u64,
    /// The bytes, in the staging area.
    pub from: *const u8,
    /// Call buffer.
    pub to: *mut u8,
    /// Size.
    pub len: usize,
}

/// One C call with what is filled in while the clock runs.
#[derive(Debug)]
pub struct Step {
    /// The frame.
    pub frame: Frame,
    /// Arguments that lie in sealed bytes: (index, address).
    pub late: Vec<(usize, *const u64)>,
    /// Bytes of the return value ([`FrameDesc::ret`]).
    pub ret: u32,
    /// Whether it is in the digest.
    pub digested: bool,
}

impl Step {
    /// Makes the call.
    #[inline]
    pub fn call(&mut self) {
        self.fill_in();
        // SAFETY: the frame was built from the task's prototype. What graded code does is its own.
        unsafe { self.frame.call() };
    }

    /// Sets the arguments that were sealed.
    #[inline]
    pub fn fill_in(&mut self) {
        for (index, address) in &self.late {
            // SAFETY: `stage` checked that eight bytes of the scalars buffer lie there.
            self.frame.set(*index, unsafe { address.read_unaligned() });
        }
    }

    /// The return value, cut to its type.
    pub fn returned(&self) -> u64 {
        let vector = self.ret & RET_VECTOR != 0;
        let value = if vector { self.frame.ret_vector } else { self.frame.ret[0] };
        match self.ret & !RET_VECTOR {
            0 => 0,
            bytes @ 1..8 => value & ((1 << (8 * bytes)) - 1),
            _ => value,
        }
    }
}

/// An output whose valid length is computed after the call.
#[derive(Debug, Clone, Copy)]
pub struct Partial {
    /// Index in `Call::covered`.
    pub output: usize,
    /// Size of the whole, bytes.
    pub bytes: usize,
    /// Size of an element.
    pub elem: u64,
    /// Program for the number of valid elements.
    pub used: [Operation; MAX_OPS],
    /// Its length.
    pub used_len: usize,
}

/// Reads one table entry.
pub fn read<T: Copy + Default>(tables: &Shared, offset: usize) -> Option<T> {
    let mut value = T::default();
    let from = tables.range(offset as u64, size_of::<T>() as u64)?;
    // SAFETY: the tables' types are plain integers, valid for every bit pattern.
    unsafe { crate::shared::opaque_copy(from, (&raw mut value).cast(), size_of::<T>()) };
    Some(value)
}

impl Burst {
    /// Builds the burst that the tables describe.
    pub fn stage(
        &mut self,
        request: &Request,
        context: &mut Context,
        symbols: &[usize],
    ) -> Result<(), Status> {
        let mut header: Header = read(&request.tables, 0).ok_or(Status::BadTables)?;
        if header.flags & flags::AGAIN != 0 {
            header.flags &= !flags::AGAIN;
            return self.stage_again(request, header);
        }
        let fits = header.calls >= 1
            && header.calls <= MAX_CALLS
            && header.buffers as usize <= MAX_BUFFERS
            && header.frames <= 64
            && header.makes <= 64
            && wire::tables_len(header.calls, header.buffers, header.makes + header.frames)
                <= request.tables.len();
        // Plain calls find their input in place, and so does who prepares a state: there can only
        // be one.
        if !fits || ((!header.in_window() || header.makes > 0) && header.calls != 1) {
            return Err(Status::BadTables);
        }
        self.header = header;
        self.calls.resize_with(header.calls as usize, Call::default);
        self.digests.clear();
        self.digests.resize(header.calls as usize, [0, 0]);
        self.lengths.clear();
        self.lengths.reserve(header.calls as usize * header.buffers as usize);
        if header.in_window() {
            self.fetch(request)?;
        }
        self.caches.prepare(header.flags).ok_or(Status::NoMemory)?;
        for index in 0..header.calls {
            self.stage_call(index, request, context, symbols)?;
        }
        self.put_material();
        if header.makes == 0 {
            self.settle();
        }
        Ok(())
    }

    /// Makes the calls that prepare states.
    pub fn make(&mut self) {
        for call in &mut self.calls {
            call.makes.iter_mut().for_each(Step::call);
        }
        // These calls have moved everything else out of the way.
        self.settle();
    }

    /// Puts in place what is known before the clock starts.
    fn put_material(&self) {
        for s in self.calls.iter().flat_map(|call| &call.material) {
            // SAFETY: `stage_call` made both sides `len` bytes long.
            unsafe { std::ptr::copy_nonoverlapping(s.from, s.to, s.len) };
        }
    }

    /// Has the plain call find its data where it shall.
    fn settle(&self) {
        if self.header.in_window() {
            return;
        }
        for call in &self.calls {
            // SAFETY: placed just now.
            if unsafe { self.caches.place(self.header.flags, &call.buffers) } {
                continue;
            }
            for (d, placed) in &call.buffers {
                // SAFETY: the slot holds `bytes`.
                unsafe { slots::warm(placed.start, d.bytes as usize) };
            }
        }
    }

    /// The same calls as at the last stage with other inputs.
    fn stage_again(&mut self, request: &Request, header: Header) -> Result<(), Status> {
        let last = Header { poison: header.poison, ..self.header };
        if !header.in_window() || header != last || self.digests.len() != header.calls as usize {
            return Err(Status::BadTables);
        }
        self.header = header;
        self.fetch(request)?;
        for (d, placed) in self.calls.iter().flat_map(|call| &call.buffers) {
            // SAFETY: placed at the last stage; no slot was mapped anew since.
            unsafe { slots::prepare(d, placed, header.poison) };
        }
        self.put_material();
        Ok(())
    }

    /// Copies all inputs to the staging area, which has the payload's layout.
    fn fetch(&mut self, request: &Request) -> Result<(), Status> {
        let len = self.header.payload_len;
        let from = request.payload.range(0, len).ok_or(Status::BadTables)?;
        let len = len as usize;
        if self.staging.len() < len {
            self.staging.try_reserve(len).map_err(|_| Status::NoMemory)?;
            self.staging.resize(len, 0);
        }
        // SAFETY: both are `len` bytes; the staging area is private memory.
        unsafe { crate::shared::opaque_copy(from, self.staging.as_mut_ptr(), len) };
        Ok(())
    }

    fn buffer(&self, request: &Request, call: u32, index: u32) -> Result<BufferDesc, Status> {
        let (at, _) = wire::call_offsets(&self.header, call);
        read(&request.tables, at + index as usize * size_of::<BufferDesc>())
            .ok_or(Status::BadTables)
    }

    fn stage_call(
        &mut self,
        index: u32,
        request: &Request,
        context: &mut Context,
        symbols: &[usize],
    ) -> Result<(), Status> {
        let header = self.header;
        let late = header.in_window();
        let mut call = std::mem::take(&mut self.calls[index as usize]);
        call.inputs.clear();
        call.material.clear();
        call.makes.clear();
        call.frames.clear();
        call.covered.clear();
        call.partial.clear();
        call.buffers.clear();
        for b in 0..header.buffers {
            let d = self.buffer(request, index, b)?;
            let is = |role: Role| role as u32 == d.role;
            let read_only = is(Role::In) || is(Role::Material);
            let sealed = !late && read_only && header.flags & flags::READ_ONLY != 0;
            let shown = if sealed { context.slots.show(b as usize, &d) } else { None };
            let placed = match shown {
                Some(placed) => placed,
                None => context.slots.place(b as usize, &d).ok_or(Status::NoMemory)?,
            };
            context.starts[b as usize] = placed.start as usize;
            // SAFETY: just placed.
            unsafe { slots::prepare(&d, &placed, header.poison) };
            let len = d.bytes as usize;
            let filled = [Role::In, Role::InOut, Role::Scalars, Role::Material].into_iter().any(is);
            if filled && late {
                let end = d.payload.checked_add(d.bytes).ok_or(Status::BadTables)?;
                if end > header.payload_len {
                    return Err(Status::BadTables);
                }
                let from = self.staging[d.payload as usize..].as_ptr();
                let counter = seal::counter(index, b);
                let segment = Segment { counter, from, to: placed.start, len };
                let known = is(Role::Material);
                if known { &mut call.material } else { &mut call.inputs }.push(segment);
            } else if filled {
                let from = request.payload.range(d.payload, d.bytes).ok_or(Status::BadTables)?;
                // SAFETY: a slot holds `bytes`.
                unsafe { crate::shared::opaque_copy(from, placed.write, len) };
                if sealed && shown.is_none() {
                    context.slots.seal_input(b as usize).ok_or(Status::NoMemory)?;
                }
            }
            if d.rows > 0 {
                call.cover(&d, &placed)?;
            }
            call.buffers.push((d, placed));
        }
        call.cover_inputs();
        let (_, frames) = wire::call_offsets(&header, index);
        for f in 0..header.makes + header.frames {
            let d: FrameDesc = read(&request.tables, frames + f as usize * size_of::<FrameDesc>())
                .ok_or(Status::BadTables)?;
            let step = step(&d, &call.buffers, symbols)?;
            // A state is prepared before anything sealed can be read.
            match f < header.makes {
                true if !step.late.is_empty() => return Err(Status::BadTables),
                true => call.makes.push(step),
                false => call.frames.push(step),
            }
        }
        self.calls[index as usize] = call;
        Ok(())
    }

    /// Copies the last call's buffers, canaries included, and all digests to the results.
    pub fn flush(&self, payload: &Shared) -> Result<(), Status> {
        let Some(call) = self.calls.last() else { return Err(Status::BadTables) };
        for (d, placed) in call.buffers.iter().filter(|(d, _)| d.results != wire::NOT_FLUSHED) {
            let whole = placed.before + d.bytes + d.room + placed.after;
            let to = payload.range(d.results, whole).ok_or(Status::BadTables)?;
            // SAFETY: `placement` keeps buffer and canaries inside the slot.
            unsafe {
                crate::shared::opaque_copy(
                    placed.start.sub(placed.before as usize),
                    to,
                    whole as usize,
                )
            };
        }
        let ret = call.frames.last().map_or(0, Step::returned);
        let words = self.digests.iter().flatten().chain([&ret]).chain(&self.lengths);
        let bytes: Vec<u8> = words.flat_map(|word| word.to_le_bytes()).collect();
        if payload.copy_in(self.header.digests, &bytes) { Ok(()) } else { Err(Status::BadTables) }
    }
}

impl Call {
    /// Has the digest cover an output.
    fn cover(&mut self, d: &BufferDesc, placed: &Placed) -> Result<(), Status> {
        let last = (d.rows - 1).checked_mul(d.stride).and_then(|x| x.checked_add(d.row_bytes));
        let inside = last.is_some_and(|end| end <= d.bytes) && d.used_len as usize <= MAX_OPS;
        if !inside || (d.used_len > 0 && (d.rows != 1 || d.elem == 0)) {
            return Err(Status::BadTables);
        }
        let mut stretch = seal::Stretch {
            start: placed.start,
            rows: d.rows as usize,
            row_bytes: d.row_bytes as usize,
            stride: d.stride as usize,
        };
        if stretch.stride == stretch.row_bytes {
            // Rows without padding are one long row.
            stretch.row_bytes *= stretch.rows;
            stretch.rows = 1;
        }
        if d.used_len > 0 {
            self.partial.push(Partial {
                output: self.covered.len(),
                bytes: stretch.row_bytes,
                elem: d.elem,
                used: d.used,
                used_len: d.used_len as usize,
            });
        }
        self.covered.push(stretch);
        Ok(())
    }

    /// Has the digest cover the inputs, after all outputs.
    fn cover_inputs(&mut self) {
        self.outputs = self.covered.len();
        let inputs = self.buffers.iter().filter(|(d, _)| d.role == Role::In as u32);
        self.covered.extend(inputs.map(|(d, placed)| {
            let len = d.bytes as usize;
            seal::Stretch { start: placed.start, rows: 1, row_bytes: len, stride: len }
        }));
    }
}

fn step(
    d: &FrameDesc,
    buffers: &[(BufferDesc, Placed)],
    symbols: &[usize],
) -> Result<Step, Status> {
    let function = *symbols.get(d.symbol as usize).ok_or(Status::BadTables)?;
    let mut frame = Frame::new(function);
    let mut late = Vec::new();
    if d.args_len as usize > MAX_ARGS {
        return Err(Status::BadTables);
    }
    for (i, a) in d.args.iter().enumerate().take(d.args_len as usize) {
        match a.kind {
            arg::VALUE => frame.set(i, a.value),
            arg::POINTER | arg::SEALED => {
                let (b, placed) = buffers.get(a.buffer as usize).ok_or(Status::BadTables)?;
                let size = if a.kind == arg::SEALED { 8 } else { 0 };
                if a.value.checked_add(size).is_none_or(|end| end > b.bytes + b.room) {
                    return Err(Status::BadTables);
                }
                // SAFETY: inside the buffer, or one past its end.
                let address = unsafe { placed.start.add(a.value as usize) };
                if a.kind == arg::POINTER {
                    frame.set(i, address as u64);
                } else {
                    frame.set(i, 0);
                    late.push((i, address.cast_const().cast()));
                }
            }
            _ => return Err(Status::BadTables),
        }
    }
    Ok(Step { frame, late, ret: d.ret, digested: d.ret_digest != 0 })
}
