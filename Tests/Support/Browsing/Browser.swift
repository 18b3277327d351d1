import Folders
import Foundation
import Spawning

/// A headless Chromium, with a profile of its own.
public struct Browser: Sendable {
  public struct Failure: Error {
    public let status: Int32
  }

  public static var path: String? {
    ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  private let program: String
  private let folder: TemporaryFolder

  /// Nil if it is not installed.
  public init?() {
    guard let path = Self.path, let folder = try? TemporaryFolder() else { return nil }
    (program, self.folder) = (path, folder)
  }

  /// The document of a page once its scripts have run, as markup.
  public func document(of url: String) async throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = [
      "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
      "--disable-background-networking", "--user-data-dir=\(folder.url.path)", "--virtual-time-budget=2000",
      "--dump-dom", url,
    ]
    let output = folder.path("document")
    _ = FileManager.default.createFile(atPath: output, contents: nil)
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: output))
    (process.standardOutput, process.standardError) = (file, FileHandle.nullDevice)
    let (ends, ending) = AsyncStream.makeStream(of: Never.self)
    process.terminationHandler = { _ in ending.finish() }
    try process.start()
    for await _ in ends {}
    guard process.terminationStatus == 0 else { throw Failure(status: process.terminationStatus) }
    return String(decoding: try Data(contentsOf: URL(fileURLWithPath: output)), as: UTF8.self)
  }
}
