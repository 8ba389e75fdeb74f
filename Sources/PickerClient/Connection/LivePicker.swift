public import Observation

/// The state of a connection as an observable object for SwiftUI: views that read it are redrawn
/// when it changes.
///
/// ```swift
/// @State private var picker = LivePicker(to: address, as: profile)
/// // …
/// .task { await picker.run() }
/// ```
@MainActor @Observable
public final class LivePicker {
  public private(set) var state = PickerState()
  /// The last notice; `nil` before the first.
  public private(set) var notice: PickerNotice?
  /// The connection, for everything except plain commands: months and rows in view, touches,
  /// leaving.
  @ObservationIgnored public let connection: PickerConnection

  /// Observes a connection that ``run()`` starts.
  public init(_ connection: PickerConnection) { self.connection = connection }

  /// Makes a connection to a session, which ``run()`` starts.
  public convenience init(
    to address: SessionAddress, as profile: ClientProfile = ClientProfile(),
    tokenProvider: TokenProvider? = nil
  ) { self.init(PickerConnection(to: address, as: profile, tokenProvider: tokenProvider)) }

  /// Connects, and updates ``state`` and ``notice`` until the task is cancelled. Then it
  /// disconnects; the member can reconnect within 120 s.
  public func run() async {
    let events = connection.events
    connection.start()
    for await event in events {
      switch event {
      case .state(let state): self.state = state
      case .notice(let notice): self.notice = notice
      case .answered, .found: continue
      }
    }
    connection.stop()
  }

  /// Sends a command. Its effect appears in ``state``, a refusal in ``notice``.
  public func send(_ command: PickerCommand) { connection.send(command) }
}
