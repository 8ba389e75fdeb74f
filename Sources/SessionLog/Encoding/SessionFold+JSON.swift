import CivilTime
package import JSONText
package import PickerModel
package import PickerSession

/// The stored JSON of a session's state: the members of its facts, its picker and definitions.
extension SessionFold.StoredState {
  package var tree: JSONTree {
    var members = SessionFold.Facts.fields.members(facts)
    members.append(.init("picker", picker.tree))
    for (name, retained) in [("definition", definition), ("shown", shown)] {
      if let retained { members.append(.init(name, retained.definition.document(full: true))) }
    }
    if let total { members.append(.init("total", total.tree)) }
    return .object(members)
  }

  /// - Parameter make: Makes a definition from its document; `nil` if the document is invalid.
  /// - Returns: `nil` for a tree that ``tree`` does not produce.
  package init?(tree: JSONTree, make: (JSONTree) -> Definition? = { _ in nil }) {
    let definitions = ["definition", "shown"].map { name in tree[name].flatMap(make) }
    guard (tree["definition"] == nil) == (definitions[0] == nil),
      (tree["shown"] == nil) == (definitions[1] == nil),
      let facts = SessionFold.Facts.fields.read(tree, into: .init(at: .first)),
      let picker = tree["picker"].flatMap(StoredPicker.init(tree:))
    else { return nil }
    self.init(
      facts, picker: picker, definition: definitions[0].map(RetainedDefinition.init(_:)),
      shown: definitions[1].map(RetainedDefinition.init(_:)),
      total: tree["total"].flatMap(PriceTotal.init(tree:)))
  }
}

extension SessionFold.Facts {
  fileprivate static let fields = StoredFields<SessionFold.Facts>(
    ("version", \.version), ("definedAt", \.definedAt), ("notes", \.notes), ("status", \.status),
    ("decision", \.decision),
    ("statusChanges", \.statusChangeCount), ("statusChangedAt", \.statusChangedAt),
    ("reached", \.reached), ("revision", \.revision), ("undo", \.undoList),
    ("members", \.members), ("remembered", \.remembered), ("joinCount", \.joinCount),
    ("unreported", \.unreported),
    ("revocations", \.revocations), ("roles", \.hostRoles), ("lastChanges", \.lastChanges),
    ("sight", \.sightRevision), ("shared", \.shared), ("inventory", \.inventory))
}

extension Notes: Stored { static let absent: Notes? = Notes() }
extension OwnNotes: Stored { static let absent: OwnNotes? = OwnNotes() }
extension PickerSelection: Stored {}
extension UndoValue: Stored {}

extension Note.Text: Stored {
  init?(tree: JSONTree) {
    guard let text = try? Note.Text(tree, at: "text", countMax: .max) else { return nil }
    self = text
  }
}

extension PriceTotal: StoredObject {
  static let fields = StoredFields<PriceTotal>(
    .init("hundredths", \.amount.hundredths), .init("currency", \.currency)
  ) { PriceTotal(amount: Amount(hundredths: $0), currency: $1) }
}

extension SharedState: StoredObject {
  static let fields = StoredFields<SharedState>(
    .init("version", \.version), .init("accepted", \.accepted), .init("own", \.own),
    .init("notes", \.ownNotes)
  ) { SharedState(version: $0, accepted: $1, own: $2, ownNotes: $3) }
}

extension UnreportedResult: StoredObject {
  static let fields = StoredFields<UnreportedResult>(
    .init("first", \.firstChangedAt), .init("last", \.lastChangedAt)
  ) { UnreportedResult(firstChangedAt: $0, lastChangedAt: $1) }
}

extension LastChanges: StoredObject {
  static let absent: LastChanges? = LastChanges()
  static let fields = StoredFields<LastChanges>(.init("last", \.last), .init("other", \.other)) {
    LastChanges(last: $0, other: $1)
  }
}

extension LastChanges.Change: StoredObject {
  static let fields = StoredFields<LastChanges.Change>(
    .init("revision", \.revision), .init("by", \.member)
  ) { LastChanges.Change(revision: $0, member: $1) }
}

/// An array in the order of joining.
extension Dictionary: Stored where Key == MemberID, Value == Member {
  static var absent: [MemberID: Member]? { [:] }
  var tree: JSONTree { values.sorted { $0.number < $1.number }.tree }

  init?(tree: JSONTree) {
    guard let members = [Member](tree: tree) else { return nil }
    self.init(members.map { ($0.id, $0) }) { _, last in last }
  }
}

extension RememberedMembers: Stored {
  static let absent: RememberedMembers? = RememberedMembers()
  var tree: JSONTree { Array(members).tree }

  init?(tree: JSONTree) {
    guard let members = [Member](tree: tree) else { return nil }
    self.init(members)
  }
}

extension Member: StoredObject {
  static let fields = StoredFields<Member>(
    .init("id", \.id), .init("number", \.number), .init("secret", \.secret),
    .init("name", \.name), .init("color", \.color), .init("role", \.role),
    .init("greatest", \.refs.greatest), .init("refs", \.refs.all),
    .init("subject", \.subject), .init("info", \.info), .init("sight", \.sightRevision)
  ) {
    Member(
      id: $0, number: $1, secret: $2, name: $3, color: $4, role: $5,
      refs: RefBook(entries: $7, greatest: $6), subject: $8, info: $9, sightRevision: $10)
  }
}

extension RefBook {
  fileprivate var all: [Entry] { Array(entries) }
}

/// `[ref, revision]`, or for a refusal `[ref, code, detail, params]`; `params` is omitted if empty.
extension RefBook.Entry: Stored {
  var tree: JSONTree {
    switch outcome {
    case .done(let revision): .array([.integer(ref), .integer(revision)])
    case .refused(let refusal):
      .array(
        [.integer(ref), .string(refusal.code.rawValue), .string(refusal.detail)]
          + (refusal.params.isEmpty ? [] : [.object(refusal.params)]))
    }
  }

  init?(tree: JSONTree) {
    guard let fields = tree.array, fields.count >= 2, let ref = fields[0].integer else {
      return nil
    }
    if let revision = fields[1].integer {
      self.init(ref: ref, outcome: .done(revision: revision))
    } else {
      guard (3...4).contains(fields.count),
        let code = fields[1].string.flatMap(Rejection.init(rawValue:)),
        let detail = fields[2].string,
        let params = fields.count == 4 ? fields[3].members : []
      else { return nil }
      self.init(ref: ref, outcome: .refused(Refusal(code, detail, params: params)))
    }
  }
}

extension UndoList: StoredObject {
  static let absent: UndoList? = UndoList()
  static let fields = StoredFields<UndoList>(
    .init("past", \.allPast), .init("future", \.future)
  ) { UndoList(past: $0, future: $1) }
}

extension UndoList {
  fileprivate var allPast: [UndoValue] { Array(past) }
}
