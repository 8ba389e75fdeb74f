/// The keys of a host, as a YAML or JSON document: a list `keys` of mappings with `id`, `scopes`,
/// `sha256`, …
/// - Source: web/guide/README.md, "Let your users in".
package struct KeyFile: Sendable {
  package var keys: [HostKey]

  package static let keysMax = 1000
  package static let byteCountMax = 4_194_304

  package init(keys: [HostKey] = []) { self.keys = keys }

  /// Reads and checks a file.
  ///
  /// - Throws: ``KeyFileProblem`` if there is none, others than its owner can access it, or its
  ///   content is invalid.
  package init(path: String) throws(KeyFileProblem) {
    self = try KeyFile.read(path).file
  }

  static func read(
    _ path: String
  ) throws(KeyFileProblem) -> (file: KeyFile, stamp: RegularFile.Stamp) {
    let content = try SecretFile.read(path, byteCountMax: byteCountMax)
    return try SecretFile.naming(path) { () throws(KeyFileProblem) in
      (try KeyFile(content: content.bytes), content.stamp)
    }
  }

  /// Parses the content of a file.
  package init(content: [UInt8]) throws(KeyFileProblem) {
    self = try KeyFile(document: try YAMLNode(content))
  }

  init(document: YAMLNode) throws(KeyFileProblem) {
    try document.check(fields: ["keys"], of: "the key file")
    keys = []
    // Nothing after `keys:` is refused, because a file that is being written may end there.
    guard let list = document["keys"]?.list, list.count <= KeyFile.keysMax else {
      throw (document["keys"] ?? document).problem(
        "keys must be a list of at most \(KeyFile.keysMax) keys; an empty one is keys: []")
    }
    var ids: Set<String> = []
    for (index, entry) in list.enumerated() {
      let key = try HostKey(entry, named: "keys[\(index)]")
      guard ids.insert(key.id).inserted else {
        throw entry.problem("the id \(key.id) is used by two keys")
      }
      keys.append(key)
    }
  }
}
