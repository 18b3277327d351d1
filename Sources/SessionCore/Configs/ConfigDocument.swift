internal import CSessionCore

/// One revision of a config, decoded without an account, for tools that inspect config messages. To synchronise an
/// account, use ``Configs``.
public struct ConfigDocument: Sendable {
  /// Identifies a revision, and orders revisions.
  public struct Revision: Hashable, Sendable {
    public let sequenceNumber: Int64
    public let hash: [UInt8]
  }

  public enum Signature: Sendable {
    case none
    /// It has a signature, but no group was given to verify it.
    case unchecked
    case good
    case bad
  }

  /// The number of revisions, including its own, whose changes a message carries.
  public static let lag = Int64(SC_CONFIG_LAG)

  public let bytes: [UInt8]
  public let revision: Revision
  /// The earlier revisions whose changes the message carries, in ascending order.
  public let earlier: [Revision]
  public let signature: Signature

  /// Parses a config message. For a group's config the signature is checked; a bad signature does not throw.
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

  /// The result of merging several revisions.
  public struct Merge: Sendable {
    /// The merged revision: one of the inputs, or a new one, as a client without edits of its own would push it.
    public let document: ConfigDocument
    /// The index of the input that was chosen; nil for a new revision.
    public let chosen: Int?
  }

  /// Merges revisions as every client does, independent of their order. Revisions of a group are merged as its
  /// members do: the latest one with a valid signature wins.
  public static func merge(
    _ documents: [ConfigDocument], signedBy group: SessionID? = nil
  ) throws(SessionError) -> Merge {
    let rules = ConfigRules(verifier: group)
    let messages = documents.map { try? ConfigMessageHandle(parsing: $0.bytes, as: rules) }
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

/// The key that verifies signatures; without one, signatures are kept unverified.
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
private final class ConfigMessageHandle {
  let message: OpaquePointer

  init(_ make: (inout OpaquePointer?) -> sc_status) throws(SessionError) {
    message = try Core.object { make(&$0.pointee) }
  }

  convenience init(parsing bytes: [UInt8], as rules: ConfigRules) throws(SessionError) {
    try self.init { out in
      bytes.withUnsafeBufferPointer { bytes in
        rules.lend { sc_config_message_parse(&out, nil, sc_bytes(bytes), $0) }
      }
    }
  }

  deinit { sc_config_message_free(message) }

  var revision: ConfigDocument.Revision {
    get throws(SessionError) {
      ConfigDocument.Revision(
        sequenceNumber: sc_config_message_seqno(message),
        hash: try Core.bytes(count: SC_CONFIG_HASH_BYTES) { sc_config_message_hash($0, message, nil) })
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
