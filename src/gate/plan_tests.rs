use super::*;
use crate::task::fixture::{self, Fixture};
use crate::task::prototype::CType;
use crate::task::{Buffer, Profile, Role};
use crate::worker::request::Mode;

fn buffer(name: &str, role: Role) -> Buffer {
    Buffer { elem: CType::Uint(2), align: 2, ..fixture::buffer(name, role, "n + 1") }
}

/// `f(in x, out y)`, of `n + 1` elements each.
fn task(to: i64) -> Fixture {
    let mut fixture = Fixture::c(&[], &["f"]);
    let f = &mut fixture.task.functions[0];
    f.draws = vec![("n".into(), Draw::Range { from: 0, to })];
    f.buffers = vec![buffer("x", Role::In), buffer("y", Role::Out)];
    f.alias = vec![(1, 0)];
    fixture
}

#[test]
fn edges_stay_inside_and_hold_the_ends() {
    let e = edges(&Draw::Range { from: 3, to: 300 });
    assert_eq!((e[0], *e.last().unwrap()), (3, 300));
    assert!(e.windows(2).all(|w| w[0] < w[1]));
    for wanted in [4, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 299] {
        assert!(e.contains(&wanted), "{wanted}");
    }
    assert_eq!(edges(&Draw::Range { from: 5, to: 5 }), [5]);
    assert_eq!(edges(&Draw::Choices(vec![9, 2, 9])), [2, 9]);
}

#[test]
fn every_small_length_is_called_once_at_each_end() {
    let fixture = task(1000);
    let cases = Plan::PRACTICE.cases(&fixture.task, 0);
    let ends = |n: i64| -> Vec<Placement> {
        let of = |c: &&Case| c.origin == Origin::Boundary && c.fixed.0.get("n") == Some(&n);
        cases.iter().filter(of).map(|c| c.placement).collect()
    };
    for n in (0..=257).chain([511, 512, 513, 999, 1000]) {
        let ends = ends(n);
        assert_eq!(ends.len(), 2, "{n}");
        assert!(ends.contains(&Placement::AtEnd) && ends.contains(&Placement::AtStart), "{n}");
    }
    assert_eq!(ends(258), [], "what lies between is left to chance");
    let plain_at_end = |c: &&Case| {
        c.placement == Placement::AtEnd
            && c.mode() == crate::worker::request::Mode::Plain { read_only: true }
    };
    let both = cases.iter().filter(|c| c.placement == Placement::AtEnd).count();
    let plain = cases.iter().filter(plain_at_end).count();
    assert!(plain * 5 > both * 2 && plain * 5 < both * 3, "{plain} of {both}");
}

#[test]
fn numbers_do_not_repeat_and_mean_the_same_in_a_larger_plan() {
    let fixture = task(300);
    let (small, large) =
        (Plan::PRACTICE.cases(&fixture.task, 0), Plan::GRADE.cases(&fixture.task, 0));
    let numbers: HashSet<u64> = large.iter().map(|c| c.number).collect();
    assert_eq!(numbers.len(), large.len());
    assert!(small.iter().all(|case| large.contains(case)));
}

#[test]
fn each_profile_has_numbers_of_its_own() {
    let mut fixture = task(300);
    let f = &mut fixture.task.functions[0];
    let draws = f.draws.clone();
    let profile = |name: &str| Profile {
        name: name.into(),
        weight: 1.0,
        cache: crate::task::Cache::Warm,
        calls: crate::task::Calls::Chained,
        draws: draws.clone(),
        fills: Vec::new(),
    };
    f.profiles = vec![profile("near"), profile("far")];
    let cases = Plan::PRACTICE.cases(&fixture.task, 0);
    let numbers = |profile: usize| -> Vec<u64> {
        let of_it = cases.iter().filter(|c| c.origin == Origin::Profile(profile));
        of_it.map(|c| c.number).collect()
    };
    assert_eq!(numbers(0), [100_000_000, 100_000_001]);
    assert_eq!(numbers(1), [101_000_000, 101_000_001]);
}

