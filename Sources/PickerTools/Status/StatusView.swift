import Foundation
import PickerTerminal

/// `pickerd status`: reads the metrics of a server again and again, and draws or prints them.
@MainActor
final class StatusView {
  /// Reads the metrics; called on any thread.
  typealias Source = @Sendable () throws -> String

  private enum Input: Sendable {
    case sample(text: String, seconds: Double)
    case failed(String)
    case bytes([UInt8])
    case resized, ended
  }

  private let url: String
  private let source: Source
  private let interval: Double
  private let depth = ColorDepth(ProcessInfo.processInfo.environment)
  private var signals = Signals()
  private var keys = KeyReader()
  private var drawn: Canvas?
  private var status: ServerStatus?
  private var last: (text: String, seconds: Double)?

  init(url: String, interval: Double, source: @escaping Source) {
    self.url = url
    self.interval = interval
    self.source = source
  }

  nonisolated package static var canDraw: Bool { Terminal.isInteractive }

  /// Draws until the user quits or the server cannot be reached.
  ///
  /// - Returns: The sentence why the server cannot be reached.
  func run() async -> String? {
    let (inputs, continuation) = AsyncStream.makeStream(of: Input.self)
    signals.watch([SIGINT, SIGTERM, SIGHUP, SIGQUIT]) { continuation.yield(.ended) }
    signals.watch([SIGWINCH]) { continuation.yield(.resized) }
    Terminal.enter()
    defer { Terminal.restore() }
    let (source, interval) = (source, interval)
    Thread.detachNewThread {
      while true {
        do {
          let text = try source()
          continuation.yield(.sample(text: text, seconds: StatusView.seconds))
        } catch {
          continuation.yield(.failed("\(error)"))
          return
        }
        Thread.sleep(forTimeInterval: interval)
      }
    }
    Task {
      for await bytes in standardInput() { continuation.yield(.bytes(bytes)) }
      continuation.yield(.ended)
    }
    for await input in inputs {
      switch input {
      case .ended: return nil
      case .failed(let sentence): return sentence
      case .resized: drawn = nil
      case .bytes(let bytes):
        if keys.take(bytes).contains(where: { [.letter("q"), .interrupt].contains($0) }) {
          return nil
        }
      case .sample(let text, let seconds): take((text, seconds))
      }
      draw()
    }
    return nil
  }

  private func take(_ sample: (text: String, seconds: Double)) {
    status = ServerStatus(url: url, first: last ?? sample, last: sample)
    last = sample
  }

  private func draw() {
    guard let status else { return }
    let size = Terminal.size
    let canvas = StatusPage(status).draw(width: size.width, height: size.height)
    if drawn != canvas { Terminal.write(canvas.sequence(after: drawn, depth)) }
    drawn = canvas
  }

  /// Seconds of a monotonic clock.
  nonisolated package static var seconds: Double {
    Double(DispatchTime.now().uptimeNanoseconds) / 1_000_000_000
  }
}

extension ServerStatus {
  /// The page as text, for pipes and screen readers.
  var page: String { StatusPage(self).text }
}
