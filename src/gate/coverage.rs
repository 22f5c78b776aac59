//! What a plan's calls are examples of: every class that a manifest declares must occur, or it says
//! more than is tested.

use speedgate_harness::wire::{self, BufferDesc};

use super::generators::classes;
use super::instance::Values;
use super::own::Blank;
use super::plan::{self, Plan};
use super::seed::Seed;
use crate::task::lint::{Finding, Severity};
use crate::task::{Buffer, Function, Task};
use crate::worker::request::{BufferInstance, Instance};

/// Classes of one kind, and how many calls were of each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// What they are classes of, such as ``draw `n` ``.
    pub what: String,
    /// Each class with its calls.
    pub classes: Vec<(String, u64)>,
    of: Of,
}

/// What a group's classes are of. Numbers are kept as such beside their names: this is asked of every
/// call.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Of {
    /// Values of a draw.
    Draw(String, Vec<i64>),
    /// The fill of a buffer.
    Fill(usize),
    /// The place of a buffer's first byte in a cache line.
    Alignment(usize, Vec<i64>),
}

impl Group {
    fn new(what: String, of: Of, classes: Vec<String>) -> Self {
        Self { what, of, classes: classes.into_iter().map(|class| (class, 0)).collect() }
    }

    /// Classes that did not occur.
    pub fn missing(&self) -> impl Iterator<Item = &str> {
        self.classes.iter().filter(|(_, calls)| *calls == 0).map(|(class, _)| class.as_str())
    }
}

/// The classes of a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Coverage(pub Vec<Group>);

/// Bytes of a cache line: placement beyond it makes no difference to vector code.
const LINE: u64 = 64;

impl Coverage {
    /// Of a function's own draws and fills (those of profiles are for the timer), none of which
    /// occurred yet.
    pub fn new(f: &Function) -> Self {
        let draws = f.draws.iter().map(|(name, draw)| {
            let values = plan::edges(draw);
            let names = values.iter().map(i64::to_string).collect();
            Group::new(format!("draw `{name}`"), Of::Draw(name.clone(), values), names)
        });
        let buffers = || f.buffers.iter().enumerate();
        let filled = buffers().filter(|(_, b)| b.role.is_filled());
        let fills = filled.map(|(i, b)| {
            Group::new(format!("fill of `{}`", b.name), Of::Fill(i), classes::declared(&b.fill))
        });
        let places = buffers().map(|(i, b)| {
            let (what, places) = (format!("alignment of `{}`", b.name), alignments(b));
            let names = places.iter().map(i64::to_string).collect();
            Group::new(what, Of::Alignment(i, places), names)
        });
        let all = draws.chain(fills).chain(places);
        Self(all.filter(|group| !group.classes.is_empty()).collect())
    }

    /// Counts a call.
    pub fn add(&mut self, values: &Values, call: &Instance) {
        for group in &mut self.0 {
            let number = match &group.of {
                Of::Draw(name, known) => values.0.get(name).map(|value| (known, *value)),
                Of::Alignment(index, known) => {
                    Some((known, alignment(&call.buffers[*index]) as i64))
                }
                Of::Fill(index) => {
                    let seen = &call.buffers[*index].classes;
                    for (class, calls) in &mut group.classes {
                        *calls += u64::from(seen.contains(class));
                    }
                    None
                }
            };
            // Both lists of numbers are in order.
            let place = number.and_then(|(known, value)| known.binary_search(&value).ok());
            if let Some(place) = place {
                group.classes[place].1 += 1;
            }
        }
    }
}

/// Every place in a cache line where the contract lets a buffer begin.
fn alignments(b: &Buffer) -> Vec<i64> {
    let step = b.align.max(b.elem.size()).max(1);
    (0..LINE).step_by(step.min(LINE) as usize).map(|at| at as i64).collect()
}

/// Where in a cache line a buffer begins.
fn alignment(b: &BufferInstance) -> u64 {
    let slot = wire::slot_for(b.bytes + b.room);
    let (bytes, room, align) = (b.bytes, b.room, b.align);
    let at_start = u32::from(b.at_start);
    let phase = b.phase;
    let described =
        BufferDesc { at_start, bytes, room, align, phase, slot, ..BufferDesc::default() };
    wire::placement(&described).map_or(0, |(start, ..)| start % LINE)
}

