internal import CSessionCore

// Bytes come in as any collection of bytes and go out as arrays, here and in the whole module.

extension Account {
  /// Seals a message that `recipient`, an account id, alone can open, learning for certain who wrote it.
  public func seal(
    _ message: some Collection<UInt8>, for recipient: SessionID
  ) throws(SessionError) -> [UInt8] {
    try seal(message, for: recipient) { sc_seal($0, nil, $1, $2, $3) }
  }

  /// Seals without randomness: the same message for the same recipient gives the same bytes, on each of the
  /// account's devices.
  public func sealDeterministically(
    _ message: some Collection<UInt8>, for recipient: SessionID
  ) throws(SessionError) -> [UInt8] {
    try seal(message, for: recipient, with: sc_seal_deterministic)
  }

  /// Opens a message sealed for this account, and proves its sender.
  public func open(_ sealed: some Collection<UInt8>) throws(SessionError) -> OpenedMessage {
    try withKeys { (keys) throws(SessionError) in
      try sealed.lend { (sealed) throws(SessionError) in
        try OpenedMessage { sc_seal_open($0, $1, keys.pointer(to: \.x), sealed) }
      }
    }
  }

  private func seal(
    _ message: some Collection<UInt8>, for recipient: SessionID,
    with seal: (UnsafeMutablePointer<sc_buffer>, UnsafePointer<sc_keypair>, sc_bytes, sc_bytes) -> sc_status
  ) throws(SessionError) -> [UInt8] {
    try recipient.require(.standard)
    return try withKeys { (keys) throws(SessionError) in
      try message.lend { (message) throws(SessionError) in
        try recipient.bytes.lend { (recipient) throws(SessionError) in
          try Core.bytes { seal($0, keys, recipient, message) }
        }
      }
    }
  }
}

extension SessionID {
  /// Throws unless the id is of `kind`, saying of which it is.
  func require(_ kinds: Kind...) throws(SessionError) {
    guard !kinds.contains(kind) else { return }
    let expected = kinds.map(\.prefix).joined(separator: " or ")
    throw SessionError(
      .idKind, "an id that begins with \(expected) is needed; this one begins with \(kind.prefix) (\(kind))")
  }
}
