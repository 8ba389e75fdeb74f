import CivilTime
import JSONText
import PickerModel
import PickerSession

/// The wire protocol's rules for each message: its required and optional fields and their types.
///
/// Fields that were added to the protocol later are optional here.
enum MessageRules {
  static func check(welcome: JSONTree) throws(ProtocolBreach) {
    try welcome.has(
      ["type", "member", "epoch", "revision", "resumed", "members", "now", "limits"],
      maybe: ["snapshot", "ref", "locale"])
    try (try welcome.part("member")).has(["id", "secret", "name", "role", "color"])
    if welcome["snapshot"] != nil { try check(snapshot: try welcome.part("snapshot")) }
    try check(members: try welcome.list("members"))
  }

  static func check(snapshotMessage message: JSONTree) throws(ProtocolBreach) {
    try message.has(["type", "revision", "status", "snapshot", "members", "now"])
    let snapshot = try message.part("snapshot")
    try check(snapshot: snapshot)
    guard try message.text("status") == (try snapshot.text("status")) else {
      throw ProtocolBreach("both statuses of a snapshot are equal")
    }
    try check(members: try message.list("members"))
  }

  static func check(snapshot: JSONTree) throws(ProtocolBreach) {
    try snapshot.has(
      ["definition", "status", "result"],
      maybe: ["columns", "calendar", "availability", "version", "until"] + inventory)
    try check(inventoryOf: snapshot)
    if let cells = snapshot["availability"] { return try check(availability: cells) }
    guard try snapshot.part("definition")["kind"] == .string("calendar") else {
      for column in try snapshot.list("columns") { try check(column: column) }
      return
    }
    let calendar = try snapshot.part("calendar")
    try calendar.has(["months", "range"], maybe: ["weekdays"])
    try check(monthList: try calendar.part("months"))
    guard calendar["range"] != .null else { return }
    let range = try calendar.part("range")
    try check(range: range)
    guard try range.number("hits") > 0 else {
      throw ProtocolBreach("no range is null in a snapshot")
    }
  }

  static func check(members: [JSONTree]) throws(ProtocolBreach) {
    var ids: Set<String> = []
    for member in members {
      try check(member: member)
      guard ids.insert(try member.text("id")).inserted else {
        throw ProtocolBreach("member ids are unique")
      }
    }
  }

  static func check(member: JSONTree) throws(ProtocolBreach) {
    try member.has(["id", "name", "role", "color", "online"])
    guard try member.text("name").count <= 64, try member.text("color").utf8.count == 7 else {
      throw ProtocolBreach("a member is well-formed: \(member.shown)")
    }
  }

  static func check(months message: JSONTree) throws(ProtocolBreach) {
    try message.has(["type", "revision", "months"])
    for month in try message.list("months") {
      try month.has(["month", "cells", "bands"], maybe: ["title"])
      let cells = try month.list("cells")
      guard [28, 35, 42].contains(cells.count) else { throw ProtocolBreach("weeks are whole") }
      for cell in cells {
        try cell.has(
          ["date", "text"], maybe: ["outside", "disabled", "today", "only", "note"] + level)
        try check(levelOf: cell)
        let isOutside = !(try cell.text("date")).hasPrefix(try month.text("month"))
        guard (cell["outside"] == .bool(true)) == isOutside else {
          throw ProtocolBreach("a cell outside its month is marked: \(cell.shown)")
        }
      }
      try check(bands: try month.list("bands"))
    }
  }

  static func check(rows message: JSONTree, count: Int) throws(ProtocolBreach) {
    try message.has(["type", "column", "generation", "from", "rows"])
    try check(rows: try message.list("rows"), from: try message.number("from"), count: count)
  }

  static func check(found message: JSONTree) throws(ProtocolBreach) {
    try message.has(["type", "id", "column", "generation", "rows", "more"])
    let rows = try message.list("rows")
    guard rows.count <= 100 else { throw ProtocolBreach("at most 100 rows are found") }
    for row in rows {
      try row.has(["row", "key", "text"], maybe: ["at"])
      guard let ends = row["at"]?.array?.compactMap(\.integer) else { continue }
      guard ends.count == 2, 0 <= ends[0], ends[0] < ends[1],
        ends[1] <= (try row.text("text")).utf16.count
      else { throw ProtocolBreach("a match is a part of the text: \(row.shown)") }
    }
  }

