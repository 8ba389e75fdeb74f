import PickerServer
import PickerSession

/// The configuration file of `pickerd deliver`, YAML or JSON: `key`, and a list `endpoints` of
/// mappings with `name`, `url`, `secrets` and `types`.
/// - Source: web/guide/feed.md, "Have it posted to you".
struct DeliverySettings: Sendable {
  /// The API key for the feed; `nil` for a server without keys.
  var key: String?
  var endpoints: [Endpoint]

  struct Endpoint: Sendable {
    /// The name of its cursor.
    let name: String
    let url: String
    /// `nil` for all types.
    let types: Set<String>?
    let secrets: [WebhookSecret]
  }

  static let endpointsMax = 32

  /// - Throws: ``KeyFileProblem`` if the file does not exist, other users can read it, or it is
  ///   invalid.
  init(path: String) throws(KeyFileProblem) {
    let file = try SecretFile.read(path, byteCountMax: 1_048_576)
    self = try SecretFile.naming(path) { () throws(KeyFileProblem) in
      try DeliverySettings(content: file.bytes)
    }
  }

  /// Parses the content of a file.
  init(content: [UInt8]) throws(KeyFileProblem) {
    let document = try YAMLNode(content)
    try document.check(fields: ["key", "endpoints"], of: "the file")
    let countMax = DeliverySettings.endpointsMax
    guard let list = document["endpoints"]?.list, (1...countMax).contains(list.count) else {
      throw (document["endpoints"] ?? document).problem(
        "endpoints must be a list of 1 to \(countMax) endpoints")
    }
    key = try document["key"].map { value throws(KeyFileProblem) in
      guard let key = value.text, key.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
        throw value.problem("key must be an API key, pk_ID.SECRET")
      }
      return key
    }
    endpoints = []
    for (index, entry) in list.enumerated() {
      let endpoint = try Endpoint(entry, named: "endpoints[\(index)]")
      guard !endpoints.contains(where: { $0.name == endpoint.name }) else {
        throw entry.problem("two endpoints have the name \(endpoint.name)")
      }
      endpoints.append(endpoint)
    }
  }
}

extension DeliverySettings.Endpoint {
  fileprivate init(_ node: YAMLNode, named position: String) throws(KeyFileProblem) {
    try node.check(fields: ["name", "url", "types", "secrets"], of: position)
    guard let name = node["name"]?.text, HostKey.isID(name), name.utf8.count <= 48 else {
      throw (node["name"] ?? node).problem(
        "\(position).name must be 1 to 48 letters, digits, - or _")
    }
    guard let url = node["url"]?.text, url.hasPrefix("https://") || url.hasPrefix("http://"),
      url.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else { throw (node["url"] ?? node).problem("the url of \(name) must begin with https://") }
    let texts = node["secrets"]?.list ?? []
    let secrets = texts.compactMap { $0.text.flatMap(WebhookSecret.init(_:)) }
    guard (1...3).contains(texts.count), secrets.count == texts.count else {
      throw (node["secrets"] ?? node).problem(
        "the secrets of \(name) must be a list of 1 to 3 texts, each whsec_ or whsk_ and Base64")
    }
    self.init(name: name, url: url, types: try Self.types(node["types"], name), secrets: secrets)
  }

  private static func types(
    _ node: YAMLNode?, _ name: String
  ) throws(KeyFileProblem) -> Set<String>? {
    guard let node else { return nil }
    let known = FeedEventType.allCases.map(\.rawValue)
    let names = (node.list ?? []).compactMap(\.text)
    guard !names.isEmpty, names.count == node.list?.count, Set(known).isSuperset(of: names) else {
      throw node.problem(
        "the types of \(name) must be a list of " + known.joined(separator: ", "))
    }
    return Set(names)
  }
}
