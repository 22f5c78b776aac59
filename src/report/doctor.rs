//! What this machine is good for: whether it can measure, what the sandbox holds, and how to make
//! it better.

use std::fmt::{self, Write};

use comfy_table::{Cell, Color};
use serde::Serialize;

use super::counting;
use super::noise::{self, Facts};
use super::record::{Capability, Cause, Machine, Protection, Tsc};
use super::terminal::{self, Style};
use crate::build::{Tool, Toolchain};
use crate::sandbox;
use crate::task::Lang;
use crate::task::cache::Cache;
use crate::timer::{counters, machine, strain};
use crate::worker::{Cores, cores, lease};

/// Everything that was found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Diagnosis {
    /// The machine.
    pub machine: Machine,
    /// One line for each thing that matters.
    pub findings: Vec<Finding>,
    /// Cores that are being measured on, by whom and since when.
    pub leases: Vec<lease::Holder>,
    /// The sandbox, each part proven by attempting the forbidden act.
    pub capabilities: Vec<Capability>,
}

/// One thing that matters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What was looked at.
    pub subject: &'static str,
    /// How it stands.
    pub state: State,
    /// What was found, and what to do about it.
    pub detail: String,
}

/// How a thing stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// As it should be.
    Good,
    /// Measurements are coarser or protections fewer than they could be.
    Weak,
    /// It can't work like this.
    Bad,
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// Looks at the machine; takes well under a second.
pub fn examine() -> Diagnosis {
    let machine = machine::machine();
    let facts = strain::at_rest(&Cores::of(&cores::groups())).of_machine(&machine);
    let mut findings = findings(&machine, &facts);
    let counted = counting::groups(&counters::probe());
    findings.extend(counted.into_iter().map(|(there, text)| match there {
        true => good("counters", text),
        false => weak("counters", text),
    }));
    let profile = sandbox::Profile::detect();
    findings.extend(tools(profile));
    let capabilities: Vec<Capability> =
        sandbox::card(profile).into_iter().map(Capability::from).collect();
    findings.push(match profile {
        sandbox::Profile::Root => good("user", "root: builder and workers get own users".into()),
        sandbox::Profile::User => {
            weak("user", "not root: fit for practice; `grade` needs --trust-workspace".into())
        }
    });
    Diagnosis { machine, findings, leases: lease::held(), capabilities }
}

/// Compilers and linker, as a build would find them.
fn tools(profile: sandbox::Profile) -> Vec<Finding> {
    let cache = match Cache::open() {
        Ok(cache) => cache,
        Err(error) => return vec![bad("cache", error.to_string())],
    };
    let named = |tool: &Tool| format!("{}: {}", brief(&tool.version), tool.path.display());
    let chain = match Toolchain::discover(Lang::C, &cache, profile) {
        Ok(chain) => chain,
        Err(error) => return vec![bad("compiler", error.to_string())],
    };
    let cxx = match Toolchain::discover(Lang::Cxx, &cache, profile) {
        Ok(Toolchain { cxx: Some(cxx), .. }) => good("C++", named(&cxx)),
        Ok(_) => weak("C++", "not found".into()),
        Err(error) => weak("C++", format!("{error}: tasks in C++ can't be graded")),
    };
    let rust = match Toolchain::discover(Lang::Rust, &cache, profile) {
        Ok(Toolchain { rust: Some(rust), .. }) => good("Rust", named(&rust.rustc)),
        Ok(_) => weak("Rust", "not found".into()),
        Err(error) => weak("Rust", format!("{error}: tasks in Rust can't be graded")),
    };
    let linker = if chain.shuffles() {
        good("linker", named(&chain.ld))
    } else {
        weak(
            "linker",
            format!("{}; only lld can shuffle layouts: install it for less bias", named(&chain.ld)),
        )
    };
    vec![good("compiler", named(&chain.cc)), cxx, rust, linker]
}

/// A version line without what it says in parentheses: `gcc (Debian 12.2.0-14) 12.2.0` is
/// `gcc 12.2.0`.
fn brief(version: &str) -> String {
    let mut depth = 0_usize;
    let outside = version.chars().filter(|c| match c {
        '(' => {
            depth += 1;
            false
        }
        ')' => {
            depth = depth.saturating_sub(1);
            false
        }
        _ => depth == 0,
    });
    outside.collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ")
}

