//! One step's targets timed together, replicate after replicate, until the interval of ln s (with the
//! floor or without, whichever is wider) is narrow enough or the budget is spent. Never until a result looks significant: a width says
//! nothing about which side of a mark s lies on.

use std::time::{Duration, Instant};

use super::burst::Forge;
use super::pace::{Pace, Target};
use super::replicate::{Sides, replicate};
use super::sample::{Blocks, Measured, Unmeasured, settle};
use super::visit::Broken;
use crate::stats::{self, FunctionEstimate, ProfileRatios, StatsError, StepEstimate, median};
use crate::task::Task;
use crate::worker::Worker;

/// Most blocks of a target in a replicate.
const MOST_BLOCKS: usize = 200;

/// Confidence of every interval.
pub const CONFIDENCE: f64 = 0.95;

/// What a contest may spend, and what it is after.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Budget {
    /// Fewest and most replicates.
    pub replicates: (usize, usize),
    /// Wall time, seconds; the fewest replicates are completed whatever they take.
    pub seconds: f64,
    /// Half-width of the interval of ln s at which it is narrow enough.
    pub width: f64,
    /// What a replicate should take, seconds: some times what it takes to start its processes. Where
    /// scatter comes from process or layout, many short replicates say more than few long ones; where
    /// it comes from blocks, it is the same.
    pub replicate: f64,
    /// Layouts of each side, used in turn.
    pub layouts: usize,
}

impl Budget {
    /// For `grade`.
    pub const GRADE: Self =
        Self { replicates: (16, 60), seconds: 12.0, width: 0.0075, replicate: 0.3, layouts: 20 };
    /// For `practice`, where somebody waits.
    pub const PRACTICE: Self =
        Self { replicates: (8, 40), seconds: 8.0, width: 0.03, replicate: 0.2, layouts: 8 };

    /// For a duel: three times the time, since a verdict hangs on it.
    pub fn duel(self) -> Self {
        Self { seconds: 3.0 * self.seconds, ..self }
    }

    /// The control of the reference against itself: half of the fewest replicates, three at least.
    pub fn control(self) -> Self {
        let some = (self.replicates.0 / 2).max(3);
        Self { replicates: (some, some), ..self }
    }

    /// The same within a task's limit of seconds.
    pub fn within(self, seconds: f64) -> Self {
        Self { seconds: self.seconds.min(seconds), ..self }
    }

    /// What one should take, seconds: the fewest have to fit into the time.
    fn replicate(&self) -> f64 {
        self.replicate.min(self.seconds / self.replicates.0 as f64)
    }

    /// Gives every target the blocks that make a replicate narrowest, from what the control says of
    /// each one's scatter: for a sum of independent terms of weight w, scatter σ a block and cost c,
    /// numbers in proportion to w·σ/√c, within a factor of three of equal ones.
    pub fn spend(&self, task: &Task, targets: &mut [(Target, Pace)], control: &[Measured]) {
        let want = |((target, pace), m): (&(Target, Pace), &Measured)| {
            let profiles = &task.functions[target.function].profiles;
            let all: f64 = profiles.iter().map(|p| p.weight).sum();
            // Of a single block nothing is known, nor are there fewer to be had.
            let errors = m.block_errors.iter().flatten().map(|e| e * e).sum::<f64>().sqrt();
            let scatter = errors * (pace.blocks as f64).sqrt();
            profiles[target.profile].weight / all * scatter / pace.block_ns.max(1.0).sqrt()
        };
        let wants: Vec<f64> = targets.iter().zip(control).map(want).collect();
        let spent = |(w, (_, p)): (&f64, &(Target, Pace))| w * p.block_ns;
        let unit = self.replicate() * 1e9 / wants.iter().zip(&*targets).map(spent).sum::<f64>();
        if !unit.is_finite() {
            return;
        }
        for (want, (_, pace)) in wants.iter().zip(targets) {
            let equal = pace.blocks as f64;
            let blocks = (want * unit).clamp(equal / 3.0, equal * 3.0);
            // A single block tells nothing of its scatter: only where there were never two.
            pace.blocks = (blocks.round() as usize).clamp(pace.blocks.min(2), MOST_BLOCKS);
        }
    }

