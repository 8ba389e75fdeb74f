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
    guard case .define(let change) = body, change.source == .whole else {
      return (Data(json), nil)
    }
    let document =
      change.encoded.map { StoredDocument($0) } ?? StoredDocument(change.definition, digest: digest)
    let members: [JSONTree.Member] = [
      .init("at", .integer(Int(at.milliseconds))), .init("define", .integer(change.version)),
      .init("digest", .string(Hexadecimal.encode(document.digest))),
    ]
    return (Data(JSONTree.object(members).serialized()), document)
  }
}
