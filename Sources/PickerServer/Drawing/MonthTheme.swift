/// The colors of a drawn month, with alternatives for displays without colors.
struct MonthTheme: Hashable, Sendable {
  /// The background; `nil` for a transparent one.
  var background: String?
  var title: String
  var weekday: String
  var weekend: String
  var day: String
  /// The circle around a day that is not selected.
  var ring: String
  var today: String
  /// The disc of a day in an adjacent month; `nil` for none.
  var outsideDisc: String?
  var outsideText: String
  var disabledText: String
  var band: String
  var bandText: String
  /// A note whose tone is `low` or `good`, and one whose tone is `high` or `bad`.
  var goodNote: String
  var badNote: String
  /// Whether disabled days are struck through, because the display has no paler color.
  var strikesDisabled = false

  /// The default, on white.
  static let article = MonthTheme(
    background: "#ffffff", title: "#000000", weekday: "#0000ff", weekend: "#000000", day: "#6b6b6b",
    ring: "#eaeaea", today: "#34aff8", outsideDisc: "#f5f5f5", outsideText: "#dfdfdf",
    disabledText: "#dfdfdf", band: "#34aff8", bandText: "#ffffff",
    goodNote: "#1a7f37", badNote: "#b3261e")

  static let dark = MonthTheme(
    background: "#16181c", title: "#f2f4f7", weekday: "#8ab4f8", weekend: "#c7cbd1", day: "#d5d9df",
    ring: "#3a3f47", today: "#4db6ff", outsideDisc: "#1d2025", outsideText: "#4b515a",
    disabledText: "#5a616b", band: "#1f7fc4", bandText: "#ffffff",
    goodNote: "#7fd195", badNote: "#ff9a90")

  /// Black and white only, for e-paper displays.
  static let eink = MonthTheme(
    background: "#ffffff", title: "#000000", weekday: "#000000", weekend: "#000000", day: "#000000",
    ring: "#ffffff", today: "#000000", outsideDisc: nil, outsideText: "#ffffff",
    disabledText: "#000000", band: "#000000", bandText: "#ffffff", goodNote: "#000000",
    badNote: "#000000", strikesDisabled: true)

  /// The default on a transparent background.
  static var clear: MonthTheme {
    var theme = article
    theme.background = nil
    return theme
  }

  static let names = ["article", "clear", "dark", "eink"]

  /// - Parameter name: One of ``names``.
  static func named(_ name: String) -> MonthTheme? {
    switch name {
    case "article": article
    case "clear": clear
    case "dark": dark
    case "eink": eink
    default: nil
    }
  }
}