    /// Gives every target the same number of blocks: as many as make a replicate.
    pub fn share(&self, paces: &mut [Pace]) {
        let one = paces.iter().map(|p| p.block_ns).sum::<f64>();
        let blocks = ((self.replicate() * 1e9 / one.max(1.0)) as usize).clamp(1, MOST_BLOCKS);
        paces.iter_mut().for_each(|p| p.blocks = blocks);
    }
}

/// A contest about to be run.
#[derive(Debug)]
pub struct Contest<'a> {
    /// Makes its bursts.
    pub forge: &'a Forge<'a>,
    /// What is timed.
    pub targets: &'a [(Target, Pace)],
    /// What it may spend.
    pub budget: Budget,
    /// Layouts of each side; replicate i has number i modulo this.
    pub layouts: usize,
    /// When the grading must be over.
    pub deadline: Instant,
    /// In a duel, what the library in the reference's place takes before the clock: budgets stay multiples
    /// of the reference's own time.
    pub stand_in: Option<&'a Before>,
}

/// What comes before the clock, in multiples of the reference's time: budgets are, too. By default as
/// much as the reference takes.
#[derive(Debug, Clone, PartialEq)]
pub struct Before {
    /// Loading the library and setting it up.
    loading: f64,
    /// Preparing the states of each target; 1 where it has none.
    preparing: Vec<f64>,
}

impl Default for Before {
    fn default() -> Self {
        Before { loading: 1.0, preparing: Vec::new() }
    }
}

/// What a contest found.
#[derive(Debug, Clone, Default)]
pub struct Results {
    /// What was measured of each target.
    pub measured: Vec<Measured>,
    /// Layouts of each side; replicate i had number i modulo this.
    pub layouts: usize,
    /// Wall time, seconds.
    pub seconds: f64,
    /// Of that, between *go* and *done* of timed requests, the stopwatch's own included, seconds.
    pub inside: f64,
    /// What the candidate took before the clock.
    pub before: Before,
}

/// What ends a contest before its time.
#[derive(Debug)]
pub enum Halt<E> {
    /// A replicate's workers could not be started.
    Start(E),
    /// A worker failed, or an answer was wrong.
    Broken {
        /// Index of the function in the task.
        function: usize,
        /// What happened.
        broken: Broken,
    },
    /// There is no ratio.
    Unmeasured {
        /// What was timed.
        target: Target,
        /// Why.
        why: Unmeasured,
    },
    /// A statistic could not be computed.
    Stats(StatsError),
}

/// What the replicates have found so far.
#[derive(Debug, Default)]
struct Tally {
    /// By target and replicate.
    all: Vec<Vec<Blocks>>,
    /// What loading took the reference's processes and the candidate's, nanoseconds.
    loading: [Vec<f64>; 2],
    seconds: f64,
    inside: f64,
}

