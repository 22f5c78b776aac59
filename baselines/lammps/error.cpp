/* How far a library is from the exact values of the contract: every pair of atoms and images once
 * more, in long double, from the definitions in lm.h and the coefficients in in.lj.
 *
 *     error LIBRARY DATA ROUNDS */
#include "lm.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <random>
#include <vector>

typedef long double exact;

struct pair_of_types {
    exact epsilon, sigma, cut;
};

/* pair_coeff, pair_modify shift, special_bonds. */
static pair_of_types coefficients(int a, int b) {
    static const double table[4][4][3] = {
        {}, {{}, {1.0, 1.0, 2.5}, {1.5, 0.8, 2.0}, {0.7, 1.05, 2.75}},
        {{}, {1.5, 0.8, 2.0}, {0.5, 0.88, 2.2}, {0.9, 0.94, 1.8}},
        {{}, {0.7, 1.05, 2.75}, {0.9, 0.94, 1.8}, {1.2, 1.0, 1.122462048309373}}};
    const double *c = table[a][b];
    return {c[0], c[1], c[2]};
}
static const double SPECIAL[4] = {1, 0.1, 0.5, 0.8};

struct result {
    std::vector<exact> f, energy, virial;
    exact total[7] = {};
    explicit result(int n) : f(3 * n), energy(n), virial(6 * n) {}
};

static result evaluate(int n, const std::vector<double> &jitter, const std::vector<double> &moved,
                       const std::vector<int32_t> &type, bool chain) {
    static const double sites[4][3] = {{0, 0, 0}, {0.5, 0.5, 0}, {0.5, 0, 0.5}, {0, 0.5, 0.5}};
    int side = 1;
    while (4 * side * side * side < n) {
        side++;
    }
    const double cell = cbrt(4 / 0.8442);
    const exact box = side * cell;
    std::vector<exact> built(3 * n), now(3 * n);
    for (int i = 0; i < n; i++) {
        const int at[3] = {i / 4 % side, i / 4 / side % side, i / 4 / side / side};
        for (int d = 0; d < 3; d++) {
            /* What is added in double before the clock is given, not computed. */
            const double x = (at[d] + sites[i % 4][d] + 0.25) * cell + jitter[3 * i + d];
            built[3 * i + d] = x;
            now[3 * i + d] = (exact)x + moved[3 * i + d];
        }
    }
    result sums(n);
    const int images = (int)(2.75 / (double)box) + 2;
    for (int i = 0; i < n; i++) {
        for (int j = i; j < n; j++) {
            const pair_of_types c = coefficients(type[i], type[j]);
            const exact s6 = powl(c.sigma, 6), ratio6 = powl(c.sigma / c.cut, 6);
            const exact shift = 4 * c.epsilon * ratio6 * (ratio6 - 1);
            const int bonds = chain && i / 4 == j / 4 ? j - i : 0;
            for (int a = -images; a <= images; a++) {
                for (int b = -images; b <= images; b++) {
                    for (int g = -images; g <= images; g++) {
                        const int image[3] = {a, b, g};
                        if (i == j && (a < 0 || (a == 0 && (b < 0 || (b == 0 && g <= 0))))) {
                            continue;
                        }
                        exact d[3], rsq = 0;
                        bool nearest = true;
                        for (int k = 0; k < 3; k++) {
                            d[k] = now[3 * i + k] - now[3 * j + k] - image[k] * box;
                            rsq += d[k] * d[k];
                            const exact then = built[3 * i + k] - built[3 * j + k] - image[k] * box;
                            nearest &= fabsl(then) <= box / 2;
                        }
                        if (rsq >= (exact)((double)c.cut * (double)c.cut)) {
                            continue;
                        }
                        const exact r6 = 1 / (rsq * rsq * rsq), factor = SPECIAL[nearest ? bonds : 0];
                        const exact force = factor * 24 * c.epsilon * s6 * r6 * (2 * s6 * r6 - 1) / rsq;
                        const exact energy = factor * (4 * c.epsilon * s6 * r6 * (s6 * r6 - 1) - shift);
                        const exact virial[6] = {d[0] * d[0] * force, d[1] * d[1] * force,
                                                 d[2] * d[2] * force, d[0] * d[1] * force,
                                                 d[0] * d[2] * force, d[1] * d[2] * force};
                        sums.total[0] += energy;
                        sums.energy[i] += energy / 2;
                        sums.energy[j] += energy / 2;
                        for (int k = 0; k < 3; k++) {
                            sums.f[3 * i + k] += d[k] * force;
                            sums.f[3 * j + k] -= d[k] * force;
                        }
                        for (int k = 0; k < 6; k++) {
                            sums.total[1 + k] += virial[k];
                            sums.virial[6 * i + k] += virial[k] / 2;
                            sums.virial[6 * j + k] += virial[k] / 2;
                        }
                    }
                }
            }
        }
    }
    return sums;
}

