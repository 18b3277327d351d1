import SessionCore

/// Shows what the keys of a group are stored and kept as. They are no config messages, and not encrypted as a whole.
struct GroupKeysReading {
  let keys: ConfigInspection.Keys
  let showsSecrets: Bool

  private static let dumpBeginning = "d1:A"
  /// A nonce, where config messages have the number of their revision.
  private static let messageBeginning = "d1:#24:"

  /// True if it begins like such a message or dump.
  static func isOfKeys(_ bytes: [UInt8]) -> Bool {
    [dumpBeginning, messageBeginning].contains { bytes.starts(with: $0.utf8) }
  }

  func inspect(_ input: ConfigInspection.Input) throws -> Inspection {
    let bytes = input.bytes
    guard Self.isOfKeys(bytes) else {
      throw CommandFailure.data("\(input.name): neither a message with keys of a group nor a dump of them")
    }
    let isDump = bytes.starts(with: Self.dumpBeginning.utf8)
    let fields = ConfigReading(kind: .groupKeys, showsSecrets: showsSecrets)
      .fields(bytes, as: isDump ? .keysDump : .keysMessage)
    return Inspection(
      isDump ? "dump of group keys" : "message with group keys", at: bytes.indices,
      parts: (isDump ? [] : try facts(about: bytes)) + fields)
  }

  /// The results of checking the message for the group and the account.
  private func facts(about message: [UInt8]) throws -> [Inspection] {
    guard let group = keys.group else { return [Inspection("signature", value: "--group-id checks it")] }
    do throws(SessionError) {
      let reader = if let account = keys.account { account } else { try Account.generate() }
      let document = try GroupKeysDocument(reading: message, of: group, as: reader)
      let good = Inspection("signature", verdict: .good)
      guard keys.account != nil else { return [good] }
      return [good] + shown(document.keys)
    } catch {
      return [Inspection("signature", value: error.code == .signature ? nil : error.message, verdict: .bad)]
    }
  }

  private func shown(_ keys: [SecretBytes]) -> [Inspection] {
    guard !keys.isEmpty else { return [Inspection("keys for the account", value: "none")] }
    return keys.map { key in
      Inspection("key for the account", value: showsSecrets ? key.reveal().hex : "not shown")
    }
  }
}
