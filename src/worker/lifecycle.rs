//! A worker's life: started in its jail with one library, asked, stopped between visits, ended.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill, killpg};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;
use speedgate_harness::confine::Walls;
use speedgate_harness::seal::{Algorithm, Block};
use speedgate_harness::shared::Shared;
use speedgate_harness::wire::{self, Command, notes};
use speedgate_harness::{ARENA_FD, LIBRARY_FD, MAX_BUFFERS, Setup, WORKER_NAME};

use super::arena::{self, Arena};
use super::clock::{self, Ticks};
use super::cores;
use super::fate::{Fate, Fault};
use super::practice::Workshop;
use super::process::{self, Waited};
use super::request::{self, Mode, Request, Tables};
use super::series::Series;
use super::tuning::{self, Choice};
use crate::sandbox::{self, Cell, Group, Jail};
use crate::task::files::Files;

/// How to start a worker.
#[derive(Debug, Clone)]
pub struct Spec<'a> {
    /// The library and its sha256 (lower-case hex); none for a blank worker.
    pub library: Option<(&'a Path, &'a str)>,
    /// Symbols, in the order in which requests count them.
    pub symbols: &'a [String],
    /// The one of them that sets the library up, and what it may read meanwhile.
    pub setup: Option<(&'a str, Option<&'a Files>)>,
    /// Its jail.
    pub jail: Jail,
    /// The walls that it puts up inside.
    pub walls: Walls,
    /// Folder in which its root folder may be made.
    pub cells: &'a Path,
    /// The core it is bound to.
    pub core: usize,
    /// Whether it spins on the bell (it does not share the supervisor's core).
    pub spin: bool,
    /// Whether it is put above other processes, where that is permitted.
    pub raised: bool,
    /// Seal in use.
    pub algorithm: Algorithm,
    /// Resident memory it may have, MiB.
    pub memory_mb: u64,
    /// Size of its arena, bytes.
    pub arena_bytes: usize,
    /// The tool that it runs under, with a library of its own, in place of `library`.
    pub practice: Option<&'a Workshop>,
}

/// How long an answer may take.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// CPU time of the worker.
    pub cpu: Duration,
    /// Wall time: for one that sleeps. Generous, since the machine may be loaded.
    pub wall: Duration,
}

impl Patience {
    /// For a call that takes the reference `expected`.
    pub fn for_call(expected: Duration) -> Self {
        let cpu = Duration::from_secs(2) + expected * 50;
        Self { cpu, wall: Duration::from_secs(20) + cpu * 5 }
    }
}

/// An answer and the time it took.
#[derive(Debug, Clone, Copy)]
pub struct Timed {
    /// From before the go bell to after the done bell, in the clock's ticks.
    pub ticks: Ticks,
    /// What the worker committed to.
    pub digest: Block,
    /// Somebody else had one of the two cores meanwhile: the time is not the call's alone.
    pub disturbed: bool,
}

/// A running worker.
#[derive(Debug)]
pub struct Worker {
    pub(super) arena: Arena,
    pub(super) child: Child,
    pub(super) spin: bool,
    pub(super) memory_mb: u64,
    /// Ticks spent in runs.
    pub(super) inside: Ticks,
    /// Where its bells are, and what the go bell shows.
    pub(super) bells: Choice,
    /// What the worker was last given to prepare.
    pub(super) staged: Option<(Arc<Tables>, Mode)>,
    pub(super) series: Series,
    /// How long that took, its states included, where it has any.
    pub(super) preparing: Ticks,
    /// What it took to load the library and to set it up.
    pub(super) loading: Duration,
    pub(super) ended: Option<Fate>,
    pub(super) source: clock::Source,
    pub(super) waited: Waited,
    /// What both sides had waited when the last answer came.
    pub(super) waits: (u64, i64),
    /// Not asked to run since it was let go on.
    pub(super) resumed: bool,
    /// The user id that only this kind of worker has.
    pub(super) swept: Option<u32>,
    /// Its control group, which goes with it.
    pub(super) group: Option<Arc<Group>>,
}

