import Foundation

/// Lines on standard error: a time, a level, and one sentence without control characters.
package struct ServerLog: Sendable {
  private let level: ServerConfiguration.LogLevel

  package init(_ level: ServerConfiguration.LogLevel) { self.level = level }

  package func error(_ sentence: String) { write(.error, sentence) }
  package func warning(_ sentence: String) { write(.warning, sentence) }
  package func notice(_ sentence: String) { write(.notice, sentence) }
  package func info(_ sentence: String) { write(.info, sentence) }

  private func write(_ level: ServerConfiguration.LogLevel, _ sentence: String) {
    guard level <= self.level else { return }
    let time = Date.now.formatted(.iso8601)
    var line = "\(time) \(level.rawValue) "
    for scalar in sentence.unicodeScalars.prefix(2000) {
      if scalar.properties.generalCategory == .control {
        line += "\\u{\(String(scalar.value, radix: 16))}"
      } else {
        line.unicodeScalars.append(scalar)
      }
    }
    FileHandle.standardError.write(Data((line + "\n").utf8))
  }
}
