use std::time::Duration;

use super::*;
use crate::gate::fixture::gate;
use crate::gate::instance::Values;
use crate::gate::{Origin, Placement};
use crate::report::record::Outcome;
use crate::task::expression::Expr;
use crate::task::fixture::{self, Fixture};
use crate::task::{Fill, Role};

const AMPLE: Bounds = Bounds { attempts: 500, time: Duration::from_secs(50) };

/// A call that is made: in a fresh process or not, after those with these numbers, with these draws
/// and these inputs.
struct Call<'c> {
    fresh: bool,
    before: Vec<u64>,
    values: &'c Values,
    inputs: &'c [(usize, Vec<u8>)],
}

impl Call<'_> {
    fn drawn(&self, name: &str) -> i64 {
        self.values.0[name]
    }
}

/// Stands in for the candidate: fails as it is told, without a process.
struct Toy<'a> {
    gate: &'a Gate<'a>,
    fails: &'a mut dyn FnMut(&Call<'_>) -> Result<Option<Outcome>, Stuck>,
}

impl Toy<'_> {
    fn failure(&self, outcome: Outcome, before: &[Case], case: &Case) -> Failure {
        let Gate { seed, task, symbols, .. } = self.gate;
        let (call, values) = case.make(*seed, task, symbols, &mut Blank).expect("can be made");
        let contents = call.buffers.into_iter().map(|b| b.content).enumerate();
        Failure {
            case: case.clone(),
            values,
            outcome,
            message: String::new(),
            mismatch: None,
            history: before.to_vec(),
            inputs: contents.filter(|(_, content)| !content.is_empty()).collect(),
        }
    }
}

impl Attempts for Toy<'_> {
    fn attempt(
        &mut self,
        fresh: bool,
        before: &[Case],
        case: &Case,
    ) -> Result<Option<Failure>, Stuck> {
        let failure = self.failure(Outcome::WrongOutput, before, case);
        let before_it = before.iter().map(|c| c.number).collect();
        let call =
            Call { fresh, before: before_it, values: &failure.values, inputs: &failure.inputs };
        let outcome = (self.fails)(&call)?;
        Ok(outcome.map(|outcome| self.failure(outcome, before, case)))
    }
}

fn case(number: u64) -> Case {
    Case::new(0, number, Origin::Random, Placement::Drawn, Values::default())
}

