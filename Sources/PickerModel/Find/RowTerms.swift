/// The terms of the rows of a definition, in one buffer. They are searched and not shown.
struct RowTerms: Sendable {
  private var bytes: [UInt8] = []
  /// Where the terms begin in ``bytes``, and at last where it ends.
  private var starts: [UInt32] = [0]
  /// For each row its first term, and at last the number of terms; empty if no row has any.
  private var firsts: [UInt32] = []

  /// The memory of the terms.
  var byteCount: Int { bytes.count + 4 * (starts.count + firsts.count) }

  init(_ rows: [[String]?]) {
    guard rows.contains(where: { $0?.isEmpty == false }) else { return }
    firsts.reserveCapacity(rows.count + 1)
    for terms in rows {
      firsts.append(UInt32(starts.count - 1))
      for term in terms ?? [] {
        bytes.append(contentsOf: term.utf8)
        starts.append(UInt32(bytes.count))
      }
    }
    firsts.append(UInt32(starts.count - 1))
  }

  /// Calls `body` with the UTF-8 bytes of each term of a row.
  @inline(__always)
  func forEach(of row: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Void) {
    if firsts.isEmpty { return }
    for term in firsts[row]..<firsts[row + 1] {
      let range = Int(starts[Int(term)])..<Int(starts[Int(term) + 1])
      bytes.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[range])) }
    }
  }

  /// The terms of a row.
  subscript(row: Int) -> [String] {
    var terms: [String] = []
    forEach(of: row) { terms.append(String(decoding: $0, as: UTF8.self)) }
    return terms
  }
}
