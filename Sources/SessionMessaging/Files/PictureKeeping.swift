import SessionBase
import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage

/// Extends our picture on the server, which deletes unused files after two weeks.
struct PictureKeeping: JobKind {
  static let kind = "pictureKeeping"
  static let queue = AttachmentUpload.queue
  static let conditions: JobConditions = [.network, .accountActive]
  static let interval = Duration.seconds(12 * 3600)
  /// The minimum interval between extensions, in milliseconds.
  static let minInterval: Int64 = 2 * 3_600_000
  /// The age at which a picture that cannot be extended is uploaded again, before the server deletes it, in
  /// milliseconds.
  static let maxAge: Int64 = 12 * 24 * 3_600_000

  var uniqueKey: String? { "" }
}

extension Files {
  func makePictureKeeping() -> JobHandler {
    JobHandler(PictureKeeping.self) { [self] _, context in
      let (_, client) = try require()
      let now = try time()
      let profile = try await queue.run { [self] in
        try author.configs.read { configs in try configs.profile.get() }
      }
      guard let picture = profile.picture, let url = FileURL(picture.url) else { return .done }
      let keptAt = try await database.read { transaction in try transaction.value(of: .pictureKeptAt) }
      let last = max(keptAt ?? 0, profile.updatedAtSeconds.saturatingMultiplied(by: 1000))
      guard now.stored - last >= PictureKeeping.minInterval || now.stored < last else { return .done }
      if try await isExtended(url, by: client, at: now) {
        try await context.write { transaction in try transaction.set(.pictureKeptAt, to: now.stored) }
        return .done
      }
      guard now.stored - last >= PictureKeeping.maxAge || url.isExtensible else { return .done }
      return .done { [self] transaction in try requestUploadAgain(in: transaction) }
    }
  }

  /// Extends a file on its server. False if the server no longer has it, or cannot extend it.
  private func isExtended(_ url: FileURL, by client: FileClient, at now: MessageTime) async throws -> Bool {
    guard url.isExtensible else { return false }
    do throws(NetworkFailure) {
      _ = try await client.extend(url, at: now)
      return true
    } catch {
      guard error.kind == .gone else { throw error }
      return false
    }
  }

  private func requestUploadAgain(in transaction: borrowing WriteTransaction) throws {
    guard let file = try transaction.profile(own.address)?.pictureFileID else {
      return environment.log(.error, .files, "picture-lost")
    }
    try transaction.enqueue(PictureUpload(file: file.rawValue, isAgain: true), at: jobTime)
  }
}

extension Int64 {
  func saturatingMultiplied(by factor: Int64) -> Int64 {
    let (product, overflows) = multipliedReportingOverflow(by: factor)
    return overflows ? .max : product
  }
}