/// Looks for declared values and classes that never occur in the gate's calls on public inputs. No
/// call is made: generators of the task's own are left out.
pub fn lint(task: &Task) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (index, f) in task.functions.iter().enumerate() {
        let mut coverage = Coverage::new(f);
        for case in Plan::GRADE.cases(task, index) {
            // A call that can't be made is another finding's matter.
            let Ok((call, values)) = case.make(Seed::PUBLIC, task, &[], &mut Blank) else {
                continue;
            };
            coverage.add(&values, &call);
        }
        for group in coverage.0.iter().filter(|g| !matches!(g.of, Of::Alignment(..))) {
            let missing: Vec<&str> = group.missing().collect();
            let Some(first) = missing.first() else { continue };
            let more = match missing.len() {
                1 => String::new(),
                n => format!(" and {} more", n - 1),
            };
            findings.push(Finding {
                severity: Severity::Warning,
                place: format!("function {}", f.name),
                message: format!("{}: `{first}`{more} never occurs in the gate", group.what),
                help: "raise its probability, or drop what is never tested".into(),
            });
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gate::fixture::buffer;

    const TASK: &str = r#"
[task]
name = "t"
title = "A task"
[source]
tree = "src"
[build]
lang = "c"
sources = ["*.c"]
editable = ["*.c"]
[[step]]
id = "01-a"
functions = ["f"]
[function.f]
c = "void f(const uint8_t *in, size_t n, uint32_t *out)"
draw = { n = { from = 0, to = 64 } }
args.in = { in = "n", fill = { gen = "utf8", broken = BROKEN } }
args.out = { out = "n" }
profile.p = { n = 64 }
"#;

    fn task(broken: &str) -> (tempfile::TempDir, Task) {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("src")).unwrap();
        let task = Task::parse(dir.path(), &TASK.replace("BROKEN", broken)).unwrap();
        (dir, task)
    }

    #[test]
    fn a_class_that_never_occurs_is_a_finding() {
        let (_dir, seldom) = task("1e-9");
        let found = lint(&seldom);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].message, "fill of `in`: `utf8, broken` never occurs in the gate");
        let (_dir, often) = task("0.2");
        assert_eq!(lint(&often), []);
    }

    #[test]
    fn values_fills_and_places_are_counted() {
        let (_dir, task) = task("0.5");
        let mut coverage = Coverage::new(&task.functions[0]);
        let whats: Vec<&str> = coverage.0.iter().map(|g| g.what.as_str()).collect();
        let all = ["draw `n`", "fill of `in`", "alignment of `in`", "alignment of `out`"];
        assert_eq!(whats, all);
        let of = |c: &Coverage, i: usize| (c.0[i].classes.len(), c.0[i].missing().count());
        assert_eq!((of(&coverage, 2), of(&coverage, 3)), ((64, 64), (16, 16)));
        for case in Plan::GRADE.cases(&task, 0) {
            let (call, values) = case.make(Seed::PUBLIC, &task, &[], &mut Blank).unwrap();
            coverage.add(&values, &call);
        }
        assert_eq!((of(&coverage, 0).1, of(&coverage, 1)), (0, (2, 0)));
        // Places are drawn: nearly all of them come.
        assert!(of(&coverage, 2).1 < 10 && of(&coverage, 3).1 == 0, "{coverage:?}");
    }

    #[test]
    fn a_buffer_of_several_pages_has_its_place_in_a_line() {
        let place = |bytes, room, at_start| {
            let buffer = buffer(wire::Role::Out, bytes);
            alignment(&BufferInstance { room, align: 8, at_start, ..buffer })
        };
        // What it may write in all ends with a page, and thus with a line.
        assert_eq!(place(5000, 0, false), 56);
        assert_eq!(place(5000, 4000, false), 24);
        assert_eq!(place(5000, 4000, true), 0);
    }
}
