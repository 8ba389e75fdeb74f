package import JSONText
package import PickerModel
package import PickerSession

/// The decoded body of `POST /v1/sessions`.
///
/// - Source: web/guide/README.md, "HTTP API and server-sent events".
package struct CreateRequest: Hashable, Sendable {
  /// The definition's document. Set to `null` once the definition is made from it on another
  /// thread, so that the hub's thread does not spend time on freeing it.
  package var definition: JSONTree
  package let title: Note.Text?
  package let notes: Notes
  /// The first value; `nil` if it is that of the definition.
  package let result: ResultFields?
  package let ttlSeconds: Int
  package let openTap: SessionOrigin.OpenTap
  /// Whether only members with the creator's token are owners.
  package let isOwnedByCreator: Bool
  package private(set) var host: HostFields
  /// The name of the shared definition over which ``definition`` is merged, if any.
  package private(set) var uses: String?

  private static let fields = [
    "definition", "title", "ttlSeconds", "openTap", "external", "meta", "decide", "watch",
    "oneMember", "reopen", "cancel", "ownership", "notes", "location", "description", "url", "uses",
    "result",
  ]

  /// - Parameters:
  ///   - ttlSecondsMax: The maximum of `ttlSeconds`. If it is below the default of 86,400, it is
  ///     the default.
  ///   - valuesMax: The maximum number of JSON values in the body.
  ///   - isNamed: Whether the path has the external id.
  ///   - digest: A one-way hash.
  /// - Throws: ``BadMessage`` if the body is invalid or has an unknown field.
  package init(
    _ body: [UInt8], ttlSecondsMax: Int = 31_536_000, valuesMax: Int = .max,
    isNamed: Bool = false, digest: (([UInt8]) -> [UInt8])? = nil
  ) throws(BadMessage) {
    let tree = try parseBody(body, fields: CreateRequest.fields, valuesMax: valuesMax)
    uses = try CreateRequest.uses(tree["uses"])
    guard let definition = tree["definition"] ?? (uses == nil ? nil : .object([])) else {
      throw BadMessage(
        "definition is missing; it must be an object with the kind of picker",
        pointer: "/definition")
    }
    guard uses == nil || definition.members != nil else {
      throw BadMessage("definition must be an object", pointer: "/definition")
    }
    self.definition = definition
    title = try CreateRequest.title(tree["title"])
    notes = try CreateRequest.notes(tree["notes"], of: definition)
    if let value = tree["result"] {
      result = try ResultFields(field: "result", value)
    } else {
      result = nil
    }
    if let ttl = tree["ttlSeconds"] {
      guard let seconds = ttl.integer, (1...ttlSecondsMax).contains(seconds) else {
        throw BadMessage(
          "ttlSeconds must be an integer from 1 to \(ttlSecondsMax)", pointer: "/ttlSeconds")
      }
      ttlSeconds = seconds
    } else {
      ttlSeconds = min(86_400, ttlSecondsMax)
    }
    if let openTap = tree["openTap"] {
      guard let text = openTap.string, let known = SessionOrigin.OpenTap(word: text) else {
        throw BadMessage("openTap must be \"shared\" or \"opener\"", pointer: "/openTap")
      }
      self.openTap = known
    } else {
      openTap = .shared
    }
    isOwnedByCreator = try CreateRequest.isOwnedByCreator(tree["ownership"])
    host = try HostFields(tree, body)
    if let digest, isNamed || host.external != nil {
      let fields = (tree.members ?? []).filter { $0.key != "external" }
      host.bodyDigest = digest(JSONTree.object(fields).sorted.serialized())
    }
  }

  private static func isOwnedByCreator(_ tree: JSONTree?) throws(BadMessage) -> Bool {
    guard let tree else { return false }
    guard let word = tree.string, ["first", "creator"].contains(word) else {
      throw BadMessage("ownership must be \"first\" or \"creator\"", pointer: "/ownership")
    }
    return word == "creator"
  }

  private static func title(_ tree: JSONTree?) throws(BadMessage) -> Note.Text? {
    let countMax = SessionOrigin.titleCountMax
    guard let tree else { return nil }
    if let text = tree.string, text.unicodeScalars.count <= countMax { return .same(text) }
    guard tree.members != nil else {
      throw BadMessage(
        "title must be a string of at most \(countMax) characters, or an object of such strings by "
          + "locale", pointer: "/title")
    }
    do throws(BadNotes) {
      return try Note.Text(tree, at: "title", countMax: countMax)
    } catch {
      throw BadMessage(error.detail, pointer: "/title")
    }
  }

  private static func notes(
    _ tree: JSONTree?, of definition: JSONTree
  ) throws(BadMessage) -> Notes {
    var notes = Notes()
    guard let tree else { return notes }
    do throws(BadNotes) {
      // A definition without a valid kind is refused later.
      let kind = definition["kind"]?.string.flatMap(PickerKind.init(rawValue:))
      notes.apply(try notes.change(by: tree, for: kind))
    } catch {
      throw BadMessage(error.detail, pointer: "/notes")
    }
    return notes
  }
}

