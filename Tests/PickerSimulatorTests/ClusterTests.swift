import Testing

@testable import PickerSimulator

/// Several nodes on one log.
@Suite struct ClusterTests {
  @Test(arguments: 1...5)
  func `nodes that share a log have no violation`(nodeCount: Int) throws {
    var simulation = Simulation()
    for seed in 1...6 as ClosedRange<UInt64> {
      try simulation.runCluster(seed: seed, nodeCount: nodeCount)
    }
    #expect(simulation.report.clusterCount == 6)
    #expect(simulation.report.revisionCount > 100)
  }

  @Test(arguments: [SharedLog.Defect.numberGivenTwice, .entryLeftOut, .eventsLeftOut, .eventsTwice])
  func `a broken log is found`(defect: SharedLog.Defect) {
    var found = 0
    for seed in 1...6 as ClosedRange<UInt64> {
      let world = ClusterWorld(seed: seed, nodeCount: 3, defect: defect)
      do throws(Violation) {
        try world.run()
      } catch {
        found += 1
      }
    }
    #expect(found >= 4)
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
