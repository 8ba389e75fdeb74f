import JSONText
import Testing

@testable import PickerClient

/// A client state machine with a clock that the test advances, and the effects it requested.
struct ClientFixture {
  var machine: ClientMachine
  /// Milliseconds since the start of the test.
  var now: Int64 = 0
  /// The effects since the last inspection.
  var effects: [ClientEffect] = []

  init(
    _ profile: ClientProfile = ClientProfile(), identity: ClientIdentity? = nil,
    renewsTokens: Bool = false
  ) {
    machine = ClientMachine(
      profile, identity: identity, renewsTokens: renewsTokens, jitter: { 0.5 })
  }

  var state: PickerState { machine.state }

  mutating func give(_ event: ClientEvent) { effects += machine.handle(event, at: now) }

  mutating func receive(_ message: String) { give(.received(Array(message.utf8))) }

  mutating func open() {
    give(.start)
    give(.opened)
  }

  /// Connects and receives a welcome.
  mutating func join(_ snapshot: String = letters, revision: Int = 0) {
    open()
    receive(welcome(snapshot, revision: revision))
    effects = []
  }

  /// Loses the connection and opens the next one.
  mutating func readd(after code: Int = 1006) {
    give(.closed(code: code))
    wait(1_000)
    give(.opened)
  }

  /// Advances the clock; timers fire when they are due.
  ///
  /// - Parameter answersChecks: Whether the server answers the checks of a quiet connection. They
  ///   are no effects then.
  mutating func wait(_ milliseconds: Int64, answersChecks: Bool = true) {
    let end = now + milliseconds
    while let due = machine.nextTick, due <= end {
      now = max(now, due)
      give(.tick)
      guard answersChecks, let index = effects.firstIndex(of: ClientFixture.check) else { continue }
      effects.remove(at: index)
      let others = effects
      receive(#"{"type":"rows","column":0,"generation":1,"from":0,"rows":[]}"#)
      effects = others
    }
    now = end
  }

  static let check = ClientEffect.send(#"{"type":"rows","column":0,"from":0,"count":0}"#)

  mutating func takeEffects() -> [ClientEffect] {
    defer { effects = [] }
    return effects
  }

  /// The messages sent since the last call.
  mutating func sent() -> [JSONTree] {
    takeEffects().compactMap { effect in
      guard case .send(let text) = effect else { return nil }
      return try? JSONTree.parse(Array(text.utf8))
    }
  }

  mutating func sentTypes() -> [String] { sent().compactMap { $0["type"]?.string } }

  /// The outcomes of commands since the last call, by ref.
  mutating func settled() -> [Int: Result<Int, PickerFailure>] {
    var settled: [Int: Result<Int, PickerFailure>] = [:]
    for case .settled(let ref, let result) in takeEffects() { settled[ref] = result }
    return settled
  }

  mutating func notices() -> [PickerNotice] {
    takeEffects().compactMap { if case .notice(let notice) = $0 { notice } else { nil } }
  }
}

/// Two columns: a, b, c with a selected, and x, y with x.
let letters = """
  "definition":{"kind":"columns","timeZone":"UTC","locale":"en"},"status":"open","result":null,\
  "columns":[\
  {"generation":1,"count":3,"from":0,"rows":[{"key":"a","text":"A"},{"key":"b","text":"B"},\
  {"key":"c","text":"C"}],"row":0},\
  {"generation":1,"count":2,"from":0,"rows":[{"key":"x","text":"X"},{"key":"y","text":"Y"}],\
  "row":0}]
  """

/// November and December 2026 without a selection.
let calendar = calendarSnapshot()

/// - Parameter more: Further members of the definition; begin with a comma.
func calendarSnapshot(_ more: String = "", range: String = "null") -> String {
  """
  "definition":{"kind":"calendar","timeZone":"UTC","locale":"en","firstWeekday":1,"weeks":"six"\
  \(more)},"status":"open","result":null,"calendar":{"months":{"first":"2026-11",\
  "last":"2026-12","count":2},"range":\(range)}
  """
}

func welcome(
  _ snapshot: String? = letters, revision: Int = 0, id: String = "m_ana", epoch: String = "e1",
  members: String = "", expiresInSeconds: Int? = nil
) -> String {
  let token = expiresInSeconds.map {
    #","token":{"expires":"2026-11-20T12:00:00.000Z","expiresInSeconds":\#($0)}"#
  }
  let picker = snapshot.map { #","snapshot":{\#($0)}"# } ?? ""
  return """
    {"type":"welcome","member":{"id":"\(id)","secret":"s3","name":"Ana","role":"owner",\
    "color":"#d1495b"},"locale":"en","epoch":"\(epoch)","revision":\(revision),\
    "resumed":\(snapshot == nil)\(picker),"members":[{"id":"\(id)","name":"Ana","role":"owner","color":"#d1495b",\
    "online":true}\(members)],"now":"2026-11-20T12:00:00.000Z"\
    \(token ?? ""),"limits":{"months":24,"windowRows":200}}
    """
}

let bo = """
  {"id":"m_bo","name":"Bo","role":"editor","color":"#2e86ab","online":true}
  """

/// - Parameter ref: The ref if the delta answers this member's own command.
func delta(_ revision: Int, _ changes: String, by: String = "m_bo", ref: Int? = nil) -> String {
  let mine = ref.map { #","ref":\#($0)"# } ?? ""
  return #"{"type":"delta","revision":\#(revision),"by":"\#(by)"\#(mine),"#
    + #""at":"2026-11-20T12:00:01.000Z","changes":[\#(changes)]}"#
}

func moved(_ column: Int, _ row: Int, _ key: String, _ more: String = "") -> String {
  #"{"change":"row","column":\#(column),"row":\#(row),"key":"\#(key)","#
    + #""text":"\#(key.uppercased())","cause":"select"\#(more)}"#
}

func ranged(_ start: String, _ end: String, hits: Int, _ more: String = "") -> String {
  #"{"change":"range","start":"\#(start)","end":"\#(end)","hits":\#(hits),"cause":"tap"\#(more)}"#
}

func refused(_ ref: Int, _ code: String, revision: Int, _ changes: String = "") -> String {
  #"{"type":"refused","ref":\#(ref),"code":"\#(code)","detail":"no","revision":\#(revision),"#
    + #""changes":[\#(changes)]}"#
}

/// A months message with 42 cells from Sunday on, in which the days of `disabled` are disabled.
func monthsMessage(_ month: String, disabled: Set<String> = [], revision: Int = 0) -> String {
  let view = PickerMonth(month)!
  var day = view.first.adding(days: 1 - view.first.weekday)!
  var cells: [String] = []
  for _ in 0..<42 {
    let outside = day.month == view ? "" : #","outside":true"#
    let off = disabled.contains(day.iso) ? #","disabled":true"# : ""
    cells.append(#"{"date":"\#(day)","text":"\#(day.day)"\#(outside)\#(off)}"#)
    day = day.adding(days: 1)!
  }
  return #"{"type":"months","revision":\#(revision),"months":[{"month":"\#(month)","#
    + #""title":"\#(month)","cells":[\#(cells.joined(separator: ","))],"bands":[]}]}"#
}
