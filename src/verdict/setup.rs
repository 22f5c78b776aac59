//! What a run needs before anything is called: the task, the machine's two cores, the sandbox,
//! the cache; and how to start a worker with all of that.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use speedgate_harness::confine::Walls;
use speedgate_harness::seal::Algorithm;

use super::error::EngineError;
use crate::build::practice::{Extra, Practice};
use crate::build::{self, BuildRequest, Built, Library, Overlay};
use crate::report::progress::Progress;
use crate::report::record::{Capability, Machine, Stopwatch};
use crate::sandbox::{self, Group, Jail, Lease, Party, Profile};
use crate::task::Task;
use crate::task::cache::Cache;
use crate::task::files::Files;
use crate::timer::machine;
use crate::worker::cores::{self, Priority};
use crate::worker::{CoreLease, Cores, Fate, Spec, Worker, Workshop, lease};

/// Size of a worker's arena, bytes. It takes memory only where it is written.
const ARENA_BYTES: usize = 256 << 20;
/// Address space of a worker beyond its resident limit: arena, guard pages, libraries.
const ADDRESS_SPACE: u64 = 8 << 30;
/// Memory of a worker's control group beyond its own limit and the arena.
const GROUP_MEMORY: u64 = 128 << 20;
/// Memory of a worker under a tool, which keeps its own notes of every byte, MiB.
const PRACTICE_MB: u64 = 8 << 10;

/// Everything a run needs.
#[derive(Debug)]
pub struct Setup<'a> {
    /// The task.
    pub task: &'a Task,
    /// Symbols in the order in which requests count them.
    pub symbols: Vec<String>,
    /// The task with its own code in the library, for the oracle; none where there is none.
    own: Option<Task>,
    /// What the sandbox can do here.
    pub profile: Profile,
    /// The two cores that calls are made on; leased while something is timed.
    pub cores: Cores,
    /// Whether the cores are leased: only then processes are put above others.
    measures: bool,
    /// The seal this processor runs best.
    pub algorithm: Algorithm,
    /// What the library may read while it is set up.
    data: Option<Files>,
    cache: Cache,
    lease: Lease,
    /// What a worker can be locked into here.
    walls: Walls,
    /// Where workers' root folders are made.
    cells: PathBuf,
}

impl<'a> Setup<'a> {
    /// Looks at the machine.
    pub fn new(task: &'a Task) -> Result<Self, EngineError> {
        sandbox::close_memory();
        let profile = Profile::detect();
        let lease = Lease::take(profile).map_err(|source| EngineError::System {
            act: "can't take user ids for the workers".into(),
            source,
        })?;
        let cache = Cache::open()?;
        let cells = cache.public("cells").map_err(|source| EngineError::System {
            act: "can't make a folder for the workers' roots".into(),
            source,
        })?;
        let folder = task.setup.as_ref().and_then(|setup| setup.data.as_ref());
        let data = folder.map(|folder| Files::read(&task.dir.join(folder))).transpose();
        let data = data.map_err(|source| EngineError::System {
            act: "can't read the data of the task's set-up".into(),
            source,
        })?;
        Ok(Self {
            task,
            data,
            symbols: build::contract(task),
            own: task.with_own_code(),
            profile,
            lease,
            cores: lease::spare(),
            measures: false,
            algorithm: Algorithm::detect(),
            walls: sandbox::walls(profile),
            cache,
            cells,
        })
    }

    /// Leases two cores for measuring `what` and moves to them; waits while others have them, for
    /// as long as the grading itself may take. To be called before candidate code is mapped.
    pub fn lease_cores(
        &mut self,
        what: &str,
        progress: &dyn Progress,
    ) -> Result<CoreLease, EngineError> {
        let patience = Duration::from_secs(self.task.limits.grade_seconds);
        let tell = |holders: &[lease::Holder]| {
            progress.stage(&format!("waiting: {}", lease::in_words(holders)), None);
        };
        let lease = CoreLease::wait(what, patience, &tell)
            .map_err(|error| EngineError::UnfitMachine { reason: error.to_string() })?;
        self.cores = lease.cores().clone();
        self.measures = true;
        Ok(lease)
    }

    /// Builds one side in the layouts given.
    pub fn build(
        &self,
        who: &str,
        overlay: Overlay<'_>,
        layouts: &[u64],
        progress: &dyn Progress,
    ) -> Result<Built, build::BuildError> {
        progress.stage(&format!("building the {who}"), None);
        self.build_of(self.task, overlay, layouts)
    }

    fn build_of(
        &self,
        task: &Task,
        overlay: Overlay<'_>,
        layouts: &[u64],
    ) -> Result<Built, build::BuildError> {
        build::build(&BuildRequest {
            task,
            overlay,
            layouts,
            profile: self.profile,
            cache: &self.cache,
            progress: &|_| {},
        })
    }

    /// Builds a candidate for a tool that looks into it.
    pub fn build_practice(
        &self,
        overlay: Overlay<'_>,
        extra: Extra,
    ) -> Result<Practice, build::BuildError> {
        let request = BuildRequest {
            task: self.task,
            overlay,
            layouts: &[],
            profile: self.profile,
            cache: &self.cache,
            progress: &|_| {},
        };
        build::practice::practice(&request, extra)
    }

