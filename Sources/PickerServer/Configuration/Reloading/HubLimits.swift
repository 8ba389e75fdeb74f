import PickerHub
import PickerWire
import WebSocketTransport

/// The limits of the hubs that can change while they run.
struct HubLimits: Reloadable {
  let group: LoopGroup

  func prepare(_ settings: ServerConfiguration) -> @Sendable () -> Void {
    let limits = ServerLimits(settings.limits)
    return { [group] in
      for index in group.transports.indices {
        group.post(to: index) { $0.hub.change(limits) }
      }
    }
  }
}
