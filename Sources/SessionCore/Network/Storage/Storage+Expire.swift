internal import CSessionCore

extension Storage {
  /// Changes the expiry of messages in a swarm.
  public struct Expire: Request {
    public enum Mode: UInt32, CoreEnum, Sendable, CaseIterable {
      typealias Core = sc_storage_expire_mode
      case set
      /// Only messages that expire later.
      case shorten
      /// Only messages that expire earlier. Members of a group may only extend.
      case extend
    }

    public let hashes: [String]
    /// One expiry for all hashes, or one for each.
    public let expiries: [MessageTime]
    public let mode: Mode
    private let signer: Signer

    /// One expiry for all hashes.
    public init(_ hashes: [String], at expiry: MessageTime, _ mode: Mode = .set, as signer: Signer) {
      (self.hashes, expiries, self.mode, self.signer) = (hashes, [expiry], mode, signer)
    }

    /// One expiry for each hash.
    public init(_ expiries: [(hash: String, expiry: MessageTime)], _ mode: Mode = .set, as signer: Signer) {
      hashes = expiries.map(\.hash)
      self.expiries = expiries.map(\.expiry)
      (self.mode, self.signer) = (mode, signer)
    }

    public var call: Call<Outcome<Expired>> {
      Call(SC_STORAGE_EXPIRE, as: signer) { request, loan, _ in
        request.of.expire = sc_storage_expire(
          hashes: loan.hashes(hashes), expiries: loan.list(expiries.map(\.milliseconds)),
          expiry_count: expiries.count, mode: mode.core)
      } success: { (member) throws(SessionError) in
        let isOne = expiries.count == 1
        let changed = try Change.all(member.changed, hasExpiry: !isOne)
        let unchanged = try Change.all(member.unchanged, hasExpiry: true)
        guard isOne, !changed.isEmpty else { return Expired(changed: changed, unchanged: unchanged) }
        let expiry = try MessageTime(stored: member.expiry)
        return Expired(
          changed: changed.map { Change(hash: $0.hash, namespace: nil, expiry: expiry) }, unchanged: unchanged
        )
      }
    }
  }

  /// The result of a node.
  public struct Expired: Hashable, Sendable {
    /// The new expiries, which may be earlier than requested.
    public let changed: [Change]
    /// Messages that the mode left unchanged. A message in neither list is not stored.
    public let unchanged: [Change]
  }

  /// Asks a node for the expiry of messages.
  public struct Expiries: Request {
    public let hashes: [String]
    private let signer: Signer

    public init(of hashes: [String], as signer: Signer) {
      self.hashes = hashes
      self.signer = signer
    }

    /// The messages that are stored.
    public var call: Call<[String: MessageTime]> {
      Call(SC_STORAGE_GET_EXPIRIES, about: signer.account, as: signer) { request, loan, time in
        request.of.expiries = sc_storage_expiries(hashes: loan.hashes(hashes), signed_at: time)
      } read: { (reading) throws(SessionError) in
        var expiries: [String: MessageTime] = [:]
        for change in try Change.all(reading.reply.pointee.of.expiries, hasExpiry: true) {
          expiries[change.hash] = change.expiry
        }
        return expiries
      }
    }
  }
}
