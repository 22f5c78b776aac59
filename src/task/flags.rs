//! Which compiler flags a manifest or a recipe may set: those that change how code is generated,
//! never where files go, what else is run or loaded, or which machine the result needs unseen.

/// Says why a flag is refused.
pub fn check(flag: &str) -> Result<(), String> {
    let refused = |why: &str| Err(format!("`{flag}` is refused: {why}"));
    if flag.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return refused("one flag a string, without white space");
    }
    if let Some(level) = flag.strip_prefix("-O") {
        return match level {
            "0" | "1" | "2" | "3" | "s" | "fast" => Ok(()),
            _ => refused("no such level"),
        };
    }
    if let Some(rest) = flag.strip_prefix("-m") {
        let native = rest.ends_with("=native");
        return match rest {
            _ if native => refused("the result would depend on the machine that builds it"),
            "" => refused("it names nothing"),
            _ => Ok(()),
        };
    }
    if let Some(rest) = flag.strip_prefix("-f") {
        let option = rest.strip_prefix("no-").unwrap_or(rest);
        return match REFUSED_F.iter().find(|(prefix, _)| option.starts_with(prefix)) {
            Some((_, why)) => refused(why),
            None if option.is_empty() => refused("it names nothing"),
            None => Ok(()),
        };
    }
    if let Some(rest) = flag.strip_prefix("-W") {
        return match ["l,", "a,", "p,"].iter().any(|p| rest.starts_with(p)) {
            true => refused("it hands options to another program"),
            false => Ok(()),
        };
    }
    if let Some(rest) = flag.strip_prefix("-D").or_else(|| flag.strip_prefix("-U")) {
        return match rest.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            true => Ok(()),
            false => refused("the macro's name must follow at once"),
        };
    }
    if flag == "-g0" || (flag.starts_with("-std=") && flag.len() > 5) {
        return Ok(());
    }
    refused("only -O, -std=, -m, -f, -D, -U, -W and -g0 may be set")
}

/// The same for a library in Rust.
///
/// # Errors
/// In words, why the flag is refused.
pub fn check_rust(flag: &str) -> Result<(), String> {
    let refused = |why: &str| Err(format!("`{flag}` is refused: {why}"));
    if flag.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return refused("one flag a string, without white space");
    }
    let Some((option, value)) = flag.strip_prefix("-C").and_then(|rest| rest.split_once('='))
    else {
        return refused(RUST);
    };
    match (option, value) {
        ("opt-level", "0" | "1" | "2" | "3" | "s" | "z") => Ok(()),
        ("overflow-checks" | "debug-assertions", "on" | "off") => Ok(()),
        ("target-cpu", "native") => {
            refused("the result would depend on the machine that builds it")
        }
        ("target-cpu" | "target-feature", value) if !value.is_empty() => Ok(()),
        _ => refused(RUST),
    }
}

const RUST: &str = "only -Copt-level=, -Ctarget-cpu=, -Ctarget-feature=, -Coverflow-checks= and \
                    -Cdebug-assertions= may be set";

const REFUSED_F: &[(&str, &str)] = &[
    ("plugin", "it loads code into the compiler"),
    ("profile", "profiles are files from outside the tree"),
    ("auto-profile", "profiles are files from outside the tree"),
    ("branch-probabilities", "profiles are files from outside the tree"),
    ("test-coverage", "it writes files"),
    ("dump", "it writes files"),
    ("save", "it writes files"),
    ("opt-info", "it writes files"),
    ("stack-usage", "it writes files"),
    ("callgraph-info", "it writes files"),
    ("compare-debug", "it writes files"),
    ("record", "it writes the command line into the object"),
    ("module", "modules run a mapper program"),
    ("lto", "speedgate lays out and links the objects itself"),
    ("use-ld", "speedgate lays out and links the objects itself"),
    ("use-linker-plugin", "speedgate lays out and links the objects itself"),
    ("pic", "the library is a shared object; speedgate sets this"),
    ("PIC", "the library is a shared object; speedgate sets this"),
    ("pie", "the library is a shared object; speedgate sets this"),
    ("PIE", "the library is a shared object; speedgate sets this"),
    ("sanitize", "its run-time library is not linked"),
    ("instrument", "its run-time library is not linked"),
];

#[cfg(test)]
mod tests {
    use super::{check, check_rust};

    #[test]
    fn rust_has_flags_of_its_own() {
        for flag in ["-Copt-level=3", "-Ctarget-cpu=x86-64-v2", "-Ctarget-feature=+sse4.2"] {
            assert_eq!(check_rust(flag), Ok(()), "{flag}");
        }
        for flag in [
            "-O3",
            "-Ctarget-cpu=native",
            "-Copt-level=9",
            "-Clinker=/bin/sh",
            "-Clink-arg=x",
            "-Cprofile-use=x",
            "-Zanything",
            "-C",
            "-Ctarget-cpu=",
            "-Ctarget-cpu=x y",
            "--cfg=x",
        ] {
            assert!(check_rust(flag).is_err(), "{flag}");
        }
    }

    #[test]
    fn code_generation_may_be_set() {
        for flag in [
            "-O3",
            "-Os",
            "-Ofast",
            "-std=c++17",
            "-std=gnu11",
            "-mavx2",
            "-mno-avx512f",
            "-maes",
            "-march=x86-64-v3",
            "-mtune=generic",
            "-fno-exceptions",
            "-fwrapv",
            "-ffast-math",
            "-DX=1",
            "-DIMPLEMENTATION_HASWELL=1",
            "-UNDEBUG",
            "-Wall",
            "-Wno-unused",
            "-g0",
        ] {
            assert_eq!(check(flag), Ok(()), "{flag}");
        }
    }

    #[test]
    fn everything_else_is_refused() {
        for flag in [
            "",
            "-",
            "-o",
            "-ofile",
            "-fplugin=evil.so",
            "-fplugin-arg-x",
            "-B/tmp",
            "-wrapper",
            "@args",
            "-specs=x",
            "-include",
            "-I/etc",
            "-I.",
            "-x",
            "-march=native",
            "-mtune=native",
            "-Wl,-rpath",
            "-Wa,-o",
            "-Wp,-MD",
            "-fprofile-use",
            "-fno-profile-arcs",
            "-flto",
            "-fuse-ld=gold",
            "-fdump-tree-all",
            "-fmodule-mapper=|cmd",
            "-D",
            "-D -o",
            "-c",
            "-DX -o",
            "-E",
            "-save-temps",
            "-l",
            "-L/x",
            "-shared",
            "-g",
            "-m",
            "-f",
            "-Oops",
            "x.c",
        ] {
            assert!(check(flag).is_err(), "{flag}");
        }
    }
}
