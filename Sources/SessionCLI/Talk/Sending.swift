import SessionBase
import SessionCore
import SessionDaemon
import SessionMessaging

/// How to send a message, and how long to wait.
struct Sending: Sendable {
  enum Wait: String, CaseIterable {
    case queued
    case stored
    case sent
  }

  struct Sent: Sendable {
    let id: MessageView.ID
    let isRepeated: Bool
    var notes: [String] = []
  }

  let io: CommandIO
  let previews: LinkPreviews
  let wait: Wait
  let timeout: Duration

  /// How long to wait for the copy for own devices after the message is stored.
  private static let copyTimeout = Duration.seconds(2)
  /// How long to wait for earlier messages to others.
  private static let deliveryTimeout = Duration.seconds(5)

  /// Stores a message, and waits for the network.
  func send(
    _ letter: OutgoingLetter, _ text: OutgoingText, _ files: [OutgoingFile],
    to conversation: Conversation.ID, by opened: OpenAccount
  ) async throws -> Sent {
    let messenger = opened.messenger
    let deadline = ContinuousClock.now.advanced(by: timeout)
    let before = try await messenger.lastEvent()
    let transfers = messenger.transfers()
    var sent = try await letter.kept.obtain {
      try await store(text, files, to: conversation, messenger, letter, isElsewhere: opened.isElsewhere)
    }
    let id = sent.id
    guard wait != .queued, try await messenger.message(id) != nil else { return sent }
    do {
      let progress = TransferProgress("sending", of: try await messenger.attachments(of: id), io)
      let isSettled = try await progress.following(transfers) {
        try await withinTime(timeout) { try await messenger.untilSettled(id, since: before) } != nil
      }
      guard isSettled else { throw queued(id) }
      if let message = try await messenger.message(id), case .failed(let why) = message.state {
        throw CommandFailure(
          status: .unavailable, message: "message \(id.rawValue) was not sent: \(why)",
          advice: "run: session resend \(id.rawValue)", messageID: id.rawValue, detail: .notSent)
      }
      guard wait == .sent else { return sent }
      var isCopied = try await withinTime(Self.copyTimeout) { try await messenger.waitUntilStored(id) } != nil
      if case .unsynced? = try await messenger.message(id)?.state { isCopied = false }
      if !isCopied { sent.notes.append("Your other devices see it later.") }
      let remaining = max(.zero, min(deadline - .now, Self.deliveryTimeout))
      let isDone = try await withinTime(remaining) { try await messenger.waitUntilDelivered() } != nil
      if !isDone { sent.notes.append("Earlier messages are still queued and will be sent later.") }
      return sent
    } catch is CancellationError {
      if try await messenger.message(id)?.state == .sent {
        throw CommandFailure(
          status: .interrupted, message: "interrupted; message \(id.rawValue) was sent",
          messageID: id.rawValue)
      }
      throw CommandFailure(
        status: .interrupted, message: "interrupted; message \(id.rawValue) is kept",
        advice: "It will be sent the next time the account is used; 'session jobs list' shows it.",
        messageID: id.rawValue)
    }
  }

  /// Stores the message. A call to another program, which may end before it replies, always has a key, so that it can be
  /// repeated.
  private func store(
    _ text: OutgoingText, _ files: [OutgoingFile], to conversation: Conversation.ID, _ messenger: Messenger,
    _ letter: OutgoingLetter, isElsewhere: Bool
  ) async throws -> Sent {
    let key = letter.key(isElsewhere: isElsewhere)
    if let event = io.settled {
      let message = try await messenger.send(
        text, attachments: files, to: conversation, key: letter.key, settling: event)
      return Sent(id: message.id, isRepeated: message.isRepeated)
    }
    guard let key else {
      let id = try await messenger.send(text, attachments: files, to: conversation)
      return Sent(id: id, isRepeated: false)
    }
    let message = try await messenger.send(text, attachments: files, to: conversation, key: key)
    return Sent(id: message.id, isRepeated: message.isRepeated && letter.key != nil)
  }

  private func queued(_ id: MessageView.ID) -> CommandFailure {
    CommandFailure(
      status: .queued, message: "message \(id.rawValue) could not be stored in time",
      advice: """
        It is kept and sent the next time the account is used: do not send it again. 'session doctor' looks for what is \
        in the way.
        """, messageID: id.rawValue)
  }
}

extension Messenger {
  /// Returns when a message is stored, has failed or was deleted.
  fileprivate nonisolated func untilSettled(
    _ id: MessageView.ID, since before: MessengerEvent.Cursor
  ) async throws {
    var events = events(from: before).makeAsyncIterator()
    while let message = try await message(id), message.state == .sending {
      while let event = try await events.next(), event.message != id {}
      try Task.checkCancellation()
    }
  }
}
