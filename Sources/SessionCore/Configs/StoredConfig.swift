internal import CSessionCore

/// The content of a message that a swarm stores for a config.
public enum StoredConfig: Sendable {
  /// The bytes of a config message.
  case message([UInt8])
  /// A part of a config message that was too large for one message, for ``ConfigParts``.
  case part([UInt8])

  /// The key that opens stored messages.
  public enum Key: Sendable {
    case account(Account)
    case group([SecretBytes])
  }

  /// Opens a stored message of a kind, wrapped or not.
  public static func open(
    _ stored: [UInt8], of kind: ConfigKind, with key: Key
  ) throws(SessionError) -> StoredConfig {
    guard let domain = kind.domain else { throw SessionError(SC_ERR_NO_KEY) }
    switch key {
    case .account(let account):
      return try account.withKeys { (keys) throws(SessionError) in
        try account.withSeed { (seed) throws(SessionError) in
          try open(stored, domain, [seed], account: keys, wrapping: kind.wrapping)
        }
      }
    case .group(let keys):
      return try keys.withCore { (keys) throws(SessionError) in
        try open(stored, domain, keys, account: nil, wrapping: kind.wrapping)
      }
    }
  }

  /// Unpacks an unencrypted config message that may be compressed or padded.
  public static func unpack(_ packed: [UInt8]) throws(SessionError) -> [UInt8] {
    try Core.bytes(of: packed) { sc_config_unpack($0, $1) }
  }

  private static func open(
    _ stored: [UInt8], _ domain: String, _ keys: [sc_bytes], account: UnsafePointer<sc_keypair>?,
    wrapping: sc_legacy_config_kind
  ) throws(SessionError) -> StoredConfig {
    var form = SC_CONFIG_WHOLE
    let content = try Core.bytes(of: domain.utf8, stored) { content, domain, stored in
      keys.withUnsafeBufferPointer { keys in
        var envelope = sc_config_envelope(
          domain: domain, keys: keys.baseAddress, key_count: keys.count, account: account, kind: wrapping)
        return sc_config_open(content, &form, &envelope, stored)
      }
    }
    return form == SC_CONFIG_PART ? .part(content) : .message(content)
  }
}

extension ConfigKind {
  /// The encryption domain for messages of this kind; nil if they are encrypted differently, or never stored.
  fileprivate var domain: String? {
    switch self {
    case .profile: "UserProfile"
    case .contacts: "Contacts"
    case .conversations: "ConvoInfoVolatile"
    case .userGroups: "UserGroups"
    case .groupInfo: "groups::Info"
    case .groupMembers: "groups::Members"
    case .groupKeys, .local: nil
    }
  }

  /// The kind named in the wrapping of an account's config; group configs are not wrapped.
  fileprivate var wrapping: sc_legacy_config_kind {
    switch self {
    case .contacts: SC_LEGACY_CONFIG_CONTACTS
    case .conversations: SC_LEGACY_CONFIG_CONVERSATIONS
    case .userGroups: SC_LEGACY_CONFIG_GROUPS
    default: SC_LEGACY_CONFIG_USER_PROFILE
    }
  }
}

/// Assembles large config messages from their parts.
public struct ConfigParts: ~Copyable {
  private let parts: OpaquePointer

  public init() throws(SessionError) {
    parts = try Core.object { sc_config_parts_new($0, nil) }
  }

  deinit { sc_config_parts_free(parts) }

  /// Adds a part named `name`. Returns the config message if the part completes it.
  public mutating func accept(_ part: [UInt8], named name: String) throws(SessionError) -> [UInt8]? {
    var arrival = sc_config_arrival()
    let message = try Core.bytes(of: part, name.utf8) {
      sc_config_parts_accept($0, &arrival, parts, $1, $2, 0)
    }
    return arrival.news == SC_CONFIG_SET_COMPLETE ? message : nil
  }
}

/// The saved state of a config.
public struct DumpedConfig: Sendable {
  /// The config message.
  public let message: [UInt8]

  /// Parses a dump. Throws `configDump` for an invalid one. Data besides the message is not checked.
  public init(parsing dump: [UInt8]) throws(SessionError) {
    message = try dump.lend { (dump) throws(SessionError) in
      var reader = sc_bt_reader()
      var state: Int64 = 0
      var message = sc_bytes()
      sc_bt_reader_init(&reader, dump)
      guard sc_bt_enter_dict(&reader) == SC_OK, Self.find("!", &reader),
        sc_bt_read_i64(&state, &reader) == SC_OK, Self.states.contains(state), Self.find("$", &reader),
        sc_bt_read_string(&message, &reader) == SC_OK
      else { throw SessionError(SC_ERR_CONFIG_DUMP) }
      return Array(message.content)
    }
  }

  private static let states = Int64(SC_CONFIG_CLEAN.rawValue)...Int64(SC_CONFIG_WAITING.rawValue)

  private static func find(_ key: StaticString, _ reader: inout sc_bt_reader) -> Bool {
    sc_bt_find_key(&reader, sc_bytes_make(key.utf8Start, key.utf8CodeUnitCount)) == SC_OK
  }
}