/// What `then` makes of a call that failed after the calls 1 to `before`: one of
/// `f(in x, in text, out y)`, of `n` bytes, of eight bytes in characters of two, and of `n` bytes,
/// with other draws beside.
fn shrinking<T>(
    bounds: Bounds,
    before: u64,
    fails: &mut dyn FnMut(&Call<'_>) -> Result<Option<Outcome>, Stuck>,
    then: impl FnOnce(Shrinker<'_, '_>, &Failure) -> T,
) -> T {
    let mut fixture = Fixture::c(&[], &["f"]);
    let two = vec![("mix".to_owned(), vec![0.0, 1.0])];
    let f = &mut fixture.task.functions[0];
    f.buffers = vec![
        fixture::buffer("x", Role::In, "n"),
        crate::task::Buffer {
            fill: Fill::Gen { name: "utf8".into(), options: two },
            ..fixture::buffer("text", Role::In, "8")
        },
        fixture::buffer("out", Role::Out, "n"),
    ];
    let draw = |name: &str, draw| (name.to_owned(), draw);
    f.draws = vec![
        draw("n", Draw::Range { from: 12, to: 1000 }),
        draw("below", Draw::Range { from: -90, to: -3 }),
        draw("scale", Draw::Log { from: 1, to: 1 << 20 }),
        draw("kind", Draw::Choices(vec![7, -2, 9, 2, 5, 2])),
        draw("double", Draw::Expr(Expr::parse("2*n").expect("parses"))),
    ];
    let gate = gate(&fixture.task, &[]);
    let mut toy = Toy { gate: &gate, fails };
    let fixed = [("n", 900), ("below", -70), ("scale", 1 << 19), ("kind", 9)];
    let first = Case {
        fixed: Values(fixed.map(|(name, value)| (name.to_owned(), value)).into()),
        ..case(100)
    };
    let history: Vec<Case> = (1..=before).map(case).collect();
    let failure = toy.failure(Outcome::WrongOutput, &history, &first);
    then(Shrinker::new(&gate, &mut toy, bounds, &failure), &failure)
}

/// The smallest failure and the attempts, where there must be one.
fn smallest(
    bounds: Bounds,
    before: u64,
    fails: &mut dyn FnMut(&Call<'_>) -> bool,
) -> (Failure, u32) {
    let mut fails = |call: &Call<'_>| Ok(fails(call).then_some(Outcome::WrongOutput));
    match shrinking(bounds, before, &mut fails, |shrinker, _| shrinker.run()) {
        Shrunk::Smallest { failure, attempts } => (*failure, attempts),
        other => panic!("{other:?}"),
    }
}

#[test]
fn draws_are_lowered_as_far_as_it_fails() {
    let (failure, attempts) = smallest(AMPLE, 0, &mut |call| {
        call.drawn("n") >= 37
            && call.drawn("below") <= -11
            && call.drawn("scale") >= 1000
            && call.drawn("kind") != -2
            && call.drawn("double") == 2 * call.drawn("n")
    });
    let found = ["n", "below", "scale", "kind"].map(|name| failure.values.0[name]);
    // Of two that are as far from zero the negative one would be tried first.
    assert_eq!(found, [37, -11, 1000, 2]);
    // Halving, twice over: some ten for `n`, seven for `below`, twenty for `scale`.
    assert!(attempts < 100, "{attempts}");
}

#[test]
fn what_fails_with_the_least_takes_one_attempt() {
    let mut seen = Vec::new();
    let (failure, _) = smallest(AMPLE, 0, &mut |call| {
        seen.push(["n", "below", "scale", "kind"].map(|name| call.drawn(name)));
        true
    });
    let found = ["n", "below", "scale", "kind"].map(|name| failure.values.0[name]);
    assert_eq!(found, [12, -3, 1, -2]);
    let each = [[900, -70, 1 << 19, 9], [12, -70, 1 << 19, 9], [12, -3, 1 << 19, 9]];
    assert_eq!(seen[..3], each);
    assert_eq!(seen[3..5], [[12, -3, 1, 9], [12, -3, 1, -2]]);
    // A draw that is at its least is left alone.
    assert!(seen[5..].iter().all(|s| *s == [12, -3, 1, -2]), "{seen:?}");
}

#[test]
fn inputs_keep_what_it_takes_and_no_more() {
    // One that is not simple, and two beside each other farther back.
    let mut wanted: Option<[(usize, u8); 3]> = None;
    let (failure, attempts) = smallest(AMPLE, 0, &mut |call| {
        let x = &call.inputs[0].1;
        let wanted = wanted.get_or_insert_with(|| {
            let one = (5..40).find(|i| x[*i] != 0).expect("not all zero");
            let two = (40..63).find(|i| x[*i] != 0 && x[i + 1] != 0).expect("mostly not zero");
            [one, two, two + 1].map(|i| (i, x[i]))
        });
        call.drawn("n") >= 64 && wanted.iter().all(|(i, byte)| x[*i] == *byte)
    });
    let x = &failure.inputs[0].1;
    assert_eq!(x.len(), 64);
    let kept: Vec<usize> = (0..64).filter(|i| x[*i] != 0).collect();
    assert_eq!(kept, wanted.expect("was called").map(|(i, _)| i));
    assert_eq!(failure.inputs[1].1, b"aaaaaaaa");
    // Runs of 64, 32, … bytes, the draws again, and a last time in a fresh process.
    assert!(attempts < 150, "{attempts}");
}

#[test]
fn what_was_simple_beyond_a_buffer_that_became_smaller_is_told_no_more() {
    let (failure, _) = smallest(AMPLE, 0, &mut |call| {
        call.drawn("n") >= 64 || call.inputs[0].1.iter().all(|b| *b == 0)
    });
    assert_eq!(failure.values.0["n"], 12);
    let of = |buffer, from, to| Simple { buffer, from, to };
    assert_eq!(failure.case.simple, [of(0, 0, 12), of(1, 0, 8)]);
}

#[test]
fn inputs_that_do_not_matter_are_replaced_at_once() {
    let mut calls = 0;
    let (failure, attempts) = smallest(AMPLE, 0, &mut |_| {
        calls += 1;
        true
    });
    assert!(failure.inputs[0].1.iter().all(|b| *b == 0));
    // The call itself, four draws, two buffers, and a last time in a fresh process.
    assert_eq!((attempts, calls), (8, 8));
}

#[test]
fn calls_before_it_are_left_out_unless_needed() {
    let mut fresh = true;
    let (failure, _) = smallest(AMPLE, 30, &mut |call| {
        if call.drawn("n") == 900 {
            fresh &= call.fresh;
        }
        call.before.contains(&3) && call.before.contains(&20)
    });
    let history: Vec<u64> = failure.history.iter().map(|c| c.number).collect();
    assert_eq!(history, [3, 20]);
    // Whether it fails after so many must not depend on what a process has seen besides.
    assert!(fresh);
    assert_eq!(failure.values.0["n"], 12);
}

#[test]
fn as_few_calls_before_it_as_can_be_are_tried_first() {
    let mut tried = Vec::new();
    let (failure, _) = smallest(AMPLE, 30, &mut |call| {
        tried.push(call.before.clone());
        call.before.contains(&28)
    });
    assert_eq!(failure.history.len(), 1);
    assert_eq!(failure.history[0].number, 28);
    let lengths: Vec<usize> = tried.iter().take(3).map(Vec::len).collect();
    assert_eq!(lengths, [0, 1, 4]);
    // Earlier ones are out already: of 27 to 30 two halves, and then one.
    assert_eq!(tried[3], [29, 30]);
    assert_eq!(tried[4], [27, 28]);
    assert_eq!(tried[5..7], [vec![28], vec![]]);
}

#[test]
fn what_never_fails_again_is_said_to_pass() {
    let mut longest = 0;
    let mut attempts = 0;
    let mut never = |call: &Call<'_>| {
        longest = longest.max(call.before.len());
        attempts += 1;
        Ok(None)
    };
    let end = shrinking(AMPLE, 6, &mut never, |shrinker, _| shrinker.run());
    assert!(matches!(end, Shrunk::NotAgain), "{end:?}");
    // Alone, after the last, the last four, and all six.
    assert_eq!((longest, attempts), (6, 4));
}

#[test]
fn what_could_not_be_tried_again_is_not_called_passing() {
    for (bounds, expected) in [
        (AMPLE, 1),
        (Bounds { attempts: 0, ..AMPLE }, 0),
        (Bounds { time: Duration::ZERO, ..AMPLE }, 0),
    ] {
        let mut starts = 0;
        let mut none = |_: &Call<'_>| {
            starts += 1;
            Err(Stuck)
        };
        let end = shrinking(bounds, 0, &mut none, |shrinker, _| shrinker.run());
        assert!(matches!(end, Shrunk::Unknown), "{bounds:?}: {end:?}");
        assert_eq!(starts, expected, "{bounds:?}");
    }
    // No attempt left for all of the calls that came before it.
    let mut never = |_: &Call<'_>| Ok(None);
    let few = Bounds { attempts: 3, ..AMPLE };
    let end = shrinking(few, 60, &mut never, |shrinker, _| shrinker.run());
    assert!(matches!(end, Shrunk::Unknown), "{end:?}");
}