extension JSONTree {
  /// The same value, with the members of all objects in the order of their keys.
  fileprivate var sorted: JSONTree {
    switch self {
    case .object(let members):
      .object(
        members.map { .init($0.key, $0.value.sorted) }
          .sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) })
    case .array(let elements): .array(elements.map(\.sorted))
    case .null, .bool, .integer, .number, .string: self
    }
  }
}

extension CreateRequest {
  /// Takes the namespace of the key.
  package mutating func take(namespace: String?) {
    host.namespace = namespace
    uses = uses.map { SharedDefinition.name($0, in: namespace) }
  }

  private static func uses(_ tree: JSONTree?) throws(BadMessage) -> String? {
    guard let tree else { return nil }
    guard let name = tree.string, SharedDefinition.isName(name) else {
      throw BadMessage(
        "uses must be the name of a shared definition: 1 to 64 letters, digits, -, _ and ., "
          + "not . or ..",
        pointer: "/uses")
    }
    return name
  }

  /// Takes the external id of the path.
  ///
  /// - Throws: ``BadMessage`` if the body has another one.
  package mutating func take(external: String) throws(BadMessage) {
    guard host.external == nil || host.external?.isExactly(external) == true else {
      throw BadMessage("external must be that of the path", pointer: "/external")
    }
    host.external = external
  }
}

extension HostFields {
  /// The maximum length of `meta` in bytes, not counting white space between tokens.
  package static let metaBytesMax = 4096
  private static let externalCountMax = 200
  private static let decideSecondsMax = 3600
  private static let eventTextCountMax = 500

  /// Reads the fields of a body.
  ///
  /// - Parameter body: The JSON text of `tree`, from which `meta` is copied unchanged.
  fileprivate init(_ tree: JSONTree, _ body: [UInt8]) throws(BadMessage) {
    self.init(
      external: try HostFields.external(tree["external"]),
      meta: tree["meta"] == nil ? nil : try HostFields.meta(body),
      decideSeconds: try HostFields.decideSeconds(tree["decide"]),
      watched: try HostFields.watched(tree["watch"]),
      isOneMember: try HostFields.isOneMember(tree["oneMember"]),
      isReopenedByHost: try HostFields.isOfHost("reopen", tree),
      isCancelledByHost: try HostFields.isOfHost("cancel", tree),
      event: EventTexts(
        location: try HostFields.eventText("location", tree),
        description: try HostFields.eventText("description", tree),
        url: try HostFields.url(tree)))
  }

  /// Validates an external id, which can come from a body or a path.
  package static func external(_ tree: JSONTree?) throws(BadMessage) -> String? {
    guard let tree else { return nil }
    guard let text = tree.string, (1...externalCountMax).contains(text.unicodeScalars.count) else {
      throw BadMessage(
        "external must be a string of 1 to \(externalCountMax) characters", pointer: "/external")
    }
    return text
  }

  private static func meta(_ body: [UInt8]) throws(BadMessage) -> VerbatimJSON? {
    guard let meta = try? VerbatimJSON(member: "meta", of: body),
      meta.text.utf8.count <= metaBytesMax
    else {
      throw BadMessage("meta must have at most \(metaBytesMax) bytes of JSON", pointer: "/meta")
    }
    return meta
  }

