import JSONText
import PickerSession

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
