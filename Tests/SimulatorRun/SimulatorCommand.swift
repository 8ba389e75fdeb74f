import Glibc
import PickerSimulator

/// `picker-simulator --seed N --count N [--verbose]` runs simulated worlds until one violates a
/// rule; with `--nodes N` worlds of N nodes on one database, `--defect NAME` with a bug that must
/// be found. `picker-simulator --defects` looks for a seed that finds each of these bugs.
/// `picker-simulator --bytes` runs conversations with a fault after each byte of a connection.
///
/// The exit status is 1 for a violation, or a bug that is not found, and 2 for wrong usage.
@main
struct SimulatorCommand {
  var seed: UInt64 = 1
  var count: UInt64 = 100
  var isVerbose = false
  /// The number of nodes; `nil`: the seeds decide.
  var nodeCount: Int?
  var defect: SimulatedDefect?

  static func main() {
    var command = SimulatorCommand()
    command.read(Array(CommandLine.arguments.dropFirst()))
    command.run()
  }

  private mutating func read(_ arguments: [String]) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--seed": seed = number(rest.popFirst(), after: argument)
      case "--count": count = number(rest.popFirst(), after: argument)
      case "--verbose": isVerbose = true
      case "--nodes": nodeCount = Int(clamping: max(1, number(rest.popFirst(), after: argument)))
      case "--defect":
        defect = rest.popFirst().flatMap(SimulatedDefect.init(rawValue:))
        if defect == nil { stop("\(argument) needs one of \(SimulatedDefect.names)", status: 2) }
      case "--defects": runDefects()
      case "--bytes": runBytes()
      default:
        stop(
          "usage: picker-simulator [--seed N] [--count N] [--nodes N [--defect NAME]] [--verbose]"
            + " | --defects | --bytes",
          status: 2)
      }
    }
  }

  private func number(_ text: String?, after name: String) -> UInt64 {
    guard let text, let value = UInt64(text) else { stop("\(name) needs a number", status: 2) }
    return value
  }

  private func run() {
    var simulation = Simulation()
    for number in 0..<count {
      if isVerbose { print("seed \(seed &+ number)") }
      do {
        try simulation.run(
          seed: seed &+ number, nodeCount: nodeCount, defect: defect,
          trace: isVerbose ? { print($0) } : nil)
      } catch {
        stop("\(error)", status: 1)
      }
    }
    let report = simulation.report
    print(
      "\(report.worldCount) worlds, \(report.eventCount) events, "
        + "\(report.revisionCount) revisions, \(report.frameCount) frames, "
        + "\(report.grantCount) grants in \(report.saleCount) sales, no violations")
  }

  private func runDefects() -> Never {
    var isComplete = true
    for defect in SimulatedDefect.allCases {
      let found = (1..<100 as Range<UInt64>).first { seed in
        var simulation = Simulation()
        do throws(Violation) {
          try simulation.run(seed: seed, nodeCount: 3, defect: defect)
          return false
        } catch {
          return true
        }
      }
      isComplete = isComplete && found != nil
      print("\(defect.rawValue): " + (found.map { "found by seed \($0)" } ?? "not found"))
    }
    exit(isComplete ? 0 : 1)
  }

  private func runBytes() -> Never {
    var simulation = WireSimulation()
    for script in WireScript.all {
      do throws(WireBreach) {
        try simulation.run(script)
      } catch {
        stop("\(error)", status: 1)
      }
    }
    stop(
      "\(simulation.faultCount) faults behind \(simulation.byteCount) bytes, no violations",
      status: 0)
  }

  private func stop(_ sentence: String, status: Int32) -> Never {
    print(sentence)
    exit(status)
  }
}
