import Folders
import SessionCore
import SessionMessaging
import Testing

@Suite struct AttachmentFileTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func sealing(_ format: AttachmentFormat) throws -> AttachmentSealing {
    switch format {
    case .legacy: .legacy
    case .stream: .stream(by: try Example.first())
    }
  }

  @Test(arguments: AttachmentFormat.allCases)
  func aFileComesBack(format: AttachmentFormat) async throws {
    let content = [UInt8](repeating: 7, count: 300_000)
    try folder.write(content, to: "content")
    let pointer = try await AttachmentFile.seal(
      folder.path("content"), to: folder.path("sealed"), sealing(format))
    try await AttachmentFile.open(folder.path("sealed"), to: folder.path("opened"), with: pointer)
    #expect(try folder.read("opened") == content)
    #expect(try folder.names == ["content", "opened", "sealed"])
  }

  @Test(arguments: AttachmentFormat.allCases)
  func damageLeavesNoFile(format: AttachmentFormat) async throws {
    try folder.write([UInt8](repeating: 7, count: 300_000), to: "content")
    let pointer = try await AttachmentFile.seal(
      folder.path("content"), to: folder.path("sealed"), sealing(format))
    var sealed = try folder.read("sealed")
    sealed[sealed.count - 40] ^= 1
    try folder.write(sealed, to: "sealed")
    await expectFailure(.fileDamaged) {
      try await AttachmentFile.open(folder.path("sealed"), to: folder.path("opened"), with: pointer)
    }
    #expect(try folder.names == ["content", "sealed"])
  }

  @Test(arguments: AttachmentFormat.allCases)
  func cancellationLeavesNoFile(format: AttachmentFormat) async throws {
    try folder.write([UInt8](repeating: 7, count: 300_000), to: "content")
    let (source, target) = (folder.path("content"), folder.path("sealed"))
    let sealing = try sealing(format)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await AttachmentFile.seal(source, to: target, sealing)
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try folder.names == ["content"])
  }

  @Test func aFileThatIsThereIsLeftAlone() async throws {
    try folder.write([1], to: "content")
    try folder.write([2], to: "sealed")
    await expectFailure(.fileExists) {
      _ = try await AttachmentFile.seal(folder.path("content"), to: folder.path("sealed"), .legacy)
    }
    #expect(try folder.read("sealed") == [2])
    #expect(try folder.names == ["content", "sealed"])
  }

  @Test func aFileThatIsThereIsToldBeforeTheWork() async throws {
    try folder.write([2], to: "sealed")
    await expectFailure(.fileExists) {
      _ = try await AttachmentFile.seal(folder.path("absent"), to: folder.path("sealed"), .legacy)
    }
  }

  @Test func theLongestNamesAreTaken() async throws {
    try folder.write([1], to: "content")
    let longest = String(repeating: "\u{1F600}", count: 63)
    _ = try await AttachmentFile.seal(folder.path("content"), to: folder.path(longest), .legacy)
    #expect(try folder.names == ["content", longest])
  }

  @Test func theFileSystemsRefusalsAreTold() async throws {
    await expectFailure(.fileUnreadable) {
      _ = try await AttachmentFile.seal(folder.path("absent"), to: folder.path("sealed"), .legacy)
    }
    try folder.write([1], to: "content")
    await expectFailure(.fileUncreatable) {
      _ = try await AttachmentFile.seal(folder.path("content"), to: folder.path("no/sealed"), .legacy)
    }
    #expect(try folder.names == ["content"])
  }
}
