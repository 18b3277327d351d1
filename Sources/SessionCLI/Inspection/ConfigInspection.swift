import SessionCore

/// Shows config messages, stored or not, and dumps of configs; and what several of them come to.
struct ConfigInspection: ~Copyable {
  /// A file and what is in it.
  struct Input {
    let name: String
    let bytes: [UInt8]
  }

  /// The available keys.
  struct Keys {
    var account: Account?
    var group: SessionID?
    var groupKeys: [SecretBytes] = []
  }

  private let keys: Keys
  private let showsSecrets: Bool
  /// The kind of the inputs, once known.
  private var kind: ConfigKind?
  private var waiting: ConfigParts
  private var found: [ConfigMerging.Revision] = []

  private init(kind: ConfigKind?, keys: Keys, showsSecrets: Bool) throws(SessionError) {
    self.keys = keys
    self.showsSecrets = showsSecrets
    self.kind = kind
    waiting = try ConfigParts()
  }

  static func inspect(
    _ inputs: [Input], kind: ConfigKind?, keys: Keys, showsSecrets: Bool
  ) throws -> Inspection {
    var inspection = try ConfigInspection(kind: kind, keys: keys, showsSecrets: showsSecrets)
    var shown: [Inspection] = []
    for (number, input) in inputs.enumerated() {
      do {
        shown.append(try inspection.inspect(input, number: number))
      } catch {
        throw CommandFailure(error, subject: input.name)
      }
    }
    guard inputs.count > 1 else { return shown[0] }
    for (index, input) in inputs.enumerated() { shown[index].name = "\(input.name): \(shown[index].name)" }
    // The keys of a group are no config messages: nothing is merged.
    let merged = inspection.kind == .groupKeys ? [] : [inspection.merged()]
    return Inspection("configs", parts: shown + merged)
  }

  private mutating func inspect(_ input: Input, number: Int) throws -> Inspection {
    let bytes = input.bytes
    if kind == .groupKeys || (kind == nil && GroupKeysReading.isOfKeys(bytes)) { return try groupKeys(input) }
    guard !Self.isPlain(bytes), let key else { return try plain(input) }
    let (kind, stored): (ConfigKind, StoredConfig)
    do {
      (kind, stored) = try open(input, with: key)
    } catch {
      // Even what does not look like it may be no stored message.
      guard let shown = try? plain(input) else { throw error }
      return shown
    }
    self.kind = kind
    var parts = [Inspection("kind", value: kind.shownName)]
    switch stored {
    case .message(let message): parts.append(try document(message, of: input))
    case .part(let part):
      parts.append(Inspection("part", at: part.indices, value: "one of several that make up a message"))
      if let message = try waiting.accept(part, named: "\(number)") {
        parts.append(try document(message, of: input))
      }
    }
    return Inspection("stored config", at: bytes.indices, parts: parts)
  }

  /// True if it begins like a dump or config message; encrypted data begins with any bytes.
  private static func isPlain(_ bytes: [UInt8]) -> Bool {
    ["d1:!i", "d1:#i"].contains { bytes.starts(with: $0.utf8) }
  }

  /// Inspects unencrypted data.
  private mutating func plain(_ input: Input) throws -> Inspection {
    if input.bytes.starts(with: "d1:!".utf8) { return try dump(input) }
    if input.bytes.first == UInt8(ascii: "d") { return try document(input.bytes, of: input) }
    return try packed(input)
  }

  private mutating func groupKeys(_ input: Input) throws -> Inspection {
    kind = .groupKeys
    return try GroupKeysReading(keys: keys, showsSecrets: showsSecrets).inspect(input)
  }

  private var reading: ConfigReading { ConfigReading(kind: kind, showsSecrets: showsSecrets) }

