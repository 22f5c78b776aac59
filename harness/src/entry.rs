//! A worker's start: map the arena, put up the walls, load the library, answer the first ring,
//! serve.

use std::ffi::{CString, OsStr, OsString, c_char, c_int};
use std::os::fd::RawFd;
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::Ordering;

use crate::bell;
use crate::confine::{Confinement, LIBRARY_NAME, Walls};
use crate::driver::{Driver, answer};
use crate::fault::{self, Context};
use crate::practice::Aids;
use crate::seal::Algorithm;
use crate::shared::Shared;
use crate::slots::{MAX_BUFFERS, Slots};
use crate::wire::{self, Status, notes};

/// Name (`argv[0]`) under which the binary is a worker.
pub const WORKER_NAME: &str = "speedgate-worker";
/// Descriptor of the arena.
pub const ARENA_FD: RawFd = 3;
/// Descriptor of the library.
pub const LIBRARY_FD: RawFd = 4;

/// Looks at the go bell before a worker sleeps: some 10 ms. While it is visited it should not
/// sleep at all, since an idle core slows down; while it is not, it is stopped.
const SPINS: u32 = 1 << 24;

extern "C" fn blank() {}

/// Runs the worker if this process was started as one (`argv[0]` is [`WORKER_NAME`]); the
/// arguments are: seal, `spin` or `futex`, `library` or `blank`, the walls, the library's set-up
/// ([`Setup`]), then the symbols. In place of `library` the path of one may stand: a worker for
/// practice, with code of the caller's own.
pub fn worker_entry() -> Option<ExitCode> {
    let mut args = std::env::args_os();
    // Whoever runs it under valgrind has to give it a path.
    if Path::new(&args.next()?).file_name()? != WORKER_NAME {
        return None;
    }
    let args: Vec<OsString> = args.collect();
    Some(worker(&args).unwrap_or(ExitCode::from(70)))
}

fn worker(args: &[OsString]) -> Option<ExitCode> {
    let [seal, wait, kind, walls, setup, symbols @ ..] = args else { return None };
    let algorithm = Algorithm::from_name(seal.to_str()?)?;
    let shared = map_arena()?;
    let bells = bell::settle(&shared)?;
    let starts = [0; MAX_BUFFERS];
    // The fault handler looks at it from any moment on, so it lives as long as the process.
    let context = Box::leak(Box::new(Context { shared, bells, slots: Slots::new(), starts }));
    // Tools that help an engineer have handlers of their own.
    let practice = Path::new(kind).is_absolute();
    if !practice {
        fault::install(context);
    }
    match load(kind, walls, setup, symbols) {
        Ok(symbols) => {
            let last = bells.word(wire::go::BELL).load(Ordering::Relaxed);
            answer(&bells, Status::Ok);
            let spins = if wait == "spin" { SPINS } else { 0 };
            let aids = practice.then(Aids::find);
            Driver { algorithm, spins, symbols, aids }.serve(context, last);
            Some(ExitCode::SUCCESS)
        }
        Err(message) => {
            let text = &message.as_bytes()[..message.len().min(notes::MESSAGE_MAX)];
            shared.half(notes::MESSAGE_LEN).store(text.len() as u32, Ordering::Relaxed);
            let _ = shared.copy_in(notes::MESSAGE as u64, text);
            answer(&bells, Status::LoadFailed);
            Some(ExitCode::from(71))
        }
    }
}

fn map_arena() -> Option<Shared> {
    // SAFETY: plain system calls; the mapping is kept until the process ends.
    unsafe {
        let mut stat: libc::stat = std::mem::zeroed();
        if libc::fstat(ARENA_FD, &mut stat) != 0 {
            return None;
        }
        let len = usize::try_from(stat.st_size).ok()?;
        let access = libc::PROT_READ | libc::PROT_WRITE;
        let base = libc::mmap(std::ptr::null_mut(), len, access, libc::MAP_SHARED, ARENA_FD, 0);
        (base != libc::MAP_FAILED && len > wire::PAYLOAD).then(|| Shared::new(base.cast(), len))
    }
}

