//! Counters on a worker, from outside: `perf_event_open` on its pid, and the kernel's own files
//! where that is refused. What can't be counted has a reason.

use std::fs;
use std::io;

use perf_event::events::{Cache, CacheId, CacheOp, CacheResult, Hardware, Software};
use perf_event::{Builder, Counter, Group};

use crate::report::record::{Event, EventSource, Source};
use crate::stats::counters::Reading;
use crate::worker::process;

/// Events that count at the same time. Those of the processor are few enough for its counters, so
/// that they need not take turns unless somebody else counts too.
const SETS: [&[Event]; 3] = [
    &[Event::Cycles, Event::Instructions, Event::Branches, Event::BranchMisses],
    &[Event::L1dMisses, Event::LlcMisses],
    &[Event::TaskClock, Event::ContextSwitches, Event::Migrations, Event::PageFaults],
];

/// The counters of one process.
#[derive(Debug)]
pub struct Board {
    pid: u32,
    sets: Vec<Set>,
    events: Vec<EventSource>,
}

/// Events that are counted together.
enum Set {
    Perf { group: Group, members: Vec<(Event, Counter)>, before: Vec<Reading> },
    Proc { events: Vec<Event>, before: Vec<Option<u64>> },
}

impl std::fmt::Debug for Set {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (source, events): (_, Vec<Event>) = match self {
            Set::Perf { members, .. } => (Source::Perf, members.iter().map(|(e, _)| *e).collect()),
            Set::Proc { events, .. } => (Source::Proc, events.clone()),
        };
        f.debug_tuple("Set").field(&source).field(&events).finish()
    }
}

impl Board {
    /// Opens what can be opened on a process of ours.
    pub fn open(pid: u32) -> Self {
        let mut board = Self { pid, sets: Vec::new(), events: Vec::new() };
        for events in SETS {
            board.open_set(events);
        }
        board
    }

    /// How many sets of events there are; each is counted by itself.
    pub fn sets(&self) -> usize {
        self.sets.len()
    }

    /// Each event, and where its counts come from.
    pub fn events(&self) -> &[EventSource] {
        &self.events
    }

    /// Begins to count a set. What the kernel refuses now is missing from the answer of
    /// [`Board::stop`].
    pub fn start(&mut self, set: usize) {
        match self.sets.get_mut(set) {
            Some(Set::Perf { group, members, before }) => {
                *before = read(group, members);
                // Refused: the counts do not move, and are not believed.
                let _ = group.enable();
            }
            Some(Set::Proc { events, before }) => {
                *before = events.iter().map(|e| from_proc(self.pid, *e)).collect();
            }
            None => {}
        }
    }

    /// Ends it: what was counted since.
    pub fn stop(&mut self, set: usize) -> Vec<(Event, Reading)> {
        match self.sets.get_mut(set) {
            Some(Set::Perf { group, members, before }) => {
                if group.disable().is_err() {
                    return Vec::new();
                }
                let after = read(group, members);
                let counted =
                    after.iter().zip(&*before).map(|(after, before)| after.since(*before));
                members.iter().map(|(event, _)| *event).zip(counted).collect()
            }
            Some(Set::Proc { events, before }) => {
                let counted = events.iter().zip(before).filter_map(|(event, before)| {
                    let count = from_proc(self.pid, *event)?.saturating_sub((*before)?);
                    Some((*event, Reading::whole(count)))
                });
                counted.collect()
            }
            None => Vec::new(),
        }
    }

    fn open_set(&mut self, events: &[Event]) {
        let (mut members, mut others) = (Vec::new(), Vec::new());
        let hardware = events.iter().all(|e| e.is_hardware());
        let group = observe(&mut Group::builder(), self.pid, hardware).build_group();
        let mut group = group.map_err(|e| refusal(&e, paranoid(), hardware));
        for &event in events {
            let counter = group.as_mut().map_err(|e| e.clone()).and_then(|group| {
                let builder = &mut builder(event);
                let counter = group.add(observe(builder, self.pid, hardware));
                counter.map_err(|e| refusal(&e, paranoid(), hardware))
            });
            let (source, reason) = match counter {
                Ok(counter) => {
                    members.push((event, counter));
                    (Some(Source::Perf), None)
                }
                Err(reason) if from_proc(self.pid, event).is_some() => {
                    others.push(event);
                    (Some(Source::Proc), Some(reason))
                }
                Err(reason) => (None, Some(reason)),
            };
            self.events.push(EventSource { event, source, reason });
        }
        match group {
            Ok(group) if !members.is_empty() => {
                self.sets.push(Set::Perf { group, members, before: Vec::new() });
            }
            _ => {}
        }
        if !others.is_empty() {
            self.sets.push(Set::Proc { events: others, before: Vec::new() });
        }
    }
}

