import JSONText

/// The first difference between two JSON documents. The order of members does not matter.
struct JSONDifference {
  /// A JSON Pointer (RFC 6901).
  var pointer: String
  let left: JSONTree?
  let right: JSONTree?

  /// - Parameter apart: Names of members that are not compared, at any depth.
  /// - Returns: `nil` if the documents are equal.
  init?(_ left: JSONTree?, _ right: JSONTree?, apart: Set<String> = []) {
    if left == right { return nil }
    switch (left, right) {
    case (.object(let before)?, .object(let after)?):
      var names = before.map(\.key)
      names += after.map(\.key).filter { name in !names.contains { $0.isExactly(name) } }
      for name in names where !apart.contains(name) {
        guard let inner = JSONDifference(left?[name], right?[name], apart: apart) else { continue }
        self = inner.under(name)
        return
      }
      return nil
    case (.array(let before)?, .array(let after)?):
      for index in 0..<max(before.count, after.count) {
        let one = index < before.count ? before[index] : nil
        let other = index < after.count ? after[index] : nil
        guard let inner = JSONDifference(one, other, apart: apart) else { continue }
        self = inner.under(String(index))
        return
      }
      return nil
    default:
      pointer = ""
      self.left = left
      self.right = right
    }
  }

  private func under(_ name: String) -> JSONDifference {
    var outer = self
    outer.pointer = JSONPointer.reference(to: name) + pointer
    return outer
  }
}

extension JSONTree? {
  /// The value as text for a message, cut to 120 characters.
  var shown: String {
    guard let self else { return "nothing" }
    let text = String(decoding: self.serialized(), as: UTF8.self)
    return text.count > 120 ? text.prefix(117) + "…" : text
  }
}
