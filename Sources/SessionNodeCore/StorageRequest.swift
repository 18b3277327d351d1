internal import CSessionCore
public import SessionCore

/// One request of a call.
// Sendable without the compiler's check: it refers to data of the call, which does not change.
public struct StorageRequest: @unchecked Sendable {
  let call: StorageCall
  let core: UnsafePointer<sc_storage_request>

  init(in call: StorageCall, _ core: UnsafePointer<sc_storage_request>) {
    self.call = call
    self.core = core
  }

  /// "store", for example.
  public var method: String { String(cString: sc_storage_method_name(core.pointee.method)) }
  /// True if it is about one account, and must go to that account's swarm.
  public var hasAccount: Bool { sc_storage_method_has_account(core.pointee.method) }
  /// True if the node forwards it to the whole swarm.
  public var isRecursive: Bool { sc_storage_method_is_recursive(core.pointee.method) }
  /// A prefix and a key, 33 bytes.
  public var account: [UInt8] { array(core.pointee.account) }
  /// The token of the subaccount that signed it; nil if the owner signed it, or if it is unsigned.
  public var subaccount: [UInt8]? {
    core.pointee.auth.has_subaccount ? array(core.pointee.auth.subaccount) : nil
  }

  /// True if it is an unsigned retrieval of private messages.
  public var lacksSignature: Bool {
    guard core.pointee.method == SC_STORAGE_RETRIEVE, !core.pointee.auth.has_signature else { return false }
    let namespace = core.pointee.of.retrieve.number
    let access = sc_storage_namespace_access(namespace)
    return namespace != 0 && access != SC_STORAGE_ACCESS_OUTBOX && access != SC_STORAGE_ACCESS_LEGACY_GROUP
  }

  /// When a request to delete everything was signed.
  public var deletesUpTo: UInt64 { core.pointee.of.sweep.time }

  /// Authorises the request by its signer and time. Returns true if expiries may only be extended, whatever the
  /// request says.
  public func authorize(
    now: UInt64, isForwarded: Bool = false, isRevoked: Bool = false
  ) throws(NodeRefusal) -> Bool {
    var grant = sc_storage_grant()
    var isRevoked = isRevoked
    let status = withUnsafeMutablePointer(to: &isRevoked) { isRevoked in
      var judge = sc_storage_judge(
        now: now, forwarded: isForwarded,
        is_revoked: { user, _, _ in user?.assumingMemoryBound(to: Bool.self).pointee ?? true },
        user: isRevoked)
      return sc_storage_request_authorize(&grant, nil, core, &judge)
    }
    guard status == SC_OK else { throw NodeRefusal(status, method: method) }
    return grant.extend_only
  }

  /// The parameters in bt, as forwarded to other nodes of the swarm.
  public func parameters() throws(SessionError) -> [UInt8] {
    try Core.bytes { sc_storage_request_write($0, SC_STORAGE_BT, core) }
  }
}
