//! A failure of the gate as the record tells it: where the two sides differ, the smallest call that
//! fails as well, and the commands that show both again.

use crate::gate::shrink::Shrunk;
use crate::gate::{self, Case, Mismatch, Origin, Place, Seed};
use crate::report::record::{Again, Content, Difference, Element, Failure, Smallest};
use crate::task::prototype::CType;
use crate::task::{Function, Task};

/// Bytes of an input that are shown.
const SHOWN: usize = 64;

/// Longest list of calls that a command line is given.
const LONGEST: usize = 2000;

/// What a replay needs besides the call.
#[derive(Debug, Clone, Copy)]
pub struct Scene<'a> {
    /// The task.
    pub task: &'a Task,
    /// The step that was asked for.
    pub step: Option<usize>,
    /// Seed of all inputs.
    pub seed: Seed,
    /// It is a replay, of few calls.
    pub replayed: bool,
}

impl Scene<'_> {
    /// The failure with all that is known of it.
    pub fn failure(&self, failure: &gate::Failure, shrunk: &Shrunk) -> Failure {
        let f = &self.task.functions[failure.case.function];
        let origin = match failure.case.origin {
            Origin::Boundary => "boundary".to_owned(),
            Origin::Random => "random".to_owned(),
            Origin::Alignment => "alignment".to_owned(),
            Origin::Alias(pair) => {
                let name = |b: usize| f.buffers[b].name.as_str();
                let (a, b) = f.alias[pair];
                format!("`{}` and `{}` are the same memory", name(a), name(b))
            }
            Origin::Known(v) => format!("known answer {}", v + 1),
            Origin::Profile(p) => format!("profile {}", f.profiles[p].name),
        };
        let case = format!("case {} ({origin}): {}", failure.case.number, values(failure));
        let (again, smallest) = match shrunk {
            Shrunk::Smallest { failure: small, attempts } => {
                let alone = small.history.is_empty();
                let again = if alone { Again::Alone } else { Again::AfterOthers };
                (Some(again), Some(self.smallest(small, *attempts)))
            }
            Shrunk::NotAgain => (Some(Again::NotAgain), None),
            Shrunk::Unknown => (None, None),
        };
        // What fails only after others is shown again by the smallest list of calls.
        let replay = match again {
            Some(Again::AfterOthers) => smallest.as_ref().and_then(|s| s.replay.clone()),
            Some(Again::NotAgain) => None,
            None if self.replayed => self.replay(&failure.history, &failure.case),
            _ => self.replay(&[], &failure.case),
        };
        Failure {
            seed: Some(self.seed.to_string()),
            case: Some(case),
            difference: difference(f, failure.mismatch.as_ref()),
            replay: replay.or_else(|| Some(self.check())),
            again,
            smallest,
            ..Failure::plain(Some(f.name.clone()), failure.message.clone())
        }
    }

    fn smallest(&self, small: &gate::Failure, attempts: u32) -> Smallest {
        let f = &self.task.functions[small.case.function];
        let inputs = small.inputs.iter().map(|(buffer, content)| Content {
            name: f.buffers[*buffer].name.clone(),
            bytes: content.len() as u64,
            begin: hex::encode(&content[..content.len().min(SHOWN)]),
        });
        Smallest {
            after: small.history.len() as u64,
            case: values(small),
            message: small.message.clone(),
            difference: difference(f, small.mismatch.as_ref()),
            inputs: inputs.collect(),
            replay: self.replay(&small.history, &small.case),
            attempts: u64::from(attempts),
        }
    }

    /// The command that makes all calls again.
    fn check(&self) -> String {
        let step =
            self.step.map_or(String::new(), |s| format!(" --step {}", self.task.steps[s].id));
        format!("speedgate check {}{step} --workspace DIR --seed {}", self.task.name, self.seed)
    }

    /// The command that makes these calls again; `None` when there are too many.
    fn replay(&self, before: &[Case], case: &Case) -> Option<String> {
        let names: Vec<String> = before.iter().chain([case]).map(|c| c.name(self.task)).collect();
        let names = names.join(",");
        (names.len() <= LONGEST).then(|| format!("{} --replay {names}", self.check()))
    }
}

/// The values that a call was made from.
fn values(failure: &gate::Failure) -> String {
    let all: Vec<String> = failure.values.0.iter().map(|(n, v)| format!("{n} = {v}")).collect();
    all.join(", ")
}

fn difference(f: &Function, mismatch: Option<&Mismatch>) -> Option<Difference> {
    match mismatch? {
        Mismatch::Output(place) | Mismatch::Written { place, .. } => {
            let name = f.buffers.get(place.buffer).map_or("scalars", |b| &b.name);
            let shown = place.offset - place.start;
            Some(Difference {
                place: if place.offset < 0 { format!("before {name}") } else { name.to_owned() },
                // Before the first byte there are no offsets: count from the first one shown.
                offset: u64::try_from(place.offset).unwrap_or(shown as u64),
                start: u64::try_from(place.start).unwrap_or(0),
                expected: hex::encode(&place.expected),
                actual: hex::encode(&place.actual),
                element: f.buffers.get(place.buffer).and_then(|b| element(place, b.elem)),
            })
        }
        Mismatch::Return { expected, actual } => Some(Difference {
            place: "return value".into(),
            offset: 0,
            start: 0,
            expected: hex::encode(expected.to_le_bytes()),
            actual: hex::encode(actual.to_le_bytes()),
            element: None,
        }),
    }
}

