#include <benchmark/benchmark.h>
#include <algorithm>
#include <random>
#include <vector>

static void sort_parts(benchmark::State& state) {
  std::mt19937 random(1);
  std::vector<int> numbers(state.range(0));
  for (auto& each : numbers) each = random();
  for (auto _ : state) {
    auto copy = numbers;
    auto part = numbers.size() / state.range(1);
    for (long i = 0; i < state.range(1); ++i)
      std::sort(copy.begin() + i * part, copy.begin() + (i + 1) * part);
    benchmark::DoNotOptimize(copy.data());
  }
}
#ifdef NAMED
BENCHMARK(sort_parts)->ArgNames({"n", "parts"})->ArgsProduct({{1024, 4096, 16384, 65536}, {1, 4, 16}})->Unit(benchmark::kMicrosecond);
#else
BENCHMARK(sort_parts)->ArgsProduct({{1024, 4096, 16384, 65536}, {1, 4, 16}});
#endif
BENCHMARK_MAIN();
