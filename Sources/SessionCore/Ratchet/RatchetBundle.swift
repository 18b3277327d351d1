internal import CSessionCore

/// Prekeys that a device has published, so that others can start sessions with it, or its withdrawal.
public struct RatchetBundle: Hashable, Sendable {
  /// What a device says of itself and its account.
  public struct Capabilities: OptionSet, Hashable, Sendable {
    public let rawValue: UInt64

    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The device receives messages of the ratchet protocol.
    public static let receives = Self(rawValue: UInt64(SC_RATCHET_RECEIVES))
    /// The user confirmed that all devices of the account do.
    public static let closedRoster = Self(rawValue: UInt64(SC_RATCHET_CLOSED_ROSTER))
  }

  /// The maximum number of devices in a roster, and thus of an account.
  public static let maxRoster = Int(SC_RATCHET_MAX_ROSTER)
  /// The maximum number of devices that one declares removed.
  public static let maxRemoved = Int(SC_RATCHET_MAX_REMOVED)

  public var isWithdrawal = false
  /// Increases with each bundle of the device.
  public var sequence: UInt64
  public var signedAtSeconds: UInt64
  /// The Ed25519 key of the account.
  public private(set) var accountKey: [UInt8] = []
  public private(set) var device: [UInt8] = []
  public private(set) var generation: UInt32 = 0
  public var capabilities: Capabilities = []
  private var signedPrekey: [UInt8] = []
  private var kemKey: [UInt8] = []
  private var oneTime: [UInt8] = []
  /// The devices that this one endorses, itself included.
  public var roster: [[UInt8]] = []
  /// The devices that it declares removed.
  public var removed: [[UInt8]] = []

  /// A bundle of prekeys to publish.
  public init(
    _ prekeys: RatchetPrekeys, sequence: UInt64, signedAtSeconds: UInt64, capabilities: Capabilities,
    roster: [[UInt8]], removed: [[UInt8]] = []
  ) throws(SessionError) {
    let keys = try prekeys.publicKeys()
    self.init(withdrawalAt: signedAtSeconds, sequence: sequence)
    isWithdrawal = false
    generation = prekeys.generation
    (signedPrekey, kemKey, oneTime) = (keys.signedPrekey, keys.kemKey, keys.oneTime)
    self.capabilities = capabilities
    self.roster = roster.sorted { $0.lexicographicallyPrecedes($1) }
    self.removed = removed
  }

  /// A withdrawal: the device no longer wants messages.
  public init(withdrawalAt seconds: UInt64, sequence: UInt64) {
    isWithdrawal = true
    self.sequence = sequence
    signedAtSeconds = seconds
  }

  /// Reads and verifies a published bundle of a device of `account`.
  ///
  /// Throws ``SessionError/Code/ratchetBundleTime`` if it is older than 31 days or more than an hour ahead.
  public init(
    opening message: some Collection<UInt8>, of account: SessionID, atSeconds now: UInt64
  ) throws(SessionError) {
    self = try message.lend { (message) throws(SessionError) in
      var (bundle, account) = (sc_ratchet_bundle(), account.core)
      try Core.call { sc_ratchet_bundle_open(&bundle, nil, message, &account, now) }
      return RatchetBundle(bundle)
    }
  }

  private init(_ bundle: sc_ratchet_bundle) {
    isWithdrawal = bundle.is_withdrawal
    sequence = bundle.sequence
    signedAtSeconds = bundle.signed_s
    accountKey = Array(bundle.account.content)
    device = Array(bundle.device.content)
    generation = bundle.generation
    capabilities = Capabilities(rawValue: bundle.capabilities)
    signedPrekey = Array(bundle.signed_prekey.content)
    kemKey = Array(bundle.kem_key.content)
    oneTime = Array(bundle.one_time.content)
    roster = Array(bundle.roster.content).keys
    removed = Array(bundle.removed.content).keys
  }

  /// Writes and signs the bundle of a device.
  public func bytes(of device: RatchetDevice, of account: Account) throws(SessionError) -> [UInt8] {
    try withCore { (bundle) throws(SessionError) in
      try account.withCore { (account) throws(SessionError) in
        try device.withCore { (device) throws(SessionError) in
          try Core.bytes { sc_ratchet_bundle_write($0, bundle, device, account) }
        }
      }
    }
  }

  /// True if both have the same prekeys, in the same order.
  public func hasPrekeys(of other: RatchetBundle) -> Bool {
    signedPrekey == other.signedPrekey && kemKey == other.kemKey && oneTime == other.oneTime
  }

  /// Draws the place of a one-time prekey; `SC_RATCHET_NO_ONE_TIME` if it has none.
  func pickOneTime() throws(SessionError) -> UInt16 {
    try withCore { bundle in sc_ratchet_bundle_pick(bundle, nil) }
  }
}

extension RatchetBundle: CoreValue {
  func core(in arena: CoreArena) -> sc_ratchet_bundle {
    sc_ratchet_bundle(
      is_withdrawal: isWithdrawal, sequence: sequence, signed_s: signedAtSeconds,
      account: arena.bytes(accountKey), device: arena.bytes(device), generation: generation,
      capabilities: capabilities.rawValue, signed_prekey: arena.bytes(signedPrekey),
      kem_key: arena.bytes(kemKey), one_time: arena.bytes(oneTime), roster: arena.bytes(roster.joined()),
      removed: arena.bytes(removed.joined()))
  }
}

extension [UInt8] {
  /// The keys of 32 bytes that these bytes are made of.
  fileprivate var keys: [[UInt8]] {
    stride(from: 0, to: count, by: Int(SC_KEY_BYTES)).map { start in
      Array(self[start..<Swift.min(start + Int(SC_KEY_BYTES), count)])
    }
  }
}
