import SessionLog

extension FeedLimits {
  init(_ settings: LimitSettings) {
    self.init()
    events = settings[.feedEvents]
    milliseconds = Int64(settings[.feedDays]) * 86_400_000
    // A small part of the store.
    bytes = max(65_536, settings[.storeBytes] / 64)
  }
}
