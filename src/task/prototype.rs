//! C prototypes: the types speedgate can pass and return.

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
}
