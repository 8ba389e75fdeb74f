/// Gets a token for this user from the app's backend, which signs it.
///
/// Called about a minute before the current token expires, after the server has rejected or revoked
/// it, and before the first join if the connection has no token. `nil` means that the user has no
/// access any more: the connection ends with ``PickerPhase/needsCredentials(code:)`` when the
/// current token expires, or with ``PickerPhase/away(code:)`` if the server has revoked it. After
/// an error the provider is called again: after 10 s while the connection is open, otherwise with
/// back-off, as after a token that the server rejects too. It must end at some time, because only
/// one call runs at a time.
///
/// ```swift
/// let picker = PickerConnection(to: address, tokenProvider: {
///   try await backend.pickerToken(for: session)
/// })
/// ```
public typealias TokenProvider = @Sendable () async throws -> String?

extension PickerConnection {
  /// Sets a new token: renews that of the open connection, or reconnects with it.
  ///
  /// For apps without a ``TokenProvider``. Call it before ``PickerState/tokenExpires``, or after
  /// ``PickerPhase/needsCredentials(code:)``:
  ///
  /// ```swift
  /// for await state in picker.states {
  ///   if case .needsCredentials = state.connection {
  ///     picker.setToken(try await fetchToken())
  ///   }
  /// }
  /// ```
  ///
  /// The session and `sub` of the token must be those of the previous one; the role may differ.
  public func setToken(_ token: String) { handle(.token(token)) }

  func requestToken() {
    guard let tokenProvider else { return }
    Task { [weak self] in
      do {
        guard let token = try await tokenProvider() else {
          self?.handle(.tokenUnavailable(isFinal: true))
          return
        }
        self?.handle(.tokenProvided(token))
      } catch {
        self?.handle(.tokenUnavailable(isFinal: false))
      }
    }
  }
}
