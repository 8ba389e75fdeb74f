import Dispatch
import Foundation

/// Signals as happenings: what hears of one may do anything.
struct Signals {
  private var sources: [any DispatchSourceSignal] = []

  /// Calls `happened` for each of `numbers`, which do nothing else from now on.
  ///
  /// Returns when the sources are listening: until then a signal would be lost.
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
