import SessionCore
import SessionEndpoint
import SessionNodeCore

extension StorageNode {
  typealias Work = @Sendable () async throws -> SwarmMember.Success

  /// This node's part in a request, signed.
  func own(_ request: StorageRequest, _ work: Work) async -> SwarmMember {
    do {
      return try SwarmMember(try await work(), for: request, by: keys)
    } catch {
      return SwarmMember(node: keys.publicKey, .queryFailure)
    }
  }

  /// Has the whole swarm carry out a request, this node among them.
  func spread(_ request: StorageRequest, among membership: Membership, _ work: @escaping Work) async
    -> StorageResult
  {
    guard let parameters = try? request.parameters() else { return StorageResult(.failed) }
    let message = MessageParts.pack([Array(request.method.utf8), parameters])
    let (members, isPatient) = await withTaskGroup(of: SwarmMember?.self) { group in
      for peer in membership.peers { group.addTask { await self.call(peer, request, message) } }
      if request.isDoneByHalf { group.addTask { await self.waitForTimeout() } }
      var members = [await own(request, work)]
      var isPatient = true
      while members.count <= membership.peers.count, let next = await group.next() {
        if let next { members.append(next) } else { isPatient = false }
        if !isPatient, hasHalfDone(members, of: membership.peers.count + 1) { group.cancelAll() }
      }
      group.cancelAll()
      return (members, isPatient)
    }
    await owe(request, message, to: members)
    if !isPatient { catchUpSoon() }
    return StorageResult(code: code(of: request, members), .reply(.members(members)))
  }

  /// A member that does not reply in time receives the request later.
  private func waitForTimeout() async -> SwarmMember? {
    try? await Task.sleep(for: options.slowMemberTimeout)
    return nil
  }

  private func hasHalfDone(_ members: [SwarmMember], of count: Int) -> Bool {
    members.count { !$0.hasFailed } * 2 >= count
  }

  private func code(of request: StorageRequest, _ members: [SwarmMember]) -> Int {
    if members.allSatisfy(\.hasFailed) { return 500 }
    guard case .delete(_, isRequired: true) = request.action else { return 200 }
    let isAnyDeleted = members.contains { member in
      if case .done(let success, _) = member.outcome { !success.changed.isEmpty } else { false }
    }
    return isAnyDeleted ? 200 : 404
  }

  private func call(_ peer: NodeRecord, _ request: StorageRequest, _ message: [UInt8]) async -> SwarmMember {
    guard !pendingPeers.contains(peer.key) else { return SwarmMember(node: peer.key, .timedOut) }
    do throws(PeerFailure) {
      let reply = try await call(peer, NodeCommand.forward, message, timeout: options.memberTimeout)
      guard let (code, body) = MessageParts.readAnswer(reply) else {
        return SwarmMember(node: peer.key, .badResponse)
      }
      guard code == 200 else {
        return SwarmMember(
          node: peer.key, .refused(code: code, reason: String(decoding: body, as: UTF8.self)))
      }
      return SwarmMember(node: peer.key, repliedTo: request, with: body)
    } catch {
      return SwarmMember(node: peer.key, error == .refused ? .badResponse : .timedOut)
    }
  }

  /// A request that another member of the swarm passed on.
  func answerForwarded(_ request: NetworkEndpoint.Request) async throws -> [UInt8] {
    try requireNode(request)
    do throws(NodeRefusal) {
      if let unreadiness { throw NodeRefusal(503, "Service node is not ready: \(unreadiness)\n") }
      return try await forwarded(request.body, .fromMember)
    } catch {
      return MessageParts.answer(error.code, Array(error.text.utf8))
    }
  }

  /// Carries out a request, packed with its method, that another member passed on.
  func forwarded(_ message: [UInt8], _ arrival: Arrival) async throws(NodeRefusal) -> [UInt8] {
    guard let parts = MessageParts.unpack(message), parts.count == 2 else {
      throw NodeRefusal(400, "invalid forwarded request: expected method and parameters")
    }
    let call = try StorageCall(method: String(decoding: parts[0], as: UTF8.self), parameters: parts[1])
    guard call.request.isRecursive else {
      throw NodeRefusal(400, "received invalid forwarded non-forwardable request")
    }
    let result = await answerOne(call.request, arrival)
    metrics.count(call.request.method, over: .member, code: result.code)
    return MessageParts.answer(result.code, try write(result, to: call).bytes)
  }
}

extension StorageRequest {
  /// True if a client's request is done when half of the swarm has carried it out: the others follow later.
  fileprivate var isDoneByHalf: Bool {
    switch action {
    case .store, .deleteAll, .deleteBefore, .delete(_, isRequired: false): true
    default: false
    }
  }
}
