import CivilTime
import Foundation
import JSONText
import PickerModel
import PickerSession
import Testing

@testable import SessionLog

/// The conditions of entries that the fold decides on, because other nodes append to the same log.
@Suite struct ConditionCodecTests {
  private let at = Instant(milliseconds: 1_795_176_000_000)
  private let member = MemberID("m_1")

  private func reread(_ body: LogEntry.Body) throws -> LogEntry? {
    let bytes = LogEntry(at: at, body: body).tree.serialized()
    return LogEntry(tree: try JSONTree.parse(bytes)) { tree in
      try? Definition.make(from: tree) { _ in nil }
    }
  }

  private func joining(_ room: Int?) -> LogEntry.Body {
    .joined(
      .init(member: member, secret: SecretHash([1]), name: "Ana", role: .editor, room: room))
  }

  @Test(arguments: [nil, 0, 1000] as [Int?])
  func `the maximum of members of a join is decoded`(room: Int?) throws {
    #expect(try reread(joining(room))?.body == joining(room))
    let returned = LogEntry.Body.returned(member, nil, room: room)
    #expect(try reread(returned)?.body == returned)
  }

  @Test(arguments: [false, true])
  func `whether a definition needs its base is decoded`(needsBase: Bool) throws {
    let text = #"{"kind":"columns","columns":[["a","b"]]}"#
    let definition = try Definition.make(from: try JSONTree.parse(Array(text.utf8))) { _ in nil }
    let change = DefinitionChange(
      version: 2, definition: definition, source: .whole, needsBase: needsBase)
    guard case .define(let read)? = try reread(.define(change))?.body else {
      throw StoredProblem("no definition")
    }
    #expect(read.needsBase == needsBase && read.version == 2)
    let stored = LogEntry(at: at, body: .define(change)).stored { $0 }.body
    let tree = try JSONTree.parse([UInt8](stored))
    #expect(tree["needsBase"] == (needsBase ? .bool(true) : nil))
  }

  @Test func `entries without conditions are stored as before`() throws {
    #expect(LogEntry(at: at, body: joining(nil)).tree["room"] == nil)
  }
}
