import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage

// Files of messages in rooms. They are not encrypted: everyone in the room may read them, and so may its server.

/// An upload of a file to a room, as the job remembers it.
private struct RoomUpload: Codable {
  let url: String
  /// Milliseconds since 1970, by this machine.
  let at: Int64
}

extension Outbox {
  /// How long a file without a message can still be posted, in milliseconds: its server deletes it after an hour.
  static let roomUploadLifetime: Int64 = 50 * 60_000

  /// Uploads the files of a message to its room, and posts it.
  func post(
    _ sending: AttachmentSending, to room: Community.Place, as profile: MessageProfile?, _ context: JobContext
  ) async throws -> JobResult {
    let id = sending.interactionID
    let connection: CommunityConnection
    switch try await findPosted(id, isResent: sending.isResent == true, in: room, context) {
    case .isKnown: return .done
    case .found(let posted): return try finish(id, as: posted)
    case .missing(let found): connection = found
    }
    for file in try await database.read({ transaction in try transaction.attachments(of: id) }) {
      try await upload(file, to: room, connection, context)
    }
    let unsealed = try await database.read { transaction in
      guard let row = try transaction.interaction(id) else {
        throw JobFailure(.permanent, "its message was deleted")
      }
      let content = try transaction.visibleContent(of: row, profile: profile)
      return try UnsealedMessage(
        Message(.visible(content), sentAt: row.time), in: .room(room), sentAt: row.sentAt)
    }
    return try finish(id, as: try await post(unsealed, as: id, to: room, connection, context))
  }

  /// Uploads a file, unless an earlier attempt did so and its server still keeps it.
  private func upload(
    _ record: AttachmentRecord, to room: Community.Place, _ connection: CommunityConnection,
    _ context: JobContext
  ) async throws {
    let name = "upload:\(record.id.rawValue)"
    let known = try await database.read { transaction in
      try transaction.effect(name, of: context.id)?.result.map {
        try JobPayload.decode(RoomUpload.self, from: $0)
      }
    }
    if let known, (0..<Self.roomUploadLifetime).contains(jobTime - known.at), known.url == record.url {
      return
    }
    let report = files.reporter(of: record.id, .upload, context)
    report(0)
    let bytes = try await files.bytes(of: record)
    try context.check()
    let number = try await connection.perform(
      .upload(bytes, name: record.name, to: room))
    let upload = RoomUpload(
      url: try FileURL(parsing: "\(room.server)/room/\(room.room)/file/\(number)").description, at: jobTime)
    let now = try time()
    try await context.write { transaction in
      guard var record = try transaction.attachment(record.id) else { return }
      record.state = .uploaded
      (record.url, record.serverID, record.key, record.digest) = (upload.url, "\(number)", nil, nil)
      try transaction.update(record)
      try transaction.putEffect(name, of: context.id, isDone: true, result: try JobPayload.encode(upload))
      try transaction.tellAttachment(record.id, at: now)
    }
    report(1)
  }
}

extension Files {
  /// The size limit of a file in a room.
  static let maxRoomFile = min(FileClient.maxBytes, ServerRequest.maxBody)

  /// The content of a file that is to be sent to a room.
  fileprivate func bytes(of record: AttachmentRecord) async throws -> [UInt8] {
    guard let vault, let fileID = record.fileID,
      let file = try await database.read({ transaction in try transaction.file(fileID) })
    else { throw JobFailure(.permanent, "the file is no longer on this device") }
    let bytes = try await vault.content(of: file).bytes()
    guard bytes.count <= Self.maxRoomFile else {
      throw JobFailure(.permanent, "the file is too large: the limit in rooms is \(Self.maxRoomFile) bytes")
    }
    return bytes
  }
}

extension Reading where Self: ~Copyable {
  /// The numbers of the files of a message, as its room knows them.
  func roomFiles(of id: InteractionRecord.ID, in room: Community.Place) throws -> [Int64] {
    try attachments(of: id).compactMap { record in
      record.address.flatMap { $0.lies(in: room) ? Int64($0.fileID) : nil }
    }
  }
}

extension FileURL {
  /// True for a file in a room, whichever way its server is reached.
  func lies(in room: Community.Place) -> Bool {
    guard let name = self.room,
      let place = try? Community.Place(server: "\(scheme.rawValue)://\(host):\(port)", room: name)
    else { return false }
    return place == room || (try? place.withOtherScheme) == room
  }
}
