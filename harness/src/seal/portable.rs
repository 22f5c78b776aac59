//! The seal without special instructions: 64-bit multiplications whose halves are folded.

use super::{Block, Stretch};

const A: u64 = 0x9E37_79B9_7F4A_7C15;
const B: u64 = 0xBF58_476D_1CE4_E5B9;
const C: u64 = 0x94D0_49BB_1331_11EB;

fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    (product as u64) ^ (product >> 64) as u64
}

/// One 8-byte word of the stream: two keyed folds, so that a known word gives no other away.
fn word(key: Block, index: u64) -> u64 {
    let first = fold(key[0] ^ index.wrapping_mul(A), key[1] ^ B);
    fold(first ^ key[1], index ^ key[0].rotate_left(29) ^ C) ^ first
}

/// # Safety
/// As [`super::xor_stream`].
pub unsafe fn xor_stream(key: Block, counter: u64, from: *const u8, to: *mut u8, len: usize) {
    let mut at = 0;
    // A block is two words, as with AES.
    let mut index = counter.wrapping_mul(2);
    while at < len {
        let stream = word(key, index).to_le_bytes();
        for (i, byte) in stream.iter().enumerate().take(len - at) {
            // SAFETY: at + i < len.
            unsafe { *to.add(at + i) = *from.add(at + i) ^ byte };
        }
        at += 8;
        index = index.wrapping_add(1);
    }
}

/// # Safety
/// As [`super::digest`].
pub unsafe fn digest(key: Block, stretches: &[Stretch], ret: u64) -> Block {
    let mut state =
        [key[0] ^ A, key[1] ^ B, key[0].rotate_left(32) ^ C, key[1].rotate_left(32) ^ A];
    let mut lane = 0;
    let mut absorb = |value: u64, state: &mut [u64; 4]| {
        state[lane] = fold(state[lane] ^ value, C).wrapping_add(value).rotate_left(23) ^ A;
        lane = (lane + 1) % 4;
    };
    for s in stretches {
        for row in 0..s.rows {
            let mut at = 0;
            while at < s.row_bytes {
                let mut bytes = [0u8; 8];
                let n = (s.row_bytes - at).min(8);
                // SAFETY: the caller promises that every row is readable.
                unsafe {
                    let from = s.start.add(row * s.stride + at);
                    std::ptr::copy_nonoverlapping(from, bytes.as_mut_ptr(), n);
                }
                absorb(u64::from_le_bytes(bytes), &mut state);
                at += 8;
            }
            absorb(s.row_bytes as u64, &mut state);
        }
    }
    absorb(ret, &mut state);
    let x = fold(state[0] ^ B, state[1] | 1) ^ state[2];
    let y = fold(state[2] ^ A, state[3] | 1) ^ state[1];
    [fold(x ^ C, y ^ A) ^ state[3], fold(y ^ B, x ^ C) ^ state[0]]
}
