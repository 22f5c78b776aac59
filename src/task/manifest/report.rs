//! Collects problems with their places in the manifest's text.

use std::ops::Range;
use std::sync::Arc;

use miette::NamedSource;
use toml::Spanned;

use crate::task::error::{Problem, TaskError};
use crate::task::vocabulary::suggest;

/// The problems found so far.
pub(super) struct Report {
    file: NamedSource<Arc<str>>,
    text: Arc<str>,
    wrong: Vec<Problem>,
    unsupported: Vec<Problem>,
}

impl Report {
    pub(super) fn new(path: String, text: &str) -> Report {
        let text: Arc<str> = text.into();
        // A span at the end of a file without final newline still needs a line to show.
        let file = NamedSource::new(path, text.clone()).with_language("toml");
        Report { file, text, wrong: Vec::new(), unsupported: Vec::new() }
    }

    pub(super) fn is_clean(&self) -> bool {
        self.wrong.is_empty() && self.unsupported.is_empty()
    }

    fn problem(&self, span: Range<usize>, message: String, help: String) -> Problem {
        let span = first_line(&self.text, span).into();
        Problem { message, file: self.file.clone(), span, help: Some(help), more: Vec::new() }
    }

    /// Records a mistake.
    pub(super) fn note(
        &mut self,
        span: Range<usize>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        let problem = self.problem(span, message.into(), help.into());
        self.wrong.push(problem);
    }

    /// Records a mistake in place of a value.
    pub(super) fn bad<T>(
        &mut self,
        span: Range<usize>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Option<T> {
        self.note(span, message, help);
        None
    }

    /// Records something valid that speedgate cannot do yet.
    pub(super) fn unsupported(
        &mut self,
        span: Range<usize>,
        what: impl std::fmt::Display,
        help: impl Into<String>,
    ) {
        let problem = self.problem(span, format!("not supported yet: {what}"), help.into());
        self.unsupported.push(problem);
    }

    /// Records what the TOML reader says, in our words where serde's are clumsy.
    pub(super) fn toml(&mut self, error: &toml::de::Error) {
        let span = error.span().unwrap_or(0..0);
        let text = error.message();
        let mut quoted = text.split('`').skip(1).step_by(2);
        let first = quoted.next().unwrap_or_default();
        if text.starts_with("unknown field") {
            let known: Vec<&str> = quoted.collect();
            self.note(span, format!("unknown key `{first}`"), suggest(first, known));
        } else if text.starts_with("missing field") {
            self.note(
                span,
                format!("the key `{first}` is missing here"),
                format!("add `{first} = …`"),
            );
        } else {
            self.note(span, text.to_owned(), "docs/TASKS.md describes every key");
        }
    }

    /// The meaning of a word, out of a fixed list.
    pub(super) fn choice<T: Copy>(
        &mut self,
        word: &Spanned<String>,
        known: &[(&str, T)],
    ) -> Option<T> {
        match known.iter().find(|(k, _)| k == word.get_ref()) {
            Some((_, meaning)) => Some(*meaning),
            None => {
                let help = suggest(word.get_ref(), known.iter().map(|(k, _)| *k));
                self.bad(word.span(), format!("`{}` is none of the choices", word.get_ref()), help)
            }
        }
    }

    /// The place of some bytes of a string's value; the whole string where escapes hide it.
    pub(super) fn inside(&self, string: &Spanned<String>, bytes: Range<usize>) -> Range<usize> {
        let span = string.span();
        let raw = self.text.get(span.clone()).unwrap_or_default();
        match raw.find(string.get_ref().as_str()) {
            Some(start) if !string.get_ref().is_empty() => {
                span.start + start + bytes.start..span.start + start + bytes.end
            }
            _ => span,
        }
    }

    /// The place of a name inside a string's value.
    pub(super) fn word(&self, string: &Spanned<String>, word: &str) -> Range<usize> {
        let text = string.get_ref();
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let found = text.match_indices(word).find(|(at, _)| {
            !text[..*at].ends_with(is_word) && !text[at + word.len()..].starts_with(is_word)
        });
        match found {
            Some((at, _)) => self.inside(string, at..at + word.len()),
            None => string.span(),
        }
    }

    /// Everything that was found, as one error.
    pub(super) fn into_error(self) -> TaskError {
        let (problems, wrap): (_, fn(Box<Problem>) -> TaskError) = if self.wrong.is_empty() {
            (&self.unsupported, TaskError::NotSupported)
        } else {
            (&self.wrong, TaskError::Manifest)
        };
        let mut problems = problems.clone();
        problems.sort_by_key(|p| p.span.offset());
        if problems.is_empty() {
            let (message, help) = ("the manifest is not valid", "docs/TASKS.md has an example");
            problems.push(self.problem(0..0, message.into(), help.into()));
        }
        let mut first = problems.remove(0);
        first.more = problems;
        wrap(Box::new(first))
    }
}

/// The part of a span on its first line: a caret under one line reads better than a bracket
/// along a whole table.
fn first_line(text: &str, span: Range<usize>) -> Range<usize> {
    let start = span.start.min(text.len());
    let end = span.end.clamp(start, text.len());
    let line = text.get(start..end).and_then(|t| t.find('\n')).map_or(end, |n| start + n);
    start..line
}
