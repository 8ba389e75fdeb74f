import JSONText

/// Compares the state of a client with that of the server.
///
/// A client's state is the protocol's snapshot with all deltas applied, and the fields `revision`,
/// `role` and `unanswered` (the number of commands without an answer). Other fields are ignored.
enum FoldedState {
  /// - Parameters:
  ///   - truth: The response to `GET` of the session.
  ///   - role: The role of the client's member.
  /// - Returns: A sentence about the first difference; `nil` if the states are equal.
  static func difference(of client: JSONTree, from truth: JSONTree, role: String?) -> String? {
    let snapshot = truth["snapshot"] ?? .null
    return value("revision", client["revision"], truth["revision"])
      ?? value("status", client["status"], snapshot["status"])
      ?? columns(client["columns"], snapshot["columns"])
      ?? calendar(client["calendar"], snapshot["calendar"])
      ?? availability(client["availability"], snapshot["availability"])
      ?? members("result", client["result"], snapshot["result"])
      ?? value("role", client["role"], role.map { .string($0) })
      ?? unanswered(client["unanswered"])
  }

  private static func value(_ name: String, _ have: JSONTree?, _ want: JSONTree?) -> String? {
    if (have ?? .null) == (want ?? .null) { return nil }
    return "\(name) is \(have?.text ?? "missing"), not \((want ?? .null).text)"
  }

  /// Accepts a list of refs instead of their number.
  private static func unanswered(_ have: JSONTree?) -> String? {
    value("unanswered", (have?.array?.count).map { .integer($0) } ?? have, .integer(0))
  }

  /// Compares the members of an expected object; additional members are ignored.
  private static func members(_ name: String, _ have: JSONTree?, _ want: JSONTree?) -> String? {
    guard case .object(let wanted)? = want else { return value(name, have, want) }
    guard case .object? = have else { return value(name, have, want) }
    for member in wanted {
      if let found = members("\(name).\(member.key)", have?[member.key], member.value) {
        return found
      }
    }
    return nil
  }

  private static func columns(_ have: JSONTree?, _ want: JSONTree?) -> String? {
    guard let want = want?.array else { return nil }
    guard let have = have?.array else { return "columns are missing" }
    guard have.count == want.count else {
      return "there are \(have.count) columns, not \(want.count)"
    }
    for (index, (mine, theirs)) in zip(have, want).enumerated() {
      let name = "columns[\(index)]"
      let found =
        value("\(name).generation", mine["generation"], theirs["generation"])
        ?? value("\(name).count", mine["count"], theirs["count"])
        ?? value("the keys of \(name).rows", keys(mine), keys(theirs))
        ?? value("\(name).row", mine["row"], theirs["row"])
      if let found { return found }
    }
    return nil
  }

  private static func keys(_ column: JSONTree) -> JSONTree? {
    column["rows"]?.array.map { .array($0.map { $0["key"] ?? .null }) }
  }

  private static func availability(_ have: JSONTree?, _ want: JSONTree?) -> String? {
    guard let want else { return nil }
    for field in ["generation", "count", "past", "closed"] {
      let found = value("availability.\(field)", have?[field], want[field])
      if let found { return found }
    }
    let marks = [have, want].map { side in
      (side?["marks"]?.array ?? []).map { marks in
        (member: marks["member"]?.string ?? "", cells: cells(marks["runs"]))
      }.filter { !$0.cells.isEmpty }.sorted { $0.member < $1.member }
    }
    guard marks[0].elementsEqual(marks[1], by: ==) else {
      return "availability.marks are \(marks[0]), not \(marks[1])"
    }
    let heat = (cells(have?["heat"]), cells(want["heat"]))
    guard heat.0 == heat.1 else { return "availability.heat is \(heat.0), not \(heat.1)" }
    let best = [have, want].map { ($0?["best"]?.array ?? []).map { $0["cell"] ?? .null } }
    return value("the cells of availability.best", .array(best[0]), .array(best[1]))
      ?? (want["respondents"] == nil
        ? nil
        : value("availability.respondents", have?["respondents"], want["respondents"]))
  }

  /// The values of runs `[from, until, …]` by cell, without null and zeros.
  private static func cells(_ runs: JSONTree?) -> [Int: [JSONTree]] {
    var cells: [Int: [JSONTree]] = [:]
    for run in (runs?.array ?? []).compactMap(\.array) {
      guard run.count > 2, let from = run[0].integer, let until = run[1].integer,
        from >= 0, until >= from, until <= 4_032
      else { continue }
      let fields = Array(run[2...])
      if fields.allSatisfy({ $0 == .null || $0 == .integer(0) }) { continue }
      for cell in from..<until { cells[cell] = fields }
    }
    return cells
  }

  private static func calendar(_ have: JSONTree?, _ want: JSONTree?) -> String? {
    guard let want else { return nil }
    for field in ["first", "last", "count"] {
      let found = value(
        "calendar.months.\(field)", have?["months"]?[field], want["months"]?[field])
      if let found { return found }
    }
    guard case .object? = want["range"] else {
      return value("calendar.range", have?["range"], want["range"])
    }
    for field in ["start", "end", "hits"] {
      let found = value("calendar.range.\(field)", have?["range"]?[field], want["range"]?[field])
      if let found { return found }
    }
    return nil
  }
}
