import Testing

@testable import SessionStorage

/// An account that has something in every table, and how it is read again.
enum ExampleAccount {
  static let bob = "05" + String(repeating: "b", count: 64)
  static let me = "05" + String(repeating: "a", count: 64)
  static let groupID = "03" + String(repeating: "c", count: 64)
  static let blinded = "15" + String(repeating: "d", count: 64)
  static let server = "https://community.example"
  static let room = server + "/room"
  static let key = [UInt8](repeating: 7, count: 32)
  static let colour = Setting<String>("colour")

  static func open(in place: Workplace, options: DatabaseOptions = .impatient) throws -> Database {
    try .open(place.file, key: .example(), schema: .account, options: options)
  }

  static func inMemory() throws -> Database { try .inMemory(schema: .account) }

  /// A message as it comes from somebody.
  static func message(
    _ body: String?, in thread: ThreadRecord.ID, at time: Int64, by author: String = bob
  ) -> InteractionRecord {
    InteractionRecord(
      in: thread, by: author, author == me ? .outgoing : .incoming, body: body, sentAt: time,
      receivedAt: time + 1,
      state: author == me ? .sent : .received)
  }

  static func fill(_ transaction: borrowing WriteTransaction) throws {
    let thread = try transaction.obtainThread(at: bob, .contact, createdAt: 1)
    try fillPeople(transaction)
    try fillMessages(transaction, thread.id)
    try fillGroups(transaction)
    try fillSync(transaction, thread.id)
    try fillRest(transaction, thread.id)
    try ExampleRatchet.fill(transaction)
    try fillOwn(transaction)
  }

  private static func fillPeople(_ transaction: borrowing WriteTransaction) throws {
    var picture = ProfileRecord(bob, name: "Bob", updatedAt: 5)
    picture.nickname = "Bobby"
    picture.pictureURL = "http://file/1"
    picture.pictureKey = key
    picture.pictureFileID = try transaction.insertFile(
      at: "attachments/aa/picture", localKey: key, byteCount: 9, createdAt: 5)
    picture.proFeatures = 3
    picture.proExpiresAt = 99
    picture.proTag = [1]
    try transaction.put(picture)
    var contact = ContactRecord(bob, createdAt: 1)
    contact.isApproved = true
    contact.lastKnownVersion = 2
    try transaction.put(contact)
    try transaction.put(BlindedIDRecord(blinded, sessionID: bob, server: server, serverKey: key))
  }

  /// The kinds of notes, in the order in which they were made.
  private static let notes = [4000, 2000, 3001, 5000]

  private static func fillMessages(
    _ transaction: borrowing WriteTransaction, _ thread: ThreadRecord.ID
  ) throws {
    for (index, kind) in notes.enumerated() {
      var note = message(nil, in: thread, at: 10 + Int64(index))
      note.kind = InteractionRecord.Kind(rawValue: kind)
      try transaction.insert(note)
    }
    var message = message("hello world", in: thread, at: 100)
    message.serverHash = "hash"
    message.uuid = "uuid"
    message.serverID = 8
    message.hasMention = true
    message.expiry = ExpiryTimer(.afterRead, seconds: 60)
    message.expiryStartedAt = 1000
    message.info = [1, 2]
    message.failure = "no"
    message.readByRecipientAt = 101
    message.isWhisper = true
    message.whisperTo = me
    message.proMessageFeatures = 1
    message.proProfileFeatures = 2
    message.level = 4
    message.isFromHeldDevice = true
    message.linkPreviewID = try transaction.obtainLinkPreview(
      of: "https://example.org", at: 100, .page, title: "Example")
    message = try transaction.insert(message)
    try transaction.insert(QuoteRecord(of: message.id, author: me, sentAt: 50))
    try transaction.put(ReactionRecord(to: message.id, by: me, emoji: "👍", sentAt: 102))
    try transaction.announceFile(at: "attachments/bb/file", at: 100)
    var attachment = AttachmentRecord(
      .voice, .downloaded, contentType: "audio/aac", byteCount: 10, createdAt: 100)
    attachment.serverID = "1"
    attachment.name = "voice.aac"
    attachment.caption = "a song"
    attachment.url = "http://file/2"
    attachment.width = 1
    attachment.height = 2
    attachment.duration = 1.5
    attachment.key = key
    attachment.digest = key
    attachment.fileID = try transaction.insertFile(
      at: "attachments/bb/file", localKey: key, byteCount: 10, createdAt: 100)
    attachment = try transaction.insert(attachment)
    try transaction.attach([attachment.id], to: message.id)
    try transaction.keep("another hash", of: message.id)
    try transaction.insertNotification(.message, thread: thread, interaction: message.id, createdAt: 103)
    var draft = DraftRecord(in: thread, body: "unfinished", updatedAt: 104)
    draft.quoteAuthor = bob
    draft.quoteSentAt = 100
    draft.editTarget = message.id
    try transaction.put(draft, attachments: [attachment.id])
    try transaction.announceFile(at: "attachments/cc/never", at: 105)
  }

