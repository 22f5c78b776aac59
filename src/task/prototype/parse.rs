//! Reads C declarations of functions: specifiers, pointers, arrays as parameters. Types are
//! those of the LP64 ABIs; whatever cannot be passed through a table is refused with a reason.

use super::{CType, Param, ParamKind, Pointee, Prototype, Returns};

/// Integer and pointer arguments that one call can have.
const MAX_PARAMS: usize = 32;

/// Why a text is no prototype that speedgate can call.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct PrototypeError {
    /// Byte in the text where it went wrong.
    pub offset: usize,
    /// What is wrong there.
    pub message: String,
}

impl Prototype {
    /// Parses one or more declarations separated by `;`. Offsets are those of the whole text.
    pub fn parse(text: &str) -> Result<Vec<Prototype>, PrototypeError> {
        let tokens = tokens(text)?;
        let mut parser = Parser { tokens: &tokens, at: 0, end: text.len() };
        let mut found = Vec::new();
        loop {
            while parser.eat(";") {}
            if parser.peek().is_empty() {
                break;
            }
            found.push(parser.prototype()?);
            if !parser.peek().is_empty() {
                parser.expect(";")?;
            }
        }
        match found.is_empty() {
            true => Err(PrototypeError { offset: 0, message: "there is no prototype here".into() }),
            false => Ok(found),
        }
    }
}

type Token<'a> = (usize, &'a str);

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn tokens(text: &str) -> Result<Vec<Token<'_>>, PrototypeError> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let len = if is_word(c) {
            text[at..].find(|c| !is_word(c)).unwrap_or(text.len() - at)
        } else if c.is_whitespace() {
            at += c.len_utf8();
            continue;
        } else if text[at..].starts_with("...") {
            3
        } else if "*(),;[]".contains(c) {
            1
        } else {
            let message = format!("`{c}` has no place in a prototype");
            return Err(PrototypeError { offset: at, message });
        };
        found.push((at, &text[at..at + len]));
        at += len;
    }
    Ok(found)
}

struct Parser<'a> {
    tokens: &'a [Token<'a>],
    at: usize,
    end: usize,
}

/// The specifiers in front of a declarator.
#[derive(Clone, Copy)]
struct Base {
    pointee: Pointee,
    constant: bool,
}

impl<'a> Parser<'a> {
    /// The next token, empty at the end.
    fn peek(&self) -> &'a str {
        self.tokens.get(self.at).map_or("", |t| t.1)
    }

    fn offset(&self) -> usize {
        self.tokens.get(self.at).map_or(self.end, |t| t.0)
    }

    fn error<T>(&self, message: impl Into<String>) -> Result<T, PrototypeError> {
        Err(PrototypeError { offset: self.offset(), message: message.into() })
    }

    fn eat(&mut self, wanted: &str) -> bool {
        let found = self.peek() == wanted;
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, wanted: &str) -> Result<(), PrototypeError> {
        if self.eat(wanted) {
            return Ok(());
        }
        match self.peek() {
            "" => self.error(format!("expected `{wanted}`, the text ends")),
            found => self.error(format!("expected `{wanted}`, found `{found}`")),
        }
    }

    fn word(&mut self, what: &str) -> Result<&'a str, PrototypeError> {
        let word = self.peek();
        if !word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            return self.error(format!("expected the name of {what}"));
        }
        self.at += 1;
        Ok(word)
    }

    fn prototype(&mut self) -> Result<Prototype, PrototypeError> {
        self.eat("extern");
        let start = self.offset();
        let base = self.base()?;
        let ret = match (self.stars(), base.pointee) {
            (0, Pointee::Elem(t)) => Returns::Value(t),
            (0, Pointee::Void) => Returns::Value(CType::Void),
            (0, Pointee::Opaque) => {
                let message = "a type that is not known can't be returned by value".into();
                return Err(PrototypeError { offset: start, message });
            }
            _ => Returns::Pointer,
        };
        let name = self.word("the function")?.to_owned();
        self.expect("(")?;
        let mut params: Vec<Param> = Vec::new();
        if self.peek() == "void" && self.tokens.get(self.at + 1).is_some_and(|t| t.1 == ")") {
            self.at += 1;
        }
        while self.peek() != ")" {
            if !params.is_empty() {
                self.expect(",")?;
            }
            let param = self.param()?;
            if params.iter().any(|p| p.name == param.name) {
                let message = format!("two parameters are called `{}`", param.name);
                return Err(PrototypeError { offset: param.offset, message });
            }
            params.push(param);
            if params.len() > MAX_PARAMS {
                return self.error(format!("more than {MAX_PARAMS} parameters"));
            }
        }
        self.expect(")")?;
        Ok(Prototype { name, ret, params })
    }

    fn param(&mut self) -> Result<Param, PrototypeError> {
        if self.peek() == "..." {
            return self.error("a variable argument list can't be called");
        }
        let start = self.offset();
        let base = self.base()?;
        let mut stars = self.stars();
        if self.peek() == "(" {
            return self.error("a function pointer can't be passed");
        }
        if matches!(self.peek(), "," | ")") {
            return self.error("this parameter needs a name: the manifest refers to it");
        }
        let offset = self.offset();
        let name = self.word("the parameter")?.to_owned();
        while self.eat("[") {
            stars += 1;
            while !matches!(self.peek(), "]" | "") {
                self.at += 1;
            }
            self.expect("]")?;
        }
        let kind = match (stars, base.pointee) {
            (0, Pointee::Elem(t)) => ParamKind::Scalar(t),
            (1, to) => ParamKind::Pointer { to, constant: base.constant },
            (0, _) => {
                let message = format!("`{name}` has a type that can't be passed by value");
                return Err(PrototypeError { offset: start, message });
            }
            _ => {
                let message = format!("`{name}` is a pointer to pointers, which is not supported");
                return Err(PrototypeError { offset: start, message });
            }
        };
        Ok(Param { name, kind, offset })
    }

    fn stars(&mut self) -> usize {
        let mut stars = 0;
        loop {
            match self.peek() {
                "*" => stars += 1,
                "const" | "volatile" | "restrict" | "__restrict" | "__restrict__" => {}
                _ => return stars,
            }
            self.at += 1;
        }
    }

    /// Specifiers: qualifiers in any place, then C's integer keywords or one type name.
    fn base(&mut self) -> Result<Base, PrototypeError> {
        let start = self.offset();
        let mut constant = false;
        let mut words: Vec<&str> = Vec::new();
        loop {
            let word = self.peek();
            match word {
                "const" => constant = true,
                "volatile" | "register" | "static" | "inline" => {
                    return self.error(format!("`{word}` has no place here"));
                }
                "struct" | "union" | "enum" if words.is_empty() => {
                    self.at += 1;
                    self.word("a type")?;
                    words.push(if word == "enum" { "int" } else { "struct" });
                    continue;
                }
                _ if KEYWORDS.contains(&word) && words.iter().all(|w| KEYWORDS.contains(w)) => {
                    words.push(word);
                }
                _ if words.is_empty() && !word.is_empty() && word.chars().all(is_word) => {
                    words.push(word);
                }
                _ => break,
            }
            self.at += 1;
        }
        let pointee = match words.as_slice() {
            [] => return self.error("expected a type"),
            ["void"] => Pointee::Void,
            ["struct"] => Pointee::Opaque,
            [name] if !KEYWORDS.contains(name) => match typedef(name) {
                Some(t) => Pointee::Elem(t),
                None if name.starts_with(|c: char| c.is_ascii_digit()) => {
                    return Err(PrototypeError {
                        offset: start,
                        message: "expected a type".into(),
                    });
                }
                None => Pointee::Opaque,
            },
            words => match keywords(words) {
                Some(t) => Pointee::Elem(t),
                None => {
                    let message = format!("`{}` is no type that can be passed", words.join(" "));
                    return Err(PrototypeError { offset: start, message });
                }
            },
        };
        Ok(Base { pointee, constant })
    }
}

