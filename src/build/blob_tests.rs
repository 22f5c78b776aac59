use std::io::Write;

use flate2::write::GzEncoder;

use super::*;

fn elf() -> Vec<u8> {
    std::fs::read("/proc/self/exe").expect("reads").into_iter().take(5000).collect()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).expect("writes to memory");
    encoder.finish().expect("writes to memory")
}

/// What a tool of the system makes of bytes; none where it is not there.
fn packed(tool: &str, bytes: &[u8]) -> Option<Vec<u8>> {
    let dir = tempfile::tempdir().expect("temporary folder");
    let file = dir.path().join("asset");
    std::fs::write(&file, bytes).expect("writes");
    let mut command = std::process::Command::new(tool);
    command.current_dir(dir.path());
    match tool {
        "tar" => command.args(["-cJf", "-", "asset"]),
        "python3" => command.args(["-m", "zipfile", "-c", "out.zip", "asset"]),
        _ => command.args(["-c", "asset"]),
    };
    let Some(output) = command.output().ok().filter(|o| o.status.success()) else {
        eprintln!("SKIPPED in part: no {tool} here");
        return None;
    };
    Some(std::fs::read(dir.path().join("out.zip")).unwrap_or(output.stdout))
}

#[test]
fn code_is_found_wherever_it_lies() {
    assert_eq!(foreign(&elf()).as_deref(), Some("an ELF file at byte 0"));
    let hidden = [b"/* just a table */ ".as_slice(), &elf()].concat();
    assert_eq!(foreign(&hidden).as_deref(), Some("an ELF file at byte 19"));
    assert!(foreign(b"x!<arch>\nfast.o/").expect("found").contains("archive of objects"));
    assert!(foreign(b"\0asm\x01\0\0\0").expect("found").contains("WebAssembly"));
    let mut windows = b"MZ".to_vec();
    windows.resize(60, 0);
    windows.extend(b"\x40\0\0\0PE\0\0");
    assert!(foreign(&windows).expect("found").contains("Windows"));
}

#[test]
fn code_is_found_in_archives_in_archives() {
    let found = foreign(&gzip(&elf())).expect("found");
    assert_eq!(found, "an ELF file at byte 0 in a gzip archive at byte 0");
    assert!(foreign(&gzip(&gzip(&elf()))).is_some());
    for tool in ["xz", "bzip2", "zstd", "tar", "python3"] {
        let Some(archive) = packed(tool, &elf()) else { continue };
        assert!(foreign(&archive).is_some(), "{tool}");
        // Cut in half it still shows how it begins, unless it is one block that needs its end.
        foreign(&archive[..archive.len() / 2]);
        let archive = packed(tool, b"a table of constants, 1, 2, 3").expect("worked before");
        assert_eq!(foreign(&archive), None, "{tool}");
    }
}

#[test]
fn what_takes_too_long_to_look_through_is_refused() {
    let mut nested = gzip(b"nothing");
    for _ in 0..DEPTH + 1 {
        nested = gzip(&nested);
    }
    assert!(foreign(&nested).expect("refused").contains("archives in each other"));
    let bomb = gzip(&vec![0; 9 << 20]);
    let mut look = Look { work: 8 << 20, archives: 10 };
    assert!(look.find(&bomb, DEPTH).expect("refused").contains("MiB"));
    let many = gzip(b"x").repeat(20);
    assert!(Look { work: WORK, archives: 10 }.find(&many, DEPTH).is_some());
}

#[test]
fn honest_files_hold_no_code() {
    for text in
        [&include_bytes!("blob.rs")[..], b"static const unsigned char table[] = {0x7f, 0x45};"]
    {
        assert_eq!(foreign(text), None);
    }
    // Bytes as a table may have them, with what looks like the beginning of everything.
    let mut table: Vec<u8> =
        (0..1 << 16).map(|i: u32| (i.wrapping_mul(2654435761) >> 24) as u8).collect();
    for (magic, _) in PACKED {
        table.extend(magic);
        table.extend([0xff; 40]);
    }
    assert_eq!(foreign(&table), None);
}

#[test]
fn every_beginning_of_an_archive_can_be_looked_at() {
    let mut archives = vec![gzip(&elf()[..300])];
    archives.extend(["xz", "bzip2", "zstd"].iter().filter_map(|tool| packed(tool, &elf()[..300])));
    for archive in archives {
        for at in 0..archive.len() {
            foreign(&archive[..at]);
            let mut broken = archive.clone();
            broken[at] ^= 0x55;
            foreign(&broken);
        }
    }
}
