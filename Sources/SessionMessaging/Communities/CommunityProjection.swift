import SessionBase
import SessionCore
import SessionNetworking
import SessionStorage

// Rows derived from the rooms in the config of groups.

extension ConfigProjection {
  /// Applies our membership in a room. A room that another device joined is polled at once.
  mutating func apply(_ community: Community, in transaction: borrowing WriteTransaction) throws {
    let place = community.id
    if let server = try transaction.communityServer(place.server), try !transaction.isUnproven(server.url) {
      // One of two keys is a lie, and the known one has worked.
      guard server.publicKey == community.serverKey else {
        context.environment.log(.warn, .configs, "server-key-differs")
        return
      }
    } else {
      try transaction.put(CommunityServerRecord(place.server, publicKey: community.serverKey))
    }
    let address = Conversation.ID.room(place).address
    let joinedAt = community.membership.joinedAtSeconds * 1000
    var thread = try transaction.obtainThread(
      at: address, .community, createdAt: joinedAt > 0 ? min(joinedAt, now.stored) : now.stored)
    let before = try transaction.community(thread.id)
    var record =
      before
      ?? CommunityRecord(thread.id, server: place.server, room: place.room, name: community.spelling)
    let isTwin = try place.isHTTP && transaction.hasRoom(place.withOtherScheme)
    record.isPolled = community.membership.priority != .hidden && !isTwin
    if !place.isHTTP { try transaction.hideRoom(place.withOtherScheme, at: now) }
    if record != before {
      try transaction.put(record)
      try transaction.tell(.conversationChanged, MessengerEvent.Content(in: thread), at: now)
    }
    thread.isVisible = record.isPolled
    thread.priority = community.membership.priority.height
    let mutedUntil = community.membership.mutedUntilSeconds
    thread.mutedUntil = mutedUntil > 0 ? mutedUntil * 1000 : nil
    let notifying = community.membership.notifying
    // A room has too many messages for each of them to notify, unless somebody wants that.
    thread.notifies = notifying == .byDefault ? .mentions : ThreadRecord.Notifies(notifying)
    try transaction.keep(thread, at: now)
  }

  /// Removes a room that is in no config any more, but for one that we are about to join.
  func removeRoom(_ place: Community.Place, in transaction: borrowing WriteTransaction) throws {
    guard try !transaction.goesOnJoining(place, at: now) else { return }
    try transaction.removeRoom(place, at: now, context)
  }
}

// A room that is in the config under both schemes of its address is the conversation under https. The other one is left as it
// is, and neither shown nor polled.

extension Community.Place {
  var isHTTP: Bool { server.hasPrefix("http:") }
}

extension Reading where Self: ~Copyable {
  /// True for a room of the configs. One that we only want to join is none.
  func hasRoom(_ place: Community.Place) throws -> Bool {
    guard let thread = try thread(at: Conversation.ID.room(place).address) else { return false }
    return try community(thread.id) != nil && !isOnlyWanted(thread)
  }

  /// True for a room whose server has not let us in yet, and that is in no config.
  func isOnlyWanted(_ thread: ThreadRecord) throws -> Bool {
    guard thread.isVisible, let record = try community(thread.id) else { return false }
    return record.state == .joining && !record.isPolled
  }

  /// True for a server whose key nothing has proven yet: all of its rooms are only wanted.
  func isUnproven(_ server: String) throws -> Bool {
    try communities(on: server).allSatisfy { record in
      try thread(record.threadID).map { try isOnlyWanted($0) } ?? false
    }
  }

  /// True for a room of the configs that gave way to the same room under https, which is not there any more.
  func isWronglyHidden(_ room: Community) throws -> Bool {
    guard room.id.isHTTP, room.membership.priority != .hidden,
      let record = try roomRecord(of: room.id), !record.isPolled
    else { return false }
    return try !hasRoom(room.id.withOtherScheme)
  }
}

extension WriteTransaction {
  fileprivate func hideRoom(_ place: Community.Place, at now: MessageTime) throws {
    guard var thread = try thread(at: Conversation.ID.room(place).address),
      var record = try community(thread.id), record.isPolled
    else { return }
    (record.isPolled, thread.isVisible) = (false, false)
    try put(record)
    try keep(thread, at: now)
  }

