import SessionBase
import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage

/// Uploads our own picture, and puts it into our profile.
struct PictureUpload: JobKind {
  static let kind = "pictureUpload"
  static let queue = AttachmentUpload.queue
  static let conditions: JobConditions = [.network, .accountActive]
  static let key = ""

  /// The file that contains the picture.
  let file: Int64
  /// True if the picture was published before: then the profile does not change.
  let isAgain: Bool

  var uniqueKey: String? { Self.key }
  var fileID: FileRecord.ID { FileRecord.ID(rawValue: file) }

  func merged(with later: PictureUpload) -> PictureUpload {
    // A picture that was never published counts as new.
    PictureUpload(file: later.file, isAgain: later.isAgain && (isAgain || file != later.file))
  }
}

extension Files {
  func makePictureUpload() -> JobHandler {
    JobHandler(PictureUpload.self) { [self] upload, end, transaction in
      try notUploaded(upload, end, in: transaction)
    } run: { [self] upload, context in
      let file = try await database.read { [own] transaction -> FileRecord? in
        guard try transaction.profile(own.address)?.pictureFileID == upload.fileID else { return nil }
        return try transaction.file(upload.fileID)
      }
      // Another picture was set, or it was removed.
      guard let file else { return .done }
      let picture = try await uploaded(file, context)
      try await queue.run { [self] in try show(picture, upload) }
      return .done
    }
  }

  /// Uploads a picture that is stored here.
  func uploaded(_ file: FileRecord, _ context: JobContext) async throws -> ProfilePicture {
    let (vault, client) = try require()
    let (sealed, key) = try await seal(try await vault.content(of: file).bytes())
    try context.check()
    let kept = try await client.upload(
      sealed, isStream: environment.fileFormat == .stream, at: try time())
    guard kept.url.description.utf8.count <= Self.maxPictureURL else {
      throw JobFailure(.permanent, "the address of the picture is too long")
    }
    try context.check()
    return try ProfilePicture(url: kept.url.description, key: key.reveal())
  }

  /// The longest URL of a picture.
  static let maxPictureURL = 223

  private func seal(_ picture: [UInt8]) async throws -> ([UInt8], SecretBytes) {
    guard environment.fileFormat == .stream else { return try Picture.seal(picture) }
    var sealed: [UInt8] = []
    for try await part in MemoryPieces(picture).sealed(.stream(by: account, as: .displayPicture)) {
      switch part {
      case .piece(let piece): sealed += piece
      case .pointer(let pointer): return (sealed, pointer.key)
      }
    }
    preconditionFailure("a sealed file ends with its pointer")
  }

  private func show(_ picture: ProfilePicture, _ upload: PictureUpload) throws {
    try author.editNow { configs, now in
      if upload.isAgain {
        try configs.profile.noteUploadedAgain(picture, at: now)
      } else {
        try configs.profile.update(at: now) { $0.picture = picture }
      }
    } writing: { [own] _, transaction, now in
      // Another picture was set in the meantime: roll everything back.
      guard try transaction.profile(own.address)?.pictureFileID == upload.fileID else {
        throw CancellationError()
      }
      try transaction.set(.pictureKeptAt, to: now.stored)
    }
  }

  private func notUploaded(
    _ upload: PictureUpload, _ end: JobEnd, in transaction: borrowing WriteTransaction
  ) throws {
    guard !upload.isAgain, var profile = try transaction.profile(own.address),
      profile.pictureFileID == upload.fileID
    else { return }
    profile.pictureFileID = nil
    try transaction.put(profile)
    var content = MessengerEvent.Content(person: own)
    content.reason = end.reason
    try transaction.tell(.pictureFailed, content, at: try time())
    try transaction.requestFileSweep(at: jobTime)
    // Show the published picture again.
    try transaction.requestPicture(of: own, context)
  }

}

extension FileContent {
  /// Reads the whole content, for files that are never large.
  func bytes() async throws -> [UInt8] {
    var bytes: [UInt8] = []
    for try await piece in self { bytes += piece }
    return bytes
  }
}

extension Setting where Value == Int64 {
  /// When the server was last known to keep our picture for its full time.
  static let pictureKeptAt = Setting("pictureKeptAt")
}
