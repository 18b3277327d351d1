import SessionBase
import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage

/// Uploads a picture of a group that we administer. It is published when it is on the server.
struct GroupPictureUpload: JobKind {
  static let kind = "groupPicture"
  static let queue = AttachmentUpload.queue
  static let conditions: JobConditions = [.network, .accountActive]

  let group: SessionID
  let file: Int64

  var uniqueKey: String? { group.address }
  var fileID: FileRecord.ID { FileRecord.ID(rawValue: file) }
}

/// Downloads the picture of a group. After a failure the old one stays.
struct GroupPictureDownload: JobKind {
  static let kind = "groupPictureDownload"
  static let queue = AttachmentUpload.queue
  static let retry = AttachmentDownload.retry
  static let conditions: JobConditions = [.network, .accountActive]

  let group: SessionID

  var uniqueKey: String? { group.address }
}

extension Files {
  /// Stores a picture of a group, and requests its upload.
  func upload(_ picture: [UInt8], of group: SessionID) async throws {
    let (vault, _) = try require()
    let now = try time()
    try await vault.add(MemoryPieces(picture), to: .avatars, at: now.stored) { [self] transaction, file in
      try transaction.upload(file, of: group, at: now, context)
    }
  }

  /// Stores the picture of a group that does not exist yet. If that is not created, it is deleted after a day.
  func importFiles(picture: [UInt8]) async throws -> AttachmentRecord.ID {
    let (vault, _) = try require()
    let now = try time().stored
    return try await vault.add(MemoryPieces(picture), to: .avatars, at: now) { transaction, file in
      var record = AttachmentRecord(
        .file, .uploading, contentType: "", byteCount: Int64(picture.count), createdAt: now)
      record.fileID = file
      return try transaction.insert(record).id
    }
  }

  /// The picture of a group, if it is stored here.
  func picture(ofGroup group: SessionID) async throws -> [UInt8]? {
    try await picture { transaction in
      try transaction.groupRecord(of: group)?.pictureFileID.flatMap { file in try transaction.file(file) }
    }
  }

  func makeGroupPictureDownload() -> JobHandler {
    JobHandler(GroupPictureDownload.self) { [self] download, context in
      let (vault, client) = try require()
      let group = download.group
      guard
        let wanted = try await database.read({ transaction in try transaction.wantedPicture(ofGroup: group) })
      else { return .done }
      let bytes = try await downloaded(wanted, by: client)
      try context.check()
      let now = try time()
      try await vault.add(MemoryPieces(bytes), to: .avatars, at: now.stored) { transaction, file in
        guard try transaction.wantedPicture(ofGroup: group) == wanted else { throw PictureSuperseded() }
        try transaction.setPicture(file, ofGroup: group, at: now)
      }
      return .done
    }
  }
}

extension Groups {
  /// Sets the picture of a group; nil removes it. Only for admins.
  func setPicture(_ picture: [UInt8]?, of group: SessionID) async throws {
    try await act { [self] in
      try author.configs.read { configs in _ = try requireAdmin(of: group, in: configs) }
    }
    guard let picture else { return try await act { [self] in try removePicture(of: group) } }
    try await files.upload(try files.checked(picture: picture), of: group)
  }

  func makePictureUpload() -> JobHandler {
    JobHandler(GroupPictureUpload.self) { [self] upload, end, transaction in
      try notUploaded(upload, end, in: transaction)
    } run: { [self] upload, context in
      let group = upload.group
      let (file, creation) = try await database.read { transaction -> (FileRecord?, JobRecord?) in
        guard try transaction.groupRecord(of: group)?.pictureFileID == upload.fileID else {
          return (nil, nil)
        }
        return (
          try transaction.file(upload.fileID), try transaction.job(GroupCreation.kind, for: group.address)
        )
      }
      // Another picture was set, or the group is gone.
      guard let file else { return .done }
      if let creation { throw JobDeferral(for: .zero, after: [.end(creation.id)]) }
      let picture = try await files.uploaded(file, context)
      do {
        try await queue.run { [self] in
          try publish(picture, of: group) { transaction, _ in
            guard try transaction.groupRecord(of: group)?.pictureFileID == upload.fileID else {
              throw PictureSuperseded()
            }
          }
        }
      } catch is PictureSuperseded {
        return .done
      }
      return .done
    }
  }

