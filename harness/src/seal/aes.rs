//! The seal with AES instructions. Both widths compute the same values.

use std::arch::x86_64::*;

use super::{Block, Stretch};

/// Lanes of the digest: enough to hide the latency of a round behind its throughput.
const LANES: usize = 8;
/// Bytes a full round of the digest absorbs.
const CHUNK: usize = 16 * LANES;
/// Rounds of the keystream: the best practical attack on six needs 2^34 chosen blocks.
const ROUNDS: usize = 6;

/// Round keys, chained from the key by single rounds: 24 cycles, where FIPS 197's schedule takes 60.
#[target_feature(enable = "aes,sse4.1")]
#[inline]
fn round_keys(key: __m128i) -> [__m128i; ROUNDS + 1] {
    let mut keys = [key; ROUNDS + 1];
    for r in 1..=ROUNDS {
        let constant = _mm_set_epi64x(0x243F_6A88_85A3_08D3, 0x1319_8A2E_0370_7344 ^ r as i64);
        keys[r] = _mm_aesenc_si128(keys[r - 1], constant);
    }
    keys
}

#[target_feature(enable = "sse2")]
#[inline]
fn load(block: Block) -> __m128i {
    _mm_set_epi64x(block[1] as i64, block[0] as i64)
}

#[target_feature(enable = "sse4.1")]
#[inline]
fn store(v: __m128i) -> Block {
    [_mm_cvtsi128_si64(v) as u64, _mm_extract_epi64::<1>(v) as u64]
}

#[target_feature(enable = "aes,sse4.1")]
#[inline]
fn keystream_block(keys: &[__m128i; ROUNDS + 1], counter: u64) -> __m128i {
    let mut x = _mm_xor_si128(_mm_set_epi64x(0, counter as i64), keys[0]);
    for key in &keys[1..] {
        x = _mm_aesenc_si128(x, *key);
    }
    x
}

/// The rest of a stream after the wide loop: whole blocks, then single bytes.
///
/// # Safety
/// As [`super::xor_stream`].
#[target_feature(enable = "aes,sse4.1")]
#[inline]
unsafe fn xor_tail(
    keys: &[__m128i; ROUNDS + 1],
    mut counter: u64,
    mut from: *const u8,
    mut to: *mut u8,
    mut len: usize,
) {
    // SAFETY: every access stays below `len`.
    unsafe {
        while len >= 16 {
            let x = _mm_xor_si128(keystream_block(keys, counter), _mm_loadu_si128(from.cast()));
            _mm_storeu_si128(to.cast(), x);
            (from, to, len, counter) = (from.add(16), to.add(16), len - 16, counter + 1);
        }
        if len > 0 {
            let mut rest = [0u8; 16];
            _mm_storeu_si128(rest.as_mut_ptr().cast(), keystream_block(keys, counter));
            for (i, byte) in rest.iter().enumerate().take(len) {
                *to.add(i) = *from.add(i) ^ byte;
            }
        }
    }
}

/// # Safety
/// As [`super::xor_stream`].
#[target_feature(enable = "aes,sse4.1")]
#[inline]
pub unsafe fn xor_stream_aes(
    key: Block,
    mut counter: u64,
    mut from: *const u8,
    mut to: *mut u8,
    mut len: usize,
) {
    let keys = round_keys(load(key));
    // SAFETY: every access stays below `len`.
    unsafe {
        while len >= 128 {
            let mut x = [_mm_setzero_si128(); 8];
            for (i, v) in x.iter_mut().enumerate() {
                *v = _mm_xor_si128(_mm_set_epi64x(0, (counter + i as u64) as i64), keys[0]);
            }
            for key in &keys[1..] {
                for v in &mut x {
                    *v = _mm_aesenc_si128(*v, *key);
                }
            }
            for (i, v) in x.iter().enumerate() {
                let c = _mm_loadu_si128(from.add(16 * i).cast());
                _mm_storeu_si128(to.add(16 * i).cast(), _mm_xor_si128(*v, c));
            }
            (from, to, len, counter) = (from.add(128), to.add(128), len - 128, counter + 8);
        }
        xor_tail(&keys, counter, from, to, len);
    }
}

