use super::*;
use crate::task::fixture::{Fixture, put};
use std::os::unix::fs::symlink;

const SMALL: Bounds =
    Bounds { files: 3, bytes: 1 << 20, depth: 3, path: 100, names: 50, ignored: 4 };

fn pristine() -> Files {
    let list = [("api.c", "api"), ("fast.c", "slow"), ("more/a.c", "a"), ("lib/b.c", "b")];
    Files(list.map(|(name, text)| (name.to_owned(), text.into())).into())
}

fn editable() -> Vec<String> {
    ["fast*.c", "more/**"].map(str::to_owned).into()
}

/// The pristine tree as a workspace, then changed.
fn overlaid(change: impl FnOnce(&Path)) -> Result<Tree, TreeError> {
    let dir = tempfile::tempdir().expect("temporary folder");
    pristine().write(dir.path(), 0o644).expect("writes");
    change(dir.path());
    overlay_workspace(&pristine(), (&editable(), None), dir.path(), &SMALL)
}

fn fifo(path: &Path) {
    nix::unistd::mkfifo(path, nix::sys::stat::Mode::from_bits_truncate(0o666)).expect("mkfifo");
}

#[test]
fn an_untouched_workspace_is_the_pristine_tree() {
    let tree = overlaid(|_| {}).expect("reads");
    assert_eq!(tree, Tree { files: pristine(), ignored: Vec::new() });
}

#[test]
fn editable_files_are_taken_new_ones_and_deletions_too() {
    let tree = overlaid(|dir| {
        put(&dir.join("fast.c"), "faster");
        put(&dir.join("fast_avx2.c"), "new");
        std::fs::remove_file(dir.join("more/a.c")).expect("removes");
        put(&dir.join("more/deep/er.c"), "deep");
    })
    .expect("reads");
    let names: Vec<_> = tree.files.0.keys().map(String::as_str).collect();
    assert_eq!(names, ["api.c", "fast.c", "fast_avx2.c", "lib/b.c", "more/deep/er.c"]);
    assert_eq!(tree.files.0["fast.c"], b"faster");
    assert!(tree.ignored.is_empty(), "{:?}", tree.ignored);
}

#[test]
fn everything_else_is_left_there_and_listed() {
    let tree = overlaid(|dir| {
        put(&dir.join("api.c"), "evil");
        std::fs::remove_file(dir.join("lib/b.c")).expect("removes");
        put(&dir.join("Makefile"), "all:");
        put(&dir.join("build/x.o"), "object");
        put(&dir.join("steps/01-one/instruction.md"), "for people");
    })
    .expect("reads");
    assert_eq!(tree.files, pristine());
    assert_eq!(
        tree.ignored,
        [
            "Makefile (not editable)",
            "api.c (changed, not editable)",
            "build/ (not editable)",
            "lib/b.c (deleted, not editable)",
        ]
    );
}

#[test]
fn what_is_no_plain_file_is_never_opened() {
    let tree = overlaid(|dir| {
        std::fs::remove_file(dir.join("fast.c")).expect("removes");
        symlink("/etc/passwd", dir.join("fast.c")).expect("links");
        symlink("/etc", dir.join("more/etc")).expect("links");
        fifo(&dir.join("fast_fifo.c"));
        let bad = std::os::unix::ffi::OsStrExt::from_bytes(b"fast\xff.c");
        let bad: &std::ffi::OsStr = bad;
        std::fs::write(dir.join(bad), "").expect("writes");
    })
    .expect("reads");
    assert!(!tree.files.0.contains_key("fast.c"));
    assert_eq!(
        tree.ignored,
        [
            "fast.c (a symbolic link)",
            "fast_fifo.c (a FIFO)",
            "fast\u{fffd}.c (a name that is not UTF-8)",
            "more/etc (a symbolic link)",
        ]
    );
}

/// A link that takes a file's or a folder's place after the listing leads nowhere either.
#[test]
fn reading_never_leaves_the_root() {
    let dir = tempfile::tempdir().expect("temporary folder");
    symlink("/etc/passwd", dir.path().join("file")).expect("links");
    symlink("/etc", dir.path().join("folder")).expect("links");
    fifo(&dir.path().join("fifo"));
    let root = Root::open(dir.path()).expect("opens");
    for path in ["file", "folder/passwd", "../../etc/passwd", "/etc/passwd", "fifo"] {
        assert!(root.read(path, 1 << 20).is_err(), "{path}");
    }
    assert!(root.list("folder").is_err());
}

