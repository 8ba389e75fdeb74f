import JSONText

extension ClientFold {
  /// A step of the session.
  mutating func take(delta: JSONTree) throws(ProtocolBreach) {
    try delta.has(["type", "revision", "at", "changes"], maybe: ["by", "ref"])
    guard try delta.number("revision") == revision + 1 else {
      throw ProtocolBreach("revisions have no gaps: \(revision), then \(delta.shown)")
    }
    revision += 1
    let changes = try delta.list("changes")
    guard !changes.isEmpty else { throw ProtocolBreach("a delta changes something") }
    let before = result
    for change in changes { try take(change: change) }
    guard changes.dropLast().allSatisfy({ $0["change"] != .string("result") }) else {
      throw ProtocolBreach("the result is the last change: \(delta.shown)")
    }
    guard changes.last?["change"] != .string("result") || result != before else {
      throw ProtocolBreach("a result is sent if it is another one: \(delta.shown)")
    }
    try checkBands()
  }

  /// Where the picker really stands. `revision` is the one at which that is true.
  mutating func take(refused: JSONTree) throws(ProtocolBreach) {
    try refused.has(["type", "code", "detail", "revision", "changes"], maybe: ["ref"])
    guard try refused.number("revision") == revision else {
      throw ProtocolBreach("all deltas come before a refusal: \(revision), \(refused.shown)")
    }
    let before = self
    for change in try refused.list("changes") { try take(change: change, isStanding: true) }
    for index in columns.indices {
      guard columns[index].row == before.columns[index].row,
        columns[index].generation == before.columns[index].generation
      else { throw ProtocolBreach("a refusal changes nothing: \(refused.shown)") }
    }
    guard range == before.range else { throw ProtocolBreach("a refusal leaves the range") }
  }

  private mutating func take(
    change: JSONTree, isStanding: Bool = false
  ) throws(ProtocolBreach) {
    switch try change.text("change") {
    case "reload":
      let index = try change.number("column")
      guard columns.indices.contains(index) else { throw ProtocolBreach("the column exists") }
      let column = try Column(change, besides: ["change", "column"])
      let expected = columns[index].generation + (isStanding ? 0 : 1)
      guard column.generation == expected else {
        throw ProtocolBreach("a reload is one generation: \(change.shown)")
      }
      columns[index] = column
    case "row": try take(rowChange: change, isStanding)
    case "months": try take(monthList: change, besides: ["change"])
    case "range":
      let causes = isStanding ? [] : ["cause"]
      range = try Range(
        change, besides: ["change"] + causes, maybe: isStanding ? [] : ["reason", "wanted"])
    case "bands":
      try change.has(["change", "month", "bands"])
      let month = try change.text("month")
      guard shown[month] != nil else { throw ProtocolBreach("bands are of months looked at") }
      shown[month]?.bands = try change.list("bands")
    case "status":
      try change.has(["change", "status"], maybe: ["result"])
      status = try change.text("status")
      guard (change["result"] != nil) == (status == "confirmed"),
        change["result"] ?? result == result
      else { throw ProtocolBreach("a confirmation has the result: \(change.shown)") }
    case "result":
      try change.has(["change", "result"])
      result = change["result"]!
    case let name: throw ProtocolBreach("\(name) is a change")
    }
  }

  private mutating func take(rowChange change: JSONTree, _ isStanding: Bool) throws(ProtocolBreach)
  {
    try change.has(
      ["change", "column", "row", "key", "text"] + (isStanding ? [] : ["cause"]),
      maybe: isStanding ? [] : ["reason", "wanted"])
    let index = try change.number("column")
    let row = try change.number("row")
    guard columns.indices.contains(index), row >= 0, row < columns[index].count else {
      throw ProtocolBreach("a row change names a row: \(change.shown)")
    }
    let told = Row(key: try change.text("key"), text: try change.text("text"))
    guard columns[index].rows[row] ?? told == told else {
      throw ProtocolBreach("a row is what it was: \(change.shown)")
    }
    columns[index].rows[row] = told
    columns[index].row = row
  }

  /// The months that the client looks at, anew.
  mutating func take(months message: JSONTree) throws(ProtocolBreach) {
    try message.has(["type", "revision", "months"])
    guard try message.number("revision") == revision else {
      throw ProtocolBreach("all deltas come before months: \(revision), \(message.shown)")
    }
    shown = [:]
    for month in try message.list("months") {
      try month.has(["month", "cells", "bands"])
      let cells = try month.list("cells")
      guard [28, 35, 42].contains(cells.count) else { throw ProtocolBreach("weeks are whole") }
      for cell in cells {
        try cell.has(["date", "text"], maybe: ["outside", "disabled", "today"])
        let isOutside = !(try cell.text("date")).hasPrefix(try month.text("month"))
        guard (cell["outside"] == .bool(true)) == isOutside else {
          throw ProtocolBreach("a cell outside its month says so: \(cell.shown)")
        }
      }
      shown[try month.text("month")] = Month(cells: cells, bands: try month.list("bands"))
    }
    try checkBands()
  }

  mutating func take(rows message: JSONTree) throws(ProtocolBreach) {
    try message.has(["type", "column", "generation", "from", "rows"])
    let index = try message.number("column")
    guard columns.indices.contains(index),
      try message.number("generation") == columns[index].generation
    else { throw ProtocolBreach("rows are of the generation that was told: \(message.shown)") }
    let known = columns[index].rows
    try columns[index].take(rows: try message.list("rows"), from: try message.number("from"))
    for (row, told) in known where columns[index].rows[row] != told {
      throw ProtocolBreach("a row is what it was: \(told)")
    }
  }

  mutating func take(presence: JSONTree) throws(ProtocolBreach) {
    let lists = ["joined", "changed", "left", "touching"]
    try presence.has(["type"], maybe: lists)
    for list in lists where presence[list] != nil {
      let entries = try presence.list(list)
      guard !entries.isEmpty else { throw ProtocolBreach("presence says something") }
      for entry in entries { try take(presence: entry, in: list) }
    }
  }

  private mutating func take(presence entry: JSONTree, in list: String) throws(ProtocolBreach) {
    let id: String
    var isOwnRole = false
    switch list {
    case "joined", "changed":
      id = try checkMember(entry)
      isOwnRole = list == "changed" && entry["role"] != members[id]?["role"]
      guard list == "joined" || members[id] != nil else {
        throw ProtocolBreach("who changed is known: \(entry.shown)")
      }
      members[id] = entry
    case "left":
      guard let text = entry.string else { throw ProtocolBreach("left has ids") }
      id = text
      members[id] = nil
      touching[id] = nil
    default:
      id = try entry.text("member")
      try entry.has(["member"], maybe: ["column", "row", "date"])
      touching[id] = entry.members?.count == 1 ? nil : entry
    }
    guard id != me || isOwnRole else {
      throw ProtocolBreach("a member receives nothing about itself but a change of its role")
    }
  }
}
