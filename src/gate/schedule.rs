//! In which order, and in how many processes, the calls of a plan are made. An answer must not
//! depend on what a process was asked before.

use std::collections::BTreeMap;

use rand::seq::SliceRandom;
use rand::{Rng, RngExt};

use super::case::{Case, Origin};
use super::checked::Checked;
use super::compare::Answer;
use super::instance::Values;
use super::plan::Plan;
use super::run::{Gate, Stopped};
use super::seed::Seed;
use crate::task::{Function, Task};
use crate::worker::request::Instance;
use crate::worker::{Fate, Worker};

/// The calls of a plan, process by process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    /// The calls of each process in order.
    pub processes: Vec<Vec<Case>>,
}

/// One case in so many is made twice in a row, and again after all others.
const REPEATED: usize = 8;
/// Calls of each function that a later process makes.
const SAMPLE: usize = 8;

impl Schedule {
    /// All cases of these functions: in the first process in random order, functions mixed, some of
    /// them again; in later processes a few of each function, the first of which is no small one.
    pub fn new(plan: &Plan, task: &Task, functions: &[usize], seed: Seed) -> Self {
        let planned: Vec<Vec<Case>> = functions.iter().map(|&f| plan.cases(task, f)).collect();
        Self::of(&planned, plan.processes, seed)
    }

    /// The same of given cases, by function.
    pub fn of(planned: &[Vec<Case>], later_processes: u64, seed: Seed) -> Self {
        let mut rng = seed.stream("gate order", "", 0);
        let mut processes = vec![first(planned, &mut rng)];
        for _ in 0..later_processes {
            processes.push(later(planned, &mut rng));
        }
        Self { processes }
    }

    /// These calls in one process.
    pub fn only(cases: Vec<Case>) -> Self {
        Self { processes: vec![cases] }
    }

    /// Makes all calls. `start` gives each process by its number, stopped; there is only one at a
    /// time.
    pub fn run(
        &self,
        gate: &Gate<'_>,
        oracle: &mut Worker,
        start: &dyn Fn(usize) -> Result<Worker, Fate>,
        checked: &mut Tally<'_>,
    ) -> Result<(), Ended> {
        for (process, cases) in self.processes.iter().enumerate() {
            let mut worker = start(process).map_err(Ended::Start)?;
            gate.run(cases, oracle, &mut worker, checked)
                .map_err(|stopped| Ended::Stopped { process, stopped })?;
        }
        Ok(())
    }

    /// How many calls of a function it has.
    pub fn planned(&self, function: usize) -> u64 {
        self.processes.iter().flatten().filter(|case| case.function == function).count() as u64
    }

    /// How many calls it has.
    pub fn len(&self) -> u64 {
        self.processes.iter().map(|cases| cases.len() as u64).sum()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Why not all calls of a schedule were made.
#[derive(Debug)]
pub enum Ended {
    /// A process of the candidate could not be started.
    Start(Fate),
    /// The gate stopped.
    Stopped {
        /// In this process.
        process: usize,
        /// Why.
        stopped: Stopped,
    },
}

/// What was seen of calls that were found right; tells how many there are now and then.
pub struct Tally<'a> {
    functions: BTreeMap<usize, Checked>,
    all: u64,
    tell: &'a dyn Fn(u64),
}

impl<'a> Tally<'a> {
    /// Of nothing yet.
    pub fn new(tell: &'a dyn Fn(u64)) -> Self {
        Self { functions: BTreeMap::new(), all: 0, tell }
    }

    /// One right answer more of a function (with its index).
    pub fn add(
        &mut self,
        (index, function): (usize, &Function),
        call: (&Values, &Instance),
        oracle: &Answer,
        candidate: &Answer,
    ) {
        let seen = self.functions.entry(index).or_insert_with(|| Checked::new(function));
        seen.add(call, oracle, candidate);
        self.all += 1;
        if self.all.is_multiple_of(64) {
            (self.tell)(self.all);
        }
    }

    /// How many of a function there were.
    pub fn of(&self, function: usize) -> u64 {
        self.seen(function).map_or(0, |checked| checked.calls)
    }

