//! What is cut from an upstream tree, so that a workspace never holds the answer.

use super::files::{Files, globs};
use super::model::Strip;

/// Why a rule cannot be applied.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, miette::Diagnostic)]
pub enum StripError {
    /// The rule is stale: what it names is not there.
    #[error("the strip rule {rule} matches nothing in this version of the source")]
    #[diagnostic(help("correct the rule or remove it: one that matches nothing hides a mistake"))]
    Nothing {
        /// The rule, as people know it.
        rule: String,
    },
    /// A section starts and does not end.
    #[error(
        "{file}:{line}: a section that is to be stripped starts here, but no line `{end}` follows"
    )]
    Open {
        /// File inside the tree.
        file: String,
        /// Line number, from 1.
        line: usize,
        /// The line that ought to end it.
        end: String,
    },
    /// More stars in `to` than in `from`: nothing to put in their places.
    #[error("the strip rule {rule} has more `*` in `to` than in `from`")]
    Stars {
        /// The rule.
        rule: String,
    },
    /// A glob that is none.
    #[error("{0}")]
    Glob(#[from] globset::Error),
    /// Sections can only be cut from text.
    #[error("{file}: is not UTF-8 text, so no section can be stripped from it")]
    Binary {
        /// File inside the tree.
        file: String,
    },
}

/// Applies `rules` in order. A marked section for whose first line `keep` says so (and a whole
/// file for whose path it does) stays where it is.
///
/// # Errors
/// See [`StripError`]; a rule that matches nothing is one.
pub fn strip(
    files: &mut Files,
    rules: &[Strip],
    keep: &dyn Fn(&str) -> bool,
) -> Result<(), StripError> {
    for rule in rules {
        match rule {
            Strip::Files(pattern) => {
                let glob = globs(std::slice::from_ref(pattern))?;
                let named = files.0.keys().filter(|name| glob.is_match(name));
                let named: Vec<String> = named.cloned().collect();
                if named.is_empty() {
                    return Err(StripError::Nothing { rule: format!("`{pattern}`") });
                }
                named.iter().filter(|name| !keep(name)).for_each(|name| drop(files.0.remove(name)));
            }
            Strip::Section { file, from, to } => {
                let rule = || format!("`{from}` in {file}");
                let bytes =
                    files.0.get_mut(file).ok_or_else(|| StripError::Nothing { rule: rule() })?;
                if stars(to) > stars(from) {
                    return Err(StripError::Stars { rule: rule() });
                }
                let text = std::str::from_utf8(bytes)
                    .map_err(|_| StripError::Binary { file: file.clone() })?;
                let cut = cut(text, file, from, to, keep)?;
                *bytes = cut.ok_or_else(|| StripError::Nothing { rule: rule() })?.into_bytes();
            }
        }
    }
    Ok(())
}

/// The text without the sections from a line like `from` to the matching line like `to`; none if
/// there is no such section.
fn cut(
    text: &str,
    file: &str,
    from: &str,
    to: &str,
    keep: &dyn Fn(&str) -> bool,
) -> Result<Option<String>, StripError> {
    let mut left = String::with_capacity(text.len());
    let mut found = false;
    let mut lines = text.split_inclusive('\n').enumerate();
    while let Some((number, line)) = lines.next() {
        let Some(stars) = captures(from, line.trim_end()) else {
            left.push_str(line);
            continue;
        };
        found = true;
        if keep(line) {
            left.push_str(line);
            continue;
        }
        let end = fill(to, &stars);
        if !lines.any(|(_, line)| line.trim_end() == end) {
            return Err(StripError::Open { file: file.to_owned(), line: number + 1, end });
        }
    }
    Ok(found.then_some(left))
}

/// Whether some part of `line` looks like `pattern`, in which `*` stands for any text.
pub fn mentions(line: &str, pattern: &str) -> bool {
    captures(&format!("*{pattern}*"), line.trim_end()).is_some()
}

fn stars(pattern: &str) -> usize {
    pattern.matches('*').count()
}

