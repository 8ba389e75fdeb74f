/// The colours that a terminal can show.
enum ColorDepth: Hashable {
  case none
  /// The palette of 256.
  case palette
  case full

  /// - Parameter environment: `NO_COLOR` (https://no-color.org), `TERM` and `COLORTERM` count.
  init(_ environment: [String: String]) {
    let term = environment["TERM"] ?? ""
    if !(environment["NO_COLOR"] ?? "").isEmpty || term.isEmpty || term == "dumb" {
      self = .none
    } else if ["truecolor", "24bit"].contains(environment["COLORTERM"]) {
      self = .full
    } else {
      self = .palette
    }
  }

  /// The codes of a foreground of `#rrggbb`; `nil` if there is none.
  func code(of color: String) -> String? {
    guard color.count == 7, let rgb = Int(color.dropFirst(), radix: 16) else { return nil }
    let (red, green, blue) = (rgb >> 16, rgb >> 8 & 0xFF, rgb & 0xFF)
    switch self {
    case .none: return nil
    case .full: return "38;2;\(red);\(green);\(blue)"
    case .palette:
      return "38;5;\(16 + 36 * Self.step(red) + 6 * Self.step(green) + Self.step(blue))"
    }
  }

  /// The nearest step of the palette's cube, 0 … 5: its levels are 0, 95, 135, 175, 215, 255.
  private static func step(_ level: Int) -> Int {
    level < 48 ? 0 : min(5, max(1, (level - 35) / 40))
  }
}
