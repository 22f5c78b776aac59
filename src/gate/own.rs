//! Calls of a task's own code, in the oracle's worker: generators, and functions that give exact
//! values.

use std::sync::Arc;
use std::time::Duration;

use speedgate_harness::wire::{ArgDesc, Role, arg};

use super::compare::{Answer, Wide};
use super::instance::{self, Values};
use crate::task::own::{OwnFill, OwnParam};
use crate::task::prototype::CType;
use crate::task::{Cache, Function, Rule, Same, Task};
use crate::worker::request::{
    BufferInstance, FrameInstance, Instance, Mode, Request, Slots, Tables, Wanted,
};
use crate::worker::{Fate, Patience, Worker};

/// Makes what the task's own generators make.
pub trait Workshop {
    /// `len` elements of type `elem`, packed.
    ///
    /// # Errors
    /// In a sentence.
    fn generate(
        &mut self,
        own: &OwnFill,
        values: &Values,
        elem: CType,
        len: u64,
        seed: u64,
    ) -> Result<Vec<u8>, String>;
}

/// Where no worker is at hand: own generators are answered with zeros. For whoever needs sizes and
/// classes, and no call.
#[derive(Debug)]
pub struct Blank;

impl Workshop for Blank {
    fn generate(
        &mut self,
        _: &OwnFill,
        _: &Values,
        elem: CType,
        len: u64,
        _: u64,
    ) -> Result<Vec<u8>, String> {
        Ok(vec![0; (len * elem.size()) as usize])
    }
}

/// The oracle's worker, which has the own code behind the contract's symbols. It must not be stopped.
#[derive(Debug)]
pub struct Own<'a> {
    /// The task.
    pub task: &'a Task,
    /// The contract's symbols.
    pub symbols: &'a [String],
    /// The worker.
    pub oracle: &'a mut Worker,
}

/// How long a piece of own code may take: a minute of processor time.
fn patience() -> Patience {
    Patience::for_call(Duration::from_millis(1200))
}

impl Own<'_> {
    /// Place of a symbol in the oracle's worker.
    fn place(&self, symbol: &str) -> Result<u32, Fate> {
        let own = self.task.own_code().iter().position(|(s, _)| s == symbol);
        let missing = || Fate::Ours(format!("the oracle's worker has no `{symbol}`"));
        own.map(|own| (self.symbols.len() + own) as u32).ok_or_else(missing)
    }

    /// Makes one call; its buffers and return value.
    fn call(&mut self, call: &Instance) -> Result<Answer, Fate> {
        let calls = std::slice::from_ref(call);
        let tables = Tables::new(calls, &mut Slots::default(), Wanted::All, None)
            .map(Arc::new)
            .map_err(|unfit| Fate::Ours(unfit.to_string()))?;
        let payload = tables.payload(calls);
        let mode = Mode::Plain { read_only: false };
        let (payload, cache) = (&payload, Cache::Warm);
        let request = Request { tables: &tables, mode, payload, poison: 0x5A, cache };
        self.oracle.stage(&request, patience())?;
        self.oracle.run([0, 0], patience())?;
        self.oracle.flush(patience())?;
        Ok(super::collect(call, &self.oracle.results()))
    }

    /// The exact values of each output of a call that has a tolerance, where the function has an
    /// oracle for them.
    pub fn exact(
        &mut self,
        function: &Function,
        call: &Instance,
    ) -> Result<Vec<Option<Vec<Wide>>>, Fate> {
        let Some(symbol) = &function.exact else { return Ok(Vec::new()) };
        let mut call = call.clone();
        let wide: Vec<bool> = call.buffers.iter().map(is_wide).collect();
        call.buffers.iter_mut().zip(&wide).filter(|(_, wide)| **wide).for_each(|(b, _)| widen(b));
        for frame in &mut call.frames {
            frame.symbol = self.place(symbol)?;
            frame.ret = 0;
            frame.ret_compared = false;
            let pointers = frame.args.iter_mut().filter(|a| a.kind == arg::POINTER);
            for a in pointers.filter(|a| wide.get(a.buffer as usize) == Some(&true)) {
                a.value *= 2;
            }
        }
        let answer = self.call(&call)?;
        let buffers = answer.buffers.iter().zip(&call.buffers).zip(wide);
        Ok(buffers
            .map(|(((before, bytes, _), b), wide)| {
                let bytes = bytes.get(*before as usize..)?.get(..b.bytes as usize)?;
                wide.then(|| match b.elem {
                    8 => bytes
                        .as_chunks::<8>()
                        .0
                        .iter()
                        .map(|v| [f64::from_le_bytes(*v), 0.0])
                        .collect(),
                    _ => bytes
                        .as_chunks::<16>()
                        .0
                        .iter()
                        .map(|v| long_double(*v, cfg!(target_arch = "x86_64")))
                        .collect(),
                })
            })
            .collect())
    }
}

