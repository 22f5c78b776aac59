use proptest::prelude::*;

use super::{CType, Param, ParamKind, Pointee, Prototype, Returns};

fn one(text: &str) -> Prototype {
    let mut all = Prototype::parse(text).unwrap();
    assert_eq!(all.len(), 1);
    all.remove(0)
}

fn kinds(text: &str) -> Vec<ParamKind> {
    one(text).params.iter().map(|p| p.kind).collect()
}

fn pointer(to: CType, constant: bool) -> ParamKind {
    ParamKind::Pointer { to: Pointee::Elem(to), constant }
}

#[test]
fn a_transcoder() {
    let p = one("size_t f(const char *in, size_t n, uint16_t *out, size_t *err)");
    assert_eq!((p.name.as_str(), p.ret), ("f", Returns::Value(CType::Uint(8))));
    assert_eq!(
        p.params[0],
        Param { name: "in".into(), kind: pointer(CType::Int(1), true), offset: 21 }
    );
    assert_eq!(p.params[1].kind, ParamKind::Scalar(CType::Uint(8)));
    assert_eq!(p.params[2].kind, pointer(CType::Uint(2), false));
    assert_eq!(p.params[3].kind, pointer(CType::Uint(8), false));
}

#[test]
fn scalar_types() {
    use CType::*;
    let cases = [
        ("int8_t", Int(1)),
        ("uint8_t", Uint(1)),
        ("int16_t", Int(2)),
        ("uint64_t", Uint(8)),
        ("uint_fast32_t", Uint(8)),
        ("int_least16_t", Int(2)),
        ("char", Int(1)),
        ("signed char", Int(1)),
        ("unsigned char", Uint(1)),
        ("unsigned", Uint(4)),
        ("unsigned short int", Uint(2)),
        ("long", Int(8)),
        ("long unsigned int", Uint(8)),
        ("long long", Int(8)),
        ("unsigned long long int", Uint(8)),
        ("ssize_t", Int(8)),
        ("ptrdiff_t", Int(8)),
        ("uintptr_t", Uint(8)),
        ("bool", Bool),
        ("_Bool", Bool),
        ("float", F32),
        ("double", F64),
        ("char8_t", Uint(1)),
        ("char16_t", Uint(2)),
        ("char32_t", Uint(4)),
        ("enum mode", Int(4)),
    ];
    for (text, ctype) in cases {
        assert_eq!(kinds(&format!("void f({text} x)")), [ParamKind::Scalar(ctype)], "{text}");
        assert_eq!(kinds(&format!("void f({text} const *x)")), [pointer(ctype, true)], "{text}");
    }
}

#[test]
fn opaque_pointers_arrays_and_qualifiers() {
    let opaque = |constant| ParamKind::Pointer { to: Pointee::Opaque, constant };
    assert_eq!(kinds("void f(const gcm_ctx *ctx)"), [opaque(true)]);
    assert_eq!(kinds("void f(struct gcm *restrict ctx)"), [opaque(false)]);
    assert_eq!(
        kinds("void f(const void *p)"),
        [ParamKind::Pointer { to: Pointee::Void, constant: true }]
    );
    assert_eq!(
        kinds("void f(int16_t r[256], const uint8_t key[static 16])"),
        [pointer(CType::Int(2), false), pointer(CType::Uint(1), true)]
    );
    assert!(kinds("int f(void)").is_empty());
    assert!(kinds("extern int f()").is_empty());
    assert_eq!(one("void *f(int x);").ret, Returns::Pointer);
}

#[test]
fn several_prototypes_in_one_text() {
    let text = "void init(x_t *x);\nvoid final(x_t *x, uint8_t *md);";
    let all = Prototype::parse(text).unwrap();
    assert_eq!(all.iter().map(|p| p.name.as_str()).collect::<Vec<_>>(), ["init", "final"]);
    assert!(text[all[1].params[1].offset..].starts_with("md"));
}

#[test]
fn what_cannot_be_called_is_refused_where_it_stands() {
    let error = |text: &str| Prototype::parse(text).unwrap_err();
    for (text, offset, says) in [
        ("", 0, "no prototype"),
        ("void f(int)", 10, "needs a name"),
        ("void f(int a, ...)", 14, "variable argument"),
        ("void f(int (*cb)(int))", 11, "function pointer"),
        ("void f(uint8_t **rows)", 7, "pointer to pointers"),
        ("void f(gcm_ctx ctx)", 7, "by value"),
        ("gcm_ctx f(int a)", 0, "returned by value"),
        ("void f(int a, int a)", 18, "two parameters"),
        ("void f(int a", 12, "the text ends"),
        ("void f(signed unsigned a)", 7, "no type"),
        ("void f(int a) { }", 14, "no place"),
        ("void f(long double a)", 7, "no type"),
        ("void f(int a) void g(int b)", 14, "expected `;`"),
    ] {
        let e = error(text);
        assert_eq!(e.offset, offset, "{text}: {e}");
        assert!(e.message.contains(says), "{text}: {e}");
    }
}

#[test]
fn integer_ranges() {
    assert_eq!(CType::Int(1).range(), Some(-128..=127));
    assert_eq!(CType::Uint(2).range(), Some(0..=65535));
    assert_eq!(CType::Int(8).range(), Some(i64::MIN..=i64::MAX));
    assert_eq!(CType::Uint(8).range(), Some(0..=i64::MAX));
    assert_eq!(CType::F32.range(), None);
}

proptest! {
    #[test]
    fn no_text_makes_the_parser_panic(text in ".*") {
        let _ = Prototype::parse(&text);
    }

    #[test]
    fn no_likely_text_makes_the_parser_panic(
        words in prop::collection::vec(
            prop::sample::select(vec![
                "void", "int", "unsigned", "const", "f", "(", ")", "*", ",", ";", "[", "]", "16",
                "size_t", "struct", "enum", "...", "x",
            ]),
            0..16,
        )
    ) {
        let text = words.join(" ");
        if let Err(e) = Prototype::parse(&text) {
            prop_assert!(e.offset <= text.len());
        }
    }
}
