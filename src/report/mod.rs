//! What a run found, for programs (the record) and for people (tables).

pub mod atomic;
mod convert;
pub mod counting;
pub mod doctor;
pub mod findings;
pub mod hexdump;
pub mod noise;
pub mod progress;
pub mod reached;
pub mod record;
pub mod resolution;
pub mod secrets;
pub mod terminal;

#[cfg(test)]
pub(crate) use sample::sample_record;

#[cfg(test)]
mod sample;
