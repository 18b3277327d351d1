import SessionBase
public import SessionCore
public import SessionStorage

extension Messenger {
  /// Sends a text with files; one of the two may be missing. The files are copied, encrypted, before this returns,
  /// and uploaded by their own jobs; the message is sent when all of them are uploaded.
  @discardableResult
  public nonisolated func send(
    _ text: OutgoingText, attachments: [OutgoingFile], to conversation: Conversation.ID
  ) async throws -> MessageView.ID {
    try await sending(text, attachments, to: conversation).id
  }

  /// Sends a message at most once for each key: a second call with the same key and content returns the message of
  /// the first one. Throws `keyConflict` if the content differs. The newest 100,000 keys are kept for thirty days.
  @discardableResult
  public nonisolated func send(
    _ text: OutgoingText, attachments: [OutgoingFile] = [], to conversation: Conversation.ID, key: SendKey
  ) async throws -> KeyedMessage {
    try await sending(text, attachments, to: conversation, key: key)
  }

  @discardableResult
  public nonisolated func send(
    _ text: OutgoingText, attachments: [OutgoingFile], to person: SessionID
  ) async throws -> MessageView.ID {
    try await send(text, attachments: attachments, to: .person(person))
  }

  @discardableResult
  public nonisolated func send(
    _ text: OutgoingText, attachments: [OutgoingFile] = [], to person: SessionID, key: SendKey
  ) async throws -> KeyedMessage {
    try await send(text, attachments: attachments, to: .person(person), key: key)
  }

  /// Sends a message, and has a reader acknowledge an event in the same transaction, so that neither happens without the
  /// other. Throws `cursor` if there is no such event.
  package nonisolated func send(
    _ text: OutgoingText, attachments: [OutgoingFile], to conversation: Conversation.ID, key: SendKey?,
    settling event: EventAcknowledgement
  ) async throws -> KeyedMessage {
    try await sending(text, attachments, to: conversation, key: key, settling: event)
  }

  private nonisolated func sending(
    _ text: OutgoingText, _ attachments: [OutgoingFile], to conversation: Conversation.ID,
    key: SendKey? = nil, settling event: EventAcknowledgement? = nil
  ) async throws -> KeyedMessage {
    let reply = try await perform(
      .message(.send(text, files: attachments, to: conversation, key: key, settling: event)))
    guard case .message(let id, let isRepeated) = reply else { throw MessengerError.unexpectedReply }
    return KeyedMessage(id: id, isRepeated: isRepeated)
  }

  /// Returns the files of a message, in order.
  public nonisolated func attachments(of id: MessageView.ID) async throws -> [AttachmentView] {
    let now = try context.time()
    return try await context.database.read { transaction in
      guard try !transaction.message(id).0.isOver(at: now) else { return [] }
      return try transaction.attachments(of: id.record).map { AttachmentView($0) }
    }
  }

  /// Returns a file; nil if there is none, or its message has expired.
  public nonisolated func attachment(_ id: AttachmentView.ID) async throws -> AttachmentView? {
    let now = try context.time()
    return try await context.database.read { transaction in
      guard let record = try transaction.attachment(id.record), try !transaction.isOver(record, at: now)
      else {
        return nil
      }
      return AttachmentView(record)
    }
  }

  /// Downloads a file; an event reports the result. Does nothing if it is stored here or unavailable.
  public nonisolated func download(_ id: AttachmentView.ID) async throws {
    try await perform(.message(.download(id)))
  }

  /// Turns automatic downloads of a contact's images and voice messages on or off; off by default.
  public nonisolated func setDownloadsByItself(_ isWanted: Bool, of person: SessionID) async throws {
    try await perform(.person(.setDownloadsByItself(isWanted, person)))
  }

  /// Returns the content of a stored file, piece by piece. Only the end of the sequence proves that nothing is
  /// missing.
  public nonisolated func content(of id: AttachmentView.ID) async throws -> FileContent {
    guard let files = files.vault else {
      throw MessengerError(.fileUnavailable, "this account stores no files on this machine")
    }
    let now = try context.time()
    let file = try await context.database.read { transaction in
      let record = try transaction.knownAttachment(id)
      guard try !transaction.isOver(record, at: now) else {
        throw MessengerError(.fileUnavailable, "the file was deleted with its message")
      }
      return try record.fileID.flatMap { file in try transaction.file(file) }
    }
    guard let file else {
      throw MessengerError(.fileUnavailable, "the file is not on this device: download it first")
    }
    return try files.content(of: file)
  }

  /// Decrypts a stored file to a path that only its owner can read. It appears when it is complete; throws
  /// `fileExists` if the name is taken. Notifies the contact who sent it, unless the messenger was opened for reading
  /// only.
  public nonisolated func save(_ id: AttachmentView.ID, to path: String) async throws {
    try await export(id, to: path)
    await tellSaved(id)
  }

  /// Notifies the contact who sent a file that it was saved, unless the messenger was opened for reading only.
  /// After several calls of ``export(_:to:)``, call it once, with one of the files.
  public nonisolated func tellSaved(_ id: AttachmentView.ID) async {
    guard canChange else { return }
    do { try await perform(.message(.tellSaved(id))) } catch {
      context.environment.log(.warn, .files, "save-not-told", .error(error))
    }
  }

  /// Decrypts a stored file as ``save(_:to:)`` does, and sends no notification.
  public nonisolated func export(_ id: AttachmentView.ID, to path: String) async throws {
    let content = try await content(of: id)
    try await SessionError.files {
      try await FileWriter.write(path) { file in
        for try await piece in content { try await file.write(piece) }
      }
    }
  }

  /// The progress of transfers from now on: of each file, at most four times a second.
  public nonisolated func transfers() -> AsyncStream<FileTransfer> { files.transfers.stream() }

  /// The size limit of a file to send, in bytes.
  public nonisolated var maxFileSize: Int { files.maxFileSize }
}

extension Reading where Self: ~Copyable {
  /// True if every message with this file has expired.
  fileprivate func isOver(_ record: AttachmentRecord, at now: MessageTime) throws -> Bool {
    let messages = try messages(with: record.id)
    return !messages.isEmpty && messages.allSatisfy { $0.isOver(at: now) }
  }

  func knownAttachment(_ id: AttachmentView.ID) throws -> AttachmentRecord {
    guard let record = try attachment(id.record) else {
      throw MessengerError(.fileUnavailable, "no such file, or it was deleted")
    }
    return record
  }
}
