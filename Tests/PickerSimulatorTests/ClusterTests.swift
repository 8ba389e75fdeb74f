import Testing

@testable import PickerSimulator

/// Several nodes with the production log on one database.
@Suite struct ClusterTests {
  @Test(arguments: 1...5)
  func `nodes with one owner per session have no violation`(nodeCount: Int) throws {
    var simulation = Simulation()
    for seed in 1...6 as ClosedRange<UInt64> {
      try simulation.runCluster(seed: seed, nodeCount: nodeCount)
    }
    #expect(simulation.report.clusterCount == 6)
    #expect(simulation.report.revisionCount > 100)
    #expect(nodeCount == 1 || simulation.report.relayedCount > 50)
  }

  /// 104: a node whose row was deleted came back; 141: a member stayed at a former owner; 990: a
  /// session was claimed by another node while it was loaded.
  @Test(arguments: [104, 141, 990] as [UInt64])
  func `clusters that have failed hold`(seed: UInt64) throws {
    var simulation = Simulation()
    try simulation.runCluster(seed: seed, nodeCount: 3)
  }

  /// Seed 30 at the latest.
  @Test(arguments: SimulatedDefect.allCases)
  func `the simulator finds a log that is broken`(defect: SimulatedDefect) {
    let found = (1..<200 as Range<UInt64>).first { seed in
      var simulation = Simulation()
      do throws(Violation) {
        try simulation.runCluster(seed: seed, nodeCount: 3, defect: defect)
        return false
      } catch {
        return true
      }
    }
    #expect(found != nil)
  }

  @Test func `the same seed produces the same cluster`() throws {
    func counts() throws -> [Int] {
      let world = ClusterWorld(seed: 5)
      try world.run()
      return [world.time.eventCount, world.frameCount, world.revisionCount]
    }
    #expect(try counts() == counts())
  }
}
