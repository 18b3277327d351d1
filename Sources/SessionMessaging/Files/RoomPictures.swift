import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage

/// Downloads the picture of a room, which is not encrypted. After a failure the old one stays.
struct RoomPictureDownload: JobKind {
  static let kind = "roomPictureDownload"
  static let queue = AttachmentUpload.queue
  static let retry = AttachmentDownload.retry
  static let conditions: JobConditions = [.network, .accountActive]
  /// The delay before another picture is downloaded, in milliseconds: a server may change it as often as it likes.
  static let interval: Int64 = 600_000

  let room: Conversation.ID

  var uniqueKey: String? { room.address }
}

extension Files {
  /// The picture of a room, if it is stored here.
  func picture(ofRoom room: Community.Place) async throws -> [UInt8]? {
    try await picture { transaction in
      try transaction.roomRecord(of: room)?.imageFileID.flatMap { file in try transaction.file(file) }
    }
  }

  func makeRoomPictureDownload() -> JobHandler {
    JobHandler(RoomPictureDownload.self) { [self] download, context in
      guard let vault, case .room(let room) = download.room,
        let wanted = try await database.read({ transaction in try transaction.roomRecord(of: room)?.imageID }
        ),
        let number = Int64(wanted), let connection = try await self.context.connection(to: room.server)
      else { return .done }
      let bytes = try await connection.perform(.file(number, in: room, upTo: Picture.maxBytes))
      guard let image = ImageHeader(bytes), image.isReasonable else {
        throw JobFailure(.permanent, "it is not a picture in a supported format")
      }
      try context.check()
      let now = try time()
      try await vault.add(MemoryPieces(bytes), to: .avatars, at: now.stored) { [self] transaction, file in
        guard var record = try transaction.roomRecord(of: room), record.imageID == wanted else {
          throw PictureSuperseded()
        }
        record.imageFileID = file
        try transaction.put(record)
        try transaction.requestFileSweep(at: jobTime)
        try transaction.tell(
          .conversationChanged, MessengerEvent.Content(conversation: .room(room)), at: now)
      }
      return .done
    }
  }
}

extension Reading where Self: ~Copyable {
  /// What is known about a room.
  func roomRecord(of room: Community.Place) throws -> CommunityRecord? {
    try thread(at: Conversation.ID.room(room).address).flatMap { thread in try community(thread.id) }
  }
}

private enum PictureStatements {
  static let lastDownload: SQL =
    "SELECT max(startedAt) FROM job WHERE kind = ? AND uniqueKey = ? AND state IN (2, 3, 4)"
}

extension WriteTransaction {
  /// Requests the download of the picture of a room: the first one at once, others not too often.
  func requestPicture(of room: Community.Place, isFirst: Bool, at now: Int64) throws {
    try requestFileSweep(at: now)
    guard try roomRecord(of: room)?.imageID != nil else { return }
    let download = RoomPictureDownload(room: .room(room))
    let later = now + RoomPictureDownload.interval
    var time = later
    if isFirst {
      // It may have had another one a moment ago.
      let last: Int64?? = try value(
        PictureStatements.lastDownload, RoomPictureDownload.kind, Conversation.ID.room(room).address)
      time = min(max(now, (last ?? nil).map { $0 + RoomPictureDownload.interval } ?? now), later)
    }
    try enqueue(download, .at(time), at: now)
  }
}
