//! The supervisor's side of the shared memory, against a worker that writes what it likes, where
//! it likes, when it likes, and now and then answers.
#![no_main]

use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;
use speedgate::gate::compare::{Answer, compare};
use speedgate::worker::request::{
    BufferInstance, FrameInstance, Instance, Mode, Request, Slots, Tables,
};
use speedgate::worker::{Patience, Worker};
use speedgate_harness::shared::Shared;
use speedgate_harness::wire::{self, Role, done, go};

/// What the worker does next.
#[derive(Debug, Arbitrary)]
enum Act {
    /// Writes these bytes at this offset, as far as it is in the arena.
    Write(u32, [u8; 24]),
    /// Writes these bytes among the notes and bells, where they hurt most.
    Scribble(u16, [u8; 8]),
    /// Answers as a worker would, with this digest and status.
    Answer([u64; 2], u8),
    /// Lets the supervisor go first.
    Wait(u8),
}

#[derive(Debug, Arbitrary)]
struct Script {
    acts: Vec<Act>,
    lengths: [u64; 1],
    content: [u8; 16],
    plain: bool,
}

const ARENA: usize = wire::PAYLOAD + (1 << 16);

fuzz_target!(|script: Script| {
    // Somebody has to be there to be waited for, and to be ended.
    let child = Command::new("/bin/sleep").arg("1000").stdin(Stdio::null()).spawn();
    let (mut worker, shared) =
        Worker::around(child.expect("runs"), ARENA).expect("memory for an arena");
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| play(&script.acts, shared, &over));
        supervise(&mut worker, &script);
        over.store(true, Ordering::Relaxed);
    });
});

fn play(acts: &[Act], shared: Shared, over: &AtomicBool) {
    let bells = shared.part(wire::place(0), wire::PLACE_LEN).expect("larger than its bells");
    for act in acts.iter().cycle().take(acts.len().min(64) * 16) {
        if over.load(Ordering::Relaxed) {
            return;
        }
        match act {
            Act::Write(at, bytes) => {
                let _ = shared.copy_in(u64::from(*at) % ARENA as u64, bytes);
            }
            Act::Scribble(at, bytes) => {
                let (notes, at) = (at % 2 == 0, u64::from(at / 2) % 512);
                let start = if notes { wire::NOTES } else { wire::place(0) };
                let _ = shared.copy_in(start as u64 + at, bytes);
            }
            Act::Answer(digest, status) => {
                bells.set_pair(done::DIGEST, *digest);
                bells.half(done::STATUS).store(u32::from(*status) % 8, Ordering::Relaxed);
                let nonce = bells.word(go::NONCE).load(Ordering::Acquire);
                bells.word(done::BELL).store(nonce, Ordering::Release);
            }
            Act::Wait(long) => std::thread::sleep(Duration::from_micros(u64::from(*long))),
        }
    }
}

fn instance(content: &[u8]) -> Instance {
    let buffer = |role, output, content: &[u8]| BufferInstance {
        role,
        bytes: 16,
        room: 0,
        align: 1,
        at_start: false,
        output,
        kept: true,
        elem: 1,
        used: Vec::new(),
        content: content.to_vec(),
    };
    let buffers = vec![buffer(Role::In, None, content), buffer(Role::Out, Some((2, 6, 8)), &[])];
    let frame = FrameInstance { symbol: 0, args: Vec::new(), ret: 8, ret_compared: true };
    Instance { buffers, frames: vec![frame] }
}

fn supervise(worker: &mut Worker, script: &Script) {
    let short = Duration::from_millis(4);
    let patience = Patience { cpu: short, wall: short };
    let call = [instance(&script.content)];
    let tables = Tables::new(&call, &mut Slots::default(), true, None).expect("a small request");
    let tables = Arc::new(tables);
    let payload = tables.payload(&call);
    let mode = match script.plain {
        true => Mode::Plain { read_only: true },
        false => Mode::Open { chained: false },
    };
    for poison in [0x55, 0xaa] {
        let request = Request { tables: &tables, mode, payload: &payload, poison };
        let Ok(()) = worker.stage(&request, patience) else { return };
        let Ok((timed, _)) = worker.run_checked([1, 2], patience) else { return };
        assert!(timed.digest == timed.digest);
        let Ok(_) = worker.digest([1, 2], patience) else { return };
        let Ok(()) = worker.flush(patience) else { return };
        let answer = |worker: &Worker| Answer {
            buffers: (0..2).map(|i| worker.buffer(i, 16)).collect(),
            ret: worker.returned(),
            lengths: worker.lengths(),
        };
        assert_eq!(worker.digests().len(), 1);
        let candidate = answer(worker);
        let oracle = Answer { lengths: script.lengths.to_vec(), ..answer(worker) };
        let _ = compare(&call[0], &oracle, &candidate, poison);
    }
}
