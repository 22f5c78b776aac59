//! Known answers: vectors that a standard prints, each with inputs and the outputs that it says. They
//! are held against the reference, too, which is nobody's proof of itself.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::sample::{self, Values};
use super::{Buffer, Draw, Function, Ret, Role, Same};

/// One vector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    /// The value of every draw.
    pub draws: Values,
    /// Content of every input, by its index.
    pub inputs: Vec<(usize, Vec<u8>)>,
    /// The valid bytes of outputs, by index.
    pub outputs: Vec<(usize, Vec<u8>)>,
    /// What is returned.
    pub ret: Option<i64>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    vector: Vec<Vector>,
}

/// As it is written: bytes in hexadecimal digits.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Vector {
    #[serde(default)]
    draw: BTreeMap<String, i64>,
    #[serde(default, rename = "in")]
    inputs: BTreeMap<String, String>,
    #[serde(default, rename = "out")]
    outputs: BTreeMap<String, String>,
    ret: Option<i64>,
}

/// Reads a file of vectors for a function.
///
/// # Errors
/// In a sentence that names the vector.
pub fn read(text: &str, f: &Function) -> Result<Vec<Known>, String> {
    let file: File = toml::from_str(text).map_err(|error| error.to_string())?;
    let numbered = file.vector.into_iter().zip(1..);
    numbered.map(|(v, number)| v.known(f).map_err(|e| format!("vector {number}: {e}"))).collect()
}

impl Vector {
    fn known(self, f: &Function) -> Result<Known, String> {
        for name in self.draw.keys() {
            let drawn = |(n, draw): &(String, Draw)| n == name && !matches!(draw, Draw::Expr(_));
            if !f.draws.iter().any(drawn) {
                return Err(format!("`{name}` is not drawn"));
            }
        }
        for (name, draw) in f.draws.iter().filter(|(_, draw)| !matches!(draw, Draw::Expr(_))) {
            let value = self.draw.get(name).ok_or_else(|| format!("`draw.{name}` is missing"))?;
            if !draw.allows(*value) {
                return Err(format!("`{name}` is never {value}"));
            }
        }
        let draws = sample::computed(&f.draws, &Values(self.draw)).map_err(|e| e.to_string())?;
        let inputs = contents(&self.inputs, f)?;
        for (index, buffer) in f.buffers.iter().enumerate() {
            let given = inputs.iter().find(|(i, _)| *i == index).map(|(_, bytes)| bytes.len());
            let read = matches!(buffer.role, Role::In | Role::InOut);
            let size = if read { Some(size(buffer, &draws)?) } else { None };
            if given != size {
                let bytes =
                    |n: Option<usize>| n.map_or("no input".into(), |n| format!("{n} bytes"));
                let (size, given) = (bytes(size), bytes(given));
                return Err(format!("`{}` takes {size}, and {given} is given", buffer.name));
            }
        }
        let outputs = contents(&self.outputs, f)?;
        for (index, _) in &outputs {
            let b = &f.buffers[*index];
            let flat = b.rows.is_none() && b.same == Same::Bits;
            if !flat || !matches!(b.role, Role::Out | Role::InOut) {
                return Err(format!("`{}` is no flat output that is compared bit by bit", b.name));
            }
        }
        if self.ret.is_some() && !matches!(f.ret, Ret::Same(rule) if rule.same == Same::Bits) {
            return Err("there is no return value that is compared bit by bit".into());
        }
        if outputs.is_empty() && self.ret.is_none() {
            return Err("it says of no output what it is".into());
        }
        Ok(Known { draws, inputs, outputs, ret: self.ret })
    }
}

fn contents(
    written: &BTreeMap<String, String>,
    f: &Function,
) -> Result<Vec<(usize, Vec<u8>)>, String> {
    let one = |(name, digits): (&String, &String)| {
        let index = f.buffers.iter().position(|b| b.name == *name);
        let index = index.ok_or_else(|| format!("there is no buffer `{name}`"))?;
        let digits: String = digits.split_whitespace().collect();
        let bytes = hex::decode(digits).map_err(|_| format!("`{name}` is not hexadecimal"))?;
        Ok((index, bytes))
    };
    written.iter().map(one).collect()
}

/// Bytes of a buffer's extent.
fn size(buffer: &Buffer, values: &Values) -> Result<usize, String> {
    let eval = |e: &super::expression::Expr| {
        let value = e.eval(values).map_err(|e| e.to_string())?;
        usize::try_from(value).map_err(|_| format!("the size of `{}` is {value}", buffer.name))
    };
    let cols = eval(&buffer.cols)?;
    let rows = buffer.rows.as_ref().map_or(Ok(1), eval)?;
    let stride = buffer.stride.as_ref().map_or(Ok(cols), eval)?;
    let elements =
        rows.checked_sub(1).map_or(Some(0), |above| above.checked_mul(stride)?.checked_add(cols));
    elements
        .and_then(|n| n.checked_mul(buffer.elem.size() as usize))
        .ok_or_else(|| format!("`{}` is too large", buffer.name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::Task;

    const TASK: &str = r#"[task]
name = "t"
title = "A task"
[source]
tree = "src"
[build]
lang = "c"
flags = ["-O2"]
sources = ["*.c"]
editable = ["*.c"]
[[step]]
id = "01-a"
functions = ["f"]
[function.f]
c = "int f(const uint8_t *in, size_t n, uint16_t *out)"
draw = { n = { from = 0, to = 8 } }
args.in = { in = "n" }
args.out = { out = "n" }
kat = "kat/f.toml"
profile.p = { n = 4 }
"#;

    fn load(vectors: &str) -> Result<Vec<Known>, String> {
        let dir = tempfile::tempdir().unwrap();
        for folder in ["src", "kat"] {
            std::fs::create_dir(dir.path().join(folder)).unwrap();
        }
        std::fs::write(dir.path().join("kat/f.toml"), vectors).unwrap();
        match Task::parse(dir.path(), TASK) {
            Ok(task) => Ok(task.functions[0].known.clone()),
            Err(error) => Err(error.to_string()),
        }
    }

    const GOOD: &str =
        "[[vector]]\ndraw = { n = 2 }\nin.in = \"00 ff\"\nout.out = \"0100\"\nret = -1\n";

    #[test]
    fn vectors_are_read() {
        let known = load(&GOOD.repeat(2)).unwrap();
        assert_eq!(known.len(), 2);
        let v = &known[1];
        assert_eq!((v.draws.0["n"], v.ret), (2, Some(-1)));
        assert_eq!(
            (&v.inputs[..], &v.outputs[..]),
            (&[(0, vec![0, 255])][..], &[(1, vec![1, 0])][..])
        );
    }

    #[test]
    fn mistakes_name_the_vector() {
        for (from, to, says) in [
            ("n = 2", "n = 9", "`n` is never 9"),
            ("n = 2", "m = 2", "`m` is not drawn"),
            ("draw = { n = 2 }", "", "`draw.n` is missing"),
            ("00 ff", "00", "`in` takes 2 bytes, and 1 bytes is given"),
            ("00 ff", "0x", "`in` is not hexadecimal"),
            ("in.in", "in.inn", "there is no buffer `inn`"),
            ("out.out", "out.in", "`in` is no flat output"),
            ("out.out = \"0100\"\nret = -1", "", "it says of no output what it is"),
            ("ret", "rett", "unknown field"),
        ] {
            let error = load(&format!("{GOOD}{}", GOOD.replace(from, to))).unwrap_err();
            assert!(error.contains(says), "{error}");
            assert!(says == "unknown field" || error.contains("vector 2"), "{error}");
        }
    }
}
