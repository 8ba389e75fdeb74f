import CivilTime
package import JSONText
package import PickerModel
package import PickerSession

/// The stored JSON of a session's state.
extension SessionFold.StoredState {
  package var tree: JSONTree {
    var fields: [JSONTree.Member] = [
      .init("picker", picker.tree), .init("status", .string(status.rawValue)),
      .init("statusChanges", .integer(statusChangeCount)),
      .init("statusChangedAt", .integer(Int(statusChangedAt.milliseconds))),
      .init("reached", .integer(Int(reached.milliseconds))),
      .init("revision", .integer(revision)), .init("joinCount", .integer(joinCount)),
      .init("members", .array(members.map(\.tree))),
      .init("remembered", .array(remembered.members.map(\.tree))),
      .init("past", .array(undoList.past.map(\.tree))),
      .init("future", .array(undoList.future.map(\.tree))),
    ]
    if version > 1 { fields.append(.init("version", .integer(version))) }
    for (name, state) in [("definition", definition), ("shown", shown)] {
      if let state { fields.append(.init(name, state.definition.document(full: true))) }
    }
    if let definedAt { fields.append(.init("definedAt", .integer(Int(definedAt.milliseconds)))) }
    if let total { fields.append(.init("total", total.tree)) }
    if !notes.isEmpty { fields.append(.init("notes", notes.tree)) }
    if !revocations.isEmpty { fields.append(.init("revocations", revocations.tree)) }
    if !hostRoles.isEmpty {
      fields.append(.init("roles", .array(hostRoles.roles.map(\.tree))))
    }
    if !decision.isEmpty { fields.append(.init("decision", decision.tree)) }
    if let tappedBy { fields.append(.init("tappedBy", .string(tappedBy.text))) }
    if let tappedAt { fields.append(.init("tappedAt", .integer(Int(tappedAt.milliseconds)))) }
    if let unreported { fields.append(.init("unreported", unreported.tree)) }
    if let sightRevision { fields.append(.init("sight", .integer(sightRevision))) }
    if let shared { fields.append(.init("shared", shared.tree)) }
    if lastChanges.last != nil { fields.append(.init("lastChanges", lastChanges.tree)) }
    return .object(fields)
  }

  /// - Parameter make: Makes a definition from its document; `nil` if the document is invalid.
  /// - Returns: `nil` for a tree that ``tree`` does not produce.
  package init?(tree: JSONTree, make: (JSONTree) -> Definition? = { _ in nil }) {
    let definitions = ["definition", "shown"].map { name in tree[name].flatMap(make) }
    guard (tree["definition"] == nil) == (definitions[0] == nil),
      (tree["shown"] == nil) == (definitions[1] == nil)
    else { return nil }
    guard let picker = tree["picker"].flatMap(PickerState.init(tree:)),
      let status = tree["status"]?.string.flatMap(SessionStatus.init(rawValue:)),
      let statusChangeCount = tree["statusChanges"]?.integer,
      let statusChangedAt = tree["statusChangedAt"]?.instant,
      let reached = tree["reached"]?.instant,
      let decision = DecisionState(tree: tree["decision"] ?? .object([])),
      let revision = tree["revision"]?.integer, let joinCount = tree["joinCount"]?.integer,
      let members = tree["members"]?.all(Member.init(tree:)),
      let past = tree["past"]?.all(UndoValue.init(tree:)),
      let future = tree["future"]?.all(UndoValue.init(tree:)),
      let notes = (tree["notes"] ?? .object([])).notes,
      let remembered = tree["remembered"]?.all(Member.init(tree:)),
      let revocations = tree["revocations"].map(Revocations.init(tree:)) ?? Revocations(),
      let roles = (tree["roles"] ?? .array([])).all(HostRole.init(tree:)),
      let lastChanges = tree["lastChanges"].map(LastChanges.init(tree:)) ?? LastChanges()
    else { return nil }
    let shared = tree["shared"].map(SharedState.init(tree:))
    if case .some(.none) = shared { return nil }
    self.init(
      picker: picker, version: tree["version"]?.integer ?? 1,
      definition: definitions[0].map(RetainedDefinition.init(_:)),
      shown: definitions[1].map(RetainedDefinition.init(_:)), definedAt: tree["definedAt"]?.instant,
      notes: notes, status: status, total: tree["total"].flatMap(PriceTotal.init(tree:)),
      decision: decision,
      statusChangeCount: statusChangeCount, statusChangedAt: statusChangedAt, reached: reached,
      revision: revision, undoList: UndoList(past: past, future: future), members: members,
      remembered: RememberedMembers(remembered), joinCount: joinCount,
      tappedBy: tree["tappedBy"]?.string.map(MemberID.init(_:)),
      tappedAt: tree["tappedAt"]?.instant,
      unreported: tree["unreported"].flatMap(UnreportedResult.init(tree:)),
      revocations: revocations, hostRoles: HostRoles(roles), lastChanges: lastChanges,
      sightRevision: tree["sight"]?.integer, shared: shared ?? nil)
  }
}

/// `{"version","accepted","own","notes"?}`.
extension SharedState {
  fileprivate var tree: JSONTree {
    var members: [JSONTree.Member] = [
      .init("version", .integer(version)), .init("accepted", .integer(accepted)), .init("own", own),
    ]
    if !ownNotes.isEmpty { members.append(.init("notes", ownNotes.tree)) }
    return .object(members)
  }

