//! A series: many requests by one ring. For the gate, which has no clock.

use std::mem::size_of;
use std::sync::atomic::Ordering;

use crate::abi;
use crate::driver::{Driver, invoke};
use crate::fault::Context;
use crate::shared::{Shared, opaque_copy};
use crate::stage::{Burst, Request, read};
use crate::wire::series::{self, Entry, Reply};
use crate::wire::{Status, notes};

impl Driver {
    /// Makes and flushes the requests of a series in order.
    pub(crate) fn series(&self, burst: &mut Burst, context: &mut Context) -> Result<(), Status> {
        let arena = context.shared;
        let answered = arena.half(notes::ANSWERED);
        let count = arena.word(series::COUNT).load(Ordering::Relaxed);
        if count > series::MOST as u64 {
            return Err(Status::BadTables);
        }
        for index in 0..count as usize {
            let at = series::ENTRIES + index * size_of::<Entry>();
            let entry: Entry = read(&arena, at).ok_or(Status::BadTables)?;
            let request = place(&arena, &entry).ok_or(Status::BadTables)?;
            burst.stage(&request, context, &self.symbols)?;
            if burst.header.makes > 0 {
                burst.make();
            }
            let reply = self.checked(burst, &entry);
            burst.flush(&request.payload)?;
            let to = arena.range(entry.reply, size_of::<Reply>() as u64);
            // SAFETY: the reply is plain integers, and has room in the arena.
            unsafe {
                let from = (&raw const reply).cast();
                opaque_copy(from, to.ok_or(Status::BadTables)?, size_of::<Reply>());
            }
            // A fault of the next one is told from this one's by the number.
            answered.store(index as u32 + 1, Ordering::Release);
        }
        Ok(())
    }

    /// Runs what was staged through the checking stub, and digests it.
    fn checked(&self, burst: &mut Burst, entry: &Entry) -> Reply {
        let mut found = None;
        let in_window = burst.header.in_window();
        let mut digest = self.run(burst, entry.key, |call| match &self.aids {
            // The ABI is not theirs to check: they have a hand in it themselves.
            Some(aids) => {
                aids.before(call);
                invoke(call);
                aids.after(call);
            }
            None => {
                let left = abi::invoke(call);
                found = found.or(left);
            }
        });
        if !in_window {
            let set = burst.header.flags;
            digest =
                burst.calls.last_mut().map_or([0, 0], |call| self.digest(call, entry.key, set));
        }
        let (violator, violation) = found.unwrap_or_default();
        Reply { digest, violator: violator as u32, violation }
    }
}

/// Where a request of a series lies.
fn place(arena: &Shared, entry: &Entry) -> Option<Request> {
    let tables = entry.payload.checked_sub(entry.tables)?;
    let payload = entry.reply.checked_sub(entry.payload)?;
    Some(Request {
        tables: arena.part(entry.tables as usize, tables as usize)?,
        payload: arena.part(entry.payload as usize, payload as usize)?,
    })
}
