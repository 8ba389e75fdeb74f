import Testing

@testable import PickerSimulator

/// Worlds of several nodes on one database.
@Suite struct ClusterTests {
  @Test(arguments: 2...5)
  func `nodes with one owner per session have no violation`(nodeCount: Int) throws {
    var simulation = Simulation()
    try simulation.run(seed: 1, count: 4, nodeCount: nodeCount)
    #expect(simulation.report.clusterCount == 4)
    #expect(simulation.report.revisionCount > 50)
    #expect(simulation.report.relayedCount > 20)
  }

  /// Seed 30 at the latest.
  @Test(arguments: SimulatedDefect.allCases)
  func `the simulator finds a log that is broken`(defect: SimulatedDefect) {
    let found = (1..<100 as Range<UInt64>).first { seed in
      var simulation = Simulation()
      do throws(Violation) {
        try simulation.run(seed: seed, nodeCount: 3, defect: defect)
        return false
      } catch {
        return true
      }
    }
    #expect(found != nil)
  }
}
