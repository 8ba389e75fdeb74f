/// The colours of a drawn month, and the little that a device without colours does instead.
///
/// - Source: article 004, `drawRect`, for ``article``.
struct MonthTheme: Hashable, Sendable {
  /// `nil` draws no ground: whatever is behind shows.
  var ground: String?
  var title: String
  var weekday: String
  var weekend: String
  var day: String
  /// The circle around a day that is not selected.
  var ring: String
  var today: String
  /// The disc of a neighbouring month's day; `nil` draws none.
  var outsideDisc: String?
  var outsideText: String
  var disabledText: String
  var band: String
  var bandText: String
  /// Whether a day that cannot be picked is struck through, because it cannot be paler.
  var strikesDisabled = false

  /// As the article draws, on the white of the table that its views stand in.
  static let article = MonthTheme(
    ground: "#ffffff", title: "#000000", weekday: "#0000ff", weekend: "#000000", day: "#6b6b6b",
    ring: "#eaeaea", today: "#34aff8", outsideDisc: "#f5f5f5", outsideText: "#dfdfdf",
    disabledText: "#dfdfdf", band: "#34aff8", bandText: "#ffffff")

  static let dark = MonthTheme(
    ground: "#16181c", title: "#f2f4f7", weekday: "#8ab4f8", weekend: "#c7cbd1", day: "#d5d9df",
    ring: "#3a3f47", today: "#4db6ff", outsideDisc: "#1d2025", outsideText: "#4b515a",
    disabledText: "#5a616b", band: "#1f7fc4", bandText: "#ffffff")

  /// Black and white, for panels that have nothing between.
  static let eink = MonthTheme(
    ground: "#ffffff", title: "#000000", weekday: "#000000", weekend: "#000000", day: "#000000",
    ring: "#ffffff", today: "#000000", outsideDisc: nil, outsideText: "#ffffff",
    disabledText: "#000000", band: "#000000", bandText: "#ffffff", strikesDisabled: true)

  /// The article's on no ground, as its view has it (`clearColor`).
  static var clear: MonthTheme {
    var theme = article
    theme.ground = nil
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
