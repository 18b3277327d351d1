public import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage

extension Files {
  /// Sets our profile picture; nil removes it.
  func setPicture(_ picture: [UInt8]?) async throws {
    guard let picture else { return try await removePicture() }
    let (vault, _) = try require()
    let checked = try checked(picture: picture)
    let now = try time()
    try await vault.add(MemoryPieces(checked), to: .avatars, at: now.stored) { [self] transaction, file in
      var profile = try transaction.profile(own.address) ?? ProfileRecord(own.address, name: "", updatedAt: 0)
      profile.pictureFileID = file
      try transaction.put(profile)
      try transaction.enqueue(PictureUpload(file: file.rawValue, isAgain: false), at: jobTime)
      try transaction.tell(.profileChanged, MessengerEvent.Content(person: own), at: now)
      try transaction.requestFileSweep(at: jobTime)
    }
  }

  /// Returns a picture without its metadata. Throws `fileUnavailable` if it is too large or of another format.
  func checked(picture: [UInt8]) throws -> [UInt8] {
    _ = try require()
    guard picture.count <= Picture.maxBytes else {
      throw MessengerError(
        .fileUnavailable, "a picture has up to \(Picture.maxBytes) bytes, this one has \(picture.count)")
    }
    guard let image = ImageHeader(picture), image.isReasonable else {
      throw MessengerError(
        .fileUnavailable, "a picture must be a PNG, JPEG, GIF or WebP image with reasonable dimensions")
    }
    return ImageMetadata.removed(from: picture)
  }

  private func removePicture() async throws {
    try await author.edit { configs, now in
      try configs.profile.update(at: now) { $0.picture = nil }
    } writing: { [self] _, transaction, now in
      if let job = try transaction.job(PictureUpload.kind, for: PictureUpload.key) {
        try transaction.cancel(job.id, because: "the picture was removed", at: jobTime)
      }
      guard var profile = try transaction.profile(own.address), profile.pictureFileID != nil else { return }
      profile.pictureFileID = nil
      try transaction.put(profile)
      try transaction.requestFileSweep(at: jobTime)
      try transaction.tell(.profileChanged, MessengerEvent.Content(person: own), at: now)
    }
  }

  /// A person's picture, if it is stored here.
  func picture(of person: SessionID) async throws -> [UInt8]? {
    try await picture { transaction in
      try transaction.profile(person.address)?.pictureFileID.flatMap { file in try transaction.file(file) }
    }
  }

  /// The picture that `find` looks up. A new one may replace it while it is read: then that one is read.
  func picture(
    _ find: @escaping @Sendable (borrowing ReadTransaction) throws -> FileRecord?
  ) async throws -> [UInt8]? {
    guard let vault else { return nil }
    var unreadable: FileRecord.ID?
    while let file = try await database.read(find) {
      do { return try await vault.content(of: file).bytes() } catch {
        guard file.id != unreadable else { throw error }
        unreadable = file.id
      }
    }
    return nil
  }
}

extension WriteTransaction {
  /// Updates the picture file when a profile changes: the old picture stays until the new one is here.
  func followPicture(
    of person: SessionID, from before: ProfileRecord?, to after: inout ProfileRecord, own: SessionID
  ) throws {
    guard after.pictureURL != before?.pictureURL || after.pictureKey != before?.pictureKey else { return }
    // Our own picture that is being uploaded will replace it anyway.
    if person == own, try job(PictureUpload.kind, for: PictureUpload.key) != nil { return }
    if after.pictureURL == nil { after.pictureFileID = nil }
  }

  /// Requests the download of a profile picture, unless it belongs to a stranger.
  func requestPicture(
    of person: SessionID, notBefore start: Int64? = nil, _ context: AccountContext
  ) throws {
    guard let servers = context.environment.files?.servers, let profile = try profile(person.address),
      let url = profile.pictureURL.flatMap({ FileURL($0) }), profile.pictureKey != nil,
      (try? servers.server(of: url)) != nil
    else { return }
    if person != context.own {
      guard let contact = try contact(person.address), contact.isApproved, !contact.isBlocked else { return }
    }
    let request = start.map { JobRequest.at($0) } ?? JobRequest()
    try enqueue(PictureDownload(person: person), request, at: context.jobTime)
  }

  /// Requests the picture if it changed, or is missing.
  func requestPicture(
    of person: SessionID, after before: ProfileRecord?, notBefore start: Int64? = nil,
    _ context: AccountContext
  ) throws {
    try requestFileSweep(at: context.jobTime)
    guard let profile = try profile(person.address) else { return }
    let isOther =
      profile.pictureURL != before?.pictureURL || profile.pictureKey != before?.pictureKey
    guard isOther || profile.pictureFileID == nil else { return }
    // The picture that is being uploaded is the current one.
    if person == context.own, try job(PictureUpload.kind, for: PictureUpload.key) != nil { return }
    try requestPicture(of: person, notBefore: start, context)
  }
}

extension Messenger {
  /// Sets our profile picture, a PNG, JPEG, GIF or WebP image of up to 5 MB; nil removes it. It appears here at once,
  /// and for others when it is uploaded. An event reports the result: `pictureFailed` if the upload failed.
  public nonisolated func setPicture(_ picture: [UInt8]?) async throws {
    try await perform(.account(.setPicture(picture.map { .bytes($0) })))
  }

  /// Returns the picture of a person, or our own; nil if none is stored here. Pictures of contacts are downloaded
  /// automatically.
  public nonisolated func picture(of person: SessionID) async throws -> [UInt8]? {
    try await files.picture(of: person)
  }
}
