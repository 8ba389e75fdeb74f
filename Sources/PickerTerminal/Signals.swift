import Dispatch
import Foundation

/// Delivers signals outside signal handlers, so that callbacks may call any function.
struct Signals {
  private var sources: [any DispatchSourceSignal] = []

  /// Calls `happened` for each of `numbers` and disables their default actions.
  ///
  /// Returns once the sources are active, because earlier signals would be lost.
  mutating func watch(_ numbers: [Int32], happened: @escaping @Sendable () -> Void) {
    for number in numbers {
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      let isListening = DispatchSemaphore(value: 0)
      source.setRegistrationHandler { isListening.signal() }
      source.setEventHandler(handler: happened)
      source.resume()
      isListening.wait()
      sources.append(source)
    }
  }
}
