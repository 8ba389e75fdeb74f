import JSONText

/// The rows that ``PickerConnection/find(_:in:limit:)`` has found, the best match first.
///
/// ```swift
/// let found = try await picker.find("mun", in: 0)
/// for row in found.rows { print(row.index, row.text) }
/// if let best = found.rows.first { picker.send(found.selecting(best)) }
/// ```
public struct PickerFound: Hashable, Sendable {
  public let column: Int
  /// The column's generation that was searched.
  public let generation: Int
  public let rows: [Row]
  /// Whether more rows match.
  public let hasMore: Bool

  /// A row that matches.
  public struct Row: Hashable, Sendable {
    public let index: Int
    public let key: String
    public let text: String
    /// The part of ``text`` that matches, in UTF-16 units; `nil` if only one of the row's terms
    /// does, which are not shown.
    public let match: Range<Int>?
  }

  init(_ message: JSONTree) throws {
    column = try message.number("column")
    generation = try message.number("generation")
    hasMore = message.flag("more")
    rows = try message.list("rows").map { row in
      let ends = row["at"]?.array?.compactMap(\.integer) ?? []
      return Row(
        index: try row.number("row"), key: try row.text("key"), text: try row.text("text"),
        match: ends.count == 2 && ends[0] <= ends[1] ? ends[0]..<ends[1] : nil)
    }
  }

  /// The command that selects one of the rows.
  public func selecting(_ row: Row) -> PickerCommand {
    .select(column: column, row: row.index, generation: generation, key: row.key)
  }
}
