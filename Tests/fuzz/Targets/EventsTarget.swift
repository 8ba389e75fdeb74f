import PickerSimulator

/// Makes the choices of a simulated world.
enum EventsTarget {
  static func run(_ input: [UInt8]) throws(FuzzFailure) { _ = try effect(of: input) }

  static func effect(of input: [UInt8]) throws(FuzzFailure) -> (revisions: Int, frames: Int) {
    var simulation = Simulation()
    do throws(Violation) {
      try simulation.run(bytes: input)
    } catch {
      throw FuzzFailure("not true: \(error.sentence)")
    }
    return (simulation.report.revisionCount, simulation.report.frameCount)
  }
}
