/// Many worlds, one after the other.
package struct Simulation {
  /// What a world came to.
  package struct Report: Sendable {
    package var worldCount = 0
    package var eventCount = 0
    package var frameCount = 0
    package var revisionCount = 0
    package var comparisonCount = 0
  }

  package private(set) var report = Report()

  package init() {}

  /// Lives through the worlds of `count` seeds from `seed` on.
  ///
  /// - Parameter trace: Called with every event, if anybody wants to see them.
  /// - Throws: The first violation; it says how to see it again.
  package mutating func run(
    seed: UInt64, count: Int = 1, trace: ((String) -> Void)? = nil
  ) throws(Violation) {
    for number in 0..<UInt64(count) {
      let world = World(seed: seed &+ number)
      world.trace = trace
      try world.run()
      report.worldCount += 1
      report.eventCount += world.eventCount
      report.comparisonCount += world.comparisonCount
      report.frameCount += world.sentFrameCount
      report.revisionCount += world.replicas.values.reduce(0) { $0 + $1.fold.revision }
    }
  }
}
