//! The engine's own hot parts. What the stopwatch's window holds beside the graded function is
//! `unseal` and `digest`; the rest decides how long a grading takes.
//!
//! `cargo bench --bench engine`, on a machine that does nothing else.

use std::hint::black_box;
use std::path::Path;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use speedgate::gate::compare::{Answer, compare};
use speedgate::gate::instance::{Maker, Values, draw};
use speedgate::gate::own::Blank;
use speedgate::gate::{Seed, generators};
use speedgate::task::expression::Expr;
use speedgate::task::prototype::CType;
use speedgate::task::{Fill, Task};
use speedgate_harness::seal::{self, Algorithm, Stretch};
use speedgate_harness::wire;

/// From one cache line to a whole plane.
const SIZES: [usize; 5] = [64, 1 << 10, 16 << 10, 256 << 10, 1 << 20];

/// What this processor can run, the best first.
fn algorithms() -> Vec<Algorithm> {
    let all = [Algorithm::Vaes, Algorithm::Aes, Algorithm::Portable];
    all.into_iter().skip_while(|a| *a != Algorithm::detect()).collect()
}

fn unseal(c: &mut Criterion) {
    let mut group = c.benchmark_group("unseal");
    for algorithm in algorithms() {
        for size in SIZES {
            let from = vec![7u8; size];
            let mut to = vec![0u8; size];
            group.throughput(Throughput::Bytes(size as u64));
            group.bench_function(BenchmarkId::new(algorithm.name(), size), |b| {
                b.iter(|| {
                    // SAFETY: both are `size` bytes long and apart; `algorithms` lists only what
                    // the processor has.
                    unsafe {
                        let (from, to) = (black_box(&from).as_ptr(), to.as_mut_ptr());
                        seal::xor_stream(algorithm, black_box([1, 2]), 0, from, to, size);
                    }
                    black_box(&mut to);
                });
            });
        }
    }
    group.finish();
}

fn digest(c: &mut Criterion) {
    let mut group = c.benchmark_group("digest");
    for algorithm in algorithms() {
        for size in SIZES {
            let bytes = vec![7u8; size];
            group.throughput(Throughput::Bytes(size as u64));
            group.bench_function(BenchmarkId::new(algorithm.name(), size), |b| {
                b.iter(|| {
                    let start = black_box(&bytes).as_ptr();
                    let all = Stretch { start, rows: 1, row_bytes: size, stride: size };
                    // SAFETY: the stretch is the whole of `bytes`; as above.
                    unsafe { seal::digest(algorithm, black_box([1, 2]), &[all], 0) }
                });
            });
        }
    }
    for size in SIZES {
        let bytes = vec![7u8; size];
        group.throughput(Throughput::Bytes(size as u64));
        group.bench_function(BenchmarkId::new("binding", size), |b| {
            b.iter(|| {
                let start = black_box(&bytes).as_ptr();
                let all = Stretch { start, rows: 1, row_bytes: size, stride: size };
                // SAFETY: the stretch is the whole of `bytes`.
                unsafe { seal::binding(black_box([1, 2]), &[all], 0) }
            });
        });
    }
    group.finish();
}

fn expressions(c: &mut Criterion) {
    let draws = Values([("w", 1280), ("h", 800), ("sp", 17)].map(|(n, v)| (n.into(), v)).into());
    let text = "min((w + 1) / 2 + sp, max(h, 64)) * h % 4096";
    let parsed = Expr::parse(text).expect("an expression");
    let mut group = c.benchmark_group("expression");
    group.bench_function("parse", |b| b.iter(|| Expr::parse(black_box(text))));
    group.bench_function("eval", |b| b.iter(|| black_box(&parsed).eval(black_box(&draws))));
    group.finish();
}

fn generator(c: &mut Criterion) {
    let named = |name: &str| Fill::Gen { name: name.into(), options: Vec::new() };
    let mut group = c.benchmark_group("generator");
    for (name, fill, elem, rows, cols) in [
        ("bytes", Fill::Bytes, CType::Uint(1), 1, 1 << 20),
        ("int", Fill::Int { lo: -3328, hi: 3328 }, CType::Int(2), 1, 1 << 19),
        ("image", named("image"), CType::Uint(1), 800, 1280),
        ("utf8", named("utf8"), CType::Uint(1), 1, 1 << 16),
        ("base64", named("base64"), CType::Uint(1), 1, 1 << 16),
    ] {
        let bytes = rows * cols * elem.size();
        let mut rng = ChaCha8Rng::from_seed([7; 32]);
        group.throughput(Throughput::Bytes(bytes));
        let extent = generators::Extent { rows, cols, stride: cols };
        group.bench_function(name, |b| {
            b.iter(|| generators::fill_alone(&fill, elem, extent, &mut rng).expect("filled"));
        });
    }
    group.finish();
}

/// A whole plane of the `simd` task: making the call, and comparing two equal answers.
fn plane(c: &mut Criterion) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels/simd");
    let task = Task::load(&folder).expect("the task of this repository");
    let function = &task.functions[0];
    let profile = &function.profiles[0];
    let mut rng = Seed::PUBLIC.stream("bench", &function.name, 0);
    let values = draw(&function.name, &profile.draws, &Values::default(), &mut rng).expect("draws");
    let maker = Maker::new(function, &function.symbols, &profile.fills);
    let call = maker.make(&values, &mut Blank, &mut rng).expect("a call");
    let (input, output) = call.footprint();

    let mut group = c.benchmark_group("plane");
    group.throughput(Throughput::Bytes(input));
    group.bench_function("make", |b| {
        b.iter(|| maker.make(&values, &mut Blank, &mut rng).expect("a call"));
    });
    // Both sides left every input as it was and every output as it was poisoned: all is equal,
    // so that every byte is looked at.
    let left = |content: &[u8], bytes: u64| -> Vec<u8> {
        let poisoned = (0..bytes).map(|at| wire::poison(0x5A, at));
        poisoned.enumerate().map(|(at, p)| content.get(at).copied().unwrap_or(p)).collect()
    };
    let buffers = call.buffers.iter().map(|b| (0, left(&b.content, b.bytes + b.room), 0));
    let answer = Answer { buffers: buffers.collect(), ..Answer::default() };
    assert_eq!(compare(&call, &answer, &answer, 0x5A), Ok(()));
    group.throughput(Throughput::Bytes(input + output));
    group.bench_function("compare", |b| {
        b.iter(|| compare(black_box(&call), &answer, black_box(&answer), 0x5A).is_ok());
    });
    group.finish();
}

criterion_group!(benches, unseal, digest, expressions, generator, plane);
criterion_main!(benches);