/// Whether a function for exact values writes wider elements there.
fn is_wide(b: &BufferInstance) -> bool {
    b.role == Role::Out && matches!(b.rule.same, Same::Near(_))
}

/// Gives every element the next type: `float` becomes `double`, `double` becomes `long double`, each of
/// twice the size.
fn widen(b: &mut BufferInstance) {
    b.elem *= 2;
    b.bytes *= 2;
    b.room *= 2;
    b.align = b.align.max(b.elem);
    b.output = b.output.map(|(rows, row_bytes, stride)| (rows, 2 * row_bytes, 2 * stride));
    b.used.clear();
}

impl Workshop for Own<'_> {
    fn generate(
        &mut self,
        own: &OwnFill,
        values: &Values,
        elem: CType,
        len: u64,
        seed: u64,
    ) -> Result<Vec<u8>, String> {
        let buffer = |role, content: Vec<u8>, bytes, elem: u64| BufferInstance {
            role,
            bytes,
            room: 0,
            align: 16,
            phase: 0,
            at_start: false,
            output: None,
            kept: false,
            elem,
            rule: Rule::default(),
            used: Vec::new(),
            content,
            classes: Vec::new(),
        };
        let size = elem.size().max(1);
        let mut buffers = vec![buffer(Role::Out, Vec::new(), len * size, size)];
        for (_, numbers) in &own.options {
            let content: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
            let bytes = content.len() as u64;
            buffers.push(buffer(Role::In, content, bytes, 8));
        }
        let value = |value: i64, ctype: CType| ArgDesc {
            kind: arg::VALUE,
            buffer: 0,
            value: instance::narrow(value, ctype),
        };
        let pointer =
            |buffer: usize| ArgDesc { kind: arg::POINTER, buffer: buffer as u32, value: 0 };
        let args = own.params.iter().map(|param| match param {
            OwnParam::Out => pointer(0),
            OwnParam::Len(ctype) => value(len as i64, *ctype),
            OwnParam::Seed(ctype) => value(seed as i64, *ctype),
            OwnParam::Draw(name, ctype) => {
                value(values.0.get(name).copied().unwrap_or_default(), *ctype)
            }
            OwnParam::Option(index) => pointer(index + 1),
        });
        let symbol = own.symbol();
        let fell = |fate: Fate| format!("{symbol}: {fate}");
        let frame = FrameInstance {
            symbol: self.place(&symbol).map_err(fell)?,
            args: args.collect(),
            ret: 0,
            ret_compared: false,
            ret_rule: Rule::default(),
        };
        let answer = self
            .call(&Instance { buffers, makes: Vec::new(), frames: vec![frame] })
            .map_err(fell)?;
        let (before, bytes, _) = &answer.buffers[0];
        let made = bytes.get(*before as usize..).and_then(|b| b.get(..(len * size) as usize));
        made.map(<[u8]>::to_vec).ok_or_else(|| format!("{symbol} handed nothing over"))
    }
}

/// The value of a `long double` as the sum of two `double`s: `extended`, as on x86, of 64 bits; else
/// of 113 (IEEE 754's binary128).
fn long_double(bytes: [u8; 16], extended: bool) -> Wide {
    let all = u128::from_le_bytes(bytes);
    let (negative, exponent, mantissa, width) = if extended {
        let head = all >> 64;
        (head >> 15 & 1 == 1, (head & 0x7FFF) as i32, all & u128::from(u64::MAX), 63)
    } else {
        let exponent = (all >> 112 & 0x7FFF) as i32;
        let hidden = if exponent == 0 { 0 } else { 1 << 112 };
        (all >> 127 == 1, exponent, (all & ((1 << 112) - 1)) + hidden, 112)
    };
    let sign = if negative { -1.0 } else { 1.0 };
    if exponent == 0x7FFF {
        let fraction = mantissa & ((1 << width) - 1);
        return [if fraction == 0 { sign * f64::INFINITY } else { f64::NAN }, 0.0];
    }
    // The upper 53 bits, and the rest: exactly of 64, of 113 rounded to 53 bits of its own.
    let cut = mantissa.leading_zeros();
    let drop = (128 - cut).saturating_sub(53);
    let (hi, lo) = (mantissa >> drop << drop, mantissa & ((1 << drop) - 1));
    let power = exponent.max(1) - 16383 - width;
    [hi, lo].map(|part| sign * scaled(part as f64, power))
}

