//! The call stub: one assembly routine that loads a frame's arguments as the C ABI wants them,
//! calls, and stores what came back. No C is ever generated, and the overhead of a call is the
//! same on every side. A second one, for the gate's calls, also looks at what the callee left
//! behind: a bug finder for honest code, since hostile code can put everything back.

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(target_arch = "aarch64")]
#[path = "checked_aarch64.rs"]
mod checked;
#[cfg(target_arch = "x86_64")]
#[path = "checked_x86_64.rs"]
mod checked;
#[cfg(test)]
mod corrupters;
#[cfg(target_arch = "x86_64")]
mod x86_64;
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
compile_error!("no call stub for this architecture yet: add harness/src/stub/<arch>.rs");

/// Integer arguments that travel in registers.
const REGISTERS: usize = if cfg!(target_arch = "aarch64") { 8 } else { 6 };

/// Bits that a checked call may report.
pub const VIOLATIONS: u32 = (1 << checked::NAMES.len()) - 1;

/// Whether checked calls can tell that the upper halves of vector registers were left in use.
pub fn tells_upper_halves() -> bool {
    checked::upper_is_told()
}

/// What the lowest bit of a violation stands for, in a sentence; none for no violation.
pub fn violation(bits: u32) -> Option<&'static str> {
    checked::NAMES.get(bits.trailing_zeros() as usize).copied()
}

/// A call about to be made, and what it returned.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Frame {
    /// Address of the function.
    pub function: usize,
    /// Integer and pointer arguments in registers.
    pub registers: [u64; REGISTERS],
    /// Arguments on the stack.
    pub stack: [u64; 8],
    /// Number of arguments on the stack.
    pub stack_len: u64,
    /// Integer return registers.
    pub ret: [u64; 2],
    /// First vector return register, low half.
    pub ret_vector: u64,
}

impl Frame {
    /// A frame without arguments.
    pub const fn new(function: usize) -> Self {
        Self {
            function,
            registers: [0; REGISTERS],
            stack: [0; 8],
            stack_len: 0,
            ret: [0; 2],
            ret_vector: 0,
        }
    }

    /// Sets argument `index`.
    pub fn set(&mut self, index: usize, value: u64) {
        match index.checked_sub(self.registers.len()) {
            None => self.registers[index] = value,
            Some(i) => {
                self.stack[i] = value;
                self.stack_len = self.stack_len.max(i as u64 + 1);
            }
        }
    }

    /// Makes the call.
    ///
    /// # Safety
    /// The function is one with these arguments; what it does is its own.
    #[inline]
    pub unsafe fn call(&mut self) {
        // SAFETY: the stub follows the C ABI and touches only the frame and its own stack.
        unsafe { speedgate_call(self) }
    }

    /// Makes the call and says what the callee left in disorder, as bits that [`violation`] has
    /// words for. All of it is put in order again.
    ///
    /// # Safety
    /// As [`Self::call`], and no other thread makes a checked call meanwhile.
    pub unsafe fn call_checked(&mut self) -> u32 {
        // SAFETY: passed on.
        unsafe { checked::call(self) }
    }
}

unsafe extern "C" {
    fn speedgate_call(frame: *mut Frame);
}

#[cfg(test)]
mod tests {
    use super::*;

    extern "C" fn weigh(
        a: u64,
        b: u64,
        c: u64,
        d: u64,
        e: u64,
        f: u64,
        g: u64,
        h: u64,
        i: u64,
    ) -> u64 {
        [a, b, c, d, e, f, g, h, i].iter().enumerate().map(|(k, v)| v * 10u64.pow(k as u32)).sum()
    }

    extern "C" fn half(a: u32) -> f64 {
        f64::from(a) / 2.0
    }

    #[test]
    fn arguments_arrive_in_order() {
        for n in 0..=9usize {
            let mut frame = Frame::new(weigh as *const () as usize);
            for i in 0..9 {
                frame.set(i, if i < n { i as u64 + 1 } else { 0 });
            }
            // SAFETY: nine integer arguments, as declared.
            unsafe { frame.call() };
            let expected = (0..n as u32).map(|k| u64::from(k + 1) * 10u64.pow(k)).sum::<u64>();
            assert_eq!(frame.ret[0], expected);
        }
    }

    #[test]
    fn vector_results_come_back() {
        let mut frame = Frame::new(half as *const () as usize);
        frame.set(0, 5);
        // SAFETY: one integer argument, as declared.
        unsafe { frame.call() };
        assert_eq!(f64::from_bits(frame.ret_vector), 2.5);
    }
}
