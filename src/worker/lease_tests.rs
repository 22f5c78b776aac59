//! Leases among threads, among processes, and among users.

use std::cell::RefCell;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

use super::*;

/// Long enough for the slowest machine; nothing waits for it unless a test fails.
const LONG: Duration = Duration::from_secs(120);
/// Tells the other process which folder to use.
const VARIABLE: &str = "SPEEDGATE_TEST_LEASES";

/// Folders of leases as on a machine, in one of the test's own.
fn places(dir: &Path) -> Places {
    for name in ["root", "shared"] {
        let _ = fs::create_dir(dir.join(name));
    }
    // Whoever runs the tests has a folder in the one or the other.
    Places { roots: vec![dir.join("root")], shared: vec![dir.join("shared")] }
}

fn bench() -> (TempDir, Places) {
    let dir = tempfile::tempdir().unwrap();
    let places = places(dir.path());
    (dir, places)
}

/// Four groups of two threads.
fn eight() -> Vec<Vec<usize>> {
    (0..4).map(|core| vec![core, core + 4]).collect()
}

fn now(places: &Places, groups: &[Vec<usize>], what: &str) -> Result<CoreLease, LeaseError> {
    wait(places, groups, what, Duration::ZERO, &|_| {})
}

fn holders(lease: Result<CoreLease, LeaseError>) -> Vec<Holder> {
    match lease {
        Err(LeaseError::Taken(holders)) => holders,
        other => panic!("{other:?}"),
    }
}

fn listed(places: &Places) -> Vec<usize> {
    let mut all: Vec<usize> =
        places.all().iter().flat_map(held_in).map(|holder| holder.core).collect();
    all.sort();
    all
}

#[test]
fn several_find_room_side_by_side_and_leave_siblings_idle() {
    let (_dir, places) = bench();
    let first = now(&places, &eight(), "one").unwrap();
    assert_eq!(*first.cores(), Cores { supervisor: 0, workers: 3 });
    assert_eq!(listed(&places), [0, 3, 4, 7], "with their siblings");
    let second = now(&places, &eight(), "two").unwrap();
    assert_eq!(*second.cores(), Cores { supervisor: 1, workers: 2 });
    // No room for a third one, which holds nothing meanwhile.
    let who = holders(now(&places, &eight(), "three"));
    assert_eq!(who.len(), 4);
    drop(first);
    assert_eq!(listed(&places), [1, 2, 5, 6]);
    assert_eq!(
        *now(&places, &eight(), "three").unwrap().cores(),
        Cores { supervisor: 0, workers: 3 }
    );
}

#[test]
fn all_or_nothing() {
    let (_dir, places) = bench();
    let one = now(&places, &[vec![1]], "one core").unwrap();
    assert!(one.cores().shared());
    let who = holders(now(&places, &[vec![0], vec![1]], "two cores"));
    assert_eq!(who.iter().map(|h| h.core).collect::<Vec<_>>(), [1]);
    assert_eq!(listed(&places), [1], "core 0 was let go");
    // A core whose sibling is taken is not free either.
    assert_eq!(holders(now(&places, &[vec![0, 1]], "siblings"))[0].core, 1);
    assert_eq!(listed(&places), [1]);
}

#[test]
fn a_lease_says_whose_it_is() {
    let (_dir, places) = bench();
    let held = now(&places, &[vec![0], vec![1]], "grade toy\n01 \x1b[2J").unwrap();
    let who = holders(now(&places, &[vec![0], vec![1]], "another"));
    let me = process::id();
    assert_eq!((who[0].pid, who[0].user), (Some(me), geteuid().as_raw()));
    assert_eq!(who[0].what, "grade toy?01 ?[2J", "nothing that a terminal would obey");
    let text = in_words(&who);
    assert!(text.starts_with(&format!("pid {me} (grade toy?01 ?[2J, since 2")), "{text}");
    drop(held);
}

#[test]
fn what_nobody_locks_is_no_lease() {
    let (_dir, places) = bench();
    drop(now(&places, &[vec![0], vec![1]], "over").unwrap());
    let folder = places.own().unwrap();
    let stale = fs::read_to_string(folder.path().join("core-0")).unwrap();
    assert!(stale.ends_with("over\n"), "{stale}");
    assert_eq!(listed(&places), [0; 0]);
    assert!(now(&places, &[vec![0], vec![1]], "next").is_ok());
}

