import CivilTime
import PickerModel
import PickerServer
import PickerSession

// Descriptions of commands, changes and answers for `pickerd replay`.

extension Command {
  var words: String {
    switch self {
    case .select(let selection):
      "select column \(selection.column) row \(selection.row) of generation "
        + "\(selection.generation)" + (selection.key.map { " key “\($0.prefix(40))”" } ?? "")
    case .tap(.date(let date)): "tap \(date.iso)"
    case .tap(.cell(let month, let cell)): "tap \(month.iso) cell \(cell)"
    case .tap(.point(let month, let x, let y)): "tap \(month.iso) at \(x), \(y)"
    case .mark(let mark):
      "mark \(counted(mark.cells.reduce(0) { $0 + $1.count }, "cell")) "
        + (mark.grade.map { "“\($0.prefix(40))”" } ?? "with nothing")
    case .importMarks(let marks):
      "mark for \(marks.member) as \(counted(marks.count, "interval")) of a calendar say"
    case .confirmWindow(let cell, _): "confirm the window at cell \(cell)"
    case .clear, .undo, .redo, .confirm, .cancel, .reopen: type
    case .rename(let name): "rename “\(name)”"
    case .unknown(let type): "“\(type.prefix(40))”"
    }
  }
}

extension LogEntry {
  var words: String {
    switch body {
    case .joined(let joining): "\(joining.name) (\(joining.member)) joins"
    case .roleChanged(let member, let role): "\(member) becomes \(role)"
    case .left(let member): "\(member) leaves"
    case .returned(let member, _): "\(member) rejoins"
    case .command(.host, _, let command, _): command.words
    case .command(_, let ref, let command, _): "\(command.words), ref \(ref)"
    case .define(let change): "the host changes the definition to version \(change.version)"
    case .note: "the host changes notes"
    case .adopted(let adoption):
      "the session follows its shared definition to version \(adoption.version)"
    case .revoked(let revocation):
      "the host revokes tokens of \(revocation.target.words) issued before "
        + revocation.issuedBefore.description
    case .roleSet(let role): "the host sets the role of \(role.target.words) to \(role.role)"
    case .settle(let settle): "the host \(settle.isGranted ? "grants" : "denies") \(settle.op)"
    case .tick, .clockSet: "time"
    }
  }
}

extension Answer {
  var words: String {
    switch body {
    case .reply(let revision): "no change needed, or already done, at revision \(revision)"
    case .refused(let refusal, _): "refused, \(refusal.code.rawValue): \(refusal.detail)"
    }
  }
}

extension DateRange {
  var words: String {
    "\(start.iso) to \(end.iso), \(counted(dayCount, "day")), \(counted(hits, "hit"))"
  }
}

extension Delta {
  func words(in texts: any RowTexts) -> [String] {
    switch change {
    case .picker(let changes, _, _):
      changes.isEmpty ? ["the instant changes"] : changes.map { $0.words(in: texts) }
    case .definition(let redefinition, let changes, _, _):
      ["definition version \(redefinition.version)"] + changes.map { $0.words(in: texts) }
        + (redefinition.notes?.words ?? [])
    case .notes(let edit): edit.words
    case .status(let change):
      ["\(change.status)" + (change.reason.map { " (\($0))" } ?? "")]
    }
  }
}

extension NotesEdit {
  fileprivate var words: [String] {
    change.days.map { "\($0.date.iso) has \($0.note?.words ?? "no note")" }
      + change.columns.flatMap { column in
        column.rows.map {
          "row “\($0.key.text)” of column \(column.column) has \($0.note?.words ?? "no note")"
        }
      }
  }
}

extension PickerChange {
  fileprivate func words(in texts: any RowTexts) -> String {
    switch self {
    case .reload(let column, let state):
      let rows = counted(state.rows.count, "row")
      return "column \(column) has \(rows), generation \(state.generation)"
    case .removal(let column, _): return "column \(column) is removed"
    case .row(let column, let move):
      var words = "column \(column) is “\(move.rows.text(at: move.row, in: texts))” (\(move.cause)"
      if let wanted = move.wanted { words += ", wanted \(wanted)" }
      if let reason = move.reason { words += ", \(reason)" }
      return words + ")"
    case .months(let months):
      return "months are \(months.first.iso) to \(months.last.iso)"
    case .range(let change): return change.words
    case .cells(let change):
      return "there are \(counted(change.cells.count, "cell")), generation \(change.generation)"
    case .past(let past): return "\(counted(past, "cell")) are past"
    case .closed(let isClosed): return isClosed ? "marks are closed" : "marks are open again"
    case .marks(let change):
      return "\(change.name) has other marks in \(counted(change.runs.count, "run")) of cells"
    case .heat(let change): return "\(counted(change.respondentCount, "member")) have marks"
    case .best(let change):
      let best = change.windows.first.map { texts.window($0.span, in: change.zone.rules) }
      return "the best window is \(best.map { "“\($0)”" } ?? "none")"
    }
  }
}

extension RangeChange {
  fileprivate var words: String {
    var words = "range \(range?.words ?? "none") (\(cause)"
    if let wanted { words += ", wanted \(wanted.iso)" }
    if let reason { words += ", \(reason)" }
    return words + ")"
  }
}

extension Note {
  fileprivate var words: String {
    let text = text(for: "en", fallback: "en")
    return "the note “\(text)”" + (tone.map { " (\($0))" } ?? "")
  }
}

extension Revocation.Target {
  fileprivate var words: String {
    switch self {
    case .subject(let subject): "sub \(subject)"
    case .member(let member): "\(member)"
    case .everyone: "everyone"
    }
  }
}
