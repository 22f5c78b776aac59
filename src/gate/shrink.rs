//! From a failing call to a small one that fails as well. Every attempt is a call like any other: the
//! oracle answers it, too. Nothing here changes a verdict: what failed has failed.

mod processes;
#[cfg(test)]
mod tests;

use std::time::{Duration, Instant};

pub use processes::Processes;

use super::case::{Case, Simple};
use super::own::Blank;
use super::run::{Failure, Gate};
use super::simple;
use crate::task::Draw;

/// What shrinking may take. It ends with the smallest failure until then.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// Attempts.
    pub attempts: u32,
    /// Time; an attempt that has begun is waited for.
    pub time: Duration,
}

impl Bounds {
    /// Enough for most failures of small calls: some seconds.
    pub const DEFAULT: Self = Self { attempts: 500, time: Duration::from_secs(8) };
}

/// What became of a failure when it was tried again.
#[derive(Debug)]
pub enum Shrunk {
    /// A small failure. Its `history` holds the calls that must come before it, none where it fails
    /// alone.
    Smallest {
        /// The failure.
        failure: Box<Failure>,
        /// Attempts made.
        attempts: u32,
    },
    /// It did not fail in a fresh process, even after all calls that came before it.
    NotAgain,
    /// There was no time to find that out, or a fresh process could not be had.
    Unknown,
}

/// Nothing can be tried any more: the reference failed, or no process could be started.
#[derive(Debug)]
pub struct Stuck;

/// Makes a call after others and says how it failed, if it did. Without others it may be made in the
/// process of the last attempt, unless it asks for a fresh one.
pub trait Attempts {
    /// One attempt.
    fn attempt(
        &mut self,
        fresh: bool,
        before: &[Case],
        case: &Case,
    ) -> Result<Option<Failure>, Stuck>;
}

/// Makes calls smaller.
pub struct Shrinker<'a, 't> {
    gate: &'a Gate<'t>,
    tries: &'a mut dyn Attempts,
    attempts: u32,
    most: u32,
    until: Instant,
    stuck: bool,
    wanted: Failure,
}

impl<'a, 't> Shrinker<'a, 't> {
    /// For one failure.
    pub fn new(
        gate: &'a Gate<'t>,
        tries: &'a mut dyn Attempts,
        bounds: Bounds,
        failure: &Failure,
    ) -> Self {
        let until = gate.deadline.min(Instant::now() + bounds.time);
        let (attempts, most) = (0, bounds.attempts);
        let wanted = failure.clone();
        Self { gate, tries, attempts, most, until, stuck: false, wanted }
    }

    /// Finds a small failure of the same outcome.
    pub fn run(mut self) -> Shrunk {
        let original = self.wanted.clone();
        let mut sure = match self.afresh(&[], &original.case) {
            Some(failure) => failure,
            None => match self.after_others(&original) {
                Some(failure) => failure,
                None if self.stuck || self.over() => return Shrunk::Unknown,
                None => return Shrunk::NotAgain,
            },
        };
        let mut best = sure.clone();
        loop {
            let before = best.case.clone();
            self.lower_draws(&mut best);
            self.simplify_inputs(&mut best);
            if best.case == before || self.over() {
                break;
            }
        }
        // Attempts share a process while it lives: only a fresh one shows that it fails alone.
        if best.case != sure.case {
            self.most = self.most.max(self.attempts + 1);
            if let Some(failure) = self.afresh(&best.history, &best.case) {
                sure = failure;
            }
        }
        Shrunk::Smallest { failure: Box::new(sure), attempts: self.attempts }
    }

    fn over(&self) -> bool {
        self.stuck || self.attempts >= self.most || Instant::now() >= self.until
    }

    /// The failure of `case` after the calls `before` in a fresh process, if it fails.
    fn afresh(&mut self, before: &[Case], case: &Case) -> Option<Failure> {
        self.attempt(true, before, case)
    }

    /// The failure of `case` after the calls `before`, if it fails as the first one did.
    fn attempt(&mut self, fresh: bool, before: &[Case], case: &Case) -> Option<Failure> {
        if self.over() {
            return None;
        }
        self.attempts += 1;
        let Ok(failed) = self.tries.attempt(fresh, before, case) else {
            self.stuck = true;
            return None;
        };
        failed.filter(|f| f.outcome == self.wanted.outcome && f.history.len() == before.len())
    }

    /// The failure of a call that does not fail alone, with as few calls before it as can be found.
    fn after_others(&mut self, original: &Failure) -> Option<Failure> {
        let history = &original.history;
        let mut last = 1;
        let mut found = loop {
            let some = &history[history.len().saturating_sub(last)..];
            match self.afresh(some, &original.case) {
                Some(failure) => break failure,
                None if some.len() == history.len() || self.over() => return None,
                None => last *= 4,
            }
        };
        // Leaves out what is not needed: halves, quarters, …, single calls.
        let half = found.history.len().div_ceil(2);
        for step in std::iter::successors(Some(half), |step| Some(step / 2).filter(|s| *s > 0)) {
            let mut at = 0;
            while at < found.history.len() && !self.over() {
                let mut fewer = found.history.clone();
                fewer.drain(at..(at + step).min(fewer.len()));
                match self.afresh(&fewer, &original.case) {
                    Some(failure) => found = failure,
                    None => at += step,
                }
            }
        }
        Some(found)
    }