/// # Safety
/// As [`super::xor_stream`].
#[target_feature(enable = "vaes,avx2,aes,sse4.1")]
#[inline]
pub unsafe fn xor_stream_vaes(
    key: Block,
    mut counter: u64,
    mut from: *const u8,
    mut to: *mut u8,
    mut len: usize,
) {
    let keys = round_keys(load(key));
    // SAFETY: every access stays below `len`.
    unsafe {
        if len >= 256 {
            let wide: [__m256i; ROUNDS + 1] =
                std::array::from_fn(|i| _mm256_broadcastsi128_si256(keys[i]));
            while len >= 256 {
                let mut x = [_mm256_setzero_si256(); 8];
                for (i, v) in x.iter_mut().enumerate() {
                    let at = counter + 2 * i as u64;
                    let block = _mm256_set_epi64x(0, (at + 1) as i64, 0, at as i64);
                    *v = _mm256_xor_si256(block, wide[0]);
                }
                for key in &wide[1..] {
                    for v in &mut x {
                        *v = _mm256_aesenc_epi128(*v, *key);
                    }
                }
                for (i, v) in x.iter().enumerate() {
                    let c = _mm256_loadu_si256(from.add(32 * i).cast());
                    _mm256_storeu_si256(to.add(32 * i).cast(), _mm256_xor_si256(*v, c));
                }
                (from, to, len, counter) = (from.add(256), to.add(256), len - 256, counter + 16);
            }
        }
        xor_tail(&keys, counter, from, to, len);
    }
}

/// Constant of the digest's rounds.
#[target_feature(enable = "sse2")]
#[inline]
fn constant() -> __m128i {
    _mm_set_epi64x(0xA409_3822_299F_31D0_u64 as i64, 0x082E_FA98_EC4E_6C89)
}

#[target_feature(enable = "aes,sse4.1")]
#[inline]
fn lanes(key: Block) -> [__m128i; LANES] {
    let key = load(key);
    let mut lanes = [key; LANES];
    for (i, lane) in lanes.iter_mut().enumerate() {
        *lane = _mm_xor_si128(key, _mm_set1_epi8(i as i8 * 17));
    }
    lanes
}

/// Absorbs what is left of a row (fewer than `CHUNK` bytes) and the row's length.
///
/// # Safety
/// `len` bytes at `from` are readable.
#[target_feature(enable = "aes,sse4.1")]
#[inline]
unsafe fn absorb_tail(
    lanes: &mut [__m128i; LANES],
    mut from: *const u8,
    mut len: usize,
    row: usize,
) {
    let k = constant();
    let mut lane = 0;
    // SAFETY: every access stays below `len`, or is to a local array.
    unsafe {
        while len >= 16 {
            lanes[lane] =
                _mm_aesenc_si128(_mm_xor_si128(lanes[lane], _mm_loadu_si128(from.cast())), k);
            (from, len, lane) = (from.add(16), len - 16, lane + 1);
        }
        if len > 0 {
            let mut rest = [0u8; 16];
            std::ptr::copy_nonoverlapping(from, rest.as_mut_ptr(), len);
            let v = _mm_loadu_si128(rest.as_ptr().cast());
            lanes[lane] = _mm_aesenc_si128(_mm_xor_si128(lanes[lane], v), k);
        }
    }
    // The length ends each row: without it, rows could be cut elsewhere unseen.
    lanes[LANES - 1] =
        _mm_aesenc_si128(_mm_xor_si128(lanes[LANES - 1], _mm_set_epi64x(0, row as i64)), k);
}

#[target_feature(enable = "aes,sse4.1")]
#[inline]
fn finish(l: [__m128i; LANES], ret: u64) -> Block {
    let k = constant();
    let first = _mm_aesenc_si128(_mm_xor_si128(l[0], _mm_set_epi64x(0, ret as i64)), k);
    let a = _mm_aesenc_si128(first, l[1]);
    let b = _mm_aesenc_si128(l[2], l[3]);
    let c = _mm_aesenc_si128(l[4], l[5]);
    let d = _mm_aesenc_si128(l[6], l[7]);
    let e = _mm_aesenc_si128(_mm_aesenc_si128(a, b), _mm_aesenc_si128(c, d));
    store(_mm_aesenc_si128(_mm_aesenc_si128(e, k), k))
}

/// # Safety
/// As [`super::digest`].
#[target_feature(enable = "aes,sse4.1")]
#[inline]
pub unsafe fn digest_aes(key: Block, stretches: &[Stretch], ret: u64) -> Block {
    let k = constant();
    let mut lanes = lanes(key);
    for s in stretches {
        for row in 0..s.rows {
            // SAFETY: the caller promises that every row is readable.
            unsafe {
                let mut from = s.start.add(row * s.stride);
                let mut len = s.row_bytes;
                while len >= CHUNK {
                    for (i, lane) in lanes.iter_mut().enumerate() {
                        let v = _mm_loadu_si128(from.add(16 * i).cast());
                        *lane = _mm_aesenc_si128(_mm_xor_si128(*lane, v), k);
                    }
                    (from, len) = (from.add(CHUNK), len - CHUNK);
                }
                absorb_tail(&mut lanes, from, len, s.row_bytes);
            }
        }
    }
    finish(lanes, ret)
}

