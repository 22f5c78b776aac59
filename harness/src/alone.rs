//! Requests made without a supervisor: an engineer's own calls, in a process that a debugger may
//! look into. Nothing is confined, sealed, compared or timed.

use std::ffi::OsString;
use std::fs::File;
use std::os::fd::AsRawFd;
use std::path::Path;
use std::process::ExitCode;

use crate::driver::invoke;
use crate::entry::addresses;
use crate::fault::Context;
use crate::practice;
use crate::shared::Shared;
use crate::slots::{MAX_BUFFERS, Slots};
use crate::stage::{Burst, Request};
use crate::wire;

/// First argument of such a process. What follows: the library, the number of requests, each as a
/// file that holds an arena, then the symbols.
pub const ALONE: &str = "speedgate-calls";

/// Makes the calls if this process was started for them.
pub fn alone_entry() -> Option<ExitCode> {
    let mut args = std::env::args_os().skip(1);
    if args.next()? != ALONE {
        return None;
    }
    let args: Vec<OsString> = args.collect();
    Some(match run(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("speedgate: {message}");
            ExitCode::FAILURE
        }
    })
}

fn run(args: &[OsString]) -> Result<(), String> {
    let usage = || "started with wrong arguments".to_owned();
    let [library, count, rest @ ..] = args else { return Err(usage()) };
    let count: usize = count.to_str().and_then(|n| n.parse().ok()).ok_or_else(usage)?;
    let (arenas, symbols) = rest.split_at_checked(count).ok_or_else(usage)?;
    let library = library.to_str().ok_or_else(usage)?;
    let functions = addresses(Path::new(library), symbols)?;
    let mut slots = Slots::new();
    for arena in arenas {
        let (shared, len) =
            map(Path::new(arena)).map_err(|e| format!("{}: {e}", arena.display()))?;
        let bells = shared.part(wire::place(0), wire::PLACE_LEN).ok_or_else(usage)?;
        let mut context = Context { shared, bells, slots, starts: [0; MAX_BUFFERS] };
        let mut burst = Burst::default();
        let request = Request::only(&shared).ok_or_else(usage)?;
        burst
            .stage(&request, &mut context, &functions)
            .map_err(|status| format!("{} can't be staged: {status:?}", arena.display()))?;
        for call in &mut burst.calls {
            practice::fence(call);
            invoke(call);
            practice::unfence(call);
            let returned = call.frames.last().map_or(0, |step| step.returned());
            eprintln!("speedgate: returned {returned} ({returned:#x})");
        }
        slots = context.slots;
        // SAFETY: mapped by `map`, and not used any more: the burst is dropped with this round.
        unsafe { libc::munmap(shared.range(0, 0).ok_or_else(usage)?.cast(), len) };
    }
    Ok(())
}

/// Maps a file as an arena of one's own.
fn map(path: &Path) -> std::io::Result<(Shared, usize)> {
    let file = File::open(path)?;
    let len = usize::try_from(file.metadata()?.len()).map_err(std::io::Error::other)?;
    if len <= wire::PAYLOAD {
        return Err(std::io::Error::other("this is no arena"));
    }
    // SAFETY: a fresh private mapping at an address of the kernel's choice.
    unsafe {
        let access = libc::PROT_READ | libc::PROT_WRITE;
        let (null, fd) = (std::ptr::null_mut(), file.as_raw_fd());
        let base = libc::mmap(null, len, access, libc::MAP_PRIVATE, fd, 0);
        if base == libc::MAP_FAILED {
            return Err(std::io::Error::last_os_error());
        }
        Ok((Shared::new(base.cast(), len), len))
    }
}
