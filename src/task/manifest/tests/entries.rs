//! Public entries: functions that are called, and neither scored nor timed.

use super::{one, parse, shown};

const FUNCTIONS: &str = r#"[function.f]
c = "int f(const uint8_t *in, size_t n)"
entry = "api"
draw = { n = { from = 0, to = 64 } }
args.in = { in = "n" }
profile.p = { weight = 1, n = 64 }

[function.api]
c = "int api(const uint8_t *in, size_t n)"
draw = { n = { from = 0, to = 64 } }
args.in = { in = "n" }
"#;

#[test]
fn an_entry_stands_behind_the_scored_functions() {
    let task = parse(&one(FUNCTIONS)).unwrap();
    let names: Vec<&str> = task.functions.iter().map(|f| f.name.as_str()).collect();
    assert_eq!(names, ["f", "api"]);
    assert_eq!(task.functions[0].entry, Some(1));
    assert_eq!(task.functions[1].entry, None);
    assert!(task.functions[1].profiles.is_empty());
    // It is in no plan of its own.
    assert_eq!(task.functions_up_to(0), [0]);
}

#[test]
fn what_is_no_entry_is_named() {
    let changed = |from: &str, to: &str| {
        let text = one(FUNCTIONS);
        assert!(text.contains(from), "{from}");
        shown(&text.replacen(from, to, 1))
    };
    let unknown = changed("entry = \"api\"", "entry = \"appi\"");
    assert!(unknown.contains("there is no `[function.appi]`"), "{unknown}");
    let scored = changed("entry = \"api\"", "entry = \"f\"");
    assert!(scored.contains("`f` is scored by a step itself"), "{scored}");
    let nested = changed("[function.api]", "[function.api]\nentry = \"f\"");
    assert!(nested.contains("an entry has no entry of its own"), "{nested}");
    let timed = format!("{}profile.p = {{ weight = 1 }}\n", one(FUNCTIONS));
    assert!(shown(&timed).contains("a public entry is not timed"));
    let idle = changed("entry = \"api\"\n", "");
    assert!(idle.contains("function `api` belongs to no step"), "{idle}");
}