impl Contest<'_> {
    /// Runs it. `start` gives the reference, candidate and blank workers of a replicate, stopped;
    /// `tell` hears how much of the time is spent.
    pub fn run<E>(
        &self,
        oracle: &mut Worker,
        mut start: impl FnMut(usize) -> Result<[Worker; 3], E>,
        tell: &dyn Fn(Duration),
    ) -> Result<Results, Halt<E>> {
        let begin = Instant::now();
        let mut tally = Tally::default();
        for number in 0..self.budget.replicates.1 {
            let from = Instant::now();
            self.once(number, &mut start, oracle, &mut tally, &|| tell(begin.elapsed()))?;
            if number + 1 < self.budget.replicates.0 {
                continue;
            }
            let next = begin.elapsed() + from.elapsed();
            let over = next.as_secs_f64() > self.budget.seconds;
            if over || self.width(&self.results(&tally)?)? <= self.budget.width {
                break;
            }
        }
        let before = self.before_the_clock(&tally)?;
        Ok(Results { before, ..self.results(&tally)? })
    }

    /// One replicate of each target.
    fn once<E>(
        &self,
        number: usize,
        start: impl FnOnce(usize) -> Result<[Worker; 3], E>,
        oracle: &mut Worker,
        tally: &mut Tally,
        tell: &dyn Fn(),
    ) -> Result<(), Halt<E>> {
        let from = Instant::now();
        let [reference, candidate, blank] = start(number).map_err(Halt::Start)?;
        for (times, worker) in tally.loading.iter_mut().zip([&reference, &candidate]) {
            times.push(worker.loading().as_secs_f64() * 1e9);
        }
        let mut sides = Sides { oracle, reference, candidate, blank };
        tally.all.resize_with(self.targets.len(), Vec::new);
        for ((target, pace), replicates) in self.targets.iter().zip(&mut tally.all) {
            let function = target.function;
            let blocks =
                replicate(self.forge, *target, pace, number as u64, &mut sides, self.deadline)
                    .map_err(|broken| Halt::Broken { function, broken })?;
            replicates.push(blocks);
            tell();
        }
        let Sides { reference, candidate, blank, .. } = &sides;
        let timed = [reference, candidate, blank];
        tally.inside += timed.map(|w| w.inside_ns() / 1e9).iter().sum::<f64>();
        tally.seconds += from.elapsed().as_secs_f64();
        Ok(())
    }

    /// Holds what comes before the clock against the task's budgets.
    fn before_the_clock<E>(&self, tally: &Tally) -> Result<Before, Halt<E>> {
        let task = self.forge.task;
        let halt = |function: usize| move |broken| Halt::Broken { function, broken };
        let mut before = Before { loading: 1.0, preparing: vec![1.0; self.targets.len()] };
        if let (Some(setup), Some((target, _))) = (&task.setup, self.targets.first()) {
            let [reference, candidate] = &tally.loading;
            let median = |times: &[f64]| median(times).map_err(Halt::Stats);
            // Loading is short, and may meet a page that is not there.
            let slack = SLACK_NS / setup.budget;
            let stand_in = self.stand_in.map_or(1.0, |before| before.loading);
            before.loading = stand_in * median(candidate)? / (median(reference)? + slack).max(1.0);
            let what = "loading the library and setting it up";
            within(what, before.loading, setup.budget).map_err(halt(target.function))?;
        }
        let targets = self.targets.iter().zip(&tally.all).zip(&mut before.preparing).enumerate();
        for (number, (((target, _), replicates), times)) in targets {
            let function = &task.functions[target.function];
            if function.makes.is_empty() {
                continue;
            }
            let stand_in = self.stand_in.and_then(|b| b.preparing.get(number)).unwrap_or(&1.0);
            let blocks = replicates.iter().flat_map(|r| r.plain.iter().chain(&r.sealed));
            let pairs: Vec<[f64; 2]> = blocks.flat_map(|b| b.preparing.iter().copied()).collect();
            let [middle, whole] = multiples(&pairs, *stand_in).map_err(Halt::Stats)?;
            *times = middle;
            // One interruption weighs as much as many requests: the middle of all decides, and the
            // whole only whether somebody spends far more on fewer than half of them.
            for (times, budget) in [(middle, function.budget), (whole, 2.0 * function.budget)] {
                within("preparing its states", times, budget).map_err(halt(target.function))?;
            }
        }
        Ok(before)
    }

    fn results<E>(&self, tally: &Tally) -> Result<Results, Halt<E>> {
        let measured = self.settle(&tally.all)?;
        let (layouts, seconds, inside) = (self.layouts, tally.seconds, tally.inside);
        Ok(Results { measured, layouts, seconds, inside, before: Before::default() })
    }

    fn settle<E>(&self, all: &[Vec<Blocks>]) -> Result<Vec<Measured>, Halt<E>> {
        let one = |((target, pace), replicates): (&(Target, Pace), &Vec<Blocks>)| {
            settle(replicates, pace, self.stand_in.is_some())
                .map_err(|why| Halt::Unmeasured { target: *target, why })
        };
        self.targets.iter().zip(all).map(one).collect()
    }

    /// Of ln s with the floor and without: a duel's leads have none, and a function that the floor hides
    /// must not end it early.
    fn width<E>(&self, results: &Results) -> Result<f64, Halt<E>> {
        let width = || -> Result<f64, StatsError> {
            let functions = estimates(self.forge.task, self.targets, results)?;
            let raw = stats::raw(&functions, CONFIDENCE)?.half_width();
            Ok(StepEstimate::of_functions(functions, CONFIDENCE)?.ln.half_width().max(raw))
        };
        width().map_err(Halt::Stats)
    }
}

/// What loading a library may take longer than its budget, nanoseconds.
const SLACK_NS: f64 = 1e6;

/// What the candidate took, in multiples of the reference's time: of the middle of all requests, and of
/// their sum. `pairs`: what each took the library in the reference's place, and the candidate;
/// `stand_in`: what it takes that library.
fn multiples(pairs: &[[f64; 2]], stand_in: f64) -> Result<[f64; 2], StatsError> {
    let ratios: Vec<f64> = pairs.iter().map(|[r, c]| c / r.max(1.0)).collect();
    let [reference, candidate] = pairs.iter().fold([0.0; 2], |[r, c], p| [r + p[0], c + p[1]]);
    Ok([median(&ratios)?, candidate / reference.max(1.0)].map(|times| stand_in * times))
}

