use super::*;
use crate::task::fixture::Fixture;
use crate::task::model::Strip;

const SHA: &str = "5f542752c7335a9174e7bb81112c3ca1415a7a6b6ec2c3e840aca347a30f9141";

fn fixture(registry: Registry, name: &str, version: &str, sha256: &str) -> (Fixture, Cache) {
    let mut fixture = Fixture::c(&[], &[]);
    fixture.task.source.origin = Origin::Package {
        registry,
        name: name.to_owned(),
        version: version.to_owned(),
        sha256: sha256.to_owned(),
    };
    let cache = Cache::at(&fixture.root.path().join("cache")).expect("opens");
    (fixture, cache)
}

#[test]
fn a_tree_is_stripped_and_gets_the_shim_and_the_contract() {
    let mut fixture = Fixture::c(&[("a.c", "int a;"), ("arch/k.c", "int k;")], &[]);
    fixture.put("kernels/toy/own/shim.c", "int shim;");
    fixture.task.source.shim = vec!["own/shim.c".to_owned()];
    fixture.task.source.strip = vec![Strip::Files("arch/**".to_owned())];
    let cache = Cache::at(&fixture.root.path().join("cache")).expect("opens");
    let files = pristine(&fixture.task, &cache).expect("reads");
    assert_eq!(files.0.keys().collect::<Vec<_>>(), ["a.c", "include/toy.h", "shim.c"]);
    let all = upstream(&fixture.task, &cache).expect("reads");
    assert_eq!(all.0.keys().collect::<Vec<_>>(), ["a.c", "arch/k.c"]);
}

#[test]
fn the_root_becomes_the_tree() {
    let mut fixture = Fixture::c(&[("deep/lib/a.c", ""), ("b.c", "")], &[]);
    let cache = Cache::at(&fixture.root.path().join("cache")).expect("opens");
    fixture.task.source.root = "deep/lib".to_owned();
    let files = upstream(&fixture.task, &cache).expect("reads");
    assert_eq!(files.0.keys().collect::<Vec<_>>(), ["a.c"]);
    fixture.task.source.root = "dee".to_owned();
    assert!(matches!(upstream(&fixture.task, &cache), Err(SourceError::NoRoot { .. })));
}

#[test]
fn registries_to_come_say_so() {
    for (registry, expected) in [(Registry::Pypi, "pypi"), (Registry::Debian, "debian")] {
        let (fixture, cache) = fixture(registry, "x", "1", SHA);
        match upstream(&fixture.task, &cache) {
            Err(SourceError::NotSupported { registry }) => assert_eq!(registry, expected),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_lock_that_pins_something_else_is_refused() {
    let (fixture, cache) = fixture(Registry::Crate, "simdutf", "0.7.0", SHA);
    let own = "[[package]]\nname = \"own\"\nversion = \"0.0.0\"\n";
    let pinned = "[[package]]\nname = \"simdutf\"\nversion = \"0.7.0\"\nsource = \"r\"\n";
    for (lock, what) in [
        ("nonsense".to_owned(), "Cargo.lock"),
        (own.to_owned(), "does not hold simdutf 0.7.0"),
        (format!("{own}{pinned}checksum = \"00\"\n"), "another checksum"),
        (format!("{pinned}checksum = \"{SHA}\"\n"), "no package of its own"),
    ] {
        fixture.put("kernels/toy/Cargo.lock", &lock);
        let error = upstream(&fixture.task, &cache).expect_err("refused");
        assert!(matches!(error, SourceError::BadLock { .. }), "{error}");
        assert!(error.to_string().contains(what), "{error}");
    }
}

#[test]
fn a_package_in_the_cache_needs_no_registry() {
    let (fixture, cache) = fixture(Registry::Crate, "no-such-package", "1.0.0", SHA);
    let files = Files([("a.c".to_owned(), b"int a;".to_vec())].into());
    cache.store("sources", SHA, &files).expect("stores");
    assert_eq!(upstream(&fixture.task, &cache).expect("served"), files);
}

/// The real thing, once over the network (or skipped, visibly, where there is none).
#[test]
fn the_crate_is_fetched_checked_and_then_served_offline() {
    let (fixture, cache) = fixture(Registry::Crate, "simdutf", "0.7.0", SHA);
    let files = match upstream(&fixture.task, &cache) {
        Err(error @ SourceError::NotServed { .. }) => {
            eprintln!("SKIPPED: {error}");
            return;
        }
        files => files.expect("fetches"),
    };
    assert!(files.0["cpp/simdutf.cpp"].len() > 1 << 20);
    // Now the client may vanish: what is cached is found by its hash.
    fs::remove_dir_all(cache.private("cargo").expect("there")).expect("removes");
    assert_eq!(upstream(&fixture.task, &cache).expect("served"), files);

    // The same package under another pin is not the pinned one.
    let (other, cache) =
        super::tests::fixture(Registry::Crate, "simdutf", "0.7.0", &SHA.replace('5', "6"));
    match upstream(&other.task, &cache) {
        Err(SourceError::BadHash { found, .. }) => assert_eq!(found, SHA),
        // The registry may have gone away in between.
        Err(SourceError::NotServed { .. }) => {}
        other => panic!("{other:?}"),
    }
}
