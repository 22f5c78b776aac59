//! The statistics against simulations with known answers, and against arbitrary numbers. Seeded:
//! a run finds what every run finds.

use proptest::prelude::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use speedgate::report::record::Decide;
use speedgate::stats::*;
use speedgate::timer::Budget;
use speedgate::verdict::score::{Marks, Speed, speed};

/// Standard normal numbers (Box–Muller).
struct Normal(ChaCha8Rng);

impl Normal {
    fn new(seed: u64) -> Self {
        Normal(ChaCha8Rng::seed_from_u64(seed))
    }

    /// Uniform in (0, 1].
    fn uniform(&mut self) -> f64 {
        ((self.0.next_u64() >> 11) as f64 + 1.0) / (1u64 << 53) as f64
    }

    fn next(&mut self) -> f64 {
        let radius = (-2.0 * self.uniform().ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }

    fn sample(&mut self, n: usize, centre: f64, sd: f64) -> Vec<f64> {
        (0..n).map(|_| centre + sd * self.next()).collect()
    }
}

/// Share of runs in which something holds.
fn share(runs: usize, mut holds: impl FnMut() -> bool) -> f64 {
    (0..runs).filter(|_| holds()).count() as f64 / runs as f64
}

fn function(replicates: Vec<f64>) -> Vec<ProfileRatios> {
    vec![ProfileRatios { weight: 1.0, replicates }]
}

#[test]
fn t_intervals_cover_the_mean_as_often_as_they_say() {
    for (n, seed) in [(3, 1), (5, 2), (10, 3)] {
        let mut normal = Normal::new(seed);
        let covered = share(20_000, || {
            let e = mean_interval(&normal.sample(n, 0.7, 0.02), 0.95).unwrap();
            e.low <= 0.7 && 0.7 <= e.high
        });
        assert!((covered - 0.95).abs() < 0.006, "n = {n}: {covered}");
    }
}

#[test]
fn one_as_fast_falls_behind_the_guard_one_time_in_a_hundred() {
    for (n, seed) in [(10, 4), (20, 5)] {
        let mut normal = Normal::new(seed);
        let missed = share(40_000, || {
            let guard = Leads::of(&normal.sample(n, 0.0, 0.03)).unwrap().guard(0.01).unwrap();
            0.03 * normal.next() < -guard
        });
        assert!((missed - 0.01).abs() < 0.002, "n = {n}: {missed}");
    }
}

/// The guard of a duel follows the noise of its own hour, as far as its control shows it: whoever is
/// exactly as fast as the solution falls behind one time in a hundred, on a calm machine and on a noisy one.
#[test]
fn one_as_fast_falls_behind_the_guard_of_a_duel_as_rarely() {
    for (sd, seed) in [(0.002, 61), (0.05, 62)] {
        let mut normal = Normal::new(seed);
        let behind = share(20_000, || {
            let of = |normal: &mut Normal, n: usize| -> Vec<FunctionEstimate> {
                let functions = (0..4).map(|_| function(normal.sample(n, 0.0, sd)));
                functions.map(|f| FunctionEstimate::new(&f, 0.95).unwrap()).collect()
            };
            let (control, duel) = (of(&mut normal, 8), of(&mut normal, 30));
            raw(&duel, 0.95).unwrap().value < -guard(&control, 30, 0.01).unwrap()
        });
        assert!((0.007..0.013).contains(&behind), "{behind}");
    }
}

#[test]
fn how_often_a_mark_is_passed_is_covered_as_often_as_it_says() {
    // Marks that solutions as fast truly pass nine tenths and 99 hundredths of the time.
    for (deviations, truth, seed) in [(1.281552, 0.9, 14), (2.326348, 0.99, 15)] {
        let mut normal = Normal::new(seed);
        let covered = share(10_000, || {
            let leads = Leads::of(&normal.sample(10, 0.0, 0.03)).unwrap();
            let chance = leads.chance_above(-0.03 * deviations, 0.95).unwrap();
            assert!(chance.low <= chance.value && chance.value <= chance.high);
            chance.low <= truth && truth <= chance.high
        });
        assert!((covered - 0.95).abs() < 0.01, "{truth}: {covered}");
    }
}

#[test]
fn the_interval_of_a_lead_covers_it_however_s_scatters() {
    // The candidate's ln against the reference and against the rival, by function; the rival's own; the
    // lead in s. In the last two a function is lost to the reference: in the second the rival's too, in
    // the third only part of what it is behind counts.
    for (own, duel, rival, lead, most) in [
        ([0.8, 1.5], [0.03, 0.01], [0.77, 1.49], 0.02, 0.1),
        ([-3.0, 1.5], [-1.0, 0.01], [-2.0, 1.49], 0.005, 0.1),
        ([-0.7, 1.5], [-1.2, 0.01], [0.5, 1.49], -0.245, 1.1),
    ] {
        let mut normal = Normal::new(19);
        let mut widths = [0.0; 2];
        let covered = share(10_000, || {
            let own = own.map(|ln| function(normal.sample(12, ln, 0.2)));
            let own = StepEstimate::new(&own, 0.95).unwrap();
            let duel = duel.map(|ln| function(normal.sample(12, ln, 0.01)));
            let duel = StepEstimate::new(&duel, 0.95).unwrap().functions;
            let rival = rival.map(|ln| function(normal.sample(12, ln, 0.2)));
            let rival = StepEstimate::new(&rival, 0.95).unwrap().functions;
            let found = own.rival(&duel, &rival, 0.95).unwrap();
            assert!((own.ln.value - found.ln_s - found.lead.value).abs() < 1e-12);
            widths[0] += found.lead.half_width();
            widths[1] += own.ln.half_width();
            found.lead.low <= lead && lead <= found.lead.high
        });
        assert!((covered - 0.95).abs() < 0.01, "{own:?}: {covered}");
        assert!(widths[0] < most * widths[1], "{own:?}: {widths:?}");
    }
}

#[test]
fn the_mean_of_further_replays_falls_where_it_should() {
    for (n, further, seed) in [(10, 3, 16), (10, 1, 17), (5, 10, 18)] {
        let mut normal = Normal::new(seed);
        let within = share(20_000, || {
            let next = Replays::of(&normal.sample(n, 2.0, 0.03)).unwrap().next(further, 0.95);
            let (next, then) = (next.unwrap(), mean(&normal.sample(further, 2.0, 0.03)).unwrap());
            next.low <= then && then <= next.high
        });
        assert!((within - 0.95).abs() < 0.006, "n = {n}, {further} further: {within}");
    }
}

#[test]
fn a_steps_interval_covers_s_with_even_and_uneven_effort() {
    // True log ratios well above the floor; replicates share a disturbance within a round.
    let truth = [0.5, 1.0, 1.8];
    let expected = truth.iter().sum::<f64>() / 3.0;
    let mut normal = Normal::new(6);
    let even = share(10_000, || {
        let shared = normal.sample(5, 0.0, 0.02);
        let functions: Vec<_> = truth
            .iter()
            .map(|t| function(shared.iter().map(|c| t + c + 0.01 * normal.next()).collect()))
            .collect();
        let ln = StepEstimate::new(&functions, 0.95).unwrap().ln;
        ln.low <= expected && expected <= ln.high
    });
    assert!((even - 0.95).abs() < 0.01, "even: {even}");

    let uneven = share(10_000, || {
        let functions: Vec<_> = [(5, 0.01), (8, 0.03), (4, 0.02)]
            .iter()
            .zip(truth)
            .map(|((n, sd), t)| function(normal.sample(*n, t, *sd)))
            .collect();
        let ln = StepEstimate::new(&functions, 0.95).unwrap().ln;
        ln.low <= expected && expected <= ln.high
    });
    assert!((0.94..0.975).contains(&uneven), "uneven: {uneven}");
}

/// How many standard errors the 95 % interval of so many replicates reaches.
fn reach(replicates: usize) -> f64 {
    let sample: Vec<f64> = (0..replicates).map(|i| (i % 2) as f64).collect();
    let error = sd(&sample).unwrap() / (replicates as f64).sqrt();
    mean_interval(&sample, 0.95).unwrap().half_width() / error
}

/// [`reach`] of every number of replicates that a rule allows.
fn reaches(rule: &Budget) -> Vec<f64> {
    (0..=rule.replicates.1).map(|n| if n < 2 { f64::NAN } else { reach(n) }).collect()
}

/// Replicates about 0 with this spread until the rule of a contest ends it, time aside: mean and
/// half-width of the interval, and how many replicates it took.
fn contest(rule: &Budget, reaches: &[f64], spread: f64, normal: &mut Normal) -> (f64, f64, usize) {
    let (least, most) = rule.replicates;
    let (mut sum, mut squares) = (0.0, 0.0);
    for (n, reach) in reaches.iter().enumerate().skip(1) {
        let x = spread * normal.next();
        sum += x;
        squares += x * x;
        if n < least {
            continue;
        }
        let count = n as f64;
        let mean = sum / count;
        let variance = (squares - count * mean * mean) / (count - 1.0);
        let half_width = reach * (variance / count).sqrt();
        if n == most || half_width <= rule.width {
            return (mean, half_width, n);
        }
    }
    unreachable!("the most replicates end it")
}

/// Stopping at a width favours replicates that happen to agree. `--nocapture` shows the table.
#[test]
fn stopping_at_a_width_costs_little_coverage() {
    println!("| rule | sd of a replicate, % | interval holds the truth, % | replicates |");
    println!("| --- | --- | --- | --- |");
    for (name, rule) in [("grade", Budget::GRADE), ("practice", Budget::PRACTICE)] {
        let reaches = reaches(&rule);
        for (spread, seed) in [0.005, 0.0075, 0.01, 0.015, 0.02, 0.03, 0.05].into_iter().zip(20..) {
            let mut normal = Normal::new(seed);
            let (runs, mut replicates) = (10_000, 0);
            let covered = share(runs, || {
                let (mean, half_width, n) = contest(&rule, &reaches, spread, &mut normal);
                replicates += n;
                mean.abs() <= half_width
            });
            let replicates = replicates as f64 / runs as f64;
            let (sd, percent) = (100.0 * spread, 100.0 * covered);
            println!("| {name} | {sd} | {percent:.1} | {replicates:.1} |");
            // Exact where nothing stops it early or nothing stops it at all; the worst lies between.
            assert!((0.93..0.965).contains(&covered), "{name}, {spread}: {covered}");
        }
    }
}

/// At the mark a coin decides, and beyond the interval's width nothing is left to chance; who is
/// called confident is wrong at most one time in forty. `--nocapture` shows the table.
#[test]
fn near_the_mark_the_verdict_is_a_coin_and_says_so() {
    println!("| s above the mark by, % | passes, % | confident, % | confident and wrong, % |");
    println!("| --- | --- | --- | --- |");
    let (rule, spread, runs) = (Budget::GRADE, 0.015, 20_000);
    let reaches = reaches(&rule);
    for (above, seed) in [-0.02, -0.01, -0.005, 0.0, 0.005, 0.01, 0.02].into_iter().zip(40..) {
        let mut normal = Normal::new(seed);
        let (mut passes, mut confident, mut wrong) = (0, 0, 0);
        for _ in 0..runs {
            let (mean, half_width, _) = contest(&rule, &reaches, spread, &mut normal);
            let s = (above + mean).exp();
            let (low, high) =
                ((above + mean - half_width).exp(), (above + mean + half_width).exp());
            let marks = Marks { s_ref: 1.0, pass_at: 1.0 };
            let Speed { fast, confident: sure } =
                speed(Estimate { value: s, low, high }, marks, Decide::PassAt);
            passes += usize::from(fast);
            confident += usize::from(sure);
            wrong += usize::from(sure && fast != (above > 0.0));
        }
        let share = |count: usize| 100.0 * count as f64 / runs as f64;
        let (passes, confident, wrong) = (share(passes), share(confident), share(wrong));
        println!("| {:+.1} | {passes:.1} | {confident:.1} | {wrong:.1} |", 100.0 * above);
        // Where s is the mark itself, either verdict is called wrong or right by definition: there
        // it is the share of sure ones that counts.
        assert!(wrong < 3.5, "{above}: {wrong}");
        match above {
            0.0 => assert!((passes - 50.0).abs() < 1.5 && confident < 7.0, "{passes} {confident}"),
            a if a >= 0.01 => assert!(passes > 98.5, "{passes}"),
            a if a <= -0.01 => assert!(passes < 1.5, "{passes}"),
            _ => {}
        }
    }
}

#[test]
fn intervals_stay_honest_at_the_floor() {
    // Nothing is faster: s is truly 1 and its interval must say so at least as often as promised.
    let mut normal = Normal::new(7);
    let covered = share(10_000, || {
        let functions: Vec<_> = (0..6).map(|_| function(normal.sample(5, 0.0, 0.02))).collect();
        StepEstimate::new(&functions, 0.95).unwrap().ln.low <= 0.0
    });
    // The floor's bias works against it; the two-sided interval leaves room for some of that.
    assert!(covered > 0.85, "{covered}");
}

#[test]
fn the_floor_lifts_s_by_what_floor_bias_says() {
    for (count, replicates, seed) in [(1, 5, 8), (8, 5, 9), (8, 10, 10)] {
        let mut normal = Normal::new(seed);
        let sd = 0.05;
        let runs = 20_000;
        let mean_ln: f64 = (0..runs)
            .map(|_| {
                let functions: Vec<_> =
                    (0..count).map(|_| function(normal.sample(replicates, 0.0, sd))).collect();
                StepEstimate::new(&functions, 0.95).unwrap().ln.value
            })
            .sum::<f64>()
            / runs as f64;
        let predicted = floor_bias(sd / (replicates as f64).sqrt()).ln_1p();
        assert!((mean_ln / predicted - 1.0).abs() < 0.03, "{count}: {mean_ln} {predicted}");
    }
}

#[test]
fn estimates_above_the_floor_are_unbiased() {
    let mut normal = Normal::new(11);
    let runs = 5_000;
    let mean_ln: f64 = (0..runs)
        .map(|_| {
            let functions =
                [function(normal.sample(5, 0.7, 0.02)), function(normal.sample(5, -0.5, 0.02))];
            StepEstimate::new(&functions, 0.95).unwrap().ln.value
        })
        .sum::<f64>()
        / runs as f64;
    // The slower function counts as exactly 0, so the mean is half of the faster one's.
    assert!((mean_ln - 0.35).abs() < 0.0005, "{mean_ln}");
}

#[test]
fn the_median_of_blocks_shrugs_off_disturbed_ones() {
    let mut normal = Normal::new(12);
    let mut blocks = normal.sample(100, 1.0, 0.01);
    blocks.iter_mut().step_by(10).for_each(|b| *b -= 5.0);
    assert!((median(&blocks).unwrap() - 1.0).abs() < 0.01);
}

/// Any `f64` at all, the odd ones often.
fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        any::<f64>(),
        -1e3..1e3,
        Just(0.0),
        Just(f64::NAN),
        Just(f64::INFINITY),
        Just(f64::MIN_POSITIVE),
        Just(f64::MAX),
        Just(f64::MIN),
    ]
}

