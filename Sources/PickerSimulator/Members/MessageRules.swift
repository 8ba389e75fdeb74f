import CivilTime
import JSONText
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
      maybe: ["columns", "calendar", "availability", "version", "until"])
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
        try cell.has(["date", "text"], maybe: ["outside", "disabled", "today", "only", "note"])
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
      try row.has(["key", "text"], maybe: ["note"])
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
