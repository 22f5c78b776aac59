/* Nothing but a better driver: inputs are fetched ahead, unsealed and digested with as little as there
 * is to do. What it gains is the margin that remains. */
#include "own-loop.h"
#include <immintrin.h>

static struct loop loop;

/* Both calls of interest take one input and have one output, of a size that is known. */
static AES int quickly(struct loop *l, block key, block digest)
{
    uint32_t calls = l->head.calls;
    if (!(l->head.flags & SEALED) || !(l->head.flags & CHAINED) || l->head.buffers != 2 || !l->aes)
        return 0;
    __m128i k = _mm_set_epi64x((int64_t)key[1], (int64_t)key[0]), c = seal_constant();
    for (uint32_t call = 0; call < calls; call++) {
        struct buffer *in = buffer_of(l, call, 0), *out = buffer_of(l, call, 1);
        uint8_t *to = place_of(l, call, 0);
        const uint8_t *from = l->inputs + in->payload;
        block now;
        _mm_storeu_si128((__m128i *)now, k);
        unseal_aes(now, (uint64_t)call << 40, from, to, in->bytes);
        uint8_t *result = place_of(l, call, 1);
        int packet = in->bytes == 64 && out->bytes == 4;
        if (packet)
            besieged_fold(to, 64, (uint32_t *)result);
        else
            make_call(l, call);
        if (!packet) {
            digest_of(l, call, now, digest);
            k = _mm_set_epi64x((int64_t)digest[1], (int64_t)digest[0]);
            continue;
        }
        /* Four bytes are one round of one lane, and its length is one of another; the input is one of
         * four, and its length. */
        uint32_t word;
        memcpy(&word, result, 4);
        __m128i lanes[8];
        for (int i = 0; i < 8; i++)
            lanes[i] = _mm_xor_si128(k, _mm_set1_epi8((char)(17 * i)));
        lanes[0] = _mm_aesenc_si128(_mm_xor_si128(lanes[0], _mm_cvtsi32_si128((int)word)), c);
        lanes[7] = _mm_aesenc_si128(_mm_xor_si128(lanes[7], _mm_cvtsi32_si128(4)), c);
        for (int i = 0; i < 4; i++)
            lanes[i] = _mm_aesenc_si128(_mm_xor_si128(lanes[i], _mm_loadu_si128((const __m128i *)to + i)), c);
        lanes[7] = _mm_aesenc_si128(_mm_xor_si128(lanes[7], _mm_cvtsi32_si128(64)), c);
        finish_aes(lanes, 0, digest);
        k = _mm_set_epi64x((int64_t)digest[1], (int64_t)digest[0]);
    }
    return 1;
}

AT_LOAD(start)
{
    loop.run = quickly;
    if (take_over(&loop, argc, argv))
        serve(&loop);
}
