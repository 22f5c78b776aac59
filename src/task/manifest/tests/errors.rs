//! What people see: file, line, caret, and what to do.

use super::{HEAD, one, shown};

const GOOD: &str = r#"[function.f]
c = "size_t f(const uint8_t *in, size_t n, uint8_t *out, size_t *err)"
draw = { n = { from = 0, to = 64 } }
args.in = { in = "n" }
args.out = { out = "2 * n", used = "ret" }
args.err = { out = 1 }
profile.p = { weight = 1, n = 64 }
"#;

/// The good manifest with one thing changed.
fn changed(from: &str, to: &str) -> String {
    let text = one(GOOD);
    assert!(text.contains(from), "{from}");
    text.replacen(from, to, 1)
}

#[test]
fn the_unchanged_manifest_is_right() {
    super::parse(&one(GOOD)).unwrap();
}

#[test]
fn messages() {
    let cases = [
        ("broken TOML", changed("lang = \"c\"", "lang = c")),
        ("unknown section key", changed("editable =", "editables =")),
        ("missing key", changed("title = \"A task\"\n", "")),
        ("unknown buffer key", changed("used = \"ret\"", "usd = \"ret\"")),
        ("task name", changed("name = \"t\"", "name = \"My task\"")),
        ("no such tree", changed("tree = \"src\"", "tree = \"sources\"")),
        ("two sources", changed("tree = \"src\"", "tree = \"src\"\ncrate = \"x\"")),
        (
            "loose package",
            changed("tree = \"src\"", "crate = \"x\"\nversion = \"^1.0\"\nsha256 = \"abc\""),
        ),
        ("leaving the folder", changed("sources = [\"*.c\"]", "sources = [\"../*.c\"]")),
        ("dangerous flag", changed("flags = [\"-O3\"]", "flags = [\"-O3\", \"-march=native\"]")),
        ("editable build file", changed("editable = [\"*.c\"]", "editable = [\"**\"]")),
        (
            "editable shim",
            changed("tree = \"src\"", "tree = \"src\"\nshim = \"shim.cpp\"")
                .replace("editable = [\"*.c\"]", "editable = [\"*.cpp\"]"),
        ),
        ("prototype", changed("size_t n,", "size_t,")),
        ("parameter without role", changed("args.err = { out = 1 }\n", "")),
        ("scalar without role", changed("draw = { n = { from = 0, to = 64 } }\n", "")),
        ("argument without parameter", changed("args.err", "args.eror")),
        ("expression", changed("\"2 * n\"", "\"2 * (n + \"")),
        ("unknown name", changed("\"2 * n\"", "\"2 * nn\"")),
        ("result in a size", changed("in = \"n\"", "in = \"n + ret\"")),
        ("buffer in a size", changed("out = \"2 * n\"", "out = \"2 * in\"")),
        ("no integer behind it", changed("used = \"ret\"", "used = \"*in\"")),
        ("const output", changed("uint8_t *out", "const uint8_t *out")),
        ("two roles", changed("{ in = \"n\" }", "{ in = \"n\", out = 4 }")),
        ("no draw", changed("{ from = 0, to = 64 }", "{ from = 0, up_to = 64 }")),
        ("empty range", changed("{ from = 0, to = 64 }", "{ from = 64, to = 0 }")),
        ("circle", changed("n = { from = 0, to = 64 }", "n = \"m + 1\", m = \"n - 1\"")),
        ("no generator", changed("{ in = \"n\" }", "{ in = \"n\", fill = { gen = \"utf88\" } }")),
        (
            "generator option",
            changed("{ in = \"n\" }", "{ in = \"n\", fill = { gen = \"utf8\", mx = 1 } }"),
        ),
        (
            "generator element",
            changed("{ in = \"n\" }", "{ in = \"n\", fill = { gen = \"utf32\" } }"),
        ),
        (
            "fill out of range",
            changed("{ in = \"n\" }", "{ in = \"n\", fill = { int = [0, 256] } }"),
        ),
        ("alignment", changed("{ in = \"n\" }", "{ in = \"n\", align = 48 }")),
        ("profile key", changed("n = 64 }", "m = 64 }")),
        ("weight", changed("weight = 1", "weight = 0")),
        ("no profile", changed("profile.p = { weight = 1, n = 64 }\n", "")),
        ("alias", changed("profile.p", "alias = [[\"out\", \"inn\"]]\nprofile.p")),
        ("call", changed("profile.p", "calls = [\"f(in, n, out)\"]\nprofile.p")),
        ("unknown call", changed("profile.p", "calls = [\"g(in, n, out, err)\"]\nprofile.p")),
        ("call argument", changed("profile.p", "calls = [\"f(in, n, outt, err)\"]\nprofile.p")),
        ("step function", changed("functions = [\"f\"]", "functions = [\"f\", \"ff\", \"f\"]")),
        ("function in no step", changed("functions = [\"f\"]", "functions = []")),
        ("no step", format!("{HEAD}\n{GOOD}")),
        (
            "twins of text",
            changed("{ in = \"n\" }", "{ in = \"n\", fill = { twins = { gen = \"utf8\" } } }"),
        ),
        (
            "follows nothing",
            changed("{ in = \"n\" }", "{ in = \"n\", fill = { above = \"out\" } }"),
        ),
        (
            "own generator of another type",
            changed("{ in = \"n\" }", "{ in = \"n\", fill = { gen = \"ldpc_llr\", snr = 1 } }"),
        ),
        ("no oracle", changed("profile.p", "exact = \"g\"\nprofile.p")),
        ("tolerance of integers", changed("{ out = 1 }", "{ out = 1, same = { ulp = 2 } }")),
        ("modulus", changed("{ out = 1 }", "{ out = 1, same = { mod = 1, within = [0, 1] } }")),
        ("no range", changed("{ out = 1 }", "{ out = 1, same = { mod = 7 } }")),
        ("no known answers", changed("profile.p", "kat = \"kat/f.toml\"\nprofile.p")),
    ];
    let mut all = String::new();
    for (title, text) in cases {
        all.push_str(&format!("== {title} ==\n{}\n", shown(&text)));
    }
    insta::assert_snapshot!(all);
}

