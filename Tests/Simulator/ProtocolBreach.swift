import JSONText

/// A violation of the wire protocol. The sentence is the rule that was violated.
struct ProtocolBreach: Error {
  let sentence: String

  init(_ sentence: String) { self.sentence = sentence }
}

/// Required fields with their types.
extension JSONTree {
  func text(_ name: String) throws(ProtocolBreach) -> String {
    guard let value = self[name]?.string else { throw ProtocolBreach("\(name) is a string") }
    return value
  }

  func number(_ name: String) throws(ProtocolBreach) -> Int {
    guard let value = self[name]?.integer else { throw ProtocolBreach("\(name) is an integer") }
    return value
  }

  func list(_ name: String) throws(ProtocolBreach) -> [JSONTree] {
    guard let value = self[name]?.array else { throw ProtocolBreach("\(name) is an array") }
    return value
  }

  func flag(_ name: String) throws(ProtocolBreach) -> Bool {
    guard let value = self[name]?.bool else { throw ProtocolBreach("\(name) is true or false") }
    return value
  }

  func part(_ name: String) throws(ProtocolBreach) -> JSONTree {
    guard let value = self[name], value.members != nil else {
      throw ProtocolBreach("\(name) is an object")
    }
    return value
  }

  /// The number of a required field that can be null.
  func numberOrNull(_ name: String) throws(ProtocolBreach) -> Int? {
    if self[name] == .null { return nil }
    return try number(name)
  }

  /// Checks that all of `fields` exist, and no others than `fields` and `others`.
  func has(_ fields: [String], maybe others: [String] = []) throws(ProtocolBreach) {
    guard let members else { throw ProtocolBreach("it is an object") }
    for field in fields where self[field] == nil {
      throw ProtocolBreach("the field \(field) exists: \(shown)")
    }
    for member in members where !fields.contains(member.key) && !others.contains(member.key) {
      throw ProtocolBreach("there is no field \(member.key): \(shown)")
    }
  }

  /// The first 400 bytes of the JSON text, for messages.
  var shown: String { String(decoding: serialized().prefix(400), as: UTF8.self) }
}
