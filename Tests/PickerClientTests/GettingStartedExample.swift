// The first lines of PickerClient's documentation, compiled.
import PickerClient

func watchAndTap(link: String) async {
  guard let address = SessionAddress(link) else { return }
  let picker = PickerConnection(to: address, as: ClientProfile(name: "Ana"))
  picker.start()

  do throws(PickerFailure) {
    let revision = try await picker.tap(PickerDay("2026-11-20")!)
    print("done, revision \(revision)")
  } catch {
    switch error {
    case .refused(.tapClaimed, _): print("somebody else has begun a range")
    case .refused(let code, let detail): print("\(code): \(detail)")
    case .offline, .replaced, .lost, .unknownRow, .cancelled: print("not done: \(error)")
    }
  }

  for await state in picker.states {
    print(state.connection, state.result ?? "nothing chosen")
    if case .away = state.connection { break }
  }
}