  /// Removes the picture of a group, also one whose upload is under way.
  private func removePicture(of group: SessionID) throws {
    try publish(nil, of: group) { [context] transaction, now in
      guard try transaction.groupRecord(of: group)?.pictureFileID != nil else { return }
      try transaction.setPicture(nil, ofGroup: group, at: now)
      if let upload = try transaction.job(GroupPictureUpload.kind, for: group.address) {
        try transaction.cancel(upload.id, because: "the picture was removed", at: context.jobTime)
      }
      try transaction.requestFileSweep(at: context.jobTime)
    }
  }

  /// Changes the picture in the configs of a group. If `check` throws, nothing changes.
  private func publish(
    _ picture: ProfilePicture?, of group: SessionID,
    checking check: (borrowing WriteTransaction, MessageTime) throws -> Void
  ) throws {
    try author.editNow { configs, _ in
      let key = try requireAdmin(of: group, in: configs)
      let before = try configs.readGroup(group) { (group) throws(SessionError) in try group.getInfo().picture
      }
      try configs.withGroup(group) { (group) throws(SessionError) in
        try group.updateInfo { $0.picture = picture }
      }
      return (key: key, isOther: before != picture, profile: try configs.ownProfile())
    } writing: { plan, transaction, now in
      try check(transaction, now)
      guard plan.isOther else { return }
      try announce(
        .picture, as: .pictureChanged, with: plan.key, profile: plan.profile, at: now, in: transaction)
    }
  }

  private func notUploaded(
    _ upload: GroupPictureUpload, _ end: JobEnd, in transaction: borrowing WriteTransaction
  ) throws {
    guard try transaction.groupRecord(of: upload.group)?.pictureFileID == upload.fileID else { return }
    let now = try time()
    try transaction.setPicture(nil, ofGroup: upload.group, at: now)
    var content = MessengerEvent.Content(conversation: .group(upload.group))
    content.reason = end.reason
    try transaction.tell(.pictureFailed, content, at: now)
    // Show the published picture again.
    try transaction.requestPicture(ofGroup: upload.group, context)
  }
}

extension Reading where Self: ~Copyable {
  /// Returns the record of a group on this device.
  func groupRecord(of group: SessionID) throws -> GroupRecord? {
    try thread(at: group.address).flatMap { thread in try self.group(thread.id) }
  }

  fileprivate func wantedPicture(ofGroup group: SessionID) throws -> WantedPicture? {
    try groupRecord(of: group).flatMap { WantedPicture($0.pictureURL, $0.pictureKey) }
  }
}

extension WriteTransaction {
  /// Shows a picture of a group that we administer, and requests its upload.
  func upload(
    _ file: FileRecord.ID, of group: SessionID, at now: MessageTime, _ context: AccountContext
  ) throws {
    try setPicture(file, ofGroup: group, at: now)
    try enqueue(GroupPictureUpload(group: group, file: file.rawValue), at: context.jobTime)
  }

  fileprivate func setPicture(_ file: FileRecord.ID?, ofGroup group: SessionID, at now: MessageTime) throws {
    guard let thread = try thread(at: group.address), var record = try self.group(thread.id) else { return }
    record.pictureFileID = file
    try put(record)
    try tell(.conversationChanged, MessengerEvent.Content(in: thread), at: now)
  }

  /// Requests the download of a group's picture, unless we only are invited.
  func requestPicture(ofGroup group: SessionID, _ context: AccountContext) throws {
    try requestFileSweep(at: context.jobTime)
    guard let servers = context.environment.files?.servers, let record = try groupRecord(of: group),
      !record.isInvited, let wanted = try wantedPicture(ofGroup: group),
      (try? servers.server(of: wanted.url)) != nil
    else { return }
    // The picture that is being uploaded replaces it anyway.
    guard try job(GroupPictureUpload.kind, for: group.address) == nil else { return }
    try enqueue(GroupPictureDownload(group: group), at: context.jobTime)
  }
}
