import DequeModule
package import PickerSession
import Synchronization

/// The feed of a server without a file: shared by the logs of all loops, lost when the process
/// ends.
package final class MemoryFeed: EventFeed {
  private struct State {
    var lines: Deque<FeedLine> = []
    var times: Deque<Int64> = []
    var position = 0
    var byteCount = 0
    var cursors: [String: Int] = [:]

    var bounds: FeedBounds {
      FeedBounds(oldest: lines.first?.position ?? position + 1, newest: position)
    }
  }

  package let epoch: String
  package let signal = FeedSignal()
  private let state = Mutex(State())
  private let limits: FeedLimits
  private let digest: @Sendable ([UInt8]) -> [UInt8]
  private let now: @Sendable () -> Int64

  /// - Parameters:
  ///   - epoch: Another one for each process.
  ///   - digest: A one-way hash.
  ///   - now: Milliseconds since 1970; called on any thread.
  package init(
    epoch: String = "", limits: FeedLimits = FeedLimits(),
    digest: @escaping @Sendable ([UInt8]) -> [UInt8],
    now: @escaping @Sendable () -> Int64
  ) {
    self.epoch = epoch
    self.limits = limits
    self.digest = digest
    self.now = now
  }

  package func append(_ events: [FeedEvent]) {
    let time = now()
    let news = state.withLock { state in
      var added: [FeedLine] = []
      for event in events {
        state.position += 1
        let line = FeedLine(event, position: state.position, digest: digest)
        added.append(line)
        state.byteCount += line.byteCount
        state.lines.append(line)
        state.times.append(time)
      }
      while let first = state.lines.first,
        state.lines.count > limits.events
          || state.byteCount > limits.memoryBytes || state.times[0] < time - limits.milliseconds
      {
        state.byteCount -= first.byteCount
        state.lines.removeFirst()
        state.times.removeFirst()
      }
      return FeedNews(position: state.position, added)
    }
    signal.advance(news)
  }

  package func read(
    _ request: FeedRequest, completion: @escaping @Sendable (Result<FeedPage, FeedProblem>) -> Void
  ) {
    completion(state.withLock { state in MemoryFeed.page(request, state) })
  }

  private static func page(
    _ request: FeedRequest, _ state: State
  ) -> Result<FeedPage, FeedProblem> {
    do throws(FeedProblem) {
      try state.bounds.check(request.after)
    } catch {
      return .failure(error)
    }
    var (lines, byteCount): ([FeedLine], Int) = ([], 0)
    for line in state.lines.dropFirst(request.after + 1 - state.bounds.oldest) {
      if let types = request.types, !types.contains(line.type) { continue }
      if let namespace = request.namespace, namespace != line.namespace { continue }
      lines.append(line)
      byteCount += line.byteCount
      if lines.count >= request.countMax || byteCount >= FeedRequest.byteCountMax {
        return .success(FeedPage(lines: lines, position: line.position))
      }
    }
    return .success(FeedPage(lines: lines, position: state.position))
  }

  package var cursors: [String: Int] { state.withLock { $0.cursors } }

  package func setCursor(
    _ name: CursorName, to position: Int?,
    completion: @escaping @Sendable (Result<Void, FeedProblem>) -> Void
  ) {
    let isSet = state.withLock { state in
      let isKnown = position == nil || state.cursors[name.text] != nil
      guard isKnown || name.hasRoom(among: state.cursors.keys) else { return false }
      state.cursors[name.text] = position
      return true
    }
    completion(isSet ? .success(()) : .failure(.tooManyCursors))
  }
}
