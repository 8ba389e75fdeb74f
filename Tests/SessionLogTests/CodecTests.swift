import CivilTime
import JSONText
import PickerModel
import PickerSession
import Testing

@testable import SessionLog

/// A random session from a seed, of any kind and with entries of any type.
struct GeneratedSession {
  let origin: SessionOrigin
  private(set) var entries: [LogEntry] = []
  private(set) var fold: SessionFold
  /// The fold after each entry.
  private(set) var folds: [SessionFold] = []

  static let definitions = [
    #"{"kind":"date","timeZone":"UTC","min":"2018-01-05","max":"2020-11-20"}"#,
    #"{"kind":"date","timeZone":"UTC","min":"today","max":"today+P1Y"}"#,
    #"{"kind":"slot","timeZone":"UTC"}"#,
    #"{"kind":"cascade","nodes":[{"text":"a","children":[{"text":"b"},{"text":"ü\u0001\"","children":[{"text":"d"}]}]},{"text":"e"}]}"#,
    #"{"kind":"columns","columns":[["x","y","z"],["1","2"]]}"#,
    #"{"kind":"calendar","timeZone":"UTC","months":{"from":"2018-01","through":"2019-12"}}"#,
  ]

  /// - Parameter entryCount: Default: 1 to 120.
  init(seed: UInt64, entryCount: Int? = nil) throws {
    var random = SplitMix(state: seed)
    let text = GeneratedSession.definitions[Int(seed % UInt64(GeneratedSession.definitions.count))]
    let definition = try Definition.make(from: try JSONTree.parse(Array(text.utf8))) { _ in .utc }
    let tokens: SessionOrigin.Access =
      switch seed % 4 {
      case 0, 2: .open
      case 1: .tokens([.owner: hash(1), .viewer: hash(2)])
      default: .keys
      }
    origin = SessionOrigin(
      id: SessionID("s\(seed)"), epoch: "e\(seed)", definition: definition,
      title: seed.isMultiple(of: 3) ? nil : try GeneratedSession.title(seed: seed),
      notes: GeneratedSession.notes(seed: seed), ttlSeconds: 86_400,
      openTap: seed.isMultiple(of: 4) ? .opener : .shared, access: tokens,
      createdAt: Instant(milliseconds: 1_542_938_400_000),
      host: GeneratedSession.hostFields(seed: seed))
    fold = try SessionFold(origin)
    var at = origin.createdAt
    for number in 0..<(entryCount ?? Int.random(in: 1...120, using: &random)) {
      let body = body(number, &random)
      at = at.adding(milliseconds: step(body, &random))
      let entry = LogEntry(at: at, body: body, op: body.isConfirm ? "op-\(number)" : nil)
      entries.append(entry)
      _ = fold.apply(entry)
      folds.append(fold)
    }
  }

  /// The time between an entry and the one before: mostly some hours, or seconds around midnight,
  /// in any order, as entries of several nodes are stored.
  private func step(_ body: LogEntry.Body, _ random: inout SplitMix) -> Int64 {
    if case .clockSet = body { return .random(in: -100_000_000...0, using: &random) }
    if Int.random(in: 0..<3, using: &random) == 0 {
      return .random(in: -1000...40_000_000, using: &random)
    }
    let day: Int64 = 86_400_000
    let latest = entries.last?.at.milliseconds ?? origin.createdAt.milliseconds
    let midnight = (latest + day / 2) / day * day
    return midnight - latest + .random(in: -10_000...10_000, using: &random)
  }

  private static func title(seed: UInt64) throws -> Note.Text {
    guard seed.isMultiple(of: 2) else { return .same("Où? \u{0}\u{1F600}") }
    return try Note.Text(.object([.init("en", .string("Where?"))]), at: "title")
  }

  private static func notes(seed: UInt64) -> Notes {
    let note = JSONTree.object([.init("text", .string("€ 5"))])
    let days = JSONTree.object([.init("2018-11-24", note)])
    return seed % 8 == 3 ? Notes(tree: .object([.init("days", days)])) ?? Notes() : Notes()
  }

