import CivilTime
package import JSONText
package import PickerModel
package import PickerSession
import PickerWire

/// The stored JSON of a log entry: an object; times are milliseconds since 1970.
extension LogEntry {
  package var json: [UInt8] {
    if case .decided(let decided) = body { return json(of: decided) }
    guard case .command(let member, let ref, let command, let precondition) = body else {
      return tree.serialized()
    }
    // Written directly, because most entries are commands.
    var writer = JSONWriter(capacity: 256)
    writer.literal("{\"at\":", Int(at.milliseconds))
    writer.literal(",\"by\":", member.text)
    writer.literal(",\"ref\":", ref)
    writer.literal(",\"command\":")
    writer.command(command, if: precondition, op: op, seesAll: true)
    writer.literal("}")
    return writer.bytes
  }

  /// ``json`` of an entry that is no command.
  private var tree: JSONTree {
    var members: [JSONTree.Member] = [.init("at", .integer(Int(at.milliseconds)))]
    switch body {
    case .joined(let joining): members += Joining.fields.members(joining)
    case .roleChanged(let member, let role):
      members += [.init("role", .string(role.rawValue)), .init("of", .string(member.text))]
    case .left(let member): members.append(.init("left", .string(member.text)))
    case .returned(let member, let role):
      members.append(.init("returned", .string(member.text)))
      if let role { members.append(.init("role", .string(role.rawValue))) }
    case .revoked(let revocation): members.append(.init("revoked", revocation.tree))
    case .roleSet(let role): members.append(.init("roleSet", role.tree))
    case .tick: members.append(.init("tick", .bool(true)))
    case .clockSet: members.append(.init("clockSet", .bool(true)))
    case .settle(let settle): members.append(.init("settle", settle.tree))
    case .revised(let change): members += change.members(change.definition?.stored)
    case .inventory(let news): members.append(.init("inventory", news.tree))
    case .command, .decided: preconditionFailure("it is written directly")
    }
    return .object(members)
  }

  /// - Parameters:
  ///   - definition: The definition before this entry; patches are applied to it.
  ///   - make: Makes a definition from its document; `nil` if the document is invalid.
  /// - Returns: `nil` for a tree that ``json`` does not produce.
  package init?(
    tree: JSONTree, after definition: Definition? = nil,
    make: (JSONTree) -> Definition? = { _ in nil }
  ) {
    guard let at = tree["at"]?.integer.flatMap(Instant.init(stored:)) else { return nil }
    if let outcome = tree["outcome"] {
      guard let outcome = InventoryOutcome(tree: outcome),
        let entry = LogEntry(tree: tree.without("outcome"), after: definition, make: make)
      else { return nil }
      self = entry.with(outcome)
    } else if let written = tree["command"] {
      guard let by = tree["by"]?.string, let ref = tree["ref"]?.integer,
        let (command, precondition) = Command.written(written)
      else { return nil }
      self.init(
        at: at, body: .command(MemberID(by), ref: ref, command, precondition),
        op: written["op"]?.string)
    } else if let change = DocumentChange(tree: tree, after: definition, make: make) {
      self.init(at: at, body: .revised(change))
    } else if let revoked = tree["revoked"] {
      guard let revocation = Revocation(tree: revoked) else { return nil }
      self.init(at: at, body: .revoked(revocation))
    } else if let tree = tree["roleSet"] {
      guard let role = HostRole(tree: tree) else { return nil }
      self.init(at: at, body: .roleSet(role))
    } else if let tree = tree["settle"] {
      guard let settle = Settle(tree: tree) else { return nil }
      self.init(at: at, body: .settle(settle))
    } else if let tree = tree["inventory"], tree["levels"] != nil || tree["claim"] != nil {
      guard let news = InventoryNews(tree: tree) else { return nil }
      self.init(at: at, body: .inventory(news))
    } else if tree["tick"] != nil {
      self.init(at: at, body: .tick)
    } else if tree["clockSet"] != nil {
      self.init(at: at, body: .clockSet)
    } else if let member = tree["left"]?.string {
      self.init(at: at, body: .left(MemberID(member)))
    } else if let member = tree["returned"]?.string {
      let role = tree["role"]?.string.flatMap(Role.init(rawValue:))
      self.init(at: at, body: .returned(MemberID(member), role))
    } else if tree["joined"] != nil {
      guard let joining = Joining.fields.read(tree) else { return nil }
      self.init(at: at, body: .joined(joining))
    } else {
      guard let member = tree["of"]?.string,
        let role = tree["role"]?.string.flatMap(Role.init(rawValue:))
      else { return nil }
      self.init(at: at, body: .roleChanged(MemberID(member), role))
    }
  }
}

