/// Colour and attributes of a cell.
package struct Style: Hashable {
  /// `#rrggbb`, or `nil` for the terminal's default colour.
  package var color: String?
  package var isBold = false
  package var isDim = false
  package var isReversed = false
  package var isUnderlined = false

  package static let plain = Style()
  package static let bold = Style(isBold: true)
  package static let dim = Style(isDim: true)

  package init(
    color: String? = nil, isBold: Bool = false, isDim: Bool = false, isReversed: Bool = false,
    isUnderlined: Bool = false
  ) {
    self.color = color
    self.isBold = isBold
    self.isDim = isDim
    self.isReversed = isReversed
    self.isUnderlined = isUnderlined
  }

  /// The escape sequence that resets all attributes and sets these.
  func sequence(_ depth: ColorDepth) -> String {
    var codes = ["0"]
    if isBold { codes.append("1") }
    if isDim { codes.append("2") }
    if isUnderlined { codes.append("4") }
    if isReversed { codes.append("7") }
    if let color, let code = depth.code(of: color) { codes.append(code) }
    return "\u{1B}[\(codes.joined(separator: ";"))m"
  }
}

/// A screen of cells; text that does not fit is truncated.
package struct Canvas: Hashable {
  let width: Int
  let height: Int
  private var cells: [Cell]

  private struct Cell: Hashable {
    /// `nil` in the second cell of a wide character.
    var text: String?
    var style: Style
  }

  package init(width: Int, height: Int) {
    self.width = max(1, width)
    self.height = max(1, height)
    cells = Array(repeating: Cell(text: " ", style: .plain), count: self.width * self.height)
  }

  /// Writes text on one line and truncates it to the available cells.
  ///
  /// - Parameter cellsMax: The maximum of cells; by default the rest of the line.
  /// - Returns: The column after the text.
  @discardableResult
  package mutating func put(
    _ text: String, x: Int, y: Int, _ style: Style = .plain, cellsMax: Int? = nil
  ) -> Int {
    guard y >= 0, y < height, x >= 0, x < width else { return x }
    let room = min(cellsMax ?? width, width - x)
    var column = x
    for character in DisplayWidth.fitted(harmless(text), to: room) {
      let count = DisplayWidth.of(character)
      let index = y * width + column
      if count == 0 {
        if column > x { cells[index - 1].text? += String(character) }
        continue
      }
      cells[index] = Cell(text: String(character), style: style)
      if count == 2 { cells[index + 1] = Cell(text: nil, style: style) }
      column += count
    }
    return column
  }

  /// The screen as text, a line per row, without styles or trailing blanks.
  package var lines: [String] {
    (0..<height).map { y in
      let line = row(y).compactMap(\.text).joined()
      return String(line.reversed().drop { $0 == " " }.reversed())
    }
  }

  /// The output that updates a terminal from `before` to this screen.
  ///
  /// - Parameter before: `nil` or a screen of another size draws everything.
  package func sequence(after before: Canvas?, _ depth: ColorDepth) -> String {
    let known = before.flatMap { $0.width == width && $0.height == height ? $0 : nil }
    var out = ""
    for y in 0..<height where known?.row(y) != row(y) {
      out += "\u{1B}[\(y + 1);1H"
      var style: Style?
      for cell in row(y) {
        guard let text = cell.text else { continue }
        if style != cell.style { out += cell.style.sequence(depth) }
        style = cell.style
        out += text
      }
      out += "\u{1B}[0m"
    }
    return out
  }

  private func row(_ y: Int) -> ArraySlice<Cell> { cells[y * width..<(y + 1) * width] }
}
