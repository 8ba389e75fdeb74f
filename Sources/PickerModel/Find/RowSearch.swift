/// A search for rows of a column by their texts and terms, in parts: a column may have 20,000 rows,
/// each with nine texts.
///
/// - Source: web/guide/README.md, "Find".
package struct RowSearch: Sendable {
  /// How well a text matches, the best first.
  enum Rank: Int, CaseIterable {
    case equal, beginning
    /// A word begins with what was searched: it follows what is neither letter nor digit.
    case word
    case inside
  }

  /// What was searched, folded.
  private let wanted: [UInt8]
  private let countMax: Int
  /// The first ``countMax`` rows of each rank.
  private var matches = InlineArray<4, [Int]>(repeating: [])
  private var matchCount = 0
  private var nextRow = 0
  private var scratch: [UInt8] = []

  /// - Parameters:
  ///   - text: Is not folded. One that is nothing when folded finds nothing.
  ///   - countMax: The maximum of rows found, from 1.
  package init(_ text: String, countMax: Int) {
    wanted = TextFolding.unicode.folded(text)
    self.countMax = countMax
  }

  /// Searches more rows.
  ///
  /// - Parameters:
  ///   - rows: The same in each call.
  ///   - byteCountLeft: How many bytes of texts may be searched now. When none are left, the rest
  ///     is for the next call.
  /// - Returns: Whether all rows have been searched.
  package mutating func advance(
    in rows: ColumnRows, texts: any RowTexts, byteCountLeft: inout Int
  ) -> Bool {
    guard !wanted.isEmpty else { return true }
    let rowCount = rows.count
    while nextRow < rowCount, byteCountLeft > 0 {
      let row = nextRow
      nextRow += 1
      byteCountLeft -= search(row, of: rows, texts)
    }
    return nextRow == rowCount
  }

  /// - Returns: The number of bytes searched, at least 1.
  private mutating func search(_ row: Int, of rows: ColumnRows, _ texts: any RowTexts) -> Int {
    var best: Rank?
    var byteCount = 1
    if case .nodes(let siblings) = rows {
      siblings.withText(at: row) { text in
        best = match(text)?.rank
        byteCount += text.count
      }
      siblings.withTerms(at: row) { term in
        if let rank = match(term)?.rank, rank.rawValue < best?.rawValue ?? .max { best = rank }
        byteCount += term.count
      }
    } else {
      var text = rows.text(at: row, in: texts)
      text.withUTF8 { text in
        best = match(text)?.rank
        byteCount += text.count
      }
    }
    guard let best else { return byteCount }
    matchCount += 1
    if matches[best.rawValue].count < countMax { matches[best.rawValue].append(row) }
    return byteCount
  }

  /// The first best match in a text, as bytes of its folded form.
  private mutating func match(
    _ text: UnsafeBufferPointer<UInt8>
  ) -> (rank: Rank, range: Range<Int>)? {
    let room = TextFolding.growthMax * text.count
    if scratch.count < room { scratch = [UInt8](repeating: 0, count: room) }
    return scratch.withUnsafeMutableBufferPointer { scratch in
      guard let folded = scratch.baseAddress else { return nil }
      let count = TextFolding.unicode.fold(text, to: folded)
      return wanted.withUnsafeBufferPointer {
        RowSearch.match($0, in: UnsafeBufferPointer(start: folded, count: count))
      }
    }
  }

  private static func match(
    _ wanted: UnsafeBufferPointer<UInt8>, in text: UnsafeBufferPointer<UInt8>
  ) -> (rank: Rank, range: Range<Int>)? {
    var inside: Int?
    var start = 0
    while let found = text.firstIndex(of: wanted, from: start) {
      if found == 0 { return (text.count == wanted.count ? .equal : .beginning, 0..<wanted.count) }
      if text.isWordBeginning(at: found) { return (.word, found..<found + wanted.count) }
      if inside == nil { inside = found }
      start = found + 1
    }
    return inside.map { (.inside, $0..<$0 + wanted.count) }
  }
}

/// The result.
extension RowSearch {
  package struct Match: Hashable, Sendable {
    package let row: Int
    /// The first best match in the row's text, in UTF-16 units; `nil` if only a term matches.
    package let range: Range<Int>?
  }

  /// Whether more rows match than ``found(in:texts:)`` has.
  package var hasMore: Bool { matchCount > countMax }

  /// The best matches, the best first, then in the order of the rows.
  ///
  /// - Parameter rows: Those that were searched.
  package mutating func found(in rows: ColumnRows, texts: any RowTexts) -> [Match] {
    var found: [Match] = []
    for rank in Rank.allCases {
      for row in matches[rank.rawValue].prefix(countMax - found.count) {
        var text = rows.text(at: row, in: texts)
        let range = text.withUTF8 { text in
          match(text).map { TextFolding.unicode.utf16Range(of: $0.range, in: text) }
        }
        found.append(Match(row: row, range: range))
      }
    }
    return found
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// The first index from `start` on at which the bytes of `wanted` are.
  ///
  /// - Precondition: `wanted` is not empty.
  fileprivate func firstIndex(of wanted: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
    let first = wanted[0]
    var index = start
    search: while index + wanted.count <= count {
      if self[index] == first {
        var offset = 1
        while offset < wanted.count {
          if self[index + offset] != wanted[offset] {
            index += 1
            continue search
          }
          offset += 1
        }
        return index
      }
      index += 1
    }
    return nil
  }

  /// Whether the scalar before `index` is neither letter nor digit.
  ///
  /// - Precondition: This is valid UTF-8, and a scalar that is not the first begins at `index`.
  fileprivate func isWordBeginning(at index: Int) -> Bool {
    var start = index - 1
    if self[start] < 0x80 {
      let byte = self[start]
      return (byte | 0x20) &- UInt8(ascii: "a") >= 26 && byte &- UInt8(ascii: "0") >= 10
    }
    while self[start] & 0xC0 == 0x80 { start -= 1 }
    let before = UnsafeBufferPointer(rebasing: self[start..<index])
    let properties = String(decoding: before, as: UTF8.self).unicodeScalars.first!.properties
    return !properties.isAlphabetic && properties.generalCategory != .decimalNumber
  }
}
