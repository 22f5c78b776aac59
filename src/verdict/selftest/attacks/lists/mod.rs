//! The attacks, in the order of the catalogue, and the honest submissions that look like some of them.

mod build;
mod bytes;
mod honest;
mod host;
mod neighbour;
mod protocol;
mod window;
mod worker;

use super::corpus::Attack;

/// All of them.
pub fn all() -> Vec<Attack> {
    [
        bytes::all(),
        window::all(),
        worker::all(),
        neighbour::all(),
        build::all(),
        host::all(),
        protocol::all(),
        honest::all(),
    ]
    .concat()
}

/// The trick of `only-if.c`, tried in a call alone.
macro_rules! in_a_call {
    ($trick:literal) => {
        concat!("#define WHILE_LOADED 0\n#define IN_A_CALL ", $trick, "\n")
    };
}
pub(super) use in_a_call;

/// The trick of `only-if.c`, tried while the library is loaded and in a call.
macro_rules! always {
    ($trick:literal) => {
        concat!("#define WHILE_LOADED ", $trick, "\n#define IN_A_CALL ", $trick, "\n")
    };
}
pub(super) use always;
