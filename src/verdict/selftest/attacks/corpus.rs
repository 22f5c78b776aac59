//! What an attack is, and how it becomes a workspace. All of it is part of the program, so that it can
//! be put to the test wherever it is installed.

use std::fs;
use std::io;
use std::path::Path;

use speedgate_harness::wire::series::Entry;
use speedgate_harness::wire::{BufferDesc, Header};

use super::lists;
use crate::report::record::Outcome;

/// One workspace.
#[derive(Debug, Clone, Copy)]
pub struct Attack {
    /// Its name.
    pub name: &'static str,
    /// The row of the catalogue that it belongs to; empty for an honest look-alike.
    pub row: &'static str,
    /// What it does, in a line.
    pub about: &'static str,
    /// How it may end. [`Outcome::TooSlow`]: it is right, and gains nothing; [`Outcome::Pass`]: it is
    /// right, and nobody asks how fast.
    pub ends: &'static [Outcome],
    /// Whether it must be seen to be faster.
    pub gains: bool,
    /// Why it pays all the same.
    pub open: Option<&'static str>,
    /// Lines before its source.
    pub before: &'static str,
    /// What belongs to its workspace and is no source.
    pub plant: Option<fn(&Path) -> io::Result<()>>,
    /// Whether it is only one on x86-64.
    pub x86: bool,
    /// Name of its source.
    pub(super) file: &'static str,
    pub(super) source: &'static str,
}

impl Attack {
    /// An attack with everything else as most have it.
    pub(super) const fn new(
        (row, name): (&'static str, &'static str),
        about: &'static str,
        (file, source): (&'static str, &'static str),
        ends: &'static [Outcome],
    ) -> Self {
        Attack {
            name,
            row,
            about,
            ends,
            gains: false,
            open: None,
            before: "",
            plant: None,
            x86: false,
            file,
            source,
        }
    }

    /// Whether it is no attack.
    pub fn is_honest(&self) -> bool {
        self.row.is_empty()
    }

    /// Whether its end can depend on the clock.
    pub fn is_timed(&self) -> bool {
        self.gains || self.open.is_some() || self.ends.contains(&Outcome::TooSlow)
    }
}

/// An attack: its row and name, its file, what it does, and how it may end; then what else differs.
macro_rules! attack {
    ($row:literal $name:literal, $folder:literal / $file:literal, $about:literal
        => [$($end:ident),*] $(, $field:ident = $value:expr)*) => {
        $crate::verdict::selftest::attacks::corpus::Attack {
            $($field: $value,)*
            ..$crate::verdict::selftest::attacks::corpus::Attack::new(
                ($row, $name),
                $about,
                ($file, include_str!(concat!("../", $folder, "/", $file))),
                &[$($crate::report::record::Outcome::$end),*],
            )
        }
    };
}
pub(super) use attack;

const TASK: [(&str, &str); 4] = [
    ("task.toml", include_str!("task/task.toml")),
    ("include/besieged.h", include_str!("task/include/besieged.h")),
    ("src/slow.h", include_str!("task/src/slow.h")),
    ("src/besieged.c", include_str!("task/src/besieged.c")),
];

/// What every workspace holds beside its own source.
const SHARED: [(&str, &str); 7] = [
    ("slow.h", include_str!("task/src/slow.h")),
    ("besieged.c", include_str!("task/src/besieged.c")),
    ("attack.h", include_str!("c/attack.h")),
    ("own-loop.h", include_str!("c/own-loop.h")),
    ("takes-over.h", include_str!("c/takes-over.h")),
    ("tricks.h", include_str!("c/tricks.h")),
    ("fast.h", include_str!("honest/fast.h")),
];

/// Everything that this processor can run: attacks in the order of the catalogue, then the honest.
pub fn all() -> Vec<Attack> {
    let mut all = lists::all();
    all.retain(|attack| !attack.x86 || cfg!(target_arch = "x86_64"));
    all
}

/// The same for all processors together.
pub(super) fn everywhere() -> Vec<Attack> {
    lists::all()
}

/// Writes the task into a folder, which is made.
pub fn write_task(dir: &Path) -> io::Result<()> {
    write(dir, &TASK)
}

/// Writes an attack's workspace into a folder, which is made.
pub fn write_workspace(dir: &Path, attack: &Attack) -> io::Result<()> {
    write(dir, &SHARED)?;
    // Who imitates the driver knows its tables: one that fell behind them would attack nothing.
    let sizes = format!(
        "enum {{ HEADER_BYTES = {}, BUFFER_BYTES = {}, ENTRY_BYTES = {} }};\n",
        size_of::<Header>(),
        size_of::<BufferDesc>(),
        size_of::<Entry>()
    );
    fs::write(dir.join("sizes.h"), sizes)?;
    let extension = attack.file.rsplit('.').next().unwrap_or("c");
    let text = format!("{}\n{}", attack.before, attack.source);
    fs::write(dir.join(format!("own.{extension}")), text)?;
    attack.plant.map_or(Ok(()), |plant| plant(dir))
}

fn write(dir: &Path, files: &[(&str, &str)]) -> io::Result<()> {
    for (name, text) in files {
        let path = dir.join(name);
        fs::create_dir_all(path.parent().unwrap_or(dir))?;
        fs::write(path, text)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::catalogue::{Row, Stands};
    use super::*;
    use std::collections::BTreeSet;

    /// The one list: no row without an attack or a reason, no attack without a row.
    #[test]
    fn every_row_is_attacked_or_says_why_not() {
        let (all, rows) = (all(), Row::all());
        let known: BTreeSet<&str> = rows.iter().map(|row| row.id).collect();
        assert_eq!(known.len(), rows.len(), "two rows of one name");
        for attack in all.iter().filter(|a| !a.is_honest()) {
            assert!(known.contains(attack.row), "{}: no row {}", attack.name, attack.row);
        }
        for row in &rows {
            let attacked = everywhere().iter().any(|a| a.row == row.id);
            match row.stands {
                Stands::Attacked => assert!(attacked, "row {} has no attack", row.id),
                Stands::Elsewhere(why) | Stands::Open(why) => {
                    assert!(!why.is_empty() && row.what.len() > 10, "row {}", row.id)
                }
            }
        }
        let catalogue = rows.iter().filter(|row| !row.id.starts_with('P'));
        assert_eq!(catalogue.count(), 78);
    }

    #[test]
    fn names_are_unique_and_there_are_enough_of_each_kind() {
        let all = lists::all();
        let names: BTreeSet<&str> = all.iter().map(|a| a.name).collect();
        assert_eq!(names.len(), all.len());
        let (honest, attacks): (Vec<&Attack>, Vec<&Attack>) =
            all.iter().partition(|a| a.is_honest());
        let rows: BTreeSet<&str> = attacks.iter().map(|a| a.row).collect();
        assert!(attacks.len() >= 60 && rows.len() >= 50, "{} of {}", attacks.len(), rows.len());
        assert!(honest.len() >= 20, "{}", honest.len());
        assert!(honest.iter().all(|a| a.ends == [Outcome::Pass]));
        assert!(attacks.iter().all(|a| !a.ends.contains(&Outcome::Pass) || a.open.is_some()));
    }
}
