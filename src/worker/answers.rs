//! What a worker handed back, copied out once into private memory.

use speedgate_harness::seal::Block;
use speedgate_harness::wire;

use super::lifecycle::Worker;
use super::request::Layout;

impl Worker {
    /// A flushed buffer: (slack before, all bytes with slack, slack after). Empty if it was not
    /// asked for.
    pub fn buffer(&self, index: usize, bytes: u64) -> (u64, Vec<u8>, u64) {
        let Some(&(at, before, after)) =
            self.layout().buffers.get(index).filter(|(at, ..)| *at != wire::NOT_FLUSHED)
        else {
            return (0, Vec::new(), 0);
        };
        (before, self.copy(at, before + bytes + after), after)
    }

    /// The flushed digest of each call.
    pub fn digests(&self) -> Vec<Block> {
        self.words(0, 2 * self.layout().calls).chunks(2).map(|d| [d[0], d[1]]).collect()
    }

    /// Return value of the last call, after a flush.
    pub fn returned(&self) -> u64 {
        self.words(2 * self.layout().calls, 1)[0]
    }

    /// Valid bytes of each output of each call in turn, after a flush of an open request.
    pub fn lengths(&self) -> Vec<u64> {
        let Layout { calls, outputs, .. } = self.layout();
        self.words(2 * calls + 1, calls * outputs)
    }

    fn layout(&self) -> &Layout {
        static NOTHING: Layout = Layout::new();
        self.staged.as_ref().map_or(&NOTHING, |(tables, _)| tables.layout())
    }

    fn words(&self, skip: usize, count: usize) -> Vec<u64> {
        let bytes = self.copy(self.layout().digests + 8 * skip as u64, 8 * count as u64);
        bytes.chunks_exact(8).map(|w| u64::from_le_bytes(w.try_into().expect("8 bytes"))).collect()
    }

    pub(super) fn copy(&self, at: u64, len: u64) -> Vec<u8> {
        let mut bytes = vec![0; len as usize];
        let copied = self.shared().copy_out(at, &mut bytes);
        debug_assert!(copied, "the layout was checked when the request was written");
        bytes
    }
}
