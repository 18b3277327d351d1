import SessionCore
import SessionEndpoint
import SessionNodeCore

extension StorageNode {
  /// Handles a request for subscriptions.
  func answerMonitor(_ request: NetworkEndpoint.Request) async throws -> [UInt8] {
    do throws(NodeRefusal) { try admit(request.peerAddress, key: request.peerKey) } catch {
      return try StorageBody(text: error.text).overQUIC(code: error.code)
    }
    guard let wanted = try? StorageSubscriptions(request.body) else {
      return try StorageSubscriptions.refusal()
    }
    var verdicts: [StorageSubscriptions.Verdict] = []
    for item in wanted.items {
      switch item {
      case .bad(let verdict): verdicts.append(verdict)
      case .subscription(let subscription):
        verdicts.append(try await subscribe(subscription, request.connection))
      }
    }
    return try wanted.answer(verdicts) { membership?.swarm(of: $0) }
  }

  private func subscribe(
    _ subscription: StorageSubscription, _ connection: NetworkEndpoint.Connection
  ) async throws -> StorageSubscriptions.Verdict {
    guard membership?.isOurs(subscription.account) ?? false else { return .wrongSwarm }
    var isRevoked = false
    if let token = subscription.subaccount {
      isRevoked = try await store.isRevoked(token, account: subscription.account)
    }
    let verdict = try subscription.judge(now: now, isRevoked: isRevoked)
    guard verdict == .good else { return verdict }
    guard subscriptions.add(subscription, from: connection, now: now) else { return .arguments }
    guard membership?.isOurs(subscription.account) ?? false else {
      // A list may have arrived before this subscriber was added.
      subscriptions.remove(of: subscription.account) { $0.connection == connection }
      return .wrongSwarm
    }
    return .good
  }

  /// Notifies subscribers of a message that is durable.
  func announce(_ message: StoredMessage, of account: [UInt8], namespace: Int16) {
    let listeners = subscriptions.listeners(to: account, namespace: namespace, now: now)
    guard !listeners.isEmpty, let endpoint else { return }
    metrics.countPushes(listeners.count)
    for listener in listeners {
      let event = try? message.event(of: account, namespace: namespace, withData: listener.isWithData)
      guard let event else { continue }
      endpoint.push("notify", body: event, to: listener.connection) { [weak self] in
        self?.subscriptions.remove(of: account) { $0.connection == listener.connection }
      }
    }
  }

  /// Ends subscriptions to accounts that moved to another swarm, with a redirect.
  func endSubscriptions(goingOnWith swarm: ([UInt8]) -> StorageSwarm, where isGone: ([UInt8]) -> Bool) {
    for (account, listeners) in subscriptions.remove(where: isGone) {
      guard let endpoint, let event = try? swarm(account).endEvent(of: account) else { continue }
      for listener in listeners { endpoint.push("monitor_ended", body: event, to: listener.connection) }
    }
  }
}
