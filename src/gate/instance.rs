//! From a function of the manifest and drawn values to one call with all its bytes.

mod frames;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use speedgate_harness::wire::Role as WireRole;

pub(super) use frames::narrow;

pub use super::generators::Extent;
use super::generators::{self, Around, Content};
use super::own::Workshop;
use crate::task::expression::{EvalError, Expr};
use crate::task::own::OwnFill;
use crate::task::prototype::CType;
use crate::task::{Buffer, Draw, Fill, Function, Rest, Role, Rule, Same, sample};
use crate::worker::request::{BufferInstance, Instance};

pub use crate::task::sample::Values;

/// Why a call can't be made from these draws: a mistake of the task.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum InstanceError {
    /// An expression has no value.
    #[error("function `{function}`, {place}: {source}")]
    Eval {
        /// Function.
        function: String,
        /// Which expression.
        place: String,
        /// Why.
        source: EvalError,
    },
    /// A size is negative or absurd.
    #[error("function `{function}`, buffer `{buffer}`: {what} is {value} with {values}")]
    Extent {
        /// Function.
        function: String,
        /// Buffer.
        buffer: String,
        /// Which size.
        what: &'static str,
        /// Its value.
        value: i64,
        /// The draws.
        values: String,
    },
    /// A generator refused.
    #[error("function `{function}`, buffer `{buffer}`: {message}")]
    Generator {
        /// Function.
        function: String,
        /// Buffer.
        buffer: String,
        /// Why.
        message: String,
    },
    /// A `used` expression too long for the driver.
    #[error("function `{function}`, buffer `{buffer}`: `used` has too many operations")]
    Used {
        /// Function.
        function: String,
        /// Buffer.
        buffer: String,
    },
}

/// Largest size of one buffer, bytes.
const MAX_BYTES: i64 = 1 << 31;

/// Draws the values of a function's call; names in `fixed` keep the value they have there.
pub fn draw(
    function: &str,
    draws: &[(String, Draw)],
    fixed: &Values,
    rng: &mut ChaCha8Rng,
) -> Result<Values, InstanceError> {
    sample::sample(draws, fixed, rng).map_err(|source| InstanceError::Eval {
        function: function.into(),
        place: "draws".into(),
        source,
    })
}

/// Builds instances of one function.
#[derive(Debug)]
pub struct Maker<'a> {
    function: &'a Function,
    symbols: &'a [String],
    fills: &'a [(usize, Fill)],
}

/// How a buffer of `function` is filled where `fills` replace some of its own.
pub(super) fn fill<'a>(
    function: &'a Function,
    fills: &'a [(usize, Fill)],
    buffer: usize,
) -> &'a Fill {
    let own = fills.iter().find(|(b, _)| *b == buffer).map(|(_, fill)| fill);
    own.unwrap_or(&function.buffers[buffer].fill)
}

impl<'a> Maker<'a> {
    /// For `function`, whose symbols are looked up in the worker's list `symbols`; `fills` replace
    /// the buffers' own.
    pub fn new(function: &'a Function, symbols: &'a [String], fills: &'a [(usize, Fill)]) -> Self {
        Self { function, symbols, fills }
    }

    /// One call with these draws, its content and placement drawn from `rng`; generators of the
    /// task's own run in `workshop`. Each buffer has random numbers of its own: of a smaller one the
    /// others' content does not depend, and its own is the beginning of a larger one's where its
    /// generator works in order.
    pub fn make(
        &self,
        values: &Values,
        workshop: &mut dyn Workshop,
        rng: &mut ChaCha8Rng,
    ) -> Result<Instance, InstanceError> {
        let mut call = self.shape(values, rng)?;
        for (index, content) in self.contents(values, &self.inputs(values)?, workshop, rng, true)? {
            let buffer = &mut call.buffers[index];
            (buffer.content, buffer.classes) = (content.bytes, content.classes);
        }
        Ok(call)
    }

    /// One call with these draws whose inputs have no content yet; its placement is drawn from
    /// `rng`.
    pub fn shape(&self, values: &Values, rng: &mut ChaCha8Rng) -> Result<Instance, InstanceError> {
        let function = self.function;
        let mut buffers = Vec::with_capacity(function.buffers.len() + 1);
        for buffer in &function.buffers {
            buffers.push(self.buffer(buffer, values, rng)?);
        }
        let mut scalars = Vec::new();
        let last = function.calls.len().saturating_sub(1);
        let mut frames = Vec::with_capacity(function.calls.len());
        for (i, call) in function.calls.iter().enumerate() {
            frames.push(self.frame(call, i == last, values, &mut scalars)?);
        }
        if !scalars.is_empty() {
            buffers.push(BufferInstance {
                role: WireRole::Scalars,
                bytes: scalars.len() as u64,
                room: 0,
                align: 8,
                phase: 0,
                at_start: false,
                output: None,
                kept: false,
                elem: 8,
                rule: Rule::default(),
                used: Vec::new(),
                content: scalars,
                classes: Vec::new(),
            });
        }
        let mut makes = Vec::with_capacity(function.makes.len());
        for call in &function.makes {
            // Nothing that a state is made of is sealed.
            makes.push(self.frame(call, false, values, &mut Vec::new())?);
        }
        Ok(Instance { buffers, makes, frames })
    }

