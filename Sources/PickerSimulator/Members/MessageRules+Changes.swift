import JSONText

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
  }

  /// Checks a refusal, whose changes are the current state without causes.
  static func check(refused: JSONTree) throws(ProtocolBreach) {
    try refused.has(["type", "code", "detail", "revision", "changes"], maybe: ["ref", "params"])
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
    let causes = isRefusal ? [] : ["cause"]
    let reasons = isRefusal ? [] : ["reason", "wanted"]
    switch try change.text("change") {
    case "reload": try check(column: change, besides: ["change", "column"])
    case "row":
      try change.has(["change", "column", "row", "key", "text"] + causes, maybe: reasons)
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
    case "result": try change.has(["change", "result"])
    case "definition":
      try change.has(["change", "version", "definition"], maybe: ["weekdays"])
      _ = (try change.number("version"), try change.part("definition").text("kind"))
    case "notes": try check(notes: change)
    case let name: throw ProtocolBreach("\(name) is a change")
    }
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
