//! The seal: a keystream that hides inputs until the clock starts, and a digest that commits to
//! every output byte before it stops.
//!
//! Neither is meant to outlast a grading: the key is unknown until *go*, and whoever knows the
//! right digest knew the right output. What matters is that both are cheap and the same on all
//! sides. Only where several outputs are right is that not enough: whoever knows the key could
//! commit to anything, and look for right outputs with that digest once the clock has stopped. There
//! the digest is [`binding`]. The algorithm is chosen by the supervisor from the CPU and told to every
//! worker:
//!
//! * `vaes`: six AES rounds on a 64-bit counter (FIPS 197's round function, round keys chained from
//!   the key); the digest absorbs 16 bytes a round in eight lanes. Two blocks an instruction.
//! * `aes`: the same function, one block an instruction.
//! * `portable`: 64-bit multiply-and-fold mixing; other values, same interface.

#[cfg(target_arch = "x86_64")]
mod aes;
mod portable;

/// A key, a digest: 128 bits.
pub type Block = [u64; 2];

/// Which implementation runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Algorithm {
    /// AES on 256-bit vectors.
    Vaes,
    /// AES on 128-bit vectors; same values as `Vaes`.
    Aes,
    /// No special instructions.
    Portable,
}

impl Algorithm {
    /// The best one this CPU runs.
    pub fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            if std::is_x86_feature_detected!("vaes") && std::is_x86_feature_detected!("avx2") {
                return Self::Vaes;
            }
            if std::is_x86_feature_detected!("aes") && std::is_x86_feature_detected!("sse4.1") {
                return Self::Aes;
            }
        }
        Self::Portable
    }

    /// Name, as reports and worker arguments say it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Vaes => "vaes",
            Self::Aes => "aes",
            Self::Portable => "portable",
        }
    }

    /// The algorithm of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Vaes, Self::Aes, Self::Portable].into_iter().find(|a| a.name() == name)
    }
}

/// Counter block at which the stream of buffer `buffer` of call `call` starts. Streams of a burst
/// never overlap: 2^32 blocks (64 GiB) lie between two.
pub fn counter(call: u32, buffer: u32) -> u64 {
    (u64::from(call) << 40) | (u64::from(buffer) << 32)
}

/// Exclusive-ors `len` bytes at `from` with the stream of `key` from block `counter` on, into `to`.
///
/// # Safety
/// `from` is readable and `to` writable for `len` bytes; they don't overlap (or are the same). The
/// CPU has the instructions of `algorithm`.
pub unsafe fn xor_stream(
    algorithm: Algorithm,
    key: Block,
    counter: u64,
    from: *const u8,
    to: *mut u8,
    len: usize,
) {
    // SAFETY: passed on unchanged.
    unsafe {
        match algorithm {
            #[cfg(target_arch = "x86_64")]
            Algorithm::Vaes => aes::xor_stream_vaes(key, counter, from, to, len),
            #[cfg(target_arch = "x86_64")]
            Algorithm::Aes => aes::xor_stream_aes(key, counter, from, to, len),
            _ => portable::xor_stream(key, counter, from, to, len),
        }
    }
}

/// A stretch of bytes: `rows` of `row_bytes`, `stride` apart.
#[derive(Debug, Clone, Copy)]
pub struct Stretch {
    /// First byte.
    pub start: *const u8,
    /// Rows.
    pub rows: usize,
    /// Bytes a row.
    pub row_bytes: usize,
    /// Bytes from row to row.
    pub stride: usize,
}

/// Digest of `stretches` and a return value under `key`.
///
/// # Safety
/// Every row is readable; the CPU has the instructions of `algorithm`.
pub unsafe fn digest(algorithm: Algorithm, key: Block, stretches: &[Stretch], ret: u64) -> Block {
    // SAFETY: passed on unchanged.
    unsafe {
        match algorithm {
            #[cfg(target_arch = "x86_64")]
            Algorithm::Vaes => aes::digest_vaes(key, stretches, ret),
            #[cfg(target_arch = "x86_64")]
            Algorithm::Aes => aes::digest_aes(key, stretches, ret),
            _ => portable::digest(key, stretches, ret),
        }
    }
}

/// Digest of `stretches` and a return value under `key` that *binds*: other outputs with the same
/// digest are not to be found, whoever knows the key. BLAKE3, keyed, of which 128 bits are kept;
/// how much longer that takes than [`digest`] is in METHODOLOGY.md.
///
/// # Safety
/// Every row is readable.
pub unsafe fn binding(key: Block, stretches: &[Stretch], ret: u64) -> Block {
    let mut whole = [0; blake3::KEY_LEN];
    whole[..8].copy_from_slice(&key[0].to_le_bytes());
    whole[8..16].copy_from_slice(&key[1].to_le_bytes());
    let mut hasher = blake3::Hasher::new_keyed(&whole);
    for s in stretches {
        for row in 0..s.rows {
            // SAFETY: the caller promises that every row is readable.
            let bytes =
                unsafe { std::slice::from_raw_parts(s.start.add(row * s.stride), s.row_bytes) };
            hasher.update(bytes);
        }
        // What one stretch has more another has less: lengths are part of it.
        hasher.update(&(s.rows as u64).to_le_bytes());
        hasher.update(&(s.row_bytes as u64).to_le_bytes());
    }
    hasher.update(&ret.to_le_bytes());
    let all = hasher.finalize();
    let word =
        |at: usize| all.as_bytes()[at..at + 8].iter().rev().fold(0, |w, b| w << 8 | u64::from(*b));
    [word(0), word(8)]
}

