// The first lines of PickerClient's documentation, compiled.
import PickerClient

/// An app's backend, which signs tokens for its users.
protocol ExampleBackend: Sendable {
  func pickerToken(for session: String) async throws -> String
}

func connect(to address: SessionAddress, session: String, with backend: any ExampleBackend) {
  let picker = PickerConnection(
    to: address,
    tokenProvider: {
      try await backend.pickerToken(for: session)
    })
  picker.start()
}

func watchAndTap(link: String) async {
  guard let address = SessionAddress(link) else { return }
  let picker = PickerConnection(to: address, as: ClientProfile(name: "Ana"))
  picker.start()

  do throws(PickerFailure) {
    let revision = try await picker.tap(PickerDay("2026-11-20")!)
    print("done, revision \(revision)")
  } catch {
    switch error {
    case .refused(.tapClaimed, _, _): print("somebody else has begun a range")
    case .refused(let code, let detail, _): print("\(code): \(detail)")
    case .offline, .replaced, .lost, .unknownRow, .badName, .badCells, .badValue, .cancelled:
      print("not done: \(error)")
    }
  }

  for await state in picker.states {
    print(state.connection, state.result ?? "nothing chosen")
    if case .away = state.connection { break }
  }
}
