import JSONText
import PickerHub
import PickerModel
import PickerSession
import PickerWire
import SessionLog
import WebSocketTransport

/// The inventory of a shared definition, and the host's bookings from elsewhere.
/// - Source: web/guide/holds.md.
extension HubRoutes {
  /// `GET /v1/definitions/{name}/inventory`
  func readInventory(_ call: RoutedRequest) async throws(ProblemDocument) -> HTTPResponse? {
    let name = try sharedName(call)
    try checkTexts(call)
    let keys = call.request.target.query.filter { $0.name == "key" }.map(\.value)
    let query: InventoryQuery
    if keys.isEmpty {
      query = .range(
        from: call.request.queryValue("from"), through: call.request.queryValue("through"),
        after: call.request.queryValue("after"), limit: try pageLimit(call))
    } else {
      try checkOnlyKeys(call, keys)
      query = .keys(keys)
    }
    let found = await fromAnyThread { store.shared.counts(query, of: name, completion: $0) }
    let page = try await inventory(found, of: name)
    return HTTPResponse(json: page.tree.serialized())
  }

  /// No store has U+0000 in a text.
  private func checkTexts(_ call: RoutedRequest) throws(ProblemDocument) {
    guard call.request.target.query.allSatisfy({ !$0.value.utf8.contains(0) }) else {
      throw .badRequest("a value of the query has the character U+0000")
    }
  }

  private func checkOnlyKeys(
    _ call: RoutedRequest, _ keys: [String]
  ) throws(ProblemDocument) {
    guard keys.count <= InventoryKey.countMax else {
      throw .badRequest("at most \(InventoryKey.countMax) keys can be read at once")
    }
    guard call.request.target.query.allSatisfy({ $0.name == "key" }) else {
      throw .badRequest("with key, the query has no from, through, after and limit")
    }
  }

  /// `POST /v1/definitions/{name}/bookings`
  func book(_ call: RoutedRequest) async throws(ProblemDocument) -> HTTPResponse? {
    try limitBody(of: call.request)
    let name = try sharedName(call)
    let kind = try await inventoryKind(of: name)
    let booking = try booking(call, for: kind)
    let outcome = await fromAnyThread { store.shared.book(booking, in: name, completion: $0) }
    switch outcome {
    case .booked(let booking, let isNew):
      return HTTPResponse(json: booking.tree.serialized(), status: isNew ? 201 : 200)
    case .refused(let refusal): throw ProblemDocument(refusal)
    case .keyReused:
      throw ProblemDocument(
        status: 422, code: "keyReused",
        detail: "another booking has this id, with other keys or units; give each its own id")
    case .noInventory: throw .noSuchInventory
    case .unavailable: throw ProblemDocument(HubProblem.unavailable)
    }
  }

  /// The kind of a definition that has an inventory.
  private func inventoryKind(of name: String) async throws(ProblemDocument) -> PickerKind {
    guard let shared = try await shared(name) else {
      throw ProblemDocument(HubProblem.noSuchDefinition)
    }
    guard shared.inventory != nil, let kind = shared.kind else { throw .noSuchInventory }
    return kind
  }

  /// `GET /v1/definitions/{name}/bookings`
  func listBookings(_ call: RoutedRequest) async throws(ProblemDocument) -> HTTPResponse? {
    let (name, limit) = (try sharedName(call), try pageLimit(call))
    try checkTexts(call)
    let (key, after) = (call.request.queryValue("key"), call.request.queryValue("after"))
    let found = await fromAnyThread {
      store.shared.bookings(of: name, key: key, after: after, limit: limit, completion: $0)
    }
    let page = try await inventory(found, of: name)
    let next = page.next.map { [JSONTree.Member("next", .string($0))] } ?? []
    return HTTPResponse(
      json: JSONTree.object([.init("bookings", .array(page.bookings.map(\.tree)))] + next)
        .serialized())
  }

  /// `GET /v1/definitions/{name}/bookings/{booking}`
  func readBooking(_ call: RoutedRequest) async throws(ProblemDocument) -> HTTPResponse? {
    let name = try sharedName(call)
    let id = call["booking"]
    // Reads the inventory for another id, so that its problems come first.
    let found = await fromAnyThread {
      store.shared.booking(isBookingID(id) ? id : "", of: name, completion: $0)
    }
    guard let booking = try await inventory(found, of: name) else {
      throw ProblemDocument(
        status: 404, code: "noSuchBooking", detail: "there is no booking with this id")
    }
    return HTTPResponse(json: booking.tree.serialized())
  }

  /// `DELETE /v1/definitions/{name}/bookings/{booking}`
  func deleteBooking(_ call: RoutedRequest) async throws(ProblemDocument) -> HTTPResponse? {
    let name = try sharedName(call)
    let id = call["booking"]
    let removal = await fromAnyThread {
      store.shared.removeBooking(isBookingID(id) ? id : "", of: name, completion: $0)
    }
    switch removal {
    case .done: return HTTPResponse(status: 204)
    case .inUse:
      throw ProblemDocument(
        status: 409, code: "inUse",
        detail: "a living session has this booking: cancel it there, or delete the session with "
          + "release=true")
    case .noInventory:
      _ = try await inventoryKind(of: name)
      throw .noSuchInventory
    case .unavailable: throw ProblemDocument(HubProblem.unavailable)
    }
  }

