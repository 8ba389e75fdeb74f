import Foundation
import PickerClient

/// Several connections of the shipped client in one process, for tests of what they share.
///
/// Each line of standard input is the link of a session of columns. A connection to it starts at
/// once, selects a row when it is live, and reports the revision.
var connections: [PickerConnection] = []

while let link = readLine() {
  guard let address = SessionAddress(link) else { fatalError("\(link) is not a link") }
  let picker = PickerConnection(to: address)
  connections.append(picker)
  picker.start()
  Task.detached {
    for await state in picker.states where state.connection == .live { break }
    let outcome: String
    do throws(PickerFailure) {
      outcome = "is at revision \(try await picker.select(row: 1, column: 0))"
    } catch {
      outcome = "failed: \(error)"
    }
    FileHandle.standardOutput.write(Data("\(link) \(outcome)\n".utf8))
  }
}
