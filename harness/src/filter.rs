//! The system calls that a worker may make, as BPF programs for the kernel.
//!
//! Three filters are stacked, and the strictest answer counts. *Malice* kills for what no library
//! of functions has a use for. *Load* and *call* let pass what they name and refuse the rest with
//! `EPERM`, which honest code that looks round (how many cores? may I have a thread?) can live
//! with. *Load* is there before the library is mapped: its constructors run under it, and a
//! library that never returns from them stays under it. It lets pass what the dynamic loader
//! needs; *call*, added before the first request is served, is without that.

use std::collections::BTreeMap;
use std::io;

use libc::c_long;
use seccompiler::SeccompCmpArgLen::{Dword, Qword};
use seccompiler::SeccompCmpOp::{Eq, MaskedEq};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch,
};

/// What only an attacker asks for.
const MALICE: &[c_long] = &[
    // Other processes, and this one behind the driver's back.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_pidfd_getfd,
    libc::SYS_pidfd_send_signal,
    libc::SYS_kcmp,
    libc::SYS_userfaultfd,
    // The kernel's back doors and large surfaces.
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    libc::SYS_open_by_handle_at,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_reboot,
    // The walls themselves.
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
];

/// What is harmless whatever its arguments: memory to have and give back, leaving, clocks and
/// entropy (the processor hands out both without asking), and the parts of `abort` and of a fault,
/// so that a crash is a crash.
const ALWAYS: &[c_long] = &[
    libc::SYS_brk,
    libc::SYS_munmap,
    libc::SYS_mremap,
    libc::SYS_restart_syscall,
    libc::SYS_clock_gettime,
    libc::SYS_gettimeofday,
    libc::SYS_getrandom,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_getpid,
    libc::SYS_gettid,
    libc::SYS_exit,
    libc::SYS_exit_group,
];

/// What the dynamic loader needs beyond that; which files there are to open is another layer's
/// matter. `seccomp` is for the next filter: one of the library's own can only take more away.
const LOADING: &[c_long] = &[
    libc::SYS_read,
    libc::SYS_pread64,
    libc::SYS_fstat,
    libc::SYS_close,
    libc::SYS_mprotect,
    libc::SYS_seccomp,
];

/// The filters of one worker.
#[derive(Debug)]
pub struct Filters {
    malice: BpfProgram,
    load: BpfProgram,
    call: BpfProgram,
}

impl Filters {
    /// For the process `pid`, the only one that it may signal.
    ///
    /// # Errors
    /// On a processor that the BPF compiler does not know.
    pub fn new(pid: u32) -> io::Result<Self> {
        let kill = SeccompAction::KillProcess;
        let all = |calls: &[c_long]| calls.iter().map(|&c| (c, Vec::new())).collect::<Rules>();
        let mut call = all(ALWAYS);
        call.extend(arguments(pid)?);
        let mut load = all(LOADING);
        load.extend(opening()?);
        // Where both name a call, the wider rule holds while loading.
        for (&name, rules) in &call {
            load.entry(name).or_insert_with(|| rules.clone());
        }
        Ok(Self {
            malice: compile(all(MALICE), SeccompAction::Allow, kill)?,
            load: compile(load, REFUSE, SeccompAction::Allow)?,
            call: compile(call, REFUSE, SeccompAction::Allow)?,
        })
    }

    /// Puts on the first two, for good. Async-signal-safe.
    ///
    /// # Errors
    /// Where the kernel has no filters.
    pub fn load(&self) -> io::Result<()> {
        install(&self.malice)?;
        install(&self.load)
    }

    /// Adds the last, for good. Async-signal-safe.
    ///
    /// # Errors
    /// As for [`Filters::load`].
    pub fn call(&self) -> io::Result<()> {
        install(&self.call)
    }
}

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

const REFUSE: SeccompAction = SeccompAction::Errno(libc::EPERM as u32);

