//! What a worker handed back, copied out once into private memory.

use speedgate_harness::seal::Block;
use speedgate_harness::shared::Shared;
use speedgate_harness::wire;

use super::lifecycle::Worker;
use super::request::Layout;

/// What was flushed of one request.
#[derive(Debug, Clone, Copy)]
pub struct Results<'w> {
    pub(super) shared: Shared,
    /// Where the request's payload begins.
    pub(super) payload: u64,
    pub(super) layout: &'w Layout,
}

impl Worker {
    /// Of the request that was staged last.
    pub fn results(&self) -> Results<'_> {
        static NOTHING: Layout = Layout::new();
        let layout = self.staged.as_ref().map_or(&NOTHING, |(tables, _)| tables.layout());
        Results { shared: self.shared(), payload: wire::PAYLOAD as u64, layout }
    }

    pub(super) fn copy(&self, at: u64, len: u64) -> Vec<u8> {
        copy(&self.shared(), at, len)
    }
}

impl Results<'_> {
    /// A flushed buffer: (slack before, all bytes with slack, slack after). Empty if it was not
    /// asked for.
    pub fn buffer(&self, index: usize, bytes: u64) -> (u64, Vec<u8>, u64) {
        let asked = self.layout.buffers.get(index).filter(|(at, ..)| *at != wire::NOT_FLUSHED);
        let Some(&(at, before, after)) = asked else { return (0, Vec::new(), 0) };
        (before, copy(&self.shared, self.payload + at, before + bytes + after), after)
    }

    /// The digest of each call.
    pub fn digests(&self) -> Vec<Block> {
        self.words(0, 2 * self.layout.calls).as_chunks().0.to_vec()
    }

    /// Return value of the last call.
    pub fn returned(&self) -> u64 {
        self.words(2 * self.layout.calls, 1)[0]
    }

    /// Valid bytes of each output of each call in turn; of an open request.
    pub fn lengths(&self) -> Vec<u64> {
        let Layout { calls, outputs, .. } = self.layout;
        self.words(2 * calls + 1, calls * outputs)
    }

    fn words(&self, skip: usize, count: usize) -> Vec<u64> {
        let at = self.payload + self.layout.digests + 8 * skip as u64;
        let bytes = copy(&self.shared, at, 8 * count as u64);
        bytes.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word)).collect()
    }
}

fn copy(shared: &Shared, at: u64, len: u64) -> Vec<u8> {
    let mut bytes = vec![0; len as usize];
    let copied = shared.copy_out(at, &mut bytes);
    debug_assert!(copied, "the layout was checked when the request was written");
    bytes
}
