import SessionHTTP
import SessionStorage

/// What a route does with a request: it looks at what was sent first, and then, in a transaction, at the rows.
enum CommunityRoute: Sendable {
  typealias Reads = @Sendable (borrowing ReadTransaction, CommunityCaller?) throws -> CommunityAnswer
  /// What a request asks for if it can be answered from memory; nil for another request.
  typealias Resting = @Sendable (CommunityVisit) throws -> RestingRead?
  typealias Writes = @Sendable (borrowing WriteTransaction, CommunityCaller?) throws -> CommunityAnswer

  case read(@Sendable (CommunityVisit) throws -> Reads, resting: Resting?)
  case write(@Sendable (CommunityVisit) throws -> Writes)
  /// A post or an edit, whose text is looked at between two transactions.
  case post(PostKind)
  /// Several requests in one.
  case batch(inOrder: Bool)
  /// A file for a room.
  case upload

  /// The path of the changes of a room.
  static let changes = "/room/{room}/messages/since/{number}"

  /// Bytes of a body.
  func maxBody(_ options: CommunityServer.Options) -> Int {
    switch self {
    case .read, .write, .post: options.maxRequestBytes
    case .batch: options.maxBatchBytes
    case .upload: options.maxFileBytes
    }
  }
}

extension CommunityRoute {
  /// Bytes that an answer may have.
  var maxAnswer: Int {
    switch self {
    case .read: CommunityAnswer.maxPage
    case .batch: BatchRequest.maxAnswers
    case .write, .post, .upload: SignedPost.maxBytes * 2
    }
  }
}

extension RouteTable<CommunityRoute> {
  mutating func read(
    _ pattern: String, resting: CommunityRoute.Resting? = nil,
    _ handler: @escaping @Sendable (CommunityVisit) throws -> CommunityRoute.Reads
  ) {
    on(.get, pattern, .read(handler, resting: resting))
  }

  mutating func write(
    _ method: HTTPMethod, _ pattern: String,
    _ handler: @escaping @Sendable (CommunityVisit) throws -> CommunityRoute.Writes
  ) {
    on(method, pattern, .write(handler))
  }

  /// All requests that a community server answers.
  static let community: RouteTable<CommunityRoute> = {
    var routes = RouteTable()
    routes.on(.post, "/batch", .batch(inOrder: false))
    routes.on(.post, "/sequence", .batch(inOrder: true))
    routes.addRooms()
    routes.addMessages()
    routes.addReactions()
    routes.addPins()
    routes.addRoomChanges()
    routes.addFiles()
    routes.addPermissions()
    routes.addModeration()
    routes.addAuthors()
    routes.addInbox()
    routes.addPages()
    return routes
  }()
}