#[test]
fn planted_links_are_refused() {
    let (dir, places) = bench();
    let victim = dir.path().join("victim");
    fs::write(&victim, "precious").unwrap();
    let folder = places.own().unwrap();
    symlink(&victim, folder.path().join("core-0")).unwrap();
    let refused = now(&places, &[vec![0], vec![1]], "one");
    assert!(matches!(refused, Err(LeaseError::Folder { .. })), "{refused:?}");
    // A link in the place of the whole folder.
    fs::remove_file(folder.path().join("core-0")).unwrap();
    let elsewhere = dir.path().join("elsewhere");
    fs::rename(folder.path(), &elsewhere).unwrap();
    symlink(&elsewhere, folder.path()).unwrap();
    let refused = now(&places, &[vec![0], vec![1]], "one");
    assert!(matches!(refused, Err(LeaseError::Folder { .. })), "{refused:?}");
    assert_eq!(fs::read_to_string(&victim).unwrap(), "precious");
}

/// Users do not write to each other's folders, and still see each other's leases.
#[test]
fn other_users_leases_count_and_graded_codes_do_not() {
    if !geteuid().is_root() {
        eprintln!("skipped: only root can act for other users");
        return;
    }
    let (dir, places) = bench();
    let groups = [vec![0], vec![1]];
    let lease_of = |user: u32| {
        let path = dir.path().join("shared").join(format!("{FOLDER}-{user}"));
        fs::create_dir(&path).unwrap();
        let file = File::create(path.join("core-1")).unwrap();
        fs::write(path.join("core-1"), "7 2026-01-02T03:04:05Z practice toy\n").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        file.lock().unwrap();
        (file, path)
    };
    let (held, path) = lease_of(1234);
    // Not theirs as long as somebody else (we) could have put it there.
    assert!(now(&places, &groups, "one").is_ok());
    chown(&path, Some(1234), None).unwrap();
    let who = holders(now(&places, &groups, "one"));
    assert_eq!((who[0].core, who[0].user, who[0].pid), (1, 1234, Some(7)));
    assert_eq!(listed(&places), [1], "ours were let go");
    held.unlock().unwrap();
    assert!(now(&places, &groups, "one").is_ok());
    // A worker's user.
    let (_held, path) = lease_of(64_102);
    chown(&path, Some(64_102), None).unwrap();
    assert!(now(&places, &groups, "one").is_ok());
}

/// Not a test: the other process of those below. Says what becomes of it, a line each.
#[test]
#[ignore = "runs in a process of its own"]
fn another_process() {
    let Some(dir) = std::env::var_os(VARIABLE) else { return };
    let tell = |who: &[Holder]| println!("waits for {}", in_words(who));
    let groups = [vec![0], vec![1]];
    let lease = wait(&places(Path::new(&dir)), &groups, "another", LONG, &tell).unwrap();
    println!("has {:?}", lease.cores());
    // Until it is killed, or whoever started it has gone.
    let _ = io::stdin().read_line(&mut String::new());
}

struct Other {
    child: Child,
    lines: std::io::Lines<BufReader<std::process::ChildStdout>>,
}

impl Other {
    fn start(dir: &Path) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["worker::lease::tests::another_process", "--exact", "--ignored", "--nocapture"])
            .env(VARIABLE, dir)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Other { child, lines }
    }

    /// The next line that holds this.
    fn says(&mut self, what: &str) -> String {
        self.lines.find_map(|l| l.ok().filter(|l| l.contains(what))).expect("another line")
    }

    fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

#[test]
fn another_process_waits_and_then_has_them() {
    let (dir, places) = bench();
    let mine = now(&places, &[vec![0], vec![1]], "mine").unwrap();
    let mut other = Other::start(dir.path());
    let waits = other.says("waits for");
    assert!(waits.contains(&format!("pid {} (mine, since", process::id())), "{waits}");
    drop(mine);
    other.says("has Cores");
    let who = holders(now(&places, &[vec![0], vec![1]], "mine"));
    assert_eq!((who[0].pid, who[0].what.as_str()), (Some(other.child.id()), "another"));
    other.kill();
}

#[test]
fn a_killed_process_leaves_no_lease() {
    let (dir, places) = bench();
    let mut other = Other::start(dir.path());
    other.says("has Cores");
    let told = RefCell::new(false);
    let other = RefCell::new(other);
    let tell = |_: &[Holder]| {
        // Waiting, it is told who has them; then that one dies without a word.
        if !told.replace(true) {
            other.borrow_mut().kill();
        }
    };
    wait(&places, &[vec![0], vec![1]], "mine", LONG, &tell).unwrap();
    assert!(*told.borrow());
}
