import PickerModel

/// Draws a month as SVG: title, weekdays, circles around the days, and bands of selected days.
///
/// A `tap` with a point (fractions of width and height) selects the cell that is drawn there.
/// - Source: web/guide/README.md, "Drawing".
struct MonthDrawing {
  /// The heights of the title and the weekdays as fractions of the height.
  static let titleShare = 0.095
  static let weekdayShare = 0.089

  /// Pixels.
  let width: Int
  let height: Int
  let theme: MonthTheme
  /// A BCP 47 tag.
  let language: String
  let title: String
  /// In the order of the columns.
  let weekdays: [String]
  /// Complete weeks.
  let cells: [Cell]
  /// One per cell.
  let cellTexts: [String]
  /// By cell; `nil` without a note.
  let notes: [String?]
  let tones: [Note.Tone?]
  let bands: MonthBands
  /// Whether a band begins in the middle of its first day and ends in that of its last one, so that
  /// two stays can share a day.
  let hasHalves: Bool

  private var cellWidth: Double { Double(width) / 7 }
  private var top: Double { Double(height) * (Self.titleShare + Self.weekdayShare) }
  private var cellHeight: Double { (Double(height) - top) / Double(cells.count / 7) }
  /// The distance between a circle and the edge of its cell.
  private var inset: Double { min(cellWidth, cellHeight) / 10 }
  private var radius: Double { min(cellWidth, cellHeight) / 2 - inset }
  private var fontSize: Double { min(cellWidth, cellHeight) * 0.28 }

  /// The whole document.
  var svg: [UInt8] {
    var text = """
      <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" \
      viewBox="0 0 \(width) \(height)" role="img" xml:lang="\(Self.escaped(language))" \
      font-family="Helvetica, Arial, sans-serif" text-anchor="middle">
      <title>\(Self.escaped(title))</title>

      """
    if let background = theme.background {
      text += "<rect width=\"\(width)\" height=\"\(height)\" fill=\"\(background)\"/>\n"
    }
    let titleHeight = Double(height) * Self.titleShare
    text += label(
      title, x: Double(width) / 2, y: titleHeight / 2, size: min(fontSize * 1.3, titleHeight * 0.6),
      fill: theme.title)
    text += weekdayLabels
    for index in cells.indices { text += mark(index) }
    for band in bands { text += paint(band) }
    for index in cells.indices { text += dayLabel(index) }
    return Array((text + "</svg>\n").utf8)
  }

  private var weekdayLabels: String {
    let middle = Double(height) * (Self.titleShare + Self.weekdayShare / 2)
    let longest = weekdays.map(\.count).max() ?? 1
    let size = min(
      fontSize, Double(height) * Self.weekdayShare * 0.6, cellWidth * 1.6 / Double(max(longest, 1)))
    var text = ""
    for (column, weekday) in weekdays.enumerated() {
      let day = cells[column].date.weekday
      text += label(
        weekday, x: (Double(column) + 0.5) * cellWidth, y: middle, size: size,
        fill: day == 1 || day == 7 ? theme.weekend : theme.weekday)
    }
    return text
  }

  /// The circle of a cell outside of all bands: filled in an adjacent month, otherwise a ring.
  private func mark(_ index: Int) -> String {
    let cell = cells[index]
    let (x, y) = center(index)
    let circle = "<circle cx=\"\(Self.number(x))\" cy=\"\(Self.number(y))\""
    if cell.isOutside {
      guard let disc = theme.outsideDisc else { return "" }
      return "\(circle) r=\"\(Self.number(radius))\" fill=\"\(disc)\"/>\n"
    }
    if isSelected(index) { return "" }
    let half = cell.only.map { self.half(circle: (x, y), isRight: $0 == .departure) } ?? ""
    let color = cell.isToday ? theme.today : theme.ring
    let thickness = cell.isToday ? max(1.5, radius / 10) : max(1, radius / 20)
    return half + "\(circle) r=\"\(Self.number(radius))\" fill=\"none\" stroke=\"\(color)\" "
      + "stroke-width=\"\(Self.number(thickness))\"/>\n"
  }

  /// The half of a day that is not available: before an arrival, or after a departure.
  private func half(circle center: (x: Double, y: Double), isRight: Bool) -> String {
    let (x, r) = (Self.number(center.x), Self.number(radius))
    let (top, bottom) = (Self.number(center.y - radius), Self.number(center.y + radius))
    return "<path d=\"M\(x) \(top)A\(r) \(r) 0 0 \(isRight ? 1 : 0) \(x) \(bottom)Z\" "
      + "fill=\"\(theme.ring)\"/>\n"
  }

