import JSONText
import PickerClient

/// The output of `--json`: one JSON object per line, each with an `event`.
struct JSONFormat: LineFormat {
  private var connection: PickerPhase?
  private var shown: String?
  private var members: [PickerMember] = []
  private var touches: [JSONTree] = []

  mutating func lines(for state: PickerState) -> [String] {
    var lines: [String] = []
    if connection != state.connection { lines.append(Self.connection(state)) }
    connection = state.connection
    guard state.definition != nil else { return lines }
    let shown = Self.event("state", StateDocument.members(state))
    if self.shown != shown { lines.append(shown) }
    self.shown = shown
    if members != state.members { lines.append(Self.people(state)) }
    members = state.members
    let touches = Self.touches(state)
    if self.touches != touches {
      lines.append(Self.event("touching", [.init("touching", .array(touches))]))
    }
    self.touches = touches
    return lines
  }

  func line(for notice: PickerNotice, in state: PickerState) -> String? {
    Sentences.notice(notice, in: state).map { text in
      var members: [JSONTree.Member] = [.init("text", .string(text))]
      if case .slotGone(let wanted, let because) = notice {
        members += [.init("wanted", .string(wanted)), .init("because", .string(because.rawValue))]
      }
      return Self.event("notice", members)
    }
  }

  func line(
    for answer: Result<Int, PickerFailure>, to line: InputLine, in state: PickerState
  ) -> String? {
    var members = Self.origin(line)
    switch answer {
    case .success(let revision):
      members += [.init("done", .bool(true)), .init("revision", .integer(revision))]
    case .failure(let failure):
      members += [
        .init("done", .bool(false)), .init("code", .string(Self.code(failure))),
        .init("detail", .string(Sentences.failure(failure, in: state))),
      ]
      if case .refused(.stale, _, let params) = failure {
        members.append(.init("params", Self.object(params)))
      }
    }
    return Self.event("answer", members)
  }

  func line(for found: PickerFound, to line: InputLine) -> String {
    let rows = found.rows.map { row in
      JSONTree.object(
        [
          .init("row", .integer(row.index)), .init("key", .string(row.key)),
          .init("text", .string(row.text)),
        ]
          + (row.match.map { match in
            [.init("at", .array([.integer(match.lowerBound), .integer(match.upperBound)]))]
          } ?? []))
    }
    return Self.event(
      "found",
      Self.origin(line) + [
        .init("column", .integer(found.column)), .init("generation", .integer(found.generation)),
        .init("rows", .array(rows)), .init("more", .bool(found.hasMore)),
      ])
  }

  func line(forUnknown line: InputLine, _ sentence: String) -> String {
    let failure: [JSONTree.Member] = [
      .init("done", .bool(false)), .init("code", .string("badCommand")),
      .init("detail", .string(sentence)),
    ]
    return Self.event("answer", Self.origin(line) + failure)
  }

  func picture(of state: PickerState) -> [String] {
    [Self.event("show", StateDocument.members(state, isWhole: true))]
  }

  /// Identifies the input line of an answer by its number and its `id`.
  private static func origin(_ line: InputLine) -> [JSONTree.Member] {
    [.init("line", .integer(line.number))] + (line.id.map { [.init("id", $0)] } ?? [])
  }

  private static func code(_ failure: PickerFailure) -> String {
    switch failure {
    case .refused(let code, _, _): code.rawValue
    case .offline: "offline"
    case .replaced: "replaced"
    case .lost: "lost"
    case .unknownRow: "unknownRow"
    case .badName: "badName"
    case .badCells: "badCells"
    case .badValue: "badValue"
    case .cancelled: "cancelled"
    }
  }

  private static func object(_ params: RefusalParams) -> JSONTree {
    .object(
      (params.revision.map { [.init("revision", .integer($0))] } ?? [])
        + (params.by.map { [.init("by", .string($0))] } ?? []))
  }

  private static func connection(_ state: PickerState) -> String {
    var members: [JSONTree.Member] = []
    switch state.connection {
    case .idle: members.append(.init("connection", .string("idle")))
    case .connecting: members.append(.init("connection", .string("connecting")))
    case .joining: members.append(.init("connection", .string("joining")))
    case .live:
      members.append(.init("connection", .string("live")))
      members.append(.init("member", .string(state.me?.id ?? "")))
      members.append(.init("role", .string(state.me?.role.rawValue ?? "")))
    case .waiting:
      members.append(.init("connection", .string("waiting")))
      if state.isWaitingForToken { members.append(.init("waitingForToken", .bool(true))) }
      if let code = state.tokenCloseCode { members.append(.init("close", .integer(code))) }
    case .needsCredentials(let code):
      members.append(.init("connection", .string("needsCredentials")))
      members.append(.init("close", .integer(code)))
    case .away(let code):
      members.append(.init("connection", .string("away")))
      members.append(.init("close", .integer(code)))
    case .left: members.append(.init("connection", .string("left")))
    }
    if let problem = state.problem {
      members.append(.init("code", .string(problem.code)))
      members.append(.init("detail", .string(problem.detail)))
    }
    return event("connection", members)
  }

  private static func people(_ state: PickerState) -> String {
    let people = state.members.map { member in
      JSONTree.object([
        .init("id", .string(member.id)), .init("name", .string(member.name)),
        .init("role", .string(member.role.rawValue)), .init("color", .string(member.color)),
        .init("online", .bool(member.isOnline)),
      ])
    }
    return event("members", [.init("members", .array(people))])
  }

  private static func touches(_ state: PickerState) -> [JSONTree] {
    state.members.compactMap { member in
      var members: [JSONTree.Member] = [.init("member", .string(member.id))]
      switch state.touching[member.id] {
      case .day(let day)?: members.append(.init("date", .string(day.iso)))
      case .row(let column, let row)?:
        members += [.init("column", .integer(column)), .init("row", .integer(row))]
      case nil: return nil
      }
      if state.hovering.contains(member.id) { members.append(.init("hover", .bool(true))) }
      return .object(members)
    }
  }

  private static func event(_ name: String, _ members: [JSONTree.Member]) -> String {
    let tree = JSONTree.object([.init("event", .string(name))] + members)
    return String(decoding: tree.serialized(), as: UTF8.self)
  }
}
