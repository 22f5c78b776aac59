//! timer
