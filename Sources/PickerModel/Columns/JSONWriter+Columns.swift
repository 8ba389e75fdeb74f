package import JSONText

/// Writes columns, their rows and their changes.
///
/// - Source: web/client/api/asyncapi.json.
extension JSONWriter {
  /// `"columns":[…]`, the state of a snapshot.
  mutating func columns(
    _ picker: ColumnsPicker, _ notes: Notes, locale: String, texts: any RowTexts, windowRows: Int
  ) {
    literal("\"columns\":[")
    var cache = RowsCache(count: 0)
    for (index, column) in picker.columns.enumerated() {
      if index > 0 { literal(",") }
      literal("{")
      let notes = ColumnNotes(notes.columns[index], locale: locale)
      self.column(column, notes, texts: texts, windowRows: windowRows, &cache)
      literal("}")
    }
    literal("]")
  }

  mutating func columnsChange(
    _ change: ColumnsChange, _ notes: RowNotes?, texts: any RowTexts, windowRows: Int,
    _ cache: inout RowsCache
  ) {
    switch change {
    case .reload(let column, let state):
      let notes = notes?.notes(of: column)
      reload(column, state, notes, texts: texts, windowRows: windowRows, &cache)
    case .removal(let column, let generation):
      removal(column, generation: generation)
    case .row(let column, let move):
      literal("{\"change\":\"row\",\"column\":", column)
      literal(",\"row\":", move.row)
      literal(",\"key\":", move.key)
      literal(",\"text\":")
      text(of: move.row, move.rows, texts: texts)
      literal(",\"cause\":\"")
      raw(move.cause.rawValue)
      literal("\"")
      clamp(move.reason, wanted: move.wanted, move.loss)
      literal("}")
    }
  }

  /// The selected row of a column in a refusal: its state without a cause.
  mutating func correction(
    column index: Int, reloads: Bool, of picker: ColumnsPicker, _ notes: Notes, locale: String,
    texts: any RowTexts, windowRows: Int, _ cache: inout RowsCache
  ) {
    // The host may have removed the column before a delayed refusal is sent.
    guard picker.columns.indices.contains(index) else { return }
    let column = picker.columns[index]
    if reloads {
      let notes = ColumnNotes(notes.columns[index], locale: locale)
      reload(index, column, notes, texts: texts, windowRows: windowRows, &cache)
    }
    guard let selected = column.selected else { return }
    if reloads { literal(",") }
    literal("{\"change\":\"row\",\"column\":", index)
    literal(",\"row\":", selected)
    literal(",\"key\":")
    key(of: selected, column.rows)
    literal(",\"text\":")
    text(of: selected, column.rows, texts: texts)
    literal("}")
  }

  private mutating func reload(
    _ column: Int, _ state: ColumnState, _ notes: ColumnNotes?, texts: any RowTexts,
    windowRows: Int, _ cache: inout RowsCache
  ) {
    literal("{\"change\":\"reload\",\"column\":", column)
    literal(",")
    self.column(state, notes, texts: texts, windowRows: windowRows, &cache)
    literal("}")
  }

  /// The last reload of a column that was removed: without rows.
  private mutating func removal(_ column: Int, generation: Int) {
    literal("{\"change\":\"reload\",\"column\":", column)
    literal(",\"generation\":", generation)
    literal(",\"count\":0,\"from\":0,\"rows\":[],\"row\":null,\"removed\":true}")
  }

  /// `"generation","count","from","rows","row"`, without the braces.
  package mutating func column(
    _ column: ColumnState, _ notes: ColumnNotes?, texts: any RowTexts, windowRows: Int,
    _ cache: inout RowsCache
  ) {
    let window = column.window(windowRows)
    literal("\"generation\":", column.generation)
    literal(",\"count\":", column.rows.count)
    literal(",\"from\":", window.lowerBound)
    literal(",\"rows\":")
    if notes != nil || !column.levels.isEmpty {
      rows(column.rows, window, notes, levels: column.levels, texts: texts)
    } else {
      cache.write(column.rows, window, texts: texts, to: &self)
    }
    literal(",\"row\":")
    if let selected = column.selected { integer(selected) } else { literal("null") }
  }

  /// An array of rows.
  package mutating func rows(
    _ rows: ColumnRows, _ range: Range<Int>, _ notes: ColumnNotes? = nil,
    levels: [Int: KeyLevel] = [:], texts: any RowTexts
  ) {
    literal("[")
    for row in range {
      if row > range.lowerBound { literal(",") }
      literal("{\"key\":")
      key(of: row, rows)
      literal(",\"text\":")
      text(of: row, rows, texts: texts)
      if let notes {
        let note = notes.notes[ExactString(rows.key(at: row))]
        noteField(note, locale: notes.locale, texts: texts)
      }
      if !levels.isEmpty { level(levels[row]) }
      literal("}")
    }
    literal("]")
  }

  mutating func key(of row: Int, _ rows: ColumnRows) {
    // Without a string, which would be allocated for more than 15 bytes.
    guard case .nodes(let siblings) = rows else { return string(rows.key(at: row)) }
    siblings.withKey(at: row) { string($0) }
  }

  mutating func text(of row: Int, _ rows: ColumnRows, texts: any RowTexts) {
    guard case .nodes(let siblings) = rows else { return string(rows.text(at: row, in: texts)) }
    siblings.withText(at: row) { string($0) }
  }
}
