extension String {
  /// The beginning of a client's text, as a copy that does not retain the whole text.
  ///
  /// - Parameter utf8Count: The maximum length in bytes. No Unicode scalar is split.
  package func prefix(utf8Count: Int) -> String {
    guard utf8.count > utf8Count else { return self }
    var end = utf8.index(startIndex, offsetBy: utf8Count)
    while end > startIndex, end.samePosition(in: unicodeScalars) == nil {
      end = utf8.index(before: end)
    }
    return String(self[..<end])
  }

  /// - Parameter scalarCount: The maximum length in Unicode scalars.
  package func prefix(scalarCount: Int) -> String {
    // A text never has more scalars than bytes.
    guard utf8.count > scalarCount else { return self }
    let end = unicodeScalars.index(startIndex, offsetBy: scalarCount, limitedBy: endIndex)
    return end.map { $0 == endIndex ? self : String(self[..<$0]) } ?? self
  }
}