/// # Safety
/// As [`super::digest`].
#[target_feature(enable = "vaes,avx2,aes,sse4.1")]
#[inline]
pub unsafe fn digest_vaes(key: Block, stretches: &[Stretch], ret: u64) -> Block {
    let k = _mm256_broadcastsi128_si256(constant());
    let mut lanes = lanes(key);
    for s in stretches {
        for row in 0..s.rows {
            // SAFETY: the caller promises that every row is readable.
            unsafe {
                let mut from = s.start.add(row * s.stride);
                let mut len = s.row_bytes;
                if len >= CHUNK {
                    let mut wide: [__m256i; LANES / 2] =
                        std::array::from_fn(|i| _mm256_set_m128i(lanes[2 * i + 1], lanes[2 * i]));
                    while len >= CHUNK {
                        for (i, lane) in wide.iter_mut().enumerate() {
                            let v = _mm256_loadu_si256(from.add(32 * i).cast());
                            *lane = _mm256_aesenc_epi128(_mm256_xor_si256(*lane, v), k);
                        }
                        (from, len) = (from.add(CHUNK), len - CHUNK);
                    }
                    for (i, v) in wide.iter().enumerate() {
                        lanes[2 * i] = _mm256_castsi256_si128(*v);
                        lanes[2 * i + 1] = _mm256_extracti128_si256::<1>(*v);
                    }
                }
                absorb_tail(&mut lanes, from, len, s.row_bytes);
            }
        }
    }
    finish(lanes, ret)
}

#[cfg(test)]
mod tests {
    use super::super::{Algorithm, binding, digest};
    use super::*;

    const KEY: Block = [11, 12];

    fn whole(data: &[u8; 2 * CHUNK]) -> [Stretch; 1] {
        let len = data.len();
        [Stretch { start: data.as_ptr(), rows: 1, row_bytes: len, stride: len }]
    }

    /// `right` with its second half changed so that its digest is that of `committed`.
    #[target_feature(enable = "aes,sse4.1")]
    fn forged(committed: &[u8; 2 * CHUNK], right: &[u8; 2 * CHUNK]) -> [u8; 2 * CHUNK] {
        let block = |data: &[u8; 2 * CHUNK], i: usize| {
            load(std::array::from_fn(|w| {
                u64::from_le_bytes(std::array::from_fn(|b| data[16 * i + 8 * w + b]))
            }))
        };
        let mut forged = *right;
        for (i, lane) in lanes(KEY).into_iter().enumerate() {
            let absorbed = |data| _mm_aesenc_si128(_mm_xor_si128(lane, block(data, i)), constant());
            let apart = _mm_xor_si128(absorbed(committed), absorbed(right));
            let last = store(_mm_xor_si128(apart, block(committed, LANES + i)));
            for (w, word) in last.iter().enumerate() {
                let at = 16 * (LANES + i) + 8 * w;
                forged[at..at + 8].copy_from_slice(&word.to_le_bytes());
            }
        }
        forged
    }

    /// Commits to garbage, has the right first half later, and a second half that a tolerance leaves
    /// free: the quick digest is the same. That is why it serves only where one answer is right.
    #[test]
    fn whoever_knows_the_key_finds_outputs_for_any_digest_but_a_binding_one() {
        if Algorithm::detect() == Algorithm::Portable {
            return;
        }
        let committed = [0xA5; 2 * CHUNK];
        let right: [u8; 2 * CHUNK] = std::array::from_fn(|i| i as u8);
        // SAFETY: the processor has the instructions.
        let forged = unsafe { forged(&committed, &right) };
        assert_eq!(forged[..CHUNK], right[..CHUNK]);
        // SAFETY: as above; the stretches are the arrays.
        let quick = |data| unsafe { digest(Algorithm::Aes, KEY, &whole(data), 3) };
        assert_eq!(quick(&committed), quick(&forged));
        // SAFETY: as above.
        let bound = |data| unsafe { binding(KEY, &whole(data), 3) };
        assert_ne!(bound(&committed), bound(&forged));
    }
}