/// The element that the first differing byte belongs to.
fn element(place: &Place, elem: CType) -> Option<Element> {
    let size = elem.size().max(1);
    let at = u64::try_from(place.offset).ok()?;
    let (row, in_row) = place.row.map_or((None, at), |(row, byte)| (Some(row), byte));
    let begin = usize::try_from((at - in_row % size) as i64 - place.start).ok()?;
    let bytes = |side: &[u8]| Some(side.get(begin..begin + size as usize)?.to_vec());
    let (expected, actual) = (bytes(&place.expected)?, bytes(&place.actual)?);
    Some(Element {
        row,
        index: in_row / size,
        ulps: ulps(elem, &expected, &actual),
        expected: in_words(elem, &expected)?,
        actual: in_words(elem, &actual)?,
    })
}

/// A value of a C type from its bytes.
fn in_words(elem: CType, bytes: &[u8]) -> Option<String> {
    let mut wide = [0; 8];
    wide.get_mut(..bytes.len())?.copy_from_slice(bytes);
    let bits = u64::from_le_bytes(wide);
    Some(match elem {
        CType::F32 => format!("{:e}", f32::from_bits(bits as u32)),
        CType::F64 => format!("{:e}", f64::from_bits(bits)),
        CType::Int(size) => {
            let unused = 64 - 8 * size as u32;
            ((bits << unused) as i64 >> unused).to_string()
        }
        _ => bits.to_string(),
    })
}

/// How many steps from one floating-point number to the next lead from one to the other.
fn ulps(elem: CType, a: &[u8], b: &[u8]) -> Option<u64> {
    // Numbers in their order as integers: below zero it is turned around.
    let order = |bytes: &[u8]| -> Option<i64> {
        match elem {
            CType::F32 => {
                let x = f32::from_le_bytes(bytes.try_into().ok()?);
                let bits = i64::from(x.to_bits() & 0x7FFF_FFFF);
                (!x.is_nan()).then_some(if x.is_sign_negative() { -bits } else { bits })
            }
            CType::F64 => {
                let x = f64::from_le_bytes(bytes.try_into().ok()?);
                let bits = (x.to_bits() & i64::MAX as u64) as i64;
                (!x.is_nan()).then_some(if x.is_sign_negative() { -bits } else { bits })
            }
            _ => None,
        }
    };
    Some(order(a)?.abs_diff(order(b)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(offset: i64, row: Option<(u64, u64)>, expected: &[u8], actual: &[u8]) -> Place {
        let (expected, actual) = (expected.to_vec(), actual.to_vec());
        Place { buffer: 0, offset, row, start: 0, expected, actual, values: None }
    }

    #[test]
    fn distances_are_counted_across_zero_and_not_from_nan() {
        let of = |a: f32, b: f32| ulps(CType::F32, &a.to_le_bytes(), &b.to_le_bytes());
        assert_eq!(of(1.0, 1.0), Some(0));
        assert_eq!(of(1.0, 1.0 + f32::EPSILON), Some(1));
        assert_eq!(of(-0.0, 0.0), Some(0));
        assert_eq!(of(-f32::from_bits(1), f32::from_bits(2)), Some(3));
        assert_eq!(of(f32::NAN, 1.0), None);
        let of = |a: f64, b: f64| ulps(CType::F64, &a.to_le_bytes(), &b.to_le_bytes());
        assert_eq!(of(-1.0, -1.0 - 3.0 * f64::EPSILON), Some(3));
        assert_eq!(of(f64::MIN, f64::MAX), Some(2 * f64::MAX.to_bits()));
        assert_eq!(ulps(CType::Int(4), &[0; 4], &[1; 4]), None);
    }

    #[test]
    fn the_element_is_that_of_the_first_differing_byte() {
        let floats = |x: [f32; 2]| x.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
        let (a, b) = (floats([1.0, 2.0]), floats([1.0, 2.5]));
        let found = element(&place(6, None, &a, &b), CType::F32).unwrap();
        assert_eq!((found.row, found.index, found.ulps), (None, 1, Some(1 << 21)));
        assert_eq!((found.expected.as_str(), found.actual.as_str()), ("2e0", "2.5e0"));
        // Row 1 of a plane whose rows begin 6 bytes apart.
        let found = element(&place(7, Some((1, 1)), &[0; 8], &[0xFF; 8]), CType::Int(2)).unwrap();
        assert_eq!((found.row, found.index, found.actual.as_str()), (Some(1), 0, "-1"));
        assert_eq!(element(&place(-3, None, &[0], &[1]), CType::Int(2)), None);
        assert_eq!(element(&place(7, None, &[0; 8], &[1; 8]), CType::F64).unwrap().index, 0);
    }
}
