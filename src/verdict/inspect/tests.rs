use super::findings::{memcheck, sanitizers};

#[test]
fn of_memcheck_only_what_comes_from_a_secret_counts() {
    let report = |origin: &str| {
        format!(
            "==7== Conditional jump or move depends on uninitialised value(s)\n\
             ==7==    at 0x1: equal (fast.c:9)\n\
             ==7==  Uninitialised value was created by {origin}\n\
             ==7==    at 0x2: memcheck (practice.rs:90)\n\
             ==7== \n"
        )
    };
    let secret = memcheck(&report("a client request"));
    assert!(secret.contains("equal (fast.c:9)") && !secret.contains("practice.rs"), "{secret}");
    assert_eq!(memcheck(&report("a heap allocation")), "");
    assert_eq!(memcheck("==7== Warning: set address range perms: large range\n"), "");
    let both = memcheck(&(report("a heap allocation") + &report("a client request")));
    assert_eq!(both, secret);
}

#[test]
fn of_a_sanitizer_everything_up_to_the_shadow_counts() {
    let log = "noise\n==7==ERROR: AddressSanitizer: use-after-poison\n    #0 f fast.c:3\n\
               Shadow bytes around the buggy address:\n  0x0: f7\n";
    let report = sanitizers(log);
    assert!(report.starts_with("==7==ERROR") && report.ends_with("fast.c:3"), "{report}");
    assert_eq!(sanitizers("noise\n"), "");
    assert!(sanitizers("fast.c:3:9: runtime error: shift\n").contains("fast.c:3:9"));
}
