//! The supervisor's side of the shared memory, against a worker that writes what it likes, where
//! it likes, when it likes, and now and then answers.
#![no_main]

use std::time::Duration;

use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;
use speedgate::gate::ordeal::{Act, ordeal};

#[derive(Debug, Arbitrary)]
enum Doing {
    Write(u32, [u8; 24]),
    Scribble(u16, [u8; 8]),
    Answer([u64; 2], bool),
    Wait(u8),
}

fuzz_target!(|input: (Vec<Doing>, bool)| {
    let (doings, plain) = input;
    let act = |doing: &Doing| match *doing {
        Doing::Write(at, bytes) => Act::Write(at, bytes),
        Doing::Scribble(at, bytes) => Act::Scribble(at, bytes),
        Doing::Answer(digest, bad) => Act::Answer(digest, u8::from(bad)),
        Doing::Wait(long) => Act::Wait(long),
    };
    let acts: Vec<Act> = doings.iter().take(64).map(act).collect();
    ordeal(&acts, plain, Duration::from_millis(4));
});
