/// The colours that a terminal can show.
package enum ColorDepth: Hashable {
  case none
  /// 256 colours.
  case palette
  case full

  /// - Parameter environment: Read for `NO_COLOR` (https://no-color.org), `TERM` and `COLORTERM`.
  package init(_ environment: [String: String]) {
    let term = environment["TERM"] ?? ""
    if !(environment["NO_COLOR"] ?? "").isEmpty || term.isEmpty || term == "dumb" {
      self = .none
    } else if ["truecolor", "24bit"].contains(environment["COLORTERM"]) {
      self = .full
    } else {
      self = .palette
    }
  }

  /// The SGR parameters for the foreground `#rrggbb`; `nil` if it cannot be shown.
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

  /// The nearest step, 0 to 5, of the palette's colour cube with levels 0, 95, 135, 175, 215, 255.
  private static func step(_ level: Int) -> Int {
    level < 48 ? 0 : min(5, max(1, (level - 35) / 40))
  }
}
