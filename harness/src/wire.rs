//! The shared page: what the supervisor and a worker say to each other.
//!
//! One memory file a worker, mapped by both. The supervisor describes a *request* in the tables,
//! leaves its inputs in the payload, and rings the go bell; the worker does as told and rings the
//! done bell. Each line has one writer and is 128 bytes wide, so that neither a store of the other
//! side nor the adjacent-line prefetcher ever pulls it away in the middle of a burst.
//!
//! ```text
//! offset            size      writer      what
//! 0                 256       worker      notes: how it started, where it faulted        (`notes`)
//! 256               8         supervisor  which of the bells is used                     (`CHOICE`)
//! 4096              TABLES    supervisor  `Header`, then per call its buffers and frames
//! BELLS             BELLS_LEN             places for a pair of bells:
//!   + 0             128       supervisor  go line: bell, nonce, key, command             (`go`)
//!   + 128           128       worker      done line: bell (= nonce), digest              (`done`)
//! PAYLOAD           rest      both        payload (supervisor), then results (worker), as the tables say
//! ```
//!
//! Why there are many places for one pair of bells: how long a line takes from core to core depends
//! on where in the chip its address is looked after, by up to half of the round trip. Two workers
//! with bells in unlike places would have unlike stopwatches. So supervisor and worker try all
//! places before the library is loaded, and the worker keeps the quickest for its life.
//!
//! A request is two to four rings of the go bell: *stage* (copy inputs in, poison outputs, build
//! the call frames: nothing secret yet), *make* where the unit has states that the library itself
//! prepares (timed on its own), *run* (the timed window: unseal, call, digest; a plain
//! request only calls, and is asked for its *digest* afterwards), and, where bytes are to be looked
//! at, *flush* (copy every buffer out to the results). A ring is a new value of `GoLine::bell`;
//! its answer is the ring's nonce in `DoneLine::bell`. The nonce is 64 random bits and lies in the
//! same line as the key, so an answer can't be prepared before the question.
//!
//! The gate, which has no clock, asks for many requests by one ring: a *series*. The tables then
//! hold its [`series`] list, and each request lies beyond [`PAYLOAD`] with tables and payload of its
//! own. The worker makes all of each before it looks at the next, through the checking stub.
//!
//! Everything the worker writes is a hostile writer's: the supervisor reads each field once, at
//! offsets it computed itself, and believes only bytes that match the oracle's.

mod tables;

pub use self::tables::*;

/// Offset of the go line in a place for bells.
pub const GO: usize = 0;
/// Offset of the done line in a place for bells.
pub const DONE: usize = 128;
/// Offset of the notes.
pub const NOTES: usize = 0;
/// u64: which place the worker is to answer in next ([`order`]); 0: none yet.
pub const CHOICE: usize = 256;
/// Offset of the tables.
pub const TABLES: usize = 4096;
/// Size of the tables.
pub const TABLES_LEN: usize = 1 << 20;
/// Offset of the places for bells.
pub const BELLS: usize = TABLES + TABLES_LEN;
/// Places for bells.
pub const PLACES: usize = 48;
/// From one place to the next: another page, and another line of it.
const PLACE_STEP: usize = 4096 + PLACE_LEN;
/// Size of a place for bells.
pub const PLACE_LEN: usize = 256;
/// Round trips by which a place is judged.
pub const TRIES: u64 = 100;
/// Offset of payload and results.
pub const PAYLOAD: usize = (BELLS + PLACES * PLACE_STEP).next_multiple_of(4096);

/// An order to answer [`TRIES`] rings in a place, or to keep it for good; each has a number of its
/// own, so that the next one can be told from it.
pub const fn order(number: u64, place: usize, keep: bool) -> u64 {
    number << 16 | (keep as u64) << 15 | place as u64
}

/// Place of an order, and whether it is to be kept.
pub const fn ordered(order: u64) -> (usize, bool) {
    ((order & 0x7FFF) as usize, order >> 15 & 1 == 1)
}

/// Offset of a place for bells.
pub const fn place(index: usize) -> usize {
    BELLS + index * PLACE_STEP
}

