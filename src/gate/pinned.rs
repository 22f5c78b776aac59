//! What a seed makes stays the same: a replay names a call by seed and number alone, so calls that have
//! become others are not those that a report tells of. Each line is a digest of what can be seen of one
//! kind of call; a field that is renamed changes it, too. Whoever changes inputs, places or order on purpose
//! sees by the lines that differ what else came along, and renews them (`INSTA_UPDATE=always`).

use std::fmt::Write;
use std::fs;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use sha2::{Digest, Sha256};

use super::generators::{Extent, fill_alone, floats, formats, patterns, text};
use super::own::Blank;
use super::{Coverage, Plan, Schedule, Seed};
use crate::task::prototype::CType;
use crate::task::{Fill, Task};

/// What can be told apart, in twelve digits.
fn short(parts: impl Iterator<Item = String>) -> String {
    let mut all = Sha256::new();
    parts.for_each(|part| all.update(part + "\n"));
    hex::encode(all.finalize())[..12].to_owned()
}

fn task() -> (tempfile::TempDir, Task) {
    let dir = tempfile::tempdir().unwrap();
    for folder in ["src", "kat", "include"] {
        fs::create_dir(dir.path().join(folder)).unwrap();
    }
    fs::write(dir.path().join("kat/known.toml"), include_str!("pinned/known.toml")).unwrap();
    let task = Task::parse(dir.path(), include_str!("pinned/task.toml")).unwrap();
    (dir, task)
}

#[test]
fn a_plan_has_the_same_calls() {
    let (_dir, task) = task();
    let symbols = crate::build::contract(&task);
    let mut told = String::new();
    for (index, f) in task.functions.iter().enumerate() {
        let cases = Plan::PRACTICE.cases(&task, index);
        let mut coverage = Coverage::new(f);
        let calls = cases.iter().map(|case| {
            let (call, values) = case.make(Seed::PUBLIC, &task, &symbols, &mut Blank).unwrap();
            coverage.add(&values, &call);
            format!(
                "{case:?} {} {:?} {} {values:?} {call:?}",
                case.name(&task),
                case.mode(),
                case.poison()
            )
        });
        let (count, digest) = (cases.len(), short(calls));
        let seen = short(coverage.0.iter().map(|group| format!("{group:?}")));
        writeln!(told, "{}: {count} calls {digest}, of classes {seen}", f.name).unwrap();
    }
    let all: Vec<usize> = (0..task.functions.len()).collect();
    for (number, process) in
        Schedule::new(&Plan::GRADE, &task, &all, Seed::PUBLIC).processes.iter().enumerate()
    {
        let order = short(process.iter().map(|case| case.name(&task)));
        writeln!(told, "process {number}: {} calls in order {order}", process.len()).unwrap();
    }
    insta::assert_snapshot!(told);
}

#[test]
fn generators_have_the_same_content() {
    let generators = [text::BUILTIN, formats::BUILTIN, patterns::BUILTIN];
    let names = generators.into_iter().flatten().map(|(name, options)| (*name, *options));
    let elems = [
        CType::Bool,
        CType::Int(1),
        CType::Int(2),
        CType::Int(8),
        CType::Uint(1),
        CType::Uint(2),
        CType::Uint(4),
        CType::F32,
        CType::F64,
    ];
    let mut told = String::new();
    for (name, options) in names.chain([("image", &[][..]), ("floats", floats::OPTIONS)]) {
        let fill = |options: &[(&str, &[f64])]| Fill::Gen {
            name: name.into(),
            options: options.iter().map(|(key, v)| ((*key).into(), v.to_vec())).collect(),
        };
        let mut fills = vec![fill(&[])];
        let some: [(&str, &[f64]); 10] = [
            ("broken", &[0.5]),
            ("mix", &[3.0, 1.0]),
            ("runs", &[2.0, 40.0]),
            ("space", &[0.2]),
            ("within", &[0.0, 1.0]),
            ("within", &[0.0, 100.0]),
            ("density", &[0.1, 0.9]),
            ("length", &[3.0]),
            ("share", &[0.9]),
            ("nan", &[0.2]),
        ];
        fills.extend(some.iter().filter(|(key, _)| options.contains(key)).map(|one| fill(&[*one])));
        for elem in elems {
            let made = fills.iter().flat_map(|fill| {
                [(1, 0), (1, 1), (1, 17), (3, 33), (1, 5000)].into_iter().flat_map(
                    move |(rows, cols)| {
                        (0..6).map(move |seed| {
                            let extent = Extent { rows, cols, stride: cols + seed % 2 };
                            let mut rng = ChaCha8Rng::seed_from_u64(seed);
                            fill_alone(fill, elem, extent, &mut rng).ok()
                        })
                    },
                )
            });
            let made: Vec<_> = made.collect();
            if made.iter().any(Option::is_some) {
                let digest = short(made.into_iter().map(|content| format!("{content:?}")));
                writeln!(told, "{name} {elem:?}: {digest}").unwrap();
            }
        }
    }
    insta::assert_snapshot!(told);
}

#[test]
fn fills_have_the_same_content() {
    let int = |lo, hi| Fill::Int { lo, hi };
    let fills = [
        (Fill::Bytes, CType::Uint(4)),
        (Fill::Bytes, CType::Bool),
        (int(-3, 300), CType::Int(2)),
        (int(0, 255), CType::Uint(1)),
        (Fill::Float { lo: -2.0, hi: 5.0, special: 0.0 }, CType::F32),
        (Fill::Float { lo: -2.0, hi: 5.0, special: 0.3 }, CType::F64),
        (Fill::Twins(Box::new(int(0, 9))), CType::Uint(1)),
        (
            Fill::Any(vec![int(0, 9), Fill::Bytes, Fill::Twins(Box::new(Fill::Bytes))]),
            CType::Uint(8),
        ),
    ];
    let mut told = String::new();
    for (fill, elem) in &fills {
        let made = (0..40).map(|seed| {
            let extent =
                Extent { rows: 1 + seed % 2, cols: 11 * seed, stride: 11 * seed + seed % 3 };
            let content = fill_alone(fill, *elem, extent, &mut ChaCha8Rng::seed_from_u64(seed));
            format!("{content:?}")
        });
        writeln!(told, "{fill:?} {elem:?}: {}", short(made)).unwrap();
    }
    insta::assert_snapshot!(told);
}
