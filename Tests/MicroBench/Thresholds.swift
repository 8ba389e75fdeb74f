/// The maximum allocations of a tap and memory of a session. Increases need a reason here.
enum Thresholds {
  /// Decode, rule and encode together; printed, but not checked.
  static let tapNanoseconds = 3000.0
  /// Of a session with a member, beyond its definition. 4,525 were measured for a slot, with the
  /// state of a shared definition, the roles and the event's texts that a host gives, the reason of
  /// its cancellation, the first result, the object by which a definition counts, and what a session
  /// knows of an inventory: the levels of rows, and a claim that the inventory has changed.
  static let sessionBytes = 4544

  /// Allocations of one tap: decode, rule, encode, and all in the hub.
  private static let allocations: [String: (Double, Double, Double, Double)] = [
    "date, a day": (0, 3, 2, 5),
    "date, a month: reloads the days": (0, 5, 2, 7),
    // The delta has a result, whose instant and keys are one allocation each.
    "slot, an hour": (0, 10, 3, 13),
    "cascade, a leaf": (0, 4, 2, 6),
    "cascade, a branch: reloads 10 leaves": (0, 7, 2, 9),
    "columns": (0, 3, 2, 5),
    "calendar": (0, 2, 2, 8),
  ]

  /// The number of checks.
  static let count =
    5 * BenchKind.all.count + 3 * BenchKind.sizes.count
    + BenchSeries.all.reduce(0) { $0 + $1.kinds.count - 2 } + HostRequest.all.count

  static func excesses(
    _ costs: [TapCost], _ sizes: [(small: TapCost, large: TapCost)], _ series: [SeriesCost],
    _ hosts: [HostCost], _ memories: [SessionMemory]
  ) -> [String] {
    var excesses = series.flatMap(\.excesses) + hosts.compactMap(\.excess)
    for cost in costs {
      guard let most = allocations[cost.kind.name] else { fatalError("no threshold") }
      // Rounded, because queues that grow occasionally add a fraction.
      for (part, found, most) in [
        ("decode", cost.decode, most.0), ("rule", cost.rule, most.1),
        ("encode", cost.encode, most.2), ("hub", cost.hub, most.3),
      ] where found.allocations.rounded() > most {
        excesses.append("\(cost.kind.name), \(part): \(found.allocations) allocations, not \(most)")
      }
    }
    for (small, large) in sizes where large.sum.allocations > small.sum.allocations {
      excesses.append("\(large.kind.name): a tap allocates more than in a \(small.kind.name)")
    }
    for memory in memories where memory.joined > sessionBytes {
      excesses.append("\(memory.kind.name): a session occupies \(memory.joined) bytes")
    }
    return excesses
  }
}
