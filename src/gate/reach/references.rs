//! Which functions of a library refer to which: read from the file, without taking instructions
//! apart. Where four bytes of a function's code, taken as a distance from their end, lead exactly
//! to the beginning of another function, that is a call, a jump or an address taken; bytes that do
//! so by chance are rarer than one in a billion. Tables of pointers are followed through their
//! relocations.
//!
//! It sees more than is called (a branch that is never taken counts), and therefore never denies
//! what an honest library does; calls through computed addresses are not seen.

use std::collections::{BTreeMap, HashSet};

use object::elf::R_X86_64_RELATIVE;
use object::read::elf::ElfFile64;
use object::{
    Architecture, Endianness, Object, ObjectSection, ObjectSymbol, RelocationFlags, SectionKind,
    SymbolKind,
};

/// A library, read as far as references need.
pub(super) struct References<'a> {
    /// Beginnings of functions, and where the section that holds each ends.
    functions: BTreeMap<u64, u64>,
    /// Places that hold a pointer once the library is loaded, and where it leads.
    pointers: BTreeMap<u64, u64>,
    /// Beginnings of tables and variables, and their sizes.
    data: BTreeMap<u64, u64>,
    /// Code: address and bytes.
    code: Vec<(u64, &'a [u8])>,
    exported: BTreeMap<String, u64>,
}

impl<'a> References<'a> {
    /// Reads a library.
    ///
    /// # Errors
    /// In words, where it can't be read or is for a processor whose code is not known here.
    pub fn read(bytes: &'a [u8]) -> Result<Self, String> {
        let file = ElfFile64::<Endianness>::parse(bytes).map_err(|e| e.to_string())?;
        if file.architecture() != Architecture::X86_64 {
            return Err("references are followed on x86-64 only".into());
        }
        let mut all = Self {
            functions: BTreeMap::new(),
            pointers: BTreeMap::new(),
            data: BTreeMap::new(),
            code: Vec::new(),
            exported: BTreeMap::new(),
        };
        for section in file.sections() {
            if section.kind() == SectionKind::Text {
                let code = section.data().map_err(|e| e.to_string())?;
                all.code.push((section.address(), code));
            }
        }
        for symbol in file.symbols().chain(file.dynamic_symbols()) {
            if symbol.is_undefined() {
                continue;
            }
            let at = symbol.address();
            if let Some(end) = all.section_end(at) {
                all.functions.insert(at, end);
            } else if symbol.kind() == SymbolKind::Data {
                let size = all.data.entry(at).or_default();
                *size = (*size).max(symbol.size());
            }
        }
        for symbol in file.dynamic_symbols().filter(|s| !s.is_undefined()) {
            if let Ok(name) = symbol.name() {
                all.exported.insert(name.to_owned(), symbol.address());
            }
        }
        for (place, relocation) in file.dynamic_relocations().into_iter().flatten() {
            // Linked with -Bsymbolic, a library refers to symbols of its own in no other way (but
            // for IFUNCs, which are not followed).
            if relocation.flags() == (RelocationFlags::Elf { r_type: R_X86_64_RELATIVE }) {
                all.pointers.insert(place, relocation.addend() as u64);
            }
        }
        Ok(all)
    }

    /// Address of an exported function, relative to the beginning of the file in memory.
    pub fn exported(&self, name: &str) -> Option<u64> {
        self.exported.get(name).copied()
    }

    /// Whether references lead from one function to another one, over any number of others.
    pub fn lead(&self, from: u64, to: u64) -> bool {
        let mut seen = HashSet::from([from]);
        let mut open = vec![from];
        while let Some(function) = open.pop() {
            if function == to {
                return true;
            }
            for next in self.of(function) {
                if seen.insert(next) {
                    open.push(next);
                }
            }
        }
        false
    }

    /// The functions that one refers to.
    fn of(&self, function: u64) -> Vec<u64> {
        let (address, code) = self.bytes(function);
        let mut found = Vec::new();
        for (at, window) in code.windows(4).enumerate() {
            let distance = i32::from_le_bytes([window[0], window[1], window[2], window[3]]);
            let end = address + at as u64 + 4;
            self.add(end.wrapping_add_signed(distance.into()), &mut found);
        }
        // Short jumps, which compilers do not make from one section to another, but authors of
        // assembly do within one.
        for (at, pair) in code.windows(2).enumerate() {
            if matches!(pair[0], 0xEB | 0x70..=0x7F) {
                let end = address + at as u64 + 2;
                let target = end.wrapping_add_signed((pair[1] as i8).into());
                if self.functions.contains_key(&target) {
                    found.push(target);
                }
            }
        }
        found
    }

