//! What belongs to an attack's workspace beside its sources.

use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::{Command, Stdio};

use nix::sys::stat::Mode;
use nix::unistd::mkfifo;

/// What a script writes to show that it was run.
const MADE: &str = "#define MADE 1";

/// Scripts that build systems would run.
pub(super) fn build_scripts(dir: &Path) -> io::Result<()> {
    let shell = format!("#!/bin/sh\nprintf '%s\\n' '{MADE}' > made.h\n");
    for name in ["configure", "autogen.sh", "build.sh", "setup.sh"] {
        script(&dir.join(name), &shell)?;
    }
    let line = "sh ./build.sh";
    fs::write(dir.join("Makefile"), format!("X := $(shell {line})\nall:\n\t{line}\n"))?;
    fs::write(
        dir.join("CMakeLists.txt"),
        format!("cmake_minimum_required(VERSION 3.5)\nexecute_process(COMMAND {line})\n"),
    )?;
    fs::write(
        dir.join("meson.build"),
        "project('x', 'c')\nrun_command('sh', './build.sh', check: false)\n",
    )?;
    fs::write(
        dir.join("build.rs"),
        format!("fn main() {{ std::fs::write(\"made.h\", \"{MADE}\\n\").unwrap(); }}\n"),
    )?;
    fs::write(dir.join("Cargo.toml"), "[package]\nname = \"x\"\nbuild = \"build.rs\"\n")?;
    fs::write(dir.join("setup.py"), format!("open('made.h', 'w').write('{MADE}\\n')\n"))?;
    fs::create_dir_all(dir.join(".git/hooks"))?;
    script(&dir.join(".git/hooks/post-checkout"), &shell)
}

/// Programs that have the names of compilers.
pub(super) fn compilers(dir: &Path) -> io::Result<()> {
    for folder in [dir.to_owned(), dir.join("bin"), dir.join("include")] {
        fs::create_dir_all(&folder)?;
        for name in ["cc", "c++", "gcc", "g++", "clang", "as", "ld", "ld.lld", "collect2", "cc1"] {
            let text = format!("#!/bin/sh\nexec /usr/bin/{name} -DMADE=1 \"$@\"\n");
            script(&folder.join(name), &text)?;
        }
    }
    fs::write(dir.join(".envrc"), "export PATH=$PWD:$PATH CC=$PWD/cc CFLAGS=-DMADE=1\n")
}

/// Files in which compilers look for flags.
pub(super) fn flags(dir: &Path) -> io::Result<()> {
    for name in ["specs", "gcc.specs", "compile_flags.txt", ".clangd", "@args", "own.gcda"] {
        fs::write(dir.join(name), "*cpp:\n+ -DMADE=1\n-DMADE=1 -Ofast -march=native\n")?;
    }
    let command =
        "[{\"directory\": \".\", \"file\": \"own.c\", \"command\": \"cc -DMADE=1 own.c\"}]";
    fs::write(dir.join("compile_commands.json"), command)
}

/// Sources whose names look like options.
pub(super) fn names_like_options(dir: &Path) -> io::Result<()> {
    for name in ["-DMADE=1.c", "@args.c", "-include made.h -x.c", "-fplugin=evil.c", "-o made.c"] {
        fs::write(dir.join(name), format!("// {MADE}\n"))?;
    }
    fs::write(dir.join("args.c"), "/* -DMADE=1 */\n")
}

/// An object that defines `packed_rank`.
pub(super) fn object(dir: &Path) -> io::Result<()> {
    fs::write(dir.join("packed.txt"), include_str!("c/packed.c"))?;
    let made = Command::new("cc")
        .args(["-O2", "-fPIC", "-x", "c", "-c", "packed.txt", "-o", "packed.o"])
        .current_dir(dir)
        .stderr(Stdio::null())
        .status();
    if !made.is_ok_and(|status| status.success()) {
        fs::write(dir.join("packed.o"), b"\x7fELF\x02\x01\x01")?;
    }
    for name in ["libpacked.a", "libm.so.6", "own.o", "0.o"] {
        fs::copy(dir.join("packed.o"), dir.join(name))?;
    }
    fs::remove_file(dir.join("packed.txt"))
}

/// The same in a compressed file, and scripts that unpack it.
pub(super) fn packed_object(dir: &Path) -> io::Result<()> {
    object(dir)?;
    let packed = Command::new("xz")
        .args(["--keep", "packed.o"])
        .current_dir(dir)
        .stderr(Stdio::null())
        .status();
    if !packed.is_ok_and(|status| status.success()) {
        fs::rename(dir.join("packed.o"), dir.join("packed.o.xz"))?;
    }
    for name in ["packed.o", "libpacked.a", "libm.so.6", "own.o", "0.o"] {
        let _ = fs::remove_file(dir.join(name));
    }
    let unpack = "xz -dc packed.o.xz > packed.o";
    fs::write(dir.join("Makefile"), format!("X := $(shell {unpack})\n"))?;
    script(&dir.join("configure"), &format!("#!/bin/sh\n{unpack}\n"))
}

/// A binary file.
pub(super) fn blob(dir: &Path) -> io::Result<()> {
    fs::write(dir.join("kernel.bin"), [0xC3; 64])
}

/// Links, a pipe and a socket where files should be, one of them in the place of a source without
/// which there is no library.
pub(super) fn links_and_pipes(dir: &Path) -> io::Result<()> {
    fs::copy(dir.join("besieged.c"), dir.join("elsewhere.txt"))?;
    fs::remove_file(dir.join("besieged.c"))?;
    symlink("elsewhere.txt", dir.join("besieged.c"))?;
    symlink("/etc/shadow", dir.join("shadow.h"))?;
    symlink("/", dir.join("machine"))?;
    symlink(".", dir.join("again"))?;
    mkfifo(&dir.join("pipe.c"), Mode::S_IRWXU)?;
    drop(UnixListener::bind(dir.join("socket.c"))?);
    fs::hard_link(dir.join("elsewhere.txt"), dir.join("twice.txt"))
}

/// More sources than anybody has.
pub(super) fn many_files(dir: &Path) -> io::Result<()> {
    (0..5000).try_for_each(|n| fs::write(dir.join(format!("f{n}.c")), ""))
}

/// Folders in folders, hundreds deep, with a source at the bottom.
pub(super) fn deep_folders(dir: &Path) -> io::Result<()> {
    let bottom = dir.join("d/".repeat(400));
    fs::create_dir_all(&bottom)?;
    fs::write(bottom.join("deep.c"), "")
}

/// A source that is large and takes no room.
pub(super) fn sparse_file(dir: &Path) -> io::Result<()> {
    File::create(dir.join("large.c"))?.set_len(1 << 40)
}

/// Names that a terminal or a parser would take for more than names.
pub(super) fn odd_names(dir: &Path) -> io::Result<()> {
    let names: [&[u8]; 4] =
        [b"\x1b[2Jreward.c", b"line\nbreak.c", b"\xff\xfe.c", b"{\"reward\": 1}; rm -rf $HOME.c"];
    for name in names {
        fs::write(dir.join(std::ffi::OsStr::from_bytes(name)), "")?;
    }
    fs::create_dir_all(dir.join("a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q/r/s/t"))
}

fn script(path: &Path, text: &str) -> io::Result<()> {
    fs::write(path, text)?;
    fs::set_permissions(path, Permissions::from_mode(0o755))
}
