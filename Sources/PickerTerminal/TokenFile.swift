import Foundation
import Synchronization

/// The file of `--token-file`, which another program replaces before the token expires.
package final class TokenFile: Sendable {
  package struct Problem: Error, CustomStringConvertible {
    package let description: String
  }

  /// The maximum size of a token on the wire, and a newline.
  private static let byteCountMax = 8_194
  private let path: String
  private let last = Mutex<String?>(nil)

  package init(path: String) { self.path = path }

  package func read() throws -> String {
    guard let handle = FileHandle(forReadingAtPath: path) else {
      throw Problem(description: "the file \(path) cannot be read")
    }
    defer { try? handle.close() }
    let bytes = try handle.read(upToCount: Self.byteCountMax) ?? Data()
    let token = String(decoding: bytes, as: UTF8.self)
      .trimmingCharacters(in: .whitespacesAndNewlines)
    guard !token.isEmpty else { throw Problem(description: "the file \(path) has no token") }
    last.withLock { $0 = token }
    return token
  }

  /// The next token.
  ///
  /// - Parameter code: The close code with which the server rejected the last one, if it has.
  /// - Throws: Also if the file has the token that was read last, which is about to expire or was
  ///   revoked. After 4301 that one may be valid soon: the server may not know its key yet.
  package func next(after code: Int?) throws -> String {
    let previous = last.withLock { $0 }
    let token = try read()
    guard token != previous || code == 4301 else {
      throw Problem(description: "the file \(path) has no new token")
    }
    return token
  }
}
