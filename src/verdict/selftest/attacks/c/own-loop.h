/* The driver's work, done by the graded library itself: it never returns from its constructor and
 * serves the requests from there, as the driver would, or otherwise. */
#ifndef OWN_LOOP_H
#define OWN_LOOP_H

#include "attack.h"
#include "sizes.h"
#include <wmmintrin.h>
#include <smmintrin.h>

#define AES __attribute__((target("aes,sse4.1")))

struct header {
    uint32_t calls, buffers, frames, makes, flags, reserved;
    uint64_t poison, digests, payload_len;
};

struct buffer {
    uint32_t role, at_start;
    uint64_t bytes, room, align, phase, rows, row_bytes, stride, elem, slot, payload, results;
    uint64_t used_len;
    uint64_t used[12];
};

/* A negative size: the driver's tables have changed. (C++ has no _Static_assert.) */
typedef char tables_are_known[sizeof(struct buffer) == BUFFER_BYTES ? 1 : -1];
typedef char head_is_known[sizeof(struct header) == HEADER_BYTES ? 1 : -1];

struct argument {
    uint32_t kind, buffer;
    uint64_t value;
};

/* One request of a series, and what is said of it beside its results. */
struct entry {
    uint64_t tables, payload, reply, key[2];
};

typedef char entries_are_known[sizeof(struct entry) == ENTRY_BYTES ? 1 : -1];

struct reply {
    uint64_t digest[2];
    uint32_t violator, violation;
};

struct frame {
    uint32_t symbol, args_len, ret, ret_digest;
    struct argument args[14];
};

enum { SEALED = 1, CHAINED = 2, AGAIN = 16 };
enum { STAGE = 1, RUN = 2, FLUSH = 3, EXIT = 4, DIGEST = 5, SERIES = 6 };
enum { ANSWERED = 224 };
enum { TABLES = 4096, TABLES_LEN = 1 << 20, PLACE_STEP = 4096 + 256, MOST_CALLS = 256, MOST_BUFFERS = 4 };
enum { PAYLOAD = (TABLES + TABLES_LEN + 48 * PLACE_STEP + 4095) & ~4095 };

typedef uint64_t block[2];

struct loop {
    uint8_t *page;             /* the arena */
    volatile uint64_t *line;   /* the bells: words 0.. are the supervisor's, 16.. ours */
    int aes;                   /* which seal */
    uint64_t last;             /* what the go bell showed when it was last looked at */
    int rung;                  /* the request at hand is answered already */
    int in_series;             /* it is one of the gate's */
    struct header head;
    uint8_t *payload;          /* of the request at hand, in the arena */
    uint8_t *tables;           /* private copies */
    uint8_t *inputs;
    uint8_t *slots[MOST_BUFFERS];
    block digests[MOST_CALLS];
    /* What an attack does otherwise: after a stage; for a run, whether it did it all. */
    void (*staged)(struct loop *);
    int (*run)(struct loop *, block key, block digest);
    int (*digest)(struct loop *, block key, block digest);
    void (*idle)(struct loop *);
    void (*flushed)(struct loop *);
};

static inline struct buffer *buffer_of(struct loop *l, uint32_t call, uint32_t index)
{
    size_t one = l->head.buffers * sizeof(struct buffer) + l->head.frames * sizeof(struct frame);
    return (struct buffer *)(l->tables + sizeof(struct header) + call * one) + index;
}

static inline struct frame *frame_of(struct loop *l, uint32_t call, uint32_t index)
{
    return (struct frame *)buffer_of(l, call, l->head.buffers) + index;
}

static inline uint64_t start_of(struct buffer *b)
{
    return b->phase +
           (b->at_start ? 0 : (b->slot - b->bytes - b->room - b->phase) & ~(b->align - 1));
}

/* First byte of a buffer. */
static inline uint8_t *place_of(struct loop *l, uint32_t call, uint32_t index)
{
    return l->slots[index] + start_of(buffer_of(l, call, index));
}

