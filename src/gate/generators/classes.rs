//! Names of what a fill may make: each must occur in a plan, or the fill says more than is tested.

use super::{floats, formats, image, patterns, related};
use crate::task::Fill;

/// Classes of the whole and of the broken ones.
const TEXT: [&str; 2] = formats::CLASSES;

/// Every class that a fill declares; empty where there is only one.
pub fn declared(fill: &Fill) -> Vec<String> {
    let leaf: Vec<&str> = match fill {
        Fill::Any(all) => {
            let each = all.iter().enumerate();
            return each.flat_map(|(i, one)| of_one(i, one, declared(one))).collect();
        }
        Fill::Twins(_) => related::TWINS.to_vec(),
        Fill::Float { special, .. } if *special > 0.0 => floats::SPECIAL.to_vec(),
        Fill::Gen { name, .. } if name == "image" => {
            image::CLASSES.iter().map(|c| c.0.name()).collect()
        }
        Fill::Gen { name, options } => {
            let option = |key: &str| {
                let given = options.iter().find(|(k, _)| k == key);
                given.and_then(|(_, values)| values.first()).copied()
            };
            let special = floats::SPECIAL.into_iter().filter(|s| option(s) > Some(0.0));
            match option("broken") {
                Some(p) if p >= 1.0 => vec![TEXT[1]],
                Some(p) if p > 0.0 => TEXT.to_vec(),
                _ if name == "floats" => special.collect(),
                _ => patterns::classes(name).to_vec(),
            }
        }
        Fill::Bytes
        | Fill::Int { .. }
        | Fill::Float { .. }
        | Fill::Beside { .. }
        | Fill::Own(_) => Vec::new(),
    };
    leaf.into_iter().map(|class| named(fill, class)).collect()
}

/// A class of a fill.
pub fn named(fill: &Fill, class: &str) -> String {
    format!("{}, {class}", label(fill))
}

/// Classes of the fill that stands at `index` of a list.
pub fn of_one(index: usize, fill: &Fill, classes: Vec<String>) -> Vec<String> {
    let number = index + 1;
    match classes.is_empty() {
        true => vec![format!("{number}: {}", label(fill))],
        false => classes.into_iter().map(|class| format!("{number}: {class}")).collect(),
    }
}

/// A fill in a few words.
fn label(fill: &Fill) -> String {
    match fill {
        Fill::Bytes => "bytes".into(),
        Fill::Int { .. } => "int".into(),
        Fill::Float { .. } => "float".into(),
        Fill::Gen { name, .. } => name.clone(),
        Fill::Own(own) => own.name.clone(),
        Fill::Any(_) => "list".into(),
        Fill::Twins(of) => format!("twins of {}", label(of)),
        Fill::Beside { other, above: true, .. } => format!("above {other}"),
        Fill::Beside { other, .. } => format!("below {other}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_chance_is_not_declared() {
        let with = |name: &str, option: &str, chance: f64| {
            let options = vec![(option.to_owned(), vec![chance])];
            declared(&Fill::Gen { name: name.into(), options }).len()
        };
        let float = |special| declared(&Fill::Float { lo: 0.0, hi: 1.0, special }).len();
        assert_eq!((with("utf8", "broken", 0.0), with("utf8", "broken", 1e-9)), (0, 2));
        assert_eq!((with("floats", "nan", 0.0), with("floats", "nan", 1e-9)), (0, 1));
        assert_eq!((float(0.0), float(1e-9)), (0, 4));
    }
}
