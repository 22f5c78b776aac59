//! The driver: turns requests into calls. It is *not trusted*: graded code shares its address
//! space. Whatever it does, the supervisor's clock and the digest say what was achieved.

use std::sync::atomic::{Ordering, fence};

use crate::bell;
use crate::fault::Context;
use crate::practice::Aids;
use crate::seal::{self, Algorithm, Block};
use crate::shared::Shared;
use crate::stage::{Burst, Call, Partial, Request, Step};
use crate::wire::{self, Command, Operation, Status, flags, op};

/// What the worker was started with.
#[derive(Debug)]
pub struct Driver {
    /// Seal in use.
    pub algorithm: Algorithm,
    /// Looks at the go bell before sleeping in the kernel; 0 where both sides share a core.
    pub spins: u32,
    /// Addresses of the library's functions.
    pub symbols: Vec<usize>,
    /// What an engineer's own worker does around checked calls; a worker that grades does nothing.
    pub aids: Option<Aids>,
}

impl Driver {
    /// Serves rings until told to exit; `last` is the go bell's value before the first.
    pub fn serve(&self, context: &mut Context, mut last: u64) {
        let bells = context.bells;
        let Some(request) = Request::only(&context.shared) else { return };
        let mut burst = Burst::default();
        let mut timed = true;
        loop {
            last = self.wait(&bells, last, timed);
            let command = bells.half(wire::go::COMMAND).load(Ordering::Relaxed);
            let key = bells.pair(wire::go::KEY);
            // After a series there comes another one, or nothing for long.
            timed = command != Command::Series as u32;
            let mut digest = [0, 0];
            let status = if command == Command::Run as u32 {
                digest = self.run(&mut burst, key, invoke);
                Ok(())
            } else if command == Command::Series as u32 {
                self.series(&mut burst, context)
            } else if command == Command::Stage as u32 {
                burst.stage(&request, context, &self.symbols)
            } else if command == Command::Digest as u32 {
                let set = burst.header.flags;
                digest = burst.calls.last_mut().map_or([0, 0], |c| self.digest(c, key, set));
                Ok(())
            } else if command == Command::Make as u32 {
                burst.make();
                Ok(())
            } else if command == Command::Flush as u32 {
                burst.flush(&request.payload)
            } else {
                return;
            };
            bells.set_pair(wire::done::DIGEST, digest);
            answer(&bells, status.err().unwrap_or(Status::Ok));
        }
    }

    fn wait(&self, bells: &Shared, last: u64, timed: bool) -> u64 {
        let bell = bells.word(wire::go::BELL);
        let rung = match timed {
            true => bell::spin(bell, last, self.spins),
            false => bell::spin_gently(bell, last, self.spins),
        };
        if let Some(now) = rung {
            return now;
        }
        let waiting = bells.half(wire::done::WAITING);
        waiting.store(1, Ordering::SeqCst);
        loop {
            let now = bell.load(Ordering::SeqCst);
            if now != last {
                waiting.store(0, Ordering::Relaxed);
                return now;
            }
            bell::futex_wait(bell, last, None);
        }
    }

    /// The timed window.
    pub(crate) fn run(
        &self,
        burst: &mut Burst,
        mut key: Block,
        mut invoke: impl FnMut(&mut Call),
    ) -> Block {
        let Burst { header, calls, digests, lengths, caches, .. } = burst;
        if !header.in_window() {
            calls.iter_mut().for_each(invoke);
            return [0, 0];
        }
        let open = header.flags & flags::OPEN != 0;
        let chained = header.flags & flags::CHAINED != 0;
        lengths.clear();
        let mut all = [0, 0];
        for (call, slot) in calls.iter_mut().zip(digests) {
            for s in &call.inputs {
                // SAFETY: `stage` made both sides `len` bytes long.
                unsafe {
                    if open {
                        std::ptr::copy_nonoverlapping(s.from, s.to, s.len);
                    } else {
                        seal::xor_stream(self.algorithm, key, s.counter, s.from, s.to, s.len);
                    }
                }
            }
            // SAFETY: placed at stage.
            unsafe { caches.place(header.flags, &call.buffers) };
            if chained {
                // A short call would overlap with unsealing and digest, and seem to take less than
                // it does: the empty function has nothing to overlap. Independent calls may.
                fence_instructions();
                invoke(call);
                fence_instructions();
            } else {
                invoke(call);
            }
            let digest = self.digest(call, key, header.flags);
            if open {
                note_lengths(call, lengths);
            }
            *slot = digest;
            if chained {
                key = digest;
            }
            all = if chained { digest } else { seal::combine(all, digest) };
        }
        all
    }

