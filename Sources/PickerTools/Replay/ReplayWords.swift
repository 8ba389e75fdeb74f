import CivilTime
import JSONText
import PickerModel
import PickerServer
import PickerSession

// Descriptions of commands, changes and answers for `pickerd replay`.

extension Command {
  var words: String {
    switch self {
    case .act(let action): action.words
    case .confirmWindow(let choice): "confirm the window at cell \(choice.cell)"
    case .cancelWithReason(let reason):
      "cancel, because “\(reason.text(for: "en", fallback: "en").prefix(40))”"
    case .undo, .redo, .confirm, .cancel, .reopen: type
    case .inventory(.units(let units)): "units \(units)"
    case .inventory(.wait(let keys)): "wait for \(keys.joined(separator: ", ").prefix(80))"
    case .inventory(let command): command.type
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
    case .revised(let change): change.words
    case .revoked(let revocation):
      "the host revokes tokens of \(revocation.target.words) issued before "
        + revocation.issuedBefore.description
    case .roleSet(let role): "the host sets the role of \(role.target.words) to \(role.role)"
    case .settle(let settle): "the host \(settle.isGranted ? "grants" : "denies") \(settle.op)"
    case .tick, .clockSet: "time"
    case .inventory: "the inventory changes"
    case .decided(let decided):
      LogEntry(at: at, body: decided.body, op: op).words + decided.outcome.words
    }
  }
}

extension InventoryOutcome? {
  /// How the inventory has decided.
  fileprivate var words: String {
    guard let self else { return "" }
    if let refusal = self.refusal { return ", refused as \(refusal.code.rawValue)" }
    return self.claim.claim.map { ", \($0.state.rawValue)" } ?? ", given back"
  }
}

extension DocumentChange {
  fileprivate var words: String {
    if let follows {
      return "the session follows its shared definition to version \(follows.version)"
    }
    guard let definition else { return "the host changes notes" }
    return "the host changes the definition to version \(definition.version)"
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

extension Delta {
  func words(in texts: any RowTexts) -> [String] {
    switch change {
    case .picker(let changes, tappedBy: _):
      changes.isEmpty ? ["the instant changes"] : changes.map { $0.words(in: texts) }
    case .definition(let redefinition, let changes, tappedBy: _):
      ["definition version \(redefinition.version)"] + changes.map { $0.words(in: texts) }
        + (redefinition.notes?.words ?? [])
    case .notes(let edit): edit.words
    case .inventory(_, let changes, tappedBy: _):
      changes.isEmpty ? ["levels change"] : changes.map { $0.words(in: texts) }
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
