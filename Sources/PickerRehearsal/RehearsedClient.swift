package import JSONText

/// A client under test. Called on the scene's thread only.
package protocol RehearsedClient: AnyObject {
  /// Starts the client as a new member of the session at `url`, without any stored state.
  func open(_ url: String) throws
  /// Makes its user act: a command of the protocol without `ref`, `generation` and `key`.
  func act(_ command: JSONTree)
  /// Requests its state, and waits for it.
  ///
  /// - Returns: `nil` if none comes within `seconds`, or the client has ended.
  func state(within seconds: Double) -> JSONTree?
  /// Ends the client.
  func close()
  /// Additional output for a failure report: the end of its standard error.
  var notes: String { get }
}

extension RehearsedClient {
  package var notes: String { "" }
}

extension JSONTree {
  /// The instruction that requests the state.
  static let stateQuestion = JSONTree.object([.init("type", .string("state"))])

  var text: String { String(decoding: serialized(), as: UTF8.self) }

  /// Whether this is a client's state. Lines of `pickerd join --json` have `event`: of these only
  /// `show` is a state.
  var isState: Bool {
    self["revision"] != nil && (self["event"] == nil || self["event"]?.string == "show")
  }
}
