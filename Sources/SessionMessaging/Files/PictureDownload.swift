import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage

/// Downloads a person's picture, or our own if another of our devices changed it. After a failure the old picture
/// stays.
struct PictureDownload: JobKind {
  static let kind = "pictureDownload"
  static let queue = AttachmentUpload.queue
  static let retry = AttachmentDownload.retry
  static let conditions: JobConditions = [.network, .accountActive]
  /// The overhead of a sealed picture, in bytes.
  static let wrapping = 400_000

  let person: SessionID

  var uniqueKey: String? { person.address }
}

extension Files {
  func makePictureDownload() -> JobHandler {
    JobHandler(PictureDownload.self) { [self] download, context in
      let (vault, client) = try require()
      let person = download.person
      guard let wanted = try await database.read({ transaction in try transaction.wantedPicture(of: person) })
      else { return .done }
      let bytes = try await downloaded(wanted, by: client)
      try context.check()
      try await vault.add(MemoryPieces(bytes), to: .avatars, at: try time().stored) {
        [self] transaction, file in
        guard var profile = try transaction.profile(person.address),
          try transaction.wantedPicture(of: person) == wanted
        else { throw PictureSuperseded() }
        profile.pictureFileID = file
        try transaction.put(profile)
        try transaction.requestFileSweep(at: jobTime)
        try transaction.tell(
          person == own ? .profileChanged : .contactChanged, MessengerEvent.Content(person: person),
          at: try time())
      }
      return .done
    }
  }

  func downloaded(_ wanted: WantedPicture, by client: FileClient) async throws -> [UInt8] {
    let sealed = try await client.download(wanted.url, upTo: Picture.maxBytes + PictureDownload.wrapping)
    let bytes = try await Self.opened(sealed, wanted)
    guard let image = ImageHeader(bytes), image.isReasonable else {
      throw JobFailure(.permanent, "it is not a picture in a supported format")
    }
    return bytes
  }

  private static func opened(_ sealed: [UInt8], _ wanted: WantedPicture) async throws -> [UInt8] {
    let key = try SecretBytes(copying: wanted.key)
    guard wanted.url.isStream else { return try Picture.open(sealed, key: key) }
    let inspection = Inspection(upTo: Picture.maxBytes)
    let pointer = AttachmentPointer(format: .stream, key: key, size: 0)
    var bytes: [UInt8] = []
    for try await piece in InspectedPieces(MemoryPieces(sealed).opened(with: pointer), inspection) {
      bytes += piece
    }
    return bytes
  }
}

/// The profile has another picture by now, which is downloaded by its own job.
struct PictureSuperseded: JobFailing, CustomStringConvertible {
  let verdict = JobVerdict.permanent
  let description = "another picture was set in the meantime"
}

/// A picture on a server.
struct WantedPicture: Hashable {
  let url: FileURL
  let key: [UInt8]

  /// Nil if there is none, or its address is not valid.
  init?(_ url: String?, _ key: [UInt8]?) {
    guard let url = url.flatMap({ FileURL($0) }), let key else { return nil }
    (self.url, self.key) = (url, key)
  }
}

extension Reading where Self: ~Copyable {
  fileprivate func wantedPicture(of person: SessionID) throws -> WantedPicture? {
    try profile(person.address).flatMap { WantedPicture($0.pictureURL, $0.pictureKey) }
  }
}
