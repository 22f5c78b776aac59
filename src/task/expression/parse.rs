//! A precedence parser for expressions. Both the nesting and the number of operators are
//! bounded, so neither parsing nor any later walk over the tree can exhaust the stack.

use super::{Expr, Op};

/// Parentheses, signs and calls inside each other.
const MAX_NESTING: usize = 64;
/// Operators in one expression, hence also the depth of the tree.
const MAX_OPERATORS: usize = 256;

/// Why a text is no expression.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ParseError {
    /// Byte in the text where it went wrong (its length when the text ends too early).
    pub offset: usize,
    /// What is wrong there.
    pub message: String,
}

impl Expr {
    /// Parses a text such as `h * (w + 2) - min(n, 4)`.
    pub fn parse(text: &str) -> Result<Expr, ParseError> {
        let mut parser = Parser { text, at: 0, nesting: 0, operators: 0 };
        let expr = parser.sum()?;
        match parser.peek() {
            None => Ok(expr),
            Some(c) => Err(parser.error(format!("unexpected `{c}` after the expression"))),
        }
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    nesting: usize,
    operators: usize,
}

impl Parser<'_> {
    fn error(&self, message: impl Into<String>) -> ParseError {
        ParseError { offset: self.at, message: message.into() }
    }

    /// Skips white space and looks at the next character.
    fn peek(&mut self) -> Option<char> {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        self.text[self.at..].chars().next()
    }

    fn eat(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.at += wanted.len_utf8();
        }
        found
    }

    fn expect(&mut self, wanted: char) -> Result<(), ParseError> {
        if self.eat(wanted) {
            return Ok(());
        }
        let found = match self.peek() {
            Some(c) => format!("found `{c}`"),
            None => "the text ends".into(),
        };
        Err(self.error(format!("expected `{wanted}`, {found}")))
    }

    fn op(&mut self, op: Op, a: Expr, b: Expr) -> Result<Expr, ParseError> {
        self.operators += 1;
        if self.operators > MAX_OPERATORS {
            return Err(self.error(format!("more than {MAX_OPERATORS} operators")));
        }
        Ok(Expr::Op(op, Box::new(a), Box::new(b)))
    }

    fn sum(&mut self) -> Result<Expr, ParseError> {
        let mut left = self.product()?;
        loop {
            let op = match self.peek() {
                Some('+') => Op::Add,
                Some('-') => Op::Sub,
                _ => return Ok(left),
            };
            self.at += 1;
            let right = self.product()?;
            left = self.op(op, left, right)?;
        }
    }

    fn product(&mut self) -> Result<Expr, ParseError> {
        let mut left = self.nested(Self::factor)?;
        loop {
            let op = match self.peek() {
                Some('*') => Op::Mul,
                Some('/') => Op::Div,
                Some('%') => Op::Rem,
                _ => return Ok(left),
            };
            self.at += 1;
            let right = self.nested(Self::factor)?;
            left = self.op(op, left, right)?;
        }
    }

    fn nested<T>(
        &mut self,
        inner: impl FnOnce(&mut Self) -> Result<T, ParseError>,
    ) -> Result<T, ParseError> {
        self.nesting += 1;
        if self.nesting > MAX_NESTING {
            return Err(self.error(format!("nested more than {MAX_NESTING} deep")));
        }
        let result = inner(self);
        self.nesting -= 1;
        result
    }

    fn factor(&mut self) -> Result<Expr, ParseError> {
        match self.peek() {
            None => Err(self.error("the text ends where a value should be")),
            Some('(') => {
                self.at += 1;
                let inner = self.sum()?;
                self.expect(')')?;
                Ok(inner)
            }
            Some('-') => {
                self.at += 1;
                if self.peek().is_some_and(|c| c.is_ascii_digit()) {
                    return self.number(true);
                }
                let value = self.nested(Self::factor)?;
                self.op(Op::Sub, Expr::Const(0), value)
            }
            Some('*') => {
                self.at += 1;
                self.peek();
                match self.word() {
                    "" => Err(self.error("`*` needs the name of a parameter")),
                    name => Ok(Expr::Deref(name.to_owned())),
                }
            }
            Some(c) if c.is_ascii_digit() => self.number(false),
            Some(c) if c.is_ascii_alphabetic() || c == '_' => {
                let name = self.word().to_owned();
                self.named(name)
            }
            Some(c) => Err(self.error(format!("`{c}` is no value"))),
        }
    }

    fn named(&mut self, name: String) -> Result<Expr, ParseError> {
        let start = self.at - name.len();
        if self.peek() != Some('(') {
            return Ok(if name == "ret" { Expr::Ret } else { Expr::Name(name) });
        }
        let op = match name.as_str() {
            "min" => Op::Min,
            "max" => Op::Max,
            _ => {
                let message = format!("`{name}` is no function; there are `min` and `max`");
                return Err(ParseError { offset: start, message });
            }
        };
        self.expect('(')?;
        let a = self.sum()?;
        self.expect(',')?;
        let b = self.sum()?;
        self.expect(')')?;
        self.op(op, a, b)
    }

    /// Takes letters, digits and `_` (nothing when a digit comes first).
    fn word(&mut self) -> &str {
        let rest = &self.text[self.at..];
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        if rest.starts_with(|c: char| c.is_ascii_digit()) {
            return "";
        }
        self.at += end;
        &rest[..end]
    }

    fn number(&mut self, negative: bool) -> Result<Expr, ParseError> {
        let rest = &self.text[self.at..];
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        let digits = rest[..end].replace('_', "");
        let parsed = match digits.strip_prefix("0x") {
            Some(hex) => i128::from_str_radix(hex, 16),
            None => digits.parse::<i128>(),
        };
        let value = parsed
            .ok()
            .and_then(|v| i64::try_from(if negative { -v } else { v }).ok())
            .ok_or_else(|| self.error(format!("`{}` is no 64-bit integer", &rest[..end])))?;
        self.at += end;
        Ok(Expr::Const(value))
    }
}
