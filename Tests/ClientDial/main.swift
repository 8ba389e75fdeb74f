import Foundation
import PickerClient

/// Several connections of PickerClient in one process, for tests of their shared resources.
///
/// Each line of standard input is a link to a session of columns. A connection to it starts
/// immediately, selects a row when it is live, and prints the revision.
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
