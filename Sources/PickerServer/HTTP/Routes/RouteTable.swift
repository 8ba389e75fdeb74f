import WebSocketTransport

/// The routes of a listener, in order: the first pattern that matches a path is used.
struct RouteTable: Sendable {
  enum Match {
    case route(Route, variables: [String: String])
    /// The path exists, but only with these methods.
    case otherMethods([HTTPMethod])
    case none
  }

  let routes: [Route]

  /// The methods of all routes.
  var methods: [HTTPMethod] {
    [.get, .post, .put, .patch, .delete].filter { method in
      routes.contains { $0.method == method }
    }
  }

  func match(_ method: HTTPMethod, _ target: RequestTarget) -> Match {
    for route in routes {
      guard let variables = route.pattern.match(target.segments) else { continue }
      let sameRoutes = routes.filter { $0.pattern == route.pattern }
      guard let match = sameRoutes.first(where: { $0.accepts(method) }) else {
        return .otherMethods(sameRoutes.map(\.method))
      }
      return .route(match, variables: variables)
    }
    return .none
  }

  /// The routes that members use.
  ///
  /// - Parameter haveKeys: Whether a host has keys. Otherwise owners may change and delete their
  ///   sessions themselves.
  func ofMembers(haveKeys: Bool) -> RouteTable {
    RouteTable(
      routes: routes.filter { route in
        switch route.access {
        case .everyone, .sessionReader, .ticketReader, .member, .memberOrKey: true
        case .sessionKey: !haveKeys
        case .key, .metrics: false
        }
      })
  }

  /// The routes of the public listener and that of the backend. Other paths of the public one serve
  /// the web folder.
  ///
  /// - Parameter isClockManual: Whether clients can set the clock; for tests.
  static func main(isClockManual: Bool) -> RouteTable {
    RouteTable(
      routes: sessions + list + session + feed + documents + health + pages
        + (isClockManual ? clock : []))
  }

  /// The routes of the admin listener.
  static let admin = RouteTable(
    routes: health + list + operations + feed
      + [Route(.get, "/metrics", .metrics, HubRoutes.metrics)])

  /// The parameters of the query of a request that reads a session.
  static let reading = ["locale", "timeZone", "definition"]

  private static let sessions = [
    Route(.post, "/v1/sessions", .key(.sessions), rate: .create, HubRoutes.create),
    Route(
      .put, "/v1/sessions/by/{external}", .key(.sessions), rate: .create, HubRoutes.createByName),
    Route(
      .get, "/v1/sessions/by/{external}", .key(.sessions), rate: .log, query: reading,
      HubRoutes.readByName),
    Route(.post, "/v1/definitions/check", .key(.sessions), rate: .check, HubRoutes.check),
    Route(.get, "/v1/definitions/{name}", .key(.sessions), rate: .log, HubRoutes.readDocument),
    Route(
      .put, "/v1/definitions/{name}", .key(.sessions), rate: .create, largeBodyRate: .check,
      HubRoutes.changeDocument),
    Route(
      .patch, "/v1/definitions/{name}", .key(.sessions), rate: .command, largeBodyRate: .check,
      HubRoutes.changeDocument),
    Route(
      .delete, "/v1/definitions/{name}", .key(.sessions), rate: .command, HubRoutes.deleteShared),
    Route(
      .get, "/v1/definitions/{name}/inventory", .key(.sessions), rate: .log,
      query: ["key", "from", "through", "after", "limit"], HubRoutes.readInventory),
    Route(
      .post, "/v1/definitions/{name}/bookings", .key(.sessions), rate: .command, HubRoutes.book),
    Route(
      .get, "/v1/definitions/{name}/bookings", .key(.sessions), rate: .log,
      query: ["key", "after", "limit"], HubRoutes.listBookings),
    Route(
      .get, "/v1/definitions/{name}/bookings/{booking}", .key(.sessions), rate: .log,
      HubRoutes.readBooking),
    Route(
      .delete, "/v1/definitions/{name}/bookings/{booking}", .key(.sessions), rate: .command,
      HubRoutes.deleteBooking),
  ]