const KEYWORDS: [&str; 10] =
    ["void", "char", "short", "int", "long", "signed", "unsigned", "float", "double", "_Bool"];

/// C's built-in types; their words may come in any order.
fn keywords(words: &[&str]) -> Option<CType> {
    let count = |w: &str| words.iter().filter(|x| **x == w).count();
    let (signed, unsigned) = (count("signed"), count("unsigned"));
    let mut rest: Vec<&str> =
        words.iter().copied().filter(|w| !matches!(*w, "signed" | "unsigned")).collect();
    rest.sort_unstable();
    let size = match rest.as_slice() {
        ["float"] if signed + unsigned == 0 => return Some(CType::F32),
        ["double"] if signed + unsigned == 0 => return Some(CType::F64),
        ["_Bool"] if signed + unsigned == 0 => return Some(CType::Bool),
        ["char"] => 1,
        ["short"] | ["int", "short"] => 2,
        ["int"] => 4,
        [] if signed + unsigned == 1 => 4,
        ["long"] | ["int", "long"] | ["long", "long"] | ["int", "long", "long"] => 8,
        _ => return None,
    };
    match (signed, unsigned) {
        // Plain `char` is signed on x86-64 and unsigned on AArch64; as bytes both are the same.
        (0, 0) | (1, 0) => Some(CType::Int(size)),
        (0, 1) => Some(CType::Uint(size)),
        _ => None,
    }
}

/// Names that `<stdint.h>`, `<stddef.h>`, `<stdbool.h>`, `<uchar.h>` and POSIX define.
fn typedef(name: &str) -> Option<CType> {
    Some(match name {
        "bool" => CType::Bool,
        "size_t" | "uintptr_t" | "uintmax_t" => CType::Uint(8),
        "ptrdiff_t" | "ssize_t" | "intptr_t" | "intmax_t" => CType::Int(8),
        "char8_t" => CType::Uint(1),
        "char16_t" => CType::Uint(2),
        "char32_t" => CType::Uint(4),
        _ => {
            let (unsigned, rest) = match name.strip_prefix('u') {
                Some(rest) => (true, rest),
                None => (false, name),
            };
            let size = match rest.strip_prefix("int")?.strip_suffix("_t")? {
                "8" | "_least8" | "_fast8" => 1,
                "16" | "_least16" => 2,
                "32" | "_least32" => 4,
                // glibc's `fast` types of 16 and 32 bits are 64 bits wide on LP64.
                "64" | "_least64" | "_fast64" | "_fast16" | "_fast32" => 8,
                _ => return None,
            };
            if unsigned { CType::Uint(size) } else { CType::Int(size) }
        }
    })
}
