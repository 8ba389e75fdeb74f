import JSONText
import PickerHost
import PickerHub
import PickerSession
import WebSocketTransport

/// The page at other addresses than `/`.
extension HubRoutes {
  /// `GET /s/{link}`: the page of a session, with its title and picture for previews of the link.
  ///
  /// They are read without a credential, so that a preview has nothing that needs one. With keys
  /// the session is not even looked up, and no answer shows whether it exists.
  func sessionPage(_ call: RoutedRequest) async throws(ProblemDocument) -> HTTPResponse? {
    let (head, session) = (call.request.head, SessionID(call["link"]))
    // A link that is cut before its id.
    guard !call["link"].isEmpty else { return try nowhere(call.request) }
    guard gate.keys(for: head) == nil else { return try page(call, of: nil) }
    let looksUp = hub.needsLookUp(session, at: transport.now)
    if looksUp, (try? gate.admitLookUp(head)) == nil { return try page(call, of: nil) }
    var document: [UInt8]?
    do throws(HubProblem) {
      document = try await hub.host.read(
        session, token: nil, locale: nil, isFull: false, at: transport.now)
    } catch {
      if looksUp, error == .noSuchSession { gate.chargeLookUp(head) }
    }
    return try page(call, of: document)
  }

  private func page(
    _ call: RoutedRequest, of document: [UInt8]?
  ) throws(ProblemDocument) -> HTTPResponse {
    let request = call.request
    let month = transport.now.session.rfc3339.utf8.prefix(7)
    let preview = LinkPreview(
      document, link: "\(httpBase(of: request))/v1/sessions/\(call["link"])",
      month: String(decoding: Array(month), as: UTF8.self))
    guard let page = files.page(at: request.path, head: preview.html) else {
      throw notFound(request.path)
    }
    return page
  }

  /// The answer to a request whose address leads to nothing.
  ///
  /// - Throws: 404, if it is none of a browser.
  func nowhere(_ request: HTTPRequest) throws(ProblemDocument) -> HTTPResponse {
    guard let page = pageNotFound(request) else { throw notFound(request.path) }
    return page
  }

  /// The answer to a browser whose address leads to nothing: a page with a way back.
  private func pageNotFound(_ request: HTTPRequest) -> HTTPResponse? {
    guard request.method == .get || request.method == .head,
      request.headers[.accept]?.contains("text/html") == true,
      !request.target.begins(with: ["v1"]),
      var page = files.page(at: request.path, head: #"<meta name="not-found" content="">"#)
    else { return nil }
    page.status = 404
    page.hasTagOfContent = false
    return page
  }
}

/// What a preview of a session's link shows.
///
/// - Source: The Open Graph protocol.
struct LinkPreview {
  private static let monthPicture = "?width=600&height=600"

  private let title: String
  private let picture: String?

  /// - Parameters:
  ///   - document: The answer to `GET` of the session without a credential; `nil` if it needs one,
  ///     or there is no session: both have the same preview.
  ///   - link: The URL of the session.
  ///   - month: The current month, such as `2026-11`.
  init(_ document: [UInt8]?, link: String, month: String) {
    let session = document.flatMap { try? JSONTree.parse($0) }
    title = session?["title"]?.string ?? "A shared picker"
    let calendar = session?["snapshot"]?["calendar"]
    let months = calendar?["months"]
    guard let first = months?["first"]?.string, let last = months?["last"]?.string else {
      picture = nil
      return
    }
    let start = calendar?["range"]?["start"]?.string.map { String($0.prefix(7)) }
    picture =
      "\(link)/months/\(start ?? max(first, min(month, last))).svg\(LinkPreview.monthPicture)"
  }

  /// The elements for the head of the page.
  var html: String {
    let image = picture.map { meta("og:image", $0) } ?? ""
    return "<title>\(LinkPreview.escaped(title))</title>" + meta("og:title", title)
      + meta("og:type", "website") + meta("og:site_name", "pickerd")
      + meta("og:description", "Open the link to choose together.") + image
  }

  private func meta(_ property: String, _ content: String) -> String {
    #"<meta property="\#(property)" content="\#(LinkPreview.escaped(content))">"#
  }

  /// A text as HTML, also inside quotes.
  static func escaped(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "") { html, scalar in
      switch scalar {
      case "&": html += "&amp;"
      case "<": html += "&lt;"
      case ">": html += "&gt;"
      case "\"": html += "&quot;"
      case "'": html += "&#39;"
      default: html.unicodeScalars.append(scalar)
      }
    }
  }
}
