import CSessionCore
import SessionCore
import SessionEndpoint
import SessionNodeCore
import SessionService
import Synchronization
import Testing

@testable import SessionNode

/// Being told of new messages over the connection that asked for it.
@Suite(.timeLimit(.minutes(5))) struct MonitorTests {
  private let alice = try! Account(1)
  private let playground: Playground
  private let listener: NetworkEndpoint
  private let events: AsyncStream<[UInt8]>
  private let ends: AsyncStream<[UInt8]>

  init() async throws {
    playground = try await Playground(nodes: 2)
    let (events, told) = AsyncStream.makeStream(of: [UInt8].self)
    let (ends, ended) = AsyncStream.makeStream(of: [UInt8].self)
    (self.events, self.ends) = (events, ends)
    listener = try NetworkEndpoint(
      at: NetworkAddress(parsing: "127.0.0.1:0"),
      options: .init(
        identity: .random(),
        handlers: [
          "notify": {
            told.yield($0.body)
            return []
          },
          "monitor_ended": {
            ended.yield($0.body)
            return []
          },
        ]))
  }

  private func stop() async {
    await listener.stop()
    await playground.stop()
  }

  /// A subscription of an account in bt, with keys in order.
  private func wish(
    _ account: Account, namespaces: [Int], withData: Bool = true, time: UInt64 = wall / 1000,
    signer: Account? = nil
  ) throws -> [UInt8] {
    let list = namespaces.map(String.init).joined(separator: ",")
    let text = "MONITOR\(account.hex)\(time)\(withData ? 1 : 0)\(list)"
    let signature = try (signer ?? account).keys.sign(text.utf8)
    var bytes = Array("d1:P32:".utf8) + account.keys.publicKey
    bytes += Array("1:di\(withData ? 1 : 0)e1:nl\(namespaces.map { "i\($0)e" }.joined())e1:s64:".utf8)
    return bytes + signature + Array("1:ti\(time)ee".utf8)
  }

  private func listen(_ body: [UInt8]) async throws -> String {
    let reply = try await listener.request(
      "monitor", body: body, to: playground.records[1].peer, timeout: .seconds(60))
    return String(decoding: reply, as: UTF8.self)
  }

  @Test func subscribersHearOfANewMessageOnce() async throws {
    #expect(try await listen(try wish(alice, namespaces: [0, 2])) == "d7:successi1ee")
    _ = try await playground.call("store", try alice.storing([1, 2], in: 3))
    _ = try await playground.call("store", try alice.storing([1, 2], in: 2))
    _ = try await playground.call("store", try alice.storing([1, 2], in: 2))
    _ = try await playground.call("store", try alice.storing([9]))
    var told: [(number: Int16, hash: String, data: [UInt8])] = []
    for await bytes in events.prefix(2) {
      var event = sc_storage_event()
      bytes.withUnsafeBufferPointer { bytes in
        #expect(sc_storage_event_parse(&event, sc_bytes(ptr: bytes.baseAddress, len: bytes.count)) == SC_OK)
        let hash = String(
          decoding: UnsafeBufferPointer(start: event.hash.ptr, count: event.hash.len), as: UTF8.self)
        told.append(
          (event.number, hash, Array(UnsafeBufferPointer(start: event.data.ptr, count: event.data.len))))
      }
    }
    #expect(told.map(\.number) == [2, 0])
    #expect(told.map(\.hash) == [alice.hash([1, 2], in: 2), alice.hash([9])])
    #expect(told.map(\.data) == [[1, 2], [9]])
    await stop()
  }

  @Test func subscribersLearnTheNewSwarmOfAnAccount() async throws {
    #expect(try await listen(try wish(alice, namespaces: [0])) == "d7:successi1ee")
    let bob = try Account(2)
    #expect(try await listen(try wish(bob, namespaces: [0])) == "d7:successi1ee")
    // The first node is a swarm of its own now, where Alice's account lies and Bob's does not.
    var records = playground.records
    records[0].swarm = SwarmSpace.position(of: alice.bytes)
    records[1].swarm = SwarmSpace.position(of: bob.bytes)
    let file = try NetworkFile(
      name: "devnet", height: 99, nodes: records, operatorKeys: playground.net.operatorKeys())
    for place in await playground.net.places { try place.node?.learn(file) }
    var told = ends.makeAsyncIterator()
    let event = try #require(await told.next())
    let head = Array("d1:@33:".utf8) + alice.bytes + Array("7:errcodei6e5:error".utf8)
    #expect(event.starts(with: head))
    let text = String(decoding: event, as: UTF8.self)
    #expect(text.contains("6:snodesl"))
    #expect(text.contains(records[0].key.hex))
    #expect(!text.contains(records[1].key.hex))
    let node = try #require(await playground.net.places[1].node)
    #expect(node.subscriptions.listeners(to: alice.bytes, namespace: 0, now: wall).isEmpty)
    #expect(node.subscriptions.listeners(to: bob.bytes, namespace: 0, now: wall).count == 1)
    await stop()
  }

  /// The same of a group, or of a member of it.
  private func wish(_ group: Account, namespace: Int, member: Account? = nil) throws -> [UInt8] {
    let time = wall / 1000
    let signature = try (member ?? group).keys.sign("MONITOR\(group.hex)\(time)1\(namespace)".utf8)
    var bytes = Array("d".utf8)
    if let member {
      let token = token(of: member)
      bytes += Array("1:S64:".utf8) + (try group.keys.sign(token)) + Array("1:T36:".utf8) + token
    }
    return bytes + Array("1:di1e1:nli\(namespace)ee1:p33:".utf8) + group.bytes + Array("1:s64:".utf8)
      + signature + Array("1:ti\(time)ee".utf8)
  }

  private func token(of member: Account) -> [UInt8] { [0x03, 0x01, 0, 0] + member.keys.publicKey }

  @Test func aMemberOfAGroupListensUntilItsRightsAreTakenBack() async throws {
    let (group, member) = (try Account(11, prefix: 0x03), try Account(22))
    #expect(try await listen(try wish(group, namespace: 11)) == "d7:successi1ee")
    #expect(try await listen(try wish(group, namespace: 11, member: member)) == "d7:successi1ee")
    let node = try #require(await playground.net.places[1].node)
    #expect(node.subscriptions.count == 2)
    let time = wall
    let text = Array("revoke_subaccount\(time)".utf8) + token(of: member)
    let revoked = try await playground.call(
      "revoke_subaccount",
      [
        "pubkey": group.hex, "timestamp": time, "revoke": [token(of: member).base64],
        "signature": try group.keys.sign(text).base64,
      ])
    #expect(try revoked.swarm.values.allSatisfy { $0["failed"] == nil })
    let left = node.subscriptions.listeners(to: group.bytes, namespace: 11, now: wall)
    #expect(left.map(\.subaccount) == [nil])
    #expect(try await listen(try wish(group, namespace: 11, member: member)).contains("7:errcodei5e"))
    await stop()
  }

  @Test func rightsThatAreTakenBackElsewhereEndASubscriptionToo() async throws {
    let (group, member) = (try Account(11, prefix: 0x03), try Account(22))
    #expect(try await listen(try wish(group, namespace: 11, member: member)) == "d7:successi1ee")
    let node = try #require(await playground.net.places[1].node)
    let peer = try await NodePeer(insteadOf: 1, in: playground)
    let revocation = TransferBlob.Revocation(account: group.bytes, token: token(of: member))
    _ = try await peer.request(
      "sn.revocations", try TransferBlob.write([revocation]), at: playground.records[1])
    #expect(node.subscriptions.count == 0)
    await peer.stop()
    await stop()
  }

  @Test func subscriptionsInTheWrongSwarmAreRedirected() async throws {
    var records = playground.records
    records[0].swarm = SwarmSpace.position(of: alice.bytes)
    records[1].swarm = ~records[0].swarm
    let file = try NetworkFile(
      name: "devnet", height: 99, nodes: records, operatorKeys: playground.net.operatorKeys())
    for place in await playground.net.places { try place.node?.learn(file) }
    let answer = try await listen(
      Array("l".utf8) + wish(alice, namespaces: [0]) + wish(alice, namespaces: []) + Array("e".utf8))
    #expect(answer.hasPrefix("ld7:errcodei6e5:error"))
    #expect(answer.contains("6:snodesl"))
    #expect(answer.contains(records[0].key.hex))
    #expect(answer.contains("5:swarm16:\(records[0].swarm.bigEndianBytes.hex)"))
    #expect(answer.contains("ed7:errcodei1e5:error"))
    var read = [SC_STORAGE_MONITOR_OK, SC_STORAGE_MONITOR_OK]
    let bytes = Array(answer.utf8)
    let status = bytes.withUnsafeBufferPointer { bytes in
      sc_storage_monitor_answers_parse(&read, 2, sc_bytes(ptr: bytes.baseAddress, len: bytes.count))
    }
    #expect(status == SC_OK)
    #expect(read == [SC_STORAGE_MONITOR_SWARM, SC_STORAGE_MONITOR_ARGUMENTS])
    await stop()
  }

  @Test func closedSubscribersAreForgotten() async throws {
    #expect(try await listen(try wish(alice, namespaces: [0])) == "d7:successi1ee")
    let node = try #require(await playground.net.places[1].node)
    #expect(node.subscriptions.count == 1)
    await listener.stop()
    // The node notices by itself; a message then has no subscriber.
    var number: UInt8 = 0
    while node.subscriptions.count > 0 {
      try Task.checkCancellation()
      number &+= 1
      _ = try await playground.call("store", try alice.storing([number]), at: playground.records[1])
    }
    await playground.stop()
  }

  @Test func onlyTheOwnerListens() async throws {
    let mallory = try Account(66)
    #expect(try await listen(try wish(alice, namespaces: [0], signer: mallory)).contains("7:errcodei5e"))
    #expect(try await listen(try wish(alice, namespaces: [2, 0])).contains("7:errcodei3e"))
    #expect(try await listen(try wish(alice, namespaces: [0], time: 1)).contains("7:errcodei4e"))
    #expect(
      try await listen(Array("l".utf8) + wish(alice, namespaces: [0]) + Array("e".utf8)) == "ld7:successi1eee"
    )
    #expect(try await listen(Array("{}".utf8)).hasPrefix("d7:errcodei1e"))
    await stop()
  }

  @Test func subscriptionsEndByThemselvesAndAreMerged() throws {
    let subscriptions = Subscriptions()
    let connection = NetworkEndpoint.Connection(number: 7)
    func subscription(_ namespaces: [Int], withData: Bool) throws -> StorageSubscription {
      let read = try StorageSubscriptions(try wish(alice, namespaces: namespaces, withData: withData))
      guard case .subscription(let subscription)? = read.items.first else { throw ServiceFailure.overloaded }
      return subscription
    }
    #expect(subscriptions.add(try subscription([0], withData: true), from: connection, now: 0))
    #expect(subscriptions.add(try subscription([2], withData: false), from: connection, now: 10))
    let ends = 10 + StorageSubscription.life
    for namespace in [0, 2] as [Int16] {
      let found = subscriptions.listeners(to: alice.bytes, namespace: namespace, now: ends - 1)
      #expect(found.map(\.isWithData) == [true])
    }
    #expect(subscriptions.listeners(to: alice.bytes, namespace: 0, now: ends).isEmpty)
    #expect(subscriptions.count == 1)
    subscriptions.sweep(now: ends)
    #expect(subscriptions.count == 0)
  }
}

extension UInt64 {
  fileprivate var bigEndianBytes: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }
}
