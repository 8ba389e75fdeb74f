import CivilTime
import PickerHub
import PickerModel
import PickerSession
import PickerWire
import WebSocketTransport

/// The HTTP API for clients without a WebSocket: pictures of months, server-sent events, members
/// and commands.
extension HubRoutes {
  /// `GET …/months/2026-11.svg`
  func drawMonth(_ call: RoutedRequest) throws(ProblemDocument) {
    let caller = call.caller
    let ifNoneMatch = call.request.headers[.ifNoneMatch]
    let month = try month(call["month"], named: "the month in the path")
    let width = try pixels(call.request, "width", default: 350)
    let height = try pixels(call.request, "height", default: 500)
    let themeName = call.request.queryValue("theme") ?? "article"
    guard let theme = MonthTheme.named(themeName) else {
      throw badRequest("theme must be one of \(MonthTheme.names.joined(separator: ", "))")
    }
    let ticket = try ticket(call.request, for: .months, of: call.session)
    hub.month(
      month, of: call.session, token: call.credential, ticket: ticket,
      locale: call.request.queryValue("locale"), at: transport.now
    ) { [self] result in
      switch result {
      case .success(let content):
        let drawing = MonthDrawing(
          width: width, height: height, theme: theme, language: content.texts.tag,
          title: content.texts.monthTitle(content.month),
          weekdays: content.cells.prefix(7).map { content.texts.weekday($0.date.weekday) },
          cells: content.cells, cellTexts: content.cells.map { content.texts.cell($0.date.day) },
          notes: content.notes.map {
            $0?.text(for: content.texts.noteTag, fallback: content.locale)
          },
          tones: content.notes.map { $0?.tone },
          bands: content.bands)
        send(drawing.svg, caller, ifNoneMatch: ifNoneMatch)
      case .failure(let problem): answer(caller, ProblemDocument(problem))
      }
    }
  }

  /// Sends a picture with a hash of its content as entity tag, so that the tag changes exactly when
  /// the picture does.
  private func send(_ picture: [UInt8], _ caller: Caller, ifNoneMatch: String?) {
    let tag = EntityTag.of(picture)
    let isKnown = ifNoneMatch.map { EntityTag.isNamed(tag, in: $0) } ?? false
    var headers = [("ETag", tag), ("Cache-Control", "private, no-cache")]
    if !isKnown {
      headers += [
        ("Content-Type", "image/svg+xml"), ("Content-Security-Policy", "default-src 'none'"),
        ("X-Content-Type-Options", "nosniff"), ("Cross-Origin-Resource-Policy", "cross-origin"),
      ]
    }
    var response = HTTPResponse(
      status: isKnown ? 304 : 200, headers: headers.map { (name: $0.0, value: $0.1) },
      body: isKnown ? [] : picture)
    response.hasTagOfContent = true
    transport.answer(caller, response)
  }

  /// `GET …/events`
  func events(_ call: RoutedRequest) throws(ProblemDocument) {
    let caller = call.caller
    var watch = WatchRequest()
    watch.token = call.credential
    watch.ticket = try ticket(call.request, for: .events, of: call.session)
    watch.locale = call.request.queryValue("locale")
    if let text = call.request.queryValue("months") {
      let countText = call.request.queryValue("count") ?? "1"
      guard let count = Int(countText), count >= 0 else {
        throw badRequest("count must be a number of months")
      }
      watch.view = MonthView(from: try month(text, named: "months"), count: count)
    }
    watch.seen = call.request.headers[.lastEventID].flatMap(ServerSentEvent.parse)
    if call.request.method == .head { return headOfEvents(caller, watch, call.session) }
    let seconds = hub.configuration.limits.ticketStreamSeconds
    let lifetime = watch.ticket.map { ticket in
      min(Int64(seconds) * 1000, (ticket.endsAt ?? .max) - transport.now.machine)
    }
    hub.watch(call.session, watch, at: transport.now) { [self] result in
      switch result {
      case .success(let epoch):
        return transport.openEvents(caller, epoch: epoch, lifetime: lifetime)
      case .failure(let problem):
        answer(caller, ProblemDocument(problem))
        return nil
      }
    }
  }

  /// Answers a `HEAD` request: the status and headers that a stream would have.
  private func headOfEvents(_ caller: Caller, _ watch: WatchRequest, _ session: SessionID) {
    hub.admitViewer(
      to: session, token: watch.token, ticket: watch.ticket, at: transport.now
    ) { [self] result in
      switch result {
      case .success:
        transport.answer(
          caller, HTTPResponse(status: 200, headers: HubTransport.eventHeaders))
      case .failure(let problem): answer(caller, ProblemDocument(problem))
      }
    }
  }

  /// `POST …/members`
  func addMember(_ call: RoutedRequest) throws(ProblemDocument) {
    let caller = call.caller
    try limitBody(of: call.request)
    let body: MemberRequest
    do throws(BadMessage) {
      body = try MemberRequest(call.request.body.bytes)
    } catch {
      throw badRequest(error.detail)
    }
    hub.addMember(to: call.session, body, token: call.credential, at: transport.now) {
      [self] result in
      switch result {
      case .success(let welcome): answer(caller, 201, "application/json", welcome)
      case .failure(let problem): answer(caller, ProblemDocument(problem))
      }
    }
  }

  /// `POST …/commands`
  func command(_ call: RoutedRequest) throws(ProblemDocument) {
    let caller = call.caller
    try limitBody(of: call.request)
    let body: CommandRequest
    do throws(BadMessage) {
      body = try CommandRequest(call.request.body.bytes)
    } catch {
      throw badRequest(error.detail)
    }
    hub.post(
      body, to: call.session, token: call.credential,
      locale: call.request.queryValue("locale"),
      at: transport.now
    ) { [self] in answer(caller, "application/json", $0) }
  }

  /// - Throws: 413 for a body larger than the limit `messageBytes`.
  func limitBody(of request: HTTPRequest) throws(ProblemDocument) {
    let byteCountMax = hub.configuration.limits.messageBytes
    guard request.body.count <= byteCountMax else {
      throw ProblemDocument(
        status: 413, code: "tooLarge", detail: "this body may have at most \(byteCountMax) bytes")
    }
  }

  private func month(
    _ text: String, named name: String
  ) throws(ProblemDocument) -> CivilMonth {
    guard let month = CivilMonth(iso: text.utf8) else {
      throw badRequest("\(name) must be a month such as 2026-11")
    }
    return month
  }

  private func pixels(
    _ request: HTTPRequest, _ name: String, default standard: Int
  ) throws(ProblemDocument) -> Int {
    guard let text = request.queryValue(name) else { return standard }
    guard let number = Int(text), (50...4000).contains(number) else {
      throw badRequest("\(name) must be a number of pixels from 50 to 4000")
    }
    return number
  }

  private func badRequest(_ detail: String) -> ProblemDocument {
    ProblemDocument(status: 400, code: "badRequest", detail: detail)
  }
}