    fn eval(
        &self,
        e: &Expr,
        values: &Values,
        place: impl FnOnce() -> String,
    ) -> Result<i64, InstanceError> {
        e.eval(values).map_err(|source| InstanceError::Eval {
            function: self.function.name.clone(),
            place: place(),
            source,
        })
    }

    /// The buffers that have content, and their sizes with these draws.
    pub fn inputs(&self, values: &Values) -> Result<Vec<(usize, Extent)>, InstanceError> {
        let filled = |b: &&(usize, &Buffer)| b.1.role.is_filled();
        let buffers = self.function.buffers.iter().enumerate();
        let sized = |(index, b): (usize, &Buffer)| Ok((index, self.extent(b, values)?));
        buffers.filter(|b| filled(&b)).map(sized).collect()
    }

    /// Content for these buffers ([`Self::inputs`]) of one call, by index; with random numbers of its
    /// own for each if they are to be kept `apart`, which costs some time.
    pub fn contents(
        &self,
        values: &Values,
        inputs: &[(usize, Extent)],
        workshop: &mut dyn Workshop,
        rng: &mut ChaCha8Rng,
        apart: bool,
    ) -> Result<Vec<(usize, Content)>, InstanceError> {
        let mut all: Vec<(usize, Content)> = Vec::with_capacity(inputs.len());
        let follows = |index: usize| matches!(self.fill(index), Fill::Beside { .. });
        // What follows another buffer comes after it.
        let (first, last): (Vec<_>, Vec<_>) = inputs.iter().partition(|(i, _)| !follows(*i));
        for &(index, extent) in first.into_iter().chain(last) {
            let buffer = &self.function.buffers[index];
            let other = |name: &str| {
                let at = self.function.buffers.iter().position(|b| b.name == name)?;
                all.iter().find(|(i, _)| *i == at).map(|(_, content)| &content.bytes[..])
            };
            let mut own = |own: &OwnFill, elem: CType, len: u64, seed: u64| {
                workshop.generate(own, values, elem, len, seed)
            };
            let mut around = Around { other: &other, own: &mut own };
            let mut separate = apart.then(|| ChaCha8Rng::seed_from_u64(rng.next_u64()));
            let rng = separate.as_mut().unwrap_or(rng);
            let content = generators::fill(self.fill(index), buffer.elem, extent, &mut around, rng);
            let content = content.map_err(|e| InstanceError::Generator {
                function: self.function.name.clone(),
                buffer: buffer.name.clone(),
                message: e.to_string(),
            })?;
            all.push((index, content));
        }
        Ok(all)
    }

    /// How buffer `index` is filled here.
    fn fill(&self, index: usize) -> &Fill {
        fill(self.function, self.fills, index)
    }

    fn extent(&self, buffer: &Buffer, values: &Values) -> Result<Extent, InstanceError> {
        let cols = self.size(buffer, &buffer.cols, "extent", values)?;
        let rows = buffer.rows.as_ref().map_or(Ok(1), |e| self.size(buffer, e, "rows", values))?;
        let stride =
            buffer.stride.as_ref().map_or(Ok(cols), |e| self.size(buffer, e, "stride", values))?;
        Ok(Extent { rows, cols, stride })
    }

    fn size(
        &self,
        buffer: &Buffer,
        e: &Expr,
        what: &'static str,
        values: &Values,
    ) -> Result<u64, InstanceError> {
        let value = self.eval(e, values, || format!("{what} of `{}`", buffer.name))?;
        if (0..=MAX_BYTES / buffer.elem.size().max(1) as i64).contains(&value) {
            return Ok(value as u64);
        }
        let values = values.0.iter().map(|(n, v)| format!("{n} = {v}")).collect::<Vec<_>>();
        Err(InstanceError::Extent {
            function: self.function.name.clone(),
            buffer: buffer.name.clone(),
            what,
            value,
            values: values.join(", "),
        })
    }

