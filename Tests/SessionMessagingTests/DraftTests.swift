import SessionCore
import SessionStorage
import Testing

@testable import SessionMessaging

/// Drafts with files, and the message that they reply to.
@Suite struct DraftTests {
  private let file = OutgoingFile(.bytes(Array("plan".utf8)), name: "plan.txt", caption: "for Friday")

  @Test func aDraftKeepsItsFilesAndTheMessageThatItRepliesTo() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      let person = Conversation.ID.person(bob.id)
      let answered = try await alice.last(in: bob.id)
      try await alice.setDraft(
        DraftContent("maybe", answering: answered.id, files: [file]), in: person)
      let draft = try #require(try await alice.draft(of: person))
      #expect(draft.body == "maybe" && draft.answering == answered.id)
      #expect(draft.attachments.map(\.name) == ["plan.txt"] && draft.attachments[0].caption == "for Friday")
      // Another text leaves them alone, as typing does.
      try await alice.setDraft("yes", in: person)
      #expect(try await alice.draft(of: person)?.attachments.map(\.id) == draft.attachments.map(\.id))
      #expect(try await alice.draft(of: person)?.answering == answered.id)
      _ = try await alice.deleteFiles(sentBefore: .max, largerThan: -1, in: nil)
      let message = try #require(try await alice.draft(of: person)).message
      try await alice.send(message.text, attachments: message.files, to: person)
      #expect(try await alice.draft(of: person) == nil)
      try await world.settle(rounds: 5)
      let got = try await bob.last(in: alice.id)
      #expect(got.body == "yes" && got.quoted?.body == answered.body)
      #expect(got.attachments.map(\.name) == ["plan.txt"] && got.attachments.first?.caption == "for Friday")
    }
  }

  @Test func textsThatAreAddedAtOnceAreAllKept() async throws {
    try await withAliceAndBob { (_, alice, bob) async throws in
      let person = Conversation.ID.person(bob.id)
      let answered = try await alice.last(in: bob.id)
      try await alice.addToDraft("", in: person)
      #expect(try await alice.draft(of: person) == nil)
      try await alice.setDraft(DraftContent("", answering: answered.id, files: [file]), in: person)
      let texts = (0..<10).map { "text \($0)" }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for text in texts { group.addTask { try await alice.addToDraft(text, in: person) } }
        try await group.waitForAll()
      }
      let draft = try #require(try await alice.draft(of: person))
      #expect(draft.body.split(separator: "\n").map(String.init).sorted() == texts)
      #expect(draft.answering == answered.id && draft.attachments.count == 1)
      // The size is that of the whole draft.
      let long = String(repeating: "x", count: DraftContent.maxBody - draft.body.utf8.count)
      let error = await #expect(throws: MessengerError.self) { try await alice.addToDraft(long, in: person) }
      #expect(error?.code == .notAllowed)
      try await alice.addToDraft(String(long.dropLast()), in: person)
      #expect(try await alice.draft(of: person)?.body.utf8.count == DraftContent.maxBody)
    }
  }

  @Test func anotherMessageLeavesADraftAlone() async throws {
    try await withAliceAndBob { (_, alice, bob) async throws in
      try await alice.setDraft("mine", in: .person(bob.id))
      try await alice.send("by a script", to: bob.id)
      #expect(try await alice.draft(of: .person(bob.id))?.body == "mine")
    }
  }

  @Test func aDraftForgetsADeletedMessageAndKeepsItsText() async throws {
    try await withAliceAndBob { (_, alice, bob) async throws in
      let answered = try await alice.last(in: bob.id)
      try await alice.setDraft(DraftContent("text", answering: answered.id), in: .person(bob.id))
      try await alice.delete(answered.id)
      let draft = try #require(try await alice.draft(of: .person(bob.id)))
      #expect(draft.body == "text" && draft.answering == nil)
    }
  }

  @Test func clearedDraftsReleaseTheirFiles() async throws {
    try await withAliceAndBob { (_, alice, bob) async throws in
      let person = Conversation.ID.person(bob.id)
      try await alice.setDraft(DraftContent("", files: [file]), in: person)
      let kept = try #require(try await alice.draft(of: person)?.attachments.first)
      // The last of two writers wins.
      try await alice.setDraft(DraftContent("words"), in: person)
      #expect(try await alice.attachment(kept.id) == nil)
      try await alice.setDraft(DraftContent(""), in: person)
      #expect(try await alice.draft(of: person) == nil)
      #expect(try await alice.drafts().isEmpty)
    }
  }

  @Test func draftsAreListedNewestFirst() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      try await alice.send("note", to: alice.id)
      for person in [bob.id, alice.id] {
        try await alice.setDraft("to \(person == bob.id ? "Bob" : "me")", in: .person(person))
        world.clock.advance(by: 1000)
      }
      #expect(try await alice.drafts().map(\.body) == ["to me", "to Bob"])
    }
  }

  @Test func badDraftsAreRefusedAndChangeNothing() async throws {
    try await withAliceAndBob { (_, alice, bob) async throws in
      let person = Conversation.ID.person(bob.id)
      try await alice.setDraft("before", in: person)
      let stranger = Conversation.ID.person(try Account.generate().id)
      let long = String(repeating: "x", count: DraftContent.maxBody + 1)
      let folder = OutgoingFile(path: "/")
      let gone = OutgoingFile(path: "/nowhere/at/all")
      let note = try await alice.send("note", to: alice.id)
      let refused: [(DraftContent, Conversation.ID, MessengerError.Code)] = [
        (DraftContent(long), person, .notAllowed), (DraftContent("x"), stranger, .noConversation),
        (DraftContent("x", files: [folder]), person, .fileUnavailable),
        (DraftContent("x", files: [gone]), person, .fileUnavailable),
        (DraftContent("x", files: Array(repeating: file, count: 33)), person, .fileUnavailable),
        (DraftContent("x", answering: note), person, .noMessage),
      ]
      for (content, conversation, code) in refused {
        let error = await #expect(throws: MessengerError.self) {
          try await alice.setDraft(content, in: conversation)
        }
        #expect(error?.code == code)
      }
      #expect(try await alice.draft(of: person)?.body == "before")
      try await alice.setDraft(DraftContent(String(long.dropLast())), in: person)
    }
  }

  @Test func aMergedConversationTakesTheFilesOfTheDraft() throws {
    let database = try Database.inMemory(schema: .account)
    try database.write { transaction in
      let thread = try transaction.obtainThread(
        at: "15" + String(repeating: "d", count: 64), .contact, createdAt: 1)
      let other = try transaction.obtainThread(
        at: "05" + String(repeating: "b", count: 64), .contact, createdAt: 1)
      let attachment = try transaction.insert(
        AttachmentRecord(.file, .uploading, contentType: "x", byteCount: 1, createdAt: 1))
      var draft = DraftRecord(in: thread.id, body: "text", updatedAt: 1)
      (draft.quoteAuthor, draft.quoteSentAt) = ("a", 5)
      try transaction.put(draft, attachments: [attachment.id])
      try transaction.merge(thread, into: other.id)
      #expect(try transaction.draftAttachments(of: other.id).map(\.id) == [attachment.id])
      #expect(try transaction.draft(of: other.id)?.quoteSentAt == 5)
    }
  }
}
