package import SessionCore
import SessionNetworking
import SessionStorage

/// A call about the account as a whole.
package enum AccountCall: Codable, Hashable, Sendable {
  case setName(String)
  case setPicture(OutgoingFile.Content?)
  case setReadReceipts(Bool)
  case setTypingIndicators(Bool)
  case setCommunityRequests(Bool)
  case setDefaultTimer(DisappearingTimer?)
  case setDownloadRules(DownloadRules)
  case setNotifications(NotificationSettings)
  case setLinkPreviews(LinkPreviewUse)
  case acknowledge(MessengerEvent.Cursor, reader: String)
  case registerReader(String, at: MessengerEvent.Cursor?)
  case noteDelivery(MessengerEvent.Cursor, isRetried: Bool, reader: String, tries: Int)
  case bury(MessengerEvent.Cursor, reader: String, tries: Int, reason: String?)
  case forgetReader(String)
  case retryDeadEvents(MessengerEvent.Cursor?, reader: String)
  case retryJob(Int64)
  case cancelJob(Int64)
  /// Polls, and replies when what was there is stored; false if the poll failed.
  case poll
  case pollCondition
  case waitUntilDelivered
  /// Asks the file server for the newest versions of programs.
  case versions(of: [String])
  /// Tells readers of events that a backup failed.
  case tellBackupFailed(String)
  /// Resolves a registered name.
  case resolve(String)
  /// Deletes the content of files, and replies with the number of bytes.
  case deleteFiles(sentBefore: Int64, largerThan: Int64, in: Conversation.ID?)
}

extension Messenger {
  nonisolated func carryOut(_ call: AccountCall) async throws -> MessengerReply {
    switch call {
    case .setName(let name): try await author.editProfile { $0.name = name }
    case .setPicture(let picture):
      try await files.setPicture(try await Self.bytes(of: picture))
    case .setReadReceipts(let areUsed):
      try await context.write { transaction, _ in try transaction.set(.usesReadReceipts, to: areUsed) }
    case .setTypingIndicators(let areUsed):
      try await context.write { transaction, _ in try transaction.set(.usesTypingIndicators, to: areUsed) }
    case .setCommunityRequests(let areTaken):
      try await author.editProfile { $0.takesBlindedRequests = areTaken }
    case .setDefaultTimer(let timer): try await keepDefaultTimer(timer)
    case .setDownloadRules(let rules): try await keepDownloadRules(rules)
    case .setNotifications(let settings): try await keepNotifications(settings)
    case .setLinkPreviews(let use):
      try await context.write { transaction, _ in try transaction.set(.linkPreviews, to: use.rawValue) }
    case .acknowledge(let cursor, let reader):
      try await context.write { [context] transaction, _ in
        try transaction.acknowledge(EventAcknowledgement(cursor, by: reader), at: context.jobTime)
      }
    case .registerReader(let reader, let place): return .cursor(try await register(reader, at: place))
    case .noteDelivery(let cursor, let isRetried, let reader, let tries):
      try await noteDelivery(EventRecord.ID(rawValue: cursor.rawValue), isRetried, reader, tries)
    case .bury(let cursor, let reader, let tries, let reason):
      return try await context.write { [context] transaction, _ in
        let id = EventRecord.ID(rawValue: cursor.rawValue)
        return .success(
          try transaction.bury(id, of: reader, tries: tries, reason: reason, at: context.jobTime))
      }
    case .forgetReader(let reader):
      try await context.write { transaction, _ in try transaction.removeReader(reader) }
    case .retryDeadEvents(let cursor, let reader):
      try await context.write { transaction, _ in
        let id = cursor.map { EventRecord.ID(rawValue: $0.rawValue) }
        guard try transaction.retryDeadEvents(id, of: reader) > 0 || id == nil else {
          throw MessengerError(
            .unknownCursor, "event \(id?.rawValue ?? 0) is not among the dead events of \"\(reader)\"")
        }
      }
    case .retryJob(let id): try await retry(JobRecord.ID(rawValue: id))
    case .cancelJob(let id): try await cancel(JobRecord.ID(rawValue: id))
    case .poll:
      let isDone = await supervisor.pollNow(.account)
      await supervisor.pollAllNow(except: try await deadServers())
      return .success(isDone)
    case .pollCondition:
      return .condition(await supervisor.condition(of: .account) ?? PollCondition())
    case .waitUntilDelivered: try await waitUntilDeliveredHere()
    case .versions(let platforms): return .versions(try await files.versions(of: platforms))
    case .tellBackupFailed(let reason):
      try await context.write { transaction, now in
        var content = MessengerEvent.Content()
        content.reason = String(reason.prefix(Self.maxBackupReason))
        try transaction.tell(.backupFailed, content, at: now)
      }
    case .resolve(let name): return .account(try await resolveHere(name))
    case .deleteFiles(let time, let size, let conversation):
      return .count(try await deleteFilesHere(sentBefore: time, largerThan: size, in: conversation))
    }
    return .done
  }

  /// Servers that have failed so often that only those wait for them who name them. They are polled all the same.
  private nonisolated func deadServers() async throws -> Set<Feed> {
    try await context.database.read { transaction in
      Set(
        try transaction.communityServers().filter { $0.pollFailures >= Self.mostPollFailures }
          .map { Feed.server($0.url) })
    }
  }

  private static let mostPollFailures = 15

  private static let maxBackupReason = 500

  /// Tells readers of events that a backup of the account failed, and why.
  package nonisolated func tellBackupFailed(_ reason: String) async throws {
    try await perform(.account(.tellBackupFailed(reason)))
  }

  private nonisolated func register(
    _ reader: String, at place: MessengerEvent.Cursor?
  ) async throws -> MessengerEvent.Cursor {
    try await context.write { [context] transaction, _ in
      if let known = try transaction.acknowledgedEvent(by: reader) {
        return MessengerEvent.Cursor(rawValue: known.rawValue)
      }
      let start = try place ?? MessengerEvent.Cursor(rawValue: transaction.newestEvent().rawValue)
      try transaction.acknowledge(EventAcknowledgement(start, by: reader), at: context.jobTime)
      return start
    }
  }

  private nonisolated func noteDelivery(
    _ id: EventRecord.ID, _ isRetried: Bool, _ reader: String, _ tries: Int
  ) async throws {
    try context.requireWorking()
    try await context.database.write(.relaxed) { transaction in
      if isRetried {
        try transaction.noteDelivery(ofRetried: id, to: reader, tries: tries)
      } else {
        try transaction.noteDelivery(of: id, to: reader, tries: tries)
      }
    }
  }
}
