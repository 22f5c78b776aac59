//! The score card, for people; and the table in THREATS.md.

use std::fmt::Write as _;

use super::catalogue::{Row, Stands};
use super::corpus;
use super::{Finding, ScoreCard};
use crate::report::record::Outcome;
use crate::report::terminal::{self, Style};

/// A table for people and the numbers, ending in a line break.
pub fn render(card: &ScoreCard, style: Style) -> String {
    let mut table = terminal::table(&["row", "attack", "what it does", "ended"], &[], style);
    for finding in &card.findings {
        let row = if finding.row.is_empty() { "honest" } else { finding.row };
        table.add_row([row, finding.name, finding.about, &ended(finding)]);
    }
    let mut text = format!("{table}\n");
    for f in card.findings.iter().filter(|f| !f.right || f.open.is_some()) {
        let why = f.open.map_or_else(
            || format!("WRONG, it must be one of {}; {}", list(f.ends), f.message),
            |why| format!("known open: {why}"),
        );
        let _ = writeln!(text, "{}: {}", f.name, terminal::printable(&why));
    }
    for (id, why) in Row::all().iter().filter_map(|r| match r.stands {
        Stands::Open(why) => Some((r.id, why)),
        _ => None,
    }) {
        let _ = writeln!(text, "row {id} is open: {why}");
    }
    let ScoreCard { attacks, stopped, open, honest, harmed, seconds, .. } = card;
    let _ = writeln!(
        text,
        "{attacks} attacks, {stopped} stopped, {open} known open; {honest} honest submissions, \
         {harmed} harmed; {seconds:.0} s"
    );
    text
}

/// `wrong-output`, or how much faster each function seemed.
fn ended(finding: &Finding) -> String {
    let mark = if finding.right { "" } else { "WRONG: " };
    let mut text = format!("{mark}{}", finding.outcome);
    for gain in &finding.gains {
        let _ = write!(
            text,
            ", {} {} (margin {:.0} %)",
            gain.function,
            terminal::ratio(gain.speedup),
            100.0 * gain.margin
        );
    }
    text
}

fn list(outcomes: &[Outcome]) -> String {
    outcomes.iter().map(Outcome::to_string).collect::<Vec<_>>().join(", ")
}

/// The catalogue with its attacks, as THREATS.md has it: a table in Markdown.
pub fn threats() -> String {
    let all = corpus::everywhere();
    let mut text =
        String::from("| row | attempt | attacks, and how they may end |\n|---|---|---|\n");
    for row in Row::all() {
        let mine = all.iter().filter(|a| a.row == row.id);
        let mut cell: Vec<String> = mine
            .map(|a| match a.open {
                Some(why) => format!("`{}`: **open**: {why}", a.name),
                None => format!("`{}`: {}", a.name, list(a.ends)),
            })
            .collect();
        match row.stands {
            Stands::Attacked => {}
            Stands::Elsewhere(why) => cell.push(why.to_owned()),
            Stands::Open(why) => cell.push(format!("**open**: {why}")),
        }
        let _ = writeln!(text, "| {} | {} | {} |", row.id, row.what, cell.join("; "));
    }
    text
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    const BEGIN: &str =
        "<!-- attacks: written by the test `the_table_in_threats_is_the_list` -->\n";
    const END: &str = "<!-- end of attacks -->\n";

    /// With `UPDATE_THREATS=1` it writes the table.
    #[test]
    fn the_table_in_threats_is_the_list() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("THREATS.md");
        let text = fs::read_to_string(&path).unwrap();
        let (before, rest) = text.split_once(BEGIN).expect("the table's beginning");
        let (table, after) = rest.split_once(END).expect("the table's end");
        let wanted = format!("\n{}\n", super::threats());
        if std::env::var_os("UPDATE_THREATS").is_some() {
            fs::write(&path, format!("{before}{BEGIN}{wanted}{END}{after}")).unwrap();
        } else {
            assert!(table == wanted, "run it once with UPDATE_THREATS=1");
        }
    }
}