    /// What an address leads to: itself if a function begins there, or the functions that a table
    /// there points to.
    fn add(&self, address: u64, found: &mut Vec<u64>) {
        if self.functions.contains_key(&address) {
            found.push(address);
        }
        let (begin, size) = match self.data.range(..=address).next_back() {
            Some((&begin, &size)) if address < begin.saturating_add(size.max(1)) => (begin, size),
            _ => (address, 1),
        };
        let end = begin.saturating_add(size.max(1));
        for &target in self.pointers.range(begin..end).map(|(_, target)| target) {
            if self.functions.contains_key(&target) {
                found.push(target);
            }
        }
    }

    /// A function's code: from its beginning to that of the next one in the section.
    fn bytes(&self, function: u64) -> (u64, &'a [u8]) {
        let end = self.functions.get(&function).copied().unwrap_or(function);
        let next = self.functions.range(function + 1..).next().map_or(end, |(&next, _)| next);
        let section =
            self.code.iter().find(|(at, code)| (*at..*at + code.len() as u64).contains(&function));
        let Some((at, code)) = section else { return (function, &[]) };
        let range = (function - at) as usize..(next.min(end) - at) as usize;
        (function, code.get(range).unwrap_or(&[]))
    }

    fn section_end(&self, address: u64) -> Option<u64> {
        let ends = self.code.iter().map(|(at, code)| (*at, at + code.len() as u64));
        ends.into_iter().find(|(at, end)| (*at..*end).contains(&address)).map(|(_, end)| end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What would have been read of a file with this code.
    fn of_code<'a>(code: Vec<(u64, &'a [u8])>, functions: &[u64]) -> References<'a> {
        let mut all = References {
            functions: BTreeMap::new(),
            pointers: BTreeMap::new(),
            data: BTreeMap::new(),
            code,
            exported: BTreeMap::new(),
        };
        for &at in functions {
            let end = all.section_end(at).unwrap();
            all.functions.insert(at, end);
        }
        all
    }

    fn added(all: &References<'_>, address: u64) -> Vec<u64> {
        let mut found = Vec::new();
        all.add(address, &mut found);
        found
    }

    #[test]
    fn a_table_ends_where_its_size_says() {
        let code = [0x90; 48];
        let mut all = of_code(vec![(0x1000, &code[..])], &[0x1000, 0x1010, 0x1020]);
        all.data.insert(0x4000, 16);
        for (place, target) in [(0x4000, 0x1000), (0x4008, 0x1010), (0x4010, 0x1020)] {
            all.pointers.insert(place, target);
        }
        for inside in [0x4000, 0x4008, 0x400F] {
            assert_eq!(added(&all, inside), [0x1000, 0x1010], "{inside:#x}");
        }
        assert_eq!(added(&all, 0x4010), [0x1020], "the pointer that stands behind it");
        assert!(added(&all, 0x4018).is_empty());
        // One without a size is its first place.
        all.data.insert(0x4010, 0);
        assert_eq!(added(&all, 0x4010), [0x1020]);
        assert!(added(&all, 0x4011).is_empty());
        // Where it leads to is a function's beginning or nothing.
        all.pointers.insert(0x4010, 0x1021);
        assert!(added(&all, 0x4010).is_empty());
    }

    #[test]
    fn short_jumps_lead_forwards_and_backwards() {
        let mut code = [0x90; 48];
        // From 0x1013: `jmp` to 0x1020; from 0x1019: `jg` to 0x1000; at 0x1025 it is no jump.
        code[0x13..0x15].copy_from_slice(&[0xEB, 0x0B]);
        code[0x19..0x1B].copy_from_slice(&[0x7F, 0xE5]);
        code[0x25..0x27].copy_from_slice(&[0xEA, 0xD9]);
        let all = of_code(vec![(0x1000, &code[..])], &[0x1000, 0x1010, 0x1020]);
        assert_eq!(all.of(0x1010), [0x1020, 0x1000]);
        assert!(all.of(0x1000).is_empty() && all.of(0x1020).is_empty());
        assert!(all.lead(0x1010, 0x1020) && !all.lead(0x1020, 0x1000));
    }

    #[test]
    fn code_goes_to_the_next_function_or_the_end_of_its_section() {
        let [first, second] = [0x40, 0x60].map(|begin: u8| (begin..).take(16).collect::<Vec<u8>>());
        let code = vec![(0x1000, &first[..]), (0x1010, &second[..])];
        let all = of_code(code, &[0x1004, 0x1008, 0x1018]);
        assert_eq!(all.bytes(0x1004), (0x1004, &first[4..8]));
        assert_eq!(all.bytes(0x1008), (0x1008, &first[8..]));
        assert_eq!(all.bytes(0x1018), (0x1018, &second[8..]));
        let ends = [0xFFF, 0x1000, 0x100F, 0x1010, 0x101F, 0x1020].map(|at| all.section_end(at));
        let (one, two) = (Some(0x1010), Some(0x1020));
        assert_eq!(ends, [None, one, one, two, two, None]);
    }
}