/// The go line: offsets in a place for bells.
pub mod go {
    /// u64, written last with release: a new value means a new command.
    pub const BELL: usize = super::GO;
    /// u64: what the done bell must be set to.
    pub const NONCE: usize = super::GO + 8;
    /// Two u64: key of the first call's seal.
    pub const KEY: usize = super::GO + 16;
    /// u32: a `Command`.
    pub const COMMAND: usize = super::GO + 32;
    /// u32: not 0 while the supervisor sleeps on the done bell.
    pub const WAITING: usize = super::GO + 36;
}

/// The done line: offsets in a place for bells.
pub mod done {
    /// u64, written last with release: the nonce of the ring that is answered.
    pub const BELL: usize = super::DONE;
    /// Two u64: digest of the last call, or of the whole burst for independent calls.
    pub const DIGEST: usize = super::DONE + 8;
    /// u32: a `Status`.
    pub const STATUS: usize = super::DONE + 24;
    /// u32: not 0 while the worker sleeps on the go bell.
    pub const WAITING: usize = super::DONE + 28;
}

/// Offsets inside the notes.
pub mod notes {
    /// u32: signal that the fault handler saw, 0 for none.
    pub const SIGNAL: usize = super::NOTES;
    /// u32: index of the buffer whose guard was hit, `u32::MAX` for none.
    pub const BUFFER: usize = super::NOTES + 4;
    /// i64: faulting address relative to the buffer's first byte.
    pub const OFFSET: usize = super::NOTES + 8;
    /// u32: length of the start-up message.
    pub const MESSAGE_LEN: usize = super::NOTES + 16;
    /// Start-up message, UTF-8, cut at 200 bytes.
    pub const MESSAGE: usize = super::NOTES + 20;
    /// Longest message.
    pub const MESSAGE_MAX: usize = 200;
    /// u32: how many requests of the series have been answered.
    pub const ANSWERED: usize = super::NOTES + 224;
}

/// A series of requests: what stands in the tables, and what comes back.
pub mod series {
    /// u64: how many requests there are.
    pub const COUNT: usize = super::TABLES;
    /// [`Entry`] of each.
    pub const ENTRIES: usize = super::TABLES + 64;
    /// Most requests.
    pub const MOST: usize = 512;

    /// One request, by offsets in the arena.
    #[repr(C)]
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub struct Entry {
        /// Its tables, a multiple of 64 as the others.
        pub tables: u64,
        /// Its payload and results, which follow.
        pub payload: u64,
        /// Where they end, and its [`Reply`] goes.
        pub reply: u64,
        /// Key of the seal.
        pub key: [u64; 2],
    }

    /// What the worker says of one request beside its results.
    #[repr(C)]
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub struct Reply {
        /// Digest of its outputs.
        pub digest: [u64; 2],
        /// Index of the first C call of the unit that left something in disorder.
        pub violator: u32,
        /// What that was (see `abi`), 0 for nothing.
        pub violation: u32,
    }
}

/// What a ring of the go bell asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Command {
    /// Prepare the request that the tables describe.
    Stage = 1,
    /// Run its calls.
    Run = 2,
    /// Copy every buffer to the results.
    Flush = 3,
    /// Leave.
    Exit = 4,
    /// Digest the outputs of a plain call, after its clock has stopped.
    Digest = 5,
    /// Stage, run, digest and flush each request of the [`series`], through the checking stub, which
    /// finds violations of the ABI.
    Series = 6,
    /// Make the calls that prepare the staged call's states.
    Make = 7,
}

/// How the worker answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Status {
    /// Done.
    Ok = 0,
    /// The library could not be loaded; the message says why.
    LoadFailed = 1,
    /// The tables make no sense (a bug of ours, or graded code overwrote them).
    BadTables = 2,
    /// No memory for the buffers.
    NoMemory = 3,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_do_not_share_a_cache_line_pair() {
        assert_eq!(GO % 128, 0);
        assert_eq!(DONE % 128, 0);
        assert!(
            (0..PLACES).all(|p| place(p).is_multiple_of(128) && place(p) + PLACE_LEN <= PAYLOAD)
        );
        const { assert!(go::WAITING + 4 <= GO + 64 && done::WAITING + 4 <= DONE + 64) };
        const { assert!(notes::MESSAGE + notes::MESSAGE_MAX <= notes::ANSWERED) };
        const { assert!(notes::ANSWERED + 4 <= CHOICE) };
    }
}
