import CivilTime
package import JSONText
package import PickerModel
package import PickerSession
import PickerWire

/// The stored JSON of a log entry: an object; times are milliseconds since 1970.
extension LogEntry {
  package var json: [UInt8] {
    guard case .command(let member, let ref, let command, let precondition) = body else {
      return tree.serialized()
    }
    // Written directly, because most entries are commands.
    var writer = JSONWriter(capacity: 256)
    writer.literal("{\"at\":")
    writer.integer(Int(at.milliseconds))
    writer.literal(",\"by\":")
    writer.string(member.text)
    writer.literal(",\"ref\":")
    writer.integer(ref)
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
    case .note(let patch): members.append(.init("note", patch.tree))
    case .settle(let settle): members.append(.init("settle", settle.tree))
    case .define(let change): members += change.members
    case .adopted(let adoption): members += adoption.members
    case .command: preconditionFailure("a command is written directly")
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
    if let written = tree["command"] {
      guard let by = tree["by"]?.string, let ref = tree["ref"]?.integer,
        let (command, precondition) = Command.written(written)
      else { return nil }
      self.init(
        at: at, body: .command(MemberID(by), ref: ref, command, precondition),
        op: written["op"]?.string)
    } else if tree["shared"] != nil {
      guard let adoption = Adoption(tree: tree, after: definition, make: make) else { return nil }
      self.init(at: at, body: .adopted(adoption))
    } else if tree["define"] != nil {
      guard let change = DefinitionChange(tree: tree, after: definition, make: make) else {
        return nil
      }
      self.init(at: at, body: .define(change))
    } else if let revoked = tree["revoked"] {
      guard let revocation = Revocation(tree: revoked) else { return nil }
      self.init(at: at, body: .revoked(revocation))
    } else if let tree = tree["roleSet"] {
      guard let role = HostRole(tree: tree) else { return nil }
      self.init(at: at, body: .roleSet(role))
    } else if let patch = tree["note"] {
      self.init(at: at, body: .note(NotesPatch(patch)))
    } else if let tree = tree["settle"] {
      guard let settle = Settle(tree: tree) else { return nil }
      self.init(at: at, body: .settle(settle))
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

/// `{"shared":VERSION,…}` with the members of a definition, with `note`, or with `rejected`.
extension Adoption {
  fileprivate var members: [JSONTree.Member] {
    var members: [JSONTree.Member] = [.init("shared", .integer(version))]
    if let define { members += define.members }
    if let notes { members.append(.init("note", notes.tree)) }
    if let problem {
      members.append(
        .init(
          "rejected", .array([.string(problem.pointer), .string(problem.detail)])))
    }
    return members
  }

  fileprivate init?(
    tree: JSONTree, after definition: Definition?, make: (JSONTree) -> Definition?
  ) {
    guard let version = tree["shared"]?.integer else { return nil }
    var define: DefinitionChange?
    if tree["define"] != nil {
      guard let change = DefinitionChange(tree: tree, after: definition, make: make) else {
        return nil
      }
      define = change
    }
    let problem = tree["rejected"]?.array?.compactMap(\.string)
    guard problem?.count ?? 2 == 2 else { return nil }
    self.init(
      version: version, define: define, notes: tree["note"].map { NotesPatch($0) },
      problem: problem.map { DefinitionProblem(pointer: $0[0], detail: $0[1]) })
  }
}

extension DefinitionChange {
  fileprivate var members: [JSONTree.Member] {
    let document: JSONTree.Member =
      switch source {
      case .whole: .init("definition", definition.document(full: true))
      case .mergePatch(let patch): .init("mergePatch", patch)
      }
    return [.init("define", .integer(version)), document] + (own.map { [.init("own", $0)] } ?? [])
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
