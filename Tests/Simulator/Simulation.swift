/// Runs simulated worlds one after the other and adds up their statistics.
package struct Simulation {
  /// The statistics of all worlds.
  package struct Report: Sendable {
    package var worldCount = 0
    package var eventCount = 0
    package var frameCount = 0
    package var revisionCount = 0
    package var comparisonCount = 0
    /// Of the worlds, those of several nodes.
    package var clusterCount = 0
    /// The connections and requests that one node has passed to another.
    package var relayedCount = 0
    /// Of the worlds, those whose sessions take from an inventory.
    package var saleCount = 0
    /// The holds, offers and bookings that were given.
    package var grantCount = 0
  }

  package private(set) var report = Report()

  package init() {}

  /// Runs the worlds of `count` seeds from `seed` on.
  ///
  /// - Parameters:
  ///   - nodeCount: The number of nodes; `nil`: the seed decides.
  ///   - defect: A bug that must be found.
  ///   - trace: Called with a line for each event.
  /// - Throws: The first violation, with the command that reproduces it.
  package mutating func run(
    seed: UInt64, count: Int = 1, nodeCount: Int? = nil, defect: SimulatedDefect? = nil,
    trace: ((String) -> Void)? = nil
  ) throws(Violation) {
    for number in 0..<UInt64(count) {
      let world = World(seed: seed &+ number, nodeCount: nodeCount, defect: defect)
      world.trace = trace
      try run(world)
    }
  }

  /// Runs a world whose choices are the bytes of a fuzzer's input.
  ///
  /// - Throws: The first violation.
  package mutating func run(bytes: [UInt8]) throws(Violation) { try run(World(bytes: bytes)) }

  private mutating func run(_ world: World) throws(Violation) {
    try world.run()
    report.worldCount += 1
    report.eventCount += world.eventCount
    report.comparisonCount += world.comparisonCount
    report.frameCount += world.sentFrameCount
    report.revisionCount += world.revisionCount
    report.relayedCount += world.relayedCount
    report.grantCount += world.grantCount
    if world.profile.isClustered { report.clusterCount += 1 }
    if world.profile.sells { report.saleCount += 1 }
  }
}
