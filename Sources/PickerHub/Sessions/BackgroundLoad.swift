import PickerSession

/// A queued load that no request waits for.
struct BackgroundLoad {
  let session: SessionID
  /// Called when the session is loaded; `nil`: a due tick is applied.
  let body: ((HostedSession?) -> Void)?

  init(_ session: SessionID, body: ((HostedSession?) -> Void)? = nil) {
    self.session = session
    self.body = body
  }
}
