//! What the machine went through while something was measured: the kernel's own counts, taken
//! before and after.

use std::collections::HashMap;
use std::fs;
use std::time::Instant;

use crate::report::noise::Facts;
use crate::worker::cores::{self, Cores};
use crate::worker::{clock, process};

/// The counts at one moment.
#[derive(Debug)]
pub struct Snapshot {
    at: Instant,
    cores: Vec<usize>,
    siblings: Vec<usize>,
    ticks: HashMap<usize, Ticks>,
    throttled: Option<f64>,
    heat: Option<u64>,
    bursts: process::Bursts,
}

/// A processor's time, in the kernel's ticks.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Ticks {
    all: f64,
    idle: f64,
    disk: f64,
    stolen: f64,
}

impl Snapshot {
    /// Now, of the two cores of a run.
    pub fn take(used: &Cores) -> Self {
        let mut both = vec![used.supervisor, used.workers];
        both.dedup();
        let siblings = both.iter().flat_map(|c| cores::siblings(*c)).filter(|c| !both.contains(c));
        Self {
            at: Instant::now(),
            siblings: siblings.collect(),
            ticks: ticks(&fs::read_to_string("/proc/stat").unwrap_or_default()),
            throttled: quota_file(&["cpu.stat", "cpu/cpu.stat"]).as_deref().and_then(throttled),
            heat: heat(&both),
            bursts: process::bursts(),
            cores: both,
        }
    }

    /// What happened since. Also says how things stand now: quota, priority of this thread, clock.
    pub fn since(&self, used: &Cores) -> Facts {
        let now = Self::take(used);
        let seconds = now.at.duration_since(self.at).as_secs_f64();
        let spent = |core: &usize| -> Option<Ticks> {
            let (before, after) = (self.ticks.get(core)?, now.ticks.get(core)?);
            Some(after.since(*before)).filter(|t| t.all > 0.0)
        };
        let own: Vec<Ticks> = self.cores.iter().filter_map(spent).collect();
        let busy = self.siblings.iter().filter_map(spent).map(|t| t.busy());
        let bursts = now.bursts.since(self.bursts);
        let heat = now.heat.zip(self.heat);
        let throttled = now.throttled.zip(self.throttled);
        Facts {
            stolen: share(&own, |t| t.stolen),
            disk: share(&own, |t| t.disk),
            sibling: busy.max_by(f64::total_cmp),
            throttled: throttled.map(|(after, before)| ((after - before) / seconds).max(0.0)),
            heat: heat.map(|(after, before)| after.saturating_sub(before)),
            disturbed: bursts.disturbed_share(),
            unprivileged: !cores::this_thread_is_raised(),
            drift: clock::drift(),
            ..standing(used)
        }
    }
}

/// What is known without a run: counts since the machine started, and settings.
pub fn at_rest(used: &Cores) -> Facts {
    let now = Snapshot::take(used);
    let all: Vec<Ticks> = now.ticks.into_values().collect();
    // A thread of its own, which takes its priority with it.
    let raised = std::thread::spawn(cores::raise_this_thread).join();
    Facts {
        stolen: share(&all, |t| t.stolen),
        heat: now.heat,
        unprivileged: matches!(raised, Ok(cores::Priority::Normal)),
        ..standing(used)
    }
}

/// Settings, and what else does not depend on a run.
fn standing(used: &Cores) -> Facts {
    let quota = quota_file(&["cpu.max"]).as_deref().and_then(quota);
    Facts { quota: quota.or_else(old_quota), shared_core: used.shared(), ..Facts::default() }
}

impl Ticks {
    fn since(self, before: Self) -> Self {
        // The kernel's idle times may fall by a tick.
        let less = |after: f64, before: f64| (after - before).max(0.0);
        Self {
            all: less(self.all, before.all),
            idle: less(self.idle, before.idle),
            disk: less(self.disk, before.disk),
            stolen: less(self.stolen, before.stolen),
        }
    }

    fn busy(self) -> f64 {
        ((self.all - self.idle - self.disk) / self.all).clamp(0.0, 1.0)
    }
}

/// Share of a kind in the time of several processors.
fn share(of: &[Ticks], kind: fn(&Ticks) -> f64) -> Option<f64> {
    let all: f64 = of.iter().map(|t| t.all).sum();
    (all > 0.0).then(|| of.iter().map(kind).sum::<f64>() / all)
}

