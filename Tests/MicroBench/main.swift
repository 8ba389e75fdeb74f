import Glibc

/// MicroBench [check | loop KIND]: the cost of a tap from socket to socket for each kind.
///
/// `check` prints only what exceeds Tests/MicroBench/Thresholds.swift and fails if anything does.
/// It checks allocations and bytes, which are the same in every run, but not times. `loop` taps
/// for ten seconds on the kind whose name starts with KIND, for a profiler.
let arguments = Array(CommandLine.arguments.dropFirst())
let isCheck = arguments == ["check"]
if arguments.count == 2, arguments[0] == "loop" {
  try loop(arguments[1])
  exit(0)
}
guard isCheck || arguments.isEmpty else {
  print("MicroBench [check | loop KIND]")
  exit(EX_USAGE)
}

func loop(_ name: String) throws {
  guard let kind = BenchKind.all.first(where: { $0.name.hasPrefix(name) }) else { return }
  let bench = BenchHub(kind)
  try bench.create(1)
  bench.join()
  let end = time(nil) + 10
  while time(nil) < end {
    let taps = bench.taps(10_000)
    bench.give(taps)
  }
}

let costs = try BenchKind.all.map(TapCost.init)
let sizes = try BenchKind.sizes.map { (small: try TapCost($0.0), large: try TapCost($0.1)) }
let series = try BenchSeries.all.map(SeriesCost.init)
let hosts = try HostRequest.all.map(HostCost.init)
let memories = try (BenchKind.all + BenchKind.sizes.flatMap { [$0.0, $0.1] })
  .map(SessionMemory.init)

if isCheck {
  let excesses = Thresholds.excesses(costs, sizes, series, hosts, memories)
  for excess in excesses { print(excess) }
  print("\(Thresholds.count - excesses.count) passed, \(excesses.count) failed")
  exit(excesses.isEmpty ? 0 : 1)
}
print(MicroReport.taps(costs))
print(MicroReport.sizes(sizes))
print(MicroReport.series(series))
print(MicroReport.hosts(hosts))
print(MicroReport.definitions(try DefinitionCost.all()))
print(MicroReport.finds(try FindCost.all()))
print(MicroReport.memories(memories))