  static func check(presence: JSONTree) throws(ProtocolBreach) {
    let lists = ["joined", "changed", "left", "touching"]
    try presence.has(["type"], maybe: lists)
    for list in lists where presence[list] != nil {
      let entries = try presence.list(list)
      guard !entries.isEmpty else { throw ProtocolBreach("a list of presence is not empty") }
      for entry in entries {
        switch list {
        case "joined", "changed": try check(member: entry)
        case "left": if entry.string == nil { throw ProtocolBreach("left has ids") }
        default: try entry.has(["member"], maybe: ["column", "row", "date"])
        }
      }
    }
  }

  // MARK: - Parts

  static func check(column: JSONTree, besides: [String] = []) throws(ProtocolBreach) {
    try column.has(
      ["generation", "count", "from", "rows", "row"] + besides,
      maybe: besides.isEmpty ? [] : ["removed"])
    let count = try column.number("count")
    let rows = try column.list("rows")
    let from = try column.number("from")
    try check(rows: rows, from: from, count: count)
    let row = try column.numberOrNull("row")
    guard (row == nil) == (count == 0), row.map({ $0 >= from && $0 < from + rows.count }) ?? true
    else { throw ProtocolBreach("the selected row is among those sent: \(column.shown)") }
  }

  private static func check(
    rows: [JSONTree], from: Int, count: Int
  ) throws(ProtocolBreach) {
    guard from >= 0, from + rows.count <= count else {
      throw ProtocolBreach("rows are within the column")
    }
    for row in rows {
      try row.has(["key", "text"], maybe: ["note"] + level)
      try check(levelOf: row)
      _ = (try row.text("key"), try row.text("text"))
    }
  }

  static func check(monthList list: JSONTree, besides: [String] = []) throws(ProtocolBreach) {
    try list.has(["first", "last", "count"] + besides)
    guard let first = CivilMonth(iso: try list.text("first").utf8),
      let last = CivilMonth(iso: try list.text("last").utf8),
      try list.number("count") == last.index - first.index + 1
    else { throw ProtocolBreach("the count of months is correct: \(list.shown)") }
  }

  static func check(
    range tree: JSONTree, besides: [String] = [], maybe: [String] = []
  ) throws(ProtocolBreach) {
    try tree.has(["start", "end", "hits"] + besides, maybe: ["by", "reach"] + maybe)
    let (start, end) = (tree["start"]?.string, tree["end"]?.string)
    guard (start == nil) == (end == nil), (start == nil) == (try tree.number("hits") == 0),
      start ?? "" <= end ?? ""
    else { throw ProtocolBreach("a range has a start, an end and hits, or none: \(tree.shown)") }
    guard tree["reach"] != nil else { return }
    let reach = try tree.part("reach")
    try reach.has(["from", "through"])
    _ = (try reach.text("from"), try reach.text("through"))
  }

  static func check(bands: [JSONTree]) throws(ProtocolBreach) {
    for band in bands {
      try band.has(["row", "from", "to", "shape", "head", "tail"])
      let isCircle = try band.number("from") == (try band.number("to"))
      guard try band.text("shape") == (isCircle ? "circle" : "pill") else {
        throw ProtocolBreach("one day is a circle: \(band.shown)")
      }
    }
  }
}

/// The wire protocol's rules for the changes of deltas and refusals.
extension MessageRules {
  /// - Parameter shownMonths: The months for which the server sends bands.
  static func check(
    delta: JSONTree, shownMonths: Set<String>
  ) throws(ProtocolBreach) {
    try delta.has(["type", "revision", "at", "changes"], maybe: ["by", "ref", "host"])
    let changes = try delta.list("changes")
    // Empty if it changes notes on days that the member does not see; checked by its caller.
    for change in changes {
      try check(change: change, isRefusal: false, shownMonths: shownMonths)
    }
    guard changes.dropFirst().allSatisfy({ $0["change"] != .string("definition") }) else {
      throw ProtocolBreach("the definition is the first change: \(delta.shown)")
    }
    guard changes.dropLast().allSatisfy({ $0["change"] != .string("result") }) else {
      throw ProtocolBreach("the result is the last change: \(delta.shown)")
    }
    try checkOrder(of: changes, delta)
  }

