import Foundation

/// A server in a process of its own, and one WebSocket per session from this process.
enum SocketLoad {
  static func measure(_ settings: BenchSettings, sessionCount: Int) throws -> Measured {
    let server = try ServerProcess(settings.server ?? "", store: settings.newStore())
    defer { server.stop() }
    var sockets: [LoadSocket] = []
    for _ in 0..<sessionCount {
      let path = try LoadSocket.create(at: server.port)
      let socket = try LoadSocket(port: server.port, path: path)
      try socket.join()
      sockets.append(socket)
    }
    return try run(sockets, server, seconds: settings.seconds)
  }

  private static func run(
    _ sockets: [LoadSocket], _ server: ServerProcess, seconds: Double
  ) throws -> Measured {
    var waiting = sockets.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
    let (own, serverBefore) = (processorSeconds(), server.processorSeconds)
    let begun = secondsNow()
    var sent = Array(repeating: begun, count: sockets.count)
    var latencies: [Double] = []
    for socket in sockets { try socket.command() }
    while secondsNow() - begun < seconds {
      poll(&waiting, nfds_t(waiting.count), 1000)
      for number in waiting.indices where waiting[number].revents != 0 {
        guard try sockets[number].receivesAnswer() else { continue }
        let now = secondsNow()
        latencies.append((now - sent[number]) * 1000)
        sent[number] = now
        try sockets[number].command()
      }
    }
    let took = secondsNow() - begun
    return Measured(
      count: latencies.count, seconds: took, latencies: latencies.sorted(),
      ownSeconds: processorSeconds() - own, serverSeconds: server.processorSeconds - serverBefore)
  }
}

/// A `pickerd serve` process with a store.
final class ServerProcess {
  let port: UInt16
  private let process = Process()

  init(_ program: String, store: String) throws {
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = [
      "serve", "--listen", "127.0.0.1:0", "--store", "sqlite:\(store)", "--limit",
      "messagesPerSecond=1000000", "--log-level", "error",
    ]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    let digits = line.split(separator: ":").last?.prefix { $0.isNumber } ?? ""
    guard let port = UInt16(digits) else { throw LoadProblem("the server says: \(line)") }
    self.port = port
  }

  /// User and system time so far in seconds.
  var processorSeconds: Double {
    let text =
      (try? String(contentsOfFile: "/proc/\(process.processIdentifier)/stat", encoding: .utf8))
    let fields = (text ?? "").split(separator: ")").last?.split(separator: " ") ?? []
    guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else {
      return 0
    }
    return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  func stop() {
    process.terminate()
    process.waitUntilExit()
  }
}

struct LoadProblem: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