fn numbers() -> impl Strategy<Value = Vec<f64>> {
    prop_oneof![prop::collection::vec(number(), 0..12), prop::collection::vec(-1e3..1e3, 0..12),]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn nothing_panics_and_no_answer_is_nan(values in numbers(), p in number(), a in number(), b in number()) {
        let guard = Leads::of(&values).and_then(|l| l.guard(p));
        let single = [
            guard, mean(&values), sd(&values), median(&values),
            quantile(&values, p), positive(a), positive(b),
        ];
        for answer in single.into_iter().flatten() {
            prop_assert!(answer.is_finite());
        }
        let leads = Leads::of(&values);
        let intervals = [
            mean_interval(&values, p),
            Replays::of(&values).and_then(|r| r.next(3, p)),
            leads.and_then(|l| l.chance_above(a, p)),
        ];
        for e in intervals.into_iter().flatten() {
            prop_assert!(e.value.is_finite() && e.low <= e.value && e.value <= e.high, "{e:?}");
        }
    }

    #[test]
    fn steps_neither_panic_nor_answer_nan(
        functions in prop::collection::vec(
            prop::collection::vec((number(), numbers()), 0..3), 0..4),
        confidence in prop_oneof![number(), Just(0.95)],
    ) {
        let functions: Vec<Vec<ProfileRatios>> = functions
            .into_iter()
            .map(|f| f.into_iter().map(|(weight, replicates)| ProfileRatios { weight, replicates }).collect())
            .collect();
        if let Ok(step) = StepEstimate::new(&functions, confidence) {
            let ln = step.ln;
            prop_assert!(ln.value.is_finite() && 0.0 <= ln.low && ln.low <= ln.value && ln.value <= ln.high);
            prop_assert!(!step.floor_bias().is_nan());
        }
    }

    #[test]
    fn order_does_not_matter_and_the_median_lies_within(mut values in prop::collection::vec(-1e6..1e6f64, 1..30)) {
        let before = median(&values).unwrap();
        values.reverse();
        prop_assert_eq!(before, median(&values).unwrap());
        values.sort_by(f64::total_cmp);
        prop_assert!(values[0] <= before && before <= values[values.len() - 1]);
    }
}