  /// Checks a refusal, whose changes are the current state without causes.
  static func check(refused: JSONTree) throws(ProtocolBreach) {
    try refused.has(
      ["type", "code", "detail", "revision", "changes"], maybe: ["ref", "id", "params"])
    for change in try refused.list("changes") {
      guard ["row", "reload", "range"].contains(try change.text("change")) else {
        throw ProtocolBreach("a refusal has the state of a column or the range: \(change.shown)")
      }
      try check(change: change, isRefusal: true, shownMonths: [])
    }
  }

  private static func check(
    change: JSONTree, isRefusal: Bool, shownMonths: Set<String>
  ) throws(ProtocolBreach) {
    if try checksMarks(change) { return }
    if !isRefusal, try checksInventory(change) { return }
    let causes = isRefusal ? [] : ["cause"]
    let reasons = isRefusal ? [] : ["reason", "wanted"]
    switch try change.text("change") {
    case "reload": try check(column: change, besides: ["change", "column"])
    case "row":
      try change.has(
        ["change", "column", "row", "key", "text"] + causes, maybe: reasons + ["because"])
      try check(becauseOf: change)
    case "months": try check(monthList: change, besides: ["change"])
    case "range": try check(range: change, besides: ["change"] + causes, maybe: reasons)
    case "bands":
      try change.has(["change", "month", "bands"])
      guard shownMonths.contains(try change.text("month")) else {
        throw ProtocolBreach("bands are of months in view: \(change.shown)")
      }
      try check(bands: try change.list("bands"))
    case "status":
      try check(status: change)
    case "result":
      try change.has(["change", "result"], maybe: ["reason", "because"])
      guard change["because"] == nil || change["result"] == .null else {
        throw ProtocolBreach("no result has a cause: \(change.shown)")
      }
      try check(becauseOf: change)
    case "definition":
      try change.has(["change", "version", "definition"], maybe: ["weekdays"])
      _ = (try change.number("version"), try change.part("definition").text("kind"))
    case "notes": try check(notes: change)
    case let name: throw ProtocolBreach("\(name) is a change")
    }
  }

  /// Only of a slot that a change of definition took away.
  private static func check(becauseOf change: JSONTree) throws(ProtocolBreach) {
    guard let because = change["because"] else { return }
    guard change["reason"] == .string("gone"),
      ["taken", "closed", "rules"].contains(because.string)
    else { throw ProtocolBreach("a slot is gone for a reason: \(change.shown)") }
  }

  private static func check(notes change: JSONTree) throws(ProtocolBreach) {
    let isOfDays = change["days"] != nil
    try change.has(["change"] + (isOfDays ? ["days"] : ["column", "rows"]))
    let notes = try change.part(isOfDays ? "days" : "rows").members ?? []
    guard !notes.isEmpty else { throw ProtocolBreach("a change of notes has one: \(change.shown)") }
    for note in notes where note.value != .null {
      try note.value.has(["text"], maybe: isOfDays ? ["tone", "amount"] : ["tone"])
      _ = try note.value.text("text")
    }
  }
}

extension MessageRules {
  /// - Source: web/client/api/asyncapi.json; web/guide/decide.md.
  private static func check(status change: JSONTree) throws(ProtocolBreach) {
    try change.has(
      ["change", "status"], maybe: ["result", "until", "reason", "detail"])
    let status = try change.text("status")
    guard (change["result"] != nil) == ["confirming", "confirmed"].contains(status) else {
      throw ProtocolBreach("a confirmation has its result")
    }
    guard (change["until"] != nil) == (status == "confirming") else {
      throw ProtocolBreach("only a confirmation that waits has an end: \(change.shown)")
    }
    guard change["reason"] == nil || status == "open" else {
      throw ProtocolBreach("only a session that is open again has a reason: \(change.shown)")
    }
  }
}

