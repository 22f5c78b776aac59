/* CIGARs from the traces of trace.c; all others are upstream's (renamed in src/cigar.c). */
#include <ctype.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "parasail.h"
#include "wave.h"

parasail_cigar_t *parasail_result_get_cigar_extra_scalar(parasail_result_t *result, const char *s1,
                                                         int n1, const char *s2, int n2,
                                                         const parasail_matrix_t *matrix,
                                                         int case_sensitive, const char *aliases);

struct runs {
    uint32_t *to;
    int count;
    uint32_t length;
    char op;
};

static inline void put(struct runs *runs, char op, uint32_t length) {
    if (length == 0) {
        return;
    }
    if (op != runs->op) {
        if (runs->length) {
            runs->to[runs->count++] = parasail_cigar_encode(runs->length, runs->op);
        }
        runs->op = op;
        runs->length = 0;
    }
    runs->length += length;
}

/* Whether two neighbours among the aliases make these letters the same. */
static int alias(const char *aliases, int case_sensitive, char a, char b) {
    for (size_t i = 0; aliases[i] && aliases[i + 1]; i++) {
        const char x = case_sensitive ? aliases[i] : (char)toupper((unsigned char)aliases[i]);
        const char y = case_sensitive ? aliases[i + 1] : (char)toupper((unsigned char)aliases[i + 1]);
        if ((x == a && y == b) || (y == a && x == b)) {
            return 1;
        }
    }
    return 0;
}

parasail_cigar_t *parasail_result_get_cigar_extra(parasail_result_t *result, const char *s1, int n1,
                                                  const char *s2, int n2,
                                                  const parasail_matrix_t *matrix,
                                                  int case_sensitive, const char *aliases) {
    if (!result || !(result->flag & PARASAIL_FLAG_TRACE) || !(result->flag & PARASAIL_FLAG_DIAG)) {
        return parasail_result_get_cigar_extra_scalar(result, s1, n1, s2, n2, matrix, case_sensitive,
                                                      aliases);
    }
    const uint8_t *trace = result->trace->trace_table;
    const size_t stride = wave_trace_bytes(1, n2);
    int i = result->end_query, j = result->end_ref;
    parasail_cigar_t *cigar = malloc(sizeof *cigar);
    struct runs runs = {malloc(sizeof(uint32_t) * ((size_t)n1 + (size_t)n2 + 1)), 0, 0, 0};
    if (!cigar || !runs.to) {
        free(cigar);
        free(runs.to);
        return NULL;
    }
    if (result->flag & PARASAIL_FLAG_SG) {
        if (i + 1 == n1) {
            put(&runs, 'D', (uint32_t)(n2 - 1 - j));
        } else {
            put(&runs, 'I', (uint32_t)(n1 - 1 - i));
        }
    }
    enum { ANY, IN_E, IN_F } in = ANY;
    while (i >= 0 && j >= 0) {
        const int l = i % 16, d = j + l;
        const uint8_t byte = trace[(size_t)(i / 16) * stride + (size_t)(d / 2) * 16 + (size_t)(15 - l)];
        const int code = byte >> (4 * (d & 1)) & 15;
        if (in == ANY) {
            const int source = code & 3;
            if (source == 0) {
                break;
            }
            if (source == 3) {
                const char a = case_sensitive ? s1[i] : (char)toupper((unsigned char)s1[i]);
                const char b = case_sensitive ? s2[j] : (char)toupper((unsigned char)s2[j]);
                const int same = a == b || (aliases && alias(aliases, case_sensitive, a, b));
                put(&runs, same ? '=' : 'X', 1);
                i--;
                j--;
                continue;
            }
            in = source == 1 ? IN_E : IN_F;
        }
        if (in == IN_E) {
            put(&runs, 'D', 1);
            j--;
            in = code & 4 ? ANY : IN_E;
        } else {
            put(&runs, 'I', 1);
            i--;
            in = code & 8 ? ANY : IN_F;
        }
    }
    if (i < 0) {
        put(&runs, 'D', (uint32_t)(j + 1));
        j = -1;
    } else if (j < 0) {
        put(&runs, 'I', (uint32_t)(i + 1));
        i = -1;
    }
    put(&runs, 0, 1); /* writes the last run */
    for (int low = 0, high = runs.count - 1; low < high; low++, high--) {
        const uint32_t swap = runs.to[low];
        runs.to[low] = runs.to[high];
        runs.to[high] = swap;
    }
    *cigar = (parasail_cigar_t){runs.to, runs.count, i + 1, j + 1};
    return cigar;
}

parasail_cigar_t *parasail_result_get_cigar(parasail_result_t *result, const char *s1, int n1,
                                            const char *s2, int n2,
                                            const parasail_matrix_t *matrix) {
    return parasail_result_get_cigar_extra(result, s1, n1, s2, n2, matrix, 0, NULL);
}
