use super::{folder, load, one, parse, shown};
use crate::task::expression::Expr;
use crate::task::own::OwnParam;
use crate::task::prototype::CType;
use crate::task::{
    Arg, Call, Calls, Decide, Draw, Fill, Lang, Near, Origin, Registry, Rest, Ret, Role, Rule,
    Same, Strip, Task, TaskError,
};

const BLUR: &str = r#"[function.blur3x3_u8]
c = "void blur3x3_u8(const uint8_t *src, ptrdiff_t src_stride, size_t w, size_t h, uint8_t *dst, ptrdiff_t dst_stride)"
draw     = { w = { from = 1, to = 512 }, h = { from = 1, to = 64 }, sp = [0, 1, 17, 64], dp = [0, 1, 32] }
args.src_stride = "w + sp"
args.dst_stride = "w + dp"
args.src = { in  = ["h", "w"], stride = "src_stride", fill = { gen = "image" } }
args.dst = { out = ["h", "w"], stride = "dst_stride", rest = "kept" }
profile.hd  = { weight = 1, w = 1920, h = 16, sp = 0, dp = 0 }
profile.odd = { weight = 1, w = 1021, h = 16, sp = 1, dp = 1 }
"#;

fn expr(text: &str) -> Expr {
    Expr::parse(text).unwrap()
}

#[test]
fn a_blur_with_strides() {
    let task = parse(&one(BLUR)).unwrap();
    assert_eq!(task.decide, Decide::PassAt);
    assert_eq!(
        (task.limits.grade_seconds, task.limits.build_seconds, task.limits.memory_mb),
        (600, 300, 1024)
    );
    assert_eq!(task.source.origin, Origin::Tree("src".into()));
    let f = &task.functions[0];
    assert_eq!(f.symbols, ["blur3x3_u8"]);
    assert_eq!(f.ret, Ret::Void);
    let names: Vec<&str> = f.draws.iter().map(|d| d.0.as_str()).collect();
    assert_eq!(names, ["w", "h", "sp", "dp", "src_stride", "dst_stride"]);
    assert_eq!(f.draws[4].1, Draw::Expr(expr("w + sp")));
    let [src, dst] = f.buffers.as_slice() else { panic!("two buffers") };
    assert_eq!((src.role, dst.role), (Role::In, Role::Out));
    assert_eq!(src.fill, Fill::Gen { name: "image".into(), options: vec![] });
    assert_eq!((src.rows.clone(), src.cols.clone()), (Some(expr("h")), expr("w")));
    assert_eq!(dst.stride, Some(expr("dst_stride")));
    assert_eq!((src.rest, dst.rest), (Rest::Any, Rest::Kept));
    assert_eq!(f.calls.len(), 1);
    assert!(matches!(&f.calls[0].args[0], Arg::Pointer { buffer: 0, offset: Expr::Const(0) }));
    // Every scalar is visible: all shape a buffer.
    assert!(f.calls[0].args.iter().all(|a| !matches!(a, Arg::Int { sealed: true, .. })));
    let odd = &f.profiles[1];
    assert_eq!(odd.draws[0], ("w".into(), Draw::Choices(vec![1021])));
    assert_eq!(odd.draws[4], ("src_stride".into(), Draw::Expr(expr("w + sp"))));
}

const TRANSCODE: &str = r#"[function.utf8_to_utf16]
c = "size_t utf8_to_utf16(const char *in, size_t n, uint16_t *out, size_t *err)"
draw     = { n = { from = 0, to = 4096 } }
args.in  = { in = "n", fill = { gen = "utf8", mix = [4, 2, 3, 1], broken = 0.2 } }
args.out = { out = "n", used = "ret" }
args.err = { out = 1 }
profile.ascii = { weight = 1, n = 4096, in = { gen = "utf8", mix = [1, 0, 0, 0] } }
profile.mixed = { weight = 2, calls = "independent", n = 4096 }
"#;

#[test]
fn a_transcoder_with_an_error_position() {
    let task = parse(&one(TRANSCODE)).unwrap();
    let f = &task.functions[0];
    assert_eq!(f.ret, Ret::Same(Rule { elem: CType::Uint(8), same: Same::Bits }));
    assert_eq!(f.buffers[1].used, Some(Expr::Ret));
    assert_eq!((f.buffers[1].elem, f.buffers[1].align), (CType::Uint(2), 2));
    let options = vec![("mix".into(), vec![4.0, 2.0, 3.0, 1.0]), ("broken".into(), vec![0.2])];
    assert_eq!(f.buffers[0].fill, Fill::Gen { name: "utf8".into(), options });
    assert_eq!(f.profiles[0].fills.len(), 1);
    assert_eq!(f.profiles[0].fills[0].0, 0);
    assert_eq!((f.profiles[1].weight, f.profiles[1].calls), (2.0, Calls::Independent));
}

