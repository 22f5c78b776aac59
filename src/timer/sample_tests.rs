use super::*;

const PLAIN: Pace = Pace {
    plain: true,
    calls: 1,
    chained: true,
    requests: 5,
    audits: 2,
    blocks: 3,
    reference_ns: 1e4,
    bell_ns: 300.0,
    block_ns: 0.0,
};
const SEALED: Pace = Pace { plain: false, ..PLAIN };

/// Three blocks of eight bursts; times without the stopwatch's, of which a sealed request has five
/// times as much.
fn blocks(plain: (f64, f64), sealed: (f64, f64)) -> Blocks {
    let block = |(reference, candidate): (f64, f64), blank: f64| {
        let pairs = vec![[reference + blank, candidate + blank]; 8];
        vec![
            Block { pairs, after: vec![false; 8], blank: vec![blank; 4], preparing: Vec::new() };
            3
        ]
    };
    Blocks { plain: block(plain, 200.0), sealed: block(sealed, 1_000.0) }
}

fn settled(b: &Blocks, pace: &Pace) -> Result<Measured, Unmeasured> {
    settle(&[b.clone(), b.clone()], pace, false)
}

fn score(b: &Blocks, pace: &Pace) -> f64 {
    mean(&settled(b, pace).unwrap().ln_ratios).unwrap().exp()
}

fn near(a: f64, b: f64) -> bool {
    (a / b - 1.0).abs() < 1e-9
}

/// Changes the candidate's times of the bursts that `which` names (block, burst).
fn candidate(blocks: &mut [Block], time: f64, which: impl Fn(usize, usize) -> bool) {
    for (b, block) in blocks.iter_mut().enumerate() {
        for (i, pair) in block.pairs.iter_mut().enumerate() {
            if which(b, i) {
                pair[1] = time;
            }
        }
    }
}

#[test]
fn honest_times_come_from_the_plain_requests() {
    let m = settled(&blocks((8e3, 2e3), (8.1e3, 2.05e3)), &PLAIN).unwrap();
    assert!(m.ln_ratios.iter().all(|x| (x - 4f64.ln()).abs() < 1e-12));
    assert!(near(m.reference_ns, 8e3) && near(m.candidate_ns, 2e3));
    assert_eq!((m.overhead_ns, m.sealed_overhead_ns), (200.0, 1_000.0));
    assert_eq!((m.ln_ratios.len(), m.blocks), (2, 6));
    let audit = m.audit.unwrap();
    assert!(!audit.failed && near(audit.ratio, 4.0 / (8.1 / 2.05)));
}

#[test]
fn noise_on_less_than_half_of_the_requests_does_not_move_the_number() {
    let mut b = blocks((8e3, 2e3), (8e3, 2e3));
    // A spell of both sides, and a little on each alone.
    candidate(&mut b.plain, 2_400.0, |_, i| i < 4);
    b.plain.iter_mut().flat_map(|b| &mut b.pairs[1..5]).for_each(|p| p[0] = 9_000.0);
    assert!(near(score(&b, &PLAIN), 4.0));
}

#[test]
fn slow_inputs_count_in_full_up_to_the_allowance() {
    let mut b = blocks((8e3, 2e3), (8e3, 2e3));
    // Three in eight take ten times as long: the truth is 8 / (5 / 8 · 2 + 3 / 8 · 20).
    candidate(&mut b.plain, 20_200.0, |_, i| i < 3);
    candidate(&mut b.sealed, 21_000.0, |_, i| i < 3);
    assert!(near(score(&b, &PLAIN), 8.0 / 8.75 * UNEVEN.exp()));
    // And a candidate that was sped up only where the reference is slow gets that in full, too.
    let mut b = blocks((8e3, 8e3), (8e3, 8e3));
    b.plain.iter_mut().flat_map(|b| &mut b.pairs[..3]).for_each(|p| p[0] = 80_200.0);
    b.sealed.iter_mut().flat_map(|b| &mut b.pairs[..3]).for_each(|p| p[0] = 81_000.0);
    assert!(near(score(&b, &PLAIN), 4.375 / UNEVEN.exp()));
}

#[test]
fn requests_of_unlike_sizes_are_compared_with_their_own() {
    let sizes = |scale: f64| -> Vec<[f64; 2]> {
        (1..=9).map(|i| [f64::from(i) * 8e3 + scale, f64::from(i) * 2e3 + scale]).collect()
    };
    let block = |n: f64| {
        vec![
            Block {
                pairs: sizes(n),
                after: vec![false; 9],
                blank: vec![n; 3],
                preparing: Vec::new()
            };
            3
        ]
    };
    let mut b = Blocks { plain: block(200.0), sealed: block(1_000.0) };
    assert!(near(score(&b, &PLAIN), 4.0));
    // Noise on some of them does not matter.
    b.plain[0].pairs[0][1] *= 1.2;
    b.plain[1].pairs[5][0] *= 1.1;
    assert!(near(score(&b, &PLAIN), 4.0));
}

#[test]
fn who_is_fast_only_in_clear_gets_its_sealed_time_and_the_allowance() {
    let m = settled(&blocks((8e3, 100.0), (8e3, 4e3)), &PLAIN).unwrap();
    assert!(m.audit.unwrap().failed);
    let allowed: f64 = 1.03 + 0.05 * 1_000.0 / 4e3;
    assert!(m.ln_ratios.iter().all(|x| (x - (2.0 * allowed).ln()).abs() < 1e-9));
    assert!((m.candidate_ns - 4e3).abs() < 1e-6);
}