  private static func hostFields(seed: UInt64) -> HostFields {
    guard seed % 3 == 1 else { return HostFields() }
    return HostFields(
      external: "order/é \(seed)", meta: VerbatimJSON(stored: #"{"n":1.10,"big":1e400}"#),
      decideSeconds: 300, watched: seed.isMultiple(of: 2) ? [.result] : [.members, .result],
      isOneMember: true, isReopenedByHost: seed.isMultiple(of: 2),
      namespace: seed.isMultiple(of: 2) ? nil : "shop",
      event: EventTexts(location: "é", url: seed.isMultiple(of: 2) ? nil : "https://a.example/"),
      bodyDigest: seed.isMultiple(of: 2) ? nil : [7, 0, 255])
  }

  private func body(_ number: Int, _ random: inout SplitMix) -> LogEntry.Body {
    let members = fold.membersInOrder
    guard let member = members.randomElement(using: &random) else { return joined(number) }
    if let op = fold.decision.confirmation?.op, Bool.random(using: &random) {
      return settle(Bool.random(using: &random) ? op : "s-0-0", &random)
    }
    switch Int.random(in: 0..<20, using: &random) {
    case 0:
      guard let gone = fold.remembered.members.randomElement(using: &random) else {
        return joined(number)
      }
      return .returned(gone.id, number.isMultiple(of: 3) ? .viewer : nil)
    case 1: return .left(member.id)
    case 2: return .roleChanged(member.id, Role.allCases.randomElement(using: &random)!)
    case 3: return Int.random(in: 0..<3, using: &random) == 0 ? .clockSet : .tick
    case 4:
      let targets: [Revocation.Target] = [.everyone, .member(member.id), .subject("ü\(number)")]
      return .revoked(
        Revocation(
          targets[number % 3], issuedBefore: Instant(milliseconds: Int64(number)),
          madeAt: Instant(milliseconds: Int64(number) + 5)))
    case 5:
      let target = number.isMultiple(of: 2) ? Revocation.Target.member(member.id) : .subject("ü")
      return .roleSet(HostRole(target, Role.allCases.randomElement(using: &random)!))
    case 6 where number == 7: return .command(.host, ref: 0, .undo, .at(3))
    case 6: return .command(.host, ref: 0, command(&random), nil)
    default:
      let ref = max(1, member.refs.greatest + Int.random(in: -2...3, using: &random))
      return .command(member.id, ref: ref, command(&random))
    }
  }

  private func settle(_ op: String, _ random: inout SplitMix) -> LogEntry.Body {
    if Int.random(in: 0..<3, using: &random) == 0 {
      let patch = JSONTree.object([.init("columns", .object([.init("0", .object([]))]))])
      return .revised(.init(notes: NotesPatch(patch)))
    }
    let reason = JSONTree.object([.init("de", .string("voll")), .init("en", .string("full"))])
    return .settle(
      Settle(
        op: op, isGranted: Bool.random(using: &random),
        reason: Bool.random(using: &random) ? try? Note.Text(reason, at: "reason") : nil,
        data: Bool.random(using: &random) ? VerbatimJSON(stored: #"{"n":1.10}"#) : nil))
  }

  private func joined(_ number: Int) -> LogEntry.Body {
    .joined(
      .init(
        member: MemberID("m_\(number)"), secret: hash(UInt8(number)), name: "Ana \u{7}é",
        role: number.isMultiple(of: 3) ? nil : .owner,
        subject: number.isMultiple(of: 2) ? nil : "ü\(number)",
        info: number.isMultiple(of: 4) ? nil : #"{"a":"\u00fc"}"#,
        meta: number.isMultiple(of: 5) ? nil : "[1]"))
  }

  private func command(_ random: inout SplitMix) -> Command {
    let date = CivilDate(ordinal: 736_694 + Int.random(in: -10...800, using: &random))
    switch Int.random(in: 0..<14, using: &random) {
    case 0: return .undo
    case 1: return .redo
    case 2: return .act(.clear)
    case 3: return .confirm
    case 4, 5: return .reopen
    case 6: return .unknown(type: "wink")
    case 7: return .act(.tap(.cell(date.civilMonth, Int.random(in: -1...43, using: &random))))
    case 8:
      let x = Double.random(in: -1...2, using: &random)
      return .act(.tap(.point(date.civilMonth, x: x, y: 0.1 + 0.2)))
    case 9, 10: return .act(.tap(.date(date)))
    default:
      let column = Int.random(in: 0...3, using: &random)
      return .act(
        .select(
          RowSelection(
            column: column, row: Int.random(in: -1...12, using: &random),
            generation: fold.picker.columns.indices.contains(column)
              ? fold.picker.columns[column].generation : Int.max,
            key: Bool.random(using: &random) ? nil : "2")))
    }
  }
}

struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

func hash(_ byte: UInt8) -> SecretHash { SecretHash([byte, 0, 255, 16]) }

/// A tree after serialization and parsing.
func reread(_ tree: JSONTree) throws -> JSONTree { try JSONTree.parse(tree.serialized()) }

private func reread(_ origin: SessionOrigin) throws -> SessionOrigin {
  let stored = try StoredOrigin(origin.tree.serialized(), of: origin.id)
  return try SessionOrigin(
    id: origin.id, epoch: origin.epoch, stored.others,
    definition: stored.makeDefinition { _ in .utc })
}

@Suite struct CodecTests {
  @Test(arguments: UInt64(1)...120)
  func `entries are decoded as they were encoded`(seed: UInt64) throws {
    for entry in try GeneratedSession(seed: seed).entries {
      #expect(LogEntry(tree: try JSONTree.parse(entry.json)) == entry)
    }
  }

  @Test(arguments: UInt64(1)...120)
  func `origins are decoded as they were encoded`(seed: UInt64) throws {
    let origin = try GeneratedSession(seed: seed).origin

    let back = try reread(origin)

    #expect(back.tree == origin.tree)
    let stored = try JSONTree.parse(origin.json(under: SessionLimits())).members ?? []
    #expect(stored.last?.key == "limits" && stored.dropLast() == origin.tree.members?[...])
    #expect(back.definition.document(full: true) == origin.definition.document(full: true))
    #expect(back.access == origin.access && back.openTap == origin.openTap)
    #expect(back.title == origin.title && back.notes == origin.notes)
    #expect(back.createdAt == origin.createdAt)
    #expect(back.host == origin.host)
  }

  @Test(arguments: UInt64(1)...120)
  func `a decoded snapshot continues like the session`(seed: UInt64) throws {
    let session = try GeneratedSession(seed: seed)
    for place in stride(from: 0, to: session.entries.count, by: 7) {
      let state = try #require(
        SessionFold.StoredState(tree: try reread(session.folds[place].state.tree)))
      #expect(state == session.folds[place].state)
      var fold = SessionFold(session.origin, state: state)
      for entry in session.entries[(place + 1)...] { _ = fold.apply(entry) }
      #expect(fold.state == session.fold.state)
      #expect(fold.nextTick == session.fold.nextTick)
    }
  }

  @Test func `what a session has of its shared definition is decoded as it was encoded`() throws {
    func make(_ tree: JSONTree) -> Definition? { try? Definition.make(from: tree) { _ in .utc } }
    let json = #"{"kind":"calendar","months":{"from":"2018-10","through":"2018-12"}}"#
    let definition = try #require(make(try JSONTree.parse(Array(json.utf8))))
    var notes = Notes()
    func change(_ json: String) throws -> NotesChange {
      try notes.change(by: try JSONTree.parse(Array(json.utf8)), for: .calendar)
    }
    let note = try change(#"{"days":{"2018-12-24":{"text":{"en":"a","de":"b"},"tone":"low"}}}"#)
    notes.apply(note)
    var origin = SessionOrigin(
      id: SessionID("s"), epoch: "e", definition: definition, notes: notes,
      createdAt: Instant(milliseconds: 1_542_938_400_000))
    var ownNotes = OwnNotes()
    ownNotes.add(note)
    let own = JSONTree.object([.init("maxDays", .null)])
    origin.uses = SharedUse(name: "room", version: 3, own: own, ownNotes: ownNotes)
    let stored = try StoredOrigin(origin.json(under: SessionLimits()), of: origin.id)
    let back = try SessionOrigin(
      id: origin.id, epoch: origin.epoch, stored.others, definition: definition)
    #expect(back.uses == origin.uses)

    let patch = JSONTree.object([.init("maxDays", .integer(4))])
    let changed = DefinitionChange(
      version: 2, definition: definition, source: .mergePatch(patch))
    let problem = DefinitionProblem(pointer: "/x", detail: "y")
    for change in [
      DocumentChange(definition: changed, notes: NotesPatch(patch), follows: .init(4)),
      DocumentChange(definition: changed, notes: NotesPatch(patch)),
      DocumentChange(notes: NotesPatch(patch), follows: .init(5)),
      DocumentChange(follows: .init(6, problem: problem)),
    ] {
      let entry = LogEntry(at: origin.createdAt, body: .revised(change))
      let read = LogEntry(tree: try JSONTree.parse(entry.json), after: definition, make: make)
      #expect(read?.json == entry.json)
    }

    var fold = try SessionFold(origin)
    let removed = try JSONTree.parse(Array(#"{"days":{"2018-12-24":null}}"#.utf8))
    _ = fold.apply(
      LogEntry(at: origin.createdAt, body: .revised(.init(notes: NotesPatch(removed)))))
    let state = SessionFold.StoredState(tree: try reread(fold.state.tree), make: make)
    #expect(state == fold.state && state?.facts.shared?.ownNotes.isEmpty == false)
  }

  @Test(arguments: [
    #"{"type":"select","column":1,"key":"d"}"#,
    #"{"type":"select","column":1,"row":2,"generation":0}"#,
    #"{"type":"select","column":1,"row":2,"generation":0,"key":"d"}"#,
    #"{"type":"tap","month":"2026-11","x":0.5,"y":1e999,"hits":2}"#,
    #"{"type":"set","result":{"start":"2026-11-20","end":"2026-11-22"},"at":7}"#,
    #"{"type":"clear","at":3}"#,
    #"{"type":"mark","grade":null,"cells":[[0,2],[5,6]],"generation":1}"#,
    #"{"type":"mark","grade":"often","cells":[[0,2]],"generation":1}"#,
    #"{"type":"import","member":"m","dates":true,"free":[[1,2]],"tentative":[],"busy":[[5,9]]}"#,
    #"{"type":"confirm","cell":4,"generation":2,"at":1}"#,
    #"{"type":"cancel","reason":"closed"}"#, #"{"type":"cancel","at":9}"#,
    #"{"type":"rename","name":"Ana"}"#, #"{"type":"wink"}"#,
  ]) func `a command is stored as its message, with what only hosts say`(json: String) throws {
    let tree = try JSONTree.parse(Array(json.utf8))
    let (command, precondition) = try #require(Command.written(tree))
    let entry = LogEntry(
      at: Instant(seconds: 1_800_000_000), body: .command(.host, ref: 0, command, precondition))

    let text = String(decoding: entry.json, as: UTF8.self)
    #expect(text == #"{"at":1800000000000,"by":"","ref":0,"command":\#(json)}"#)
    #expect(LogEntry(tree: try JSONTree.parse(entry.json)) == entry)
  }

  @Test func `a member's info is decoded as it was sent`() throws {
    let info = "[1.10,12345678901234567890]"
    let joining = LogEntry.Joining(
      member: MemberID("m_1"), secret: hash(1), name: "Ana", role: .owner, info: info, meta: info)
    let entry = LogEntry(at: Instant(seconds: 1_800_000_000), body: .joined(joining))
    var fold = try GeneratedSession(seed: 1, entryCount: 0).fold
    _ = fold.apply(entry)

    guard case .joined(let decoded) = LogEntry(tree: try JSONTree.parse(entry.json))?.body else {
      throw StoredProblem("the entry is not decoded")
    }
    #expect(decoded.info == info && decoded.meta == info)
    let state = SessionFold.StoredState(tree: try reread(fold.state.tree))
    #expect(state?.facts.members[MemberID("m_1")]?.info == info)
  }

  @Test(arguments: [Instant.first.milliseconds - 1, Instant.last.milliseconds + 1, .min, .max])
  func `an entry at an instant that cannot be written is not decoded`(at: Int64) throws {
    let entry = LogEntry(at: Instant(milliseconds: at), body: .tick)
    #expect(LogEntry(tree: try JSONTree.parse(entry.json)) == nil)
  }

  @Test func `refusals are stored with their params`() throws {
    var session = try GeneratedSession(seed: 4).fold
    let member = MemberID("m_x")
    let joining = LogEntry.Joining(member: member, secret: hash(1), name: "", role: .owner)
    let at = session.picker.asOf
    _ = session.apply(LogEntry(at: at, body: .joined(joining)))
    let select = Command.act(.select(.init(column: 99, row: 0, generation: 1, key: nil)))
    _ = session.apply(LogEntry(at: at, body: .command(member, ref: 1, .reopen)))
    _ = session.apply(LogEntry(at: at, body: .command(member, ref: 2, select)))
    let refused = #""column 99 does not exist; the columns are 0 to 1",{"count":2}]"#
    let text = String(decoding: session.state.tree.serialized(), as: UTF8.self)
    #expect(text.contains(refused))

    let read = try #require(SessionFold.StoredState(tree: try reread(session.state.tree)))
    #expect(read.facts.members == session.members)
  }

  @Test(arguments: UInt64(1)...120)
  func `the same entries produce the same session`(seed: UInt64) throws {
    let session = try GeneratedSession(seed: seed)
    var fold = try SessionFold(try reread(session.origin))
    for entry in session.entries {
      _ = fold.apply(try #require(LogEntry(tree: try JSONTree.parse(entry.json))))
    }

    #expect(fold.state == session.fold.state)
    #expect(fold.history == session.fold.history)
  }

  @Test func `definition changes are decoded from every form in which they are stored`() throws {
    let text = #"{"kind":"columns","columns":[["a","b"],[{"text":"c","key":"d"}]]}"#
    func make(_ tree: JSONTree) -> Definition? {
      try? Definition.make(from: tree) { _ in .utc }
    }
    let before = try #require(make(try JSONTree.parse(Array(text.utf8))))
    let merge = try JSONTree.parse(Array(#"{"locale":"de","columns":[["x"]]}"#.utf8))
    let merged = before.document(full: true).merging(merge)
    for source in [DefinitionChange.Source.whole, .mergePatch(merge)] {
      let change = DefinitionChange(
        version: 7, definition: try #require(make(merged)), source: source)
      let entry = LogEntry(
        at: Instant(milliseconds: 1), body: .revised(.init(definition: change)))
      let back = try #require(
        LogEntry(tree: try JSONTree.parse(entry.json), after: before, make: make))
      guard case .revised(let revised) = back.body, let found = revised.definition else {
        Issue.record("the entry is not a definition change")
        return
      }
      #expect(found.version == 7 && found.source == source)
      #expect(found.definition.document(full: true) == change.definition.document(full: true))
      #expect(LogEntry(tree: try JSONTree.parse(entry.json), after: nil, make: { _ in nil }) == nil)
    }
  }

  @Test func `a snapshot has the current definition and, if different, the applied one`() throws {
    func make(_ tree: JSONTree) -> Definition? {
      try? Definition.make(from: tree) { _ in .utc }
    }
    func definition(_ keys: String) throws -> Definition {
      try #require(
        make(try JSONTree.parse(Array(#"{"kind":"columns","columns":[[\#(keys)]]}"#.utf8))))
    }
    let origin = SessionOrigin(
      id: SessionID("s"), epoch: "e", definition: try definition(#""a","b""#),
      createdAt: Instant(milliseconds: 0))
    var fold = try SessionFold(origin)
    for (version, keys) in [(2, #""b","c""#), (3, #""c""#)] {
      if version == 3 {
        let joining = LogEntry.Joining(
          member: MemberID("m"), secret: SecretHash([]), name: "m", role: .owner)
        _ = fold.apply(LogEntry(at: origin.createdAt, body: .joined(joining)))
        _ = fold.apply(
          LogEntry(at: origin.createdAt, body: .command(MemberID("m"), ref: 1, .confirm)))
      }
      let change = DefinitionChange(
        version: version, definition: try definition(keys), source: .whole)
      _ = fold.apply(LogEntry(at: origin.createdAt, body: .revised(.init(definition: change))))
      let state = try #require(
        SessionFold.StoredState(tree: try reread(fold.state.tree), make: make))
      #expect(state == fold.state)
      let back = SessionFold(origin, state: state)
      #expect(back.state == fold.state && back.version == version)
      #expect(back.picker.columns == fold.picker.columns)
    }
    #expect(fold.state.shown != nil && fold.facts.definedAt != nil)
  }
}
