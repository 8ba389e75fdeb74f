import JSONText
import PickerModel
import Synchronization
import Testing

import PickerHost
@testable import PickerHub
@testable import PickerSession
@testable import PickerWire

/// Changes of definitions and notes, which another thread evaluates, and large answers, which it
/// encodes.
@Suite struct LargeChangeTests {
  private let rows = (0..<600).map { #"{"key":"k\#($0)","text":"row \#($0)"}"# }
  private var columns: String {
    #"{"kind":"columns","columns":[[\#(rows.joined(separator: ","))]]}"#
  }

  /// A slot with 1,000 entries of `taken`.
  private func slot(_ minute: Int) -> String {
    let taken = (0..<1_000).map { number in
      #""b\#(number)":{"from":"2026-12-01T10:00","until":"2026-12-01T10:\#(minute)"}"#
    }
    return #"{"kind":"slot","taken":{\#(taken.joined(separator: ","))}}"#
  }

  private func notes(_ text: String) -> String {
    let rows = (0..<600).map { #""k\#($0)":{"text":"\#(text)"}"# }
    return #"{"columns":{"0":{\#(rows.joined(separator: ","))}}}"#
  }

  @Test(arguments: [DocumentRequest.Format.mergePatch, .jsonPatch])
  func `a patch that is too large is refused without reading it`(
    format: DocumentRequest.Format
  ) throws {
    let fixture = try HubFixture(letters)
    fixture.port.backgroundWork = []
    let request = DocumentRequest(
      format: format, byteCount: 262_145, versions: nil, valuesMax: .max
    ) {
      Issue.record("the body was read")
      return []
    }
    var problems: [HubProblem] = []
    fixture.hub.begin { host throws(HubProblem) in
      try await host.change(.definition, of: fixture.session, request, token: nil, at: fixture.now)
    } answer: {
      if case .failure(let problem) = $0 { problems.append(problem) }
    }
    fixture.hub.begin { host throws(HubProblem) in
      try await host.change(.notes, of: fixture.session, request, token: nil, at: fixture.now)
    } answer: {
      if case .failure(let problem) = $0 { problems.append(problem) }
    }
    let refused = problems.count { if case .tooLarge = $0 { true } else { false } }
    #expect(refused == 2 && fixture.port.backgroundWork?.isEmpty == true)
  }

  @Test func `a large body is read and its answer encoded on another thread`() throws {
    let fixture = try HubFixture(slot(20))
    fixture.join(1)
    fixture.port.backgroundWork = []
    let readCount = Mutex(0)
    let body = Array(slot(30).utf8)
    let request = DocumentRequest(
      format: .whole, byteCount: body.count, versions: nil, valuesMax: .max
    ) {
      readCount.withLock { $0 += 1 }
      return body
    }
    var answers: [DocumentAnswer] = []
    fixture.hub.begin { host throws(HubProblem) in
      try await host.change(.definition, of: fixture.session, request, token: nil, at: fixture.now)
    } answer: {
      if case .success(let answer) = $0 { answers.append(answer) }
    }
    #expect(readCount.withLock { $0 } == 0)
    fixture.port.backgroundWork?.removeFirst()()
    #expect(readCount.withLock { $0 } == 1)
    #expect(fixture.fold.version == 2 && answers.isEmpty)
    fixture.port.finishBackgroundWork()
    #expect(answers.map(\.version) == [2])
  }

  private func patch(
    _ fixture: HubFixture, _ body: String, _ format: DocumentRequest.Format = .jsonPatch,
    valuesMax: Int = 20_000
  ) -> () -> Result<DocumentAnswer, HubProblem>? {
    let request = DocumentRequest(
      format: format, body: Array(body.utf8), versions: nil, valuesMax: valuesMax)
    var result: Result<DocumentAnswer, HubProblem>?
    fixture.hub.begin { host throws(HubProblem) in
      try await host.change(.definition, of: fixture.session, request, token: nil, at: fixture.now)
    } answer: {
      result = $0
    }
    return { result }
  }

  @Test func `one more change than may wait for a large one is refused`() throws {
    let fixture = try HubFixture(tree)
    fixture.port.backgroundWork = []
    let answers = (0..<22).map { number in
      // More than 20 in a second are too many in any case.
      if number == 20 { fixture.wait(1000) }
      return patch(fixture, #"{"locale":"de"}"#, .mergePatch)
    }
    #expect(answers.dropLast().allSatisfy { $0() == nil })
    guard case .failure(.tooMany)? = answers[21]() else {
      Issue.record("\(String(describing: answers[21]()))")
      return
    }
  }

  /// Replaces `/nodes`, and then copies it to the children of the first nodes.
  private func doubling(_ nodes: [String], _ count: Int) -> String {
    let nodes = nodes.joined(separator: ",")
    let copies = (0..<count).map {
      #",{"op":"copy","from":"/nodes","path":"/nodes/\#($0)/children"}"#
    }
    return #"[{"op":"replace","path":"/nodes","value":[\#(nodes)]}\#(copies.joined())]"#
  }

  private let tree = #"{"kind":"cascade","nodes":[{"text":"a"}]}"#

  @Test(arguments: [
    (12, 20_000, "/nodes/4/children", "more than 20000 values"),
    (6, 1_000_000, "/nodes", "nodes has more than 20000 nodes in all"),
  ])
  func `a small patch with a large result is refused on another thread`(
    count: Int, valuesMax: Int, pointer: String, detail: String
  ) throws {
    let fixture = try HubFixture(tree)
    fixture.port.backgroundWork = []
    let nodes = Array(repeating: "{}", count: 1_000)
    let result = patch(fixture, doubling(nodes, count), valuesMax: valuesMax)
    #expect(result() == nil && fixture.port.backgroundWork?.count == 1)
    fixture.port.finishBackgroundWork()

    guard case .failure(.badDefinition(let problem))? = result() else {
      Issue.record("\(String(describing: result()))")
      return
    }
    #expect(problem.pointer == pointer && problem.detail.hasSuffix(detail), "\(problem)")
    #expect(fixture.fold.version == 1)
  }

  @Test func `a small patch with a large result is applied on another thread`() throws {
    let fixture = try HubFixture(tree)
    fixture.port.backgroundWork = []
    let nodes = (0..<300).map { #"{"text":"t\#($0)"}"# }
    let result = patch(fixture, doubling(nodes, 3))
    #expect(fixture.fold.version == 1 && fixture.port.backgroundWork?.count == 1)
    fixture.port.finishBackgroundWork()
    #expect(try result()?.get().version == 2)
    #expect(fixture.fold.definition.weight == 2_400)
  }

  /// Adds a field with `value`, and removes it after further operations.
  private func passing(_ value: String, _ operation: String, _ count: Int) -> String {
    let operations = String(repeating: ",\(operation)", count: count)
    return
      #"[{"op":"add","path":"/x","value":\#(value)}\#(operations),{"op":"remove","path":"/x"}]"#
  }

  @Test func `a change is evaluated on another thread, and the next one waits for it`() throws {
    let fixture = try HubFixture(letters)
    fixture.port.backgroundWork = []
    let first = patch(fixture, #"{"columns":[["a","b"]]}"#, .mergePatch)
    let second = patch(fixture, #"[{"op":"add","path":"/columns/0/2","value":"z"}]"#)
    #expect(fixture.port.backgroundWork?.count == 1 && fixture.fold.version == 1)
    fixture.port.finishBackgroundWork()
    #expect(try first()?.get().version == 2 && second()?.get().version == 3)
    #expect(fixture.fold.definition.weight == 3)
  }

  @Test(arguments: [(80, true), (85, false)])
  func `a patch of too many steps is refused`(count: Int, fits: Bool) throws {
    let fixture = try HubFixture(letters)
    let elements = Array(repeating: "0", count: 100_000).joined(separator: ",")
    let result = patch(
      fixture, passing("[\(elements)]", #"{"op":"add","path":"/x/0","value":0}"#, count),
      valuesMax: 1_000_000)
    switch result() {
    case .success: #expect(fits)
    case .failure(.tooLarge(let detail)): #expect(!fits && detail.contains("8388608"))
    case .failure, nil: Issue.record("\(String(describing: result()))")
    }
  }

  @Test(arguments: [
    (#"{"columns":[[VALUES]]}"#, DocumentRequest.Format.mergePatch, 4_000, "/columns/0/0"),
    (#"{"kind":"columns","columns":[[VALUES]]}"#, .whole, 4_000, "/columns/0/0"),
    (#"{"x":[VALUES]}"#, .mergePatch, 3_003, ""),
  ])
  func `a small body with many values is processed on another thread`(
    body: String, format: DocumentRequest.Format, valuesMax: Int, pointer: String
  ) throws {
    let fixture = try HubFixture(letters)
    fixture.port.backgroundWork = []
    let values = Array(repeating: "0", count: 3_000).joined(separator: ",")
    let text = body.replacing("VALUES", with: values)
    let result = patch(fixture, text, format, valuesMax: valuesMax)
    #expect(result() == nil && fixture.port.backgroundWork?.count == 1)
    fixture.port.finishBackgroundWork()

    guard case .failure(.badDefinition(let problem))? = result() else {
      Issue.record("\(String(describing: result()))")
      return
    }
    #expect(problem.pointer == pointer)
  }

  @Test func `a definition that becomes invalid while it is prepared is refused`() throws {
    let fixture = try HubFixture(dates)
    fixture.port.backgroundWork = []
    let body =
      #"{"kind":"date","min":"today","max":"2026-11-20"}"# + String(repeating: " ", count: 20_000)
    let request = DocumentRequest(
      format: .whole, body: Array(body.utf8), versions: nil, valuesMax: .max)
    var pointers: [String] = []
    fixture.hub.begin { host throws(HubProblem) in
      try await host.change(.definition, of: fixture.session, request, token: nil, at: fixture.now)
    } answer: {
      if case .failure(.badDefinition(let problem)) = $0 { pointers.append(problem.pointer) }
    }
    fixture.machine += 43_200_000
    fixture.hub.timer(at: fixture.now)
    fixture.port.finishBackgroundWork()

    #expect(pointers == ["/min"])
    #expect(fixture.fold.version == 1)
  }

  @Test func `a large definition that is equal to the current one changes nothing`() throws {
    let fixture = try HubFixture(slot(20))
    var bodies: [JSONTree?] = []
    let request = DocumentRequest(
      format: .whole, body: Array(slot(20).utf8), versions: nil, valuesMax: .max)
    fixture.hub.begin { host throws(HubProblem) in
      try await host.change(.definition, of: fixture.session, request, token: nil, at: fixture.now)
    } answer: {
      bodies.append((try? $0.get()).flatMap { try? JSONTree.parse($0.body) })
    }

    #expect(bodies.map { $0?["changes"] } == [.array([])])
    #expect(fixture.fold.version == 1)
  }

  @Test(arguments: [true, false])
  func `a whole definition is encoded for a log that stores it`(canLoad: Bool) throws {
    let fixture = try HubFixture(slot(20), canLoad: canLoad)
    let request = DocumentRequest(
      format: .whole, body: Array(slot(30).utf8), versions: nil, valuesMax: .max)
    let (entry, change) = try logged(request, in: fixture)
    #expect(change.encoded?.json == (canLoad ? change.definition.fullJSON : nil))
    #expect(entry.facts.byteCount > (canLoad ? 2 : 1) * change.definition.json.count)
  }

  /// Regression: a stored JSON Patch was applied again at each load, with the limits of that build.
  @Test(arguments: [
    (#"[{"op":"replace","path":"/locale","value":"de","comment":1e400}]"#, #"{"locale":"de"}"#),
    (#"[{"op":"remove","path":"/columns/0/7"}]"#, nil),
  ])
  func `a JSON Patch is logged as a merge patch, or as a whole definition if that is as short`(
    request: String, patch: String?
  ) throws {
    let rows = (0..<20).map { #""row \#($0)""# }.joined(separator: ",")
    let fixture = try HubFixture(#"{"kind":"columns","columns":[[\#(rows)]]}"#)
    let request = DocumentRequest(
      format: .jsonPatch, body: Array(request.utf8), versions: nil, valuesMax: .max)
    let (_, change) = try logged(request, in: fixture)
    #expect(
      change.source
        == (try patch.map { .mergePatch(try JSONTree.parse(Array($0.utf8))) } ?? .whole))
  }

  private struct NotAppended: Error {}

  /// The entry that a request appends.
  private func logged(
    _ request: DocumentRequest, in fixture: HubFixture
  ) throws -> (LogEntry, DefinitionChange) {
    fixture.hub.begin { host throws(HubProblem) in
      try await host.change(.definition, of: fixture.session, request, token: nil, at: fixture.now)
    } answer: { _ in
    }
    guard case .entry(let entry)? = fixture.log.records.last,
      case .revised(let revised) = entry.body, let change = revised.definition
    else { throw NotAppended() }
    return (entry, change)
  }

  /// - Returns: A function that returns the state, or `nil` until it is encoded.
  private func requestState(of fixture: HubFixture, isFull: Bool) -> () -> JSONTree? {
    var body: JSONTree?
    fixture.hub.begin { host throws(HubProblem) in
      try await host.read(
        fixture.session, token: nil, locale: nil, isFull: isFull, at: fixture.now
      )
    } answer: { answer in
      body = (try? answer.get()).flatMap { try? JSONTree.parse($0) }
    }
    return { body }
  }

  @Test func `the state with all rows is encoded on another thread, as of the request`() throws {
    let fixture = try HubFixture(columns)
    fixture.join(1)
    fixture.port.backgroundWork = []
    let state = requestState(of: fixture, isFull: true)
    fixture.send(1, select(1, 0, 7))
    fixture.put(#"{"kind":"columns","columns":[["other"]]}"#)
    #expect(state() == nil)
    fixture.port.finishBackgroundWork()

    let body = state()
    let snapshot = body?["snapshot"]
    #expect(body?["revision"] == .integer(0) && body?["version"] == .integer(1))
    #expect(snapshot?["definition"]?["columns"]?.array?[0].array?.count == 600)
    #expect(snapshot?["columns"]?.array?[0]["row"] == .integer(0))
  }

  @Test func `the state with many notes is encoded on another thread, as of the request`() throws {
    let fixture = try HubFixture(letters)
    let rows = (0..<600).map { #""row \#($0)":{"text":"€ \#($0)"}"# }.joined(separator: ",")
    _ = try #require(fixture.note(#"{"columns":{"0":{\#(rows)}}}"#)).get()
    fixture.join(1)
    fixture.port.backgroundWork = []
    let state = requestState(of: fixture, isFull: false)
    #expect(state() == nil)
    fixture.disconnect(1)
    fixture.port.finishBackgroundWork()

    let body = state()
    #expect(body?["revision"] == .integer(1))
    #expect(body?["members"]?.array?.first?["online"] == .bool(true))
  }

  @Test func `many notes are encoded on another thread`() throws {
    let fixture = try HubFixture(columns)
    _ = try #require(fixture.note(notes("a"))).get()
    fixture.port.backgroundWork = []
    var body: [UInt8]?
    fixture.hub.begin { host throws(HubProblem) in
      try await host.read(.notes, of: fixture.session, token: nil, at: fixture.now)
    } answer: {
      body = try? $0.get().body
    }
    #expect(body == nil)
    fixture.port.finishBackgroundWork()
    #expect(body == fixture.fold.notes.tree.serialized())
  }

  @Test func `a small patch that removes many notes is evaluated on another thread`() throws {
    let fixture = try HubFixture(columns)
    _ = try #require(fixture.note(notes("a"))).get()
    fixture.port.backgroundWork = []
    #expect(fixture.note(#"{"columns":{"0":null}}"#) == nil)
    #expect(fixture.port.backgroundWork?.count == 1)
    fixture.port.finishBackgroundWork()
    #expect(fixture.fold.notes.isEmpty && fixture.fold.revision == 2)
  }

  @Test func `a patch is evaluated on another thread with those that wait for a decision`() throws {
    let fixture = try HubFixture(
      columns, fields: #","decide":{"by":"host","seconds":60}"#)
    fixture.join(1)
    fixture.send(1, #"{"type":"confirm","ref":1}"#)
    try #require(fixture.fold.status == .confirming)
    _ = try #require(fixture.note(notes("a"))).get()
    fixture.port.backgroundWork = []

    let equal = fixture.note(#"{"columns":{"0":{"k1":{"text":"a"}}}}"#)
    #expect(equal == nil && fixture.port.backgroundWork?.count == 1)
    fixture.port.finishBackgroundWork()
    #expect(fixture.fold.decision.waitingNotes.count == 1, "the second patch changes nothing")
  }
}