fn bad(subject: &'static str, detail: String) -> Finding {
    Finding { subject, state: State::Bad, detail }
}

fn good(subject: &'static str, detail: String) -> Finding {
    Finding { subject, state: State::Good, detail }
}

fn weak(subject: &'static str, detail: String) -> Finding {
    Finding { subject, state: State::Weak, detail }
}

/// What follows from the machine, and from what a run on it would meet.
fn findings(m: &Machine, facts: &Facts) -> Vec<Finding> {
    let mut all = vec![match (m.cores, facts.shared_core) {
        (1, _) => weak("cores", "1: the stopwatch has to sleep and is coarse; give it two".into()),
        (n, true) => {
            weak("cores", format!("{n}, but one physical core: the stopwatch has to sleep"))
        }
        (n, false) => good("cores", format!("{n}: the stopwatch has one of its own")),
    }];
    all.push(match m.smt {
        Some(true) => {
            weak("smt", "on: the two cores in use are no siblings, but others share".into())
        }
        Some(false) => good("smt", "off".into()),
        None => weak("smt", "the kernel does not say".into()),
    });
    all.push(match m.tsc {
        Tsc::Invariant => {
            let rate = m.tsc_ghz.map_or(String::new(), |ghz| format!(", {ghz:.6} GHz"));
            good("clock", format!("invariant time stamp counter{rate}"))
        }
        Tsc::Variable => {
            weak("clock", "the time stamp counter changes its rate: a coarser clock is used".into())
        }
        Tsc::Absent => weak("clock", "no time stamp counter: a coarser clock is used".into()),
    });
    if m.governor.is_none() {
        all.push(weak("governor", "the kernel shows none (usual in a virtual machine)".into()));
    }
    all.push(match m.large_pages {
        Some(true) => good("pages", "large ones, on request".into()),
        Some(false) => weak(
            "pages",
            "small ones only, wherever there is room: times may scatter more; \
             `echo madvise > /sys/kernel/mm/transparent_hugepage/enabled`"
                .into(),
        ),
        None => weak("pages", "the kernel does not say whether it gives large ones".into()),
    });
    all.extend(nuisances(m, facts));
    all
}

/// What disturbs measurements, as far as it can be known without one: each thing that was looked
/// at, with what to do about it where that is worth doing.
fn nuisances(m: &Machine, facts: &Facts) -> Vec<Finding> {
    let ranked = noise::rank(facts);
    let percent = |x: f64| format!("{:.2} % of processor time since boot", x * 100.0);
    let quota = facts.quota.map_or("none".into(), |x| format!("{x:.2} processors' worth of time"));
    let priority = if facts.unprivileged { "raising it is refused" } else { "can be raised" };
    let looked = [
        ("governor", Cause::Governor, m.governor.clone()),
        ("load", Cause::Load, m.load.map(|x| format!("{x:.2} over the last minute"))),
        ("steal", Cause::Steal, facts.stolen.map(percent)),
        ("heat", Cause::Heat, facts.heat.map(|n| format!("{n} times too hot since boot"))),
        ("quota", Cause::Quota, Some(quota)),
        ("priority", Cause::Priority, Some(priority.into())),
    ];
    let finding = |(subject, cause, found): (_, _, Option<String>)| {
        let found = found?;
        Some(match ranked.iter().find(|noise| noise.cause == cause) {
            Some(noise) => weak(subject, format!("{found}: {}", noise.advice)),
            None => good(subject, found),
        })
    };
    looked.into_iter().filter_map(finding).collect()
}

/// A table for people, ending in a line break.
pub fn render(d: &Diagnosis, style: Style) -> String {
    let m = &d.machine;
    let hypervisor = m.hypervisor.as_deref().unwrap_or("no hypervisor");
    let mut out = format!("{}, Linux {}, {hypervisor}\n", m.cpu, m.kernel);
    let mut table = terminal::table(&["", "state", "what was found"], &[], style);
    for f in &d.findings {
        let colour = match f.state {
            State::Good => Color::Green,
            State::Weak => Color::Yellow,
            State::Bad => Color::Red,
        };
        table.add_row([
            Cell::new(f.subject),
            dressed(f.state, colour, style),
            Cell::new(&f.detail),
        ]);
    }
    // Writing to a string can't fail.
    let _ = writeln!(out, "{table}\n{}", leases(&d.leases, style));
    let mut card =
        terminal::table(&["sandbox", "state", "what was tried, or what is missing"], &[], style);
    for c in &d.capabilities {
        let (state, colour) = match c.state {
            Protection::Proven => ("proven", Color::Green),
            Protection::Absent => ("absent", Color::Yellow),
        };
        card.add_row([Cell::new(&c.name), dressed(state, colour, style), Cell::new(&c.note)]);
    }
    let _ = writeln!(out, "{card}");
    out
}

