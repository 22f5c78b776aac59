//! C calls with their arguments, and programs for what is known after them only.

use speedgate_harness::wire::{ArgDesc, Operation, RET_VECTOR, arg, op};

use super::{InstanceError, Maker, Values};
use crate::task::expression::{Expr, Op};
use crate::task::prototype::CType;
use crate::task::{Arg, Buffer, Call, Ret};
use crate::worker::request::FrameInstance;

impl Maker<'_> {
    pub(super) fn program(
        &self,
        buffer: &Buffer,
        e: &Expr,
        values: &Values,
    ) -> Result<Vec<Operation>, InstanceError> {
        let mut program = Vec::new();
        self.compile(e, values, &mut program)?;
        if program.len() > speedgate_harness::wire::MAX_OPS {
            let (function, buffer) = (self.function.name.clone(), buffer.name.clone());
            return Err(InstanceError::Used { function, buffer });
        }
        Ok(program)
    }

    fn compile(
        &self,
        e: &Expr,
        values: &Values,
        out: &mut Vec<Operation>,
    ) -> Result<(), InstanceError> {
        // What has a value before the call is a constant.
        if let Ok(value) = e.eval(values) {
            out.push(Operation { code: op::CONST, operand: value as u64 });
            return Ok(());
        }
        match e {
            Expr::Ret => out.push(Operation { code: op::RET, operand: 0 }),
            Expr::Deref(name) => {
                let index = self.function.buffers.iter().position(|b| b.name == *name);
                out.push(Operation {
                    code: op::DEREF,
                    operand: index.unwrap_or(usize::MAX) as u64,
                });
            }
            Expr::Op(operator, a, b) => {
                self.compile(a, values, out)?;
                self.compile(b, values, out)?;
                let code = match operator {
                    Op::Add => op::ADD,
                    Op::Sub => op::SUB,
                    Op::Mul => op::MUL,
                    Op::Div => op::DIV,
                    Op::Rem => op::REM,
                    Op::Min => op::MIN,
                    Op::Max => op::MAX,
                };
                out.push(Operation { code, operand: 0 });
            }
            Expr::Const(_) | Expr::Name(_) => {
                self.eval(e, values, || "`used`".into())?;
            }
        }
        Ok(())
    }

    pub(super) fn frame(
        &self,
        call: &Call,
        last: bool,
        values: &Values,
        scalars: &mut Vec<u8>,
    ) -> Result<FrameInstance, InstanceError> {
        let mut args = Vec::with_capacity(call.args.len());
        for argument in &call.args {
            args.push(match argument {
                Arg::Int { value, ctype, sealed } => {
                    let value = narrow(self.eval(value, values, || "argument".into())?, *ctype);
                    if *sealed {
                        scalars.extend_from_slice(&value.to_le_bytes());
                        let buffer = self.function.buffers.len() as u32;
                        let value = scalars.len() as u64 - 8;
                        ArgDesc { kind: arg::SEALED, buffer, value }
                    } else {
                        ArgDesc { kind: arg::VALUE, buffer: 0, value }
                    }
                }
                Arg::Pointer { buffer, offset } => {
                    let elem = self.function.buffers[*buffer].elem.size().max(1);
                    let offset = self.eval(offset, values, || "offset".into())? as u64;
                    ArgDesc {
                        kind: arg::POINTER,
                        buffer: *buffer as u32,
                        value: offset.wrapping_mul(elem),
                    }
                }
            });
        }
        let name = &self.function.symbols[call.symbol];
        let symbol = self.symbols.iter().position(|s| s == name).unwrap_or(usize::MAX) as u32;
        let ret_rule = match self.function.ret {
            Ret::Same(rule) => Some(rule),
            Ret::Void | Ret::Ignore => None,
        };
        let vector = if matches!(call.ret, CType::F32 | CType::F64) { RET_VECTOR } else { 0 };
        Ok(FrameInstance {
            symbol,
            args,
            ret: call.ret.size() as u32 + vector,
            ret_compared: last && ret_rule.is_some(),
            ret_rule: ret_rule.unwrap_or_default(),
        })
    }
}

/// What stands in the upper half of a register that holds an argument of at most 32 bits: the ABI
/// leaves it open, so that a callee which reads it is wrong. As a number it is negative or huge.
const UPPER: u64 = 0xDEAD_A5A5 << 32;

/// A value as its C type would hold it. Below 32 bits it is extended to these, as compilers expect.
pub(in crate::gate) fn narrow(value: i64, ctype: CType) -> u64 {
    let low = match ctype {
        CType::Bool => u32::from(value != 0),
        CType::Int(4) | CType::Uint(4) => value as u32,
        CType::Int(2) => i32::from(value as i16) as u32,
        CType::Int(1) => i32::from(value as i8) as u32,
        CType::Uint(2) => u32::from(value as u16),
        CType::Uint(1) => u32::from(value as u8),
        _ => return value as u64,
    };
    UPPER + u64::from(low)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scalars_are_cut_to_their_type() {
        assert_eq!(narrow(-1, CType::Int(4)), UPPER | 0xFFFF_FFFF);
        assert_eq!(narrow(-1, CType::Uint(4)), UPPER | 0xFFFF_FFFF);
        assert_eq!(narrow(-3, CType::Int(1)), UPPER | 0xFFFF_FFFD);
        assert_eq!(narrow(-3, CType::Int(2)), UPPER | 0xFFFF_FFFD);
        assert_eq!(narrow(70_000, CType::Int(2)), UPPER | 4464);
        assert_eq!(narrow(0, CType::Bool), UPPER);
        assert_eq!(narrow(300, CType::Uint(1)), UPPER | 44);
        assert_eq!(narrow(70_000, CType::Uint(2)), UPPER | 4464);
        assert_eq!(narrow(2, CType::Bool), UPPER | 1);
        for wide in [CType::Int(8), CType::Uint(8)] {
            assert_eq!(narrow(-1, wide), u64::MAX);
        }
    }
}
