import JSONText

/// What a client received that protocol.md does not allow, as a sentence that should be true.
struct ProtocolBreach: Error {
  let sentence: String

  init(_ sentence: String) { self.sentence = sentence }
}

/// How a client reads: every field that must be there, of its type, and no other.
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

  /// The number of a field that may be null, but is there.
  func numberOrNull(_ name: String) throws(ProtocolBreach) -> Int? {
    if self[name] == .null { return nil }
    return try number(name)
  }

  /// - Throws: If a field is missing, or one is there that nobody knows.
  func has(_ fields: [String], maybe others: [String] = []) throws(ProtocolBreach) {
    guard let members else { throw ProtocolBreach("it is an object") }
    for field in fields where self[field] == nil {
      throw ProtocolBreach("the field \(field) is there: \(shown)")
    }
    for member in members where !fields.contains(member.key) && !others.contains(member.key) {
      throw ProtocolBreach("there is no field \(member.key): \(shown)")
    }
  }

  /// The beginning of the JSON text, for people.
  var shown: String { String(decoding: serialized().prefix(400), as: UTF8.self) }
}
