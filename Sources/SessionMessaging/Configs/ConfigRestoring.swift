import SessionBase
import SessionCore
import SessionJobs
import SessionNetworking

/// Stores the unchanged configs of an account or group again, in a swarm that has lost some of them.
struct ConfigRestoring: JobKind {
  static let kind = "configRestoring"
  static let queue = ConfigSync.queue
  static let conditions: JobConditions = [.network, .accountActive]

  let owner: SessionID

  var uniqueKey: String? { owner.address }
  var partition: String? { ConfigSync.partition(of: owner) }
}

extension ConfigAuthor {
  func makeConfigRestoring() -> JobHandler {
    JobHandler(ConfigRestoring.self) { [self] restoring, _ in
      // Members can store a group's configs again because they cannot alter them.
      guard let credentials = try await currentCredentials(for: restoring.owner) else { return .done }
      let pushes = try await queue.run { [self] in
        let now = try time()
        return try ConfigKind.kept(of: restoring.owner).compactMap { kind in
          try configs.storedAgain(ConfigName(kind, of: restoring.owner), at: now)
        }
      }
      let items = pushes.flatMap { push in
        push.messages.map { SwarmItem($0, in: push.namespace, for: ConfigSync.lifetimeInSwarm) }
      }
      guard !items.isEmpty else { return .done }
      try await environment.swarms.perform(
        items.map(SwarmStep.store), in: restoring.owner, as: credentials.signer
      )
      .check()
      return .done
    }
  }
}