static inline int filled(struct buffer *b)
{
    return b->role == 0 || b->role == 2 || b->role == 4;
}

/* The seal. */

static AES inline void round_keys(__m128i key, __m128i keys[7])
{
    keys[0] = key;
    for (int r = 1; r < 7; r++)
        keys[r] = _mm_aesenc_si128(keys[r - 1], _mm_set_epi64x(0x243F6A8885A308D3, 0x13198A2E03707344 ^ r));
}

static AES inline void unseal_aes(block key, uint64_t counter, const uint8_t *from, uint8_t *to, size_t len)
{
    __m128i keys[7];
    round_keys(_mm_set_epi64x((int64_t)key[1], (int64_t)key[0]), keys);
    for (; len >= 64; len -= 64, from += 64, to += 64, counter += 4) {
        __m128i x[4];
        for (int i = 0; i < 4; i++)
            x[i] = _mm_xor_si128(_mm_set_epi64x(0, (int64_t)(counter + i)), keys[0]);
        for (int r = 1; r < 7; r++)
            for (int i = 0; i < 4; i++)
                x[i] = _mm_aesenc_si128(x[i], keys[r]);
        for (int i = 0; i < 4; i++)
            _mm_storeu_si128((__m128i *)to + i, _mm_xor_si128(x[i], _mm_loadu_si128((const __m128i *)from + i)));
    }
    while (len > 0) {
        __m128i x = _mm_xor_si128(_mm_set_epi64x(0, (int64_t)counter++), keys[0]);
        for (int r = 1; r < 7; r++)
            x = _mm_aesenc_si128(x, keys[r]);
        uint8_t stream[16];
        _mm_storeu_si128((__m128i *)stream, x);
        size_t n = len < 16 ? len : 16;
        for (size_t i = 0; i < n; i++)
            to[i] = from[i] ^ stream[i];
        from += n, to += n, len -= n;
    }
}

static AES inline __m128i seal_constant(void)
{
    return _mm_set_epi64x((int64_t)0xA4093822299F31D0, 0x082EFA98EC4E6C89);
}

static AES inline void absorb_row(__m128i lanes[8], const uint8_t *from, size_t row)
{
    __m128i k = seal_constant();
    size_t len = row;
    int lane = 0;
    for (; len >= 16; len -= 16, from += 16, lane = (lane + 1) % 8)
        lanes[lane] = _mm_aesenc_si128(_mm_xor_si128(lanes[lane], _mm_loadu_si128((const __m128i *)from)), k);
    if (len > 0) {
        uint8_t rest[16] = {0};
        for (size_t i = 0; i < len; i++)
            rest[i] = from[i];
        lanes[lane] = _mm_aesenc_si128(_mm_xor_si128(lanes[lane], _mm_loadu_si128((const __m128i *)rest)), k);
    }
    lanes[7] = _mm_aesenc_si128(_mm_xor_si128(lanes[7], _mm_set_epi64x(0, (int64_t)row)), k);
}

static AES inline void finish_aes(__m128i l[8], uint64_t ret, block digest)
{
    __m128i k = seal_constant();
    __m128i a = _mm_aesenc_si128(_mm_aesenc_si128(_mm_xor_si128(l[0], _mm_set_epi64x(0, (int64_t)ret)), k), l[1]);
    __m128i b = _mm_aesenc_si128(l[2], l[3]), c = _mm_aesenc_si128(l[4], l[5]), d = _mm_aesenc_si128(l[6], l[7]);
    __m128i e = _mm_aesenc_si128(_mm_aesenc_si128(a, b), _mm_aesenc_si128(c, d));
    e = _mm_aesenc_si128(_mm_aesenc_si128(e, k), k);
    digest[0] = (uint64_t)_mm_cvtsi128_si64(e);
    digest[1] = (uint64_t)_mm_extract_epi64(e, 1);
}

