import JSONText

extension ClientFold {
  /// Every month that the client looks at is painted as the range asks for, computed anew from
  /// `rules.md`: a run of days per week row, only days of the month itself.
  func checkBands() throws(ProtocolBreach) {
    for (name, month) in shown.sorted(by: { $0.key < $1.key }) {
      guard let first = monthList.first, let last = monthList.last, name >= first, name <= last
      else { continue }
      let expected = bands(over: month.cells)
      guard month.bands == expected else {
        throw ProtocolBreach(
          "the bands of \(name) are those of \(range): \(JSONTree.array(month.bands).shown)")
      }
    }
  }

  private func bands(over cells: [JSONTree]) -> [JSONTree] {
    guard let start = range.start, let end = range.end else { return [] }
    var bands: [JSONTree] = []
    for row in 0..<cells.count / 7 {
      let chosen = (0..<7).filter { column in
        let cell = cells[row * 7 + column]
        let date = cell["date"]?.string ?? ""
        return cell["outside"] == nil && date >= start && date <= end
      }
      guard let from = chosen.first, let to = chosen.last else { continue }
      bands.append(
        .object([
          .init("row", .integer(row)), .init("from", .integer(from)), .init("to", .integer(to)),
          .init("shape", .string(from == to ? "circle" : "pill")),
          .init("head", .bool(cells[row * 7 + from]["date"]?.string == start)),
          .init("tail", .bool(cells[row * 7 + to]["date"]?.string == end)),
        ]))
    }
    return bands
  }
}