/// How long a worker may take to stop.
const STOPPING: Duration = Duration::from_secs(20);
/// Looks whether it has stopped before the supervisor sleeps in between: some 0.1 ms.
const STOPPING_LOOKS: u32 = 200;

impl Worker {
    /// Starts a worker and waits until its library is loaded.
    pub fn start(spec: &Spec<'_>) -> Result<Self, Fate> {
        let (arena, arena_fd) = Arena::new(spec.arena_bytes).map_err(ours)?;
        // Its folder is removed as soon as the library is loaded.
        let (cell, mut pass) =
            Cell::new(spec.walls, spec.cells, spec.setup.and_then(|(_, data)| data))
                .map_err(ours)?;
        pass.push((arena_fd, ARENA_FD));
        if let Some((path, sha256)) = spec.library {
            let bytes = arena::audited(path, sha256).map_err(Fate::Ours)?;
            match cell.library() {
                Some(place) => arena::plain_copy(&bytes, &place).map_err(ours)?,
                None => pass.push((arena::sealed_copy(&bytes).map_err(ours)?, LIBRARY_FD)),
            }
        }
        let kind = match spec.practice {
            Some(shop) => shop.library.as_os_str(),
            None => OsStr::new(if spec.library.is_some() { "library" } else { "blank" }),
        };
        let mut command = match spec.practice {
            Some(shop) => shop.command().map_err(ours)?,
            None => {
                let mut command = sandbox::command("/proc/self/exe");
                command.arg0(WORKER_NAME).stderr(Stdio::null());
                command
            }
        };
        command.arg(spec.algorithm.name());
        command.arg(if spec.spin { "spin" } else { "futex" });
        command.arg(kind).arg(spec.walls.to_arg());
        let setup =
            spec.setup.map(|(symbol, _)| Setup { symbol: symbol.into(), data: cell.data() });
        command.arg(setup.map_or_else(OsString::new, |setup| setup.to_arg()));
        command.args(spec.symbols).current_dir("/").stdout(Stdio::null());
        cores::bind_at_start(&mut command, spec.core);
        spec.jail.apply(&mut command, pass).map_err(ours)?;
        let nonce = rand::random::<u64>() | 1;
        let child = command.spawn().map_err(ours)?;
        if spec.raised {
            // Where it is refused, the supervisor's own was too, and the report says so.
            cores::raise(child.id());
        }
        let waited = Waited::of(child.id());
        let mut worker = Self {
            arena,
            child,
            spin: spec.spin,
            memory_mb: spec.memory_mb,
            inside: 0,
            bells: Choice::FIRST,
            staged: None,
            series: Series::default(),
            preparing: 0,
            loading: Duration::ZERO,
            ended: None,
            source: clock::source(),
            waited,
            waits: (0, 0),
            resumed: false,
            swept: spec.jail.uid,
            group: spec.jail.group.clone(),
        };
        let patience = Patience { cpu: Duration::from_secs(10), wall: Duration::from_secs(60) };
        if spec.spin {
            let (begin, cpu) = (Instant::now(), process::cpu_time(worker.pid()));
            let (shared, source) = (worker.shared(), worker.source);
            worker.bells = tuning::choose(&shared, source, || worker.check(begin, cpu, patience))?;
        }
        // By the wall's clock: the kernel may not have counted yet what a process that runs has used.
        let begin = Instant::now();
        worker.bells().word(wire::go::NONCE).store(nonce, Ordering::Relaxed);
        worker.bells.settle(&worker.shared());
        let (_, _, status) = worker.wait(nonce, patience)?;
        worker.accept(status)?;
        worker.loading = begin.elapsed();
        Ok(worker)
    }

