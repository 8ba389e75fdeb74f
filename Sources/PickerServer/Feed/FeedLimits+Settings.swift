import SessionLog

extension FeedLimits {
  init(_ settings: LimitSettings) {
    self.init()
    events = settings[.feedEvents]
    milliseconds = Int64(settings[.feedDays]) * 86_400_000
    bytes = settings[.feedBytes]
    memoryBytes = settings[.feedMemoryBytes]
  }
}