#[test]
fn an_attempt_counts_even_without_a_process() {
    let seen = shrinking(AMPLE, 0, &mut |_| Err(Stuck), |mut shrinker, failure| {
        let before = shrinker.over();
        let failed = shrinker.afresh(&[], &failure.case).is_some();
        (before, failed, shrinker.attempts, shrinker.over())
    });
    assert_eq!(seen, (false, false, 1, true));
}

#[test]
fn a_failure_of_another_kind_does_not_count() {
    let mut other = |call: &Call<'_>| {
        Ok(Some(if call.drawn("n") < 400 { Outcome::Crashed } else { Outcome::WrongOutput }))
    };
    let end = shrinking(AMPLE, 0, &mut other, |shrinker, _| shrinker.run());
    let Shrunk::Smallest { failure, .. } = end else { panic!("{end:?}") };
    assert_eq!(failure.outcome, Outcome::WrongOutput);
    assert_eq!(failure.values.0["n"], 400);
}

#[test]
fn a_process_that_saw_other_calls_has_not_the_last_word() {
    // Smaller ones fail only in a process that is used again.
    let (failure, _) = smallest(AMPLE, 0, &mut |call| !call.fresh || call.drawn("n") == 900);
    assert_eq!(failure.values.0["n"], 900);
    assert_eq!(failure.case.smaller, Values::default());
    // Even with no attempt left there is one for a fresh process.
    let few = Bounds { attempts: 4, ..AMPLE };
    let (small, made) = smallest(few, 0, &mut |_| true);
    assert_eq!(small.values.0["n"], 12);
    assert_eq!(made, 5);
}

#[test]
fn half_a_character_is_not_replaced() {
    let allowed = shrinking(AMPLE, 0, &mut |_| Ok(None), |shrinker, failure| {
        [(0, 1), (1, 2), (0, 2), (2, 8), (3, 8)].map(|(from, to)| {
            let simple = vec![Simple { buffer: 1, from, to }];
            shrinker.is_allowed(&Case { simple, ..failure.case.clone() }, 1)
        })
    });
    assert_eq!(allowed, [false, false, true, true, false]);
}

#[test]
fn runs_of_simple_elements_are_named_together() {
    let old = [Simple { buffer: 0, from: 0, to: 9 }, Simple { buffer: 1, from: 2, to: 3 }];
    let new = with(&old, 0, &[true, true, false, true, false]);
    let of = |buffer, from, to| Simple { buffer, from, to };
    assert_eq!(new, [of(1, 2, 3), of(0, 0, 2), of(0, 3, 4)]);
    assert_eq!(with(&old, 1, &[]), [of(0, 0, 9)]);
}
