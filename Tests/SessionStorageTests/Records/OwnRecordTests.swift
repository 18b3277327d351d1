import Testing

@testable import SessionStorage

/// What the user arranges: tags, and messages that are sent later.
@Suite struct OwnRecordTests {
  private let database: Database

  init() throws { database = try ExampleAccount.inMemory() }

  private func later(_ body: String, at time: Int64) -> ScheduledRecord {
    ScheduledRecord(to: ExampleAccount.bob, body: body, at: time, zone: "UTC", late: 0, createdAt: 1)
  }

  @Test func messagesToSendLaterAreListedByTheirTime() throws {
    try database.write { transaction in
      for (body, time) in [("c", 30), ("a", 10), ("b", 20)] as [(String, Int64)] {
        try transaction.insert(later(body, at: time))
      }
      var second = try #require(try transaction.allScheduled().first { $0.body == "b" })
      second.state = .failed
      second.failure = "no"
      try transaction.update(second)
    }
    let (waiting, all, count) = try database.read { transaction in
      (try transaction.scheduled(.waiting), try transaction.allScheduled(), try transaction.scheduledCount())
    }
    #expect(waiting.map(\.body) == ["a", "c"] && all.map(\.body) == ["a", "b", "c"] && count == 2)
    #expect(all[1].failure == "no" && all[1].state == .failed)
  }

  @Test func filesStayUntilTheLastUserIsGone() throws {
    let (id, file) = try database.write { transaction in
      let file = try transaction.insert(
        AttachmentRecord(.file, .uploaded, contentType: "x", byteCount: 3, createdAt: 1))
      return (try transaction.insert(later("a", at: 1), attachments: [file.id]).id, file.id)
    }
    try database.write { transaction in
      let thread = try transaction.obtainThread(at: ExampleAccount.bob, .contact, createdAt: 1)
      let message = try transaction.insert(ExampleAccount.message("a", in: thread.id, at: 1))
      try transaction.attach([file], to: message.id)
      try transaction.deleteScheduled(id)
      #expect(try transaction.attachment(file) != nil)
      try transaction.detachAll(from: message.id)
      #expect(try transaction.attachment(file) == nil)
    }
  }

  @Test func aKeyNamesTheMessageOnceItIsSent() throws {
    try database.write { transaction in
      let scheduled = try transaction.insert(later("a", at: 1))
      for key in ["sent", "other"] {
        var record = SendKeyRecord(key, digest: [1], of: .init(rawValue: 0), at: 1)
        if key == "sent" { record.scheduledID = scheduled.id }
        try transaction.insert(record)
      }
      try transaction.fulfilSendKey(of: scheduled.id, with: .init(rawValue: 9), at: 7)
      #expect(try transaction.sendKey("sent")?.interactionID.rawValue == 9)
      #expect(try transaction.sendKey("sent")?.at == 7)
      #expect(try transaction.sendKey("other")?.interactionID.rawValue == 0)
      // A message that was sent keeps its key.
      try transaction.releaseSendKey(of: scheduled.id)
      #expect(try transaction.sendKey("sent") != nil)
    }
  }

  @Test func theKeyOfAMessageThatIsNeverSentIsFree() throws {
    try database.write { transaction in
      let scheduled = try transaction.insert(later("a", at: 1))
      var record = SendKeyRecord("key", digest: [1], of: .init(rawValue: 0), at: 1)
      record.scheduledID = scheduled.id
      try transaction.insert(record)
      try transaction.releaseSendKey(of: scheduled.id)
      #expect(try transaction.sendKey("key") == nil)
    }
  }

  /// Else a program that repeats its call would schedule the message twice.
  @Test func theKeyOfAMessageThatWaitsIsKept() throws {
    try database.write { transaction in
      var scheduled = try transaction.insert(later("a", at: 1))
      for key in ["waiting", "plain"] {
        var record = SendKeyRecord(key, digest: [1], of: .init(rawValue: 0), at: 1)
        if key == "waiting" { record.scheduledID = scheduled.id }
        try transaction.insert(record)
      }
      #expect(try transaction.trimSendKeys(at: 2 + SendKeyRecord.lifetime) == 1)
      #expect(try transaction.trimSendKeys(at: 2, keeping: 0) == 0)
      #expect(try transaction.sendKey("waiting") != nil && transaction.sendKey("plain") == nil)
      scheduled.state = .failed
      try transaction.update(scheduled)
      #expect(try transaction.trimSendKeys(at: 2 + SendKeyRecord.lifetime) == 1)
    }
  }

