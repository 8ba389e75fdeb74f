import Foundation

/// `make bench-store`: durable commands per second with a SQLite store, compared with the bare rate
/// of fsynced transactions in the same run and on the same file system.
///
/// Each round measures everything once, so that other load on the machine affects all alike; the
/// table has medians. A command is answered only when it is on disk, and each client sends its
/// next command when it has the answer to the last one.
signal(SIGPIPE, SIG_IGN)

let settings = BenchSettings(CommandLine.arguments.dropFirst())
var results = BenchResults(settings)
try? FileManager.default.removeItem(atPath: settings.folder)
try FileManager.default.createDirectory(
  atPath: settings.folder, withIntermediateDirectories: true)

if settings.database != nil, let count = settings.sessionCounts.first {
  let measured = try HubLoad.measure(settings, sessionCount: count)
  print(measured.json)
  exit(0)
}

for round in 1...settings.rounds {
  FileHandle.standardError.write(Data("round \(round) of \(settings.rounds)\n".utf8))
  results.add(try BareStore.measure(settings), as: .bare)
  for count in settings.sessionCounts {
    results.add(try HubLoad.measure(settings, sessionCount: count), as: .hub(count))
  }
  for count in settings.sessionCounts where settings.server != nil {
    results.add(try SocketLoad.measure(settings, sessionCount: count), as: .sockets(count))
  }
}
try? FileManager.default.removeItem(atPath: settings.folder)
print(results.table)
print(results.json)
