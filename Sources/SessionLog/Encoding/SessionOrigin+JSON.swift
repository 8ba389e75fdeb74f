import CivilTime
package import JSONText
import PickerModel
package import PickerSession

/// The stored JSON of a session's origin.
extension SessionOrigin {
  package var tree: JSONTree {
    .object([.init("definition", definition.document(full: true))] + others)
  }

  /// The members of ``tree`` without the definition.
  private var others: [JSONTree.Member] {
    var members: [JSONTree.Member] = [
      .init("ttlSeconds", .integer(ttlSeconds)),
      .init("openTap", .string(openTap.rawValue)),
      .init("createdAt", .integer(Int(createdAt.milliseconds))),
    ]
    if let title { members.append(.init("title", title.tree)) }
    if !notes.isEmpty { members.append(.init("notes", notes.tree)) }
    if case .tokens(let hashes) = access {
      let tokens = Role.allCases.compactMap { role in
        hashes[role].map { JSONTree.Member(role.rawValue, $0.tree) }
      }
      members.append(.init("tokens", .object(tokens)))
    }
    if case .keys = access {
      members.append(.init("access", .string("keys")))
    }
    if let uses { members.append(.init("uses", uses.tree)) }
    return members + host.members
  }

  /// The origin as JSON, with the limits that influence the outcome of commands.
  func json(under limits: SessionLimits) -> [UInt8] {
    let rest = JSONTree.object(others + [.init("limits", limits.tree)]).serialized()
    return Array("{\"definition\":".utf8) + definition.fullJSON + Array(",".utf8) + rest.dropFirst()
  }

  /// Reads a stored origin.
  ///
  /// - Parameter members: The members of ``tree`` without the definition.
  /// - Throws: ``StoredProblem`` for members that ``tree`` does not produce.
  init(
    id: SessionID, epoch: String, _ members: JSONTree, definition: Definition
  ) throws(StoredProblem) {
    guard let ttlSeconds = members["ttlSeconds"]?.integer,
      let openTap = members["openTap"]?.string.flatMap(OpenTap.init(rawValue:)),
      let createdAt = members["createdAt"]?.integer.flatMap(Instant.init(stored:))
    else { throw StoredProblem("the origin of session \(id) is not as pickerd writes it") }
    var access = Access.open
    if let word = members["access"]?.string {
      guard word == "keys" else {
        throw StoredProblem("session \(id) has the unknown access \(word)")
      }
      access = .keys
    } else if let tokens = members["tokens"]?.members {
      var hashes: [Role: SecretHash] = [:]
      for token in tokens {
        guard let role = Role(rawValue: token.key) else { continue }
        hashes[role] = SecretHash(tree: token.value)
      }
      access = .tokens(hashes)
    }
    self.init(
      id: id, epoch: epoch, definition: definition,
      title: members["title"].flatMap { title in
        // A note cannot have an empty one.
        title.string.map(Note.Text.same)
          ?? (try? Note.Text(title, at: "title", countMax: SessionOrigin.titleCountMax))
      },
      notes: members["notes"].flatMap(Notes.init(tree:)) ?? Notes(), ttlSeconds: ttlSeconds,
      openTap: openTap, access: access,
      createdAt: createdAt, host: HostFields(members))
    guard let stored = members["uses"] else { return }
    guard let uses = SharedUse(tree: stored) else {
      throw StoredProblem("session \(id) uses a shared definition that is not as pickerd writes it")
    }
    self.uses = uses
  }
}

extension SharedUse {
  fileprivate var tree: JSONTree {
    var members: [JSONTree.Member] = [
      .init("name", .string(name)), .init("version", .integer(version)), .init("own", own),
    ]
    if !ownNotes.isEmpty { members.append(.init("notes", ownNotes.tree)) }
    return .object(members)
  }

  fileprivate init?(tree: JSONTree) {
    guard let name = tree["name"]?.string, let version = tree["version"]?.integer,
      let own = tree["own"],
      let ownNotes = tree["notes"].map(OwnNotes.init(tree:)) ?? OwnNotes()
    else { return nil }
    self.init(name: name, version: version, own: own, ownNotes: ownNotes)
  }
}

extension HostFields {
  /// The fields whose values are not the defaults.
  fileprivate var members: [JSONTree.Member] {
    var members: [JSONTree.Member] = []
    if let external { members.append(.init("external", .string(external))) }
    if let meta { members.append(.init("meta", .string(meta.text))) }
    if let decideSeconds { members.append(.init("decideSeconds", .integer(decideSeconds))) }
    if !watched.isEmpty {
      members.append(.init("watch", .array(watched.sortedWords.map(JSONTree.string))))
    }
    if isOneMember { members.append(.init("oneMember", .bool(true))) }
    if isReopenedByHost { members.append(.init("reopen", .string("host"))) }
    if let namespace { members.append(.init("namespace", .string(namespace))) }
    members += event.fields.map { .init($0.name, .string($0.text)) }
    if let bodyDigest { members.append(.init("body", SecretHash(bodyDigest).tree)) }
    return members
  }

  fileprivate init(_ origin: JSONTree) {
    self.init(
      external: origin["external"]?.string,
      meta: origin["meta"]?.string.map(VerbatimJSON.init(stored:)),
      decideSeconds: origin["decideSeconds"]?.integer,
      watched: Set(
        (origin["watch"]?.array ?? []).compactMap { tree in
          tree.string.flatMap(Watched.init(rawValue:))
        }),
      isOneMember: origin["oneMember"]?.bool ?? false,
      isReopenedByHost: origin["reopen"]?.string == "host",
      namespace: origin["namespace"]?.string,
      event: EventTexts(
        location: origin["location"]?.string, description: origin["description"]?.string,
        url: origin["url"]?.string),
      bodyDigest: origin["body"].flatMap(SecretHash.init(tree:))?.bytes)
  }
}

/// The limits that influence the outcome of commands are stored with the session and stay in force,
/// so that the same log always gives the same state.
extension SessionLimits {
  fileprivate var tree: JSONTree {
    .object([
      .init("refs", .integer(refs)), .init("undo", .integer(undo)),
      .init("openTapMilliseconds", .integer(Int(openTapMilliseconds))),
      .init("rememberedMembers", .integer(rememberedMembers)),
      .init("rememberedRefBytes", .integer(rememberedRefBytes)),
      .init("runs", .integer(runs)), .init("members", .integer(members)),
    ])
  }

  /// These limits, with those of a stored origin.
  ///
  /// - Throws: ``StoredProblem`` for an origin without limits.
  func asCreated(_ origin: JSONTree) throws(StoredProblem) -> SessionLimits {
    guard let stored = origin["limits"], let refs = stored["refs"]?.integer,
      let undo = stored["undo"]?.integer, let members = stored["rememberedMembers"]?.integer,
      let refBytes = stored["rememberedRefBytes"]?.integer,
      let openTap = stored["openTapMilliseconds"]?.integer
    else { throw StoredProblem("the limits of a session are not as pickerd writes them") }
    var limits = self
    (limits.refs, limits.undo) = (refs, undo)
    (limits.rememberedMembers, limits.rememberedRefBytes) = (members, refBytes)
    limits.openTapMilliseconds = Int64(openTap)
    limits.runs = stored["runs"]?.integer ?? limits.runs
    limits.members = stored["members"]?.integer ?? limits.members
    return limits
  }
}

/// The reason why stored data cannot be decoded, as a sentence.
package struct StoredProblem: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}
