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

extension Account {
  /// Seals a message for the members of a group, under the group's key of 32 bytes.
  public func seal(
    _ message: some Collection<UInt8>, forGroup group: SessionID, key: SecretBytes
  ) throws(SessionError) -> [UInt8] {
    try group.require(.group)
    return try withKeys { (keys) throws(SessionError) in
      try key.withCore { (key) throws(SessionError) in
        try message.lend { (message) throws(SessionError) in
          try Core.bytes { sc_group_seal($0, nil, keys, group.key, key, message, nil) }
        }
      }
    }
  }

  /// Opens a message of a group with the first of `keys` that fits, and proves its sender.
  ///
  /// ``SessionError/Code/noKey`` means that newer keys are needed: keep the message.
  public static func open(
    _ sealed: some Collection<UInt8>, ofGroup group: SessionID, keys: [SecretBytes]
  ) throws(SessionError) -> OpenedMessage {
    try group.require(.group)
    return try keys.withCore { (keys) throws(SessionError) in
      try sealed.lend { (sealed) throws(SessionError) in
        try OpenedMessage { sc_group_open($0, $1, nil, nil, group.key, keys, keys.count, sealed) }
      }
    }
  }
}

extension Account {
  /// Seals one message for several accounts in one blob: each opens it, none learns who the others are.
  ///
  /// `domain` names the purpose and must be the same on both ends; 64 bytes of it count. Unlike a message
  /// sealed for one recipient, the blob does not prove its sender to third parties.
  public func seal(
    _ message: some Collection<UInt8>, forAll recipients: [SessionID], domain: String
  ) throws(SessionError) -> [UInt8] {
    for recipient in recipients { try recipient.require(.standard) }
    let recipientKeys = recipients.flatMap(\.key)
    return try withKeys { (keys) throws(SessionError) in
      try message.lend { (message) throws(SessionError) in
        try recipientKeys.lend { (recipientKeys) throws(SessionError) in
          try domain.utf8.lend { (domain) throws(SessionError) in
            let size = Int(SC_KEY_BYTES)
            let views = (0..<recipients.count).map { sc_bytes(ptr: recipientKeys.ptr + $0 * size, len: size) }
            return try Core.bytes {
              sc_multi_seal($0, nil, keys.pointer(to: \.x), views, views.count, [message], 1, domain, nil)
            }
          }
        }
      }
    }
  }

  /// Opens a blob that `sender` sealed for this account among others.
  public func open(
    _ blob: some Collection<UInt8>, fromAccount sender: SessionID, domain: String
  ) throws(SessionError) -> [UInt8] {
    try sender.require(.standard)
    return try withKeys { (keys) throws(SessionError) in
      try blob.lend { (blob) throws(SessionError) in
        try domain.utf8.lend { (domain) throws(SessionError) in
          try Core.bytes { sc_multi_open($0, keys.pointer(to: \.x), sender.key, domain, blob) }
        }
      }
    }
  }
}