    fn buffer(
        &self,
        buffer: &Buffer,
        values: &Values,
        rng: &mut ChaCha8Rng,
    ) -> Result<BufferInstance, InstanceError> {
        let elem = buffer.elem.size().max(1);
        let Extent { rows, cols, stride } = self.extent(buffer, values)?;
        let room = buffer.room.as_ref().map_or(Ok(0), |e| self.size(buffer, e, "room", values))?;
        let extent = if rows == 0 { 0 } else { (rows - 1) * stride + cols };
        if stride < cols || (extent + room) * elem > MAX_BYTES as u64 {
            return Err(InstanceError::Extent {
                function: self.function.name.clone(),
                buffer: buffer.name.clone(),
                what: "stride (smaller than a row, or the plane with its room too large)",
                value: stride as i64,
                values: format!("rows {rows}, cols {cols}, room {room}"),
            });
        }
        let compared =
            matches!(buffer.role, Role::Out | Role::InOut) && buffer.same != Same::Ignore;
        let used =
            buffer.used.as_ref().map_or(Ok(Vec::new()), |e| self.program(buffer, e, values))?;
        Ok(BufferInstance {
            role: match buffer.role {
                Role::In => WireRole::In,
                Role::Out => WireRole::Out,
                Role::InOut => WireRole::InOut,
                Role::State => WireRole::State,
                Role::Material => WireRole::Material,
            },
            bytes: extent * elem,
            room: room * elem,
            align: buffer.align.max(elem),
            phase: 0,
            at_start: rng.next_u32() & 1 == 1,
            output: compared.then_some((rows.min(extent), cols * elem, stride * elem)),
            kept: buffer.rest == Rest::Kept,
            elem,
            rule: buffer.rule(),
            used,
            content: Vec::new(),
            classes: Vec::new(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::fixture::{self, Fixture};

    /// `f(out y)`, `rows` of `n` elements, from one to the next `n + gap`.
    fn plane(elem: CType, used: Option<&str>) -> Fixture {
        let expr = |text: &str| Expr::parse(text).unwrap();
        let mut fixture = Fixture::c(&[], &["f"]);
        fixture.task.functions[0].buffers = vec![Buffer {
            elem,
            rows: Some(expr("rows")),
            stride: Some(expr("n + gap")),
            used: used.map(expr),
            ..fixture::buffer("y", Role::Out, "n")
        }];
        fixture
    }

    fn shape(fixture: &Fixture, sizes: [(&str, i64); 3]) -> Result<BufferInstance, InstanceError> {
        let values = Values(sizes.map(|(name, value)| (name.to_owned(), value)).into());
        let maker = Maker::new(&fixture.task.functions[0], &[], &[]);
        let call = maker.shape(&values, &mut ChaCha8Rng::seed_from_u64(0))?;
        Ok(call.buffers[0].clone())
    }

    #[test]
    fn a_buffer_is_as_large_as_can_be_and_no_larger() {
        let bytes = |elem, rows, n, gap| {
            let sizes = [("rows", rows), ("n", n), ("gap", gap)];
            match shape(&plane(elem, None), sizes) {
                Ok(buffer) => Some(buffer.bytes),
                Err(InstanceError::Extent { .. }) => None,
                Err(other) => panic!("{other}"),
            }
        };
        let (byte, wide) = (CType::Uint(1), CType::Uint(8));
        assert_eq!(bytes(byte, 1, 1 << 31, 0), Some(1 << 31));
        assert_eq!(bytes(byte, 1, (1 << 31) + 1, 0), None);
        assert_eq!(bytes(wide, 1, 1 << 28, 0), Some(1 << 31));
        assert_eq!(bytes(wide, 1, (1 << 28) + 1, 0), None);
        // Each size is bounded by itself: their product would overflow.
        assert_eq!(bytes(wide, 1 << 33, 1 << 33, 0), None);
        assert_eq!(bytes(byte, 1, -1, 1), None);
        // All rows together, too.
        assert_eq!(bytes(byte, 2, 1 << 30, 0), Some(1 << 31));
        assert_eq!(bytes(byte, 2, (1 << 30) + 1, 0), None);
        assert_eq!(bytes(wide, 2, (1 << 27) + 1, 0), None);
        assert_eq!(bytes(byte, 3, 4, 2), Some(16));
        assert_eq!(bytes(byte, 3, 4, -1), None, "rows that overlap");
    }

    #[test]
    fn its_room_counts_as_well() {
        let mut fixture = plane(CType::Uint(2), None);
        fixture.task.functions[0].buffers[0].room = Some(Expr::parse("gap").unwrap());
        fixture.task.functions[0].buffers[0].stride = None;
        let shape = |n, room| shape(&fixture, [("rows", 1), ("n", n), ("gap", room)]);
        let largest = shape((1 << 30) - 5, 5).unwrap();
        assert_eq!((largest.bytes, largest.room), ((1 << 31) - 10, 10));
        assert!(matches!(shape((1 << 30) - 5, 6), Err(InstanceError::Extent { .. })));
    }

    #[test]
    fn a_program_for_the_valid_length_ends_where_the_driver_does() {
        let sizes = [("rows", 1), ("n", 4), ("gap", 0)];
        let used = |text| shape(&plane(CType::Uint(1), Some(text)), sizes).map(|b| b.used.len());
        // What is known before the call is one number.
        assert_eq!(used("n * 3 + ret"), Ok(3));
        assert_eq!(used("ret + ret + ret"), Ok(5));
        let long = used("ret + ret + ret + ret");
        assert!(matches!(long, Err(InstanceError::Used { .. })), "{long:?}");
    }
}