    /// Process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Describes a request and lets the worker prepare it.
    pub fn stage(&mut self, request: &Request<'_>, patience: Patience) -> Result<(), Fate> {
        let same = |(tables, mode): (Arc<Tables>, Mode)| {
            Arc::ptr_eq(&tables, request.tables) && mode == request.mode && mode.in_window()
        };
        let again = self.staged.take().is_some_and(same);
        self.series = Series::default();
        request::write(&self.shared(), request, again)
            .map_err(|unfit| Fate::Ours(unfit.to_string()))?;
        let staged = self.ask(Command::Stage, [0, 0], patience)?.ticks;
        if request.tables.has_makes() {
            // Whoever does some of it ahead, or later, does it in this time all the same.
            self.preparing = staged + self.ask(Command::Make, [0, 0], patience)?.ticks;
        }
        self.staged = Some((request.tables.clone(), request.mode));
        Ok(())
    }

    /// Runs what was staged: the timed window.
    pub fn run(&mut self, key: Block, patience: Patience) -> Result<Timed, Fate> {
        let timed = self.ask(Command::Run, key, patience)?;
        self.inside += timed.ticks;
        // Since the last run: who was interrupted while he prepared this one begins it cold.
        let waits = (self.waited.nanoseconds(), process::preempted());
        let before = std::mem::replace(&mut self.waits, waits);
        // On one shared core the two sides take it from each other: nothing can be told.
        let disturbed = self.spin && before != waits;
        // The first of a visit had to wait for its turn: that is how visits begin.
        if self.spin && !std::mem::take(&mut self.resumed) {
            process::count_burst(disturbed);
        }
        Ok(Timed { disturbed, ..timed })
    }

    /// How long it took to prepare the last request, nanoseconds; 0 where no states have to be made.
    pub fn preparing_ns(&self) -> f64 {
        clock::nanoseconds(self.source, self.preparing)
    }

    /// Time that it took to load the library, and to set it up.
    pub fn loading(&self) -> Duration {
        self.loading
    }

    /// Runs what was staged, by nobody's clock, while `work` is done on this side.
    pub fn run_beside<T>(
        &mut self,
        key: Block,
        patience: Patience,
        work: impl FnOnce() -> T,
    ) -> Result<T, Fate> {
        let ring = self.ring(Command::Run, key)?;
        let done = work();
        let (_, _, status) = self.wait(ring.nonce, patience)?;
        self.accept(status)?;
        Ok(done)
    }

    /// Time spent in runs so far, nanoseconds.
    pub fn inside_ns(&self) -> f64 {
        clock::nanoseconds(self.source, self.inside)
    }

    /// Digest of a plain call's outputs, after its clock has stopped.
    pub fn digest(&mut self, key: Block, patience: Patience) -> Result<Block, Fate> {
        self.ask(Command::Digest, key, patience).map(|t| t.digest)
    }

    /// Has the buffers, digests and lengths of the last request copied to the arena.
    pub fn flush(&mut self, patience: Patience) -> Result<(), Fate> {
        self.ask(Command::Flush, [0, 0], patience).map(|_| ())
    }

    /// Stops the process, so that it takes nothing from whoever is visited next.
    pub fn pause(&mut self) -> Result<(), Fate> {
        self.signal(Signal::SIGSTOP)?;
        let begin = Instant::now();
        let asked = WaitPidFlag::WUNTRACED | WaitPidFlag::WNOHANG;
        let mut looks = 0;
        loop {
            match waitpid(self.process(), Some(asked)) {
                Ok(WaitStatus::Stopped(..)) => return Ok(()),
                // It stops within some 20 us; on a busy machine it may have to wait for its turn.
                Ok(WaitStatus::StillAlive) if begin.elapsed() < STOPPING => {
                    looks += 1;
                    if looks > STOPPING_LOOKS {
                        std::thread::sleep(Duration::from_micros(20));
                    }
                }
                Ok(WaitStatus::StillAlive) => {
                    let wall_ms = begin.elapsed().as_millis() as u64;
                    return Err(self.end(Fate::Hung { cpu_ms: 0, wall_ms }));
                }
                Ok(status) => return Err(self.died(status)),
                Err(e) => return Err(ours(e.into())),
            }
        }
    }

    /// Lets it go on.
    pub fn resume(&mut self) -> Result<(), Fate> {
        self.resumed = true;
        self.signal(Signal::SIGCONT)
    }