  /// What the user arranged.
  private static func fillOwn(_ transaction: borrowing WriteTransaction) throws {
    let tag = try transaction.insert(TagRecord("Work", searchName: "work", emoji: "🛠", position: 0))
    try transaction.add(tag.id, to: bob)
    let picture = try transaction.insert(
      AttachmentRecord(.file, .uploaded, contentType: "image/png", byteCount: 3, createdAt: 100))
    try transaction.insert(scheduled(since: Schema.account.version), attachments: [picture.id])
  }

  private static func scheduled(since version: Int) -> ScheduledRecord {
    var scheduled = ScheduledRecord(
      to: bob, body: "happy birthday", at: 5000, zone: "Europe/Berlin", late: 60, createdAt: 100)
    scheduled.quoteAuthor = bob
    scheduled.quoteSentAt = 100
    scheduled.state = .missed
    scheduled.failure = "nothing ran"
    scheduled.level = 4
    scheduled.whisper = me
    scheduled.identityShownAt = 99
    if version >= 20 { scheduled.settledAt = 5070 }
    return scheduled
  }

  private static func checkOwn(_ transaction: borrowing ReadTransaction, since version: Int) throws {
    let tags = try transaction.tags(of: bob)
    #expect(tags.map(\.name) == ["Work"] && tags.map(\.emoji) == ["🛠"])
    #expect(try transaction.tag(named: "work") == tags.first)
    var later = try transaction.allScheduled()
    let files = try later.first.map { try transaction.attachments(of: $0.id) }
    #expect(files?.map(\.contentType) == ["image/png"])
    for index in later.indices { later[index].id = .init(rawValue: 0) }
    #expect(later == [scheduled(since: version)])
  }

  private static func fillGroups(_ transaction: borrowing WriteTransaction) throws {
    let thread = try transaction.obtainThread(at: groupID, .group, createdAt: 2)
    var group = GroupRecord(thread.id, name: "Gardeners", formedAt: 2)
    group.description = "plants"
    group.isInvited = true
    group.emptyPolls = 4
    group.seed = key
    group.localState = .leaving
    group.joinedAt = 5
    group.invitation = GroupRecord.Invitation(by: bob, at: 6, hash: "h")
    group.hasUnopened = true
    group.accessLostAt = 7
    group.deletesBefore = 8
    group.deletesFilesBefore = 9
    group.exposedGeneration = 10
    group.wasReadAsAdmin = true
    group.statedDeletesBefore = 11
    group.statedDeletesFilesBefore = 12
    try transaction.put(group)
    try transaction.put(
      GroupMemberRecord(of: thread.id, bob, isAdmin: true, status: 10, isGivenHistory: true, addedAt: 3))
    var place = CommunityServerRecord(server, publicKey: key)
    place.inboxLatest = 3
    place.pollFailures = 1
    try transaction.put(place)
    let roomThread = try transaction.obtainThread(at: room, .community, createdAt: 3)
    var community = CommunityRecord(roomThread.id, server: server, room: "room", name: "Room")
    community.description = "talk"
    community.imageID = "5"
    community.userCount = 12
    community.sequenceNumber = 77
    community.permissions = 6
    (community.createdAt, community.lastSuccessAt, community.isComplete) = (4, 5, true)
    try transaction.put(community)
    try fillRoom(roomThread.id, transaction)
    try transaction.setCapabilities(
      [CapabilityRecord("blind"), CapabilityRecord("x", isMissing: true)], of: server)
    try transaction.put(badItem)
  }

