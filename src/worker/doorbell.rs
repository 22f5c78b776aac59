//! The doorbell: a question to a worker, the clock around it, and the wait for its answer.

use std::sync::atomic::{Ordering, fence};
use std::time::{Duration, Instant};

use speedgate_harness::bell;
use speedgate_harness::seal::Block;
use speedgate_harness::wire::{self, Command, Status, notes};

use super::clock::{self, Ticks};
use super::fate::Fate;
use super::lifecycle::{Patience, Timed, Worker};
use super::process;

/// Looks at the done bell before the supervisor sleeps: `SPIN_CHUNKS` times this many, some 5 ms.
const SPIN_CHUNK: u32 = 4096;
const SPIN_CHUNKS: u32 = 2048;

/// A question that is not answered yet.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ring {
    /// What the done bell will show.
    pub nonce: u64,
    /// When it was asked.
    begin: Ticks,
}

impl Worker {
    pub(super) fn ask(
        &mut self,
        command: Command,
        key: Block,
        patience: Patience,
    ) -> Result<Timed, Fate> {
        let Ring { nonce, begin } = self.ring(command, key)?;
        let (end, digest, status) = self.wait(nonce, patience)?;
        self.accept(status)?;
        Ok(Timed { ticks: end.saturating_sub(begin), digest, disturbed: false })
    }

    /// Rings the bell.
    #[inline]
    pub(super) fn ring(&mut self, command: Command, key: Block) -> Result<Ring, Fate> {
        self.alive()?;
        let bells = self.bells();
        let nonce = rand::random::<u64>() | 1;
        self.bells.bell += 1;
        if !self.spin {
            bells.half(wire::go::WAITING).store(1, Ordering::SeqCst);
        }
        let begin = clock::start(self.source);
        // Nothing that could be used to answer is in the page before this line.
        bells.set_pair(wire::go::KEY, key);
        bells.word(wire::go::NONCE).store(nonce, Ordering::Relaxed);
        bells.half(wire::go::COMMAND).store(command as u32, Ordering::Relaxed);
        bells.word(wire::go::BELL).store(self.bells.bell, Ordering::Release);
        Ok(Ring { nonce, begin })
    }

    pub(super) fn accept(&mut self, status: u32) -> Result<(), Fate> {
        if status == Status::Ok as u32 {
            return Ok(());
        }
        let fate = if status == Status::LoadFailed as u32 {
            let len = self.shared().half(notes::MESSAGE_LEN).load(Ordering::Relaxed) as usize;
            let text = self.copy(notes::MESSAGE as u64, len.min(notes::MESSAGE_MAX) as u64);
            Fate::LoadFailed(String::from_utf8_lossy(&text).into_owned())
        } else {
            Fate::Corrupted(status)
        };
        Err(self.end(fate))
    }

    /// Waits for the done bell to show `nonce`: (time seen, digest, status).
    pub(super) fn wait(
        &mut self,
        nonce: u64,
        patience: Patience,
    ) -> Result<(Ticks, Block, u32), Fate> {
        let mut since = None;
        self.wait_while::<true, _>(nonce, |worker| {
            let (begin, cpu) = *since.get_or_insert_with(|| worker.now());
            worker.check(begin, cpu, patience)
        })
    }

    /// The time, and the worker's own.
    pub(super) fn now(&self) -> (Instant, Duration) {
        (Instant::now(), process::cpu_time(self.pid()))
    }

    /// The same, asking now and then whether there is an answer to hope for; where nothing is `TIMED`,
    /// with consideration for the other core.
    pub(super) fn wait_while<const TIMED: bool, E>(
        &mut self,
        nonce: u64,
        mut check: impl FnMut(&mut Self) -> Result<(), E>,
    ) -> Result<(Ticks, Block, u32), E> {
        let bells = self.bells();
        let done = bells.word(wire::done::BELL);
        let seen = |source| {
            // The digest is taken before the clock is read: one that arrives later is too late.
            let digest = bells.pair(wire::done::DIGEST);
            let end = clock::stop(source);
            (end, digest, bells.half(wire::done::STATUS).load(Ordering::Relaxed))
        };
        let asleep = bells.half(wire::done::WAITING);
        // Whether the worker still lives is asked after that: as soon as with plain loads.
        let chunks = if TIMED { SPIN_CHUNKS } else { SPIN_CHUNKS / bell::GENTLY };
        for _ in 0..if self.spin { chunks } else { 0 } {
            for _ in 0..SPIN_CHUNK {
                if done.load(Ordering::Acquire) == nonce {
                    return Ok(seen(self.source));
                }
                if !TIMED {
                    std::hint::spin_loop();
                }
            }
            if asleep.load(Ordering::Relaxed) != 0 {
                bell::futex_wake(bells.word(wire::go::BELL));
            }
        }
        let sleeping = bells.half(wire::go::WAITING);
        sleeping.store(1, Ordering::SeqCst);
        loop {
            fence(Ordering::SeqCst);
            if asleep.load(Ordering::Relaxed) != 0 {
                bell::futex_wake(bells.word(wire::go::BELL));
            }
            let now = done.load(Ordering::SeqCst);
            if now == nonce {
                let answer = seen(self.source);
                if self.spin {
                    sleeping.store(0, Ordering::Relaxed);
                }
                return Ok(answer);
            }
            bell::futex_wait(done, now, Some(Duration::from_millis(2)));
            check(self)?;
        }
    }
}
