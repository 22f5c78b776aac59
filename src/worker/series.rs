//! A series of requests by one ring: the worker answers them one after the other, while the
//! supervisor does something else.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use speedgate_harness::seal::Block;
use speedgate_harness::wire::series::{self, Entry, Reply};
use speedgate_harness::wire::{self, Command, Header, notes};

use super::answers::Results;
use super::doorbell::Ring;
use super::fate::{Fate, Violation};
use super::lifecycle::{Patience, Worker};
use super::request::{self, Request, Tables, Unfit};

/// Most requests of a series.
pub const MOST: usize = series::MOST;

/// The requests that a worker was last asked by one ring.
#[derive(Debug, Default)]
pub(super) struct Series {
    asked: Vec<(Arc<Tables>, Entry)>,
    ring: Option<Ring>,
}

/// Why not all of a series was answered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unfinished {
    /// The deadline passed; the worker goes on.
    #[error("the time was over")]
    Late,
    /// The worker ended.
    #[error(transparent)]
    Fell(#[from] Fate),
}

impl Worker {
    /// Asks these requests, each with its key, and does not wait for the answers.
    ///
    /// # Errors
    /// When they do not fit in the arena, or the worker has ended.
    pub fn begin(&mut self, requests: &[(Request<'_>, Block)]) -> Result<(), Fate> {
        self.alive()?;
        self.staged = None;
        self.series.asked.clear();
        let shared = self.shared();
        let unfit = |unfit: Unfit| Fate::Ours(unfit.to_string());
        let mut end = wire::PAYLOAD as u64;
        for (request, key) in requests {
            let tables = end.next_multiple_of(64);
            let len = (size_of::<Header>() + request.tables.len()) as u64;
            let payload = (tables + len).next_multiple_of(64);
            let reply = (payload + request.tables.room()).next_multiple_of(64);
            end = reply + size_of::<Reply>() as u64;
            request::write_at(&shared, request, (tables, payload), false).map_err(unfit)?;
            let entry = Entry { tables, payload, reply, key: *key };
            let at = series::ENTRIES + self.series.asked.len() * size_of::<Entry>();
            let have = shared.len() as u64;
            if end > have || self.series.asked.len() == MOST {
                return Err(unfit(Unfit::Arena { need: end, have }));
            }
            if !shared.copy_in(at as u64, request::raw(&entry)) {
                return Err(unfit(Unfit::Tables));
            }
            self.series.asked.push((request.tables.clone(), entry));
        }
        shared.word(series::COUNT).store(self.series.asked.len() as u64, Ordering::Relaxed);
        shared.half(notes::ANSWERED).store(0, Ordering::Relaxed);
        self.series.ring = Some(self.ring(Command::Series, [0, 0])?);
        Ok(())
    }

    /// Waits until all are answered; each may take as long as `patience`, and all of them until
    /// `deadline`.
    ///
    /// # Errors
    /// What came first; what is answered until then ([`Self::answered`]) is there.
    pub fn finish(&mut self, patience: Patience, deadline: Instant) -> Result<(), Unfinished> {
        let Some(ring) = self.series.ring.take() else { return Ok(self.alive()?) };
        let mut since = (0, self.now());
        let (_, _, status) = self.wait_while::<false, _>(ring.nonce, |worker| {
            let answered = worker.answered();
            if answered > since.0 {
                since = (answered, worker.now());
            }
            let (_, (begin, cpu)) = since;
            worker.check(begin, cpu, patience)?;
            if Instant::now() > deadline { Err(Unfinished::Late) } else { Ok(()) }
        })?;
        Ok(self.accept(status)?)
    }

    /// How many requests of the series have been answered, as the worker itself tells.
    pub fn answered(&self) -> usize {
        let noted = self.shared().half(notes::ANSWERED).load(Ordering::Acquire) as usize;
        noted.min(self.series.asked.len())
    }

    /// What it said to one request of the series: its results, the digest it committed to, and what
    /// the call left in disorder. None of a request that there is not.
    pub fn answer(&self, index: usize) -> Option<(Results<'_>, Block, Option<Violation>)> {
        let (tables, entry) = self.series.asked.get(index)?;
        let (shared, payload) = (self.shared(), entry.payload);
        let results = Results { shared, payload, layout: tables.layout() };
        let mut bytes = [0; size_of::<Reply>()];
        let copied = shared.copy_out(entry.reply, &mut bytes);
        debug_assert!(copied, "the place was checked when the request was written");
        // SAFETY: plain integers, valid for every bit pattern, of the same size.
        let reply: Reply = unsafe { std::mem::transmute(bytes) };
        Some((results, reply.digest, Violation::new(reply.violator, reply.violation)))
    }
}
