//! How far a run has come: a bar on a terminal, nothing but plain lines on a pipe. Always on
//! stderr, so that stdout holds the result alone.

use std::io::{self, IsTerminal};
use std::sync::Mutex;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// Where a run tells how far it has come.
pub trait Progress: Send + Sync {
    /// A new stage begins, such as `building the candidate`; `total` units, if that is known.
    fn stage(&self, name: &str, total: Option<u64>);
    /// Units of the current stage that are done.
    fn done(&self, units: u64);
    /// Something worth a line of its own.
    fn note(&self, text: &str);
}

/// Tells nobody.
pub struct Silent;

impl Progress for Silent {
    fn stage(&self, _: &str, _: Option<u64>) {}
    fn done(&self, _: u64) {}
    fn note(&self, _: &str) {}
}

/// Tells a person on stderr.
pub struct Terminal {
    /// The bar of the current stage; none before the first, and never on a pipe.
    bar: Mutex<Option<ProgressBar>>,
    tty: bool,
}

impl Terminal {
    /// A bar where stderr is a terminal, else a plain line a stage.
    pub fn stderr() -> Self {
        Terminal { bar: Mutex::new(None), tty: io::stderr().is_terminal() }
    }

    fn bar(&self) -> std::sync::MutexGuard<'_, Option<ProgressBar>> {
        // A poisoned lock only means that another thread panicked while drawing.
        self.bar.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl Progress for Terminal {
    fn stage(&self, name: &str, total: Option<u64>) {
        if !self.tty {
            eprintln!("{name}");
            return;
        }
        let (bar, template) = match total {
            Some(total) => {
                (ProgressBar::new(total), "{spinner} {msg} {wide_bar} {pos}/{len} {elapsed}")
            }
            None => {
                let spinner = ProgressBar::new_spinner();
                // Only where nothing is counted: a bar moves by itself, and no thread of ours
                // should wake up while something is timed.
                spinner.enable_steady_tick(Duration::from_millis(250));
                (spinner, "{spinner} {msg} {elapsed}")
            }
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.set_message(name.to_owned());
        if let Some(old) = self.bar().replace(bar) {
            old.finish_and_clear();
        }
    }

    fn done(&self, units: u64) {
        if let Some(bar) = self.bar().as_ref() {
            bar.set_position(units);
        }
    }

    fn note(&self, text: &str) {
        match self.bar().as_ref() {
            Some(bar) => bar.println(text),
            None => eprintln!("{text}"),
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        if let Some(bar) = self.bar().take() {
            bar.finish_and_clear();
        }
    }
}