extension LogEntry.Joining {
  fileprivate static let fields = StoredFields<LogEntry.Joining>(
    .init("joined", \.member), .init("secret", \.secret), .init("name", \.name),
    .init("role", \.role), .init("subject", \.subject), .init("info", \.info),
    .init("meta", \.meta)
  ) {
    LogEntry.Joining(
      member: $0, secret: $1, name: $2, role: $3, subject: $4, info: $5, meta: $6)
  }
}

/// `"define"` and its version with `definition` or `mergePatch`; `"note"` with a merge patch;
/// `"shared"` and the version that the session follows, with `rejected` if it is not valid. It has
/// at least one of the three.
extension DocumentChange {
  /// - Parameter document: The member for the new definition.
  func members(_ document: JSONTree.Member?) -> [JSONTree.Member] {
    var members: [JSONTree.Member] = []
    if let definition, let document {
      members += [.init("define", .integer(definition.version)), document]
      if let own = definition.own { members.append(.init("own", own)) }
    }
    if let notes { members.append(.init("note", notes.tree)) }
    if let inventory { members.append(.init("taking", inventory?.tree ?? .null)) }
    if let follows { members.append(.init("shared", .integer(follows.version))) }
    if let problem = follows?.problem {
      members.append(
        .init("rejected", .array([.string(problem.pointer), .string(problem.detail)])))
    }
    return members
  }

  fileprivate init?(
    tree: JSONTree, after definition: Definition?, make: (JSONTree) -> Definition?
  ) {
    let (define, note, shared) = (tree["define"], tree["note"], tree["shared"])
    let change = DefinitionChange(tree: tree, after: definition, make: make)
    let problem = tree["rejected"]?.array?.compactMap(\.string)
    var inventory: InventorySettings??
    if let taking = tree["taking"] {
      inventory = taking == .null ? .some(nil) : InventorySettings(tree: taking).map { .some($0) }
      if inventory == nil { return nil }
    }
    guard define != nil || note != nil || shared != nil || inventory != nil,
      define == nil || change != nil,
      shared == nil || shared?.integer != nil, problem?.count ?? 2 == 2
    else { return nil }
    self.init(
      definition: change, notes: note.map { NotesPatch($0) }, inventory: inventory,
      follows: shared?.integer.map { version in
        SharedVersion(
          version, problem: problem.map { DefinitionProblem(pointer: $0[0], detail: $0[1]) })
      })
  }
}

extension DefinitionChange {
  /// What a log that does not store documents apart has of the new definition.
  fileprivate var stored: JSONTree.Member {
    switch source {
    case .whole: .init("definition", definition.document(full: true))
    case .mergePatch(let patch): .init("mergePatch", patch)
    }
  }

  fileprivate init?(
    tree: JSONTree, after definition: Definition?, make: (JSONTree) -> Definition?
  ) {
    guard let version = tree["define"]?.integer else { return nil }
    let document: JSONTree?
    let source: Source
    if let patch = tree["mergePatch"] {
      source = .mergePatch(patch)
      document = definition?.document(full: true).merging(patch)
    } else {
      source = .whole
      document = tree["definition"]
    }
    guard let made = document.flatMap(make) else { return nil }
    self.init(version: version, definition: made, source: source, own: tree["own"])
  }
}
