import Foundation
import JSONText
import PickerSession
import Testing
import WebSocketTransport

@testable import PickerServer

@Suite struct RouteTableTests {
  private let table = RouteTable.main(isClockManual: false)

  private func pattern(_ method: HTTPMethod, _ path: String) -> String? {
    guard case .route(let route, _) = table.match(method, RequestTarget(path)) else { return nil }
    return route.pattern.text
  }

  @Test func `a path with variables matches its pattern and gives their texts`() throws {
    guard
      case .route(let route, let variables) = table.match(
        .get, RequestTarget("/v1/sessions/a1/months/2026-11.svg"))
    else { throw Missing() }
    #expect(route.pattern.text == "/v1/sessions/{id}/months/{month}.svg")
    #expect(variables == ["id": "a1", "month": "2026-11"])
  }

  @Test func `an external id may contain slashes`() throws {
    guard
      case .route(_, let variables) = table.match(
        .put, RequestTarget("/v1/sessions/by/order/4711/notes"))
    else { throw Missing() }
    #expect(variables == ["external": "order/4711/notes"])
  }

  @Test(arguments: [
    "/v1/sessions/a1/months/2026-11", "/v1/sessions/a1/log/", "/v1/Sessions", "/", "", "//",
  ])
  func `a path without a route matches none`(path: String) {
    guard case .none = table.match(.get, RequestTarget(path)) else {
      Issue.record("\(path) has a route")
      return
    }
  }

  @Test func `HEAD is allowed where GET is`() {
    #expect(pattern(.head, "/v1/sessions/a1") == "/v1/sessions/{id}")
    #expect(pattern(.head, "/v1/sessions/a1/members") == nil)
  }

  @Test func `an unsupported method gets the methods of the path`() throws {
    guard
      case .otherMethods(let methods) = table.match(
        .post, RequestTarget("/v1/sessions/a1/definition"))
    else { throw Missing() }
    #expect(methods == [.get, .put, .patch])
  }

  @Test func `the clock can be set only if it is manual`() {
    let manual = RouteTable.main(isClockManual: true)
    let clock = RequestTarget("/v1/clock")
    guard case .none = table.match(.post, clock), case .route = manual.match(.post, clock)
    else {
      Issue.record("the clock's route does not depend on the clock")
      return
    }
  }

  @Test func `a query may have the parameters that the API document has, and no others`() throws {
    let url = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../web/client/api/openapi.json")
    let document = try JSONTree.parse([UInt8](Data(contentsOf: url)))
    let tables = [RouteTable.main(isClockManual: true), .admin]
    for route in tables.flatMap(\.routes) where route.pattern.text.hasPrefix("/v1/") {
      let operation = document["paths"]?[route.pattern.text]?[route.method.rawValue.lowercased()]
      let names = (operation?["parameters"]?.array ?? []).filter { $0["in"]?.string == "query" }
        .compactMap { $0["name"]?.string }
      #expect(Set(names) == Set(route.query), "\(route.method) \(route.pattern.text)")
      #expect(throws: ProblemDocument.self) {
        try route.check(RequestTarget("/?unheard-of=1").query)
      }
    }
  }

  @Test(arguments: [RouteTable.main(isClockManual: true), .admin])
  func `every route can be reached`(table: RouteTable) {
    for route in table.routes {
      let path = route.pattern.text.replacing("{id}", with: "a1").replacing(
        "{month}", with: "2026-11")
      guard
        case .route(let match, _) = table.match(
          route.method, RequestTarget(path))
      else {
        Issue.record("\(route.method) \(path) does not match")
        continue
      }
      #expect(match.pattern == route.pattern && match.method == route.method)
    }
  }

  private struct Missing: Error {}

  /// Other changes are records of a batch.
  @Test func `what is a transaction of its own has a rate`() {
    let routes = RouteTable.main(isClockManual: false).routes.filter { route in
      ["/v1/definitions/{name}", "/v1/feed/cursors/{name}"].contains(route.pattern.text)
        && route.method != .get
    }
    #expect(routes.count == 5)
    for route in routes {
      #expect(route.rate != nil, "\(route.method) \(route.pattern.text)")
    }
  }
}