    /// What was seen of a function, if anything was.
    pub fn seen(&self, function: usize) -> Option<&Checked> {
        self.functions.get(&function)
    }
}

fn first(planned: &[Vec<Case>], rng: &mut impl Rng) -> Vec<Case> {
    let mut again: Vec<&Case> = Vec::new();
    let mut turns: Vec<(&Case, bool)> = Vec::new();
    for cases in planned {
        let shift = rng.random_range(0..REPEATED.min(cases.len().max(1)));
        for (index, case) in cases.iter().enumerate() {
            let repeated = index % REPEATED == shift;
            turns.push((case, repeated));
            again.extend(repeated.then_some(case));
        }
    }
    turns.shuffle(rng);
    again.shuffle(rng);
    let twice = turns
        .into_iter()
        .flat_map(|(case, twice)| std::iter::repeat_n(case, if twice { 2 } else { 1 }));
    twice.chain(again).cloned().collect()
}

fn later(planned: &[Vec<Case>], rng: &mut impl Rng) -> Vec<Case> {
    let (mut begin, mut rest) = (Vec::new(), Vec::new());
    for cases in planned {
        // What a table or a choice made at the first call depends on shows with usual sizes.
        let (edges, mut usual): (Vec<&Case>, Vec<&Case>) =
            cases.iter().partition(|case| case.origin == Origin::Boundary);
        usual.shuffle(rng);
        let mut others = edges;
        others.extend(usual.drain(usual.len().min(1)..));
        others.shuffle(rng);
        others.truncate(SAMPLE - usual.len());
        begin.extend(usual);
        rest.extend(others);
    }
    begin.shuffle(rng);
    rest.shuffle(rng);
    begin.into_iter().chain(rest).cloned().collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::task::fixture::Fixture;
    use crate::task::{Draw, Profile};

    fn task() -> Fixture {
        let mut fixture = Fixture::c(&[], &["f", "g"]);
        for f in &mut fixture.task.functions {
            f.draws = vec![("n".into(), Draw::Range { from: 0, to: 100 })];
            f.profiles = vec![Profile {
                name: "p".into(),
                weight: 1.0,
                cache: crate::task::Cache::Warm,
                calls: crate::task::Calls::Chained,
                draws: f.draws.clone(),
                fills: Vec::new(),
            }];
        }
        fixture
    }

    #[test]
    fn every_case_is_called_and_some_again_at_once_and_later() {
        let task = &task().task;
        let plan = Plan::PRACTICE;
        let schedule = Schedule::new(&plan, task, &[0, 1], Seed::PUBLIC);
        let first = &schedule.processes[0];
        let mut places: HashMap<(usize, u64), Vec<usize>> = HashMap::new();
        for (at, case) in first.iter().enumerate() {
            places.entry((case.function, case.number)).or_default().push(at);
        }
        let planned: usize = [0, 1].iter().map(|&f| plan.cases(task, f).len()).sum();
        assert_eq!(places.len(), planned, "every case");
        for f in [0, 1] {
            let repeated: Vec<&Vec<usize>> = places
                .iter()
                .filter(|(key, at)| key.0 == f && at.len() == 3)
                .map(|(_, at)| at)
                .collect();
            assert!(repeated.len() >= plan.cases(task, f).len() / REPEATED);
            assert!(repeated.iter().all(|at| at[0] + 1 == at[1]), "at once");
            assert!(repeated.iter().all(|at| at[2] > at[1]), "and later");
        }
        assert!(places.values().all(|at| [1, 3].contains(&at.len())));
        let changes = first.windows(2).filter(|w| w[0].function != w[1].function).count();
        assert!(changes > planned / 4, "functions are mixed: {changes} changes");
        assert_eq!(schedule.len(), schedule.planned(0) + schedule.planned(1));
    }

    #[test]
    fn later_processes_begin_each_function_with_a_usual_size() {
        let task = &task().task;
        let schedule = Schedule::new(&Plan::GRADE, task, &[0, 1], Seed::PUBLIC);
        assert_eq!(schedule.processes.len() as u64, 1 + Plan::GRADE.processes);
        for process in &schedule.processes[1..] {
            assert_eq!(process.len(), 2 * SAMPLE);
            for f in [0, 1] {
                let first = process.iter().find(|case| case.function == f).unwrap();
                assert_ne!(first.origin, Origin::Boundary);
            }
        }
    }

    #[test]
    fn the_order_follows_from_the_seed() {
        let task = &task().task;
        let of = |seed| Schedule::new(&Plan::PRACTICE, task, &[0, 1], seed);
        assert_eq!(of(Seed::PUBLIC), of(Seed::PUBLIC));
        assert_ne!(of(Seed::PUBLIC), of(Seed([7; 16])));
    }

    #[test]
    fn calls_are_counted_by_function() {
        let task = &task().task;
        let [some, more] = [0, 1].map(|f| Plan::PRACTICE.cases(task, f));
        let schedule = Schedule { processes: vec![some[..3].to_vec(), more[..5].to_vec()] };
        assert_eq!([0, 1, 2].map(|f| schedule.planned(f)), [3, 5, 0]);
        assert_eq!((schedule.len(), schedule.is_empty()), (8, false));
        assert!(Schedule::only(Vec::new()).is_empty());
    }

    #[test]
    fn every_64th_right_answer_is_told() {
        let task = &task().task;
        let told = std::cell::RefCell::new(Vec::new());
        let tell = |calls: u64| told.borrow_mut().push(calls);
        let mut tally = Tally::new(&tell);
        let call = Instance { buffers: Vec::new(), makes: Vec::new(), frames: Vec::new() };
        let (values, answer) = (Values::default(), Answer::default());
        for index in (0..130).map(|call| usize::from(call >= 100)) {
            tally.add((index, &task.functions[index]), (&values, &call), &answer, &answer);
        }
        assert_eq!(*told.borrow(), [64, 128]);
        assert_eq!([0, 1, 2].map(|f| tally.of(f)), [100, 30, 0]);
    }
}