/// Who measures on which core.
fn leases(held: &[lease::Holder], style: Style) -> String {
    if held.is_empty() {
        return "No core is leased: nobody measures here, as far as can be seen.".into();
    }
    let header = ["leased core", "by", "for", "since"];
    let mut table = terminal::table(&header, &[0], style);
    for h in held {
        let by = match h.pid {
            Some(pid) => format!("pid {pid} of user {}", h.user),
            None => format!("user {}", h.user),
        };
        table.add_row([
            h.core.to_string(),
            by,
            terminal::printable(&h.what),
            terminal::printable(&h.since),
        ]);
    }
    table.to_string()
}

fn dressed(text: impl fmt::Display, colour: Color, style: Style) -> Cell {
    let cell = Cell::new(text);
    if style == Style::Coloured { cell.fg(colour) } else { cell }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::record::Outcome;
    use crate::report::sample_record;

    fn state(machine: &Machine, subject: &str) -> State {
        let facts = Facts { shared_core: machine.cores == 1, ..Facts::default() };
        findings(machine, &facts.of_machine(machine))
            .into_iter()
            .find(|f| f.subject == subject)
            .unwrap()
            .state
    }

    #[test]
    fn judges_what_matters() {
        let mut m = sample_record(Outcome::Pass).machine;
        assert_eq!(state(&m, "cores"), State::Good);
        assert_eq!(state(&m, "clock"), State::Good);
        m.cores = 1;
        m.tsc = Tsc::Variable;
        m.smt = Some(true);
        m.large_pages = Some(false);
        m.load = Some(3.0);
        m.governor = Some("powersave".into());
        for subject in ["cores", "clock", "smt", "load", "governor", "pages"] {
            assert_eq!(state(&m, subject), State::Weak, "{subject}");
        }
    }

    #[test]
    fn what_would_disturb_a_run_comes_with_what_to_do() {
        let m = sample_record(Outcome::Pass).machine;
        let facts = Facts { stolen: Some(0.05), quota: Some(1.5), ..Facts::default() };
        let found = nuisances(&m, &facts);
        let of = |subject| found.iter().find(|f| f.subject == subject).unwrap();
        assert_eq!(of("steal").state, State::Weak);
        assert!(of("steal").detail.starts_with("5.00 % of processor time since boot: "));
        assert!(of("quota").detail.contains("--cpuset-cpus"), "{}", of("quota").detail);
        assert_eq!(of("priority").state, State::Good);
        assert!(!found.iter().any(|f| f.subject == "heat"), "nobody knows");
    }

    #[test]
    fn versions_are_brief() {
        assert_eq!(brief("gcc (Debian 12.2.0-14+deb12u1) 12.2.0"), "gcc 12.2.0");
        assert_eq!(brief("LLD 22.1.2 (/x y (z)) (compatible)"), "LLD 22.1.2");
        assert_eq!(brief(")("), "");
    }

    #[test]
    fn plain_text_has_no_escape_codes() {
        let machine = sample_record(Outcome::Pass).machine;
        let findings = findings(&machine, &Facts::default());
        let capabilities = sample_record(Outcome::Pass).capabilities;
        let holder = lease::Holder {
            core: 3,
            user: 1000,
            pid: Some(77),
            what: "grade toy 01\x1b[2J".into(),
            since: "2026-01-02T03:04:05Z".into(),
        };
        let d = Diagnosis { machine, findings, leases: vec![holder], capabilities };
        let text = render(&d, Style::Plain);
        assert!(!text.contains('\x1b') && text.contains("Sample CPU"), "{text}");
        assert!(text.contains("pid 77 of user 1000") && text.contains("grade toy 01"), "{text}");
        assert!(render(&d, Style::Coloured).contains('\x1b'));
    }
}
