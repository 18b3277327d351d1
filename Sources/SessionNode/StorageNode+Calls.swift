import SessionBase
import SessionCore
import SessionNodeCore

extension StorageNode {
  /// The reply of the node to a call.
  func answer(_ call: StorageCall) async -> StorageResult { await answer(call.request) }

  private func answer(_ request: StorageRequest) async -> StorageResult {
    switch request.action {
    case .batch(let requests):
      let results = await withTaskGroup(of: (Int, StorageResult).self) { group in
        var changes: [Latch] = []
        for (index, request) in requests.enumerated() {
          if request.isRecursive {
            let latch = Latch()
            changes.append(latch)
            group.addTask {
              defer { latch.open() }
              return (index, await self.answerOne(request, changed: latch))
            }
          } else {
            // It sees what the requests before it changed here; other members may take longer.
            group.addTask { [changes] in
              for latch in changes { await latch.wait() }
              return (index, await self.answerOne(request))
            }
          }
        }
        return await group.reduce(into: [Int: StorageResult]()) { $0[$1.0] = $1.1 }
      }
      return StorageResult(.reply(.results(requests.indices.compactMap { results[$0] })))
    case .sequence(let requests):
      var results: [StorageResult] = []
      for request in requests where results.last?.isSuccess ?? true {
        results.append(await answerOne(request))
      }
      return StorageResult(.reply(.results(results)))
    case .branch(let conditions, let then, let otherwise):
      let height = membership?.file.height ?? 0
      let fork = membership?.file.fork ?? NetworkFile.usualFork
      let isTrue = conditions.hold(fork: fork, version: NodeOptions.version, height: height)
      var result: StorageResult?
      if let taken = isTrue ? then : otherwise { result = await answer(taken) }
      return StorageResult(
        .reply(.outcome(isTrue: isTrue, height: height, version: NodeOptions.version, result)))
    default:
      return await answerOne(request)
    }
  }

  /// How a request arrived.
  enum Arrival: Equatable {
    case fromClient
    case fromMember
    /// From a member that could not forward it when it was made: milliseconds since 1970.
    case late(UInt64)
  }

  /// The reply to a request that contains no others. Opens `changed` when it is carried out here.
  func answerOne(
    _ request: StorageRequest, _ arrival: Arrival = .fromClient, changed: Latch? = nil
  ) async -> StorageResult {
    do {
      if request.lacksSignature {
        throw NodeRefusal(400, "invalid request: Required field 'signature' missing")
      }
      guard let membership else { throw NodeRefusal(503, "Service node is not ready: not done syncing\n") }
      var mayOnlyExtend = false
      if request.hasAccount {
        if case .getSwarm = request.action {
          return StorageResult(.reply(.swarm(membership.swarm(of: request.account))))
        }
        guard membership.isOurs(request.account) else {
          return StorageResult(code: 421, .swarm(membership.swarm(of: request.account)))
        }
        mayOnlyExtend = try await authorize(request, arrival)
      }
      guard request.isRecursive else { return try await read(request, membership) }
      let mode = mayOnlyExtend
      let work: Work = {
        defer { changed?.open() }
        return try await self.change(request, arrival, mayOnlyExtend: mode)
      }
      return arrival == .fromClient
        ? await spread(request, among: membership, work)
        : StorageResult(.reply(.members([await own(request, work)])))
    } catch let refusal as NodeRefusal {
      return StorageResult(refusal)
    } catch {
      return StorageResult(.failed)
    }
  }

  private func authorize(_ request: StorageRequest, _ arrival: Arrival) async throws -> Bool {
    let time = if case .late(let time) = arrival { time } else { now }
    var isRevoked = false
    if let token = request.subaccount {
      isRevoked = try await store.isRevoked(token, account: request.account)
    }
    return try request.authorize(now: time, isForwarded: arrival != .fromClient, isRevoked: isRevoked)
  }

  /// Requests that change nothing.
  private func read(_ request: StorageRequest, _ membership: Membership) async throws -> StorageResult {
    let account = request.account
    switch request.action {
    case .retrieve(let namespace, let lastHash, let maxCount, let budget):
      let (messages, hasMore) = try await store.messages(
        of: account, namespace: namespace, after: lastHash, maxCount: maxCount, budget: budget, now: now)
      return StorageResult(.reply(.messages(messages, hasMore: hasMore)))
    case .getExpiries(let hashes):
      return StorageResult(.reply(.expiries(try await store.expiries(of: hashes, account: account))))
    case .revoked:
      return StorageResult(.reply(.tokens(try await store.revocations(of: account))))
    case .serviceNodes(let isActiveOnly, let limit, let pollBlockHash):
      let file = membership.file
      return StorageResult(
        .reply(file.reply(isActiveOnly: isActiveOnly, limit: limit, pollBlockHash: pollBlockHash)))
    case .name: return StorageResult(.reply(.unregisteredName))
    case .info: return StorageResult(.reply(.info(version: NodeOptions.version, timestamp: now)))
    case .activeNodes: return StorageResult(.reply(.activeNodes(membership.activeNodes)))
    default: return StorageResult(.failed)
    }
  }
}