/// The wire protocol's rules for an `availability`.
extension MessageRules {
  static func check(availability: JSONTree) throws(ProtocolBreach) {
    try availability.has(
      ["generation", "count", "past", "closed", "timeZone", "days", "marks"],
      maybe: ["rows", "months", "weekdays", "respondents", "heat", "best"])
    for marks in try availability.list("marks") { try check(marks: marks) }
    try check(layout: availability)
  }

  /// - Returns: Whether the change is one of an `availability`.
  static func checksMarks(_ change: JSONTree) throws(ProtocolBreach) -> Bool {
    switch try change.text("change") {
    case "cells":
      try change.has(
        ["change", "generation", "count", "past", "timeZone", "days"],
        maybe: ["rows", "months", "weekdays"])
      try check(layout: change)
    case "past": try change.has(["change", "past"])
    case "closed": _ = try change.flag("closed")
    case "marks": try check(marks: change, besides: ["change"])
    case "heat":
      try change.has(["change", "respondents", "runs"])
      try check(runs: try change.list("runs"), fieldCount: 5)
    case "best":
      for window in try change.list("windows") {
        try window.has(["cell", "text", "yes", "maybe", "no"])
      }
    default: return false
    }
    return true
  }

  private static func check(
    marks: JSONTree, besides: [String] = []
  ) throws(ProtocolBreach) {
    try marks.has(["member", "name", "color", "runs"] + besides)
    guard try marks.text("color").utf8.count == 7 else {
      throw ProtocolBreach("marks have the name and the colour of their member: \(marks.shown)")
    }
    try check(runs: try marks.list("runs"), fieldCount: 3)
  }

  private static func check(runs: [JSONTree], fieldCount: Int) throws(ProtocolBreach) {
    var end = 0
    for run in runs {
      guard let fields = run.array, fields.count == fieldCount, let from = fields[0].integer,
        let until = fields[1].integer, from >= end, until > from
      else { throw ProtocolBreach("runs ascend: \(run.shown)") }
      end = until
    }
  }

  private static func check(layout: JSONTree) throws(ProtocolBreach) {
    guard (layout["rows"] == nil) == (layout["months"] != nil),
      (layout["months"] != nil) == (layout["weekdays"] != nil)
    else { throw ProtocolBreach("cells are times, with rows, or dates, with months") }
    let parts = try layout.list(layout["rows"] == nil ? "months" : "days")
    var count = 0
    for run in parts.flatMap({ $0["cells"]?.array ?? [] }) { count += run.array?[1].integer ?? 0 }
    guard count == (try layout.number("count")) else {
      throw ProtocolBreach("every cell stands in one place")
    }
  }

  /// Checks that the bytes of a message have nothing that its reader may not see.
  ///
  /// - Parameter others: The ids of all other members that the session has had.
  static func check(
    _ part: JSONTree, hides audience: Sight.Audience, others: some Sequence<String>
  ) throws(ProtocolBreach) {
    guard audience != .everything else { return }
    let bytes = part.serialized()
    for id in others where bytes.contains(Array("\"\(id)\"".utf8)) {
      throw ProtocolBreach("the marks of \(id) are in no byte: \(part.shown)")
    }
    guard audience == .ownMarks else { return }
    for name in ["respondents", "heat", "best", "yes\":", "maybe\":"]
    where part["availability"].map({ $0.serialized() }).map({ $0.contains(name) }) ?? false {
      throw ProtocolBreach("\(name) is in no byte: \(part.shown)")
    }
    let changes = JSONTree.array(part["changes"]?.array ?? []).serialized()
    for name in [#""heat""#, #""best""#, #""respondents""#, #""yes":"#]
    where changes.contains(name) {
      throw ProtocolBreach("\(name) is in no byte: \(part.shown)")
    }
  }
}

extension [UInt8] {
  fileprivate func contains(_ text: String) -> Bool { contains(Array(text.utf8)) }

  fileprivate func contains(_ part: [UInt8]) -> Bool {
    guard let first = part.first, count >= part.count else { return false }
    for start in 0...(count - part.count)
    where self[start] == first && self[start..<start + part.count].elementsEqual(part) {
      return true
    }
    return false
  }
}
