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
    switch access {
    case .open: break
    case .creator(let owner): members.append(.init("ownerToken", owner.tree))
    case .tokens(let hashes):
      let tokens = Role.allCases.compactMap { role in
        hashes[role].map { JSONTree.Member(role.rawValue, $0.tree) }
      }
      members.append(.init("tokens", .object(tokens)))
    case .keys: members.append(.init("access", .string("keys")))
    }
    if let result { members.append(.init("result", result.tree)) }
    if let uses { members.append(.init("uses", uses.tree)) }
    if let inventory { members.append(.init("inventory", inventory.tree)) }
    return members + HostFields.fields.members(host)
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
      let createdAt = members["createdAt"].flatMap(Instant.init(tree:)),
      let host = HostFields.fields.read(members, into: HostFields())
    else { throw StoredProblem("the origin of session \(id) is not as pickerd writes it") }
    var access = Access.open
    if let word = members["access"]?.string {
      guard word == "keys" else {
        throw StoredProblem("session \(id) has the unknown access \(word)")
      }
      access = .keys
    } else if let owner = members["ownerToken"] {
      guard let hash = SecretHash(tree: owner) else {
        throw StoredProblem("the owner's token of session \(id) is not as pickerd writes it")
      }
      access = .creator(hash)
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
      createdAt: createdAt, host: host)
    result = members["result"].flatMap { try? ResultFields($0) }
    guard let stored = members["uses"] else { return }
    guard let uses = SharedUse(tree: stored) else {
      throw StoredProblem("session \(id) uses a shared definition that is not as pickerd writes it")
    }
    self.uses = uses
    guard let stored = members["inventory"] else { return }
    guard let inventory = KnownInventory(tree: stored) else {
      throw StoredProblem("session \(id) has an inventory that is not as pickerd writes it")
    }
    self.inventory = inventory
  }
}

extension SharedUse: StoredObject {
  static let fields = StoredFields<SharedUse>(
    .init("name", \.name), .init("version", \.version), .init("own", \.own),
    .init("notes", \.ownNotes)
  ) { SharedUse(name: $0, version: $1, own: $2, ownNotes: $3) }
}

/// The fields of the host are members of the origin.
extension HostFields {
  fileprivate static let fields = StoredFields<HostFields>(
    ("external", \.external), ("meta", \.meta), ("decideSeconds", \.decideSeconds),
    ("watch", \.words), ("oneMember", \.isOneMember), ("reopenedByHost", \.isReopenedByHost),
    ("cancelledByHost", \.isCancelledByHost), ("namespace", \.namespace),
    ("location", \.event.location), ("description", \.event.description), ("url", \.event.url),
    ("body", \.bodyHash))

  private var words: [String] {
    get { watched.sortedWords }
    set { watched = Set(newValue.compactMap(Watched.init(rawValue:))) }
  }

  private var bodyHash: SecretHash? {
    get { bodyDigest.map(SecretHash.init(_:)) }
    set { bodyDigest = newValue?.bytes }
  }
}

/// The limits that influence the outcome of commands are stored with the session and stay in force,
/// so that the same log always gives the same state.
extension SessionLimits {
  private static let fields = StoredFields<SessionLimits>(
    ("refs", \.refs), ("undo", \.undo),
    ("openTapMilliseconds", \.openTapMilliseconds), ("rememberedMembers", \.rememberedMembers),
    ("rememberedRefBytes", \.rememberedRefBytes), ("runs", \.runs), ("members", \.members))

  fileprivate var tree: JSONTree { .object(SessionLimits.fields.members(self)) }

  /// These limits, with those of a stored origin.
  ///
  /// - Throws: ``StoredProblem`` for an origin without limits.
  func asCreated(_ origin: JSONTree) throws(StoredProblem) -> SessionLimits {
    guard let limits = origin["limits"].flatMap({ SessionLimits.fields.read($0, into: self) })
    else {
      throw StoredProblem("the limits of a session are not as pickerd writes them")
    }
    return limits
  }
}

/// The reason why stored data cannot be decoded, as a sentence.
package struct StoredProblem: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}