/// What each `*` of `pattern` stands for if `line` looks like it.
fn captures<'a>(pattern: &str, line: &'a str) -> Option<Vec<&'a str>> {
    let (first, rest) = pattern.split_once('*').unwrap_or((pattern, ""));
    if stars(pattern) == 0 {
        return (line == pattern).then(Vec::new);
    }
    let mut line = line.strip_prefix(first)?;
    let mut found = Vec::new();
    let mut parts = rest.split('*').peekable();
    while let Some(part) = parts.next() {
        // The last part is the end of the line, any other one is where it first appears.
        let at = match parts.peek() {
            None => line.strip_suffix(part)?.len(),
            Some(_) => line.find(part)?,
        };
        found.push(&line[..at]);
        line = &line[at + part.len()..];
    }
    Some(found)
}

/// `pattern` with its stars replaced in order.
fn fill(pattern: &str, stars: &[&str]) -> String {
    let mut stars = stars.iter();
    let mut filled = String::new();
    for (i, part) in pattern.split('*').enumerate() {
        if i > 0 {
            filled.push_str(stars.next().copied().unwrap_or_default());
        }
        filled.push_str(part);
    }
    filled
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "top\n\
        /* begin file src/a/x.h */\n\
        x\n\
        /* begin file src/a/y.h */\n\
        y\n\
        /* end file src/a/y.h */\n\
        /* end file src/a/x.h */\n\
        middle\n\
        /* begin file src/b/z.h */\n\
        z\n\
        /* end file src/b/z.h */\n\
        bottom";

    fn tree() -> Files {
        Files([("all.cpp".to_owned(), TEXT.into()), ("arch/k.c".to_owned(), b"k".to_vec())].into())
    }

    fn section(name: &str) -> Strip {
        Strip::Section {
            file: "all.cpp".to_owned(),
            from: format!("/* begin file {name}"),
            to: format!("/* end file {name}"),
        }
    }

    fn text(files: &Files) -> &str {
        std::str::from_utf8(&files.0["all.cpp"]).expect("text")
    }

    #[test]
    fn sections_go_with_both_marker_lines_and_what_they_nest() {
        let mut files = tree();
        strip(&mut files, &[section("src/a/*")], &|_| false).expect("strips");
        assert!(text(&files).starts_with("top\nmiddle\n/* begin file src/b/z.h */\nz\n"));
        strip(&mut files, &[section("src/b/z.h */")], &|_| false).expect("strips");
        assert_eq!(text(&files), "top\nmiddle\nbottom");
    }

    #[test]
    fn kept_sections_stay_in_place() {
        let mut files = tree();
        let rules = [section("src/a/*"), section("src/b/*")];
        strip(&mut files, &rules, &|line| mentions(line, "src/a/*")).expect("strips");
        assert_eq!(
            text(&files),
            TEXT.replace("/* begin file src/b/z.h */\nz\n/* end file src/b/z.h */\n", "")
        );
    }

    #[test]
    fn whole_files_go() {
        let mut files = tree();
        strip(&mut files, &[Strip::Files("arch/**".to_owned())], &|_| false).expect("strips");
        assert_eq!(files.0.keys().collect::<Vec<_>>(), ["all.cpp"]);
    }

    #[test]
    fn a_rule_that_matches_nothing_is_an_error() {
        for rule in [section("src/c/*"), Strip::Files("none/**".to_owned())] {
            let error = strip(&mut tree(), &[rule], &|_| false);
            assert!(matches!(error, Err(StripError::Nothing { .. })), "{error:?}");
        }
    }

    #[test]
    fn a_section_without_end_names_its_line() {
        let mut files = tree();
        files.0.insert("all.cpp".to_owned(), b"one\n/* begin file src/a/x.h */\n".to_vec());
        assert_eq!(
            strip(&mut files, &[section("src/a/*")], &|_| false),
            Err(StripError::Open {
                file: "all.cpp".to_owned(),
                line: 2,
                end: "/* end file src/a/x.h */".to_owned(),
            })
        );
    }

    #[test]
    fn stars_stand_for_the_same_text_in_order() {
        assert_eq!(captures("a*b*c", "a1b2bc"), Some(vec!["1", "2b"]));
        assert_eq!(captures("a*b", "ab"), Some(vec![""]));
        assert_eq!(captures("a*a", "a"), None);
        assert_eq!(captures("abc", "abc"), Some(vec![]));
        assert_eq!(captures("abc", "abcd"), None);
        assert_eq!(fill("<*|*>", &["1", "2"]), "<1|2>");
    }
}
