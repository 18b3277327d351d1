internal import CSessionCore

/// One revision of a config, decoded from its bytes without an account, for tools that inspect a config message.
/// To keep an account in step, use ``Configs``.
public struct ConfigDocument: Sendable {
  /// What tells revisions apart, and which of two comes later.
  public struct Revision: Hashable, Sendable {
    public let sequenceNumber: Int64
    public let hash: [UInt8]
  }

  public enum Signature: Sendable {
    case none
    /// There is one, and no group to check it for.
    case unchecked
    case good
    case bad
  }

  /// How many revisions, itself included, a message looks back.
  public static let lag = Int64(SC_CONFIG_LAG)

  public let bytes: [UInt8]
  public let revision: Revision
  /// The revisions whose changes the message carries: what it was made from. In ascending order.
  public let earlier: [Revision]
  public let signature: Signature

  /// Reads a config message. Of a group's config the signature is checked, and a bad one is no failure.
  public init(parsing bytes: [UInt8], signedBy group: SessionID? = nil) throws(SessionError) {
    let message = try ConfigMessageHandle(parsing: bytes, as: ConfigRules(verifier: nil))
    var signature = sc_config_message_signature(message.message).len == 0 ? Signature.none : .unchecked
    if let group, signature == .unchecked {
      signature = Self.isSigned(bytes, by: group) ? .good : .bad
    }
    self.bytes = bytes
    self.signature = signature
    revision = try message.revision
    earlier = message.earlier
  }

  private static func isSigned(_ bytes: [UInt8], by group: SessionID) -> Bool {
    (try? ConfigMessageHandle(parsing: bytes, as: ConfigRules(verifier: group)).revision) != nil
  }
}

extension ConfigDocument {
  /// What became of several revisions.
  public struct Merge: Sendable {
    /// The revision they come to: one of them, or a new one, as a client pushes it that has nothing of its own to
    /// add.
    public let document: ConfigDocument
    /// Which of them it is; nil when it is new.
    public let chosen: Int?
  }

  /// Merges revisions as every client would; in whatever order they come. Those of a group are merged as its
  /// members do, who choose the latest one with a good signature.
  public static func merge(
    _ documents: [ConfigDocument], signedBy group: SessionID? = nil
  ) throws(SessionError) -> Merge {
    let rules = ConfigRules(verifier: group)
    let messages = documents.map { try? ConfigMessageOwner(parsing: $0.bytes, as: rules) }
    defer { withExtendedLifetime(messages) {} }
    let inputs = messages.map { $0?.message }
    var how = sc_config_merged()
    let merged = try ConfigMessageHandle { (out) in
      rules.lend { sc_config_message_merge(&out, &how, inputs, inputs.count, $0) }
    }
    guard how.resolved else { return Merge(document: documents[how.chosen], chosen: how.chosen) }
    let pushed = try ConfigMessageHandle { (out) in sc_config_message_reopen(&out, merged.message, true) }
    let bytes = try Core.bytes { sc_config_message_write($0, pushed.message, nil) }
    return Merge(document: try ConfigDocument(parsing: bytes), chosen: nil)
  }
}

/// How messages are read: signatures are kept as they are, or checked.
private struct ConfigRules {
  private let verifier: [UInt8]?

  init(verifier group: SessionID?) {
    verifier = group?.key
  }

  func lend(_ body: (UnsafePointer<sc_config_rules>) -> sc_status) -> sc_status {
    var rules = sc_config_rules(lag: 0, verifier: nil, signer: nil, trust_signature: verifier == nil)
    guard let verifier else { return body(&rules) }
    return verifier.withUnsafeBufferPointer { verifier in
      rules.verifier = verifier.baseAddress
      return body(&rules)
    }
  }
}

/// Owns a config message of the core.
private struct ConfigMessageHandle: ~Copyable {
  let message: OpaquePointer

  init(_ make: (inout OpaquePointer?) -> sc_status) throws(SessionError) {
    message = try Core.object { make(&$0.pointee) }
  }

  init(parsing bytes: [UInt8], as rules: ConfigRules) throws(SessionError) {
    try self.init { out in
      bytes.withUnsafeBufferPointer { bytes in
        rules.lend { sc_config_message_parse(&out, nil, sc_bytes(bytes), $0) }
      }
    }
  }

  deinit { sc_config_message_free(message) }

  var revision: ConfigDocument.Revision {
    get throws(SessionError) {
      var hash = [UInt8](repeating: 0, count: Int(SC_CONFIG_HASH_BYTES))
      try Core.call { sc_config_message_hash(&hash, message, nil) }
      return ConfigDocument.Revision(sequenceNumber: sc_config_message_seqno(message), hash: hash)
    }
  }

  var earlier: [ConfigDocument.Revision] {
    (0..<sc_config_message_lagged_count(message)).map { index in
      let lagged = sc_config_message_lagged(message, index)
      let hash = UnsafeBufferPointer(start: lagged.hash, count: Int(SC_CONFIG_HASH_BYTES))
      return ConfigDocument.Revision(sequenceNumber: lagged.seqno, hash: Array(hash))
    }
  }
}

/// A message among several: an array cannot hold what cannot be copied.
private final class ConfigMessageOwner {
  private let handle: ConfigMessageHandle
  var message: OpaquePointer { handle.message }

  init(parsing bytes: [UInt8], as rules: ConfigRules) throws(SessionError) {
    handle = try ConfigMessageHandle(parsing: bytes, as: rules)
  }
}
