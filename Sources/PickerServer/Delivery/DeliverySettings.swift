import Glibc
import JSONText
import PickerSession

/// The configuration file of `pickerd deliver`: `{"key"?, "endpoints": [{"name", "url", "types"?,
/// "secrets"}]}`.
package struct DeliverySettings: Sendable {
  /// The API key for the feed; `nil` for a server without keys.
  package var key: String?
  package var endpoints: [Endpoint]

  package struct Endpoint: Sendable {
    /// The name of its cursor.
    package let name: String
    package let url: String
    /// `nil` for all types.
    package let types: Set<String>?
    package let secrets: [WebhookSecret]
  }

  static let endpointsMax = 32

  /// - Throws: ``KeyFileProblem`` if there is no such file, others can read it, or it is not valid.
  package init(path: String) throws(KeyFileProblem) {
    var status = Glibc.stat()
    guard stat(path, &status) == 0, let file = RegularFile.read(path, byteCountMax: 1_048_576)
    else { throw KeyFileProblem("\(path) cannot be read") }
    guard status.st_mode & 0o077 == 0 else {
      throw KeyFileProblem("others can access \(path), which has secrets; use chmod 600 \(path)")
    }
    try self.init(json: file.bytes)
  }

  /// Parses the content of a file.
  package init(json: [UInt8]) throws(KeyFileProblem) {
    guard let tree = try? JSONTree.parse(json), let members = tree.members,
      members.allSatisfy({ ["key", "endpoints"].contains($0.key) })
    else {
      throw KeyFileProblem("the file must be a JSON object with endpoints and key")
    }
    guard let list = tree["endpoints"]?.array, (1...DeliverySettings.endpointsMax) ~= list.count
    else {
      throw KeyFileProblem("endpoints must have 1 to \(DeliverySettings.endpointsMax) entries")
    }
    key = tree["key"]?.string
    endpoints = []
    for entry in list {
      let endpoint = try Endpoint(entry)
      guard !endpoints.contains(where: { $0.name == endpoint.name }) else {
        throw KeyFileProblem("two endpoints have the name \(endpoint.name)")
      }
      endpoints.append(endpoint)
    }
  }
}

extension DeliverySettings.Endpoint {
  fileprivate init(_ tree: JSONTree) throws(KeyFileProblem) {
    guard let members = tree.members,
      members.allSatisfy({ ["name", "url", "types", "secrets"].contains($0.key) }),
      let name = tree["name"]?.string, HostKey.isID(name), name.utf8.count <= 48
    else {
      throw KeyFileProblem(
        "an endpoint has name (1 to 48 letters, digits, - and _), url, secrets and types only")
    }
    guard let url = tree["url"]?.string, url.hasPrefix("https://") || url.hasPrefix("http://"),
      url.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else { throw KeyFileProblem("the url of \(name) must begin with https://") }
    let secrets = (tree["secrets"]?.array ?? []).map { $0.string.flatMap(WebhookSecret.init(_:)) }
    guard (1...3).contains(secrets.count), !secrets.contains(where: { $0 == nil }) else {
      throw KeyFileProblem("\(name) must have 1 to 3 secrets, whsec_ or whsk_ and Base64")
    }
    var types: Set<String>?
    if let list = tree["types"] {
      let known = Set(FeedEventType.allCases.map(\.rawValue))
      let names = (list.array ?? []).compactMap(\.string)
      guard !names.isEmpty, names.count == list.array?.count, known.isSuperset(of: names) else {
        throw KeyFileProblem("the types of \(name) must be names of events")
      }
      types = Set(names)
    }
    self.init(name: name, url: url, types: types, secrets: secrets.compactMap { $0 })
  }
}
