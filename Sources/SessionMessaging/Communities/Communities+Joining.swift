import SessionBase
import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage

/// Joins a room whose server has not answered yet.
struct RoomJoining: JobKind {
  static let kind = "roomJoining"
  static let queue = JobQueue("joining", concurrency: 4)
  static let conditions = Delivery.conditions
  /// How long the job leaves the first attempt to the call that enqueued it, in milliseconds.
  static let firstDelay: Int64 = 30_000

  /// The text of the link.
  let link: String
  let room: Conversation.ID

  init(_ link: CommunityLink, _ place: Community.Place) {
    self.link = link.description
    room = .room(place)
  }

  var uniqueKey: String? { room.address }

  /// A later link, which may be wrong, does not replace the first one before it has worked.
  func merged(with later: Self) -> Self { self }
}

extension Communities {
  /// Joins a room, on all devices, once its server has let us in. Returns its conversation. If the server does not answer,
  /// the room stays with us, and a job tries again later; the other devices learn of it when we are in. The server is not
  /// asked for a room that we are in already, unless we could not read that any more.
  func join(_ link: CommunityLink) async throws -> Conversation.ID {
    let place = try Community.Place(server: link.server, room: link.room)
    if let known = try await conversation(of: place, with: link.serverKey) { return known }
    guard environment.communities != nil else { throw MessengerError.noCommunities }
    let twin = try place.withOtherScheme
    if place.isHTTP, try await database.read({ transaction in try transaction.hasRoom(twin) }) {
      throw MessengerError(
        .noRoom, "you have this room as \(Conversation.ID.room(twin)): leave that first")
    }
    await context.learnTime()
    let isFirst = try await begin(joining: link, at: place)
    do {
      try await enter(link, place)
    } catch let failure as NetworkFailure where failure.isWorthRepeating {
      // The job goes on.
    } catch let error where !(error is CancellationError) {
      if isFirst { try await abandon(place) }
      throw Self.told(error)
    }
    return .room(place)
  }

  func makeJoining() -> JobHandler {
    JobHandler(RoomJoining.self) { [self] joining, _, transaction in
      guard case .room(let place) = joining.room else { return }
      try transaction.stopJoining(place, at: time(), context)
    } run: { [self] joining, _ in
      guard case .room(let place) = joining.room else { return .done }
      do {
        try await enter(try CommunityLink(parsing: joining.link), place)
      } catch let error where error is MessengerError || error is CommunityBan {
        throw JobFailure(.permanent, "\(Self.told(error))")
      }
      return .done
    }
  }

  /// Stores that we want to be in a room, with the job that asks its server. Returns false if there is such a job already.
  private func begin(joining link: CommunityLink, at place: Community.Place) async throws -> Bool {
    try await write { [jobTime] transaction, now in
      if try transaction.isUnproven(place.server) {
        try transaction.put(CommunityServerRecord(place.server, publicKey: link.serverKey))
      }
      var thread = try transaction.obtainThread(
        at: Conversation.ID.room(place).address, .community, createdAt: now.stored)
      if try transaction.community(thread.id) == nil {
        var record = CommunityRecord(thread.id, server: place.server, room: place.room, name: link.room)
        // Its poller would find it before we are let in.
        record.isPolled = false
        try transaction.put(record)
        thread.isVisible = true
        try transaction.keep(thread, at: now)
      }
      var request = JobRequest.at(jobTime + RoomJoining.firstDelay)
      request.thread = thread.id
      let joining = RoomJoining(link, place)
      let isFirst = try transaction.job(RoomJoining.kind, for: Conversation.ID.room(place).address) == nil
      try transaction.enqueue(joining, request, at: jobTime)
      return isFirst
    }
  }