    fn signal(&mut self, signal: Signal) -> Result<(), Fate> {
        self.alive()?;
        kill(self.process(), signal).map_err(|e| ours(e.into()))
    }

    /// Whether there is no process any more.
    pub fn has_ended(&self) -> bool {
        self.ended.is_some()
    }

    pub(super) fn bells(&self) -> Shared {
        let part = self.shared().part(wire::place(self.bells.place), wire::PLACE_LEN);
        part.expect("an arena is larger than its bells")
    }

    pub(super) fn shared(&self) -> Shared {
        self.arena.shared()
    }

    pub(super) fn process(&self) -> Pid {
        Pid::from_raw(self.child.id() as i32)
    }

    pub(super) fn alive(&self) -> Result<(), Fate> {
        self.ended.clone().map_or(Ok(()), Err)
    }

    /// Whether there is still an answer to hope for.
    pub(super) fn check(
        &mut self,
        begin: Instant,
        cpu: Duration,
        patience: Patience,
    ) -> Result<(), Fate> {
        // Whoever stops itself would be waited for until patience ends.
        let asked = WaitPidFlag::WUNTRACED | WaitPidFlag::WNOHANG;
        match waitpid(self.process(), Some(asked)) {
            Ok(WaitStatus::StillAlive) => {}
            Ok(status) => {
                return Err(self.died(status));
            }
            Err(e) => return Err(ours(e.into())),
        }
        let arena = self.shared().len() as u64;
        let resident_mb = process::own_bytes(self.pid(), arena) >> 20;
        if resident_mb > self.memory_mb {
            let limit_mb = self.memory_mb;
            return Err(self.end(Fate::OutOfMemory { resident_mb, limit_mb }));
        }
        let (used, passed) = (process::cpu_time(self.pid()).saturating_sub(cpu), begin.elapsed());
        if used > patience.cpu || passed > patience.wall {
            let (cpu_ms, wall_ms) = (used.as_millis() as u64, passed.as_millis() as u64);
            return Err(self.end(Fate::Hung { cpu_ms, wall_ms }));
        }
        Ok(())
    }

    pub(super) fn died(&mut self, status: WaitStatus) -> Fate {
        let fate = match status {
            WaitStatus::Exited(_, code) => Fate::Exited(code),
            WaitStatus::Signaled(_, Signal::SIGSYS, _) => Fate::ForbiddenSyscall,
            WaitStatus::Signaled(_, Signal::SIGKILL, _)
                if self.group.as_ref().is_some_and(|group| group.ran_out()) =>
            {
                let limit_mb = self.memory_mb;
                Fate::OutOfMemory { resident_mb: limit_mb.saturating_add(1), limit_mb }
            }
            WaitStatus::Signaled(_, signal, _) => {
                let shared = self.shared();
                let signal = signal as i32;
                let noted = shared.half(notes::SIGNAL).load(Ordering::Acquire) == signal as u32;
                let buffer = shared.half(notes::BUFFER).load(Ordering::Relaxed) as usize;
                let offset = shared.word(notes::OFFSET).load(Ordering::Relaxed) as i64;
                let fault = (noted && buffer < MAX_BUFFERS).then_some(Fault { buffer, offset });
                Fate::Signalled { signal, fault }
            }
            // Stopped or traced: it did that to itself.
            _ => Fate::Stopped,
        };
        self.end(fate)
    }

    /// Notes the end and makes sure of it.
    pub(super) fn end(&mut self, fate: Fate) -> Fate {
        self.ended = Some(fate.clone());
        // The worker leads a session of its own: what it started goes with it.
        let _ = killpg(self.process(), Signal::SIGKILL);
        let _ = kill(self.process(), Signal::SIGKILL);
        let _ = waitpid(self.process(), None);
        // Whoever left the session is found by its user id, which nobody else has.
        if let Some(uid) = self.swept {
            let _ = sandbox::sweep(uid);
        }
        fate
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        if self.ended.is_none() {
            self.end(Fate::Exited(0));
        }
    }
}

pub(super) fn ours(error: io::Error) -> Fate {
    Fate::Ours(error.to_string())
}
