import CivilTime
import PickerHost
import PickerHub
import PickerModel
import PickerWire
import WebSocketTransport

/// Pictures of months, for pages without scripts.
extension HubRoutes {
  /// `GET …/months/2026-11.svg`
  func drawMonth(_ call: RoutedRequest) async throws(ProblemDocument) -> HTTPResponse? {
    let month = try month(call["month"], named: "the month in the path")
    let width = try pixels(call.request, "width", default: 350)
    let height = try pixels(call.request, "height", default: 500)
    let themeName = call.request.queryValue("theme") ?? "article"
    guard let theme = MonthTheme.named(themeName) else {
      throw .badRequest("theme must be one of \(MonthTheme.names.joined(separator: ", "))")
    }
    let ticket = try ticket(call.request, for: .months, of: call.session)
    let content = try await host { host throws(HubProblem) in
      try await host.month(
        month, of: call.session, token: call.credential, ticket: ticket, locale: call.locale,
        at: transport.now)
    }
    let drawing = MonthDrawing(
      width: width, height: height, theme: theme, language: content.texts.tag,
      title: content.texts.monthTitle(content.month),
      weekdays: content.cells.prefix(7).map { content.texts.weekday($0.date.weekday) },
      cells: content.cells, cellTexts: content.cells.map { content.texts.cell($0.date.day) },
      notes: content.notes.map { $0?.text(for: content.texts.noteTag, fallback: content.locale) },
      tones: content.notes.map { $0?.tone },
      bands: content.bands, hasHalves: content.hasHalves)
    return HTTPResponse(
      tagged: drawing.svg, ifNoneMatch: call.request.headers[.ifNoneMatch],
      [
        ("Content-Type", "image/svg+xml"), ("Content-Security-Policy", "default-src 'none'"),
        ("X-Content-Type-Options", "nosniff"), ("Cross-Origin-Resource-Policy", "cross-origin"),
      ])
  }

  private func pixels(
    _ request: HTTPRequest, _ name: String, default standard: Int
  ) throws(ProblemDocument) -> Int {
    guard let text = request.queryValue(name) else { return standard }
    guard let number = Int(text), (50...4000).contains(number) else {
      throw .badRequest("\(name) must be a number of pixels from 50 to 4000")
    }
    return number
  }
}
