package import ArgumentParser
import Foundation

/// The subcommands of `pickerd` that are not the server, in the order of its help.
package let toolCommands: [any ParsableCommand.Type] = [
  Replay.self, Backup.self, Move.self, Keys.self, Token.self, Deliver.self, Health.self,
  Status.self, Sessions.self,
]

/// Writes a problem of a subcommand to standard error.
///
/// - Returns: The exit status, to be thrown.
@discardableResult
package func complain(
  _ command: String, _ sentence: String, _ status: Int32 = EX_DATAERR
) -> ExitCode {
  writeError("pickerd \(command): \(sentence)")
  return ExitCode(status)
}

/// Writes the buffered output. A tool that cannot write it fails, because a script would go on
/// with a part of it.
package func flushOutput() throws {
  guard fflush(nil) != 0 else { return }
  writeError("pickerd: cannot write the output: \(String(cString: strerror(errno)))")
  throw ExitCode(EX_IOERR)
}

private func writeError(_ line: String) {
  try? FileHandle.standardError.write(contentsOf: Data("\(line)\n".utf8))
}
