public import Observation

/// A connection's newest state for views that observe: SwiftUI redraws what reads it.
///
/// ```swift
/// @State private var picker = LivePicker(to: address, as: profile)
/// // …
/// .task { await picker.run() }
/// ```
@MainActor @Observable
public final class LivePicker {
  /// What there is to show.
  public private(set) var state = PickerState()
  /// What happened last; `nil` before anything did.
  public private(set) var notice: PickerNotice?
  @ObservationIgnored public let connection: PickerConnection

  public init(_ connection: PickerConnection) { self.connection = connection }

  public convenience init(
    to address: SessionAddress, as profile: ClientProfile = ClientProfile()
  ) { self.init(PickerConnection(to: address, as: profile)) }

  /// Connects and follows until the task is cancelled; then hangs up, and the server keeps the
  /// member for 120 s.
  public func run() async {
    let events = connection.events
    connection.start()
    for await event in events {
      switch event {
      case .state(let state): self.state = state
      case .notice(let notice): self.notice = notice
      case .answered: continue
      }
    }
    connection.stop()
  }

  /// Gives a command; what comes of it is seen in ``state`` and ``notice``.
  public func send(_ command: PickerCommand) { connection.send(command) }
}