/// Calls that depend on their arguments, in both stages.
fn arguments(pid: u32) -> io::Result<Rules> {
    let no_code = |whole: bool| -> io::Result<Vec<SeccompRule>> {
        let mut all = vec![condition(2, Dword, MaskedEq(libc::PROT_EXEC as u64), 0)?];
        // Huge pages of one's own would be an advantage that the other side does not have.
        if whole {
            all.push(condition(3, Dword, MaskedEq(libc::MAP_HUGETLB as u64), 0)?);
        }
        Ok(vec![rule(all)?])
    };
    let either = |number, values: [i32; 2]| -> io::Result<Vec<SeccompRule>> {
        let one = |v: i32| rule(vec![condition(number, Dword, Eq, v as u64)?]);
        Ok(vec![one(values[0])?, one(values[1])?])
    };
    // The driver's bell. With a timeout, as with `sched_yield`, one could have oneself put in line
    // for the core again, and slow calls dropped as disturbed.
    let operation = |code: i32| {
        let mask = u64::from(!(libc::FUTEX_PRIVATE_FLAG as u32));
        condition(1, Dword, MaskedEq(mask), code as u64)
    };
    let futex = vec![
        rule(vec![operation(libc::FUTEX_WAKE)?])?,
        rule(vec![operation(libc::FUTEX_WAIT)?, condition(3, Qword, Eq, 0)?])?,
    ];
    Ok(BTreeMap::from([
        (libc::SYS_futex, futex),
        (libc::SYS_mmap, no_code(true)?),
        (libc::SYS_mprotect, no_code(false)?),
        (libc::SYS_madvise, either(2, [libc::MADV_DONTNEED, libc::MADV_FREE])?),
        // Both are /dev/null in a worker: what it prints goes nowhere, but is no crime.
        (libc::SYS_write, either(0, [1, 2])?),
        (libc::SYS_writev, either(0, [1, 2])?),
        (libc::SYS_tgkill, vec![rule(vec![condition(0, Dword, Eq, u64::from(pid))?])?]),
    ]))
}

/// Calls of the loader that depend on their arguments.
fn opening() -> io::Result<Rules> {
    let writing = libc::O_ACCMODE | libc::O_CREAT | libc::O_TRUNC;
    let huge = condition(3, Dword, MaskedEq(libc::MAP_HUGETLB as u64), 0)?;
    let by_descriptor = condition(3, Dword, Eq, libc::AT_EMPTY_PATH as u64)?;
    Ok(BTreeMap::from([
        (libc::SYS_openat, vec![rule(vec![condition(2, Dword, MaskedEq(writing as u64), 0)?])?]),
        (libc::SYS_newfstatat, vec![rule(vec![by_descriptor])?]),
        (libc::SYS_mmap, vec![rule(vec![huge])?]),
    ]))
}

fn condition(
    argument: u8,
    length: SeccompCmpArgLen,
    comparison: SeccompCmpOp,
    value: u64,
) -> io::Result<SeccompCondition> {
    SeccompCondition::new(argument, length, comparison, value).map_err(io::Error::other)
}

fn rule(conditions: Vec<SeccompCondition>) -> io::Result<SeccompRule> {
    SeccompRule::new(conditions).map_err(io::Error::other)
}

fn compile(rules: Rules, otherwise: SeccompAction, named: SeccompAction) -> io::Result<BpfProgram> {
    let arch = TargetArch::try_from(std::env::consts::ARCH).map_err(io::Error::other)?;
    let filter = SeccompFilter::new(rules, otherwise, named, arch).map_err(io::Error::other)?;
    filter.try_into().map_err(io::Error::other)
}

fn install(program: &BpfProgram) -> io::Result<()> {
    let header =
        libc::sock_fprog { len: program.len() as u16, filter: program.as_ptr().cast_mut().cast() };
    // Older kernels turn speculation past stores off for whoever has a filter, unless told not
    // to: that would slow the code under test.
    let flags = libc::SECCOMP_FILTER_FLAG_SPEC_ALLOW;
    // SAFETY: the program outlives the call, which copies it; both types of an instruction have
    // the layout of the kernel's `struct sock_filter`.
    let result = unsafe {
        libc::syscall(libc::SYS_seccomp, libc::SECCOMP_SET_MODE_FILTER, flags, &raw const header)
    };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
