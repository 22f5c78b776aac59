#include "kernels/lj_cut_job.h"

#include <immintrin.h>
#include <stdlib.h>

bool lj_cut_avx2_runs() {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

namespace {

typedef __m256d v4;

/* Four rows become four columns. */
inline void transpose(v4 &a, v4 &b, v4 &c, v4 &d) {
    v4 ab = _mm256_unpacklo_pd(a, b), ba = _mm256_unpackhi_pd(a, b);
    v4 cd = _mm256_unpacklo_pd(c, d), dc = _mm256_unpackhi_pd(c, d);
    a = _mm256_permute2f128_pd(ab, cd, 0x20);
    b = _mm256_permute2f128_pd(ba, dc, 0x20);
    c = _mm256_permute2f128_pd(ab, cd, 0x31);
    d = _mm256_permute2f128_pd(ba, dc, 0x31);
}

inline double sum(v4 a) {
    __m128d half = _mm_add_pd(_mm256_castpd256_pd128(a), _mm256_extractf128_pd(a, 1));
    return _mm_cvtsd_f64(_mm_add_sd(half, _mm_unpackhi_pd(half, half)));
}

/* Memory for a step, kept for the next one: its content means nothing by then. Each atom has a row
 * of four (x, y, z, type; force), or of eight (energy, virial); the last row is nobody's. */
struct scratch {
    int rows;
    double *place, *force, *share;
};

scratch kept;

double *fresh(double *old, size_t count) {
    free(old);
    return (double *)aligned_alloc(64, (count * sizeof(double) + 63) / 64 * 64);
}

bool hold(int all, bool shares) {
    if (all + 1 > kept.rows) {
        int rows = all + all / 4 + 64;
        kept.place = fresh(kept.place, 4 * (size_t)rows);
        kept.force = fresh(kept.force, 4 * (size_t)rows);
        free(kept.share);
        kept.share = nullptr;
        kept.rows = kept.place && kept.force ? rows : 0;
    }
    if (shares && !kept.share && kept.rows) {
        kept.share = fresh(nullptr, 8 * (size_t)kept.rows);
    }
    return kept.rows && (!shares || kept.share);
}

/* A type as the index of a double in a vector of eight halves. */
inline double index_of(int type) {
    union {
        unsigned long long bits;
        double value;
    } index = {(unsigned long long)(2 * type + 1) << 32 | (unsigned)(2 * type)};
    return index.value;
}

inline v4 look_up(v4 row, __m256i index) {
    return _mm256_castps_pd(_mm256_permutevar8x32_ps(_mm256_castpd_ps(row), index));
}

/* Adds the columns a, b, c, d to the rows of four atoms. */
inline void add_rows(double *rows, const int *j, int width, v4 a, v4 b, v4 c, v4 d) {
    transpose(a, b, c, d);
    const v4 all[4] = {a, b, c, d};
    for (int k = 0; k < 4; k++) {
        double *row = rows + (size_t)width * j[k];
        _mm256_store_pd(row, _mm256_add_pd(_mm256_load_pd(row), all[k]));
    }
}

/* ONE: all atoms are of one type. ENERGY, VIRIAL: their sums. SHARES: those of each atom. */
template <bool ONE, bool ENERGY, bool VIRIAL, bool SHARES> void run(const lj_cut_job &job) {
    const double *place = kept.place;
    double *force = kept.force, *share = kept.share;
    const v4 special = _mm256_load_pd(job.special), half = _mm256_set1_pd(0.5);
    v4 energy = _mm256_setzero_pd(), virial[6];
    for (v4 &v : virial) {
        v = _mm256_setzero_pd();
    }
    const __m128i bits = _mm_set1_epi32(0x3FFFFFFF), nobody = _mm_set1_epi32(job.all);
    for (int ii = 0; ii < job.atoms; ii++) {
        const int i = job.list[ii], count = job.neighbours[i], type = job.type[i];
        const int *near = job.first[i];
        const v4 x = _mm256_broadcast_sd(place + 4 * (size_t)i);
        const v4 y = _mm256_broadcast_sd(place + 4 * (size_t)i + 1);
        const v4 z = _mm256_broadcast_sd(place + 4 * (size_t)i + 2);
        auto row = [&](const lj_table &table) {
            return ONE ? _mm256_set1_pd(table.of[type][type]) : _mm256_load_pd(table.of[type]);
        };
        const v4 cutsq_row = row(job.cutsq), lj1_row = row(job.lj1), lj2_row = row(job.lj2);
        const v4 lj3_row = row(job.lj3), lj4_row = row(job.lj4), offset_row = row(job.offset);
        v4 fx = _mm256_setzero_pd(), fy = fx, fz = fx, own_low = fx, own_high = fx;
        for (int jj = 0; jj < count; jj += 4) {
            __m128i listed;
            if (jj + 4 <= count) {
                listed = _mm_loadu_si128((const __m128i *)(near + jj));
            } else {
                const __m128i there = _mm_cmpgt_epi32(_mm_set1_epi32(count - jj),
                                                      _mm_setr_epi32(0, 1, 2, 3));
                listed = _mm_blendv_epi8(nobody, _mm_maskload_epi32(near + jj, there), there);
            }
            alignas(16) int j[4];
            _mm_store_si128((__m128i *)j, _mm_and_si128(listed, bits));
            v4 jx = _mm256_load_pd(place + 4 * (size_t)j[0]);
            v4 jy = _mm256_load_pd(place + 4 * (size_t)j[1]);
            v4 jz = _mm256_load_pd(place + 4 * (size_t)j[2]);
            v4 jt = _mm256_load_pd(place + 4 * (size_t)j[3]);
            transpose(jx, jy, jz, jt);
            const __m256i index = _mm256_castpd_si256(jt);
            auto of = [&](v4 row) { return ONE ? row : look_up(row, index); };
            const v4 dx = _mm256_sub_pd(x, jx), dy = _mm256_sub_pd(y, jy), dz = _mm256_sub_pd(z, jz);
            const v4 rsq =
                _mm256_fmadd_pd(dz, dz, _mm256_fmadd_pd(dy, dy, _mm256_mul_pd(dx, dx)));
            const v4 within = _mm256_cmp_pd(rsq, of(cutsq_row), _CMP_LT_OQ);
            if (_mm256_testz_pd(within, within)) {
                continue;
            }
            const v4 r2 = _mm256_div_pd(_mm256_set1_pd(1), rsq);
            const v4 r6 = _mm256_mul_pd(_mm256_mul_pd(r2, r2), r2);
            const v4 lj = _mm256_fmsub_pd(of(lj1_row), r6, of(lj2_row));
            v4 pair = _mm256_and_pd(_mm256_mul_pd(_mm256_mul_pd(r6, r2), lj), within);
            v4 potential;
            if (ENERGY || SHARES) {
                const v4 depth = _mm256_fmsub_pd(of(lj3_row), r6, of(lj4_row));
                potential = _mm256_and_pd(_mm256_fmsub_pd(r6, depth, of(offset_row)), within);
            }
            if (!_mm_testz_si128(listed, _mm_set1_epi32((int)0xC0000000))) {
                const __m256i bonds = _mm256_cvtepu32_epi64(_mm_srli_epi32(listed, 30));
                const __m256i twice = _mm256_add_epi64(bonds, bonds);
                const __m256i upper = _mm256_slli_epi64(
                    _mm256_add_epi64(twice, _mm256_set1_epi64x(1)), 32);
                const v4 factor = look_up(special, _mm256_or_si256(twice, upper));
                pair = _mm256_mul_pd(pair, factor);
                if (ENERGY || SHARES) {
                    potential = _mm256_mul_pd(potential, factor);
                }
            }
            const v4 px = _mm256_mul_pd(dx, pair), py = _mm256_mul_pd(dy, pair);
            const v4 pz = _mm256_mul_pd(dz, pair), zero = _mm256_setzero_pd();
            fx = _mm256_add_pd(fx, px);
            fy = _mm256_add_pd(fy, py);
            fz = _mm256_add_pd(fz, pz);
            add_rows(force, j, 4, _mm256_sub_pd(zero, px), _mm256_sub_pd(zero, py),
                     _mm256_sub_pd(zero, pz), zero);
            if (ENERGY) {
                energy = _mm256_add_pd(energy, potential);
            }
            if (VIRIAL || SHARES) {
                const v4 xx = _mm256_mul_pd(dx, px), yy = _mm256_mul_pd(dy, py);
                const v4 zz = _mm256_mul_pd(dz, pz), xy = _mm256_mul_pd(dx, py);
                const v4 xz = _mm256_mul_pd(dx, pz), yz = _mm256_mul_pd(dy, pz);
                if (VIRIAL) {
                    const v4 each[6] = {xx, yy, zz, xy, xz, yz};
                    for (int k = 0; k < 6; k++) {
                        virial[k] = _mm256_add_pd(virial[k], each[k]);
                    }
                }
                if (SHARES) {
                    v4 a = _mm256_mul_pd(half, potential), b = _mm256_mul_pd(half, xx);
                    v4 c = _mm256_mul_pd(half, yy), d = _mm256_mul_pd(half, zz);
                    v4 e = _mm256_mul_pd(half, xy), g = _mm256_mul_pd(half, xz);
                    v4 h = _mm256_mul_pd(half, yz), none = zero;
                    transpose(a, b, c, d);
                    transpose(e, g, h, none);
                    const v4 low[4] = {a, b, c, d}, high[4] = {e, g, h, none};
                    for (int k = 0; k < 4; k++) {
                        double *to = share + 8 * (size_t)j[k];
                        _mm256_store_pd(to, _mm256_add_pd(_mm256_load_pd(to), low[k]));
                        _mm256_store_pd(to + 4, _mm256_add_pd(_mm256_load_pd(to + 4), high[k]));
                        own_low = _mm256_add_pd(own_low, low[k]);
                        own_high = _mm256_add_pd(own_high, high[k]);
                    }
                }
            }
        }
        v4 none = _mm256_setzero_pd();
        transpose(fx, fy, fz, none);
        const v4 own = _mm256_add_pd(_mm256_add_pd(fx, fy), _mm256_add_pd(fz, none));
        double *mine = force + 4 * (size_t)i;
        _mm256_store_pd(mine, _mm256_add_pd(_mm256_load_pd(mine), own));
        if (SHARES) {
            double *to = share + 8 * (size_t)i;
            _mm256_store_pd(to, _mm256_add_pd(_mm256_load_pd(to), own_low));
            _mm256_store_pd(to + 4, _mm256_add_pd(_mm256_load_pd(to + 4), own_high));
        }
    }
    if (ENERGY) {
        *job.energy += sum(energy);
    }
    if (VIRIAL) {
        for (int k = 0; k < 6; k++) {
            job.virial[k] += sum(virial[k]);
        }
    }
}

template <bool ONE> void choose(const lj_cut_job &job) {
    const bool shares = job.energies || job.virials;
    if (shares) {
        job.energy ? job.virial ? run<ONE, true, true, true>(job) : run<ONE, true, false, true>(job)
        : job.virial ? run<ONE, false, true, true>(job)
                     : run<ONE, false, false, true>(job);
    } else {
        job.energy ? job.virial ? run<ONE, true, true, false>(job) : run<ONE, true, false, false>(job)
        : job.virial ? run<ONE, false, true, false>(job)
                     : run<ONE, false, false, false>(job);
    }
}

}

bool lj_cut_avx2(const struct lj_cut_job *job) {
    const bool shares = job->energies || job->virials;
    if (!hold(job->all, shares)) {
        return false;
    }
    bool one = true;
    const double index[LJ_TYPES] = {index_of(0), index_of(1), index_of(2), index_of(3)};
    const v4 zero = _mm256_setzero_pd();
    for (int i = 0; i < job->all; i++) {
        const double *x = job->x + 3 * (size_t)i;
        const int type = job->type[i];
        one &= type == job->type[0];
        _mm256_store_pd(kept.place + 4 * (size_t)i, _mm256_setr_pd(x[0], x[1], x[2], index[type]));
        _mm256_store_pd(kept.force + 4 * (size_t)i, zero);
    }
    /* So far away that it is in nobody's reach, and no power of its distance is subnormal. */
    _mm256_store_pd(kept.place + 4 * (size_t)job->all, _mm256_setr_pd(1e10, 1e10, 1e10, index[1]));
    _mm256_store_pd(kept.force + 4 * (size_t)job->all, zero);
    if (shares) {
        for (size_t k = 0; k < 8 * (size_t)(job->all + 1); k += 4) {
            _mm256_store_pd(kept.share + k, zero);
        }
    }
    one ? choose<true>(*job) : choose<false>(*job);
    for (int i = 0; i < job->all; i++) {
        for (int k = 0; k < 3; k++) {
            job->f[3 * (size_t)i + k] += kept.force[4 * (size_t)i + k];
        }
    }
    for (int i = 0; i < job->all && job->energies; i++) {
        job->energies[i] += kept.share[8 * (size_t)i];
    }
    for (int i = 0; i < job->all && job->virials; i++) {
        for (int k = 0; k < 6; k++) {
            job->virials[6 * (size_t)i + k] += kept.share[8 * (size_t)i + 1 + k];
        }
    }
    return true;
}
