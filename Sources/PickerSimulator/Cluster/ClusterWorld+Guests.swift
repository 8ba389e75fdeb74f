import JSONText
import PickerHub
import PickerSession
import PickerWire

/// The host, which changes a definition through any node, and visitors, which fill the sessions.
extension ClusterWorld {
  /// Adds a row of its own to the second column of the first session, then does so again later.
  func changeDefinition(number: Int = 0) {
    guard !isCalm, let session = columnsSession else { return }
    let row = "host \(number)"
    let patch = #"[{"op":"add","path":"/columns/1/-","value":"\#(row)"}]"#
    let request = DefinitionRequest(
      format: .jsonPatch, body: Array(patch.utf8), versions: nil, valuesMax: .max)
    let times = random.once(in: 3) ? 2 : 1
    for copy in 0..<times {
      // Two nodes get different changes at the same time.
      let own = copy == 0 ? request : other(row)
      let added = copy == 0 ? row : row + " again"
      random.pick(nodes).enter { hub in
        hub.redefine(session, own, token: nil, at: time.now) { [unowned self] result in
          if case .success = result { addedRows.append(added) }
        }
      }
    }
    time.after(random.within(100...1500)) { [unowned self] in
      changeDefinition(number: number + 1)
    }
  }

  private func other(_ row: String) -> DefinitionRequest {
    let patch = #"[{"op":"add","path":"/columns/1/-","value":"\#(row) again"}]"#
    return DefinitionRequest(
      format: .jsonPatch, body: Array(patch.utf8), versions: nil, valuesMax: .max)
  }

  /// Checks that every change that was answered is in the definition, and none twice.
  func checkRows(of fold: SessionFold) {
    let rows = fold.definition.document(full: true)["columns"]?.array?.last?.array ?? []
    let texts = rows.compactMap { $0.string ?? $0["text"]?.string }
    for row in addedRows where !texts.contains(row) {
      fail("no answered change of the host is lost: \(row)")
    }
    if Set(texts).count != texts.count { fail("no change of the host is done twice: \(texts)") }
  }

  /// A visitor joins for a moment: sessions become full.
  func visit(number: Int = 100) {
    guard !isCalm else { return }
    let session = random.pick(sessions)
    let seen = clients.first { $0.session == session }?.seen ?? SeenDeltas()
    let visitor = ClusterClient(number: number, session: session, seen: seen)
    connect(visitor)
    time.after(random.within(100...2000)) { [unowned self] in
      if let connection = visitor.connection { disconnect(connection) }
    }
    time.after(random.within(100...1500)) { [unowned self] in visit(number: number + 1) }
  }
}
