//! Errors of outputs that have a tolerance.

use std::fmt::{self, Write};

use crate::report::record::{Accuracy, Against, Errors, Function};

/// A line an output and side: what a bound lets through is seen here.
pub fn write_errors(out: &mut String, functions: &[Function]) -> fmt::Result {
    for f in functions {
        for e in &f.errors {
            let against = match e.against {
                Against::Reference => "the reference",
                Against::Exact => "exact values",
            };
            let Errors { output, values, candidate, .. } = e;
            write!(out, "{}: errors of `{output}` against {against}: ", f.name)?;
            write_accuracy(out, candidate)?;
            writeln!(out, " ({values} values)")?;
            if let Some(reference) = &e.reference {
                write!(out, "  the reference's own: ")?;
                write_accuracy(out, reference)?;
                if reference.mean_ulp > 0.0 {
                    let times = candidate.mean_ulp / reference.mean_ulp;
                    write!(out, "; the candidate's mean is {times:.2} times as large")?;
                }
                writeln!(out)?;
            }
        }
    }
    Ok(())
}

fn write_accuracy(out: &mut String, a: &Accuracy) -> fmt::Result {
    let [max, p99, mean] = [a.max_ulp, a.p99_ulp, a.mean_ulp].map(short);
    let sign = if a.bias_ulp < 0.0 { "-" } else { "+" };
    let (bias, share) = (short(a.bias_ulp.abs()), 100.0 * a.differing);
    write!(
        out,
        "max {max} ULP ({:.1e}), 99 % within {p99}, mean {mean}, bias {sign}{bias}, {share:.1} % differ",
        a.max_abs
    )
}

/// Three digits, or a power of ten.
fn short(ulp: f64) -> String {
    match ulp {
        0.0 => "0".into(),
        ulp if !(0.001..1e5).contains(&ulp) => format!("{ulp:.1e}"),
        ulp => super::significant(ulp),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::record::Outcome;
    use crate::report::sample_record;

    #[test]
    fn both_sides_have_a_line_each() {
        let mut record = sample_record(Outcome::Pass);
        let candidate = Accuracy {
            max_ulp: 4e6,
            p99_ulp: 120.0,
            mean_ulp: 31.25,
            bias_ulp: -30.0,
            max_abs: 0.25,
            differing: 0.999,
        };
        let reference =
            Accuracy { max_ulp: 1.0, mean_ulp: 0.25, bias_ulp: 0.0, p99_ulp: 0.5, ..candidate };
        record.functions[0].errors = vec![Errors {
            output: "dst".into(),
            against: Against::Exact,
            values: 1000,
            candidate,
            reference: Some(reference),
        }];
        let mut out = String::new();
        write_errors(&mut out, &record.functions).unwrap();
        let lines: Vec<&str> = out.lines().collect();
        assert_eq!(
            lines,
            [
                "reduce_2x2: errors of `dst` against exact values: max 4.0e6 ULP (2.5e-1), 99 % within \
                 120, mean 31.2, bias -30.0, 99.9 % differ (1000 values)",
                "  the reference's own: max 1.00 ULP (2.5e-1), 99 % within 0.500, mean 0.250, bias +0, \
                 99.9 % differ; the candidate's mean is 125.00 times as large",
            ]
        );
    }
}