#define MIX_A 0x9E3779B97F4A7C15u
#define MIX_B 0xBF58476D1CE4E5B9u
#define MIX_C 0x94D049BB133111EBu

static inline uint64_t halves(uint64_t a, uint64_t b)
{
    unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t turned(uint64_t x, int by)
{
    return x << by | x >> (64 - by);
}

static inline void unseal_portable(block key, uint64_t counter, const uint8_t *from, uint8_t *to, size_t len)
{
    for (uint64_t index = 2 * counter, at = 0; at < len; at += 8, index++) {
        uint64_t first = halves(key[0] ^ index * MIX_A, key[1] ^ MIX_B);
        uint64_t word = halves(first ^ key[1], index ^ turned(key[0], 29) ^ MIX_C) ^ first;
        for (size_t i = 0; i < 8 && at + i < len; i++)
            to[at + i] = from[at + i] ^ (uint8_t)(word >> 8 * i);
    }
}

struct portable {
    uint64_t state[4];
    int lane;
};

static inline void absorb_word(struct portable *p, uint64_t value)
{
    uint64_t *s = &p->state[p->lane];
    *s = turned(halves(*s ^ value, MIX_C) + value, 23) ^ MIX_A;
    p->lane = (p->lane + 1) % 4;
}

static inline void unseal_some(struct loop *l, block key, uint32_t call, uint32_t index, uint64_t bytes)
{
    struct buffer *b = buffer_of(l, call, index);
    uint64_t counter = (uint64_t)call << 40 | (uint64_t)index << 32;
    uint8_t *to = place_of(l, call, index);
    const uint8_t *from = l->inputs + b->payload;
    if (l->aes)
        unseal_aes(key, counter, from, to, bytes);
    else
        unseal_portable(key, counter, from, to, bytes);
}

static inline void unseal(struct loop *l, block key, uint32_t call, uint32_t index)
{
    unseal_some(l, key, call, index, buffer_of(l, call, index)->bytes);
}

static AES inline void digest_of(struct loop *l, uint32_t call, block key, block digest)
{
    __m128i lanes[8];
    struct portable p = {{key[0] ^ MIX_A, key[1] ^ MIX_B, turned(key[0], 32) ^ MIX_C, turned(key[1], 32) ^ MIX_A}, 0};
    for (int i = 0; i < 8; i++)
        lanes[i] = _mm_xor_si128(_mm_set_epi64x((int64_t)key[1], (int64_t)key[0]), _mm_set1_epi8((char)(17 * i)));
    /* All outputs, then all inputs. */
    for (uint32_t n = 0; n < 2 * l->head.buffers; n++) {
        uint32_t i = n % l->head.buffers;
        struct buffer *b = buffer_of(l, call, i);
        uint64_t rows = b->rows, bytes = b->row_bytes;
        if (n >= l->head.buffers)
            rows = b->role == 0, bytes = b->bytes;
        else if (rows > 0 && b->stride == bytes)
            bytes *= rows, rows = 1;
        for (uint64_t row = 0; row < rows; row++) {
            const uint8_t *from = place_of(l, call, i) + row * b->stride;
            if (l->aes) {
                absorb_row(lanes, from, bytes);
                continue;
            }
            for (uint64_t at = 0; at < bytes; at += 8) {
                uint64_t word = 0;
                memcpy(&word, from + at, bytes - at < 8 ? bytes - at : 8);
                absorb_word(&p, word);
            }
            absorb_word(&p, bytes);
        }
    }
    if (l->aes) {
        finish_aes(lanes, 0, digest);
        return;
    }
    absorb_word(&p, 0);
    uint64_t *s = p.state;
    uint64_t x = halves(s[0] ^ MIX_B, s[1] | 1) ^ s[2], y = halves(s[2] ^ MIX_A, s[3] | 1) ^ s[1];
    digest[0] = halves(x ^ MIX_C, y ^ MIX_A) ^ s[3];
    digest[1] = halves(y ^ MIX_B, x ^ MIX_C) ^ s[0];
}

/* The requests. */

/* The functions of the contract, in the order of their names. */
static void (*const contract[])(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t) = {
    (void (*)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t))besieged_fold,
    (void (*)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t))besieged_rank,
    (void (*)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t))besieged_scale,
    (void (*)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t))besieged_shift,
    (void (*)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t))besieged_until,
};

