package import CivilTime
import JSONText
package import PickerModel

/// One revision of a session: all that a client needs to update its copy.
///
/// A class, because the history and the ``Effect`` share it.
package final class Delta: Sendable {
  package let revision: Int
  package let at: Instant
  /// The member that sent the command; `nil` if time or the host made the delta.
  package let by: MemberID?
  /// Whether it is a command of the host.
  package let isHostCommand: Bool
  /// The ref of the command; 0 if ``by`` is `nil`.
  package let ref: Int
  private let command: Command?
  /// What the author of the command had seen, if it said so.
  package let precondition: Precondition?
  package let change: SessionChange
  /// The notes on the rows that the reloads in ``change`` include; `nil` if there are none.
  package let notes: RowNotes?
  /// The result after this delta; `nil` if the delta did not change it.
  package let result: PickerResult?
  /// What it changes of the inventory; `nil` for most deltas.
  package let inventory: InventoryEdit?
  /// Whether the status was `confirmed` before.
  let endsConfirmed: Bool
  /// Whether a value was replaced by the nearest possible one.
  package let isClamped: Bool
  /// Whether a change of the picker has texts, which depend on the language.
  package let hasPickerTexts: Bool
  private let ownWeight: Int32
  private let sharedWeight: Int32

  /// The member and its command; `nil` if time or the host made the delta. The fan-out reads ``by``
  /// and ``ref`` instead, to avoid copying the command.
  package var author: Author? {
    guard let by, let command else { return nil }
    return Author(member: by, ref: ref, command: command)
  }

  /// Whether a member made it.
  package func isBy(_ member: MemberID?) -> Bool {
    guard let by, let member else { return false }
    return by == member
  }

  /// The command of the host; `nil` if a member or time made the delta, or another change of the
  /// host.
  package var hostCommand: Command? { isHostCommand ? command : nil }

  /// Whether time made the delta, without member or host.
  package var isTick: Bool {
    if isHostCommand { return false }
    return switch change {
    case .definition, .notes, .inventory: false
    case .status(let change): by == nil && change.settle == nil
    case .picker: by == nil
    }
  }

  /// An estimate of the memory that the delta retains, without its own and that of its definition,
  /// in units of ``weightBytes``: the number of notes, or more if they are long.
  package var weight: Int { Int(ownWeight) }
  /// An estimate of the memory of its definition in the same units, which the deltas of other
  /// sessions may share.
  package var definitionWeight: Int { Int(sharedWeight) }

  /// The bytes of a unit of ``weight``.
  static let weightBytes = 128

  package struct Author: Hashable, Sendable {
    package let member: MemberID
    package let ref: Int
    package let command: Command

    /// Members' refs begin with 1.
    var isHost: Bool { ref == 0 }
  }

  init(
    revision: Int, at: Instant, by author: MemberID? = nil, ref: Int = 0,
    _ command: Command? = nil, if precondition: Precondition? = nil, change: SessionChange,
    notes: RowNotes?, result: PickerResult?, inventory: InventoryEdit? = nil,
    endsConfirmed: Bool = false
  ) {
    self.revision = revision
    self.at = at
    isHostCommand = author != nil && ref == 0
    by = ref == 0 ? nil : author
    self.ref = ref
    self.precondition = precondition
    let facts = ChangeFacts(of: change.pickerChanges)
    let weight =
      change.weight + (notes?.count ?? 0) + facts.weight + Delta.weight(of: command)
    ownWeight = Int32(clamping: weight)
    sharedWeight = Int32(clamping: change.definitionWeight)
    isClamped = facts.isClamped
    hasPickerTexts = facts.hasTexts
    self.change = change
    self.notes = notes
    self.result = result
    self.inventory = inventory
    self.endsConfirmed = endsConfirmed
    self.command = command
  }

  private static func weight(of command: Command?) -> Int {
    if case .act(let action) = command { action.byteCount / weightBytes } else { 0 }
  }
}