  fileprivate init?(tree: JSONTree) {
    guard let version = tree["version"]?.integer, let accepted = tree["accepted"]?.integer,
      let own = tree["own"],
      let ownNotes = tree["notes"].map(OwnNotes.init(tree:)) ?? OwnNotes()
    else { return nil }
    self.init(version: version, accepted: accepted, own: own, ownNotes: ownNotes)
  }
}

/// `[hundredths, currency]`, or `[hundredths]` without currency.
extension PriceTotal {
  fileprivate var tree: JSONTree {
    .array([.integer(amount.hundredths)] + (currency.map { [.string($0)] } ?? []))
  }

  fileprivate init?(tree: JSONTree) {
    guard let fields = tree.array, let hundredths = fields.first?.integer else { return nil }
    self.init(amount: Amount(hundredths: hundredths), currency: fields.dropFirst().first?.string)
  }
}

/// `[firstChangedAt, lastChangedAt]`.
extension UnreportedResult {
  fileprivate var tree: JSONTree {
    .array([
      .integer(Int(firstChangedAt.milliseconds)), .integer(Int(lastChangedAt.milliseconds)),
    ])
  }

  fileprivate init?(tree: JSONTree) {
    guard let fields = tree.array, fields.count == 2, let first = fields[0].instant,
      let last = fields[1].instant
    else { return nil }
    self.init(firstChangedAt: first, lastChangedAt: last)
  }
}

/// The last change and, if there is one, that of another author, each as `[revision, member]`, or
/// `[revision]` if no member made it.
extension LastChanges {
  fileprivate var tree: JSONTree { .array([last, other].compactMap { $0?.tree }) }

  fileprivate init?(tree: JSONTree) {
    guard let changes = tree.all(Change.init(tree:)), (1...2).contains(changes.count) else {
      return nil
    }
    self.init(last: changes[0], other: changes.count == 2 ? changes[1] : nil)
  }
}

extension LastChanges.Change {
  fileprivate var tree: JSONTree {
    .array([.integer(revision)] + (member.map { [.string($0.text)] } ?? []))
  }

  fileprivate init?(tree: JSONTree) {
    guard let fields = tree.array, (1...2).contains(fields.count), let revision = fields[0].integer
    else { return nil }
    let member = fields.count == 2 ? fields[1].string : nil
    guard fields.count == 1 || member != nil else { return nil }
    self.init(revision: revision, member: member.map(MemberID.init(_:)))
  }
}

extension Member {
  fileprivate var tree: JSONTree {
    let facts = [("subject", subject), ("info", info)].compactMap { name, text in
      text.map { JSONTree.Member(name, .string($0)) }
    }
    return .object(
      facts + [
        .init("id", .string(id.text)), .init("number", .integer(number)),
        .init("secret", secret.tree), .init("name", .string(name)), .init("color", .string(color)),
        .init("role", .string(role.rawValue)), .init("greatest", .integer(refs.greatest)),
        .init("refs", .array(refs.entries.map(\.tree))),
      ] + (sightRevision.map { [.init("sight", .integer($0))] } ?? []))
  }

  fileprivate init?(tree: JSONTree) {
    guard let id = tree["id"]?.string, let number = tree["number"]?.integer,
      let secret = tree["secret"].flatMap(SecretHash.init(tree:)),
      let name = tree["name"]?.string, let color = tree["color"]?.string,
      let role = tree["role"]?.string.flatMap(Role.init(rawValue:)),
      let greatest = tree["greatest"]?.integer,
      let entries = tree["refs"]?.all(RefBook.Entry.init(tree:))
    else { return nil }
    self.init(
      id: MemberID(id), number: number, secret: secret, name: name, color: color, role: role,
      refs: RefBook(entries: entries, greatest: greatest), subject: tree["subject"]?.string,
      info: tree["info"]?.string, sightRevision: tree["sight"]?.integer)
  }
}

/// `[ref, revision]`, or for a refusal `[ref, code, detail, params]`; `params` is omitted if empty.
extension RefBook.Entry {
  fileprivate var tree: JSONTree {
    switch outcome {
    case .done(let revision): .array([.integer(ref), .integer(revision)])
    case .refused(let refusal):
      .array(
        [.integer(ref), .string(refusal.code.rawValue), .string(refusal.detail)]
          + (refusal.params.isEmpty ? [] : [.object(refusal.params)]))
    }
  }

  fileprivate init?(tree: JSONTree) {
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

extension UndoValue {
  fileprivate var tree: JSONTree {
    var fields: [JSONTree.Member] = [.init("value", value.tree)]
    if let by { fields.append(.init("by", .string(by.text))) }
    if let tappedAt { fields.append(.init("at", .integer(Int(tappedAt.milliseconds)))) }
    return .object(fields)
  }

  fileprivate init?(tree: JSONTree) {
    guard let value = tree["value"].flatMap(PickerValue.init(tree:)) else { return nil }
    self.init(
      value: value, by: tree["by"]?.string.map(MemberID.init(_:)), tappedAt: tree["at"]?.instant)
  }
}

extension JSONTree {
  fileprivate var notes: Notes? { Notes(tree: self) }
  fileprivate var instant: Instant? { integer.flatMap(Instant.init(stored:)) }

  /// The elements of an array, decoded by `read`; `nil` if it fails for any of them.
  fileprivate func all<Element>(_ read: (JSONTree) -> Element?) -> [Element]? {
    guard let array else { return nil }
    var elements: [Element] = []
    for tree in array {
      guard let element = read(tree) else { return nil }
      elements.append(element)
    }
    return elements
  }
}
