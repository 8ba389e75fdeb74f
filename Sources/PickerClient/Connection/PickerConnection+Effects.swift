import Synchronization

/// Carries out the effects of the machine: the socket, the timer and the readers.
extension PickerConnection {
  func perform(_ effect: ClientEffect, _ core: inout Core) {
    switch effect {
    case .connect: dial(&core)
    case .disconnect: disconnect(&core)
    case .requestToken: requestToken()
    case .send(let text): core.socket?.send(text)
    case .changed: core.readers.publish(core.machine.state)
    case .notice(let notice): core.readers.publish(.notice(notice))
    case .settled(let ref, let result):
      core.answers.settle(ref, result)
      core.readers.publish(.answered(ref: ref, result))
    }
  }

  private func dial(_ core: inout Core) {
    disconnect(&core)
    let socket = transport.dial(address)
    let number = core.dialCount
    core.socket = socket
    core.listening = Task { [weak self] in
      for await event in socket.events { self?.received(event, on: number) }
    }
  }

  private func disconnect(_ core: inout Core) {
    core.dialCount += 1
    core.socket?.close()
    core.socket = nil
  }

  private func received(_ event: SocketEvent, on number: Int) {
    core.withLock { core in
      guard number == core.dialCount else { return }
      switch event {
      case .opened: run(.opened, &core)
      case .message(let bytes): run(.received(bytes), &core)
      case .closed(let code, let reason):
        core.socket = nil
        run(.closed(code: code, reason: reason), &core)
      }
    }
  }

  func scheduleTick(_ core: inout Core) {
    let next = core.machine.nextTick
    if core.wake?.at == next { return }
    core.wake?.task.cancel()
    core.wake = nil
    guard let next else { return }
    let instant = origin.advanced(by: .milliseconds(next))
    let task = Task { [weak self] in
      try? await Task.sleep(until: instant, clock: .continuous)
      if !Task.isCancelled { self?.tick(for: next) }
    }
    core.wake = (next, task)
  }

  private func tick(for instant: Int64) {
    core.withLock { core in
      guard core.wake?.at == instant else { return }
      core.wake = nil
      run(.tick, &core)
    }
  }
}
