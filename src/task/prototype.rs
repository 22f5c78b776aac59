//! C prototypes: the types speedgate can pass and return.

mod parse;
#[cfg(test)]
mod tests;

pub use parse::PrototypeError;

/// One C function, as its declaration says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prototype {
    /// The symbol.
    pub name: String,
    /// What it returns.
    pub ret: Returns,
    /// Its parameters in order.
    pub params: Vec<Param>,
}

/// A return type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Returns {
    /// A scalar, or nothing.
    Value(CType),
    /// Some pointer.
    Pointer,
}

/// One parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Param {
    /// Its name.
    pub name: String,
    /// Its type.
    pub kind: ParamKind,
    /// Byte in the prototype's text where the name stands.
    pub offset: usize,
}

/// A parameter's type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParamKind {
    /// Passed by value.
    Scalar(CType),
    /// A pointer.
    Pointer {
        /// What it points to.
        to: Pointee,
        /// Declared `const`.
        constant: bool,
    },
}

/// What a pointer points to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pointee {
    /// Elements of a scalar type.
    Elem(CType),
    /// `void`: bytes.
    Void,
    /// A struct, union or unknown type name: opaque bytes, aligned like anything may be.
    Opaque,
}

impl Pointee {
    /// Type of one element (opaque memory is counted in bytes).
    pub fn elem(self) -> CType {
        match self {
            Pointee::Elem(t) => t,
            Pointee::Void | Pointee::Opaque => CType::Uint(1),
        }
    }

    /// Alignment that C itself promises for the pointer.
    pub fn align(self) -> u64 {
        match self {
            Pointee::Elem(t) => t.size(),
            Pointee::Void => 1,
            Pointee::Opaque => 16,
        }
    }
}

/// A C scalar type, as the x86-64 and AArch64 Linux ABIs (LP64) lay it out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CType {
    /// No value.
    Void,
    /// `bool` / `_Bool`.
    Bool,
    /// Signed integer of 1, 2, 4 or 8 bytes.
    Int(u8),
    /// Unsigned integer of 1, 2, 4 or 8 bytes.
    Uint(u8),
    /// `float`.
    F32,
    /// `double`.
    F64,
}

impl CType {
    /// Size in bytes, also its natural alignment (0 for `void`).
    pub fn size(self) -> u64 {
        match self {
            CType::Void => 0,
            CType::Bool => 1,
            CType::Int(n) | CType::Uint(n) => u64::from(n),
            CType::F32 => 4,
            CType::F64 => 8,
        }
    }

    /// Whether it is `float` or `double`.
    pub fn is_float(self) -> bool {
        matches!(self, CType::F32 | CType::F64)
    }

    /// The integers that the type holds, as far as they fit in 64 signed bits; nothing for
    /// `void` and floating types.
    pub fn range(self) -> Option<std::ops::RangeInclusive<i64>> {
        let bits = |n: u8| 8 * u32::from(n);
        match self {
            CType::Void | CType::F32 | CType::F64 => None,
            CType::Bool => Some(0..=1),
            CType::Int(n) => Some(i64::MIN >> (64 - bits(n))..=i64::MAX >> (64 - bits(n))),
            CType::Uint(8) => Some(0..=i64::MAX),
            CType::Uint(n) => Some(0..=(1 << bits(n)) - 1),
        }
    }
}

impl std::fmt::Display for CType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            CType::Void => f.write_str("void"),
            CType::Bool => f.write_str("bool"),
            CType::Int(n) => write!(f, "int{}_t", 8 * n),
            CType::Uint(n) => write!(f, "uint{}_t", 8 * n),
            CType::F32 => f.write_str("float"),
            CType::F64 => f.write_str("double"),
        }
    }
}