/// Goes behind the walls, loads the library, and closes the last gates.
fn load(
    kind: &OsStr,
    walls: &OsStr,
    setup: &OsStr,
    symbols: &[OsString],
) -> Result<Vec<usize>, String> {
    let wall = |e: std::io::Error| format!("the sandbox cannot be set up: {e}");
    let walls = Walls::from_arg(walls).ok_or("unknown walls")?;
    let confinement = Confinement::new(walls, std::process::id()).map_err(wall)?;
    preload();
    confinement.load().map_err(wall)?;
    let addresses = if kind == "blank" {
        Ok(vec![blank as *const () as usize; symbols.len().max(1)])
    } else if Path::new(kind).is_absolute() {
        addresses(Path::new(kind), symbols)
    } else if walls.chroot {
        addresses(Path::new(&format!("/{LIBRARY_NAME}")), symbols)
    } else {
        addresses(Path::new(&format!("/proc/self/fd/{LIBRARY_FD}")), symbols)
    };
    // SAFETY: both are ours and used for the last time.
    unsafe {
        libc::close(ARENA_FD);
        libc::close(LIBRARY_FD);
    }
    let addresses = addresses?;
    // The last moment at which files can be read.
    if let Some(setup) = Setup::from_arg(setup).filter(|_| kind != "blank") {
        setup.run(symbols, &addresses)?;
    }
    confinement.call().map_err(wall)?;
    Ok(addresses)
}

/// A call that a library wants once, before its first request, with the path of its data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setup {
    /// Name of the function, one of the worker's symbols: `int NAME(const char *data)`, which gives
    /// 0 unless it failed.
    pub symbol: String,
    /// Folder that it may read, as the worker sees it.
    pub data: String,
}

impl Setup {
    /// As an argument of the worker.
    pub fn to_arg(&self) -> OsString {
        format!("{}:{}", self.symbol, self.data).into()
    }

    /// From that argument; `None` if it is none.
    pub fn from_arg(arg: &OsStr) -> Option<Self> {
        let (symbol, data) = arg.to_str()?.split_once(':')?;
        Some(Self { symbol: symbol.to_owned(), data: data.to_owned() })
    }

    /// Makes the call.
    fn run(&self, symbols: &[OsString], addresses: &[usize]) -> Result<(), String> {
        let at = symbols.iter().position(|s| *s == *self.symbol);
        let at = at.and_then(|at| addresses.get(at)).ok_or("there is no set-up")?;
        let data = CString::new(self.data.as_str()).map_err(|e| e.to_string())?;
        // SAFETY: the address of the task's function of this type; what graded code does is its own.
        let setup: extern "C" fn(*const c_char) -> c_int = unsafe { std::mem::transmute(*at) };
        match setup(data.as_ptr()) {
            0 => Ok(()),
            code => Err(format!("its set-up `{}` failed with {code}", self.symbol)),
        }
    }
}

/// Loads the one library that a library may need and that we do not need ourselves (the audit
/// sees to it). Inside there is none to open; what is there already is found by its name.
fn preload() {
    use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
    // SAFETY: a part of libc, from where the system keeps it; its constructors are of no
    // consequence. Where it is missing, whoever needs it fails to load and says so.
    if let Ok(library) = unsafe { Library::open(Some("libm.so.6"), RTLD_NOW | RTLD_LOCAL) } {
        std::mem::forget(library);
    }
}

/// Loads a library and finds its symbols.
pub fn addresses(path: &Path, symbols: &[OsString]) -> Result<Vec<usize>, String> {
    use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
    // SAFETY: loading runs the library's constructors: graded code, in a process that is its own.
    let library = unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL) };
    let library = library.map_err(|e| e.to_string())?;
    let mut addresses = Vec::with_capacity(symbols.len());
    for symbol in symbols {
        let name = symbol.to_str().ok_or("symbol name")?;
        // SAFETY: only the address is taken; it is called through the stub with the task's prototype.
        let address =
            unsafe { library.get::<*const ()>(name.as_bytes()) }.map_err(|e| e.to_string())?;
        addresses.push(*address as usize);
    }
    // Never unloaded: its destructors must not run.
    std::mem::forget(library);
    Ok(addresses)
}
