//! Violations of the C ABI on their way from the call stub to the supervisor's report.

use std::sync::atomic::Ordering;

use crate::shared::Shared;
use crate::stage::Call;
use crate::wire::notes;

pub use crate::stub::{VIOLATIONS, tells_upper_halves, violation};

/// Makes the C calls of a unit through the checking stub: (index of the first that left something
/// in disorder, what).
pub(crate) fn invoke(call: &mut Call) -> Option<(usize, u32)> {
    let mut found = None;
    for (index, step) in call.frames.iter_mut().enumerate() {
        step.fill_in();
        // SAFETY: the frame was built from the task's prototype, and a worker has one thread. What
        // graded code does is its own.
        let bits = unsafe { step.frame.call_checked() };
        if bits != 0 && found.is_none() {
            found = Some((index, bits));
        }
    }
    found
}

/// Leaves what was found for the supervisor.
pub(crate) fn note(shared: &Shared, found: Option<(usize, u32)>) {
    let (index, bits) = found.unwrap_or_default();
    shared.half(notes::VIOLATOR).store(index as u32, Ordering::Relaxed);
    shared.half(notes::VIOLATION).store(bits, Ordering::Relaxed);
}
