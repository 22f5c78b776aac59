//! Helps for an engineer at work, in a worker that runs code of their own under a sanitizer or
//! under valgrind. A worker that grades has none of them.

use crate::stage::Call;
use crate::wire::Role;

/// Environment variable that lists the secret buffers: `0,2`.
pub const SECRET: &str = "SPEEDGATE_SECRET";

type Region = unsafe extern "C" fn(*const u8, usize);

/// What is done around each call.
#[derive(Debug, Default)]
pub struct Aids {
    /// Where AddressSanitizer is loaded: makes memory forbidden, and allowed again.
    fences: Option<(Region, Region)>,
    /// Buffers whose content memcheck is to follow.
    secret: Vec<usize>,
}

impl Aids {
    /// What this process has.
    pub fn find() -> Self {
        let find = |name: &std::ffi::CStr| -> Option<Region> {
            // SAFETY: looks a name up among what is loaded.
            let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
            // SAFETY: AddressSanitizer's interface: an address and a length.
            (!found.is_null()).then(|| unsafe { std::mem::transmute::<_, Region>(found) })
        };
        let fences =
            find(c"__asan_poison_memory_region").zip(find(c"__asan_unpoison_memory_region"));
        let listed = std::env::var(SECRET).unwrap_or_default();
        Self { fences, secret: listed.split(',').filter_map(|n| n.parse().ok()).collect() }
    }

    /// Forbids the canaries beside each buffer, and makes secrets undefined.
    pub fn before(&self, call: &Call) {
        if let Some((forbid, _)) = self.fences {
            self.beside(call, forbid);
        }
        for &index in &self.secret {
            if let Some((d, placed)) = call.buffers.get(index) {
                memcheck(MAKE_UNDEFINED, placed.start, d.bytes as usize);
            }
        }
    }

    /// Takes it back: what follows is the driver's own work.
    pub fn after(&self, call: &mut Call) {
        if let Some((_, allow)) = self.fences {
            self.beside(call, allow);
        }
        if self.secret.is_empty() {
            return;
        }
        for (d, placed) in &call.buffers {
            memcheck(MAKE_DEFINED, placed.start, (d.bytes + d.room) as usize);
        }
        for step in &mut call.frames {
            memcheck(MAKE_DEFINED, (&raw mut step.frame).cast(), size_of_val(&step.frame));
        }
    }

    fn beside(&self, call: &Call, act: Region) {
        for (d, placed) in &call.buffers {
            let size = (d.bytes + d.room) as usize;
            // SAFETY: both stretches lie in the buffer's slot.
            unsafe {
                act(placed.start.sub(placed.before as usize), placed.before as usize);
                act(placed.start.add(size), placed.after as usize);
            }
        }
    }
}

/// Tells memcheck, where that looks on, what lies beside the buffers and what was never written.
pub fn fence(call: &Call) {
    for (d, placed) in &call.buffers {
        let size = (d.bytes + d.room) as usize;
        memcheck(
            MAKE_FORBIDDEN,
            placed.start.wrapping_sub(placed.before as usize),
            placed.before as usize,
        );
        memcheck(MAKE_FORBIDDEN, placed.start.wrapping_add(size), placed.after as usize);
        if d.role == Role::Out as u32 {
            memcheck(MAKE_UNDEFINED, placed.start, size);
        }
    }
}

/// Takes it back.
pub fn unfence(call: &Call) {
    for (d, placed) in &call.buffers {
        let whole = placed.before + d.bytes + d.room + placed.after;
        let start = placed.start.wrapping_sub(placed.before as usize);
        memcheck(MAKE_DEFINED, start, whole as usize);
    }
}

/// memcheck's client requests: tool `MC`, and their numbers.
const MAKE_FORBIDDEN: u64 = 0x4D43_0000;
const MAKE_UNDEFINED: u64 = 0x4D43_0001;
const MAKE_DEFINED: u64 = 0x4D43_0002;

/// A client request to memcheck; elsewhere instructions without effect.
fn memcheck(request: u64, start: *const u8, len: usize) {
    let arguments = [request, start as u64, len as u64, 0, 0, 0];
    // SAFETY: the sequence that valgrind looks for turns a register around twice and swaps one with
    // itself; only under valgrind does it mean anything.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        std::arch::asm!(
            "rol rdi, 3",
            "rol rdi, 13",
            "rol rdi, 61",
            "rol rdi, 51",
            "xchg rbx, rbx",
            in("rax") arguments.as_ptr(),
            inout("rdx") 0u64 => _,
            in("rdi") 0u64,
        );
    }
    // SAFETY: as above.
    #[cfg(target_arch = "aarch64")]
    unsafe {
        std::arch::asm!(
            "ror x12, x12, #3",
            "ror x12, x12, #13",
            "ror x12, x12, #51",
            "ror x12, x12, #61",
            "orr x10, x10, x10",
            inout("x3") 0u64 => _,
            in("x4") arguments.as_ptr(),
            in("x12") 0u64,
        );
    }
}
