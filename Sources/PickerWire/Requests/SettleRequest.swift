import JSONText
package import PickerModel
package import PickerSession

extension Settle {
  /// The maximum length of `data`, in bytes without white space between tokens.
  package static let dataBytesMax = 4096

  /// Reads the body of `POST …/settle`.
  ///
  /// - Throws: ``BadMessage`` if the body is invalid or has an unknown field.
  /// - Source: web/guide/decide.md.
  package init(body: [UInt8]) throws(BadMessage) {
    let tree = try parseBody(body, fields: ["op", "granted", "reason", "data"])
    guard let op = tree["op"]?.string, (1...Settle.opBytesMax).contains(op.utf8.count) else {
      throw BadMessage("op must be that of the confirmation, a string", pointer: "/op")
    }
    guard let isGranted = tree["granted"]?.bool else {
      throw BadMessage("granted must be true or false", pointer: "/granted")
    }
    self.init(
      op: op, isGranted: isGranted, reason: try tree.reason(countMax: Settle.reasonCountMax),
      data: tree["data"] == nil ? nil : try Settle.data(body))
  }

  private static func data(_ body: [UInt8]) throws(BadMessage) -> VerbatimJSON? {
    guard let data = try? VerbatimJSON(member: "data", of: body),
      data.text.utf8.count <= dataBytesMax
    else {
      throw BadMessage("data must have at most \(dataBytesMax) bytes of JSON", pointer: "/data")
    }
    return data
  }
}

extension JSONTree {
  /// The field `reason` of a host's body: a text, or texts by locale.
  func reason(countMax: Int) throws(BadMessage) -> Note.Text? {
    guard let tree = self["reason"] else { return nil }
    do throws(BadNotes) {
      return try Note.Text(tree, at: "reason", countMax: countMax)
    } catch {
      throw BadMessage(error.detail, pointer: "/reason")
    }
  }
}

extension HTTPDocument {
  /// The answer to `POST …/settle`: `{"op","granted","status","revision"}`.
  package static func settled(_ settlement: Settlement) -> [UInt8] {
    JSONTree.object([
      .init("op", .string(settlement.settle.op)),
      .init("granted", .bool(settlement.settle.isGranted)),
      .init("status", .string(settlement.status.rawValue)),
      .init("revision", .integer(settlement.revision)),
    ]).serialized()
  }
}
