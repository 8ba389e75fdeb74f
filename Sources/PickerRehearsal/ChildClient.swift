import Foundation
import JSONText

/// A client that is a child process. It reads instructions from standard input and writes states to
/// standard output, one per line.
final class ChildClient: RehearsedClient {
  private let command: [String]
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private let complaints: URL
  private let lines = StateLines()
  private(set) var notes = ""

  /// - Parameter command: The command line; `{url}` is replaced by the session's URL.
  init(_ command: [String]) {
    self.command = command
    complaints = FileManager.default.temporaryDirectory
      .appendingPathComponent("pickerd-rehearse-\(UUID().uuidString)")
  }

  func open(_ url: String) throws {
    guard FileManager.default.createFile(atPath: complaints.path, contents: nil) else {
      throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: complaints.path])
    }
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = command.map { $0.replacingOccurrences(of: "{url}", with: url) }
    process.standardInput = input
    process.standardOutput = output
    process.standardError = try FileHandle(forWritingTo: complaints)
    try process.run()
    let (handle, lines) = (output.fileHandleForReading, lines)
    Thread.detachNewThread {
      while true {
        let bytes = handle.availableData
        if bytes.isEmpty { break }
        lines.take(Array(bytes))
      }
      lines.end()
    }
  }

  func act(_ command: JSONTree) {
    try? input.fileHandleForWriting.write(contentsOf: Data((command.text + "\n").utf8))
  }

  func state(within seconds: Double) -> JSONTree? {
    let count = lines.count
    act(.stateQuestion)
    return lines.next(after: count, within: seconds)
  }

  func close() {
    try? input.fileHandleForWriting.close()
    let deadline = Date(timeIntervalSinceNow: 0.2)
    while process.isRunning, Date() < deadline { Thread.sleep(forTimeInterval: 0.005) }
    guard process.processIdentifier > 0 else { return }
    // Foundation starts a process in its own process group, to which its children belong too.
    if process.isRunning { kill(-process.processIdentifier, SIGKILL) }
    process.waitUntilExit()
    let text = (try? String(contentsOf: complaints, encoding: .utf8)) ?? ""
    notes = text.split(separator: "\n").suffix(12).joined(separator: "\n")
    try? FileManager.default.removeItem(at: complaints)
  }
}

/// The states among the output lines of a process. `@unchecked Sendable`: guarded by a lock.
private final class StateLines: @unchecked Sendable {
  private static let lineBytesMax = 16 << 20
  private let condition = NSCondition()
  private var rest: [UInt8] = []
  private var last: JSONTree?
  private var stateCount = 0
  private var hasEnded = false

  var count: Int {
    condition.lock()
    defer { condition.unlock() }
    return stateCount
  }

  func take(_ bytes: [UInt8]) {
    condition.lock()
    defer { condition.unlock() }
    rest += bytes
    while let end = rest.firstIndex(of: 0x0A) {
      if let tree = try? JSONTree.parse(Array(rest[..<end])), tree.isState {
        last = tree
        stateCount += 1
      }
      rest.removeSubrange(...end)
    }
    if rest.count > StateLines.lineBytesMax { rest = [] }
    condition.broadcast()
  }

  func end() {
    condition.lock()
    hasEnded = true
    condition.broadcast()
    condition.unlock()
  }

  func next(after count: Int, within seconds: Double) -> JSONTree? {
    condition.lock()
    defer { condition.unlock() }
    let deadline = Date(timeIntervalSinceNow: seconds)
    while stateCount <= count, !hasEnded {
      if !condition.wait(until: deadline) { break }
    }
    return stateCount > count ? last : nil
  }
}
