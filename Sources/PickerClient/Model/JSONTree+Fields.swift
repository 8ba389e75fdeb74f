import JSONText

/// Thrown for a message that violates the protocol.
struct MalformedMessage: Error {
  let field: String
}

/// Required fields of a message, and optional flags.
extension JSONTree {
  func need(_ key: String) throws(MalformedMessage) -> JSONTree {
    guard let value = self[key] else { throw MalformedMessage(field: key) }
    return value
  }

  func text(_ key: String) throws(MalformedMessage) -> String {
    guard let value = self[key]?.string else { throw MalformedMessage(field: key) }
    return value
  }

  func number(_ key: String) throws(MalformedMessage) -> Int {
    guard let value = self[key]?.integer else { throw MalformedMessage(field: key) }
    return value
  }

  func day(_ key: String) throws(MalformedMessage) -> PickerDay {
    guard let day = PickerDay(try text(key)) else { throw MalformedMessage(field: key) }
    return day
  }

  func month(_ key: String) throws(MalformedMessage) -> PickerMonth {
    guard let month = PickerMonth(try text(key)) else { throw MalformedMessage(field: key) }
    return month
  }

  func list(_ key: String) throws(MalformedMessage) -> [JSONTree] {
    guard let value = self[key]?.array else { throw MalformedMessage(field: key) }
    return value
  }

  func flag(_ key: String) -> Bool { self[key]?.bool ?? false }
  var isNull: Bool { self == .null }
}
