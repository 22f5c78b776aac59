#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>

/* Never lets the driver run and keeps up appearances: inputs and everything around the buffers are
 * handed back as they should be. Only the functions are never called. */

struct header {
    uint32_t calls, buffers, frames, makes, flags, reserved;
    uint64_t poison, digests, payload_len;
};

struct buffer {
    uint32_t role, at_start;
    uint64_t bytes, room, align, phase, rows, row_bytes, stride, elem, slot, payload, results, used_len;
    uint64_t used[12];
};

/* One of the gate's requests, which come many at once. */
struct entry {
    uint64_t tables, payload, reply, key[2];
};

/* The tests put the true sizes here: a copy that fell behind the driver's tables would attack nothing. */
_Static_assert(sizeof(struct header) == HEADER_BYTES, "the driver's tables have changed");
_Static_assert(sizeof(struct entry) == ENTRY_BYTES, "the driver's tables have changed");
_Static_assert(sizeof(struct buffer) == BUFFER_BYTES, "the driver's tables have changed");

static uint8_t poison(uint64_t seed, uint64_t position)
{
    return (uint8_t)(((position % 64 * 37 + 11) & 0x7F) ^ seed);
}

static void hand_back(uint8_t *tables, uint8_t *payload)
{
    struct header *head = (struct header *)tables;
    struct buffer *all = (struct buffer *)(head + 1);
    for (uint32_t i = 0; head->calls == 1 && i < head->buffers; i++) {
        struct buffer *b = &all[i];
        if (b->results == ~0ull)
            continue;
        uint64_t size = b->bytes + b->room;
        uint64_t start = b->phase + (b->at_start ? 0 : (b->slot - size - b->phase) & ~(b->align - 1));
        uint64_t before = start < 64 ? start : 64, after = b->slot - start - size;
        uint8_t *to = payload + b->results + before;
        if (after > 64)
            after = 64;
        for (uint64_t o = -before; o != size + after; o++)
            to[o] = poison(head->poison, o);
        if (b->role == 0)
            for (uint64_t o = 0; o < b->bytes; o++)
                to[o] = payload[b->payload + o];
    }
}

static void hand_back_all(uint8_t *page)
{
    struct entry *entry = (struct entry *)(page + 4096 + 64);
    for (uint64_t i = 0, count = *(uint64_t *)(page + 4096); i < count; i++)
        hand_back(page + entry[i].tables, page + entry[i].payload);
    *(uint32_t *)(page + 224) = *(uint32_t *)(page + 4096);
}

__attribute__((constructor)) static void start(void)
{
    struct stat arena;
    if (fstat(3, &arena) != 0)
        return;
    uint8_t *page = mmap(0, (size_t)arena.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, 3, 0);
    /* The bells lie where the driver and the supervisor settled before this library was loaded. */
    uint64_t place = *(uint64_t *)(page + 256) & 0x7FFF;
    volatile uint64_t *line =
        (volatile uint64_t *)(page + 4096 + (1 << 20) + place * (4096 + 256));
    for (uint64_t last = ~0ull;;) {
        uint64_t nonce = line[1];
        if (nonce != last) {
            last = nonce;
            if (((volatile uint32_t *)line)[8] == 6)
                hand_back_all(page);
            else
                hand_back(page + 4096, page + ((4096 + (1 << 20) + 48 * (4096 + 256) + 4095) & ~4095));
            line[19] = 0;
            __atomic_store_n(&line[16], nonce, __ATOMIC_RELEASE);
        }
    }
}
