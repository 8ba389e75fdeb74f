import JSONText

/// The texts and keys of rows in one buffer: 20,000 rows are made and freed with two allocations.
struct RowStrings: Sendable {
  /// Of each row its text and then its key, which is left out if it is the text. Each ends with
  /// ``end``, so that lists of rows are equal if and only if their bytes are.
  private var bytes: [UInt8] = []
  /// Where the texts and the keys begin, by turns, and at last where the buffer ends.
  private var starts: [UInt32] = [0]

  /// Not part of UTF-8.
  private static let end: UInt8 = 0xFF

  var count: Int { starts.count / 2 }
  /// The memory of the strings.
  var byteCount: Int { bytes.count + 4 * starts.count }

  init(_ rows: [(text: String, key: String)]) {
    starts.reserveCapacity(2 * rows.count + 1)
    bytes.reserveCapacity(
      rows.reduce(2 * rows.count) { sum, row in
        sum + row.text.utf8.count + (row.key.isExactly(row.text) ? 0 : row.key.utf8.count)
      })
    for row in rows {
      append(row.text)
      append(row.key.isExactly(row.text) ? "" : row.key)
    }
  }

  private mutating func append(_ text: String) {
    bytes.append(contentsOf: text.utf8)
    bytes.append(RowStrings.end)
    starts.append(UInt32(bytes.count))
  }

  func text(_ row: Int) -> String { withText(row) { String(decoding: $0, as: UTF8.self) } }

  func key(_ row: Int) -> String { withKey(row) { String(decoding: $0, as: UTF8.self) } }

  /// Calls `body` with the UTF-8 bytes of a text.
  @inline(__always)
  func withText<Value>(_ row: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Value) -> Value {
    with(2 * row, body)
  }

  /// Calls `body` with the UTF-8 bytes of a key.
  @inline(__always)
  func withKey<Value>(_ row: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Value) -> Value {
    // A text is not empty, so an empty key was left out.
    let isText = starts[2 * row + 2] - starts[2 * row + 1] == 1
    return with(isText ? 2 * row : 2 * row + 1, body)
  }

  @inline(__always)
  private func with<Value>(
    _ string: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Value
  ) -> Value {
    let (start, end) = (Int(starts[string]), Int(starts[string + 1]) - 1)
    return bytes.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[start..<end])) }
  }

  /// Calls `body` with all bytes of some rows.
  private func withBytes<Value>(
    of rows: Range<Int>, _ body: (UnsafeBufferPointer<UInt8>) -> Value
  ) -> Value {
    let (start, end) = (Int(starts[2 * rows.lowerBound]), Int(starts[2 * rows.upperBound]))
    return bytes.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[start..<end])) }
  }

  /// Whether rows have the same texts and keys as rows of `other`, in the same order.
  func reads(_ rows: Range<Int>, like otherRows: Range<Int>, of other: RowStrings) -> Bool {
    withBytes(of: rows) { bytes in
      other.withBytes(of: otherRows) { bytes.isSame(as: $0) }
    }
  }

  func hash(_ rows: Range<Int>, into hasher: inout Hasher) {
    withBytes(of: rows) { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }

  /// The first of some rows with a key.
  func row(ofKey key: String, in rows: Range<Int>) -> Int? {
    var key = key
    return key.withUTF8 { wanted in
      rows.first { row in withKey(row) { $0.isSame(as: wanted) } }
    }
  }
}

/// Finds rows of long lists by their keys: a hash table of all of them with open addressing.
struct KeyIndex: Sendable {
  /// A hash of the key of each row, with the process's random key; empty if no list is long.
  private var hashes: [UInt32] = []
  /// The rows by their hashes; -1 where there is none. At most half are rows.
  private var slots: [Int32] = []

  /// Up to this length of a list a linear search is as fast.
  static let longCount = 24

  var byteCount: Int { 4 * (hashes.count + slots.count) }

  init(_ strings: RowStrings, lists: some Sequence<Range<Int>>) {
    let long = lists.filter { $0.count > KeyIndex.longCount }
    let rowCount = long.reduce(0) { $0 + $1.count }
    if rowCount == 0 { return }
    hashes = Array(repeating: 0, count: strings.count)
    var slotCount = 64
    while slotCount < 2 * rowCount { slotCount *= 2 }
    slots = Array(repeating: -1, count: slotCount)
    for list in long {
      for row in list {
        hashes[row] = strings.withKey(row, KeyIndex.hash)
        var slot = slot(hashes[row], of: list)
        while slots[slot] >= 0 { slot = (slot + 1) & (slotCount - 1) }
        slots[slot] = Int32(row)
      }
    }
  }

  private static func hash(_ key: UnsafeBufferPointer<UInt8>) -> UInt32 {
    var hasher = Hasher()
    hasher.combine(bytes: UnsafeRawBufferPointer(key))
    return UInt32(truncatingIfNeeded: hasher.finalize())
  }

  /// The lists of a tree can all have the same keys, so their rows begin in different slots.
  private func slot(_ hash: UInt32, of list: Range<Int>) -> Int {
    Int(hash &+ UInt32(truncatingIfNeeded: list.lowerBound) &* 0x9E37_79B1) & (slots.count - 1)
  }

  func row(ofKey key: String, in list: Range<Int>, _ strings: RowStrings) -> Int? {
    var key = key
    return key.withUTF8 { row(of: $0, KeyIndex.hash($0), in: list, strings) }
  }

  /// The row of the first of the rows of another definition that a long list still has. Its hashes,
  /// if its list is long, exclude almost all others: comparing 20,000 keys takes much longer.
  func row(
    of oldRows: some Sequence<Int>, _ old: (index: KeyIndex, strings: RowStrings, isLong: Bool),
    in list: Range<Int>, _ strings: RowStrings
  ) -> Int? {
    for oldRow in oldRows {
      let found = old.strings.withKey(oldRow) { key in
        row(
          of: key, old.isLong ? old.index.hashes[oldRow] : KeyIndex.hash(key), in: list, strings)
      }
      if let found { return found }
    }
    return nil
  }

  private func row(
    of key: UnsafeBufferPointer<UInt8>, _ hash: UInt32, in list: Range<Int>, _ strings: RowStrings
  ) -> Int? {
    var slot = slot(hash, of: list)
    while slots[slot] >= 0 {
      let row = Int(slots[slot])
      if hashes[row] == hash, list.contains(row), strings.withKey(row, { $0.isSame(as: key) }) {
        return row
      }
      slot = (slot + 1) & (slots.count - 1)
    }
    return nil
  }
}