extension Delta: Hashable {
  package static func == (left: Delta, right: Delta) -> Bool {
    left === right
      || left.revision == right.revision && left.at == right.at && left.author == right.author
        && left.hostCommand == right.hostCommand
        && left.change == right.change && left.notes == right.notes
        && left.result == right.result && left.inventory == right.inventory
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(revision)
    hasher.combine(at)
    hasher.combine(by)
    hasher.combine(ref)
  }
}

/// The content of a delta. Self-contained: it can be encoded later, in any language.
package enum SessionChange: Hashable, Sendable {
  /// Changes of the picker; empty if time changed only the result. For a change of the range also
  /// the member of the last tap on it: in the change itself each copy of it would cost more.
  case picker([PickerChange], tappedBy: MemberID?)
  /// The host changed the definition, with the changes of the picker that follow from it.
  indirect case definition(Redefinition, [PickerChange], tappedBy: MemberID?)
  /// The host changed notes.
  indirect case notes(NotesEdit)
  indirect case status(StatusChange)
  /// The inventory changed by others, with the changes of the picker that follow from it.
  indirect case inventory(InventoryNews, [PickerChange], tappedBy: MemberID?)
}

extension NotesEdit {
  /// An estimate of its memory, in units of ``Delta/weightBytes``.
  fileprivate var weight: Int {
    change.columns.reduce(change.days.count) { $0 + $1.rows.count }
      + patch.count / Delta.weightBytes
  }
}

extension SessionChange {
  /// ``Delta/weight`` without its changes of the picker and its notes.
  fileprivate var weight: Int {
    switch self {
    case .definition(let redefinition, _, tappedBy: _):
      redefinition.notes?.weight ?? 0
    case .notes(let edit): edit.weight
    case .inventory(let news, _, tappedBy: _): (news.levels?.named.count ?? 0) / 2
    case .picker, .status: 0
    }
  }

  /// See ``Delta/definitionWeight``.
  fileprivate var definitionWeight: Int {
    switch self {
    case .definition(let redefinition, _, tappedBy: _):
      max(redefinition.definition.weight, redefinition.definition.byteCount / Delta.weightBytes)
    case .notes, .picker, .status, .inventory: 0
    }
  }
}

/// The new definition in a delta.
package struct Redefinition: Hashable, Sendable {
  package let version: Int
  package let definition: Definition
  /// Whether clients receive the definition with the delta. `false` if a reopened session applies a
  /// definition that an earlier delta announced.
  package let isAnnounced: Bool
  /// Whether the first day of the week changed, so that clients need new weekday headings.
  package let hasOtherWeekdays: Bool
  /// The notes that have changed with it.
  package let notes: NotesEdit?
  /// Why the selected slot is gone, if there is none to move to.
  package let loss: SlotLoss?
}

extension SessionChange {
  /// The notes that the host has changed, if any.
  package var notesEdit: NotesEdit? {
    switch self {
    case .notes(let edit): edit
    case .definition(let redefinition, _, tappedBy: _): redefinition.notes
    case .picker, .status, .inventory: nil
    }
  }

  /// The changes of the picker; empty for other deltas.
  package var pickerChanges: [PickerChange] {
    switch self {
    case .picker(let changes, tappedBy: _), .definition(_, let changes, tappedBy: _),
      .inventory(_, let changes, tappedBy: _):
      changes
    case .status, .notes: []
    }
  }

  /// The range before and after the delta, which may change it twice: what others have taken, and
  /// then what they have given back. `nil` if the delta does not change it.
  package var ranges: (before: DateRange?, after: DateRange?)? {
    var ranges: (before: DateRange?, after: DateRange?)?
    for case .calendar(.range(let moved)) in pickerChanges {
      ranges = (ranges.map(\.before) ?? moved.before, moved.range)
    }
    return ranges
  }
}
