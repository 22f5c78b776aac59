//! What a candidate adds, beside the upstream library.

use super::super::record::Reuse;

/// `reuse: of 512 lines added 9.0 % stand in the upstream library (0.2 % in the same file); …`
pub(super) fn reuse_line(reuse: &Reuse) -> String {
    let percent = |share: f64| format!("{:.1} %", 100.0 * share);
    let plural = if reuse.added_lines == 1 { "" } else { "s" };
    let limit = reuse.limit.map(|limit| format!("; at most {} may be", percent(limit)));
    format!(
        "reuse: of {} line{plural} added {} stand in the upstream library ({} in the same file), of \
         {} tokens {} are alike there whatever the names{}",
        reuse.added_lines,
        percent(reuse.verbatim),
        percent(reuse.verbatim_same_file),
        reuse.added_tokens,
        percent(reuse.normalised),
        limit.unwrap_or_default()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_shares_and_the_limit_are_shown() {
        let mut reuse = Reuse {
            added_lines: 512,
            verbatim: 0.09,
            verbatim_same_file: 0.002,
            added_tokens: 8000,
            normalised: 0.125,
            limit: None,
        };
        let text = "reuse: of 512 lines added 9.0 % stand in the upstream library (0.2 % in the same \
                    file), of 8000 tokens 12.5 % are alike there whatever the names";
        assert_eq!(reuse_line(&reuse), text);
        reuse.limit = Some(0.3);
        assert_eq!(reuse_line(&reuse), format!("{text}; at most 30.0 % may be"));
    }
}
