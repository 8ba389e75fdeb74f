import CivilTime
import JSONText
import PickerHub
import PickerModel
import PickerSession
import PickerWire
import Synchronization
import Testing

@testable import SessionLog

/// Definitions set by the host are stored once per version.
@Suite(.database) struct DefinitionStoreTests {
  private func rows(_ count: Int, first: String = "r") -> String {
    let rows = (0..<count).map { "\"\(first)\($0)\"" }.joined(separator: ",")
    return #"{"kind":"columns","columns":[[\#(rows)]]}"#
  }

  private func make(_ json: String) throws -> Definition {
    try Definition.make(from: try JSONTree.parse(Array(json.utf8))) { _ in .utc }
  }

  private func count(_ sql: String, _ shelf: Shelf) throws -> Int {
    try #require(try shelf.read(Int.self, sql))
  }

  /// A store with short digests, like those of the server.
  private func open(_ shelf: Shelf) throws -> SQLSessionLog {
    try shelf.store(digest: { document in
      var hash: UInt64 = 0xcbf2_9ce4_8422_2325
      for byte in document { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
      return Array("\(hash)".utf8)
    })
  }

  @Test(arguments: Engine.allCases)
  func `snapshots and entries refer to a definition that is stored once`(engine: Engine)
    async throws
  {
    let shelf = try Shelf(engine)
    let log = try open(shelf)
    let fixture = try LogFixture(rows(20), in: log)
    log.flush()
    let created = try count("SELECT byte_count FROM session", shelf)
    fixture.join("m")
    let second = try make(rows(20_000, first: "s"))
    fixture.append(
      .revised(.init(definition: .init(version: 2, definition: second, source: .whole))))
    for _ in 0..<5 {
      fixture.tap(10, by: "m")
      fixture.snapshot()
    }
    log.flush()

    #expect(try count("SELECT count(*) FROM definition", shelf) == 1)
    #expect(try count("SELECT max(length(body)) FROM entry", shelf) < 1_000)
    #expect(try count("SELECT max(length(body)) FROM snapshot", shelf) < 20_000)
    let sizes = """
      SELECT (SELECT sum(length(body)) FROM entry) + (SELECT sum(length(body)) FROM snapshot)
        + (SELECT sum(length(body)) FROM definition) - (SELECT byte_count FROM session)
      """
    #expect(try count(sizes, shelf) == -created, "the session's size counts its definitions")
    let loaded = try #require(try await shelf.loaded(fixture.origin.id, from: log))
    #expect(loaded.fold.state == fixture.fold.state)
    let deltas = try #require(await history(of: fixture, from: log))
    #expect(deltas.map(\.revision) == fixture.deltas.map(\.revision))
    #expect(deltas.map(\.change.pickerChanges) == fixture.deltas.map(\.change.pickerChanges))
  }

  @Test(arguments: Engine.allCases)
  func `a session whose host has replaced a list of dates by a range is loaded`(engine: Engine)
    async throws
  {
    let shelf = try Shelf(engine)
    let log = try open(shelf)
    let fixture = try LogFixture(
      #"{"kind":"availability","dates":["2018-11-24","2018-11-25"]}"#, in: log)
    let range = try make(
      #"{"kind":"availability","dates":{"from":"2018-11-24","through":"2018-11-27"}}"#)
    fixture.append(
      .revised(.init(definition: .init(version: 2, definition: range, source: .whole))))
    fixture.snapshot()
    log.flush()

    let loaded = try #require(try await shelf.loaded(fixture.origin.id, from: log))
    #expect(loaded.fold.state == fixture.fold.state)
  }

  @Test(arguments: Engine.allCases)
  func `the writing queue does not encode a definition that is encoded`(engine: Engine) async throws
  {
    let shelf = try Shelf(engine)
    let digestCount = Mutex(0)
    let log = try shelf.store(digest: { document in
      if document.count > 10_000 { digestCount.withLock { $0 += 1 } }
      return Array("\(document.count)".utf8)
    })
    let fixture = try LogFixture(rows(20), in: log)
    let second = try make(rows(2_000))
    let encoded = EncodedDefinition(second) { Array("\($0.count)".utf8) }
    fixture.append(
      .revised(
        .init(definition: .init(version: 2, definition: second, source: .whole, encoded: encoded))))
    log.flush()

    #expect(digestCount.withLock { $0 } == 0)
    #expect(try count("SELECT max(length(body)) FROM definition", shelf) == encoded.json.count)
    let loaded = try #require(try await shelf.loaded(fixture.origin.id, from: log))
    #expect(loaded.fold.definition.fullJSON == second.fullJSON)
  }

  @Test(arguments: Engine.allCases)
  func `a patch is stored as a patch, and versions without snapshots are deleted`(engine: Engine)
    async throws
  {
    let shelf = try Shelf(engine)
    let log = try open(shelf)
    var limits = SessionLimits()
    limits.history = 10
    let fixture = try LogFixture(rows(2_000), limits: limits, in: log)
    fixture.join("m")
    for version in 2...40 {
      let region = version.isMultiple(of: 2) ? "AT" : "CH"
      let patch = try JSONTree.parse(Array(#"{"locale":"de-\#(region)"}"#.utf8))
      let document = fixture.fold.definition.document(full: true).merging(patch)
      let definition = try Definition.make(from: document) { _ in .utc }
      fixture.append(
        .revised(
          .init(
            definition: .init(version: version, definition: definition, source: .mergePatch(patch)))
        ))
      fixture.tap(10, by: "m")
      fixture.snapshot()
    }
    log.flush()

    #expect(try count("SELECT max(length(body)) FROM entry", shelf) < 300)
    let stored = try count("SELECT count(*) FROM definition", shelf)
    let snapshots = try count("SELECT count(*) FROM snapshot", shelf)
    #expect(stored <= snapshots && stored < 30)
    let loaded = try #require(try await shelf.loaded(fixture.origin.id, from: log))
    #expect(loaded.fold.state == fixture.fold.state && loaded.fold.version == 40)
  }

  @Test(arguments: Engine.allCases)
  func `a snapshot without its definition does not use the origin's`(engine: Engine) async throws {
    let shelf = try Shelf(engine)
    let log = try open(shelf)
    let fixture = try LogFixture(in: log)
    let second = try make(#"{"kind":"columns","columns":[["x","y"]]}"#)
    fixture.append(
      .revised(.init(definition: .init(version: 2, definition: second, source: .whole))))
    fixture.snapshot(isIdle: true)
    log.flush()
    try shelf.write("DELETE FROM definition")
    #expect(try await shelf.loaded(fixture.origin.id, from: log)?.fold.version == nil)
  }
}