/// What can be counted of this very thread: what `doctor` shows. An event that no running process
/// is without, and that does not move while this one runs, is absent.
pub fn probe() -> Vec<EventSource> {
    // Only this thread works.
    let mut board = Board::open(nix::unistd::gettid().as_raw() as u32);
    let mut events = board.events().to_vec();
    for set in 0..board.sets() {
        board.start(set);
        let spent: u64 = (0..100_000u64).fold(0, |sum, n| std::hint::black_box(sum ^ n));
        std::hint::black_box(spent);
        let moved = board.stop(set);
        for found in &mut events {
            let still = |(event, r): &(Event, Reading)| *event == found.event && r.count == 0;
            if found.event.is_certain() && moved.iter().any(still) {
                found.source = None;
                found.reason = Some("the counter stands still".into());
            }
        }
    }
    events
}

/// On another process, from outside. The processor's events in user mode only; the kernel's own
/// happen in the kernel, and would not be seen without it.
fn observe<'b, 'e>(builder: &'b mut Builder<'e>, pid: u32, hardware: bool) -> &'b Builder<'e> {
    builder.observe_pid(pid as libc::pid_t).any_cpu().exclude_hv(true).exclude_kernel(hardware)
}

fn builder(event: Event) -> Builder<'static> {
    let misses = |which| Cache { which, operation: CacheOp::READ, result: CacheResult::MISS };
    match event {
        Event::Cycles => Builder::new(Hardware::CPU_CYCLES),
        Event::Instructions => Builder::new(Hardware::INSTRUCTIONS),
        Event::Branches => Builder::new(Hardware::BRANCH_INSTRUCTIONS),
        Event::BranchMisses => Builder::new(Hardware::BRANCH_MISSES),
        Event::L1dMisses => Builder::new(misses(CacheId::L1D)),
        Event::LlcMisses => Builder::new(misses(CacheId::LL)),
        Event::TaskClock => Builder::new(Software::TASK_CLOCK),
        Event::ContextSwitches => Builder::new(Software::CONTEXT_SWITCHES),
        Event::Migrations => Builder::new(Software::CPU_MIGRATIONS),
        Event::PageFaults => Builder::new(Software::PAGE_FAULTS),
    }
}

/// The members' readings so far; those that can't be read have not run.
fn read(group: &mut Group, members: &[(Event, Counter)]) -> Vec<Reading> {
    let data = group.read().ok();
    let time = |t: Option<std::time::Duration>| t.map_or(0, |t| t.as_nanos() as u64);
    let one = |(_, counter): &(Event, Counter)| {
        let data = data.as_ref()?;
        let count = data.get(counter)?.value();
        let (enabled_ns, running_ns) = (time(data.time_enabled()), time(data.time_running()));
        Some(Reading { count, enabled_ns, running_ns })
    };
    let never = Reading { count: 0, enabled_ns: 0, running_ns: 0 };
    members.iter().map(|member| one(member).unwrap_or(never)).collect()
}

/// The kernel's own count, where it keeps one for everybody to read.
fn from_proc(pid: u32, event: Event) -> Option<u64> {
    let file = |name: &str| fs::read_to_string(format!("/proc/{pid}/{name}")).ok();
    match event {
        Event::TaskClock => {
            let time = process::cpu_time(pid).as_nanos() as u64;
            (time > 0).then_some(time)
        }
        Event::ContextSwitches => switches(&file("status")?),
        Event::Migrations => migrations(&file("sched")?),
        Event::PageFaults => faults(&file("stat")?),
        _ => None,
    }
}

/// Both kinds, from `/proc/PID/status`.
fn switches(status: &str) -> Option<u64> {
    let value = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        line.trim().parse::<u64>().ok()
    };
    Some(value("voluntary_ctxt_switches:")? + value("nonvoluntary_ctxt_switches:")?)
}

/// From `/proc/PID/sched`, which not every kernel has.
fn migrations(sched: &str) -> Option<u64> {
    let line = sched.lines().find(|line| line.starts_with("se.nr_migrations"))?;
    line.split_once(':')?.1.trim().parse().ok()
}

/// Minor and major ones, fields 10 and 12 of `/proc/PID/stat`. The name in parentheses may hold
/// anything.
fn faults(stat: &str) -> Option<u64> {
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(7);
    let minor: u64 = fields.next()?.parse().ok()?;
    let major: u64 = fields.nth(1)?.parse().ok()?;
    Some(minor + major)
}

