//! Processes that may not do what they like: one layer a file.
//!
//! [`Profile`] says which layers this machine can have, [`Jail`] puts them around a command,
//! [`run`] runs a one-shot command in a jail under a deadline, and [`card`] *proves* each layer
//! by attempting the forbidden act in a throw-away child. What was not proven is absent.

mod acts;
mod card;
mod cell;
mod cgroup;
mod child;
mod jail;
mod landlock;
mod lease;
mod lock;
mod profile;
mod run;

pub use card::{Capability, State, card};
pub use cell::{Cell, walls};
pub use cgroup::Group;
pub use jail::{Jail, command};
pub use landlock::Sight;
pub use lease::Lease;
pub use lock::{Folder, Lock};
pub use profile::{Party, Profile, close_memory};
pub use run::{End, Finished, run, sweep};