  private mutating func dump(_ input: Input) throws -> Inspection {
    let message = try DumpedConfig(parsing: input.bytes).message
    let document = try ConfigDocument(parsing: message, signedBy: keys.group)
    found.append(ConfigMerging.Revision(name: input.name, document: document))
    let fields = reading.dump(input.bytes).flatMap { $0.place == nil ? [$0] : $0.parts }
    return Inspection("dump of a config", at: input.bytes.indices, parts: facts(about: document) + fields)
  }

  private mutating func document(_ bytes: [UInt8], of input: Input) throws -> Inspection {
    let document = try ConfigDocument(parsing: bytes, signedBy: keys.group)
    found.append(ConfigMerging.Revision(name: input.name, document: document))
    return shown(document)
  }

  private func shown(_ document: ConfigDocument) -> Inspection {
    Inspection(
      "config message", at: document.bytes.indices,
      parts: facts(about: document) + reading.message(document.bytes).flatMap(\.parts))
  }

  private func facts(about document: ConfigDocument) -> [Inspection] {
    let hash = Inspection("hash", value: document.revision.hash.hex)
    return switch document.signature {
    case .none where keys.group == nil: [hash]
    case .none: [hash, Inspection("signature", value: "none", verdict: .bad)]
    case .unchecked: [hash, Inspection("signature", value: "--group-id checks it")]
    case .good: [hash, Inspection("signature", verdict: .good)]
    case .bad: [hash, Inspection("signature", verdict: .bad)]
    }
  }

  /// The first byte shows compressed and padded data; anything else is encrypted.
  private mutating func packed(_ input: Input) throws -> Inspection {
    guard let first = input.bytes.first, first == 0 || first == UInt8(ascii: "z"),
      let message = try? StoredConfig.unpack(input.bytes)
    else {
      throw CommandFailure.data(
        "\(input.name): neither a config message nor a dump",
        advice:
          "A stored message is encrypted: --key opens those of an account, --group-key those of a group.")
    }
    return Inspection(
      "packed config message", at: input.bytes.indices, parts: [try document(message, of: input)])
  }

  private var key: StoredConfig.Key? {
    if let account = keys.account { return .account(account) }
    return keys.groupKeys.isEmpty ? nil : .group(keys.groupKeys)
  }

  /// Opens it as the kind that was given, or as whichever kind opens.
  private func open(
    _ input: Input, with key: StoredConfig.Key
  ) throws -> (kind: ConfigKind, stored: StoredConfig) {
    let isOfGroup = keys.account == nil
    let kinds = kind.map { [$0] } ?? ConfigKind.inspected.filter { $0.isOfGroup == isOfGroup }
    var failure: SessionError?
    for kind in kinds {
      do {
        return (kind, try StoredConfig.open(input.bytes, of: kind, with: key))
      } catch {
        // That it was opened and is not well is worth more than that other kinds do not open.
        if failure.map({ $0.code == .noKey }) ?? true { failure = error }
      }
    }
    guard let failure, failure.code != .noKey else {
      let what = kind.map { "as \($0.shownName)" } ?? "as any kind of config"
      throw CommandFailure.data(
        "\(input.name): it does not open \(what)",
        advice: "It was stored for another account or group, is of another kind, or was changed on its way.")
    }
    throw failure
  }

  private func merged() -> Inspection {
    let merging = ConfigMerging(revisions: found, group: keys.group)
    return merging.inspect { shown($0) }
  }
}

extension ConfigKind {
  /// The kinds whose messages are config messages, in the order of their namespaces.
  static let inspected: [ConfigKind] = [
    .profile, .contacts, .conversations, .userGroups, .groupInfo, .groupMembers,
  ]

  /// All that can be shown.
  static let shown = inspected + [.groupKeys, .local]

  /// The name in commands.
  var shownName: String {
    switch self {
    case .profile: "profile"
    case .contacts: "contacts"
    case .conversations: "conversations"
    case .userGroups: "groups"
    case .groupInfo: "group-info"
    case .groupMembers: "group-members"
    case .groupKeys: "group-keys"
    case .local: "local"
    }
  }
}