  /// What was found of an inventory.
  private func inventory<Found>(
    _ found: LogLookup<Found>, of name: String
  ) async throws(ProblemDocument) -> Found {
    switch found {
    case .found(let found): return found
    case .absent:
      _ = try await inventoryKind(of: name)
      throw .noSuchInventory
    case .elsewhere, .unavailable, .unreadable: throw ProblemDocument(HubProblem.unavailable)
    }
  }

  /// The keys on which more is taken than there is, for the answer of a change; none without an
  /// inventory.
  func keysOver(of name: String) async -> [String] {
    await fromAnyThread { store.shared.keysOver(of: name, completion: $0) }.value ?? []
  }

  /// Whether a `DELETE` of a session deletes its booking, too.
  func releasesBooking(_ call: RoutedRequest) throws(ProblemDocument) -> Bool {
    switch call.request.queryValue("release") {
    case nil, "false": return false
    case "true": return true
    case .some: throw .badRequest("release must be true or false")
    }
  }

  private func pageLimit(_ call: RoutedRequest) throws(ProblemDocument) -> Int {
    guard let limit = Int(call.request.queryValue("limit") ?? "100"), (1...1000).contains(limit)
    else {
      throw .badRequest("limit must be an integer from 1 to 1000")
    }
    return limit
  }
}

/// Reading a booking from elsewhere.
extension HubRoutes {
  private func booking(
    _ call: RoutedRequest, for kind: PickerKind
  ) throws(ProblemDocument) -> HostBooking {
    let tree = try body(of: call, fields: ["booking", "keys", "units", "over"])
    guard let id = tree["booking"]?.string, isBookingID(id) else {
      throw .badRequest(
        "booking must be the host's id of it, of 1 to 64 characters", at: "/booking")
    }
    var booking = HostBooking(
      id: id, keys: try keys(tree["keys"], of: kind), units: try units(tree["units"]))
    if let over = tree["over"] {
      guard let isOver = over.bool else {
        throw .badRequest("over must be true or false", at: "/over")
      }
      booking.isOver = isOver
    }
    return booking
  }

  /// An id is a part of a path.
  private func isBookingID(_ text: String) -> Bool {
    (1...64).contains(text.unicodeScalars.count) && text != "." && text != ".."
      && text.unicodeScalars.allSatisfy { $0.value >= 32 && $0.value != 127 }
  }

  private func units(_ tree: JSONTree?) throws(ProblemDocument) -> Int {
    guard let tree else { return 1 }
    guard let units = tree.integer, (1...1000).contains(units) else {
      throw .badRequest("units must be an integer from 1 to 1000", at: "/units")
    }
    return units
  }

  private func keys(
    _ tree: JSONTree?, of kind: PickerKind
  ) throws(ProblemDocument) -> [String] {
    guard let elements = tree?.array, (1...InventoryKey.countMax).contains(elements.count) else {
      throw .badRequest("keys must be an array of 1 to \(InventoryKey.countMax) keys", at: "/keys")
    }
    var keys: [String] = []
    var known: Set<String> = []
    for (index, element) in elements.enumerated() {
      guard let key = element.string, InventoryKey.isKey(key, of: kind) else {
        throw .badRequest("a key must be \(InventoryKey.example(of: kind))", at: "/keys/\(index)")
      }
      guard known.insert(key).inserted else {
        throw .badRequest("this key is there twice", at: "/keys/\(index)")
      }
      keys.append(key)
    }
    return keys
  }
}

extension InventoryPage {
  fileprivate var tree: JSONTree {
    let counts = keys.map { key, count in
      JSONTree.Member(
        key,
        .object([
          .init("capacity", .integer(count.capacity)), .init("booked", .integer(count.booked)),
          .init("held", .integer(count.held)), .init("offered", .integer(count.offered)),
          .init("waiting", .integer(count.waiting)), .init("free", .integer(max(0, count.free))),
        ]))
    }
    let next = next.map { [JSONTree.Member("next", .string($0))] } ?? []
    return .object([.init("keys", .object(counts))] + next)
  }
}

extension HostBooking {
  fileprivate var tree: JSONTree {
    var members: [JSONTree.Member] = [
      .init("booking", .string(id)), .init("keys", .array(keys.map(JSONTree.string))),
      .init("units", .integer(units)),
    ]
    if isOver { members.append(.init("over", .bool(true))) }
    if let session { members.append(.init("session", .string(session.text))) }
    return .object(members)
  }
}

extension ProblemDocument {
  fileprivate static var noSuchInventory: ProblemDocument {
    ProblemDocument(
      status: 404, code: "noSuchInventory",
      detail: "this definition has no inventory; PUT or PATCH it with one")
  }

  /// Why a booking is not made.
  fileprivate init(_ refusal: InventoryRefusal) {
    let detail =
      switch refusal.code {
      case .soldOut: "there are not enough units of the keys"
      case .held: "others hold the units that are left of the keys"
      case .waiting: "others have waited longer for the keys"
      case .full, .tooManyHolds, .holdLimit, .free, .wrongKind:
        "the inventory has as many bookings as it can have"
      }
    var members: [JSONTree.Member] = []
    if !refusal.keys.isEmpty {
      members.append(.init("keys", .array(refusal.keys.map(JSONTree.string))))
    }
    if let until = refusal.until { members.append(.init("until", .string(until.rfc3339))) }
    self.init(status: 409, code: refusal.code.rawValue, detail: detail, members: members)
  }
}
