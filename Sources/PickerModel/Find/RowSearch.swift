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
    let (rowCount, wanted) = (rows.count, self.wanted)
    var room = FoldingRoom()
    defer { room.free() }
    wanted.withUnsafeBufferPointer { wanted in
      while nextRow < rowCount, byteCountLeft > 0 {
        var best: Rank?
        byteCountLeft -= RowSearch.search(nextRow, of: rows, texts, for: wanted, &room, &best)
        if let best {
          matchCount += 1
          if matches[best.rawValue].count < countMax { matches[best.rawValue].append(nextRow) }
        }
        nextRow += 1
      }
    }
    return nextRow == rowCount
  }

  /// - Returns: The number of bytes searched, at least 1.
  @inline(__always)
  private static func search(
    _ row: Int, of rows: ColumnRows, _ texts: any RowTexts,
    for wanted: UnsafeBufferPointer<UInt8>, _ room: inout FoldingRoom, _ best: inout Rank?
  ) -> Int {
    var byteCount = 1
    if case .nodes(let siblings) = rows {
      siblings.withText(at: row) { text in
        best = match(wanted, in: room.fold(text))?.rank
        byteCount += text.count
      }
      siblings.withTerms(at: row) { term in
        if let rank = match(wanted, in: room.fold(term))?.rank,
          rank.rawValue < best?.rawValue ?? .max
        {
          best = rank
        }
        byteCount += term.count
      }
    } else {
      var text = rows.text(at: row, in: texts)
      text.withUTF8 { text in
        best = match(wanted, in: room.fold(text))?.rank
        byteCount += text.count
      }
    }
    return byteCount
  }

  /// The first best match in a folded text.
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
  package func found(in rows: ColumnRows, texts: any RowTexts) -> [Match] {
    var found: [Match] = []
    var room = FoldingRoom()
    defer { room.free() }
    for rank in Rank.allCases {
      for row in matches[rank.rawValue].prefix(countMax - found.count) {
        var text = rows.text(at: row, in: texts)
        let range = text.withUTF8 { text in
          wanted.withUnsafeBufferPointer { RowSearch.match($0, in: room.fold(text)) }
            .map { TextFolding.unicode.utf16Range(of: $0.range, in: text) }
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
    // The last byte, because letters of one script begin with the same one.
    let (last, length) = (wanted[wanted.count - 1], wanted.count - 1)
    var end = start + length
    while end < count {
      if end + 8 <= count, let word = EightBytes(self, at: end), !word.has(last) {
        end += 8
      } else if self[end] == last, reads(wanted, length, before: end) {
        return end - length
      } else {
        end += 1
      }
    }
    return nil
  }

  /// Whether the first bytes of `wanted` are before `end`.
  @inline(__always)
  private func reads(_ wanted: UnsafeBufferPointer<UInt8>, _ length: Int, before end: Int) -> Bool {
    for offset in 0..<length where self[end - length + offset] != wanted[offset] { return false }
    return true
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
    let scalar = TextFolding.scalar(self, at: start).value
    // Jamo and most ideographs are letters, which need not be looked up.
    if 0x1100...0x11FF ~= scalar || 0x4E00...0x9FFF ~= scalar { return false }
    let properties = Unicode.Scalar(scalar)!.properties
    return !properties.isAlphabetic && properties.generalCategory != .decimalNumber
  }
}

/// Room for one folded text.
private struct FoldingRoom {
  private var bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 4_096)
  private let folding = TextFolding.unicode

  func free() { bytes.deallocate() }

  /// - Returns: The folded text, until the next call.
  @inline(__always)
  mutating func fold(_ text: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
    let room = TextFolding.growthMax * text.count
    if room > bytes.count {
      bytes.deallocate()
      bytes = UnsafeMutableBufferPointer.allocate(capacity: room)
    }
    let start = bytes.baseAddress!
    return UnsafeBufferPointer(start: start, count: folding.fold(text, to: start))
  }
}