  /// The part of a stay in one week row, with discs on its first and last day.
  private func paintStay(_ band: Band) -> String {
    let left = (Double(band.from) + (band.head ? 0.5 : 0)) * cellWidth
    let right = (Double(band.to) + (band.tail ? 0.5 : 1)) * cellWidth
    var text =
      "<rect x=\"\(Self.number(left))\" "
      + "y=\"\(Self.number(top + Double(band.row) * cellHeight + cellHeight / 2 - radius))\" "
      + "width=\"\(Self.number(right - left))\" height=\"\(Self.number(2 * radius))\" "
      + "fill=\"\(theme.band)\"/>\n"
    for (isEnd, column) in [(band.head, band.from), (band.tail, band.to)] where isEnd {
      text += disc(band.row * 7 + column)
    }
    return text
  }

  private func disc(_ index: Int) -> String {
    let (x, y) = center(index)
    return "<circle cx=\"\(Self.number(x))\" cy=\"\(Self.number(y))\" "
      + "r=\"\(Self.number(radius))\" fill=\"\(theme.band)\"/>\n"
  }

  /// A band of one day is a disc; a longer one is a rectangle with round ends.
  private func paint(_ band: Band) -> String {
    if hasHalves, !(band.head && band.tail && band.shape == .circle) { return paintStay(band) }
    switch band.shape {
    case .circle:
      return disc(band.row * 7 + band.from)
    case .pill:
      let width = Double(band.to - band.from + 1) * cellWidth - 2 * inset
      let height = cellHeight - 2 * inset
      let x = Double(band.from) * cellWidth + inset
      let y = top + Double(band.row) * cellHeight + inset
      return "<rect x=\"\(Self.number(x))\" y=\"\(Self.number(y))\" "
        + "width=\"\(Self.number(width))\" height=\"\(Self.number(height))\" "
        + "rx=\"\(Self.number(min(width, height) / 2))\" fill=\"\(theme.band)\"/>\n"
    }
  }

  private func dayLabel(_ index: Int) -> String {
    let cell = cells[index]
    let (x, y) = center(index)
    let isSelected = isSelected(index)
    let fill =
      if isSelected {
        theme.bandText
      } else if cell.isOutside {
        theme.outsideText
      } else {
        cell.isDisabled ? theme.disabledText : theme.day
      }
    let isStruck = theme.strikesDisabled && cell.isDisabled && !cell.isOutside && !isSelected
    let text = label(
      cellTexts[index], x: x, y: notes[index] == nil ? y : y - fontSize * 0.25, size: fontSize,
      fill: fill,
      more: (isStruck ? " text-decoration=\"line-through\"" : "")
        + (cell.isToday && !cell.isOutside ? " font-weight=\"bold\"" : ""))
    return text + noteLabel(index, dayFill: fill)
  }

  /// The note below the day's number, as wide as the cell at most.
  private func noteLabel(_ index: Int, dayFill: String) -> String {
    guard let note = notes[index] else { return "" }
    let (x, y) = center(index)
    let size = min(fontSize * 0.6, cellWidth * 1.5 / Double(max(note.unicodeScalars.count, 1)))
    let fill: String
    if isSelected(index) || cells[index].isOutside {
      fill = dayFill
    } else {
      switch tones[index] {
      case .low, .good: fill = theme.goodNote
      case .high, .bad: fill = theme.badNote
      case nil: fill = dayFill
      }
    }
    return label(note, x: x, y: y + fontSize * 0.55, size: size, fill: fill)
  }

  private func isSelected(_ index: Int) -> Bool {
    let (row, column) = (index / 7, index % 7)
    return bands.contains { $0.row == row && $0.from <= column && column <= $0.to }
  }

  private func center(_ index: Int) -> (x: Double, y: Double) {
    ((Double(index % 7) + 0.5) * cellWidth, top + (Double(index / 7) + 0.5) * cellHeight)
  }

  /// A text centered on a point. The baseline is computed, because not every renderer supports
  /// `dominant-baseline`.
  private func label(
    _ text: String, x: Double, y: Double, size: Double, fill: String, more: String = ""
  ) -> String {
    "<text x=\"\(Self.number(x))\" y=\"\(Self.number(y + size * 0.36))\" "
      + "font-size=\"\(Self.number(size))\" fill=\"\(fill)\"\(more)>\(Self.escaped(text))</text>\n"
  }

  /// Formats a number with at most two decimals.
  private static func number(_ value: Double) -> String {
    let hundredths = Int((value * 100).rounded())
    let (whole, rest) = hundredths.quotientAndRemainder(dividingBy: 100)
    if rest == 0 { return "\(whole)" }
    return rest % 10 == 0 ? "\(whole).\(rest / 10)" : "\(whole).\(rest < 10 ? "0" : "")\(rest)"
  }

  /// Escapes text for the content of an element or a quoted attribute.
  static func escaped(_ text: String) -> String {
    var escaped = ""
    for character in text.unicodeScalars {
      switch character {
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "&": escaped += "&amp;"
      case "\"": escaped += "&quot;"
      case "\t", "\n": escaped += " "
      // XML 1.0 does not allow other control characters, not even escaped.
      case "\0"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": escaped += "\u{FFFD}"
      default: escaped.unicodeScalars.append(character)
      }
    }
    return escaped
  }
}