    /// Starts the oracle: the reference's library, with the task's own code where there is any. Gives
    /// the library that it has loaded, too.
    pub fn oracle(
        &self,
        reference: &Built,
        progress: &dyn Progress,
    ) -> Result<(Worker, Library), EngineError> {
        let failed = |fate: Fate| EngineError::Reference(fate.to_string());
        let first = |built: &Built| built.layouts.first().cloned();
        let none = || EngineError::Reference("it was built in no layout".into());
        let Some(task) = &self.own else {
            let library = first(reference).ok_or_else(none)?;
            let worker = self.start(Party::Oracle, Some(&library)).map_err(failed)?;
            return Ok((worker, library));
        };
        progress.stage("building the task's own code", None);
        let seeds: Vec<u64> = reference.layouts.iter().map(|l| l.seed).take(1).collect();
        let library = first(&self.build_of(task, Overlay::Pristine, &seeds)?).ok_or_else(none)?;
        let own = task.own_code().into_iter().map(|(symbol, _)| symbol);
        let symbols: Vec<String> = self.symbols.iter().cloned().chain(own).collect();
        let spin = !self.cores.shared();
        let worker = self.start_with(Party::Oracle, Some(&library), &symbols, spin);
        Ok((worker.map_err(failed)?, library))
    }

    /// Starts a worker and stops it at once: it runs only while it is visited.
    pub fn start(&self, party: Party, library: Option<&Library>) -> Result<Worker, Fate> {
        self.start_waiting(party, library, !self.cores.shared())
    }

    /// The same, where `spin` says whether it spins while it waits for the bell.
    pub fn start_waiting(
        &self,
        party: Party,
        library: Option<&Library>,
        spin: bool,
    ) -> Result<Worker, Fate> {
        self.start_with(party, library, &self.symbols, spin)
    }

    fn start_with(
        &self,
        party: Party,
        library: Option<&Library>,
        symbols: &[String],
        spin: bool,
    ) -> Result<Worker, Fate> {
        let memory_mb = self.task.limits.memory_mb;
        // Whatever else it uses memory for: what it shares with us, tables, the driver.
        let most = (memory_mb << 20).saturating_add(ARENA_BYTES as u64 + GROUP_MEMORY);
        let jail = Jail {
            uid: self.lease.uid(party),
            memory_bytes: Some((memory_mb << 20).saturating_add(ADDRESS_SPACE)),
            file_size: Some(0),
            open_files: Some(16),
            // No worker forks or makes threads. The reference's user has two of them where the
            // author's own code is timed against it.
            processes: Some(if party == Party::Reference { 2 } else { 1 }),
            may_chroot: self.walls.chroot,
            // Where there is none to have, the card says so.
            group: Group::new(most, 1).ok().map(Arc::new),
            ..Jail::default()
        };
        let mut worker = Worker::start(&Spec {
            library: library.map(|l| -> (&Path, &str) { (&l.path, &l.sha256) }),
            symbols,
            setup: self.library_setup(),
            jail,
            walls: self.walls,
            cells: &self.cells,
            core: self.cores.workers,
            spin,
            raised: self.measures,
            algorithm: self.algorithm,
            memory_mb,
            arena_bytes: ARENA_BYTES,
            practice: None,
        })?;
        worker.pause()?;
        Ok(worker)
    }

    /// The call that sets a library up, and what it may read.
    fn library_setup(&self) -> Option<(&str, Option<&Files>)> {
        self.task.setup.as_ref().map(|setup| (setup.symbol.as_str(), self.data.as_ref()))
    }

    /// Starts a worker for code of the caller's own under a tool, outside of the sandbox, and stops
    /// it.
    pub fn start_practice(&self, shop: &Workshop) -> Result<Worker, Fate> {
        // Tools that follow every instruction know the older set only; values are the same.
        let algorithm = match self.algorithm {
            Algorithm::Vaes => Algorithm::Aes,
            other => other,
        };
        let mut worker = Worker::start(&Spec {
            library: None,
            symbols: &self.symbols,
            setup: self.library_setup(),
            jail: Jail::default(),
            walls: Walls::default(),
            cells: &self.cells,
            core: self.cores.workers,
            spin: false,
            raised: false,
            algorithm,
            memory_mb: PRACTICE_MB,
            arena_bytes: ARENA_BYTES,
            practice: Some(shop),
        })?;
        worker.pause()?;
        Ok(worker)
    }

    /// The machine as it is now.
    pub fn machine(&self) -> Machine {
        let mut machine = machine::machine();
        self.seat(&mut machine);
        machine
    }

    /// Enters the cores that this run uses.
    pub fn seat(&self, machine: &mut Machine) {
        let shared = self.cores.shared();
        machine.stopwatch = Some(if shared { Stopwatch::Futex } else { Stopwatch::Spin });
        machine.supervisor_core = Some(self.cores.supervisor);
        machine.worker_core = Some(self.cores.workers);
    }

    /// The capability card, as the record holds it.
    pub fn capabilities(&self) -> Vec<Capability> {
        sandbox::card(self.profile).into_iter().map(Capability::from).collect()
    }
}

/// The supervisor on its own core until dropped; where something is timed also above other
/// processes, as far as that is permitted.
#[derive(Debug)]
pub struct Poised {
    before: Vec<usize>,
    priority: Option<Priority>,
}

impl Poised {
    /// Takes the place.
    pub fn take(setup: &Setup<'_>) -> Self {
        let before = cores::allowed();
        cores::bind(0, setup.cores.supervisor);
        Self { before, priority: setup.measures.then(cores::raise_this_thread) }
    }

    /// The priority that it got, for the record.
    pub fn in_words(&self) -> String {
        match self.priority {
            Some(Priority::RealTime) => "supervisor real-time, workers nice -20",
            Some(Priority::Raised) => "supervisor and workers nice -20",
            Some(Priority::Normal) => "normal (raising it was refused)",
            None => "normal (nothing is timed)",
        }
        .into()
    }
}

impl Drop for Poised {
    fn drop(&mut self) {
        cores::bind_to(0, &self.before);
        if self.priority.is_some() {
            cores::lower_this_thread();
        }
    }
}