/// Each processor's line of `/proc/stat`: user nice system idle iowait irq softirq steal. The
/// guest columns that follow are part of user and nice.
fn ticks(stat: &str) -> HashMap<usize, Ticks> {
    let one = |line: &str| {
        let mut fields = line.strip_prefix("cpu")?.split_whitespace();
        let core = fields.next()?.parse().ok()?;
        let t: Vec<f64> = fields.take(8).map_while(|n| n.parse().ok()).collect();
        let known = t.len() == 8;
        let sum = t.iter().sum();
        known.then(|| (core, Ticks { all: sum, idle: t[3], disk: t[4], stolen: t[7] }))
    };
    stat.lines().filter(|line| !line.starts_with("cpu ")).filter_map(one).collect()
}

/// How often the cores, or the whole processor, were too hot since the machine started.
fn heat(cores: &[usize]) -> Option<u64> {
    let count = |core: &usize, kind: &str| -> Option<u64> {
        let path =
            format!("/sys/devices/system/cpu/cpu{core}/thermal_throttle/{kind}_throttle_count");
        fs::read_to_string(path).ok()?.trim().parse().ok()
    };
    let kinds = cores.iter().flat_map(|c| [count(c, "core"), count(c, "package")]);
    kinds.flatten().max()
}

/// A file of this process's group, as containers see their own.
fn quota_file(names: &[&str]) -> Option<String> {
    names.iter().find_map(|name| fs::read_to_string(format!("/sys/fs/cgroup/{name}")).ok())
}

/// Seconds for which the group was kept from running.
fn throttled(stat: &str) -> Option<f64> {
    let value = |name: &str| -> Option<f64> {
        stat.lines().find_map(|line| line.strip_prefix(name))?.trim().parse().ok()
    };
    let micro = value("throttled_usec ").map(|t| t / 1e6);
    micro.or_else(|| value("throttled_time ").map(|t| t / 1e9))
}

/// Processors' worth of time, from `cpu.max`: quota and period, or `max`.
fn quota(max: &str) -> Option<f64> {
    let (quota, period) = max.trim().split_once(' ')?;
    ratio(quota.parse().ok()?, period.parse().ok()?)
}

/// The same from the older kind of groups, where no quota is -1.
fn old_quota() -> Option<f64> {
    let value =
        |name: &str| -> Option<f64> { quota_file(&[&format!("cpu/{name}")])?.trim().parse().ok() };
    ratio(value("cpu.cfs_quota_us")?, value("cpu.cfs_period_us")?)
}

fn ratio(quota: f64, period: f64) -> Option<f64> {
    (quota > 0.0 && period > 0.0).then(|| quota / period)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processors_are_told_apart() {
        let stat = "cpu  9 9 9 9 9 9 9 9\ncpu0 10 0 20 60 5 0 0 5 3 0\ncpu11 1 1 1 1 1 1 1 1\n\
                    cpu2 1 2\nintr 5\n";
        let t = ticks(stat);
        assert_eq!(t.len(), 2);
        assert_eq!(t[&0], Ticks { all: 100.0, idle: 60.0, disk: 5.0, stolen: 5.0 });
        assert_eq!(share(&[t[&0]], |t| t.stolen), Some(0.05));
        assert_eq!(t[&0].busy(), 0.35);
        assert_eq!(share(&[], |t| t.stolen), None);
    }

    #[test]
    fn only_what_came_since_counts() {
        let before = Ticks { all: 100.0, idle: 50.0, disk: 0.0, stolen: 50.0 };
        let after = Ticks { all: 200.0, idle: 149.0, disk: 0.0, stolen: 51.0 };
        assert_eq!(share(&[after.since(before)], |t| t.stolen), Some(0.01));
        // A count that falls is no negative time.
        assert_eq!(before.since(after).all, 0.0);
    }

    #[test]
    fn both_kinds_of_groups() {
        assert_eq!(throttled("nr_throttled 3\nthrottled_usec 2500000\n"), Some(2.5));
        assert_eq!(throttled("nr_throttled 3\nthrottled_time 2500000000\n"), Some(2.5));
        assert_eq!(throttled("nr_throttled 3\n"), None);
        assert_eq!(quota("150000 100000\n"), Some(1.5));
        assert_eq!(quota("max 100000\n"), None);
        assert_eq!(ratio(-1.0, 100_000.0), None);
    }

    #[test]
    fn a_run_has_facts_and_no_impossible_ones() {
        let cores = Cores::of(&cores::groups());
        let begin = Snapshot::take(&cores);
        std::thread::sleep(std::time::Duration::from_millis(50));
        let facts = begin.since(&cores);
        let shares = [facts.stolen, facts.disk, facts.sibling, facts.disturbed];
        assert!(shares.iter().flatten().all(|x| (0.0..=1.0).contains(x)), "{facts:?}");
        assert_eq!(facts.shared_core, cores.shared());
    }
}