  private static let list = [
    Route(
      .get, "/v1/sessions", .key(.sessions), rate: .log,
      query: ["external", "status", "uses", "after", "limit", "include"], HubRoutes.list)
  ]

  private static let session = [
    Route(.get, "/v1/sessions/{id}", .sessionReader, query: reading, HubRoutes.read),
    Route(
      .delete, "/v1/sessions/{id}", .sessionKey(.sessions), query: ["release"], HubRoutes.delete),
    Route(
      .get, "/v1/sessions/{id}/log", .sessionReader, rate: .log, query: ["after", "limit"],
      HubRoutes.log),
    Route(.get, "/v1/sessions/{id}/definition", .sessionReader, HubRoutes.readDocument),
    Route(
      .put, "/v1/sessions/{id}/definition", .sessionKey(.sessions), largeBodyRate: .check,
      HubRoutes.changeDocument),
    Route(
      .patch, "/v1/sessions/{id}/definition", .sessionKey(.sessions), largeBodyRate: .check,
      HubRoutes.changeDocument),
    Route(.get, "/v1/sessions/{id}/notes", .sessionReader, HubRoutes.readDocument),
    Route(
      .patch, "/v1/sessions/{id}/notes", .sessionKey(.sessions), largeBodyRate: .check,
      HubRoutes.changeDocument),
    Route(.post, "/v1/sessions/{id}/revoke", .sessionKey(.sessions), HubRoutes.revoke),
    Route(.post, "/v1/sessions/{id}/role", .sessionKey(.sessions), HubRoutes.setRole),
    Route(
      .post, "/v1/sessions/{id}/settle", .sessionKey(.decide), rate: .command, HubRoutes.settle),
    Route(
      .get, "/v1/sessions/{id}/event.ics", .ticketReader, query: ["ticket", "locale"],
      HubRoutes.event),
    Route(
      .get, "/v1/sessions/{id}/events", .ticketReader, rate: .join,
      query: ["months", "count", "locale", "timeZone", "ticket"], HubRoutes.events),
    Route(.post, "/v1/sessions/{id}/members", .member, rate: .join, HubRoutes.addMember),
    Route(
      .put, "/v1/sessions/{id}/members/{member}/marks", .sessionKey(.sessions), rate: .command,
      HubRoutes.importMarks),
    Route(
      .post, "/v1/sessions/{id}/commands", .memberOrKey, rate: .command, query: ["locale"],
      HubRoutes.command),
    Route(.post, "/v1/sessions/{id}/tickets", .sessionReader, rate: .join, HubRoutes.createTicket),
    Route(
      .get, "/v1/sessions/{id}/months/{month}.svg", .ticketReader, rate: .drawing,
      query: ["width", "height", "locale", "theme", "ticket"], HubRoutes.drawMonth),
  ]

  private static let feed = [
    Route(
      .get, "/v1/feed", .key(.feed), query: ["after", "limit", "types", "waitSeconds", "epoch"],
      HubRoutes.readFeed),
    Route(.get, "/v1/feed/cursors/{name}", .key(.feed), HubRoutes.readCursor),
    Route(.put, "/v1/feed/cursors/{name}", .key(.feed), rate: .command, HubRoutes.setCursor),
    Route(
      .delete, "/v1/feed/cursors/{name}", .key(.feed), rate: .command, HubRoutes.deleteCursor),
  ]

  private static let documents = [
    Route(.get, "/v1/openapi.json", .everyone, HubRoutes.openAPI),
    Route(.get, "/v1/asyncapi.json", .everyone, HubRoutes.asyncAPI),
  ]

  private static let pages = [
    Route(.get, "/s/{link}", .everyone, HubRoutes.sessionPage)
  ]

  private static let health = [
    Route(.get, "/healthz", .everyone, HubRoutes.alive),
    Route(.get, "/readyz", .everyone, HubRoutes.ready),
  ]

  private static let clock = [
    Route(.post, "/v1/clock", .everyone, HubRoutes.setClock)
  ]
}
