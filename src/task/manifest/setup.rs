//! `[setup]`.

use std::path::Path;

use super::make;
use super::raw::SetupTable;
use super::report::Report;
use super::source::folder;
use crate::task::model::LibrarySetup;

pub(super) fn setup(dir: &Path, table: &SetupTable, report: &mut Report) -> Option<LibrarySetup> {
    let symbol = table.call.get_ref();
    let word = symbol.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if !word || !symbol.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        let help = "name a function that the library exports: int NAME(const char *data)";
        report.note(table.call.span(), format!("`{symbol}` is no function's name"), help);
    }
    let data = match &table.data {
        None => None,
        Some(data) => Some(folder(dir, data, "put the files there, or leave it out", report)?),
    };
    let budget = match &table.budget {
        Some(b) if b.get_ref().is_nan() || *b.get_ref() <= 0.0 => {
            let help = "1.5 allows half as much again as the reference";
            return report.bad(b.span(), "a time budget is above 0", help);
        }
        Some(b) => *b.get_ref(),
        None => make::BUDGET,
    };
    Some(LibrarySetup { symbol: symbol.clone(), data, budget })
}