fn paranoid() -> Option<i64> {
    fs::read_to_string("/proc/sys/kernel/perf_event_paranoid").ok()?.trim().parse().ok()
}

/// Why an event could not be opened, with what helps.
fn refusal(error: &io::Error, paranoid: Option<i64>, hardware: bool) -> String {
    let name = match error.raw_os_error() {
        Some(code) => format!("{:?}", nix::errno::Errno::from_raw(code)),
        None => error.to_string(),
    };
    // The kernel's own events need the kernel's part to be seen.
    let most = if hardware { 2 } else { 1 };
    match error.raw_os_error() {
        Some(libc::ENOENT | libc::EOPNOTSUPP | libc::ENODEV) if hardware => {
            format!("no PMU that counts it: {name}, usual in a virtual machine")
        }
        Some(libc::EACCES | libc::EPERM) => match paranoid {
            Some(level) if level > most => {
                format!("{name}: kernel.perf_event_paranoid = {level} refuses, {most} would not")
            }
            Some(level) => format!(
                "{name} although kernel.perf_event_paranoid = {level}: a container's filter, or \
                 CAP_PERFMON is missing for another user's process"
            ),
            None => format!("{name}: not permitted"),
        },
        Some(libc::ENOSYS) => format!("{name}: this kernel has no perf_event_open"),
        _ => format!("perf_event_open: {name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(code: i32, paranoid: Option<i64>, hardware: bool) -> String {
        refusal(&io::Error::from_raw_os_error(code), paranoid, hardware)
    }

    #[test]
    fn reasons_name_the_error_and_what_helps() {
        assert!(refused(libc::ENOENT, Some(2), true).starts_with("no PMU that counts it: ENOENT"));
        let level = refused(libc::EACCES, Some(3), true);
        assert!(level.contains("perf_event_paranoid = 3 refuses, 2 would not"), "{level}");
        let kernel = refused(libc::EACCES, Some(2), false);
        assert!(kernel.contains("perf_event_paranoid = 2 refuses, 1 would not"), "{kernel}");
        let filter = refused(libc::EPERM, Some(1), true);
        assert!(filter.contains("EPERM although") && filter.contains("CAP_PERFMON"), "{filter}");
        assert!(refused(libc::EINVAL, None, true).contains("EINVAL"));
    }

    #[test]
    fn every_event_has_a_source_or_a_reason() {
        let events = probe();
        assert_eq!(events.iter().map(|e| e.event).collect::<Vec<_>>(), Event::ALL);
        for found in &events {
            let why = found.reason.as_ref().is_some_and(|r| !r.is_empty());
            assert!(found.source == Some(Source::Perf) || why, "{found:?}");
        }
    }

    #[test]
    fn page_faults_of_another_process_are_counted_from_outside() {
        // A shell that waits until it is counted, and then keeps a megabyte in its own memory.
        let mut child = std::process::Command::new("sh")
            .args(["-c", "read go; x=$(head -c 1000000 /dev/zero | tr '\\0' x); read end"])
            .stdin(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let mut board = Board::open(child.id());
        let source = board.events().iter().find(|e| e.event == Event::PageFaults).unwrap().source;
        assert!(source.is_some(), "a process may always read its child's files");
        (0..board.sets()).for_each(|set| board.start(set));
        let mut input = child.stdin.take().unwrap();
        std::io::Write::write_all(&mut input, b"go\nend\n").unwrap();
        // A child that is dead but not waited for keeps its counts.
        let ended = |pid: u32| {
            let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            stat.rsplit_once(')').is_none_or(|(_, rest)| rest.trim_start().starts_with('Z'))
        };
        while !ended(child.id()) {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        let counted: Vec<_> = (0..board.sets()).flat_map(|set| board.stop(set)).collect();
        child.wait().unwrap();
        let (_, faults) = counted.iter().find(|(e, _)| *e == Event::PageFaults).unwrap();
        assert!(faults.count > 100, "{counted:?}");
    }

    #[test]
    fn the_kernels_files() {
        let status = "Name:\tx\nvoluntary_ctxt_switches:\t7\nnonvoluntary_ctxt_switches:\t3\n";
        assert_eq!(switches(status), Some(10));
        assert_eq!(switches("voluntary_ctxt_switches:\t7\n"), None);
        assert_eq!(migrations("x (1)\nse.nr_migrations     :     12\n"), Some(12));
        assert_eq!(migrations(""), None);
        let stat = "9 (a ) b) S 1 2 3 4 5 6 100 7 20 8 9\n";
        assert_eq!(faults(stat), Some(120));
        assert_eq!(faults("9 (a) S 1"), None);
    }
}
