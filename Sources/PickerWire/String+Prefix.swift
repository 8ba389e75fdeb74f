extension String {
  /// The beginning of a text that came from a client, in memory of its own.
  ///
  /// - Parameter utf8Count: Bytes at most; less if a scalar would be cut.
  func prefix(utf8Count: Int) -> String {
    guard utf8.count > utf8Count else { return self }
    var end = utf8.index(startIndex, offsetBy: utf8Count)
    while end > startIndex, end.samePosition(in: unicodeScalars) == nil {
      end = utf8.index(before: end)
    }
    return String(self[..<end])
  }

  /// - Parameter scalarCount: Unicode scalars at most.
  func prefix(scalarCount: Int) -> String {
    // No text has more scalars than bytes.
    guard utf8.count > scalarCount else { return self }
    let end = unicodeScalars.index(startIndex, offsetBy: scalarCount, limitedBy: endIndex)
    return end.map { $0 == endIndex ? self : String(self[..<$0]) } ?? self
  }
}