#[test]
fn any_text_gives_an_error_and_no_panic() {
    use proptest::prelude::*;
    let good = one(GOOD);
    let edits = (0..good.len(), 0..good.len(), ".{0,8}");
    proptest!(|((at, len, insert) in edits)| {
        let end = (at + len % 12).min(good.len());
        let mut text = good.clone();
        text.replace_range(at..end, &insert);
        if super::parse(&text).is_err() {
            let shown = shown(&text);
            prop_assert!(shown.contains("task.toml"), "{}", shown);
        }
    });
}

#[test]
fn rust_has_keys_of_its_own() {
    let rust = one(GOOD).replace("lang = \"c\"", "lang = \"rust\"");
    let bare = rust.replace("sources = [\"*.c\"]\n", "").replace("-O3", "-Copt-level=3");
    super::parse(&bare).expect("flags and what is editable are all there is");
    let part = "tree = \"src\"\n[[source.also]]\ncrate = \"x\"\nversion = \"1.0.0\"\n\
                sha256 = \"00\"\ninto = \"../x\"";
    for (text, message, place) in [
        (rust.clone(), "a library in Rust has no `sources`", "[\"*.c\"]"),
        (rust, "`-O3` is refused", "\"-O3\""),
        (
            bare.replace("editable", "include = [\"inc\"]\neditable"),
            "a library in Rust has no `include`",
            "\"inc\"",
        ),
        (one(GOOD).replace("sources = [\"*.c\"]\n", ""), "`sources` is missing", "lang = \"c\""),
        (bare.replace("tree = \"src\"", part), "`also` goes with `crate`", "\"x\""),
        (bare.replace("tree = \"src\"", part), "this is no sha256", "\"00\""),
        (bare.replace("tree = \"src\"", part), "`../x` leaves the folder", "\"../x\""),
        (
            bare.replace("tree = \"src\"", "tree = \"src\"\noverlay = \"nowhere\""),
            "there is no folder `nowhere`",
            "\"nowhere\"",
        ),
    ] {
        let shown = shown(&text);
        assert!(shown.contains(message) && shown.contains(place), "{message}: {shown}");
    }
}
