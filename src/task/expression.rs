//! The manifest's little integer language: `+ - * / %`, `min`, `max`, parentheses, names,
//! `ret` (the return value) and `*P` (the first element behind parameter `P`, after the call).

mod parse;
#[cfg(test)]
mod tests;

use std::fmt;

pub use parse::ParseError;

/// A parsed expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expr {
    /// A literal.
    Const(i64),
    /// A draw or scalar parameter.
    Name(String),
    /// The unit's return value.
    Ret,
    /// First element of an output parameter after the call.
    Deref(String),
    /// Binary operation.
    Op(Op, Box<Expr>, Box<Expr>),
}

/// Binary operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Op {
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// Product.
    Mul,
    /// Quotient, towards zero.
    Div,
    /// Remainder, sign of the dividend.
    Rem,
    /// Smaller of two.
    Min,
    /// Larger of two.
    Max,
}

/// Why a value could not be computed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EvalError {
    /// No value for this name.
    #[error("`{0}` has no value here")]
    Unknown(String),
    /// Result does not fit.
    #[error("the value does not fit in 64 bits")]
    Overflow,
    /// Division by zero.
    #[error("division by zero")]
    DivisionByZero,
}

/// Where an expression's names get their values.
pub trait Scope {
    /// Value of a draw or scalar.
    fn name(&self, name: &str) -> Option<i64>;
    /// Return value of the unit, once known.
    fn ret(&self) -> Option<i64> {
        None
    }
    /// First element behind a parameter, once known.
    fn deref(&self, _name: &str) -> Option<i64> {
        None
    }
}

/// Something an expression reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reads<'a> {
    /// A draw or scalar.
    Name(&'a str),
    /// The return value.
    Ret,
    /// The first element behind a parameter.
    Deref(&'a str),
}

impl Expr {
    /// Everything the expression reads, in the order of the text, repeats included.
    pub fn reads(&self) -> Vec<Reads<'_>> {
        let mut found = Vec::new();
        self.collect(&mut found);
        found
    }

    /// The draws and scalars that the expression reads, repeats included.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.reads().into_iter().filter_map(|r| match r {
            Reads::Name(n) => Some(n),
            Reads::Ret | Reads::Deref(_) => None,
        })
    }

    fn collect<'a>(&'a self, found: &mut Vec<Reads<'a>>) {
        match self {
            Expr::Const(_) => {}
            Expr::Name(n) => found.push(Reads::Name(n)),
            Expr::Ret => found.push(Reads::Ret),
            Expr::Deref(n) => found.push(Reads::Deref(n)),
            Expr::Op(_, a, b) => {
                a.collect(found);
                b.collect(found);
            }
        }
    }

    /// Computes the value.
    pub fn eval(&self, scope: &dyn Scope) -> Result<i64, EvalError> {
        match self {
            Expr::Const(v) => Ok(*v),
            Expr::Name(n) => scope.name(n).ok_or_else(|| EvalError::Unknown(n.clone())),
            Expr::Ret => scope.ret().ok_or_else(|| EvalError::Unknown("ret".into())),
            Expr::Deref(n) => scope.deref(n).ok_or_else(|| EvalError::Unknown(format!("*{n}"))),
            Expr::Op(op, a, b) => op.apply(a.eval(scope)?, b.eval(scope)?),
        }
    }
}

impl Op {
    /// Applies the operator, checked.
    pub fn apply(self, a: i64, b: i64) -> Result<i64, EvalError> {
        let checked = match self {
            Op::Add => a.checked_add(b),
            Op::Sub => a.checked_sub(b),
            Op::Mul => a.checked_mul(b),
            Op::Div | Op::Rem if b == 0 => return Err(EvalError::DivisionByZero),
            Op::Div => a.checked_div(b),
            // Of the least number by -1 it is 0, though the quotient does not fit.
            Op::Rem => Some(a.wrapping_rem(b)),
            Op::Min => Some(a.min(b)),
            Op::Max => Some(a.max(b)),
        };
        checked.ok_or(EvalError::Overflow)
    }
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expr::Const(v) => write!(f, "{v}"),
            Expr::Name(n) => f.write_str(n),
            Expr::Ret => f.write_str("ret"),
            Expr::Deref(n) => write!(f, "*{n}"),
            Expr::Op(op @ (Op::Min | Op::Max), a, b) => {
                let name = if *op == Op::Min { "min" } else { "max" };
                write!(f, "{name}({a}, {b})")
            }
            Expr::Op(op, a, b) => {
                let sign = match op {
                    Op::Add => '+',
                    Op::Sub => '-',
                    Op::Mul => '*',
                    Op::Div => '/',
                    _ => '%',
                };
                write!(f, "({a} {sign} {b})")
            }
        }
    }
}
