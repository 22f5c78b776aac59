//! A library for an engineer at work: the candidate's files with the task's own flags, and what a
//! sanitizer or a debugger needs on top. It is neither audited nor kept, and nothing that is
//! measured or graded loads it.

use super::compile;
use super::link::prepare_exports;
use super::site::Site;
use super::{BuildError, BuildRequest, NoCompiler, Toolchain, contract, tree};
use crate::task::Lang;

/// What is added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extra {
    /// Debug information.
    Debug,
    /// That, and checks of AddressSanitizer and UndefinedBehaviorSanitizer, the first finding of
    /// which ends the process.
    Sanitizers,
}

/// What checks for undefined behaviour; all of it is in one list with gcc.
const SANITIZERS: [&str; 3] =
    ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer"];

impl Extra {
    fn flags(self) -> &'static [&'static str] {
        match self {
            Extra::Debug => &[],
            Extra::Sanitizers => &SANITIZERS,
        }
    }
}

/// A library, and the runtime that has to be loaded before it.
#[derive(Debug)]
pub struct Practice {
    /// The library's bytes.
    pub library: Vec<u8>,
    /// Paths of the sanitizers' runtimes; none without them.
    pub runtimes: Vec<String>,
}

/// Builds it; the layouts of the request do not matter.
///
/// # Errors
/// See [`BuildError`]; and where the compiler has no sanitizers.
pub fn practice(request: &BuildRequest, extra: Extra) -> Result<Practice, BuildError> {
    let BuildRequest { task, overlay, profile, cache, progress, .. } = *request;
    if task.build.lang == Lang::Rust {
        return Err(BuildError::NoPractice { language: "Rust" });
    }
    let tools = Toolchain::discover(task.build.lang, cache, profile)?;
    let runtimes = match extra {
        Extra::Debug => Vec::new(),
        Extra::Sanitizers => runtimes(&tools)?,
    };
    let tree = tree::assemble(task, overlay, cache)?;
    let site = Site::open(cache, profile, (&tree.files, tools.sight()), task.limits.build_seconds)?;
    let mut last = vec!["-g".to_owned(), format!("-fdebug-prefix-map={}=.", site.tree().display())];
    last.extend(extra.flags().iter().map(|&flag| flag.to_owned()));
    let objects = compile::compile(&task.build, &tree.files, &tools, &site, &last, progress)?;
    let exports = prepare_exports(&site, task.build.lang, &objects, &contract(task))?;
    let driver = match task.build.lang {
        Lang::C | Lang::Rust => &tools.cc,
        Lang::Cxx => tools.cxx.as_ref().unwrap_or(&tools.cc),
    };
    let mut args = vec!["-shared".to_owned(), "-o".to_owned(), "../out/library.so".to_owned()];
    args.extend(objects.0.keys().map(|name| format!("../given/{name}")));
    args.extend(extra.flags().iter().map(|&flag| flag.to_owned()));
    args.extend(["-lm", "-Wl,-Bsymbolic,-z,now"].map(str::to_owned));
    args.push(format!("-Wl,--version-script=../given/{exports}"));
    let done = site.run(&driver.path, &args)?;
    if !done.success() {
        let log = String::from_utf8_lossy(&done.output);
        return Err(BuildError::failed(format!("the link failed\n{}", log.trim_end())));
    }
    let library = site.take("library.so");
    let library = library.map_err(|e| BuildError::failed(format!("no library: {e}")))?;
    Ok(Practice { library, runtimes })
}

/// Where gcc keeps the runtimes of its sanitizers.
fn runtimes(tools: &Toolchain) -> Result<Vec<String>, NoCompiler> {
    let missing = NoCompiler {
        what: "gcc with AddressSanitizer (libasan) and UndefinedBehaviorSanitizer (libubsan)",
    };
    if tools.cc.is_clang() {
        return Err(missing);
    }
    let place = |name: &str| {
        let path = tools.cc.file(name)?;
        // Where it stands as it was asked for, the compiler does not have it.
        path.is_absolute().then(|| path.display().to_string())
    };
    ["libasan.so", "libubsan.so"].map(place).into_iter().collect::<Option<_>>().ok_or(missing)
}
