import Foundation
import SessionCore
import SessionJobs
import SessionMessaging
import SessionStorage

extension Messenger {
  /// Returns what a closure finds, as soon as it finds something: it looks when anything has happened.
  func when<R>(_ find: (Messenger) async throws -> R?) async throws -> R {
    if let found = try await find(self) { return found }
    for try await _ in events(for: "when-\(UUID().uuidString)") {
      if let found = try await find(self) { return found }
    }
    throw Gone()
  }

  /// The newest message of a conversation with a text, once it is there.
  func message(_ body: String, in conversation: SessionID) async throws -> MessageView {
    try await when { device in
      guard try await device.conversation(.person(conversation)) != nil else { return nil }
      return try await device.messages(in: .person(conversation)).first { $0.body == body }
    }
  }

  /// Returns once something is so.
  func wait(until isSo: (Messenger) async throws -> Bool) async throws {
    _ = try await when { try await isSo($0) ? true : nil }
  }

  /// Returns once the other devices were told what was changed here, and this one has heard of what they told.
  func waitUntilTold() async throws {
    // Later jobs only delete superseded messages.
    let soon = Int64(Date.now.timeIntervalSince1970 * 1000) + 5000
    while try await jobs().jobs.contains(where: { $0.kind == "configSync" && $0.next ?? 0 < soon }) {
      await poll()
    }
    await poll()
  }

  /// The same of a conversation.
  func wait(for conversation: SessionID, until isSo: (ConversationView) -> Bool) async throws {
    try await wait { try await $0.conversation(.person(conversation)).map(isSo) ?? false }
  }

  /// The notes of one kind in a conversation.
  func notes(_ note: MessageView.Note, in conversation: SessionID) async throws -> [MessageView] {
    try await messages(in: .person(conversation)).filter { $0.kind == .note(note) }
  }

  /// The texts of a conversation, oldest first.
  func bodies(in conversation: SessionID) async throws -> [String] {
    try await messages(in: .person(conversation)).reversed().filter { $0.kind == .message }.map(\.body)
  }

  /// Returns the content of a file, downloading it if needed.
  func ready(_ id: AttachmentView.ID) async throws -> [UInt8] {
    try await download(id)
    _ = try await when { try await $0.attachment(id)?.isHere == true ? true : nil }
    var bytes: [UInt8] = []
    for try await piece in try await content(of: id) { bytes += piece }
    return bytes
  }

  struct Gone: Error {}
}
