import Foundation
import JSONText
package import Logging

package enum LogFormat: String, CaseIterable, Sendable { case text, json }

/// A log backend that writes each event as one line to standard error.
///
/// With ``LogFormat/text`` a line has the time, the level, the message and `name=value` for each
/// entry of the metadata. With ``LogFormat/json`` it is an object with `time`, `level`, `message`
/// and the metadata's names. Control characters are escaped in both, and a message is cut after
/// 2,000 characters, so that no client can forge or flood lines. A line that cannot be written, as
/// on a full disk, is dropped.
package struct LineLogHandler: LogHandler {
  package var logLevel: Logger.Level
  package var metadata: Logger.Metadata = [:]
  private let format: LogFormat
  private let write: @Sendable (String) -> Void

  /// - Parameter write: Receives a line with its newline; default: standard error.
  package init(
    _ logLevel: Logger.Level, _ format: LogFormat,
    write: @escaping @Sendable (String) -> Void = {
      try? FileHandle.standardError.write(contentsOf: Data($0.utf8))
    }
  ) {
    self.logLevel = logLevel
    self.format = format
    self.write = write
  }

  package subscript(metadataKey name: String) -> Logger.Metadata.Value? {
    get { metadata[name] }
    set { metadata[name] = newValue }
  }

  package func log(event: LogEvent) {
    let entries = metadata.merging(event.metadata ?? [:]) { $1 }
      .map { (name: $0.key, value: "\($0.value)") }.sorted { $0.name < $1.name }
    let time = Date.now.formatted(.iso8601)
    let message = String(event.message.description.prefix(2000))
    switch format {
    case .text:
      let tail = entries.map { " \($0.name)=\($0.value)" }.joined()
      write("\(time) \(event.level) " + LineLogHandler.escaped(message + tail) + "\n")
    case .json:
      let head = [("time", time), ("level", "\(event.level)"), ("message", message)]
      let members = (head + entries).map { name, value in
        "\(LineLogHandler.quoted(name)):\(LineLogHandler.quoted(value))"
      }
      write("{" + members.joined(separator: ",") + "}\n")
    }
  }

  private static func escaped(_ text: String) -> String {
    var line = ""
    for scalar in text.unicodeScalars {
      if scalar.properties.generalCategory == .control {
        line += "\\u{\(String(scalar.value, radix: 16))}"
      } else {
        line.unicodeScalars.append(scalar)
      }
    }
    return line
  }

  private static func quoted(_ text: String) -> String {
    var writer = JSONWriter()
    writer.string(text)
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}
