import CSessionCore
import SessionEndpoint
import Testing

@testable import SessionCore

/// Wishes to be told of messages, as a node reads them.
@Suite struct MonitorValuesTests {
  private let time: MessageTime

  init() throws {
    time = try MessageTime(milliseconds: 1_700_000_000_123)
  }

  /// Returns the node's verdict on each subscription in a request.
  private func judged(_ request: [UInt8]) throws -> [sc_storage_monitor_error] {
    try request.lend { (request) throws(SessionError) in
      var reader = sc_storage_subscription_reader()
      try Core.call { sc_storage_subscriptions_begin(&reader, request) }
      var errors: [sc_storage_monitor_error] = []
      var subscription = sc_storage_subscription()
      var error = SC_STORAGE_MONITOR_OK
      while sc_storage_subscriptions_next(&subscription, &error, &reader) == SC_OK {
        if error == SC_STORAGE_MONITOR_OK {
          var judge = sc_storage_judge()
          judge.now = time.milliseconds
          try Core.call { sc_storage_subscription_judge(&error, nil, &subscription, &judge) }
        }
        errors.append(error)
      }
      return errors
    }
  }

  @Test func ownersAdminsAndMembersMayListen() throws {
    let me = try Example.first()
    let admin = try GroupAdminKey(seed: SecretBytes(copying: [UInt8](repeating: 11, count: 32)))
    let access = try admin.grantAccess(to: me.id)
    let subscriptions = try [
      Storage.Subscription(
        to: [.contacts, .messages, .contacts], as: .account(me), wantsData: true, at: time),
      .init(to: [.groupMessages], as: .admin(admin), wantsData: false, at: time),
      .init(
        to: [.groupMessages], as: .member(me, of: admin.group, access: access), wantsData: false, at: time),
    ]
    #expect(subscriptions[0].namespaces == [.messages, .contacts])
    #expect(subscriptions[2].proof.token == (try admin.accessToken(of: me.id)))
    let good = [sc_storage_monitor_error](repeating: SC_STORAGE_MONITOR_OK, count: 3)
    #expect(try judged(Storage.Subscriptions.request(subscriptions)) == good)
    // Somebody else asks with what they were given.
    let first = subscriptions[0]
    let passedOn = Storage.Subscription(
      account: first.account, namespaces: first.namespaces, wantsData: true, signedAt: time,
      proof: first.proof)
    #expect(try judged(Storage.Subscriptions.request([passedOn])) == [SC_STORAGE_MONITOR_OK])
    let widened = Storage.Subscription(
      account: first.account, namespaces: first.namespaces + [.userGroups], wantsData: true, signedAt: time,
      proof: first.proof)
    #expect(try judged(Storage.Subscriptions.request([widened])) == [SC_STORAGE_MONITOR_SIGNATURE])
  }

  @Test func thereAreNamespacesInASubscription() throws {
    let me = Storage.Signer.account(try Example.first())
    #expect(throws: SessionError.self) { try Storage.Subscription(to: [], as: me, wantsData: true, at: time) }
    let many = (1...65).map { StorageNamespace(rawValue: $0) }
    #expect(throws: SessionError.self) {
      try Storage.Subscription(to: many, as: me, wantsData: true, at: time)
    }
    #expect(throws: SessionError.self) { try Storage.Subscriptions.request([]) }
  }

  @Test func answersAreReadInOrder() throws {
    let me = Storage.Signer.account(try Example.first())
    let subscription = try Storage.Subscription(to: [.messages], as: me, wantsData: true, at: time)
    let errors = [SC_STORAGE_MONITOR_OK, SC_STORAGE_MONITOR_SWARM]
    let body = try Core.bytes { sc_storage_monitor_answers_write($0, true, errors, 2) }
    let answers = try Storage.Subscriptions.answers(body, to: [subscription, subscription])
    guard case .success = answers[0], case .failure(.otherSwarm) = answers[1] else {
      Issue.record("\(answers)")
      return
    }
    #expect(throws: SessionError.self) { try Storage.Subscriptions.answers(body, to: [subscription]) }
  }

  @Test func anEventIsWhatANodeSays() throws {
    let me = try Example.first()
    let loan = CoreArena()
    var core = sc_storage_event()
    fill(&core.account, with: me.id.bytes)
    core.hash = loan.text(SessionCore.StoredMessage.hash(of: [1, 2], account: me.id.bytes, namespace: 0))
    core.timestamp = 5
    core.expiry = 6
    core.has_data = true
    core.data = loan.bytes([1, 2])
    let body = try Core.bytes { sc_storage_event_write($0, &core) }
    let event = try Storage.Event(parsing: body)
    #expect(event.account == me.id && event.namespace == .messages && event.data == [1, 2])
    #expect(event.timestamp.milliseconds == 5 && event.expiry.milliseconds == 6)
    core.data = loan.bytes([1, 3])
    let lie = try Core.bytes { sc_storage_event_write($0, &core) }
    #expect(throws: SessionError.self) { try Storage.Event(parsing: lie) }
    withExtendedLifetime(loan) {}
  }
}