  private static let badItem = BadItemRecord(
    4, in: ">inbox", of: server, reason: "unreadable", bytes: [1, 2], programVersion: "0.1")

  private static func fillRoom(
    _ room: ThreadRecord.ID, _ transaction: borrowing WriteTransaction
  ) throws {
    try transaction.setModerators([RoomModeratorRecord(blinded, isAdmin: true, isHidden: false)], of: room)
    try transaction.setPins([pin(since: 17)], of: room)
    let pending = try transaction.insert(PendingReactionRecord(to: 7, in: room, "🦆", isRemoval: true))
    try transaction.confirm(pending, as: 9)
    try transaction.put(RoomGapRecord(below: 3, above: 6), in: room)
  }

  private static func pin(since version: Int) -> RoomPinRecord {
    var pin = RoomPinRecord(7, at: 8, by: blinded)
    if version >= 17 { pin.copy = RoomPinRecord.Copy(by: blinded, at: 6, "rules") }
    return pin
  }

  private static func checkRoom(
    _ room: CommunityRecord, _ transaction: borrowing ReadTransaction, since version: Int
  ) throws {
    guard version >= 15 else {
      #expect(room.createdAt == 0 && room.lastSuccessAt == 0 && !room.isComplete)
      return
    }
    #expect(room.createdAt == 4 && room.lastSuccessAt == 5 && room.isComplete)
    let moderators = try transaction.moderators(of: room.threadID)
    #expect(moderators == [RoomModeratorRecord(blinded, isAdmin: true, isHidden: false)])
    #expect(try transaction.pins(of: room.threadID) == [pin(since: version)])
    let pending = try transaction.pendingReactions(to: 7, in: room.threadID)
    #expect(
      pending.map(\.emoji) == ["🦆"] && pending.map(\.sequence) == [9] && pending.allSatisfy(\.isRemoval))
    let gaps = try transaction.gaps(in: room.threadID)
    #expect(gaps == [RoomGapRecord(below: 3, above: 6)])
  }

  private static let gone = "05" + String(repeating: "9", count: 64)
  private static let steps = [
    SwarmStepRecord.Request(.unrevoke, payload: [1, 2]),
    SwarmStepRecord.Request(.store, payload: [3], namespace: -11, lifetime: 13),
  ]

  private static let part = ConfigPartRecord(
    1, of: ConfigPartRecord.Whole([9, 9], count: 3), hash: "part", content: [7], expiresAt: 8000)

  private static func fillSync(_ transaction: borrowing WriteTransaction, _ thread: ThreadRecord.ID) throws {
    try transaction.put(ConfigDumpRecord("contacts", of: me, content: [1, 2, 3], at: 10))
    try transaction.keep([part], besideDump: "contacts", of: me)
    try transaction.addObsoleteHashes(["old"], of: me)
    try transaction.put(TombstoneRecord(gone, at: 11))
    try transaction.insertSwarmSteps(steps, of: groupID, at: 12)
    try transaction.insert(
      ReceivedHash(
        "hash", from: "node", of: me, namespace: 0, expiresAt: 5000, storedAt: 1000, receivedAt: 2000))
    try transaction.noteFullReading(of: me, at: 13)
    try transaction.insert(SeenMessage("hash", in: bob, expiresAt: 6000, diesWithThread: false))
    try transaction.put(PendingReadReceipt(in: thread, sentAt: 500, readAt: 501, expiresAt: 7000))
    try transaction.appendEvent("message", at: 100, thread: thread, content: [4])
    try transaction.acknowledge(EventRecord.ID(rawValue: 1), by: "bot", at: 106)
    try transaction.noteDelivery(of: EventRecord.ID(rawValue: 1), to: "bot", tries: 2)
    _ = try transaction.bury(
      EventRecord.ID(rawValue: 1), of: "bot", tries: 3, reason: "it crashes", at: 107)
  }

  private static func fillRest(_ transaction: borrowing WriteTransaction, _ thread: ThreadRecord.ID) throws {
    var job = JobRecord("messageSend", payload: [1], queue: "send", createdAt: 100)
    job.uniqueKey = "1"
    job.threadID = thread
    let first = try transaction.insert(job)
    try transaction.insert(
      JobRecord("configurationSync", payload: [2], queue: "send", createdAt: 101),
      after: [.job(first.id), .event("pushed")])
    try transaction.putEffect("store", of: first.id, isDone: true, result: [5])
    try transaction.put(ProState(ticket: 6, nextCheckAt: 7))
    try transaction.setProRevocations([ProRevocation([1], effectiveAt: 2, keptUntil: 3)])
    try transaction.set(colour, to: "blue")
    try transaction.insert(
      SendKeyRecord("alarm:1", digest: key, of: InteractionRecord.ID(rawValue: 1), at: 100))
  }

  /// Reads it all again, as far as a schema had it.
  static func check(
    _ transaction: borrowing ReadTransaction, since version: Int = Schema.account.version,
    hasEvents: Bool = true, hasDevices: Bool = true
  ) throws {
    let thread = try #require(try transaction.thread(at: bob))
    let page = try transaction.page(of: thread.id, limit: 5)
    let message = try #require(page.first)
    try checkMessage(message)
    #expect(message.level == (version < 18 ? 0 : 4) && message.isFromHeldDevice == (version >= 18))
    #expect(page.dropFirst().reversed().map(\.kind.rawValue) == (version < 5 ? [] : notes))
    let quote = try transaction.quote(of: message.id)
    #expect(quote == QuoteRecord(of: message.id, author: me, sentAt: 50))
    let reactions = try transaction.reactions(to: message.id)
    #expect(reactions == [ReactionRecord(to: message.id, by: me, emoji: "👍", sentAt: 102)])
    let preview = try transaction.linkPreview(try #require(message.linkPreviewID))
    #expect(preview?.title == "Example")
    let attachment = try #require(try transaction.attachments(of: message.id).first)
    try checkAttachment(attachment)
    #expect(attachment.caption == (version < 2 ? nil : "a song"))
    let hashes = try transaction.hashes(of: message.id)
    #expect(hashes == (version < 11 ? [] : ["another hash"]))
    let copied = try transaction.interaction(in: thread.id, withCopy: "another hash")
    #expect(copied == (version < 11 ? nil : message))
    try checkPeople(transaction)
    try checkGroups(transaction, since: version)
    try checkSync(transaction, thread.id)
    try checkEvents(transaction, thread.id, since: version, areThere: hasEvents)
    try checkRest(transaction)
    if version >= 4 {
      let parts = try transaction.configParts("contacts", of: me)
      #expect(parts == [part])
    }
    let tombstone = try transaction.tombstone(of: gone)
    #expect(tombstone == (version < 7 ? nil : TombstoneRecord(gone, at: 11)))
    let waiting = try transaction.swarmSteps(of: groupID)
    #expect(waiting.map(\.request) == (version < 7 ? [] : steps))
    #expect(waiting.allSatisfy { $0.batch == waiting[0].id && $0.createdAt == 12 })
    let reading = try transaction.fullReading(of: me)
    #expect(reading == (version < 9 ? nil : 13))
    #expect(try transaction.sendKey("alarm:1")?.digest == (version < 3 ? nil : key))
    if version >= 18, hasDevices { try ExampleRatchet.check(transaction, since: version) }
    if version >= 19 { try checkOwn(transaction, since: version) }
    let draft = try #require(try transaction.draft(of: thread.id))
    #expect(draft.body == "unfinished" && draft.editTarget == message.id && draft.quoteAuthor == bob)
    let hits = try transaction.search("WORLD hel").found
    #expect(hits == [message])
  }

  private static func checkMessage(_ message: InteractionRecord) throws {
    #expect(message.body == "hello world" && message.author == bob && message.sentAt == 100)
    #expect(message.serverHash == "hash" && message.uuid == "uuid" && message.serverID == 8)
    #expect(message.hasMention && !message.wasRead && message.receivedAt == 101 && message.kind == .incoming)
    #expect(message.expiry == ExpiryTimer(.afterRead, seconds: 60) && message.expiryStartedAt == 1000)
    #expect(message.info == [1, 2] && message.failure == "no" && message.readByRecipientAt == 101)
    #expect(message.isWhisper && message.whisperTo == me && message.state == .received)
    #expect(message.proMessageFeatures == 1 && message.proProfileFeatures == 2)
  }

  private static func checkAttachment(_ attachment: AttachmentRecord) throws {
    #expect(
      attachment.kind == .voice && attachment.state == .downloaded && attachment.contentType == "audio/aac")
    #expect(attachment.name == "voice.aac" && attachment.url == "http://file/2" && attachment.serverID == "1")
    #expect(attachment.width == 1 && attachment.height == 2 && attachment.duration == 1.5)
    #expect(attachment.key == key && attachment.digest == key && attachment.byteCount == 10)
    #expect(attachment.fileID != nil)
  }

  private static func checkPeople(_ transaction: borrowing ReadTransaction) throws {
    let profile = try #require(try transaction.profile(bob))
    #expect(profile.name == "Bob" && profile.nickname == "Bobby" && profile.pictureKey == key)
    #expect(profile.proFeatures == 3 && profile.proExpiresAt == 99 && profile.proTag == [1])
    let contacts = try transaction.contacts()
    #expect(contacts.map(\.id) == [bob] && contacts[0].isApproved && !contacts[0].isBlocked)
    let blindedID = try transaction.blindedID(blinded)
    #expect(blindedID?.sessionID == bob)
    let blindedIDs = try transaction.blindedIDs(of: bob)
    #expect(blindedIDs.map(\.blindedID) == [blinded])
    let named = try transaction.threads(named: "BOBB")
    #expect(named.count == 1)
  }

  private static func checkGroups(
    _ transaction: borrowing ReadTransaction, since version: Int
  ) throws {
    let thread = try #require(try transaction.thread(at: groupID))
    let group = try #require(try transaction.group(thread.id))
    #expect(group.name == "Gardeners" && group.description == "plants")
    #expect(group.isInvited && group.emptyPolls == 4)
    let members = try transaction.members(of: group.threadID)
    if version >= 8 {
      #expect(group.seed == key && group.localState == .leaving && group.joinedAt == 5)
      #expect(group.invitation == GroupRecord.Invitation(by: bob, at: 6, hash: "h"))
      #expect(group.hasUnopened && group.accessLostAt == 7)
      #expect(group.deletesBefore == 8 && group.deletesFilesBefore == 9)
      #expect(group.exposedGeneration == (version < 10 ? -1 : 10))
      #expect(group.wasReadAsAdmin == (version >= 10))
      #expect(group.statedDeletesBefore == (version < 12 ? 0 : 11))
      #expect(group.statedDeletesFilesBefore == (version < 12 ? 0 : 12))
      let member = GroupMemberRecord(
        of: group.threadID, bob, isAdmin: true, status: 10, isGivenHistory: true, addedAt: 3)
      #expect(members == [member])
      #expect(try transaction.member(bob, of: group.threadID) == member)
    } else {
      // Earlier releases kept members that the configs bring again.
      #expect(group.seed == nil && members.isEmpty)
    }
    let servers = try transaction.communityServers()
    #expect(servers.map(\.inboxLatest) == [3] && servers.map(\.pollFailures) == [1])
    let rooms = try transaction.communities(on: server)
    #expect(rooms.map(\.sequenceNumber) == [77] && rooms.map(\.imageID) == ["5"])
    for room in rooms { try checkRoom(room, transaction, since: version) }
    let capabilities = try transaction.capabilities(of: server)
    #expect(capabilities == [CapabilityRecord("blind"), CapabilityRecord("x", isMissing: true)])
    let bad: [BadItemRecord] = try transaction.badItems(in: ">inbox", of: server)
    #expect(bad == (version < 16 ? [] : [badItem]))
  }

  private static func checkSync(_ transaction: borrowing ReadTransaction, _ thread: ThreadRecord.ID) throws {
    let dumps = try transaction.configDumps()
    #expect(dumps == [ConfigDumpRecord("contacts", of: me, content: [1, 2, 3], at: 10)])
    let obsolete = try transaction.obsoleteHashes(of: me)
    #expect(obsolete == ["old"])
    let last = try transaction.lastHash(from: "node", of: me, namespace: 0, at: 4999)
    #expect(last == "hash")
    let isSeen = try transaction.hasSeen("hash", in: bob)
    #expect(isSeen)
    let readAt = try transaction.pendingReadReceipt(in: thread, sentAt: 500)
    #expect(readAt == 501)
    let notifications = try transaction.waitingNotifications(limit: 9)
    #expect(notifications.map(\.createdAt) == [103])
  }

  private static func checkEvents(
    _ transaction: borrowing ReadTransaction, _ thread: ThreadRecord.ID, since version: Int, areThere: Bool
  ) throws {
    let events = try transaction.events(after: EventRecord.ID(rawValue: 0), limit: 9)
    #expect(events.map(\.kind) == (areThere ? ["message"] : []))
    #expect(events.allSatisfy { $0.content == [4] && $0.threadID == thread })
    let reader = try #require(try transaction.eventReader("bot"))
    #expect(reader.acknowledged.rawValue == 1)
    let wasCounted = version >= 13
    #expect(reader.head.rawValue == (wasCounted ? 1 : 0) && reader.headTries == (wasCounted ? 2 : 0))
    let dead = try transaction.deadEvents(of: "bot")
    #expect(dead.map(\.event.content) == (wasCounted ? [[4]] : []))
    #expect(dead.map(\.tries) == (wasCounted ? [3] : []))
    #expect(dead.map(\.reason) == (wasCounted ? ["it crashes"] : []))
  }

  private static func checkRest(_ transaction: borrowing ReadTransaction) throws {
    let jobs = try transaction.jobs(.waiting, limit: 9)
    #expect(jobs.map(\.kind) == ["messageSend", "configurationSync"])
    let waits = try transaction.waits(of: jobs[1].id)
    #expect(waits.map(\.dependency) == [.job(jobs[0].id), .event("pushed")])
    let effects = try transaction.effects(of: jobs[0].id)
    #expect(effects.map(\.isDone) == [true] && effects[0].result == [5])
    let state = try transaction.proState()
    #expect(state == ProState(ticket: 6, nextCheckAt: 7))
    let revocations = try transaction.proRevocations()
    #expect(revocations == [ProRevocation([1], effectiveAt: 2, keptUntil: 3)])
    let value = try transaction.value(of: colour)
    #expect(value == "blue")
  }
}
