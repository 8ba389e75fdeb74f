import Foundation
import PickerSession
import Testing

/// Secrets are compared in a time that does not depend on them: see ``SecretHash/matches(_:)`` and
/// `sig_equal` in CSignatures.
@Suite struct SecretComparisonTests {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  /// Modules that verify credentials of others.
  private static let modules = [
    "PickerSession", "PickerWire", "PickerHub", "SessionLog", "WebSocketTransport", "PickerServer",
    "pickerd",
  ]

  /// The lines of a text in which `==` or `!=`, which stop at the first difference, compare a
  /// secret or a signature.
  private static func comparisons(in text: String) throws -> [String] {
    let name = #"[\w.?]*(?:secret|signature|hmac|password)\b"#
    let compared = try Regex(
      #"(?i)\#(name)\s(?:==|!=)\s(?!nil\b)|(?:==|!=)\s\#(name)(?!\.)"#)
    // Few lines compare anything, and a search for the expression takes long in a debug build.
    let lines = text.split(separator: "\n").filter { $0.contains("==") || $0.contains("!=") }
    return lines.filter { $0.contains(compared) }.map(String.init)
  }

  @Test func `no secret is compared with an operator`() throws {
    for module in Self.modules {
      let folder = Self.root.appendingPathComponent("Sources/\(module)")
      let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
      for path in paths where path.hasSuffix(".swift") {
        let text = try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)
        #expect(try Self.comparisons(in: text) == [], "\(module)/\(path)")
      }
    }
  }

  @Test(arguments: [
    "return key.secret == other", "if right != signature {", "guard secret == given else",
    "hmac == mac", "a == b.signature",
  ])
  func `a comparison is found`(line: String) throws {
    #expect(try Self.comparisons(in: line) == [line])
  }

  @Test(arguments: [
    "key.secret != nil", "signature.count == right.count", "count == signature.count",
    "let secret = text", "secrets.count == texts.count",
  ])
  func `a line without one is not found`(line: String) throws {
    #expect(try Self.comparisons(in: line) == [])
  }

  @Test func `every byte of a hash counts`() {
    let bytes = (0..<32).map { UInt8($0) }
    let right = SecretHash(bytes)
    let wrong = bytes.indices.map { index in
      var bytes = bytes
      bytes[index] ^= 1
      return SecretHash(bytes)
    }

    #expect(right.matches(SecretHash(bytes)))
    #expect(wrong.filter { right.matches($0) } == [])
    #expect(!right.matches(SecretHash(Array(bytes.dropLast()))))
  }
}
