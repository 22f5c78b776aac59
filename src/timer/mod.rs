//! The timer: how long a call takes on each side, from outside, on inputs that nobody has seen.
//!
//! ```text
//! pace        fixed from the reference alone: plain or sealed, calls a burst, requests a visit
//! burst       fresh inputs, the oracle's digests, the seal
//! visit       one worker, some bursts; everybody else is stopped
//! block       reference, candidate, candidate, reference (or the other way round), and blank
//! replicate   fresh processes, another layout; the unit that intervals are computed from
//! contest     replicates until the interval is narrow enough or the budget is spent
//! secret      do times depend on a secret? before the contest, and no part of it
//! count       afterwards, untimed: some calls more with counters running
//! ```

mod burst;
mod contest;
mod count;
pub mod counters;
pub mod machine;
mod neighbour;
mod pace;
mod replicate;
mod sample;
mod secret;
pub mod strain;
mod visit;

pub use burst::Forge;
pub use contest::{Before, Budget, CONFIDENCE, Contest, Halt, Results, estimates, functions_of};
pub use count::{Boards, Counted, count};
pub use neighbour::correct;
pub use pace::{Pace, Target, calibrate, recount};
pub use replicate::Sides;
pub use sample::{Audit, Measured, UNEVEN, Unmeasured, allowance};
pub use secret::{Look, ROUNDS, look};
pub use visit::{Broken, Side};