/// What is left unwritten shows in each way over one of them at least.
#[test]
fn inputs_travel_in_both_ways_over_both_patterns() {
    let fixture = task(1000);
    let cases = Plan::PRACTICE.cases(&fixture.task, 0);
    for placement in [Placement::AtEnd, Placement::AtStart] {
        let placed = cases.iter().filter(|c| c.placement == placement);
        let mut ways: Vec<_> =
            placed.map(|c| (matches!(c.mode(), Mode::Plain { .. }), c.poison())).collect();
        ways.sort_unstable();
        ways.dedup();
        assert_eq!(ways, [(false, 0x5A), (false, 0xA5), (true, 0x5A), (true, 0xA5)]);
    }
}

#[test]
fn every_alignment_is_called_and_every_pair_of_them() {
    let fixture = task(1000);
    let symbols = ["f".to_owned()];
    let mut pairs = HashSet::new();
    let cases = Plan::GRADE.cases(&fixture.task, 0);
    for case in cases.iter().filter(|c| c.origin == Origin::Alignment) {
        let (call, _) = case
            .make(
                super::super::Seed::PUBLIC,
                &fixture.task,
                &symbols,
                &mut super::super::own::Blank,
            )
            .unwrap();
        assert!(call.buffers.iter().all(|b| b.align == 64 && b.phase % 2 == 0 && b.phase < 64));
        pairs.insert((call.buffers[0].phase, call.buffers[1].phase));
    }
    for buffer in [|p: &(u64, u64)| p.0, |p: &(u64, u64)| p.1] {
        let phases: HashSet<u64> = pairs.iter().map(buffer).collect();
        assert_eq!(phases.len(), 32, "{phases:?}");
    }
    assert!(pairs.len() > 32);
}

#[test]
fn aliased_buffers_are_one() {
    use speedgate_harness::wire::Role as WireRole;
    let mut fixture = task(300);
    let f = &mut fixture.task.functions[0];
    f.calls = vec![crate::task::Call {
        symbol: 0,
        args: (0..2)
            .map(|buffer| Arg::Pointer { buffer, offset: crate::task::expression::Expr::Const(0) })
            .collect(),
        ret: CType::Void,
    }];
    let symbols = ["f".to_owned()];
    let cases = Plan::GRADE.cases(&fixture.task, 0);
    let aliased: Vec<&Case> = cases.iter().filter(|c| c.origin == Origin::Alias(0)).collect();
    assert_eq!(aliased.len() as u64, Plan::GRADE.aliased);
    for case in aliased {
        let (call, _) = case
            .make(
                super::super::Seed::PUBLIC,
                &fixture.task,
                &symbols,
                &mut super::super::own::Blank,
            )
            .unwrap();
        let args = &call.frames[0].args;
        assert_eq!((args[0].buffer, args[1].buffer), (1, 1));
        assert_eq!(call.buffers[1].role, WireRole::InOut);
        assert_eq!(call.buffers[1].content, call.buffers[0].content);
    }
}

#[test]
fn names_lead_back_to_their_cases() {
    let fixture = task(300);
    let task = &fixture.task;
    let plan = Plan::GRADE;
    for case in plan.cases(task, 0) {
        assert_eq!(plan.sequence(task, &case.name(task)), Some(vec![case]));
    }
    let name = "f:1000003:n=7:x.0-2:x.5-6,f:3";
    let both = plan.sequence(task, name).unwrap();
    assert_eq!((both[0].name(task) + "," + &both[1].name(task)).as_str(), name);
    let symbols = ["f".to_owned()];
    let (call, values) = both[0]
        .make(super::super::Seed::PUBLIC, task, &symbols, &mut super::super::own::Blank)
        .unwrap();
    assert_eq!(values.0["n"], 7);
    let content = &call.buffers[0].content;
    assert_eq!(content.len(), 16);
    assert!(content[..4].iter().chain(&content[10..12]).all(|b| *b == 0));
    assert!(content[4..10].iter().any(|b| *b != 0));
    // Out of the contract, of nothing that is there, or nonsense.
    for name in [
        "",
        ",",
        "f",
        "f:",
        "f:x",
        "g:1",
        "f:999999",
        "f:1:n=301",
        "f:1:n=-1",
        "f:1:m=1",
        "f:1:n",
        "f:1:y.0-1",
        "f:1:x.0",
        "f:1:x.a-b",
        "f:1,",
        "f:1:n=",
    ] {
        assert_eq!(plan.sequence(task, name), None, "{name}");
    }
}
