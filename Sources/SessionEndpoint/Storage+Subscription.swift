internal import CSessionCore
public import SessionCore

extension Storage {
  /// A subscription to new messages, over a connection to a node of the swarm.
  ///
  /// Send a node the command ``Subscriptions/command``; it notifies on the same connection with ``Event/command``. The
  /// subscription lasts an hour and must then be renewed.
  public struct Subscription: Sendable {
    public let account: SessionID
    /// In ascending order, without duplicates.
    public let namespaces: [StorageNamespace]
    /// True to receive the messages themselves and not only a notification.
    public let wantsData: Bool
    public let signedAt: MessageTime
    public let proof: Proof

    /// Proof of the right to read: a push server can use it to subscribe for the account.
    public struct Proof: Hashable, Sendable {
      public let signature: [UInt8]
      /// The signing key of an account, whose public key differs from the id.
      public let signingKey: [UInt8]?
      /// The token of a member of a group, and the group's signature of it.
      public let token, tokenSignature: [UInt8]?

      public init(
        signature: [UInt8], signingKey: [UInt8]? = nil, token: [UInt8]? = nil, tokenSignature: [UInt8]? = nil
      ) {
        self.signature = signature
        self.signingKey = signingKey
        self.token = token
        self.tokenSignature = tokenSignature
      }
    }

    /// Signs a subscription. Throws `storageParameter` for no namespaces, and for more than 64.
    public init(
      to namespaces: [StorageNamespace], as signer: Signer, wantsData: Bool, at time: MessageTime
    ) throws(SessionError) {
      account = signer.account
      self.namespaces = Set(namespaces).sorted { $0.rawValue < $1.rawValue }
      self.wantsData = wantsData
      signedAt = time
      var core = try Self.core(account, self.namespaces, wantsData, time)
      try signer.withCore { (signer) throws(SessionError) in
        try Core.call { sc_storage_subscription_sign(&core, nil, signer) }
      }
      proof = Proof(core.auth)
    }

    /// Creates a subscription signed elsewhere.
    public init(
      account: SessionID, namespaces: [StorageNamespace], wantsData: Bool, signedAt: MessageTime, proof: Proof
    ) {
      self.account = account
      self.namespaces = namespaces
      self.wantsData = wantsData
      self.signedAt = signedAt
      self.proof = proof
    }
  }

  /// The call to a node and its reply.
  public enum Subscriptions {
    /// The name of the command.
    public static let command = "monitor"
    public static let maxCount = Int(SC_STORAGE_MAX_SUBSCRIPTIONS)

    /// Why a node refuses a subscription.
    public enum Refusal: UInt32, Error, Hashable, Sendable {
      case arguments = 1
      case account
      case namespaces
      /// It was signed too long ago, or in the future.
      case time
      case signature
      /// The node is not in the account's swarm.
      case otherSwarm
    }

    /// Returns the body of the command. Throws `storageParameter` for an invalid list.
    public static func request(_ subscriptions: [Subscription]) throws(SessionError) -> [UInt8] {
      var list: [sc_storage_subscription] = []
      for subscription in subscriptions { list.append(try subscription.core) }
      let all = list
      return try Core.bytes { sc_storage_subscriptions_write($0, all, all.count) }
    }

    /// Parses the reply of a node, one result for each subscription. Throws `storageReply`.
    public static func answers(
      _ body: [UInt8], to subscriptions: [Subscription]
    ) throws(SessionError) -> [Result<Void, Refusal>] {
      var errors = [sc_storage_monitor_error](repeating: SC_STORAGE_MONITOR_OK, count: subscriptions.count)
      try body.lend { (body) throws(SessionError) in
        try Core.call { sc_storage_monitor_answers_parse(&errors, errors.count, body) }
      }
      return errors.map { error in Refusal(rawValue: error.rawValue).map { .failure($0) } ?? .success(()) }
    }
  }

  /// A notification of a new message.
  public struct Event: Hashable, Sendable {
    /// The name of its command.
    public static let command = "notify"
    /// The name of the command with which a node ends a subscription because the account moved to another swarm.
    public static let endCommand = "monitor_ended"

    public let account: SessionID
    public let namespace: StorageNamespace
    public let hash: String
    public let timestamp, expiry: MessageTime
    /// The message, if requested.
    public let data: [UInt8]?

    /// Parses the body of the command. Throws `storageReply` if it is not an event, or its data does not match the
    /// hash.
    public init(parsing body: [UInt8]) throws(SessionError) {
      self = try body.lend { (body) throws(SessionError) in
        var core = sc_storage_event()
        try Core.call { sc_storage_event_parse(&core, body) }
        return try Event(core)
      }
    }

    private init(_ core: sc_storage_event) throws(SessionError) {
      account = try SessionID(bytes: array(core.account))
      namespace = StorageNamespace(rawValue: core.number)
      hash = core.hash.string
      timestamp = try MessageTime(stored: core.timestamp)
      expiry = try MessageTime(stored: core.expiry)
      data = core.has_data ? Array(core.data.content) : nil
    }
  }
}

// MARK: - To and from the core

extension Storage.Subscription {
  fileprivate static func core(
    _ account: SessionID, _ namespaces: [StorageNamespace], _ wantsData: Bool, _ time: MessageTime
  ) throws(SessionError) -> sc_storage_subscription {
    guard namespaces.count <= Int(SC_STORAGE_MAX_MONITORED) else {
      throw SessionError(SC_ERR_STORAGE_PARAMETER)
    }
    var core = sc_storage_subscription()
    fill(&core.account, with: account.bytes)
    withUnsafeMutableBytes(of: &core.numbers) { numbers in
      for (index, namespace) in namespaces.enumerated() {
        numbers.storeBytes(of: namespace.rawValue, toByteOffset: 2 * index, as: Int16.self)
      }
    }
    core.number_count = namespaces.count
    core.with_data = wantsData
    core.signed_at = time.seconds
    return core
  }

  fileprivate var core: sc_storage_subscription {
    get throws(SessionError) {
      var core = try Self.core(account, namespaces, wantsData, signedAt)
      core.auth = proof.core
      return core
    }
  }
}

extension Storage.Subscription.Proof {
  fileprivate init(_ core: sc_storage_auth) {
    signature = array(core.signature)
    signingKey = core.has_ed25519 ? array(core.ed25519) : nil
    token = core.has_subaccount ? array(core.subaccount) : nil
    tokenSignature = core.has_subaccount ? array(core.subaccount_signature) : nil
  }

  fileprivate var core: sc_storage_auth {
    var core = sc_storage_auth()
    core.has_signature = true
    fill(&core.signature, with: signature)
    if let signingKey {
      core.has_ed25519 = true
      fill(&core.ed25519, with: signingKey)
    }
    if let token, let tokenSignature {
      core.has_subaccount = true
      fill(&core.subaccount, with: token)
      fill(&core.subaccount_signature, with: tokenSignature)
    }
    return core
  }
}
