import CivilTime
package import JSONText
package import PickerModel
package import PickerSession

/// The stored JSON of a log entry: an object; times are milliseconds since 1970.
extension LogEntry {
  package var tree: JSONTree {
    var members: [JSONTree.Member] = [.init("at", .integer(Int(at.milliseconds)))]
    switch body {
    case .joined(let joining):
      members += [
        .init("joined", .string(joining.member.text)), .init("secret", joining.secret.tree),
        .init("name", .string(joining.name)),
      ]
      if let role = joining.role { members.append(.init("role", .string(role.rawValue))) }
      for (name, text) in [
        ("subject", joining.subject), ("info", joining.info), ("meta", joining.meta),
      ] {
        if let text { members.append(.init(name, .string(text))) }
      }
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
    case .command(let member, let ref, let command, let precondition):
      members += [
        .init("by", .string(member.text)), .init("ref", .integer(ref)),
        .init("command", command.tree),
      ]
      switch precondition {
      case .at(let revision): members.append(.init("seen", .integer(revision)))
      case .hits(let hits): members.append(.init("hits", .integer(hits)))
      case nil: break
      }
      if let op { members.append(.init("op", .string(op))) }
    }
    return .object(members)
  }

  /// - Parameters:
  ///   - definition: The definition before this entry; patches are applied to it.
  ///   - make: Makes a definition from its document; `nil` if the document is invalid.
  /// - Returns: `nil` for a tree that ``tree`` does not produce.
  package init?(
    tree: JSONTree, after definition: Definition? = nil,
    make: (JSONTree) -> Definition? = { _ in nil }
  ) {
    guard let at = tree["at"]?.integer.flatMap(Instant.init(stored:)) else { return nil }
    if let command = tree["command"] {
      guard let by = tree["by"]?.string, let ref = tree["ref"]?.integer,
        let command = Command(tree: command)
      else { return nil }
      let precondition =
        tree["seen"]?.integer.map(Precondition.at) ?? tree["hits"]?.integer.map(Precondition.hits)
      self.init(
        at: at, body: .command(MemberID(by), ref: ref, command, precondition),
        op: tree["op"]?.string)
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
      guard let settle = Settle(stored: tree) else { return nil }
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
    } else if let member = tree["joined"]?.string {
      guard let secret = tree["secret"].flatMap(SecretHash.init(tree:)),
        let name = tree["name"]?.string
      else { return nil }
      let role = tree["role"]?.string.flatMap(Role.init(rawValue:))
      let joining = Joining(
        member: MemberID(member), secret: secret, name: name, role: role,
        subject: tree["subject"]?.string, info: tree["info"]?.string,
        meta: tree["meta"]?.string)
      self.init(at: at, body: .joined(joining))
    } else {
      guard let member = tree["of"]?.string,
        let role = tree["role"]?.string.flatMap(Role.init(rawValue:))
      else { return nil }
      self.init(at: at, body: .roleChanged(MemberID(member), role))
    }
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
      case .jsonPatch(let patch): .init("jsonPatch", patch)
      }
    return [.init("define", .integer(version)), document]
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
    } else if let patch = tree["jsonPatch"] {
      source = .jsonPatch(patch)
      document = definition.flatMap { definition in
        try? definition.document(patchedWith: patch)
      }
    } else {
      source = .whole
      document = tree["definition"]
    }
    guard let made = document.flatMap(make) else { return nil }
    self.init(version: version, definition: made, source: source)
  }
}

extension SecretHash {
  /// A string of hexadecimal digits.
  var tree: JSONTree {
    let digits = Array("0123456789abcdef".utf8)
    let text = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    return .string(String(decoding: text, as: UTF8.self))
  }

  init?(tree: JSONTree) {
    guard let text = tree.string, text.utf8.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    var rest = Substring(text)
    while !rest.isEmpty {
      guard let byte = UInt8(rest.prefix(2), radix: 16) else { return nil }
      bytes.append(byte)
      rest = rest.dropFirst(2)
    }
    self.init(bytes)
  }
}
