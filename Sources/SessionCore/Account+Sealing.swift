internal import CSessionCore

// Throughout this module, bytes are passed in as any collection and returned as arrays.

extension Account {
  /// Seals a message that only `recipient`, an account id, can open. It proves its sender.
  public func seal(
    _ message: some Collection<UInt8>, for recipient: SessionID
  ) throws(SessionError) -> [UInt8] {
    try recipient.require(.standard)
    return try withKeys { (keys) throws(SessionError) in
      try Core.bytes(of: recipient.bytes, message) { sc_seal($0, nil, keys, $1, $2) }
    }
  }

  /// Opens a message sealed for this account, and proves its sender.
  public func open(_ sealed: some Collection<UInt8>) throws(SessionError) -> OpenedMessage {
    try withKeys { (keys) throws(SessionError) in
      try OpenedMessage(sealed) { sc_seal_open($0, $1, keys.pointer(to: \.x), $2) }
    }
  }
}

extension SessionID {
  /// Throws an error that names the expected kinds unless the id has one of them.
  func require(_ kinds: Kind...) throws(SessionError) {
    guard !kinds.contains(kind) else { return }
    let expected = kinds.map(\.prefix).joined(separator: " or ")
    throw SessionError(
      .idKind, "an id that begins with \(expected) is needed; this one begins with \(kind.prefix) (\(kind))")
  }
}

extension Account {
  /// Seals a message for the members of a group, under the group's key of 32 bytes.
  public func seal(
    _ message: some Collection<UInt8>, forGroup group: SessionID, key: SecretBytes
  ) throws(SessionError) -> [UInt8] {
    try group.require(.group)
    return try withKeys { (keys) throws(SessionError) in
      try key.withCore { (key) throws(SessionError) in
        try Core.bytes(of: message) { sc_group_seal($0, nil, keys, group.key, key, $1, nil) }
      }
    }
  }

  /// Opens a message of a group with the first of `keys` that fits, and proves its sender.
  ///
  /// ``SessionError/Code/noKey`` means that a newer key is needed: keep the message.
  public static func open(
    _ sealed: some Collection<UInt8>, ofGroup group: SessionID, keys: [SecretBytes]
  ) throws(SessionError) -> OpenedMessage {
    try group.require(.group)
    return try keys.withCore { (keys) throws(SessionError) in
      try OpenedMessage(sealed) { sc_group_open($0, $1, nil, nil, group.key, keys, keys.count, $2) }
    }
  }
}