  /// Asks a server what it can do, and for a room, and stores on all devices that we are in it.
  private func enter(_ link: CommunityLink, _ place: Community.Place) async throws {
    guard let client = environment.communities else { throw MessengerError.noCommunities }
    let connection = CommunityConnection(
      server: try CommunityServer(place.server, key: link.serverKey), context: context, client: client)
    let (capabilities, room) = try await ask(for: place, connection)
    try await author.edit { configs, now in
      do throws(SessionError) {
        try configs.groups.update(link) { membership in
          if membership.priority == .hidden { membership.priority = .normal }
          membership.joinedAtSeconds = Int64(now.seconds)
        }
      } catch {
        guard error.code == .keyMismatch else { throw error }
        throw MessengerError.keyDiffers
      }
    } writing: { [context] _, transaction, now in
      // The room, which the configs have again by now, may have been left during the request.
      guard
        try transaction.roomRecord(of: place)?.state != .joining
          || transaction.job(RoomJoining.kind, for: Conversation.ID.room(place).address) != nil
      else { throw MessengerError(.noConversation, "the room was left meanwhile") }
      let scheme: CommunityIdentity.Scheme? =
        connection.lastScheme.value == .blinded25 ? .blinded25 : nil
      try transaction.take(capabilities, of: place.server, as: scheme)
      try transaction.take(room, of: place, at: now, context)
      try transaction.endJoiningJob(of: place, at: context.jobTime)
    }
  }

  private func ask(
    for place: Community.Place, _ connection: CommunityConnection
  ) async throws -> (CommunityCapabilities, CommunityRoom) {
    let capabilitiesCall = CommunityCall<CommunityCapabilities>.capabilities
    let roomCall = CommunityCall<CommunityRoom>.room(place)
    let replies = try await connection.perform([capabilitiesCall.request, roomCall.request], inOrder: true)
    let capabilities = try capabilitiesCall.answer(from: replies[0])
    guard capabilities.has(CommunityCapabilities.community) else {
      throw MessengerError(.noRoom, "there is no community server at \(place.server)")
    }
    guard ![403, 404].contains(replies[1].status) else {
      throw MessengerError(.noRoom, "there is no such room on this server, or you may not enter it")
    }
    return (capabilities, try roomCall.answer(from: replies[1]))
  }

  /// Forgets a room that we only wanted to join. Returns false if there is no such room.
  @discardableResult
  func abandon(_ place: Community.Place) async throws -> Bool {
    try await write { [context] transaction, now in
      try transaction.endJoiningJob(of: place, at: context.jobTime)
      return try transaction.stopJoining(place, at: now, context)
    }
  }

  /// The error that people see when joining fails.
  private static func told(_ error: any Error) -> any Error {
    switch error {
    case let error as NetworkFailure: MessengerError(.serverFailed, error.message)
    case let ban as CommunityBan: MessengerError(.noRoom, ban.description)
    default: error
    }
  }
}

extension WriteTransaction {
  /// Keeps a room that the configs do not have any more, if a job is joining it. Returns false for any other.
  func goesOnJoining(_ place: Community.Place, at now: MessageTime) throws -> Bool {
    let address = Conversation.ID.room(place).address
    guard try job(RoomJoining.kind, for: address) != nil, var thread = try thread(at: address),
      var record = try community(thread.id)
    else { return false }
    (record.state, record.isPolled, thread.isVisible) = (.joining, false, true)
    try put(record)
    try keep(thread, at: now)
    return true
  }

  /// Gives each room that we only want to join its job, where it has none: archives contain rooms, but no jobs.
  func resumeJoining(at now: Int64) throws {
    for server in try communityServers() {
      for record in try communities(on: server.url) {
        guard let thread = try thread(record.threadID), try isOnlyWanted(thread),
          let link = CommunityLink("\(server.url)/\(record.name)?public_key=\(server.publicKey.hex)"),
          let place = try? Community.Place(server: link.server, room: link.room),
          try job(RoomJoining.kind, for: Conversation.ID.room(place).address) == nil
        else { continue }
        var request = JobRequest.at(now)
        request.thread = thread.id
        try enqueue(RoomJoining(link, place), request, at: now)
      }
    }
  }

  fileprivate func endJoiningJob(of place: Community.Place, at now: Int64) throws {
    guard let job = try job(RoomJoining.kind, for: Conversation.ID.room(place).address) else { return }
    try cancel(job.id, because: "joining the room has ended", at: now)
  }

  /// Removes a room that we only wanted to join.
  @discardableResult
  fileprivate func stopJoining(
    _ place: Community.Place, at now: MessageTime, _ context: AccountContext
  ) throws -> Bool {
    guard let thread = try thread(at: Conversation.ID.room(place).address), try isOnlyWanted(thread)
    else { return false }
    try removeRoom(place, at: now, context)
    return true
  }
}
