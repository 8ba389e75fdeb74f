import Foundation
import JSONText
import PickerModel
import PickerSession

/// An encoded definition. A session stores it once; entries and snapshots refer to its digest.
struct StoredDocument: Sendable {
  let digest: Data
  let body: Data

  init(_ definition: EncodedDefinition) {
    digest = Data(definition.digest)
    body = Data(definition.json)
  }

  init(_ definition: Definition, digest: ([UInt8]) -> [UInt8]) {
    self.init(EncodedDefinition(definition, digest: digest))
  }
}

extension LogEntry {
  /// The stored JSON of the entry. If the entry contains a whole definition, the JSON has its
  /// digest instead, and the definition is returned as `document`.
  func stored(digest: ([UInt8]) -> [UInt8]) -> (body: Data, document: StoredDocument?) {
    guard case .revised(let change) = body, let definition = change.definition,
      definition.source == .whole
    else { return (Data(json), nil) }
    let document =
      definition.encoded.map { StoredDocument($0) }
      ?? StoredDocument(definition.definition, digest: digest)
    let members = [JSONTree.Member("at", .integer(Int(at.milliseconds)))]
    let reference = JSONTree.Member("digest", .string(Hexadecimal.encode(document.digest)))
    return (Data(JSONTree.object(members + change.members(reference)).serialized()), document)
  }
}