  private static func decideSeconds(_ tree: JSONTree?) throws(BadMessage) -> Int? {
    guard let tree else { return nil }
    guard let members = tree.members else {
      throw BadMessage(
        "decide must be an object like {\"by\": \"host\", \"seconds\": 300}", pointer: "/decide")
    }
    for member in members where !["by", "seconds"].contains(member.key) {
      throw BadMessage(
        "decide has the fields by and seconds, not \(member.key.quoted)",
        pointer: "/decide" + JSONPointer.reference(to: member.key))
    }
    guard tree["by"]?.string == "host" else {
      throw BadMessage("decide.by must be \"host\"", pointer: "/decide/by")
    }
    guard let seconds = tree["seconds"]?.integer, (1...decideSecondsMax).contains(seconds) else {
      throw BadMessage(
        "decide.seconds must be an integer from 1 to \(decideSecondsMax)",
        pointer: "/decide/seconds")
    }
    return seconds
  }

  private static func watched(_ tree: JSONTree?) throws(BadMessage) -> Set<Watched> {
    guard let tree else { return [] }
    let names = #""result", "members" and "definition""#
    guard let words = tree.array else {
      throw BadMessage("watch must be an array of \(names)", pointer: "/watch")
    }
    var watched: Set<Watched> = []
    for (index, word) in words.enumerated() {
      guard let known = word.string.flatMap(Watched.init(rawValue:)) else {
        throw BadMessage("watch can contain only \(names)", pointer: "/watch/\(index)")
      }
      guard watched.insert(known).inserted else {
        throw BadMessage("watch lists \(known.rawValue.quoted) twice", pointer: "/watch/\(index)")
      }
    }
    return watched
  }

  private static func eventText(
    _ name: String, _ tree: JSONTree
  ) throws(BadMessage) -> String? {
    guard let tree = tree[name] else { return nil }
    guard let text = tree.string, (1...eventTextCountMax).contains(text.unicodeScalars.count) else {
      throw BadMessage(
        "\(name) must be a string of 1 to \(eventTextCountMax) characters", pointer: "/\(name)")
    }
    return text
  }

  private static func url(_ tree: JSONTree) throws(BadMessage) -> String? {
    guard let url = try eventText("url", tree) else { return nil }
    guard url.hasPrefix("https://") || url.hasPrefix("http://"),
      // RFC 3986, appendix A.
      url.isWord(with: "-._~:/?#[]@!$&'()*+,;=%")
    else {
      throw BadMessage(
        "url must be an absolute http or https URL, with other characters percent-encoded",
        pointer: "/url")
    }
    return url
  }

  /// Whether only the host may do something that owners may by default.
  private static func isOfHost(_ name: String, _ tree: JSONTree) throws(BadMessage) -> Bool {
    guard let tree = tree[name] else { return false }
    guard let word = tree.string, ["owner", "host"].contains(word) else {
      throw BadMessage("\(name) must be \"owner\" or \"host\"", pointer: "/\(name)")
    }
    return word == "host"
  }

  private static func isOneMember(_ tree: JSONTree?) throws(BadMessage) -> Bool {
    guard let tree else { return false }
    guard let isOneMember = tree.bool else {
      throw BadMessage("oneMember must be true or false", pointer: "/oneMember")
    }
    return isOneMember
  }
}

extension JSONWriter {
  /// The fields `external` and `meta` of a session that has them, each preceded by a comma.
  mutating func hostFields(_ origin: SessionOrigin) {
    if let external = origin.host.external { literal(",\"external\":", external) }
    if let meta = origin.host.meta {
      literal(",\"meta\":")
      verbatim(meta)
    }
  }

  /// `,"decide":{"by":"host","seconds":300}`, if the host decides.
  mutating func decide(_ origin: SessionOrigin) {
    guard let seconds = origin.host.decideSeconds else { return }
    literal(",\"decide\":{\"by\":\"host\",\"seconds\":", seconds)
    literal("}")
  }
}