/// What a burst of independent calls commits to: all of their digests, in order.
pub fn combine(all: Block, next: Block) -> Block {
    [all[0].rotate_left(1) ^ next[0], all[1].rotate_left(1) ^ next[1]]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn algorithms() -> Vec<Algorithm> {
        let best = Algorithm::detect();
        let all = [Algorithm::Vaes, Algorithm::Aes, Algorithm::Portable];
        let from = all.iter().position(|a| *a == best).unwrap_or(2);
        all[from..].to_vec()
    }

    fn stream(a: Algorithm, key: Block, counter: u64, data: &[u8]) -> Vec<u8> {
        let mut out = vec![0; data.len()];
        // SAFETY: both are slices of that length; `algorithms` only lists what the CPU has.
        unsafe { xor_stream(a, key, counter, data.as_ptr(), out.as_mut_ptr(), data.len()) };
        out
    }

    fn hash(a: Algorithm, key: Block, data: &[u8], ret: u64) -> Block {
        let all =
            Stretch { start: data.as_ptr(), rows: 1, row_bytes: data.len(), stride: data.len() };
        // SAFETY: the stretch is a slice.
        unsafe { digest(a, key, &[all], ret) }
    }

    proptest! {
        #[test]
        fn unsealing_undoes_sealing(data in proptest::collection::vec(any::<u8>(), 0..700),
                                    key in any::<[u64; 2]>(), call in 0u32..64, buffer in 0u32..8) {
            for a in algorithms() {
                let sealed = stream(a, key, counter(call, buffer), &data);
                prop_assert_eq!(&stream(a, key, counter(call, buffer), &sealed), &data);
                if data.len() > 16 { prop_assert_ne!(&sealed, &data); }
            }
        }

        #[test]
        fn aes_and_vaes_agree(data in proptest::collection::vec(any::<u8>(), 0..700),
                              key in any::<[u64; 2]>(), ret in any::<u64>()) {
            if Algorithm::detect() == Algorithm::Vaes {
                prop_assert_eq!(stream(Algorithm::Vaes, key, 7, &data), stream(Algorithm::Aes, key, 7, &data));
                prop_assert_eq!(hash(Algorithm::Vaes, key, &data, ret), hash(Algorithm::Aes, key, &data, ret));
            }
        }

        #[test]
        fn one_bit_anywhere_changes_the_digest(data in proptest::collection::vec(any::<u8>(), 1..700),
                                               key in any::<[u64; 2]>(), place in any::<prop::sample::Index>(), bit in 0u8..8) {
            for a in algorithms() {
                let mut other = data.clone();
                let at = place.index(data.len());
                other[at] ^= 1 << bit;
                prop_assert_ne!(hash(a, key, &data, 1), hash(a, key, &other, 1));
                prop_assert_ne!(hash(a, key, &data, 1), hash(a, key, &data, 2));
                prop_assert_ne!(hash(a, key, &data, 1), hash(a, [key[0] ^ 1, key[1]], &data, 1));
            }
        }

        #[test]
        fn length_and_row_shape_count(len in 0usize..300) {
            let zeros = vec![0u8; len + 1];
            for a in algorithms() {
                prop_assert_ne!(hash(a, [1, 2], &zeros[..len], 0), hash(a, [1, 2], &zeros, 0));
            }
        }
    }

    #[test]
    fn a_binding_digest_depends_on_every_part() {
        let data: Vec<u8> = (0..200).collect();
        let hash = |key, data: &[u8], (rows, row_bytes, stride), ret| {
            let s = Stretch { start: data.as_ptr(), rows, row_bytes, stride };
            // SAFETY: each shape below lies in 200 bytes.
            unsafe { binding(key, &[s], ret) }
        };
        let first = hash([1, 2], &data, (4, 40, 50), 9);
        let mut all = std::collections::HashSet::from([first]);
        let mut other = data.clone();
        other[45] ^= 1;
        assert!(!all.insert(hash([1, 2], &other, (4, 40, 50), 9)), "padding counts");
        other[189] ^= 1;
        for new in [
            hash([1, 2], &other, (4, 40, 50), 9),
            hash([1, 3], &data, (4, 40, 50), 9),
            hash([1, 2], &data, (4, 40, 50), 8),
            hash([1, 2], &data, (4, 39, 50), 9),
            hash([1, 2], &data, (3, 40, 50), 9),
            hash([1, 2], &data, (1, 0, 0), 9),
            hash([1, 2], &data, (0, 0, 0), 9),
        ] {
            assert!(all.insert(new));
        }
    }

    #[test]
    fn padding_between_rows_does_not_count() {
        for a in algorithms() {
            let mut plane = vec![3u8; 5 * 100];
            let rows = |p: &[u8]| {
                let s = Stretch { start: p.as_ptr(), rows: 5, row_bytes: 90, stride: 100 };
                // SAFETY: 5 rows of 90 bytes, 100 apart, lie in 500 bytes.
                unsafe { digest(a, [4, 5], &[s], 0) }
            };
            let before = rows(&plane);
            plane[95] = 9;
            assert_eq!(before, rows(&plane));
            plane[189] = 9;
            assert_ne!(before, rows(&plane));
        }
    }

    #[test]
    fn streams_of_a_burst_do_not_overlap() {
        for a in algorithms() {
            let zeros = [0u8; 64];
            let mut seen = std::collections::HashSet::new();
            for call in 0..4 {
                for buffer in 0..4 {
                    for block in stream(a, [9, 9], counter(call, buffer), &zeros).chunks(16) {
                        assert!(seen.insert(block.to_vec()), "{a:?} repeats a block");
                    }
                }
            }
        }
    }
}
