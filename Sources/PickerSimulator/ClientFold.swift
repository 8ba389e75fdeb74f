import JSONText

/// What a client makes of the messages that it receives, written from protocol.md alone: it shares
/// no code with the server but the reading of JSON.
struct ClientFold {
  struct Row: Hashable {
    let key: String
    let text: String
  }

  struct Column: Hashable {
    var generation: Int
    var count: Int
    /// The rows that the client has been told.
    var rows: [Int: Row]
    /// The selected one.
    var row: Int?
  }

  struct Range: Hashable {
    var start: String?
    var end: String?
    var hits = 0
    var by: String?
    var reach: [String]?
  }

  struct Month: Hashable {
    var cells: [JSONTree]
    var bands: [JSONTree]
  }

  let me: String
  let epoch: String
  var revision: Int
  var status = "open"
  var definition = JSONTree.null
  /// As the server sent it; a client does not compute it.
  var result = JSONTree.null
  var columns: [Column] = []
  /// First and last of a calendar's list, and how many.
  var monthList: [String] = []
  var monthCount = 0
  var range = Range()
  /// The months that the client looks at.
  var shown: [String: Month] = [:]
  var members: [String: JSONTree] = [:]
  var touching: [String: JSONTree] = [:]

  var isCalendar: Bool { definition["kind"]?.string == "calendar" }

  /// Begins with a welcome; `before` is what a client that resumed had.
  init(welcome: JSONTree, before: ClientFold?) throws(ProtocolBreach) {
    try welcome.has(
      [
        "type", "member", "ref", "locale", "epoch", "revision", "resumed", "members", "now",
        "limits",
      ],
      maybe: ["snapshot"])
    let member = try welcome.part("member")
    try member.has(["id", "secret", "name", "role", "color"])
    let isResumed = try welcome.flag("resumed")
    if isResumed {
      guard var fold = before else { throw ProtocolBreach("who did not resume is not resumed") }
      guard fold.revision == (try welcome.number("revision")), fold.me == (try member.text("id")),
        fold.epoch == (try welcome.text("epoch")), welcome["snapshot"] == nil
      else { throw ProtocolBreach("who resumes goes on where it was") }
      fold.shown = [:]
      self = fold
    } else {
      me = try member.text("id")
      epoch = try welcome.text("epoch")
      revision = try welcome.number("revision")
      try take(snapshot: try welcome.part("snapshot"))
    }
    try take(members: try welcome.list("members"))
    guard members[me]?["online"] == .bool(true) else {
      throw ProtocolBreach("members has everybody, also who is welcomed: \(me)")
    }
  }

  /// Forgets what it had.
  mutating func take(snapshotMessage message: JSONTree) throws(ProtocolBreach) {
    try message.has(["type", "revision", "status", "snapshot", "members", "now"])
    let revision = try message.number("revision")
    guard revision >= self.revision else { throw ProtocolBreach("a snapshot does not go back") }
    self.revision = revision
    shown = [:]
    try take(snapshot: try message.part("snapshot"))
    guard status == (try message.text("status")) else {
      throw ProtocolBreach("a snapshot says one status twice")
    }
    try take(members: try message.list("members"))
  }

  mutating func take(snapshot: JSONTree) throws(ProtocolBreach) {
    try snapshot.has(["definition", "version", "status", "result"], maybe: ["columns", "calendar"])
    definition = try snapshot.part("definition")
    status = try snapshot.text("status")
    result = snapshot["result"]!
    if isCalendar {
      let calendar = try snapshot.part("calendar")
      try calendar.has(["months", "range"])
      try take(monthList: try calendar.part("months"), besides: [])
      range = Range()
      if calendar["range"] != .null {
        range = try Range(try calendar.part("range"), besides: [])
        guard range.hits > 0 else { throw ProtocolBreach("no range is null in a snapshot") }
      }
    } else {
      columns = []
      for column in try snapshot.list("columns") {
        columns.append(try Column(column, besides: []))
      }
    }
  }

  mutating func take(members list: [JSONTree]) throws(ProtocolBreach) {
    members = [:]
    touching = [:]
    for member in list {
      let id = try checkMember(member)
      guard members[id] == nil else { throw ProtocolBreach("a member is there once") }
      members[id] = member
    }
  }

  func checkMember(_ member: JSONTree) throws(ProtocolBreach) -> String {
    try member.has(["id", "name", "role", "color", "online"])
    guard try member.text("name").count <= 64, try member.text("color").utf8.count == 7 else {
      throw ProtocolBreach("a member is well-formed: \(member.shown)")
    }
    return try member.text("id")
  }

  mutating func take(monthList list: JSONTree, besides: [String]) throws(ProtocolBreach) {
    try list.has(["first", "last", "count"] + besides)
    monthList = [try list.text("first"), try list.text("last")]
    monthCount = try list.number("count")
  }
}

extension ClientFold.Column {
  init(_ tree: JSONTree, besides: [String]) throws(ProtocolBreach) {
    try tree.has(["generation", "count", "from", "rows", "row"] + besides)
    generation = try tree.number("generation")
    count = try tree.number("count")
    row = try tree.numberOrNull("row")
    rows = [:]
    try take(rows: try tree.list("rows"), from: try tree.number("from"))
    guard (row == nil) == (count == 0), row.map({ rows[$0] != nil }) ?? true else {
      throw ProtocolBreach("the selected row is among those sent: \(tree.shown)")
    }
  }

  mutating func take(rows sent: [JSONTree], from: Int) throws(ProtocolBreach) {
    guard from >= 0, from + sent.count <= count else {
      throw ProtocolBreach("rows lie within the column")
    }
    for (index, row) in sent.enumerated() {
      try row.has(["key", "text"])
      rows[from + index] = .init(key: try row.text("key"), text: try row.text("text"))
    }
  }
}

extension ClientFold.Range {
  init(_ tree: JSONTree, besides: [String], maybe: [String] = []) throws(ProtocolBreach) {
    try tree.has(["start", "end", "hits"] + besides, maybe: ["by", "reach"] + maybe)
    start = tree["start"]?.string
    end = tree["end"]?.string
    hits = try tree.number("hits")
    by = tree["by"]?.string
    guard (start == nil) == (end == nil), (start == nil) == (hits == 0), start ?? "" <= end ?? ""
    else { throw ProtocolBreach("a range is whole: \(tree.shown)") }
    if tree["reach"] != nil {
      let part = try tree.part("reach")
      try part.has(["from", "through"])
      reach = [try part.text("from"), try part.text("through")]
    }
  }
}
