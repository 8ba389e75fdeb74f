import PickerHub

/// Strong entity tags that are derived from content: equal content has equal tags.
///
/// - Source: RFC 9110 section 8.8.3.
enum EntityTag {
  /// The tag of `content`, with its quotes: 64 bits of FNV-1a and the length.
  ///
  /// It distinguishes versions of a file. It is not a cryptographic hash and must not be used for
  /// anything else.
  static func of(_ content: [UInt8]) -> String {
    var hash = FNV1aHash()
    hash.add(content)
    return "\"" + String(hash.value, radix: 16) + "-" + String(content.count, radix: 16) + "\""
  }

  /// Whether an `If-None-Match` header contains `tag`, so that the client's copy is current.
  ///
  /// - Source: RFC 9110 section 13.1.2: a list, or `*`, compared weakly.
  static func isNamed(_ tag: String, in header: String) -> Bool {
    if header == "*" { return true }
    return header.split(separator: ",").contains { entry in
      let entry = entry.drop { $0 == " " || $0 == "\t" }
      let opaque = entry.hasPrefix("W/") ? entry.dropFirst(2) : entry
      return opaque.prefix(tag.count) == tag
        && opaque.dropFirst(tag.count).allSatisfy { $0 == " " || $0 == "\t" }
    }
  }
}