static inline void make_call(struct loop *l, uint32_t call)
{
    struct frame *f = frame_of(l, call, 0);
    uint64_t a[6] = {0};
    for (uint32_t i = 0; i < f->args_len && i < 6; i++) {
        struct argument *x = &f->args[i];
        if (x->kind == 0)
            a[i] = x->value;
        else if (x->kind == 1)
            a[i] = (uint64_t)place_of(l, call, x->buffer) + x->value;
        else
            memcpy(&a[i], place_of(l, call, x->buffer) + x->value, 8);
    }
    contract[f->symbol](a[0], a[1], a[2], a[3], a[4], a[5]);
}

static inline uint8_t poison_of(uint64_t seed, uint64_t position)
{
    return (uint8_t)(((position % 64 * 37 + 11) & 0x7F) ^ seed);
}

static inline void prepare(struct loop *l, uint32_t call)
{
    for (uint32_t i = 0; i < l->head.buffers; i++) {
        struct buffer *b = buffer_of(l, call, i);
        uint8_t *at = place_of(l, call, i);
        int64_t start = (int64_t)start_of(b), end = (int64_t)(b->slot - start_of(b));
        for (int64_t o = start < 64 ? -start : -64; o < end && o < (int64_t)(b->bytes + b->room) + 64; o++)
            if (o < 0 || o >= (int64_t)b->bytes || b->role == 1)
                at[o] = poison_of(l->head.poison, (uint64_t)o);
        if (filled(b) && !(l->head.flags & SEALED))
            memcpy(at, l->payload + b->payload, b->bytes);
    }
}

static inline void stage(struct loop *l, uint8_t *tables, uint8_t *payload)
{
    struct header head = *(struct header *)tables;
    size_t one = head.buffers * sizeof(struct buffer) + head.frames * sizeof(struct frame);
    if (!(head.flags & AGAIN))
        memcpy(l->tables, tables, sizeof head + head.calls * one);
    head.flags &= ~(uint32_t)AGAIN;
    l->head = head;
    l->payload = payload;
    if (head.flags & SEALED)
        memcpy(l->inputs, payload, head.payload_len);
    for (uint32_t call = 0; call < head.calls; call++)
        prepare(l, call);
    if (l->staged)
        l->staged(l);
}

static inline void run(struct loop *l, block key, block digest)
{
    int sealed = l->head.flags & SEALED, chained = l->head.flags & CHAINED;
    digest[0] = digest[1] = 0;
    for (uint32_t call = 0; call < l->head.calls; call++) {
        for (uint32_t i = 0; sealed && i < l->head.buffers; i++)
            if (filled(buffer_of(l, call, i)))
                unseal(l, key, call, i);
        make_call(l, call);
        if (!sealed)
            continue;
        digest_of(l, call, key, l->digests[call]);
        for (int i = 0; i < 2; i++)
            digest[i] = l->digests[call][i] ^ (chained ? 0 : turned(digest[i], 1));
        if (chained)
            key = l->digests[call];
    }
}

static inline void flush(struct loop *l)
{
    for (uint32_t i = 0; i < l->head.buffers; i++) {
        struct buffer *b = buffer_of(l, l->head.calls - 1, i);
        if (b->results == ~0ull)
            continue;
        uint64_t start = start_of(b), after = b->slot - start - b->bytes - b->room;
        uint64_t before = start < 64 ? start : 64;
        after = after < 64 ? after : 64;
        memcpy(l->payload + b->results, place_of(l, l->head.calls - 1, i) - before, before + b->bytes + b->room + after);
    }
    memcpy(l->payload + l->head.digests, l->digests, 16 * l->head.calls);
    memset(l->payload + l->head.digests + 16 * l->head.calls, 0, 8);
    if (l->flushed)
        l->flushed(l);
}

