import Glibc

/// MicroBench [check]: what a tap costs between socket and socket, kind by kind.
///
/// `check` prints nothing but what exceeds Tests/MicroBench/Thresholds.swift, and then fails. Only
/// allocations and octets are checked: they are the same in every run, times are not.
let isCheck = CommandLine.arguments.dropFirst() == ["check"]
guard isCheck || CommandLine.arguments.count == 1 else {
  print("MicroBench [check]")
  exit(EX_USAGE)
}

let costs = try BenchKind.all.map(TapCost.init)
let sizes = try BenchKind.sizes.map { (small: try TapCost($0.0), large: try TapCost($0.1)) }
let memories = try (BenchKind.all + BenchKind.sizes.flatMap { [$0.0, $0.1] })
  .map(SessionMemory.init)

if isCheck {
  let excesses = Thresholds.excesses(costs, sizes, memories)
  for excess in excesses { print(excess) }
  print("\(Thresholds.count - excesses.count) passed, \(excesses.count) failed")
  exit(excesses.isEmpty ? 0 : 1)
}
print(MicroReport.taps(costs))
print(MicroReport.sizes(sizes))
print(MicroReport.memories(memories))