/* What would pass: the smaller of the error as such and of a bound's worth of relative error. */
struct errors {
    const char *name;
    double abs;
    std::vector<double> all, scaled;
    void add(const double *seen, const exact *right, size_t count) {
        for (size_t i = 0; i < count; i++) {
            const double off = (double)fabsl(seen[i] - right[i]);
            all.push_back(off);
            /* Relative errors may be a hundredth of what is allowed as such. */
            scaled.push_back(std::min(off / abs, off / (double)(1e-12L * fabsl(right[i]))));
        }
    }
    void print() {
        std::sort(all.begin(), all.end());
        std::sort(scaled.begin(), scaled.end());
        printf("%-8s %10zu values  max %.2e  p99 %.2e  | share of the bound: max %.2e\n", name,
               all.size(), all.back(), all[all.size() * 99 / 100], scaled.back());
    }
};

int main(int count, char **words) {
    if (count != 4) {
        fprintf(stderr, "error LIBRARY DATA ROUNDS\n");
        return 2;
    }
    void *library = dlopen(words[1], RTLD_NOW);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    const auto setup = (decltype(&lm_setup))dlsym(library, "lm_setup");
    const auto build = (decltype(&lm_build))dlsym(library, "lm_build");
    const auto energy_of = (decltype(&lm_energy))dlsym(library, "lm_energy");
    const auto atoms_of = (decltype(&lm_atoms))dlsym(library, "lm_atoms");
    if (setup(words[2])) {
        return 1;
    }
    std::mt19937_64 random(1);
    auto within = [&](double bound) {
        return std::uniform_real_distribution<double>(-bound, bound)(random);
    };
    errors f{"f", 1e-10, {}, {}}, total{"total", 1e-9, {}, {}}, energy{"energy", 1e-11, {}, {}},
        virial{"virial", 1e-10, {}, {}};
    for (int round = 0; round < atoi(words[3]); round++) {
        for (const int n : {1, 2, 5, 31, 100, 260, 864, 2048}) {
            const bool chain = round & 1, mixture = round & 2;
            std::vector<double> jitter(3 * n), moved(3 * n), ff(3 * n), e(n), v(6 * n);
            std::vector<int32_t> type(n);
            double sums[7];
            std::generate(jitter.begin(), jitter.end(), [&] { return within(0.12); });
            std::generate(moved.begin(), moved.end(), [&] { return within(0.08); });
            std::generate(type.begin(), type.end(), [&] { return mixture ? 1 + random() % 3 : 1; });
            const result right = evaluate(n, jitter, moved, type, chain);
            struct lm_system system;
            build(&system, jitter.data(), type.data(), n, chain);
            for (int fdotr = 0; fdotr < 2; fdotr++) {
                energy_of(&system, moved.data(), fdotr, ff.data(), sums);
                total.add(sums, right.total, 7);
                f.add(ff.data(), right.f.data(), 3 * n);
            }
            atoms_of(&system, moved.data(), ff.data(), sums, e.data(), v.data());
            total.add(sums, right.total, 7);
            f.add(ff.data(), right.f.data(), 3 * n);
            energy.add(e.data(), right.energy.data(), n);
            virial.add(v.data(), right.virial.data(), 6 * n);
        }
    }
    for (errors *each : {&f, &total, &energy, &virial}) {
        each->print();
    }
}