  /// Removes a room with its messages, and its server with the last one.
  func removeRoom(_ place: Community.Place, at now: MessageTime, _ context: AccountContext) throws {
    let conversation = Conversation.ID.room(place)
    guard let thread = try thread(at: conversation.address) else { return }
    try delete(thread, at: context.jobTime)
    if try communities(on: place.server).isEmpty { try deleteServer(place.server) }
    try requestFileSweep(at: context.jobTime)
    try tell(.conversationDeleted, MessengerEvent.Content(conversation: conversation), at: now)
  }
}

// MARK: - What servers say

extension WriteTransaction {
  /// Stores a description of a room that its server has let us into.
  func take(
    _ room: CommunityRoom, of place: Community.Place, at now: MessageTime, _ context: AccountContext
  ) throws {
    try change(place, at: now, context) { record in
      record.take(room)
      record.userCount = room.activeUsers
      record.permissions = room.permissions.rawValue
      record.state = room.permissions.contains(.read) ? .joined : .noAccess
    }
    try takePeople(room, of: place)
  }

  /// Stores who moderates a room, and what they pinned.
  private func takePeople(_ room: CommunityRoom, of place: Community.Place) throws {
    guard let thread = try thread(at: Conversation.ID.room(place).address) else { return }
    let moderators = room.moderators.map {
      RoomModeratorRecord($0.id.address, isAdmin: $0.isAdmin, isHidden: $0.isHidden)
    }.sorted { $0.person < $1.person }
    if try self.moderators(of: thread.id) != moderators { try setModerators(moderators, of: thread.id) }
    let known = try self.pins(of: thread.id)
    let pins = room.pins.map { pin in
      var record = RoomPinRecord(pin.number, at: pin.pinnedAt.stored, by: pin.pinnedBy?.address)
      record.copy = known.first { $0.serverID == pin.number }?.copy
      return record
    }.sorted { ($0.pinnedAt, $0.serverID) < ($1.pinnedAt, $1.serverID) }
    if known != pins { try setPins(pins, of: thread.id) }
  }

  /// Begins a room anew, as its server has: with no numbers of messages, and a note.
  func restart(
    _ record: CommunityRecord, in thread: ThreadRecord, createdAt: Int64, own: SessionID, at now: MessageTime
  ) throws {
    var record = record
    (record.createdAt, record.sequenceNumber, record.infoUpdates) = (createdAt, 0, 0)
    (record.isComplete, record.lastSuccessAt) = (false, 0)
    try put(record)
    try forgetNumbers(in: thread.id)
    var note = InteractionRecord(
      in: thread.id, by: own.address, MessageView.Note.roomRestarted.kind, sentAt: now.stored,
      receivedAt: now.stored, state: .received)
    note.wasRead = true
    guard try page(of: thread.id, limit: 1).first?.kind != note.kind else { return }
    try tell(.messageReceived, insert(note), at: now)
  }

  /// Stores the state of a room.
  func take(
    _ poll: CommunityPoll, of place: Community.Place, at now: MessageTime, _ context: AccountContext
  ) throws {
    try change(place, at: now, context) { record in
      if let room = poll.details { record.take(room) }
      record.userCount = poll.activeUsers
      record.permissions = poll.permissions.rawValue
      record.state = poll.permissions.contains(.read) ? .joined : .noAccess
    }
    if let room = poll.details { try takePeople(room, of: place) }
  }

  /// Records that we cannot read a room. It stays with its messages.
  func close(
    _ place: Community.Place, as state: CommunityRecord.State, at now: MessageTime, _ context: AccountContext
  ) throws {
    try change(place, at: now, context) { record in
      record.permissions = 0
      record.state = state
    }
  }

  /// Changes the row of a room; does nothing for one that we have left. Counts of users change too often for events.
  private func change(
    _ place: Community.Place, at now: MessageTime, _ context: AccountContext,
    _ body: (inout CommunityRecord) -> Void
  ) throws {
    guard let thread = try thread(at: Conversation.ID.room(place).address),
      let before = try community(thread.id)
    else { return }
    var record = before
    body(&record)
    guard record != before else { return }
    if record.imageID == nil { record.imageFileID = nil }
    try put(record)
    if record.imageID != before.imageID {
      try requestPicture(of: place, isFirst: before.imageID == nil, at: context.jobTime)
    }
    record.userCount = before.userCount
    if record != before {
      try tell(.conversationChanged, MessengerEvent.Content(in: thread), at: now)
    }
  }
}

extension CommunityRecord {
  fileprivate mutating func take(_ room: CommunityRoom) {
    name = room.name
    description = room.description
    imageID = room.imageID.map { "\($0)" }
    infoUpdates = room.infoUpdates
    if let createdAt = room.createdAt { self.createdAt = createdAt.stored }
  }
}
