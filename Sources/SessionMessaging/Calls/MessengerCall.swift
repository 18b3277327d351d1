package import SessionCore
package import SessionNetworking

/// A change of an account, or a question to its messenger, as a value.
///
/// One program at a time holds an account. It carries out its own calls, and those that other programs of the same user
/// send it. Reading needs no call: every program reads the database itself.
package enum MessengerCall: Codable, Hashable, Sendable {
  case message(MessageCall)
  case conversation(ConversationCall)
  case person(PersonCall)
  case group(GroupCall)
  case room(RoomCall)
  case security(SecurityCall)
  case account(AccountCall)
  case scheduled(ScheduledCall)
  case tag(TagCall)
  /// A call that settles an event.
  indirect case settling(EventAcknowledgement, MessengerCall)
}

/// What a call returns.
package enum MessengerReply: Codable, Hashable, Sendable {
  case done
  case message(MessageView.ID, isRepeated: Bool)
  case scheduled(ScheduledMessage.ID, isRepeated: Bool)
  case conversation(Conversation.ID)
  case success(Bool)
  case cursor(MessengerEvent.Cursor)
  case condition(PollCondition)
  case history(RoomHistory)
  case rooms([RoomListing])
  case count(Int64)
  case versions([PublishedVersion])
  case account(SessionID?)
}

extension MessengerCall {
  /// True if a second call changes nothing that the first one did not, so that a caller who does not know whether the
  /// first was carried out may repeat it.
  package var isRepeatable: Bool {
    switch self {
    case .message(let call): call.isRepeatable
    case .conversation(let call): call.isRepeatable
    case .person, .security: true
    case .group(let call): call.isRepeatable
    case .room(let call): call.isRepeatable
    case .scheduled(let call): call.isRepeatable
    case .tag(let call): call.isRepeatable
    case .account(.cancelJob): false
    case .account: true
    case .settling(_, let call): call.isRepeatable
    }
  }
}

extension MessengerCall {
  /// True if it waits for something and changes nothing, so that it can be given up at any time.
  package var waits: Bool {
    switch self {
    case .conversation(.watch), .account(.poll), .account(.waitUntilDelivered): true
    default: false
    }
  }
}

extension Messenger {
  /// Carries out a call: here, or in the program that holds the account.
  @discardableResult
  package nonisolated func perform(_ call: MessengerCall) async throws -> MessengerReply {
    if let holder {
      guard let settling = Settling.current, !settling.isDone else { return try await holder.perform(call) }
      let reply = try await holder.perform(.settling(settling.event, call))
      settling.noteDone()
      return reply
    }
    return switch call {
    case .message(let call): try await carryOut(call)
    case .conversation(let call): try await carryOut(call)
    case .person(let call): try await carryOut(call)
    case .group(let call): try await carryOut(call)
    case .room(let call): try await carryOut(call)
    case .security(let call): try await carryOut(call)
    case .account(let call): try await carryOut(call)
    case .scheduled(let call): try await carryOut(call)
    case .tag(let call): try await carryOut(call)
    case .settling(let event, let call): try await settling(event) { try await perform(call) }
    }
  }
}

extension MessengerCall {
  /// The same call with other sources of its files.
  package func mapContents(
    _ body: (OutgoingFile.Content) throws -> OutgoingFile.Content
  ) rethrows -> MessengerCall {
    switch self {
    case .message(.send(var text, var files, let conversation, let key, let event)):
      for index in files.indices { files[index].content = try body(files[index].content) }
      if let preview = text.preview, var image = preview.image {
        image.content = try body(image.content)
        text.preview = OutgoingText.Preview(
          url: preview.url, title: preview.title, image: image, isMade: preview.isMade)
      }
      return .message(.send(text, files: files, to: conversation, key: key, settling: event))
    case .scheduled(.schedule(let text, var files, let conversation, let time, let key)):
      for index in files.indices { files[index].content = try body(files[index].content) }
      return .scheduled(.schedule(text, files: files, to: conversation, at: time, key: key))
    case .conversation(.replaceDraft(var content, let conversation)):
      for index in content.files.indices {
        content.files[index].content = try body(content.files[index].content)
      }
      return .conversation(.replaceDraft(content, conversation))
    case .group(.create(let details, let members, let picture?)):
      return .group(.create(details, members: members, picture: try body(picture)))
    case .group(.setPicture(let picture?, let group)):
      return .group(.setPicture(try body(picture), of: group))
    case .room(.setPicture(let picture, let room)): return .room(.setPicture(try body(picture), of: room))
    case .settling(let event, let call): return .settling(event, try call.mapContents(body))
    case .account(.setPicture(let picture?)): return .account(.setPicture(try body(picture)))
    default: return self
    }
  }
}
