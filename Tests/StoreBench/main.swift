import Foundation

/// `make bench-store`: commands a second that an SQLite store makes durable, against the bare rate
/// of fsynced transactions, in one run and on one file system.
///
/// Each round measures everything once, one after the other, so that what else the machine does
/// meets all alike; the table has medians. Every command is answered only when it is on the disk,
/// and each client gives its next command when it has the answer to the last.
signal(SIGPIPE, SIG_IGN)

let settings = BenchSettings(CommandLine.arguments.dropFirst())
var results = BenchResults(settings)
try? FileManager.default.removeItem(atPath: settings.folder)
try FileManager.default.createDirectory(
  atPath: settings.folder, withIntermediateDirectories: true)

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
