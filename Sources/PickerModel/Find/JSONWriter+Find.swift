package import JSONText

extension JSONWriter {
  /// The rows of a `found` message.
  ///
  /// - Parameter rows: Those that were searched.
  package mutating func found(
    _ matches: [RowSearch.Match], in rows: ColumnRows, texts: any RowTexts
  ) {
    literal("[")
    for (index, match) in matches.enumerated() {
      if index > 0 { literal(",") }
      literal("{\"row\":", match.row)
      literal(",\"key\":")
      key(of: match.row, rows)
      literal(",\"text\":")
      text(of: match.row, rows, texts: texts)
      if let range = match.range {
        literal(",\"at\":[")
        integer(range.lowerBound)
        literal(",")
        integer(range.upperBound)
        literal("]")
      }
      literal("}")
    }
    literal("]")
  }
}