    /// Tries a smaller case; keeps it if it fails.
    fn keep(&mut self, best: &mut Failure, case: Case) -> bool {
        match self.attempt(false, &best.history.clone(), &case) {
            Some(failure) => {
                *best = failure;
                true
            }
            None => false,
        }
    }

    /// Lowers each drawn value as far as the call still fails.
    fn lower_draws(&mut self, best: &mut Failure) {
        let task = self.gate.task;
        let draws = best.case.draws(task);
        for (name, draw) in draws {
            let Some(&now) = best.values.0.get(name) else { continue };
            let with = |best: &Failure, value: i64| {
                let mut case = best.case.clone();
                case.smaller.0.insert(name.clone(), value);
                case
            };
            match draw {
                Draw::Expr(_) => {}
                Draw::Choices(all) => {
                    let mut less: Vec<i64> =
                        all.iter().copied().filter(|v| (v.abs(), *v) < (now.abs(), now)).collect();
                    less.sort_unstable_by_key(|v| (v.abs(), *v));
                    less.dedup();
                    let _ = less.into_iter().any(|v| {
                        let case = with(best, v);
                        self.keep(best, case)
                    });
                }
                Draw::Range { from, to } | Draw::Log { from, to } => {
                    let least = 0.clamp(*from, (*to).max(*from));
                    let case = with(best, least);
                    if now == least || self.keep(best, case) {
                        continue;
                    }
                    // Right at `right`, wrong at `wrong`.
                    let (mut right, mut wrong) = (least, now);
                    while right.abs_diff(wrong) > 1 && !self.over() {
                        let middle = right + (wrong - right) / 2;
                        let case = with(best, middle);
                        if self.keep(best, case) {
                            wrong = middle;
                        } else {
                            right = middle;
                        }
                    }
                }
            }
        }
    }

    /// Replaces as many elements of the inputs by simple ones as leave the call failing.
    fn simplify_inputs(&mut self, best: &mut Failure) {
        let f = &self.gate.task.functions[best.case.function];
        for index in 0..f.buffers.len() {
            let Some(simple) = best.case.simplest(self.gate.task, index) else { continue };
            // What is not filled has no content.
            let content = best.inputs.iter().find(|(i, _)| *i == index).map_or(&[][..], |x| &x.1);
            // What is simple by chance needs no attempt.
            let mut done: Vec<bool> =
                content.chunks_exact(simple.len()).map(|element| element == simple).collect();
            let mut step = done.len();
            while step > 0 && !self.over() {
                for from in (0..done.len()).step_by(step) {
                    if self.over() {
                        break;
                    }
                    let to = (from + step).min(done.len());
                    if done[from..to].iter().all(|d| *d) {
                        continue;
                    }
                    let mut more = done.clone();
                    more[from..to].fill(true);
                    let case =
                        Case { simple: with(&best.case.simple, index, &more), ..best.case.clone() };
                    if self.is_allowed(&case, index) && self.keep(best, case) {
                        done = more;
                    }
                }
                step /= 2;
            }
            // What lies beyond a buffer that has become smaller is of no more consequence.
            let elements = done.len() as u64;
            let of_this = best.case.simple.iter_mut().filter(|s| s.buffer == index);
            of_this.for_each(|s| s.to = s.to.min(elements));
            best.case.simple.retain(|s| s.from < s.to);
        }
    }

    /// Whether the contract allows the content of a buffer.
    fn is_allowed(&self, case: &Case, buffer: usize) -> bool {
        let Gate { seed, task, symbols, .. } = self.gate;
        // What own generators make is never simplified, so that it does not matter here.
        let made = case.make(*seed, task, symbols, &mut Blank);
        let fill = case.fill(task, buffer);
        let elem = task.functions[case.function].buffers[buffer].elem;
        made.is_ok_and(|(call, _)| simple::allowed(fill, elem, &call.buffers[buffer].content))
    }
}

/// What is simple, with these elements of one buffer instead of what it had.
fn with(simple: &[Simple], buffer: usize, elements: &[bool]) -> Vec<Simple> {
    let mut all: Vec<Simple> = simple.iter().filter(|s| s.buffer != buffer).cloned().collect();
    let mut from = 0;
    for run in elements.chunk_by(|a, b| a == b) {
        let to = from + run.len() as u64;
        if run[0] {
            all.push(Simple { buffer, from, to });
        }
        from = to;
    }
    all
}
