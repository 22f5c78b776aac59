// `gbench --benchmark_filter=…`: google-benchmark's own command line.

#include <string>

#include <benchmark/benchmark.h>

#include "calls.h"

static void run(benchmark::State &state, call *side) {
    uint64_t zero = 0;
    benchmark::DoNotOptimize(zero);
    for (auto _ : state) {
        benchmark::DoNotOptimize(side(zero));
    }
}

int main(int argc, char **argv) {
    for (size_t i = 0; i < pair_count; i++) {
        std::string name = pairs[i].name;
        benchmark::RegisterBenchmark((name + "_a").c_str(), run, pairs[i].a);
        benchmark::RegisterBenchmark((name + "_b").c_str(), run, pairs[i].b);
    }
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) {
        return 1;
    }
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