#[test]
fn bounds_hold() {
    let too_large = |change: &dyn Fn(&Path)| match overlaid(change) {
        Err(TreeError::TooLarge { what }) => what,
        other => panic!("{other:?}"),
    };
    let files = too_large(&|dir| (0..9).for_each(|i| put(&dir.join(format!("fast{i}.c")), "")));
    assert!(files.contains("3 editable files"), "{files}");
    let bytes = too_large(&|dir| {
        // Sparse: costs its maker nothing.
        let file = std::fs::File::create(dir.join("fast.c")).expect("creates");
        file.set_len(1 << 40).expect("grows");
    });
    assert!(bytes.contains("1 MiB"), "{bytes}");
    let depth = too_large(&|dir| put(&dir.join("more/1/2/3/4/x.c"), ""));
    assert!(depth.contains("folders deep"), "{depth}");
    let path = too_large(&|dir| put(&dir.join(format!("fast{}.c", "x".repeat(100))), ""));
    assert!(path.contains("100 bytes"), "{path}");
    let names = too_large(&|dir| (0..60).for_each(|i| put(&dir.join(format!("more{i}")), "")));
    assert!(names.contains("50 names"), "{names}");
}

#[test]
fn a_folder_cannot_take_the_place_of_a_file_that_stays() {
    let dir = tempfile::tempdir().expect("temporary folder");
    put(&dir.path().join("api.c/evil.c"), "evil");
    let editable = ["*/evil.c".to_owned()];
    let tree =
        overlay_workspace(&pristine(), (&editable, None), dir.path(), &BOUNDS).expect("reads");
    assert_eq!(tree.files, pristine());
    assert!(tree.ignored.contains(&"api.c/evil.c (below what is a file)".to_owned()));
}

#[test]
fn a_long_list_says_how_much_more() {
    let tree = overlaid(|dir| (0..9).for_each(|i| put(&dir.join(format!("x{i}")), "")));
    assert_eq!(tree.expect("reads").ignored.last().map(String::as_str), Some("and 5 more"));
}

#[test]
fn a_workspace_that_is_not_there_is_named() {
    let error =
        overlay_workspace(&pristine(), (&editable(), None), Path::new("/nonexistent"), &SMALL);
    assert!(error.expect_err("refused").to_string().contains("/nonexistent"));
}

#[test]
fn globs_reach_only_where_they_can_match() {
    for (glob, folder, reached) in [
        ("fast*.c", "x/", false),
        ("more/**", "more/", true),
        ("more/**", "more/x/", true),
        ("more/**", "mor/", false),
        ("a/b/*.c", "a/", true),
        ("a/b/*.c", "a/b/", true),
        ("a/b/*.c", "a/b/c/", false),
        ("a/*/c.c", "a/b/", true),
        ("**/*.c", "any/", true),
        ("{a,b/c}.c", "b/", true),
    ] {
        assert_eq!(Reach::of(glob).reaches(folder), reached, "{glob} {folder}");
    }
}

#[test]
fn solutions_are_files_or_a_recipe() {
    let mut fixture = Fixture::c(&[("api.c", "api"), ("fast.c", "slow")], &[]);
    let upstream = "top\n/* begin x1 */\nx\n/* end x1 */\n/* begin y1 */\ny\n/* end y1 */\n";
    fixture.put("kernels/toy/src/fast_all.c", upstream);
    let section = |name: &str| crate::task::Strip::Section {
        file: "fast_all.c".to_owned(),
        from: format!("/* begin {name}*"),
        to: format!("/* end {name}*"),
    };
    fixture.task.source.strip = vec![section("x"), section("y")];
    let cache = Cache::at(&fixture.root.path().join("cache")).expect("opens");
    let solution =
        |fixture: &Fixture| assemble(&fixture.task, Overlay::Solution { step: 0 }, &cache);
    let text = |tree: &Tree, name: &str| String::from_utf8_lossy(&tree.files.0[name]).into_owned();

    let none = solution(&fixture).expect_err("nothing there");
    assert!(none.to_string().contains("baselines/toy/01-one"), "{none}");

    fixture.put("baselines/toy/01-one/fast.c", "fast");
    let tree = solution(&fixture).expect("puts together");
    assert_eq!((text(&tree, "fast.c"), text(&tree, "api.c")), ("fast".into(), "api".into()));
    assert_eq!(text(&tree, "fast_all.c"), "top\n");

    fixture.put(
        "baselines/toy/01-one/solution.toml",
        "take = [{ from = \"fast_all.c\", sections = [\"begin y*\"] }]\n\
         prepend = { \"fast_all.c\" = \"#define Y\\n\" }\n",
    );
    let tree = solution(&fixture).expect("puts together");
    assert_eq!(text(&tree, "fast_all.c"), "#define Y\ntop\n/* begin y1 */\ny\n/* end y1 */\n");
    assert_eq!(text(&tree, "fast.c"), "fast");

    for (recipe, what) in [
        ("flags = [\"-DX\"]", "unknown field"),
        ("take = [{ from = \"none.c\" }]", "no file none.c"),
        ("take = [{ from = \"fast_all.c\", sections = [\"begin z*\"] }]", "no section like"),
        ("prepend = { \"fast.c\" = \"x\" }", "nothing is taken from fast.c"),
        ("take = [{ from = \"api.c\" }]", "not editable"),
        ("take = ", "value"),
    ] {
        fixture.put("baselines/toy/01-one/solution.toml", recipe);
        let error = solution(&fixture).expect_err(recipe).to_string();
        assert!(error.contains(what), "{recipe}: {error}");
    }
}
