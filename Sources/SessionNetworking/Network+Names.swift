public import SessionCore

extension Network {
  /// The number of nodes that must agree on a name, and the most that are called.
  private static let namesAgreed = 3
  private static let maxNodesPerName = 12

  /// Resolves a name to an account; nil if it is not registered. Three nodes must agree, or all nodes of a smaller
  /// network.
  ///
  /// Throws `nameLength` and `nameCharacters` for an invalid name, `nameRecord` if the nodes do not agree, and the
  /// errors of requests to nodes.
  public nonisolated func account(named name: String) async throws(SessionError) -> SessionID? {
    let request = try Storage.Name(name)
    var called: Set<[UInt8]> = []
    var answers: [SessionID?] = []
    var failure = SessionError(.networkNoNodes, "no node of the network is known")
    for _ in 0..<Self.maxNodesPerName where answers.count < Self.namesAgreed {
      guard let node = try await nodeAtRandom(but: called) else { break }
      called.insert(node)
      do throws(SessionError) {
        let answer = try await send(request, to: .node(node))
        answers.append(answer.reply)
      } catch {
        // A node on the only path cannot be called.
        guard NetworkFailure(error).kind == .transient else { throw error }
        failure = error
      }
    }
    guard let account = answers.first else { throw failure }
    guard answers.allSatisfy({ $0 == account }) else {
      throw SessionError(.nameRecord, "nodes disagree about the owner of the name \(request.name)")
    }
    return account
  }

  /// Returns a random node of a swarm that was not called yet; nil if there is none.
  private nonisolated func nodeAtRandom(but called: Set<[UInt8]>) async throws(SessionError) -> [UInt8]? {
    let key = try SecretBytes.random(count: 32).reveal()
    let nodes = try await swarm(of: SessionID(.standard, key: key))
    return nodes.map(\.key).filter { !called.contains($0) }.randomElement()
  }
}
