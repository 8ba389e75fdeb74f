import JSONText

extension PickerState {
  /// Applies the changes of a delta or of a refusal, in their order.
  ///
  /// - Returns: The notices. The changes of a refusal have no cause and therefore no notices.
  mutating func apply(
    changes: [JSONTree], by: String?
  ) throws(MalformedMessage) -> [PickerNotice] {
    var notices: [PickerNotice] = []
    for change in changes {
      switch try change.text("change") {
      case "reload": try applyReload(change)
      case "row": notices += try applyMove(change, by: by)
      case "months":
        let list = try PickerMonths(change)
        monthList = list
        months = months.filter { list.contains($0.key) }
      case "range": notices += try applyRange(change, by: by)
      case "bands":
        let bands = try PickerBand.list(try change.list("bands"))
        months[try change.month("month")]?.bands = bands
      case "status":
        guard let status = PickerStatus(rawValue: try change.text("status")) else { continue }
        self.status = status
        until = change["until"]?.string
        if let result = change["result"] { applyResult(result) }
        notices.append(.status(status, by: by))
        if let reason = change["reason"]?.string {
          notices.append(.notConfirmed(reason: reason, detail: change["detail"]?.string))
        }
      case "result":
        let before = (result: result, total: resultTotal)
        applyResult(change["result"] ?? .null)
        if result != nil, result == before.result, resultTotal != before.total {
          notices.append(.repriced(resultTotal, before: before.total))
        }
      case "definition":
        definition = try PickerDefinition(try change.need("definition"))
        weekdays = change["weekdays"]?.array?.compactMap(\.string) ?? weekdays
      case "notes": try applyNotes(change)
      case "cells", "past", "closed", "marks", "heat", "best":
        notices += try applyAvailability(change, by: by)
      default: continue  // A change of a newer server, which clients may ignore.
      }
    }
    return notices
  }

  private mutating func applyReload(_ change: JSONTree) throws(MalformedMessage) {
    let index = try change.number("column")
    // A change of the definition can append columns or remove the last ones. Each removed column
    // has its own change, in ascending order.
    guard !change.flag("removed") else {
      guard index >= 0 else { throw MalformedMessage(field: "column") }
      return columns.removeSubrange(min(index, columns.count)...)
    }
    guard (0...columns.count).contains(index) else { throw MalformedMessage(field: "column") }
    guard index < columns.count else { return columns.append(try PickerColumn(change)) }
    let old = columns[index]
    columns[index] = try PickerColumn(change)
    columns[index].before = PickerColumn.Before(selected: old.selected, rows: old.rows)
  }

  private mutating func applyAvailability(
    _ change: JSONTree, by: String?
  ) throws(MalformedMessage) -> [PickerNotice] {
    guard availability != nil else { return [] }
    try availability?.apply(change)
    switch try change.text("change") {
    case "cells": return [.cells]
    case "closed": return [.closed(change.flag("closed"))]
    case "marks":
      // Without an author they are those that remain of before.
      guard let by, by != me?.id else { return [] }
      let id = try change.text("member")
      let gone = PickerAvailability.Respondent(
        id: id, name: try change.text("name"), color: try change.text("color"),
        grades: Array(repeating: nil, count: availability?.count ?? 0))
      return [.marked(availability?.respondents.first { $0.id == id } ?? gone)]
    default: return []
    }
  }

  private mutating func applyMove(
    _ change: JSONTree, by: String?
  ) throws(MalformedMessage) -> [PickerNotice] {
    let index = try change.number("column")
    guard columns.indices.contains(index) else { throw MalformedMessage(field: "column") }
    let row = try PickerRow(change)
    let cause = change["cause"]?.string
    let wanted = change["wanted"]?.string.map { columns[index].text(ofKey: $0) }
    columns[index].before = nil
    columns[index].row = try change.number("row")
    columns[index].put(moved: row, at: try change.number("row"))
    guard let cause else { return [] }
    return [
      .moved(
        column: index, to: row, cause: cause, correction: Self.correction(change, wanted), by: by)
    ]
  }

  private mutating func applyRange(
    _ change: JSONTree, by: String?
  ) throws(MalformedMessage) -> [PickerNotice] {
    range = try PickerRange.read(change)
    guard let cause = change["cause"]?.string else { return [] }
    let correction = Self.correction(change, change["wanted"]?.string)
    return [.ranged(range, cause: cause, correction: correction, by: by)]
  }

  private static func correction(_ change: JSONTree, _ wanted: String?) -> PickerCorrection? {
    change["reason"]?.string.map { PickerCorrection(wanted: wanted ?? "", reason: $0) }
  }
}