/// `x` times a power of two, in steps that no intermediate result overflows.
fn scaled(mut x: f64, mut power: i32) -> f64 {
    while power != 0 && x != 0.0 && x.is_finite() {
        let step = power.clamp(-500, 500);
        x *= 2f64.powi(step);
        power -= step;
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gate::fixture;
    use crate::task::Near;

    #[test]
    fn a_long_double_is_the_sum_of_two_doubles() {
        let of = |negative: bool, exponent: i32, mantissa: u64| {
            let head = u128::from(negative) << 15 | (exponent + 16383) as u128;
            long_double((head << 64 | u128::from(mantissa)).to_le_bytes(), true)
        };
        assert_eq!(of(false, 0, 1 << 63), [1.0, 0.0]);
        assert_eq!(of(true, 1, 3 << 62), [-3.0, -0.0]);
        assert_eq!(of(false, 0, 1 << 63 | 1), [1.0, 2f64.powi(-63)]);
        assert_eq!(of(false, -1000, 1 << 63), [2f64.powi(-1000), 0.0]);
        assert_eq!(long_double([0; 16], true), [0.0, 0.0]);
        let infinity = (0x7FFFu128 << 64 | 1 << 63).to_le_bytes();
        assert_eq!(long_double(infinity, true), [f64::INFINITY, 0.0]);
        assert!(long_double((0x7FFFu128 << 64 | 3 << 62).to_le_bytes(), true)[0].is_nan());
    }

    #[test]
    fn so_is_one_of_113_bits() {
        let of = |sign: u128, exponent: i32, fraction: u128| {
            let head = sign << 15 | (exponent + 16383) as u128;
            long_double((head << 112 | fraction).to_le_bytes(), false)
        };
        assert_eq!(of(0, 0, 0), [1.0, 0.0]);
        assert_eq!(of(1, 1, 1 << 111), [-3.0, -0.0]);
        assert_eq!(of(0, 0, 1), [1.0, 2f64.powi(-112)]);
        assert_eq!(
            of(0, 0, (1 << 112) - 1),
            [2.0 - 2f64.powi(-52), 2f64.powi(-52)] // the rest has 60 bits
        );
        assert_eq!(of(0, -1000, 0), [2f64.powi(-1000), 0.0]);
        assert_eq!(of(0, 16384, 0), [f64::INFINITY, 0.0]);
        assert!(of(0, 16384, 1)[0].is_nan());
        // Without the hidden bit: zero, and the smallest, which no double is near.
        assert_eq!((of(0, -16383, 0), of(0, -16383, 1)), ([0.0, 0.0], [0.0, 0.0]));
    }

    #[test]
    fn an_infinity_keeps_its_sign_and_the_rest_all_of_its_bits() {
        let infinity = (0xFFFFu128 << 64 | 1 << 63).to_le_bytes();
        assert_eq!(long_double(infinity, true), [f64::NEG_INFINITY, 0.0]);
        let low = (16383u128 << 64 | 1 << 63 | 0x7FE).to_le_bytes();
        assert_eq!(long_double(low, true), [1.0, 2046.0 * 2f64.powi(-63)]);
    }

    fn buffer(role: Role, same: Same) -> BufferInstance {
        BufferInstance {
            room: 4,
            align: 4,
            output: Some((2, 12, 16)),
            elem: 4,
            rule: Rule { elem: CType::F32, same },
            ..fixture::buffer(role, 28)
        }
    }

    #[test]
    fn only_outputs_with_a_tolerance_are_wider() {
        let near = Same::Near(Near::default());
        let wide = |role, same| is_wide(&buffer(role, same));
        assert!(wide(Role::Out, near));
        assert!(!wide(Role::Out, Same::Bits) && !wide(Role::InOut, near));
    }

    #[test]
    fn a_wider_buffer_has_room_for_as_many_elements() {
        let mut b = buffer(Role::Out, Same::Bits);
        b.used = vec![Default::default()];
        widen(&mut b);
        assert_eq!((b.elem, b.bytes, b.room, b.align), (8, 56, 8, 8));
        assert_eq!((b.output, b.used.len()), (Some((2, 24, 32)), 0));
        b.align = 64;
        widen(&mut b);
        assert_eq!((b.elem, b.align), (16, 64));
    }

    #[test]
    fn without_a_worker_there_are_as_many_zeros_as_were_asked_for() {
        let own = OwnFill { name: "any".into(), options: Vec::new(), params: Vec::new() };
        let made = Blank.generate(&own, &Values::default(), CType::Uint(2), 3, 7);
        assert_eq!(made, Ok(vec![0; 6]));
    }
}