    pub(crate) fn digest(&self, call: &mut Call, key: Block, set: u32) -> Block {
        let ret = call.frames.last().map_or(0, Step::returned);
        for i in 0..call.partial.len() {
            let p = &call.partial[i];
            let (output, bytes) = (p.output, valid_bytes(p, call, ret));
            call.covered[output].row_bytes = bytes;
        }
        let digested = call.frames.last().is_some_and(|s| s.digested);
        let ret = if digested { ret } else { 0 };
        // SAFETY: every stretch lies in a placed buffer.
        unsafe {
            match set & flags::BINDING {
                0 => seal::digest(self.algorithm, key, &call.covered, ret),
                _ => seal::binding(key, &call.covered, ret),
            }
        }
    }
}

/// Writes the answer: status first, the bell last.
pub fn answer(bells: &Shared, status: Status) {
    bells.half(wire::done::STATUS).store(status as u32, Ordering::Relaxed);
    let nonce = bells.word(wire::go::NONCE).load(Ordering::Relaxed);
    bells.word(wire::done::BELL).store(nonce, Ordering::Release);
    // The bell must be visible before we look whether the supervisor sleeps, or both would wait.
    fence(Ordering::SeqCst);
    if bells.half(wire::go::WAITING).load(Ordering::Relaxed) != 0 {
        bell::futex_wake(bells.word(wire::done::BELL));
    }
}

/// Waits until all instructions before it are done.
#[inline]
fn fence_instructions() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a baseline instruction without operands.
    unsafe {
        std::arch::x86_64::_mm_lfence();
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: as above.
    unsafe {
        std::arch::asm!("isb", options(nostack, preserves_flags));
    }
}

/// Makes the C calls of a unit.
#[inline]
pub fn invoke(call: &mut Call) {
    call.frames.iter_mut().for_each(Step::call);
}

/// Notes how many bytes of each output were valid, as the digest found.
fn note_lengths(call: &Call, lengths: &mut Vec<u64>) {
    let outputs = &call.covered[..call.outputs];
    lengths.extend(outputs.iter().map(|o| (o.rows * o.row_bytes) as u64));
}

fn valid_bytes(partial: &Partial, call: &Call, ret: u64) -> usize {
    let elements = evaluate(&partial.used[..partial.used_len], call, ret);
    elements.saturating_mul(partial.elem).min(partial.bytes as u64) as usize
}

/// Runs a postfix program. A malformed one yields 0: it is ours, or graded code tampered with it.
fn evaluate(program: &[Operation], call: &Call, ret: u64) -> u64 {
    let mut stack = [0u64; wire::MAX_OPS];
    let mut depth = 0usize;
    for o in program {
        let value = match o.code {
            op::CONST => o.operand,
            op::RET => ret,
            op::DEREF => call.buffers.get(o.operand as usize).map_or(0, |(d, placed)| {
                let mut bytes = [0u8; 8];
                let n = d.elem.min(d.bytes).min(8) as usize;
                // SAFETY: n bytes lie at the buffer's start.
                unsafe { std::ptr::copy_nonoverlapping(placed.start, bytes.as_mut_ptr(), n) };
                u64::from_le_bytes(bytes)
            }),
            code => {
                let Some(below) = depth.checked_sub(2) else { return 0 };
                let (a, b) = (stack[below], stack[below + 1]);
                depth = below;
                match code {
                    op::ADD => a.wrapping_add(b),
                    op::SUB => a.wrapping_sub(b),
                    op::MUL => a.wrapping_mul(b),
                    op::DIV => a.checked_div(b).unwrap_or(0),
                    op::REM => a.checked_rem(b).unwrap_or(0),
                    op::MIN => a.min(b),
                    op::MAX => a.max(b),
                    _ => return 0,
                }
            }
        };
        let Some(top) = stack.get_mut(depth) else { return 0 };
        *top = value;
        depth += 1;
    }
    if depth == 1 { stack[0] } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(program: &[(u64, u64)], ret: u64) -> u64 {
        let program: Vec<_> =
            program.iter().map(|&(code, operand)| Operation { code, operand }).collect();
        evaluate(&program, &Call::default(), ret)
    }

    #[test]
    fn programs_compute() {
        assert_eq!(run(&[(op::CONST, 7), (op::RET, 0), (op::MIN, 0)], 5), 5);
        assert_eq!(
            run(&[(op::RET, 0), (op::CONST, 2), (op::MUL, 0), (op::CONST, 1), (op::ADD, 0)], 5),
            11
        );
        assert_eq!(run(&[(op::CONST, 7), (op::CONST, 0), (op::DIV, 0)], 0), 0);
    }

    #[test]
    fn malformed_programs_are_harmless() {
        assert_eq!(run(&[(op::ADD, 0)], 0), 0);
        assert_eq!(run(&[(op::CONST, 1), (op::CONST, 1)], 0), 0);
        assert_eq!(run(&[(99, 0)], 0), 0);
        assert_eq!(run(&[(op::CONST, 1); 40], 0), 0);
        assert_eq!(run(&[(op::DEREF, 12)], 0), 0);
    }
}
