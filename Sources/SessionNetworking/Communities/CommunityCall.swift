public import SessionCore

/// A request to a community server, with the way to read its reply.
public struct CommunityCall<Answer: Sendable>: Sendable {
  public let request: CommunityRequest
  /// The answer to a reply without content that says that nothing is new; nil if there is no such reply.
  private let unchanged: Answer?
  private let read: @Sendable (CommunityReply) throws(NetworkFailure) -> Answer

  init(
    _ request: CommunityRequest, unchanged: Answer? = nil,
    read: @escaping @Sendable (CommunityReply) throws(NetworkFailure) -> Answer
  ) {
    self.request = request
    self.unchanged = unchanged
    self.read = read
  }

  /// Reads the answer from the reply of the server. Everything in it is untrusted.
  public func answer(from reply: CommunityReply) throws(NetworkFailure) -> Answer {
    if reply.status == 304, let unchanged { return unchanged }
    guard reply.isSuccess else { throw NetworkFailure(communityAnswered: reply) }
    return try read(reply)
  }
}

/// Sends requests to community servers through the network: no server learns the client's address.
public struct CommunityClient: Sendable {
  private let service: any ServerService

  public init(through service: any ServerService) { self.service = service }

  /// The time limit of a request, including waiting and building paths.
  private static let overall = Duration.seconds(100)

  /// Sends a request, signed at a time unless it is anonymous, and returns the reply, whatever its status is. Nothing is
  /// sent twice.
  public func send(
    _ request: CommunityRequest, to server: CommunityServer, as identity: CommunityIdentity?,
    at time: MessageTime
  ) async throws(NetworkFailure) -> CommunityReply {
    let signed: ServerRequest
    do throws(SessionError) {
      let nonce = try SecretBytes.random(count: CommunityIdentity.Request.nonceBytes).reveal()
      signed = try ServerRequest(request, as: identity, nonce: nonce, at: time)
    } catch {
      throw NetworkFailure(error)
    }
    guard signed.body?.count ?? 0 <= ServerRequest.maxBody else {
      throw NetworkFailure(.tooLarge, "the request is larger than a community server accepts")
    }
    let reply = try await service.send(
      signed, to: server.door,
      Network.Delivery(
        category: request.carriesFile ? .file : .standard, isAlone: request.carriesFile,
        timeout: request.timeout,
        overall: Self.overall, attempts: 1))
    return CommunityReply(reply)
  }

  /// Sends several requests as one, whose reply has theirs: see
  /// ``CommunityReply/replies(toBatchOf:inOrder:)``. In order, the server stops after the first that fails. Throws `rejected`
  /// for none or too many.
  public func send(
    batch requests: [CommunityRequest], inOrder: Bool, to server: CommunityServer,
    as identity: CommunityIdentity?, at time: MessageTime
  ) async throws(NetworkFailure) -> CommunityReply {
    guard (1...CommunityRequest.maxBatch).contains(requests.count) else {
      throw NetworkFailure(.rejected, "a batch has 1 to \(CommunityRequest.maxBatch) requests")
    }
    return try await send(
      CommunityRequest(batch: requests, inOrder: inOrder), to: server, as: identity, at: time)
  }
}