/// Times as a stopwatch gives them: whole ticks, skewed, drifting, and now and then interrupted.
fn noisy(normal: &mut Normal, n: usize, drift: f64) -> Vec<f64> {
    (0..n)
        .map(|i| {
            let calm = (0.1 * normal.next()).exp() * (180.0 + drift * (i as f64 / n as f64));
            let interrupted = if normal.uniform() < 0.01 { 4000.0 * normal.uniform() } else { 0.0 };
            (calm + interrupted).round()
        })
        .collect()
}

/// Splits times into two classes at random, and adds something to those of the first.
fn classes(normal: &mut Normal, times: &[f64], more: f64) -> [Vec<f64>; 2] {
    let mut both = [Vec::new(), Vec::new()];
    for time in times {
        let class = usize::from(normal.uniform() < 0.5);
        both[class].push(if class == 0 { time + more } else { *time });
    }
    both
}

#[test]
fn times_that_depend_on_no_secret_are_not_accused() {
    let mut normal = Normal::new(31);
    let accused = share(10_000, || {
        let times = noisy(&mut normal, 400, 30.0);
        let [fixed, random] = classes(&mut normal, &times, 0.0);
        leak(&fixed, &random).unwrap().seen()
    });
    // A single look. What counts is two of them on the same side: half of its square.
    assert!(accused < 4e-4, "{accused}");
}

#[test]
fn times_that_depend_on_a_secret_are_found() {
    let mut normal = Normal::new(32);
    // Three parts in a hundred of the call, a third of what one call scatters.
    let found = share(60, || {
        let looks = [0, 1].map(|_| {
            let times = noisy(&mut normal, 4_000, 30.0);
            let [fixed, random] = classes(&mut normal, &times, 6.0);
            leak(&fixed, &random).unwrap()
        });
        looks[0].confirmed(&looks[1])
    });
    assert!(found > 0.95, "{found}");
}
