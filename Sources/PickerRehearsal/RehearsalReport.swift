/// The report of a rehearsal, as text and as JUnit XML.
package struct RehearsalReport: Sendable {
  private let outcomes: [Rehearsal.Outcome]

  package init(_ outcomes: [Rehearsal.Outcome]) { self.outcomes = outcomes }

  package var failureCount: Int { outcomes.count { !$0.isPassed } }

  /// The result of one scene, with its failure.
  package static func text(of outcome: Rehearsal.Outcome) -> String {
    let (scene, seconds) = (outcome.scene, tenths(outcome.seconds))
    guard let clause = outcome.clause else {
      return "passed  \(scene.name) (\(seconds) s)"
    }
    var text = """
      FAILED  \(scene.name) (\(seconds) s): \(scene.summary)
              \(outcome.detail)
              contract: \(clause.text)
      """
    for line in outcome.notes.split(separator: "\n") { text += "\n        | \(line)" }
    return text
  }

  package var summary: String {
    "\(outcomes.count - failureCount) of \(outcomes.count) scenes passed"
  }

  /// The report as JUnit XML, for CI servers.
  package var junit: String {
    let seconds = outcomes.reduce(0) { $0 + $1.seconds }
    var text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <testsuite name="pickerd rehearse" tests="\(outcomes.count)" failures="\(failureCount)" \
      errors="0" skipped="0" time="\(Self.tenths(seconds))">

      """
    for outcome in outcomes {
      let (name, time) = (Self.escaped(outcome.scene.name), Self.tenths(outcome.seconds))
      text += "  <testcase classname=\"rehearse\" name=\"\(name)\" time=\"\(time)\""
      guard let clause = outcome.clause else {
        text += "/>\n"
        continue
      }
      text += ">\n    <failure message=\"\(Self.escaped(outcome.detail))\">"
      text += Self.escaped("contract: \(clause.text)\n\(outcome.notes)")
      text += "</failure>\n  </testcase>\n"
    }
    return text + "</testsuite>\n"
  }

  private static func tenths(_ seconds: Double) -> String {
    let tenths = Int((seconds * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)"
  }

  /// Escapes text for XML; removes characters that XML 1.0 does not allow.
  private static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "\n", "\t": result.unicodeScalars.append(scalar)
      case _ where scalar.value < 0x20 || scalar.value == 0xFFFE || scalar.value == 0xFFFF: continue
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