/// Whether what the candidate takes, in multiples of the reference's time, keeps a budget.
fn within(what: &'static str, times: f64, budget: f64) -> Result<(), Broken> {
    if times <= budget {
        return Ok(());
    }
    Err(Broken::OverBudget { what, times, budget })
}

/// The functions of a step's targets, each once, in order.
pub fn functions_of(targets: &[(Target, Pace)]) -> Vec<usize> {
    let mut functions: Vec<usize> = targets.iter().map(|(t, _)| t.function).collect();
    functions.dedup();
    functions
}

/// One value a layout: replicates that share one are no independent draws of it.
fn by_layout(replicates: &[f64], layouts: usize) -> Vec<f64> {
    if layouts < 2 || replicates.len() <= layouts {
        return replicates.to_vec();
    }
    let of = |layout: usize| {
        let mine = replicates.iter().skip(layout).step_by(layouts);
        mine.clone().sum::<f64>() / mine.count() as f64
    };
    (0..layouts).map(of).collect()
}

/// The estimate of each function of a step from its targets' results.
pub fn estimates(
    task: &Task,
    targets: &[(Target, Pace)],
    results: &Results,
) -> Result<Vec<FunctionEstimate>, StatsError> {
    let estimate = |function: usize| {
        let mine =
            targets.iter().zip(&results.measured).filter(|((t, _), _)| t.function == function);
        let ratios: Vec<ProfileRatios> = mine
            .map(|((target, _), measured)| ProfileRatios {
                weight: task.functions[function].profiles[target.profile].weight,
                replicates: by_layout(&measured.ln_ratios, results.layouts),
            })
            .collect();
        FunctionEstimate::new(&ratios, CONFIDENCE)
    };
    functions_of(targets).into_iter().map(estimate).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pace(block_ns: f64) -> Pace {
        Pace {
            plain: true,
            calls: 1,
            chained: true,
            requests: 5,
            audits: 2,
            blocks: 0,
            reference_ns: 1e6,
            bell_ns: 300.0,
            block_ns,
        }
    }

    #[test]
    fn blocks_follow_the_budget() {
        let budget = Budget::GRADE;
        let mut paces = [pace(1e7); 4];
        budget.share(&mut paces);
        assert!(paces.iter().all(|p| p.blocks == 7));
        Budget { seconds: 1.6, ..budget }.share(&mut paces);
        assert!(paces.iter().all(|p| p.blocks == 2));
        let mut quick = [pace(1e5)];
        budget.share(&mut quick);
        assert_eq!(quick[0].blocks, MOST_BLOCKS);
        let mut slow = [pace(1e10); 4];
        budget.share(&mut slow);
        assert!(slow.iter().all(|p| p.blocks == 1));
    }

    #[test]
    fn replicates_of_one_layout_are_one_draw() {
        let all = [1.0, 2.0, 3.0, 5.0, 4.0];
        assert_eq!(by_layout(&all, 3), [3.0, 3.0, 3.0]);
        assert_eq!(by_layout(&all, 8), all);
        assert_eq!(by_layout(&all, 1), all);
    }

    #[test]
    fn budgets_are_multiples_of_the_references_own_time() {
        let mut pairs = [[100.0, 150.0]; 5];
        assert_eq!(multiples(&pairs, 1.0), Ok([1.5, 1.5]));
        // In a duel the solution takes the half, or twice as long: as much of the reference's time.
        assert_eq!(multiples(&[[50.0, 150.0]; 5], 0.5), Ok([1.5, 1.5]));
        assert_eq!(multiples(&[[200.0, 150.0]; 5], 2.0), Ok([1.5, 1.5]));
        // Who spends it on fewer than half of the requests is seen in the sum.
        pairs[0][1] = 1_900.0;
        assert_eq!(multiples(&pairs, 1.0), Ok([1.5, 5.0]));
        assert!(multiples(&[], 1.0).is_err());
    }

    #[test]
    fn a_control_takes_half_of_the_fewest_replicates() {
        assert_eq!(Budget::GRADE.control().replicates, (8, 8));
    }
}
