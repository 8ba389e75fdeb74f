import CivilTime
import JSONText
import PickerSession

/// Decisions of the host as they are stored. Verbatim JSON is stored as a string.
extension Settle {
  var tree: JSONTree {
    .object(members + (data.map { [.init("data", .string($0.text))] } ?? []))
  }

  init?(stored tree: JSONTree) {
    self.init(tree, data: tree["data"]?.string.map(VerbatimJSON.init(stored:)))
  }
}

extension Settlement {
  fileprivate var tree: JSONTree {
    .object([
      .init("settle", settle.tree), .init("status", .string(status.rawValue)),
      .init("revision", .integer(revision)),
    ])
  }

  fileprivate init?(tree: JSONTree) {
    guard let settle = tree["settle"].flatMap(Settle.init(stored:)),
      let status = tree["status"]?.string.flatMap(SessionStatus.init(rawValue:)),
      let revision = tree["revision"]?.integer
    else { return nil }
    self.init(settle: settle, status: status, revision: revision)
  }
}

extension DecisionState {
  var tree: JSONTree {
    var members: [JSONTree.Member] = []
    if let confirmation {
      members += [
        .init("op", .string(confirmation.op)),
        .init("until", .integer(Int(confirmation.until.milliseconds))),
      ]
    }
    if !waitingNotes.isEmpty { members.append(.init("notes", .array(waitingNotes))) }
    if let data { members.append(.init("data", .string(data.text))) }
    if !settlements.isEmpty {
      members.append(.init("settlements", .array(settlements.map(\.tree))))
    }
    if !lateOps.isEmpty {
      members.append(.init("late", .array(lateOps.map(JSONTree.string))))
    }
    if !ops.isEmpty { members.append(.init("ops", .array(ops.map(JSONTree.string)))) }
    if hasForgottenOps { members.append(.init("forgotten", .bool(true))) }
    return .object(members)
  }

  /// Reads what ``tree`` wrote.
  init?(tree: JSONTree) {
    var confirmation: Confirmation?
    if let op = tree["op"]?.string {
      guard let until = tree["until"]?.integer.flatMap(Instant.init(stored:)) else { return nil }
      confirmation = Confirmation(op: op, until: until)
    }
    let settlements = (tree["settlements"]?.array ?? []).map(Settlement.init(tree:))
    guard settlements.allSatisfy({ $0 != nil }) else { return nil }
    self.init(
      confirmation: confirmation, waitingNotes: tree["notes"]?.array ?? [],
      data: tree["data"]?.string.map(VerbatimJSON.init(stored:)),
      settlements: settlements.compactMap { $0 },
      lateOps: (tree["late"]?.array ?? []).compactMap(\.string),
      ops: (tree["ops"]?.array ?? []).compactMap(\.string),
      hasForgottenOps: tree["forgotten"] == .bool(true))
  }
}
