//! The pairs as every tool's program calls them.

use std::hint::black_box;

macro_rules! pairs {
    ($($name:ident $a:ident $b:ident;)*) => {
        unsafe extern "C" {
            $(fn $a(zero: u64) -> u64; fn $b(zero: u64) -> u64;)*
        }

        /// Name, side a, side b.
        pub const PAIRS: &[(&str, Call, Call)] = &[$((stringify!($name), $a, $b),)*];
    };
}

/// One side of a pair.
pub type Call = unsafe extern "C" fn(zero: u64) -> u64;

pairs! {
    poly poly_a poly_b;
    fnv64 fnv64_a fnv64_b;
    sad16 sad16_a sad16_b;
    utf8 utf8_a utf8_b;
    memxor memxor_a memxor_b;
    fnv fnv_a fnv_b;
}

/// Calls one side.
#[inline(always)]
pub fn run(call: Call) -> u64 {
    // SAFETY: the calls use static buffers of their own only, and each program calls them from
    // one thread at a time.
    unsafe { call(black_box(0)) }
}
