//! Tokens of C and C++, as far as the audits need them: what is a word, a literal, a directive.
//! Whatever the bytes are, there are tokens: nothing here can fail.

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// An identifier or keyword.
    Word,
    /// A number.
    Number,
    /// A string or character literal, prefix and quotes included.
    Text,
    /// One character of anything else; digraphs for brackets are those brackets.
    Mark,
    /// A whole line that begins with `#` (or `%:`), lines that a backslash joins to it included.
    Directive,
}

/// A token and where it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token<'a> {
    /// What it is.
    pub kind: Kind,
    /// Its characters.
    pub text: &'a [u8],
    /// Its first line, from 1.
    pub line: usize,
}

impl Token<'_> {
    /// Whether it is this mark.
    pub fn is(&self, mark: u8) -> bool {
        self.kind == Kind::Mark && self.text == [mark]
    }
}

/// The tokens of a text, comments left out.
pub(super) struct Lexer<'a> {
    text: &'a [u8],
    at: usize,
    line: usize,
    /// Nothing but white space and comments so far on this line.
    fresh: bool,
}

impl<'a> Lexer<'a> {
    /// Of a text.
    pub fn new(text: &'a [u8]) -> Self {
        Self { text, at: 0, line: 1, fresh: true }
    }

    fn rest(&self) -> &'a [u8] {
        &self.text[self.at..]
    }

    /// Length of a line joined by backslashes, without the last line break.
    fn joined(&self) -> usize {
        let rest = self.rest();
        let ends = rest.iter().enumerate().filter(|(_, b)| **b == b'\n').map(|(at, _)| at);
        let mut ends =
            ends.filter(|&at| !rest[..at].ends_with(b"\\") && !rest[..at].ends_with(b"\\\r"));
        ends.next().unwrap_or(rest.len())
    }

    /// Length of the literal that starts `skip` bytes on with this quote; one that is not closed
    /// ends with its line.
    fn quoted(&self, skip: usize, quote: u8) -> usize {
        let rest = self.rest();
        let mut at = skip + 1;
        while let Some(&byte) = rest.get(at) {
            match byte {
                b'\\' => at += 2,
                b'\n' => return at,
                byte if byte == quote => return at + 1,
                _ => at += 1,
            }
        }
        rest.len()
    }

    /// Length of the raw string whose opening quote is `skip` bytes on.
    fn raw(&self, skip: usize) -> Option<usize> {
        let rest = &self.rest()[skip + 1..];
        let open = rest.iter().take(17).position(|b| *b == b'(')?;
        let end = [b")", &rest[..open], b"\""].concat();
        let close = rest[open..].windows(end.len()).position(|w| w == end)?;
        Some(skip + 1 + open + close + end.len())
    }

    /// What starts here, and how long it is. There is something.
    fn measure(&self, first: u8) -> (Kind, usize) {
        let rest = self.rest();
        let run = |part: fn(u8) -> bool| rest.iter().position(|b| !part(*b)).unwrap_or(rest.len());
        let next = rest.get(1).copied().unwrap_or(0);
        if self.fresh && (first == b'#' || rest.starts_with(b"%:")) {
            return (Kind::Directive, self.joined());
        }
        if matches!(first, b'"' | b'\'') {
            return (Kind::Text, self.quoted(0, first));
        }
        if first.is_ascii_digit() || (first == b'.' && next.is_ascii_digit()) {
            return (Kind::Number, number(rest));
        }
        if is_word(first) {
            let len = run(is_word);
            let prefix = matches!(&rest[..len], b"L" | b"u" | b"U" | b"u8");
            let raw = matches!(&rest[..len], b"R" | b"LR" | b"uR" | b"UR" | b"u8R");
            return match rest.get(len) {
                Some(b'"') if raw => (Kind::Text, self.raw(len).unwrap_or(len + 1)),
                Some(quote @ (b'"' | b'\'')) if prefix => (Kind::Text, self.quoted(len, *quote)),
                _ => (Kind::Word, len),
            };
        }
        (Kind::Mark, 1)
    }

    fn skip_comment(&mut self) -> bool {
        let rest = self.rest();
        let len = if rest.starts_with(b"//") {
            self.joined()
        } else if rest.starts_with(b"/*") {
            rest[2..].windows(2).position(|w| w == b"*/").map_or(rest.len(), |at| at + 4)
        } else {
            return false;
        };
        self.advance(len);
        true
    }

    fn advance(&mut self, len: usize) {
        let end = (self.at + len).min(self.text.len());
        self.line += self.text[self.at..end].iter().filter(|b| **b == b'\n').count();
        self.at = end;
    }
}

impl<'a> Iterator for Lexer<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            let &first = self.text.get(self.at)?;
            if first.is_ascii_whitespace() || first == b'\\' {
                self.fresh |= first == b'\n';
                self.advance(1);
            } else if !self.skip_comment() {
                let (kind, len) = self.measure(first);
                let (start, line) = (self.at, self.line);
                self.advance(len);
                self.fresh = false;
                let mut text = &self.text[start..self.at];
                let pair = &self.text[start..self.text.len().min(start + 2)];
                if kind == Kind::Mark && matches!(pair, b"<:" | b":>") {
                    text = if pair == b"<:" { b"[" } else { b"]" };
                    self.advance(1);
                }
                return Some(Token { kind, text, line });
            }
        }
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || !byte.is_ascii()
}

/// Length of a number in the preprocessor's sense, digit separators included.
fn number(text: &[u8]) -> usize {
    let mut at = 1;
    while let Some(&byte) = text.get(at) {
        let sign = matches!(byte, b'+' | b'-') && matches!(text[at - 1] | 32, b'e' | b'p');
        let separator = byte == b'\'' && text.get(at + 1).is_some_and(u8::is_ascii_alphanumeric);
        if !(is_word(byte) || byte == b'.' || sign || separator) {
            break;
        }
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<(Kind, &str, usize)> {
        let tokens = Lexer::new(text.as_bytes());
        tokens.map(|t| (t.kind, std::str::from_utf8(t.text).unwrap_or("?"), t.line)).collect()
    }

    #[test]
    fn texts_are_cut_into_tokens() {
        use Kind::*;
        let text =
            "int x = 0x1p-3f; // c \\\n still\n  #  pragma \\\n y\n/* # \n */ u8\"a\\\"b\" 'c' <:";
        let expected = [
            (Word, "int", 1),
            (Word, "x", 1),
            (Mark, "=", 1),
            (Number, "0x1p-3f", 1),
            (Mark, ";", 1),
            (Directive, "#  pragma \\\n y", 3),
            (Text, "u8\"a\\\"b\"", 6),
            (Text, "'c'", 6),
            (Mark, "[", 6),
        ];
        assert_eq!(words(text), expected);
        assert_eq!(words("R\"x(a\"\n)x\" b")[0], (Text, "R\"x(a\"\n)x\"", 1));
        assert_eq!(words("1'000 + 2")[0], (Number, "1'000", 1));
        // A literal without an end takes nothing but its line with it.
        assert_eq!(words("\"open\nnext")[1], (Word, "next", 2));
    }

    #[test]
    fn any_bytes_have_tokens() {
        for text in
            ["\\", "R\"", "R\"(", "/*", "//", "\"\\", "'", "#", "%:", "<", ".", "1e", "\u{e4}"]
        {
            for cut in 0..=text.len() {
                Lexer::new(&text.as_bytes()[..cut]).for_each(drop);
            }
        }
    }
}
