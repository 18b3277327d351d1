internal import CSessionCore
public import SessionCore

/// A request for notifications of new messages: one subscription, or a list of them.
public struct StorageSubscriptions: Sendable {
  /// The reply to one subscription.
  public enum Verdict: UInt32, Sendable {
    case good = 0
    case arguments = 1
    case account = 2
    case namespaces = 3
    case timestamp = 4
    case signature = 5
    case wrongSwarm = 6
  }

  /// The parsed subscriptions, or their errors. Signatures are not checked yet.
  public let items: [Item]
  private let isList: Bool

  public enum Item: Sendable {
    case subscription(StorageSubscription)
    case bad(Verdict)
  }

  /// Parses a request. Throws `storageSyntax` for an invalid one.
  public init(_ bytes: [UInt8]) throws(SessionError) {
    (items, isList) = try bytes.lend { (bytes) throws(SessionError) in
      var reader = sc_storage_subscription_reader()
      try Core.call { sc_storage_subscriptions_begin(&reader, bytes) }
      var items: [Item] = []
      while true {
        var (subscription, error) = (sc_storage_subscription(), SC_STORAGE_MONITOR_OK)
        let status = sc_storage_subscriptions_next(&subscription, &error, &reader)
        guard status != SC_ERR_NOT_FOUND else { return (items, reader.is_list) }
        try SessionError.check(status)
        let verdict = Verdict(rawValue: error.rawValue) ?? .arguments
        items.append(
          verdict == .good ? .subscription(StorageSubscription(core: subscription)) : .bad(verdict))
      }
    }
  }

  /// Returns the reply to an invalid request.
  public static func refusal() throws(SessionError) -> [UInt8] {
    let errors = [SC_STORAGE_MONITOR_ARGUMENTS]
    return try Core.bytes { sc_storage_monitor_answers_write($0, false, errors, 1) }
  }

  /// The reply to the request; `swarm` is the right swarm, for callers of the wrong one.
  public func answer(
    _ verdicts: [Verdict], swarm: (_ account: [UInt8]) -> StorageSwarm?
  ) throws(SessionError) -> [UInt8] {
    var answers: [UInt8] = []
    for (item, verdict) in zip(items, verdicts) {
      let errors = [sc_storage_monitor_error(rawValue: verdict.rawValue)]
      let answer = try Core.bytes { sc_storage_monitor_answers_write($0, false, errors, 1) }
      if verdict == .wrongSwarm, case .subscription(let subscription) = item,
        let swarm = swarm(subscription.account)
      {
        // The swarm's own keys sort after those of the error.
        answers += answer.dropLast() + (try swarm.written().dropFirst())
      } else {
        answers += answer
      }
    }
    return isList ? Array("l".utf8) + answers + Array("e".utf8) : answers
  }
}

/// A subscription to new messages.
// Sendable without the compiler's check: a plain value of C without pointers.
public struct StorageSubscription: @unchecked Sendable {
  /// Its lifetime, in milliseconds.
  public static let life: UInt64 = 65 * 60 * 1000

  let core: sc_storage_subscription

  /// A prefix and a key, 33 bytes.
  public var account: [UInt8] { array(core.account) }
  public var isWithData: Bool { core.with_data }
  public var namespaces: [Int16] {
    withUnsafeBytes(of: core.numbers) { Array($0.bindMemory(to: Int16.self).prefix(core.number_count)) }
  }
  /// The token of the subaccount that signed it; nil when the owner did.
  public var subaccount: [UInt8]? { core.auth.has_subaccount ? array(core.auth.subaccount) : nil }

  /// True if the signer may subscribe.
  public func judge(now: UInt64, isRevoked: Bool) throws(SessionError) -> StorageSubscriptions.Verdict {
    var (error, isRevoked) = (SC_STORAGE_MONITOR_OK, isRevoked)
    try Core.call {
      withUnsafeMutablePointer(to: &isRevoked) { isRevoked in
        var judge = sc_storage_judge(
          now: now, forwarded: false,
          is_revoked: { user, _, _ in user?.assumingMemoryBound(to: Bool.self).pointee ?? true },
          user: isRevoked)
        return withUnsafePointer(to: core) { sc_storage_subscription_judge(&error, nil, $0, &judge) }
      }
    }
    return StorageSubscriptions.Verdict(rawValue: error.rawValue) ?? .arguments
  }
}

extension StoredMessage {
  /// The notification of its subscribers, in bt.
  public func event(of account: [UInt8], namespace: Int16, withData: Bool) throws(SessionError) -> [UInt8] {
    let loan = CoreArena()
    defer { withExtendedLifetime(loan) {} }
    var event = sc_storage_event()
    fill(&event.account, with: account)
    event.hash = loan.text(hash)
    event.number = namespace
    event.timestamp = timestamp
    event.expiry = expiry
    event.has_data = withData
    event.data = withData ? loan.bytes(data) : sc_bytes()
    return try Core.bytes { sc_storage_event_write($0, &event) }
  }
}

extension StorageSwarm {
  /// The notification that an account has moved to another swarm, in bt.
  public func endEvent(of account: [UInt8]) throws(SessionError) -> [UInt8] {
    let reason = "the account is in another swarm"
    let head = Array("d1:@\(account.count):".utf8) + account
    let error =
      "7:errcodei\(StorageSubscriptions.Verdict.wrongSwarm.rawValue)e5:error\(reason.utf8.count):\(reason)"
    // The swarm's own keys sort after these.
    return head + Array(error.utf8) + (try written().dropFirst())
  }

  /// The swarm in bt, without the time.
  fileprivate func written() throws(SessionError) -> [UInt8] {
    let loan = CoreArena()
    defer { withExtendedLifetime(loan) {} }
    var (core, clock) = (core(loan), sc_storage_clock())
    return try Core.bytes { sc_storage_swarm_write($0, SC_STORAGE_BT, &core, &clock) }
  }
}