  @Test func aNameIsThatOfOneTag() throws {
    try database.write { transaction in
      _ = try transaction.insert(TagRecord("Work", searchName: "work", position: 0))
    }
    #expect(throws: StorageError.self) {
      try database.write { transaction in
        _ = try transaction.insert(TagRecord("WORK", searchName: "work", position: 1))
      }
    }
  }

  @Test func tagsAreListedInTheirOrderAndGoWithTheirUses() throws {
    try database.write { transaction in
      let tags = try ["b", "a"].enumerated().map { index, name in
        try transaction.insert(TagRecord(name, searchName: name, position: index))
      }
      for tag in tags { #expect(try transaction.add(tag.id, to: ExampleAccount.bob)) }
      #expect(try !transaction.add(tags[0].id, to: ExampleAccount.bob))
      #expect(try transaction.tags(of: ExampleAccount.bob).map(\.name) == ["b", "a"])
      #expect(try transaction.nextTagPosition() == 2)
      try transaction.deleteTag(tags[0].id)
      #expect(try transaction.tagUses().map(\.tag) == [tags[1].id])
      #expect(try transaction.remove(tags[1].id, from: ExampleAccount.bob))
      #expect(try !transaction.remove(tags[1].id, from: ExampleAccount.bob))
      #expect(try transaction.addresses(tagged: tags[1].id) == [])
    }
  }

  @Test func mergedConversationsSendTheScheduledMessagesOfBoth() throws {
    let lena = "05" + String(repeating: "e", count: 64)
    try database.write { transaction in
      let thread = try transaction.obtainThread(at: ExampleAccount.blinded, .contact, createdAt: 1)
      let other = try transaction.obtainThread(at: ExampleAccount.bob, .contact, createdAt: 1)
      try transaction.insert(later("a", at: 1))
      try transaction.insert(
        ScheduledRecord(to: ExampleAccount.blinded, body: "b", at: 2, zone: "UTC", late: 0, createdAt: 1))
      try transaction.insert(
        ScheduledRecord(to: lena, body: "c", at: 3, zone: "UTC", late: 0, createdAt: 1))
      try transaction.merge(thread, into: other.id)
      #expect(
        try transaction.allScheduled().map(\.address)
          == [ExampleAccount.bob, ExampleAccount.bob, lena])
    }
  }

  @Test func aMergedConversationKeepsASound() throws {
    try database.write { transaction in
      var thread = try transaction.obtainThread(at: ExampleAccount.blinded, .contact, createdAt: 1)
      let other = try transaction.obtainThread(at: ExampleAccount.bob, .contact, createdAt: 1)
      thread.sound = "bell"
      try transaction.update(thread)
      try transaction.merge(thread, into: other.id)
      #expect(try transaction.thread(other.id)?.sound == "bell")
    }
  }

  @Test func mergedConversationsHaveTheTagsOfBoth() throws {
    try database.write { transaction in
      let thread = try transaction.obtainThread(at: ExampleAccount.blinded, .contact, createdAt: 1)
      let other = try transaction.obtainThread(at: ExampleAccount.bob, .contact, createdAt: 1)
      let tags = try ["a", "b"].map { name in
        try transaction.insert(TagRecord(name, searchName: name, position: 0))
      }
      for tag in tags { try transaction.add(tag.id, to: ExampleAccount.blinded) }
      try transaction.add(tags[0].id, to: ExampleAccount.bob)
      try transaction.merge(thread, into: other.id)
      #expect(try transaction.tags(of: ExampleAccount.bob).map(\.name) == ["a", "b"])
      #expect(try transaction.tags(of: ExampleAccount.blinded) == [])
    }
  }
}
