//! Links the pairs, which the study has compiled: the same objects for every tool.

fn main() {
    println!("cargo:rerun-if-env-changed=PAIRS");
    let folder = std::env::var("PAIRS").expect("PAIRS is the folder of libpairs.a");
    println!("cargo:rerun-if-changed={folder}/libpairs.a");
    println!("cargo:rustc-link-search=native={folder}");
    println!("cargo:rustc-link-lib=static=pairs");
}
