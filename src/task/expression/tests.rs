use std::collections::HashMap;

use proptest::prelude::*;

use super::{EvalError, Expr, Op, Reads, Scope};

struct Values(HashMap<String, i64>);

impl Scope for Values {
    fn name(&self, name: &str) -> Option<i64> {
        self.0.get(name).copied()
    }
    fn ret(&self) -> Option<i64> {
        Some(41)
    }
    fn deref(&self, name: &str) -> Option<i64> {
        self.name(name).map(|v| v.wrapping_add(1))
    }
}

fn values() -> Values {
    Values(
        [("n", 7), ("w", 1920), ("neg", -3), ("_big", i64::MAX)].map(|(k, v)| (k.into(), v)).into(),
    )
}

/// The same language on unbounded integers; absent where 64 bits overflow on the way.
fn model(expr: &Expr) -> Result<i128, EvalError> {
    let v = match expr {
        Expr::Const(v) => i128::from(*v),
        Expr::Name(n) => i128::from(values().name(n).unwrap()),
        Expr::Ret => 41,
        Expr::Deref(n) => i128::from(values().deref(n).unwrap()),
        Expr::Op(op, a, b) => {
            let (a, b) = (model(a)?, model(b)?);
            match op {
                Op::Add => a + b,
                Op::Sub => a - b,
                Op::Mul => a * b,
                Op::Div | Op::Rem if b == 0 => return Err(EvalError::DivisionByZero),
                Op::Div => a / b,
                Op::Rem => a % b,
                Op::Min => a.min(b),
                Op::Max => a.max(b),
            }
        }
    };
    if i64::try_from(v).is_ok() { Ok(v) } else { Err(EvalError::Overflow) }
}

fn expr() -> impl Strategy<Value = Expr> {
    let name = || prop::sample::select(vec!["n", "w", "neg", "_big"]).prop_map(String::from);
    let leaf = prop_oneof![
        any::<i64>().prop_map(Expr::Const),
        (-9i64..9).prop_map(Expr::Const),
        name().prop_map(Expr::Name),
        name().prop_map(Expr::Deref),
        Just(Expr::Ret),
    ];
    let op =
        prop::sample::select(vec![Op::Add, Op::Sub, Op::Mul, Op::Div, Op::Rem, Op::Min, Op::Max]);
    leaf.prop_recursive(6, 60, 2, move |inner| {
        (op.clone(), inner.clone(), inner)
            .prop_map(|(op, a, b)| Expr::Op(op, Box::new(a), Box::new(b)))
    })
}

proptest! {
    #[test]
    fn what_is_printed_parses_to_the_same_tree(e in expr()) {
        prop_assert_eq!(Expr::parse(&e.to_string()), Ok(e));
    }

    #[test]
    fn evaluation_agrees_with_unbounded_integers(e in expr()) {
        match (e.eval(&values()), model(&e)) {
            (Ok(v), Ok(m)) => prop_assert_eq!(i128::from(v), m),
            (Err(a), Err(b)) => prop_assert_eq!(a, b),
            (a, b) => prop_assert!(false, "{:?} against {:?}", a, b),
        }
    }

    #[test]
    fn no_text_makes_the_parser_panic(text in ".*") {
        if let Err(e) = Expr::parse(&text) {
            prop_assert!(text.is_char_boundary(e.offset));
        }
    }

    #[test]
    fn no_likely_text_makes_the_parser_panic(text in r"[-+*/%(), 0-9xminaret_é]{0,60}") {
        if let Err(e) = Expr::parse(&text) {
            prop_assert!(text.is_char_boundary(e.offset));
        }
    }
}

fn eval(text: &str) -> i64 {
    Expr::parse(text).unwrap().eval(&values()).unwrap()
}

#[test]
fn precedence_and_associativity_are_those_of_c() {
    assert_eq!(eval("1 + 2 * 3"), 7);
    assert_eq!(eval("20 - 5 - 3"), 12);
    assert_eq!(eval("100 / 10 / 2"), 5);
    assert_eq!(eval("-n + 10"), 3);
    assert_eq!(eval("-7 / 2"), -3);
    assert_eq!(eval("-7 % 4"), -3);
    assert_eq!(eval("-9223372036854775808 % -1"), 0);
    assert_eq!(eval("2 * *n"), 16);
    assert_eq!(eval("min(w, max(n, 0x10)) + ret"), 57);
    assert_eq!(eval("-9223372036854775808"), i64::MIN);
    assert_eq!(eval("1_000 * 2"), 2000);
}

#[test]
fn an_error_says_where() {
    let at = |text: &str| Expr::parse(text).unwrap_err().offset;
    assert_eq!(at("h * (w + "), 9);
    assert_eq!(at("h w"), 2);
    assert_eq!(at("abs(h)"), 0);
    assert_eq!(at("1 + 99999999999999999999"), 4);
    assert_eq!(at("min(1 2)"), 6);
    assert_eq!(at("a * * 3"), 6);
    assert_eq!(at(""), 0);
}

#[test]
fn hostile_depth_is_refused() {
    for text in ["(".repeat(100_000), "-".repeat(100_000), "min(".repeat(100_000)] {
        assert!(Expr::parse(&text).unwrap_err().message.contains("deep"));
    }
    let chain = vec!["n"; 100_000].join("+");
    assert!(Expr::parse(&chain).unwrap_err().message.contains("operators"));
}

#[test]
fn reads_lists_names_results_and_pointees() {
    let e = Expr::parse("min(n, ret) + *out * n").unwrap();
    assert_eq!(e.names().collect::<Vec<_>>(), ["n", "n"]);
    assert_eq!(e.reads(), [Reads::Name("n"), Reads::Ret, Reads::Deref("out"), Reads::Name("n")]);
}