#[test]
fn who_cheats_in_some_processes_or_bursts_only_gains_nothing() {
    let honest = blocks((8e3, 2e3), (8e3, 2e3));
    let cheat = blocks((8e3, 50.0), (8e3, 2e3));
    let most = 4.0 * allowance(1_000.0, 2e3).exp();
    let some = [&honest, &cheat, &honest, &cheat, &honest].map(Clone::clone);
    let m = settle(&some, &PLAIN, false).unwrap();
    assert!(m.audit.unwrap().failed && mean(&m.ln_ratios).unwrap() <= most.ln() + 1e-9);
    // In every process, but only some of the bursts, or all bursts of some blocks.
    for share in 1..8 {
        let mut b = honest.clone();
        candidate(&mut b.plain, 250.0, |_, i| i < share);
        let m = settled(&b, &PLAIN).unwrap();
        assert!(mean(&m.ln_ratios).unwrap() <= most.ln() + 1e-9, "{share}");
    }
}

#[test]
fn who_does_nothing_in_clear_gets_its_sealed_time() {
    let m = settled(&blocks((8e3, 1.0), (8e3, 4e3)), &PLAIN).unwrap();
    assert!(m.audit.unwrap().failed);
    let most = 2.0 * allowance(1_000.0, 4e3).exp();
    assert!(m.ln_ratios.iter().all(|x| (x - most.ln()).abs() < 1e-9));
}

#[test]
fn a_sealed_time_lost_in_its_overhead_convicts_nobody() {
    let m = settled(&blocks((8e3, 2e3), (8e3, 10.0)), &PLAIN).unwrap();
    assert!(!m.audit.unwrap().failed);
    assert!(m.ln_ratios.iter().all(|x| (x - 4f64.ln()).abs() < 1e-12));
}

#[test]
fn who_unseals_faster_is_not_free_of_the_auditor() {
    // Little is done in clear; sealed, all of the work is hidden in the time that unsealing takes.
    let m = settled(&blocks((8e3, 11.0), (8e3, 0.0)), &PLAIN).unwrap();
    assert!(m.audit.unwrap().failed);
    // A twentieth of the overhead is the least that a sealed call can be told to take.
    let most = 8e3 / 50.0 * allowance(1_000.0, 50.0).exp();
    assert!(mean(&m.ln_ratios).unwrap() <= most.ln() + 1e-9);
    // A reference that is lost in its overhead can't be held against anybody.
    let lost = settled(&blocks((8e3, 2e3), (10.0, 10.0)), &PLAIN);
    assert!(matches!(lost, Err(Unmeasured::TooShort { side: "the reference", .. })));
}

/// Two that copy about as fast as memory does: unsealing takes far longer.
#[test]
fn in_a_duel_both_may_be_lost_in_the_overhead_of_sealing() {
    let duel = |plain, sealed| {
        let b = blocks(plain, sealed);
        settle(&[b.clone(), b], &PLAIN, true).unwrap()
    };
    let m = duel((400.0, 320.0), (10.0, 10.0));
    assert!(!m.audit.unwrap().failed);
    assert!(m.ln_ratios.iter().all(|x| (x - 1.25f64.ln()).abs() < 1e-12));
    // Who has the answer ready in clear, and none when it is sealed, is no faster for it.
    let m = duel((400.0, 20.0), (10.0, 3_000.0));
    assert!(m.audit.unwrap().failed && m.ln_ratios.iter().all(|x| *x < 0.05f64.ln()));
}

#[test]
fn what_the_candidate_leaves_behind_is_seen() {
    let mut b = blocks((8e3, 2e3), (8e3, 2e3));
    for block in &mut b.plain {
        for i in 4..8 {
            block.after[i] = true;
            block.pairs[i][0] = 10_000.0;
        }
    }
    let m = settled(&b, &PLAIN).unwrap();
    assert!(m.neighbour.iter().all(|x| near(*x, (10_000f64 / 8_200.0).ln())));
    assert!(settled(&blocks((8e3, 2e3), (8e3, 2e3)), &PLAIN).unwrap().neighbour.is_empty());
}

#[test]
fn short_calls_share_the_time_of_their_burst() {
    let pace = Pace { calls: 64, ..SEALED };
    let m = settled(&blocks((0.0, 0.0), (6_400.0, 3_200.0)), &pace).unwrap();
    assert!(near(m.reference_ns, 100.0) && near(m.candidate_ns, 50.0));
    assert!((m.overhead_ns - 1_000.0 / 64.0).abs() < 1e-9 && m.audit.is_none());
}

#[test]
fn a_time_that_is_not_above_the_stopwatchs_is_refused() {
    for fast in [0.0, -50.0, 1.0] {
        let refused = settled(&blocks((0.0, 0.0), (8e3, fast)), &SEALED);
        let named = matches!(refused, Err(Unmeasured::TooShort { side: "the candidate", .. }));
        assert!(named, "{fast}");
    }
    let both = settled(&blocks((8e3, 0.0), (8e3, 0.0)), &PLAIN);
    assert!(matches!(both, Err(Unmeasured::TooShort { side: "the candidate", .. })));
}

#[test]
fn a_time_that_is_none_is_refused_for_what_it_is() {
    // The stopwatch's own time comes on top: 1 us.
    for (bad, why) in [
        (f64::NAN, "a value is not finite: NaN"),
        (f64::INFINITY, "a value is not finite: inf"),
        (-1_000.0, "the candidate: a time is zero"),
        (-1_500.0, "the candidate: a time is negative: -500"),
    ] {
        let refused = settled(&blocks((0.0, 0.0), (8e3, bad)), &SEALED);
        let told = refused.expect_err("no time").to_string();
        assert!(told.contains(why), "{told}");
    }
    assert_eq!(settle(&[], &SEALED, false), Err(Unmeasured::NoBlocks));
    assert_eq!(settled(&Blocks::default(), &SEALED), Err(Unmeasured::NoBlocks));
}
