//! Violations of the C ABI on their way from the call stub to the supervisor's report.

use crate::stage::Call;

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
