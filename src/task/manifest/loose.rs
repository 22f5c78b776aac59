//! A TOML value of which several shapes are allowed, with the place of every part.

use indexmap::IndexMap;
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use toml::Spanned;

/// A value whose shape is checked later.
#[derive(Debug)]
pub(super) enum Loose {
    Int(i64),
    Float(f64),
    Bool(bool),
    Text(String),
    List(Vec<Spanned<Loose>>),
    Table(Table),
}

pub(super) type Table = IndexMap<Spanned<String>, Spanned<Loose>>;

impl Loose {
    /// What it is, for messages.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Loose::Int(_) => "an integer",
            Loose::Float(_) => "a floating-point number",
            Loose::Bool(_) => "a truth value",
            Loose::Text(_) => "a string",
            Loose::List(_) => "a list",
            Loose::Table(_) => "a table",
        }
    }
}

impl<'de> Deserialize<'de> for Loose {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Loose;
            fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                f.write_str("a number, string, list or table")
            }
            fn visit_i64<E>(self, v: i64) -> Result<Loose, E> {
                Ok(Loose::Int(v))
            }
            fn visit_f64<E>(self, v: f64) -> Result<Loose, E> {
                Ok(Loose::Float(v))
            }
            fn visit_bool<E>(self, v: bool) -> Result<Loose, E> {
                Ok(Loose::Bool(v))
            }
            fn visit_str<E>(self, v: &str) -> Result<Loose, E> {
                Ok(Loose::Text(v.to_owned()))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Loose, A::Error> {
                let mut list = Vec::new();
                while let Some(item) = seq.next_element()? {
                    list.push(item);
                }
                Ok(Loose::List(list))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Loose, A::Error> {
                let mut table = Table::new();
                while let Some((key, value)) = map.next_entry()? {
                    table.insert(key, value);
                }
                Ok(Loose::Table(table))
            }
        }
        from.deserialize_any(Any)
    }
}