static inline void run_or(struct loop *l, block key, block digest)
{
    if (!l->run || !l->run(l, key, digest))
        run(l, key, digest);
}

static inline void digest_or(struct loop *l, block key, block digest)
{
    if (!l->digest || !l->digest(l, key, digest))
        digest_of(l, l->head.calls - 1, key, digest);
}

/* The gate's requests, which come many at once. */
static inline void series(struct loop *l)
{
    uint64_t count = *(uint64_t *)(l->page + TABLES);
    l->in_series = 1;
    for (uint64_t i = 0; i < count; i++) {
        struct entry *entry = (struct entry *)(l->page + TABLES + 64) + i;
        struct reply reply = {{0, 0}, 0, 0};
        stage(l, l->page + entry->tables, l->page + entry->payload);
        run_or(l, entry->key, reply.digest);
        if (!(l->head.flags & SEALED))
            digest_or(l, entry->key, reply.digest);
        flush(l);
        *(struct reply *)(l->page + entry->reply) = reply;
        __atomic_store_n((uint32_t *)(l->page + ANSWERED), (uint32_t)i + 1, __ATOMIC_RELEASE);
    }
    l->in_series = 0;
}

static inline void ring(struct loop *l, block digest)
{
    volatile uint64_t *line = l->line;
    line[17] = digest[0];
    line[18] = digest[1];
    line[19] = 0;
    __atomic_store_n(&line[16], line[1], __ATOMIC_RELEASE);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (((volatile uint32_t *)line)[9] != 0)
        syscall(SYS_futex, &line[16], 1 /* FUTEX_WAKE */, 1);
}

/* Finds the arena. 0 if there is none to find: this is no worker. */
static inline int take_over(struct loop *l, int argc, char **argv)
{
    struct stat arena;
    if (argc < 5 || strcmp(argv[0], "speedgate-worker") != 0 || fstat(3, &arena) != 0)
        return 0;
    void *page = mmap(0, (size_t)arena.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, 3, 0);
    if (page == MAP_FAILED)
        return 0;
    l->page = (uint8_t *)page;
    /* The bells lie where the driver and the supervisor settled before this library was loaded. */
    uint64_t place = *(uint64_t *)(l->page + 256) & 0x7FFF;
    l->line = (volatile uint64_t *)(l->page + TABLES + TABLES_LEN + place * PLACE_STEP);
    l->aes = strcmp(argv[1], "portable") != 0;
    l->tables = (uint8_t *)malloc(TABLES_LEN);
    l->inputs = (uint8_t *)malloc(1 << 20);
    for (int i = 0; i < MOST_BUFFERS; i++)
        l->slots[i] = (uint8_t *)aligned_alloc(4096, 1 << 16);
    return 1;
}

static inline void serve(struct loop *l)
{
    block digest = {0, 0};
    l->last = l->line[0];
    ring(l, digest);
    for (;;) {
        while (__atomic_load_n(&l->line[0], __ATOMIC_ACQUIRE) == l->last)
            if (l->idle)
                l->idle(l);
        l->last = l->line[0];
        block key = {l->line[2], l->line[3]};
        uint32_t command = ((volatile uint32_t *)l->line)[8];
        digest[0] = digest[1] = 0;
        if (command == STAGE)
            stage(l, l->page + TABLES, l->page + PAYLOAD);
        else if (command == RUN)
            run_or(l, key, digest);
        else if (command == DIGEST)
            digest_or(l, key, digest);
        else if (command == SERIES)
            series(l);
        else if (command == FLUSH)
            flush(l);
        else
            _exit(0);
        if (!l->rung)
            ring(l, digest);
        l->rung = 0;
    }
}

#endif
