import CivilTime
import PickerModel
import Testing

import PickerHost
@testable import PickerHub
@testable import PickerSession
@testable import PickerWire

/// Sharing of definitions between sessions, and the connection table.
@Suite struct SharingTests {
  private func create(
    _ fixture: HubFixture, _ definition: String
  ) throws -> Result<CreatedSession, HubProblem> {
    let request = try CreateRequest(Array(#"{"definition":\#(definition)}"#.utf8))
    var answer: Result<CreatedSession, HubProblem>?
    fixture.hub.begin { host throws(HubProblem) in
      try await host.create(request, socketBase: "ws://here", at: fixture.now)
    } answer: {
      answer = $0
    }
    return try #require(answer)
  }

  private func definition(of id: SessionID, _ fixture: HubFixture) throws -> Definition {
    try #require(fixture.hub.session(id)).fold.origin.definition
  }

  @Test func `sessions shard equal definitions`() throws {
    let fixture = try HubFixture(letters)
    let same = try create(fixture, letters.replacing("[[", with: "[ [")).get().id
    let other = try create(fixture, letters.replacing("x", with: "z")).get().id

    let first = try definition(of: fixture.session, fixture)
    #expect(try definition(of: same, fixture) === first)
    #expect(try definition(of: other, fixture) !== first)
  }

  @Test func `a shared definition that has become invalid is refused like a new one`() throws {
    let known = #"{"kind":"date","min":"2026-11-20","max":"today"}"#
    let fixture = try HubFixture(known)
    fixture.machine = -86_400_000

    guard case .failure(.badDefinition(let again)) = try create(fixture, known),
      case .failure(.badDefinition(let new)) = try create(
        HubFixtureBeforeNoon.make(), known)
    else {
      Issue.record("min is after max, but the definition was accepted")
      return
    }
    #expect(again == new)
    #expect(again.pointer == "/min")
  }

  /// A new hub whose clock is one day earlier.
  private enum HubFixtureBeforeNoon {
    static func make() throws -> HubFixture {
      let fixture = try HubFixture(letters)
      fixture.machine = -86_400_000
      return fixture
    }
  }

  @Test func `an unused definition is released`() throws {
    var table = DefinitionTable()
    var made: Definition? = try Definition.make(from: .parse(Array(letters.utf8))) { _ in nil }
    table.insert(made!, digest: [1])
    #expect(table[[1]] === made)
    made = nil
    #expect(table[[1]] == nil)
  }

  @Test func `connections are found by id in any slot`() {
    var table = ConnectionTable()
    let raws: [UInt64] = [0, 7, 1 << 32 | 7, 2 << 32 | 7, 0xFFFF_FFFF, 5 << 32 | 0xFFFF_FFFF]
    let connections = raws.map {
      HubConnection(id: ConnectionID(raw: $0), session: SessionID("s"), bearer: nil)
    }
    for connection in connections { table.insert(connection) }

    #expect(table.count == raws.count)
    for connection in connections { #expect(table[connection.id] === connection) }
    #expect(table[ConnectionID(raw: 3 << 32 | 7)] == nil)
    #expect(table.inOrder.map(\.id.raw) == raws.sorted())

    for (place, connection) in connections.enumerated() {
      #expect(table.remove(connection.id) === connection)
      #expect(table.remove(connection.id) == nil)
      #expect(table.count == raws.count - place - 1)
      for left in connections[(place + 1)...] { #expect(table[left.id] === left) }
    }
  }
}
