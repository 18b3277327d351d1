import Glibc
package import SessionBase
package import SessionStorage

/// The file in which the tokens of a user are, one on each line. Programs that change it replace it as a whole, one after
/// the other.
package struct TokenFile: Sendable {
  package let path: String

  /// More than a person gives out; each request is compared with all of them.
  package static let limit = 100
  private static let maxBytes = 1 << 20
  /// How long a program waits for others that change the file.
  private static let lockTimeout = Duration.seconds(5)

  package init(in roots: StorageRoots) { path = "\(roots.state)/tokens" }

  /// The tokens; none if there is no file. Throws `unreadable` for a damaged file, `forbidden` if others can read it.
  package func read() throws(FileError) -> [AccessToken] {
    guard !OpenFile.isMissing(path) else { return [] }
    var status = stat()
    guard lstat(path, &status) == 0 else { throw .system(.unreadable, "cannot look at", path) }
    guard status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(), status.st_mode & 0o077 == 0 else {
      throw FileError(.forbidden, "others can read or write \(path)")
    }
    let lines = try OpenFile(reading: path).readAll(upTo: Self.maxBytes).split(separator: UInt8(ascii: "\n"))
    var tokens: [AccessToken] = []
    for (index, line) in lines.enumerated() {
      guard let json = try? JSONReader.value(of: Array(line)), let token = AccessToken(json) else {
        throw FileError(.unreadable, "\(path), line \(index + 1): not a token")
      }
      tokens.append(token)
    }
    return tokens
  }

  /// Changes the tokens. Waits for other programs that do, for a limited time.
  package func change<R: Sendable>(
    _ body: @escaping @Sendable (inout [AccessToken]) throws -> R
  ) async throws -> R {
    try PrivateFolder.prepare(Folder.of(path))
    let lock = try await lock()
    defer { withExtendedLifetime(lock) {} }
    return try await WorkerQueue("session.tokens").run {
      var tokens = try read()
      let before = tokens
      let result = try body(&tokens)
      guard tokens != before else { return result }
      let text = tokens.map { "\($0.json)\n" }.joined()
      try PendingFile.write(Array(text.utf8).span, to: path, replacing: true)
      return result
    }
  }

  private func lock() async throws -> FileLock {
    let deadline = ContinuousClock.now + Self.lockTimeout
    while true {
      do throws(FileError) {
        return try FileLock("\(path).lock", of: "the file of tokens", purpose: "session daemon")
      } catch {
        guard error.code == .inUse, .now < deadline else { throw error }
      }
      // The system reports no event when another process drops a lock.
      try await Task.sleep(for: .milliseconds(20))
    }
  }
}