#[test]
fn tables_and_dotted_keys_mean_the_same() {
    let dotted = r#"[function.f]
c = "void f(const uint8_t *in, size_t n, uint8_t *out)"
draw.n = [1, 2]
args.in.in = "n"
args.out = { out = "n" }
[function.f.profile.p]
weight = 1
n = 2
"#;
    let inline = r#"[function.f]
c = ["void f(const uint8_t *in, size_t n, uint8_t *out);"]
draw = { n = [1, 2] }
profile = { p = { weight = 1, n = 2 } }
args = { in = { in = "n" }, out = { out = "n" } }
"#;
    let (a, b) = (parse(&one(dotted)).unwrap(), parse(&one(inline)).unwrap());
    assert_eq!(format!("{:?}", a.functions), format!("{:?}", b.functions));
}

#[test]
fn several_calls_share_a_state() {
    let task = parse(&one(r#"[function.stream]
c = ["void init(hash_t *h)", "void update(hash_t *h, const uint8_t *p, size_t n); void final(hash_t *h, uint8_t *md)"]
draw = { a = { from = 0, to = 64 }, b = { from = 0, to = 64 } }
args.x = { state = 256, align = 64 }
args.in = { in = "a + b" }
args.md = { out = 32, room = 4 }
calls = ["init(x)", "update(x, in, a)", "update(x, in + a, b)", "final(x, md)"]
alias = [["md", "in"]]
secret = ["in"]
profile.p = { a = 1, b = 2 }
"#)).unwrap();
    let f = &task.functions[0];
    assert_eq!(f.symbols, ["init", "update", "final"]);
    assert_eq!(f.calls.iter().map(|c| c.symbol).collect::<Vec<_>>(), [0, 1, 1, 2]);
    assert!(
        matches!(&f.calls[2].args[1], Arg::Pointer { buffer: 1, offset } if *offset == expr("a"))
    );
    assert_eq!((f.buffers[0].role, f.buffers[0].align), (Role::State, 64));
    assert_eq!(f.buffers[2].room, Some(Expr::Const(4)));
    assert_eq!((f.alias.as_slice(), f.secret.as_slice()), (&[(2, 1)][..], &[1][..]));
    assert_eq!(f.profiles[0].weight, 1.0);
}

#[test]
fn integers_that_shape_no_memory_are_sealed() {
    let task = parse(&one(r#"[function.f]
c = "int f(const int8_t *in, size_t n, int rounds, int bias, int n2, uint8_t *out, int fixed)"
draw = { z = [2, 4], n = "z * 8", rounds = [1, 8], bias = "rounds * 3" }
args.in = { in = "n" }
args.out = { out = "n", used = "*out * n" }
args.n2 = "z * 2 + rounds"
args.fixed = 7
profile.p = {}
"#))
    .unwrap();
    let f = &task.functions[0];
    let sealed: Vec<bool> = f.calls[0]
        .args
        .iter()
        .filter_map(|a| match a {
            Arg::Int { sealed, .. } => Some(*sealed),
            Arg::Pointer { .. } => None,
        })
        .collect();
    // n and n2 depend on z, which sizes the buffers; a constant hides nothing.
    assert_eq!(sealed, [false, true, true, false, false]);
}

#[test]
fn draws_come_in_an_order_that_can_be_evaluated() {
    let task = parse(&one(r#"[function.f]
c = "void f(uint8_t *out, size_t a)"
draw = { a = "b * 2", b = "c + 1", c = { log = [1, 64] } }
args.out = { out = "a" }
profile.p = { b = 3 }
profile.q = { c = [5, 6] }
"#))
    .unwrap();
    let f = &task.functions[0];
    let names = |d: &[(String, Draw)]| d.iter().map(|d| d.0.clone()).collect::<Vec<_>>();
    assert_eq!(names(&f.draws), ["c", "b", "a"]);
    assert_eq!(f.draws[0].1, Draw::Log { from: 1, to: 64 });
    assert_eq!(names(&f.profiles[0].draws), ["b", "a", "c"]);
}

#[test]
fn a_package_with_strips_and_a_shim() {
    let task = parse(
        r#"
[task]
name = "t"
title = "simdutf: Unicode transcoding and base64"
[source]
crate   = "simdutf"
version = "0.7.0"
sha256  = "5F542752c7335a9174e7bb81112c3ca1415a7a6b6ec2c3e840aca347a30f9141"
root    = "."
strip   = [
  { file = "simdutf.cpp", from = "/* begin file src/haswell/*", to = "/* end file src/haswell/*" },
  { files = "arch/**" },
]
shim    = "shim.cpp"
[build]
lang     = "c++"
flags    = ["-std=c++17", "-O3"]
sources  = ["shim.cpp", "simdutf.cpp", "kernels/**/*.cpp"]
editable = ["simdutf.cpp", "kernels/**"]
include  = ["."]
[[build.for]]
files = "kernels/*_avx2.cpp"
flags = ["-mavx2", "-mbmi"]
[verdict]
decide = "s_ref"
[limits]
grade_seconds = 120
[[step]]
id = "01-first"
functions = ["g"]
[[step]]
id = "02-second"
functions = ["f"]
[function.f]
c = "int f(int x)"
draw.x = [1]
profile.p = {}
[function.g]
c = "void *g(int x)"
ret = "ignore"
draw.x = [1]
profile.p = {}
"#,
    )
    .unwrap();
    let Origin::Package { registry: Registry::Crate, sha256, .. } = &task.source.origin else {
        panic!("a crate")
    };
    assert!(sha256.starts_with("5f54"));
    assert_eq!(task.source.strip.len(), 2);
    assert_eq!(task.source.strip[1], Strip::Files("arch/**".into()));
    assert_eq!(task.source.shim, ["shim.cpp"]);
    assert_eq!(
        (task.build.lang, task.decide, task.limits.grade_seconds),
        (Lang::Cxx, Decide::SRef, 120)
    );
    assert_eq!(task.build.overrides[0].files, ["kernels/*_avx2.cpp"]);
    // Functions are numbered as the steps list them.
    assert_eq!(task.functions.iter().map(|f| f.name.as_str()).collect::<Vec<_>>(), ["g", "f"]);
    assert_eq!(task.functions_up_to(0), [0]);
    assert_eq!(task.functions_up_to(1), [0, 1]);
    assert_eq!(task.functions[0].ret, Ret::Ignore);
    assert_eq!(task.step("01").unwrap(), 0);
    assert_eq!(task.step("02-second").unwrap(), 1);
    assert!(matches!(task.step("0"), Err(TaskError::Step { .. })));
    assert!(matches!(task.step(""), Err(TaskError::Step { .. })));
    assert!(task.step("03").unwrap_err().to_string().contains("no step `03`"));
}

#[test]
fn a_task_lives_under_kernels_by_its_name() {
    let root = tempfile::tempdir().unwrap();
    let dir = root.path().join("kernels/t");
    std::fs::create_dir_all(dir.join("src")).unwrap();
    std::fs::write(dir.join("task.toml"), one(BLUR)).unwrap();
    let found = crate::task::find(root.path(), "t").unwrap();
    assert_eq!(found, dir);
    assert_eq!(
        crate::task::find(root.path(), dir.join("task.toml").to_str().unwrap()).unwrap(),
        dir
    );
    assert_eq!(crate::task::list(root.path()), std::slice::from_ref(&dir));
    let task = load(&found).unwrap();
    let baselines = std::fs::canonicalize(root.path()).unwrap().join("baselines/t");
    assert_eq!(task.baselines(), baselines);
    std::fs::rename(&dir, root.path().join("kernels/other")).unwrap();
    let error = load(&root.path().join("kernels/other")).unwrap_err();
    assert!(error.to_string().contains("its folder `other`"), "{error}");
    assert!(matches!(load(&dir), Err(TaskError::Unreadable { .. })));
    let Err(TaskError::NoTask { help, .. }) = crate::task::find(root.path(), "othr") else {
        panic!("no such task")
    };
    assert_eq!(help, "did you mean `other`?");
}

#[test]
fn outputs_that_need_not_be_equal_bit_for_bit() {
    let task = parse(&one(r#"[function.ntt]
c = "float ntt(int16_t *r, double *d)"
args.r = { inout = 256, align = 32, fill = { int = [-3328, 3328] }, same = { mod = 3329, within = [-26631, 26631] } }
args.d = { out = 4, same = { abs = 1e-6, ulp = 2, nan = true, subnormal = true } }
ret = { rel = 1e-5, zero = true, infinity = true }
profile.one = { weight = 1 }
"#))
    .unwrap();
    let f = &task.functions[0];
    assert_eq!(f.buffers[0].same, Same::Mod { q: 3329, lo: -26631, hi: 26631 });
    let near =
        Near { abs: Some(1e-6), ulp: Some(2), nan: true, subnormal: true, ..Near::default() };
    assert_eq!(f.buffers[1].same, Same::Near(near));
    let near = Near { rel: Some(1e-5), zero: true, infinity: true, ..Near::default() };
    assert_eq!(f.ret, Ret::Same(Rule { elem: CType::F32, same: Same::Near(near) }));
    assert!(f.is_loose());
}

#[test]
fn fills_are_composed() {
    let task = parse(&one(r#"[function.f]
c = "void f(const int8_t *a, const int8_t *b, const int8_t *c, size_t n, size_t weight, uint8_t *out)"
draw = { n = { from = 0, to = 64 }, z = [2, 4], weight = [1, 2] }
args.a = { in = "n", fill = ["bytes", { twins = { int = [0, 9] } }, { gen = "sorted", within = [-5, 5] }] }
args.b = { in = "n", fill = { above = "a", by = [0, 3] } }
args.c = { in = "n", fill = { gen = "ldpc_llr", snr_db = [0, 6] } }
args.out = { out = "n" }
profile.p = { weight = 3, n = 64, draw = { weight = 1 }, args = { a = "bytes" } }
"#))
    .unwrap();
    let f = &task.functions[0];
    let sorted = vec![("within".into(), vec![-5.0, 5.0])];
    let list = vec![
        Fill::Bytes,
        Fill::Twins(Box::new(Fill::Int { lo: 0, hi: 9 })),
        Fill::Gen { name: "sorted".into(), options: sorted },
    ];
    assert_eq!(f.buffers[0].fill, Fill::Any(list));
    let above = Fill::Beside { other: "a".into(), above: true, by: Some((0.0, 3.0)) };
    assert_eq!(f.buffers[1].fill, above);
    let Fill::Own(own) = &f.buffers[2].fill else { panic!("{:?}", f.buffers[2].fill) };
    let params = [
        OwnParam::Seed(CType::Uint(8)),
        OwnParam::Out,
        OwnParam::Len(CType::Uint(8)),
        OwnParam::Draw("z".into(), CType::Int(4)),
        OwnParam::Option(0),
    ];
    assert_eq!((own.symbol(), &own.params[..]), ("gen_ldpc_llr".into(), &params[..]));
    let own = vec![("gen_ldpc_llr".to_owned(), "gen/ldpc_llr.c".to_owned())];
    assert_eq!(task.own_code(), own);
    let with = task.with_own_code().unwrap();
    assert!(with.functions[0].symbols.contains(&own[0].0) && with.source.own == ["gen/ldpc_llr.c"]);
    let p = &f.profiles[0];
    assert_eq!(p.weight, 3.0);
    assert!(p.draws.contains(&("weight".into(), Draw::Choices(vec![1]))));
    assert_eq!(p.fills, [(0, Fill::Bytes)]);
}

#[test]
fn exact_values_come_from_a_function_of_the_task() {
    let text = r#"[function.f]
c = "void f(const float *x, float *y, size_t n)"
draw = { n = { from = 0, to = 64 } }
args.x = { in = "n" }
args.y = { out = "n", same = { times = 2 } }
exact = "e"
profile.p = { n = 64 }
"#;
    let task = parse(&one(text)).unwrap();
    assert_eq!(task.functions[0].exact.as_deref(), Some("e"));
    assert_eq!(task.own_code(), [("e".to_owned(), "gen/e.c".to_owned())]);
}

const SEAL: &str = r#"[function.gcm_seal]
c = ["int gcm_init(gcm_ctx *ctx, const uint8_t *key, size_t klen)", "int gcm_seal(const gcm_ctx *ctx, uint8_t *out, uint8_t *tag, const uint8_t *iv, const uint8_t *in, size_t n, const uint8_t *aad, size_t aad_n, int mode)"]
draw     = { klen = [16, 32], n = { from = 0, to = 4096 }, aad_n = [0, 13, 20], mode = [1, 2], salt = [3, 4] }
args.ctx = { state = 512, align = 16, make = "gcm_init(ctx, key, klen)", budget = 3 }
args.key = { in = 32 }
args.iv  = { in = 12 }
args.in  = { in = "n" }
args.aad = { in = "aad_n" }
args.out = { out = "n" }
args.tag = { out = 16 }
alias    = [["out", "in"]]
secret   = ["key", "in"]
profile.record = { weight = 2, n = 1350, aad_n = 13 }
"#;

/// The unit is the function that makes no state. What states are made of is known before the clock
/// starts, and nothing else is.
#[test]
fn a_state_is_made_outside_the_clock() {
    let text = SEAL.replace(", salt = [3, 4]", "");
    let task = parse(&one(&text)).unwrap();
    let f = &task.functions[0];
    assert_eq!((f.makes.len(), f.calls.len(), f.budget), (1, 1, 3.0));
    assert_eq!(f.symbols[f.makes[0].symbol], "gcm_init");
    assert_eq!(f.symbols[f.calls[0].symbol], "gcm_seal");
    let roles: Vec<Role> = ["ctx", "key", "iv", "out"]
        .iter()
        .map(|name| f.buffers.iter().find(|b| b.name == *name).unwrap().role)
        .collect();
    assert_eq!(roles, [Role::State, Role::Material, Role::In, Role::Out]);
    let sealed = |call: &Call| -> Vec<bool> {
        call.args
            .iter()
            .filter_map(|a| match a {
                Arg::Int { sealed, .. } => Some(*sealed),
                Arg::Pointer { .. } => None,
            })
            .collect()
    };
    assert_eq!(sealed(&f.makes[0]), [false]);
    // Lengths are known, the mode is not.
    assert_eq!(sealed(&f.calls[0]), [false, false, true]);
    // A draw that a state depends on is as well known as a length.
    let mode = text.replace("gcm_init(ctx, key, klen)", "gcm_init(ctx, key, klen + mode)");
    assert_eq!(sealed(&parse(&one(&mode)).unwrap().functions[0].calls[0]), [false; 3]);
}

#[test]
fn what_can_make_no_state_is_shown_where_it_stands() {
    let fails = |from: &str, to: &str, with: &str| {
        let text = one(&SEAL.replace(", salt = [3, 4]", "").replace(from, to));
        let shown = shown(&text);
        assert!(shown.contains(with), "{shown}");
    };
    fails("gcm_init(ctx, key", "gcm_start(ctx, key", "`gcm_start` has no prototype");
    fails("gcm_init(ctx, key, klen)", "gcm_init(ctx, key)", "takes 3 arguments");
    fails("gcm_init(ctx, key", "gcm_init(key, key", "not given `ctx`");
    fails("gcm_init(ctx, key", "gcm_init(ctx, tag", "`tag` is written by the unit itself");
    fails("budget = 3", "budget = 0", "above 0");
    fails(
        "args.tag = { out = 16 }",
        "args.tag = { out = 16, make = \"gcm_init(tag, key, klen)\" }",
        "`make`",
    );
}

/// The one call that may read files.
#[test]
fn a_library_is_set_up_once() {
    let dir = folder();
    let with = |table: &str| format!("{}\n[setup]\n{table}\n", one(BLUR));
    let task = Task::parse(dir.path(), &with("call = \"start\"")).unwrap();
    let setup = task.setup.clone().unwrap();
    assert_eq!((setup.symbol.as_str(), setup.data, setup.budget), ("start", None, 1.5));
    assert!(crate::build::contract(&task).contains(&"start".to_owned()));
    for (table, message) in [
        ("call = \"a b\"", "no function's name"),
        ("call = \"start\"\ndata = \"nowhere\"", "no folder `nowhere`"),
        ("call = \"start\"\ndata = \"../x\"", "`../x`"),
        ("call = \"start\"\nbudget = -1", "above 0"),
    ] {
        let shown = shown(&with(table));
        assert!(shown.contains(message), "{shown}");
    }
}

/// The rest of the vocabulary is read, checked, and answered.
#[test]
fn what_no_task_needs_yet_is_not_supported() {
    let cases = [(
        r#"[function.f]
c = "float f(float *x, float s)"
args.x = { inout = 4, fill = { float = [-1, 1], special = 0.1 }, same = { abs = 1e-6, ulp = 2, nan = true } }
draw.s = [1]
driver = "drivers/f.c"
profile.one = { cache = "cold" }
"#,
        2,
    )];
    for (text, count) in cases {
        match parse(&one(text)) {
            Err(TaskError::NotSupported(first)) => {
                assert_eq!(1 + first.more.len(), count, "{}", shown(&one(text)));
            }
            other => panic!("{other:?}"),
        }
    }
}
