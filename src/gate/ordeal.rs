//! The supervisor's side of the shared memory against a worker that writes what it likes, where it
//! likes, when it likes, and now and then answers. For tests and the fuzzer alone.

use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use speedgate_harness::shared::Shared;
use speedgate_harness::wire::{self, Role, done, go};

use super::compare::{Answer, compare};
use crate::task::{Cache, Rule};
use crate::worker::request::{
    BufferInstance, FrameInstance, Instance, Mode, Request, Slots, Tables, Wanted,
};
use crate::worker::series::Unfinished;
use crate::worker::{Patience, Results, Worker};

/// What the worker does next.
#[derive(Debug, Clone, Copy)]
pub enum Act {
    /// Writes these bytes at this offset, as far as that is in the arena.
    Write(u32, [u8; 24]),
    /// Writes these bytes among the notes (even) or bells (odd), where they hurt most.
    Scribble(u16, [u8; 8]),
    /// Answers as a worker would, with this digest and status.
    Answer([u64; 2], u8),
    /// Lets the supervisor go first, for so many microseconds.
    Wait(u8),
}

const ARENA: usize = wire::PAYLOAD + (1 << 16);

/// Makes two requests of a worker that does nothing but `acts`, over and over, and compares what it
/// "answers"; each part of a request is waited for as long as `wait`. Returns how many requests
/// came to an end.
///
/// # Panics
/// Where the supervisor would: that is what is looked for.
pub fn ordeal(acts: &[Act], plain: bool, wait: Duration) -> usize {
    // Somebody has to be there to be waited for, and to be ended.
    let child = Command::new("/bin/sleep").arg("1000").stdin(Stdio::null()).spawn();
    let (mut worker, shared) =
        Worker::around(child.expect("sleep runs"), ARENA).expect("memory for an arena");
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| play(acts, shared, &over));
        let _end = End(&over);
        supervise(&mut worker, plain, wait)
    })
}

/// Ends the play, a panic of the supervisor's included.
struct End<'a>(&'a AtomicBool);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn play(acts: &[Act], shared: Shared, over: &AtomicBool) {
    let bells = shared.part(wire::place(0), wire::PLACE_LEN).expect("larger than its bells");
    for act in acts.iter().cycle() {
        if over.load(Ordering::Relaxed) {
            return;
        }
        match act {
            Act::Write(at, bytes) => {
                // Beyond the end nothing is written.
                let _ = shared.copy_in(u64::from(*at) % ARENA as u64, bytes);
            }
            Act::Scribble(at, bytes) => {
                let start = if at % 2 == 0 { wire::NOTES } else { wire::place(0) };
                let _ = shared.copy_in(start as u64 + u64::from(at / 2) % 512, bytes);
            }
            Act::Answer(digest, status) => {
                bells.set_pair(done::DIGEST, *digest);
                bells.half(done::STATUS).store(u32::from(*status), Ordering::Relaxed);
                let nonce = bells.word(go::NONCE).load(Ordering::Acquire);
                bells.word(done::BELL).store(nonce, Ordering::Release);
            }
            Act::Wait(long) => std::thread::sleep(Duration::from_micros(u64::from(*long))),
        }
    }
}

fn call() -> Instance {
    let buffer = |role, output, content: &[u8]| BufferInstance {
        role,
        bytes: 16,
        room: 0,
        align: 1,
        phase: 0,
        at_start: false,
        output,
        kept: true,
        elem: 1,
        rule: Rule::default(),
        used: Vec::new(),
        content: content.to_vec(),
        classes: Vec::new(),
    };
    let frame = FrameInstance {
        symbol: 0,
        args: Vec::new(),
        ret: 8,
        ret_compared: true,
        ret_rule: Rule::default(),
    };
    let output = buffer(Role::Out, Some((2, 6, 8)), &[]);
    let buffers = vec![buffer(Role::In, None, &[7; 16]), BufferInstance { room: 4, ..output }];
    Instance { buffers, makes: Vec::new(), frames: vec![frame] }
}

/// Whatever the verdict is, there is one.
fn judge(call: &Instance, results: &Results<'_>, poison: u8) {
    let answer = || Answer {
        lengths: results.lengths(),
        exact: vec![None; 2],
        ..super::collect(call, results)
    };
    assert_eq!(results.digests().len(), 1);
    let candidate = answer();
    // The oracle is no stranger: its lengths are within its buffers.
    let oracle = Answer { lengths: vec![12], ..answer() };
    // Whatever it wrote, an answer has as many bytes as the call's buffers and their slack.
    for (b, (before, bytes, after)) in call.buffers.iter().zip(&candidate.buffers) {
        assert_eq!(bytes.len() as u64, before + b.bytes + b.room + after);
    }
    let _ = compare(call, &oracle, &candidate, poison);
}

fn supervise(worker: &mut Worker, plain: bool, wait: Duration) -> usize {
    let patience = Patience { cpu: wait, wall: wait };
    let call = [call()];
    let tables =
        Tables::new(&call, &mut Slots::default(), Wanted::All, None).expect("a small request");
    let tables = Arc::new(tables);
    let payload = tables.payload(&call);
    let mode = if plain { Mode::Plain { read_only: true } } else { Mode::Open { chained: false } };
    let mut ended = 0;
    for poison in [0x55, 0xaa] {
        let request =
            Request { tables: &tables, mode, payload: &payload, poison, cache: Cache::Warm };
        let answered = worker
            .stage(&request, patience)
            .and_then(|()| worker.run([1, 2], patience))
            .and_then(|_| worker.digest([1, 2], patience))
            .and_then(|_| worker.flush(patience));
        if answered.is_err() {
            break;
        }
        judge(&call[0], &worker.results(), poison);
        let series = [(request, [1, 2]), (request, [3, 4])];
        let deadline = Instant::now() + 4 * wait;
        let asked = worker.begin(&series).map_err(Unfinished::Fell);
        if asked.and_then(|()| worker.finish(patience, deadline)).is_err() {
            break;
        }
        assert!(worker.answered() <= 2 && worker.answer(2).is_none());
        for index in 0..2 {
            let (results, ..) = worker.answer(index).expect("two were asked");
            judge(&call[0], &results, poison);
        }
        ended += 1;
    }
    ended
}

#[cfg(test)]
mod tests {
    use rand::{Rng, RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    fn act(rng: &mut ChaCha8Rng) -> Act {
        match rng.random_range(0..6) {
            0 => Act::Write(rng.next_u32(), rng.random()),
            1 | 2 => Act::Scribble(rng.random(), rng.random()),
            3 => Act::Wait(rng.random()),
            _ => Act::Answer(rng.random(), rng.random_range(0..3) / 2),
        }
    }

    #[test]
    fn garbage_at_any_moment_brings_the_supervisor_to_no_panic() {
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        for round in 0..60 {
            let acts: Vec<Act> = (0..rng.random_range(1..40)).map(|_| act(&mut rng)).collect();
            ordeal(&acts, round % 2 == 0, Duration::from_millis(4));
        }
    }

    /// It is a conversation, and no deaf worker: one that only answers gets through.
    #[test]
    fn one_that_answers_gets_to_the_end() {
        let acts = [Act::Answer([3, 4], 0), Act::Wait(20)];
        assert_eq!(ordeal(&acts, true, Duration::from_secs(100)), 2);
    }
}
