import Glibc
import SessionBase
import SessionCore

extension Command {
  static let verifyRelease = Command(
    name: "verify-release",
    summary: "verify files of a release with its signed list of sums",
    discussion: """
      Needs the list of SHA-256 sums, SHA256SUMS, and its minisign signature, SHA256SUMS.minisig, in the folder of the
      first file. Get the public key from a source that you trust, not from the place of the files. The files are printed
      only if all of them verify.
      """,
    arguments: [.init(name: "FILE", summary: "a file of the release", isRepeated: true)],
    options: [
      .init(
        name: "key", value: "KEY|FILE", summary: "the public key of minisign, or the file with it",
        isRequired: true),
      .init(
        name: "sums", value: "FILE", summary: "the list of sums; SHA256SUMS next to the first file by default"
      ),
      .json,
    ],
    examples: [
      .init(
        line: "session verify-release session_0.5.0_amd64.deb --key session.pub",
        summary: "verify a package before it is installed")
    ],
    needsSettings: false,
    rpc: .none(.isLocal)
  ) { invocation, io in
    let verification = try ReleaseVerification(invocation, io)
    return try await cancelledBySignals {
      let files = try await verification.verified(invocation.arguments)
      guard !invocation.has("json") else { return CommandOutput(lines: files.map(\.json)) }
      return CommandOutput(
        text: files.map { "\(DisplayText.line($0.path)): session \(DisplayText.line($0.version))\n" }.joined()
      )
    }
  }
}

/// The signed list of a release.
private struct ReleaseVerification: Sendable {
  private let sums: ReleaseSums
  private let list: String
  private let version: String
  private let key: ReleaseKey

  struct File: Sendable {
    let path: String
    let name: String
    let sum: [UInt8]
    let version: String
    let keyID: [UInt8]

    var json: JSONObject {
      [
        "type": .string("released-file"), "path": .string(path), "name": .string(name),
        "digest": .string(sum.hex), "version": .string(version),
        "key": .string(ReleaseKey.shown(keyID)),
      ]
    }
  }

  /// What the comment of a release begins with.
  private static let commentStart = "session "

  init(_ invocation: Invocation, _ io: CommandIO) throws(CommandFailure) {
    let first = invocation.arguments[0]
    let folder = first.lastIndex(of: "/").map { String(first[...$0]) } ?? ""
    list = invocation["sums"] ?? folder + "SHA256SUMS"
    key = try Self.key(invocation.required("key"), io)
    let bytes = try Self.read(list, upTo: ReleaseSums.maxText, io)
    let signature = try Self.signature(list + ".minisig", io)
    guard signature.keyID == key.id else {
      throw .data(
        "\(list) was signed with the key \(ReleaseKey.shown(signature.keyID)), not \(ReleaseKey.shown(key.id))",
        advice:
          "If the maker of the release has a new key, it is announced in a file that the old one signed.")
    }
    let comment: String
    do throws(SessionError) { comment = try signature.comment(verifying: bytes, by: key) } catch {
      throw .data(
        "the signature of \(list) does not match",
        advice: "The list or the signature was changed: do not use the files.")
    }
    guard let version = Self.version(in: comment) else {
      throw .data("the signature of \(list) is not that of a release: \(DisplayText.line(comment))")
    }
    self.version = version
    sums = ReleaseSums(bytes)
  }

  /// The version that a comment names.
  private static func version(in comment: String) -> String? {
    guard comment.hasPrefix(commentStart) else { return nil }
    let version = comment.dropFirst(commentStart.count)
    let isVersion = version.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "."), UInt8(ascii: "+"), UInt8(ascii: "-"):
        true
      default: false
      }
    }
    return isVersion && (1...64).contains(version.utf8.count) ? String(version) : nil
  }

  private static func read(_ path: String, upTo limit: Int, _ io: CommandIO) throws(CommandFailure) -> [UInt8]
  {
    do throws(SessionError) { return try io.read(path, limit) } catch {
      throw CommandFailure(error, subject: path)
    }
  }

  /// The key itself, which begins as all keys of minisign do, or that of a file.
  private static func key(_ text: String, _ io: CommandIO) throws(CommandFailure) -> ReleaseKey {
    if let key = try? ReleaseKey(parsing: Array(text.utf8)) { return key }
    let bytes = try read(text, upTo: ReleaseKey.maxText, io)
    do throws(SessionError) { return try ReleaseKey(parsing: bytes) } catch {
      throw .data("\(text) is not a public key of minisign")
    }
  }

  private static func signature(_ path: String, _ io: CommandIO) throws(CommandFailure) -> ReleaseSignature {
    let bytes = try read(path, upTo: ReleaseKey.maxText, io)
    do throws(SessionError) { return try ReleaseSignature(parsing: bytes) } catch {
      guard error.code == .version else { throw .data("\(path) is not a signature of minisign") }
      throw .data(
        "\(path) is a signature of the older form, which does not hash the file",
        advice: "Releases are signed with 'minisign -S' of version 0.8 or later.")
    }
  }

  /// Returns the files with their sums. Throws for the first that is not of the release.
  func verified(_ paths: [String]) async throws -> [File] {
    var files: [File] = []
    for path in paths {
      let name = path.split(separator: "/").last.map(String.init) ?? ""
      let expected = try sum(of: name)
      let sum = try await WorkerQueue("session.command").run { try FileSum.of(path) }
      guard sum == expected else {
        throw CommandFailure.data(
          "\(path) is not the file of the release: its sum is another",
          advice: "It is damaged or was changed: do not use it, and fetch it again.")
      }
      files.append(File(path: path, name: name, sum: sum, version: version, keyID: key.id))
    }
    return files
  }

  private func sum(of name: String) throws(CommandFailure) -> [UInt8] {
    do throws(SessionError) { return try sums.sum(of: name) } catch {
      guard error.code == .notFound else {
        throw .data("\(list) is not a list of sums, or not in the order of its names")
      }
      throw .data("\(name) is not in \(list)", advice: "Give the file the name that it had.")
    }
  }
}

/// The SHA-256 sum of a regular file. Blocks while it reads.
enum FileSum {
  private static let piece = 1 << 20

  static func of(_ path: String) throws(CommandFailure) -> [UInt8] {
    do throws(FileError) {
      guard try OpenFile.mode(ofReadable: path) & S_IFMT == S_IFREG else {
        throw FileError(.unreadable, "\(path) is not a regular file")
      }
      let file = try OpenFile(reading: path)
      var hash = SHA256()
      while true {
        let piece = try file.read(upTo: piece)
        guard !piece.isEmpty else { return hash.finish() }
        hash.add(piece)
      }
    } catch {
      throw CommandFailure(error)
    }
  }

  /// That of the program that runs, in hexadecimal.
  static func ofThisProgram() throws(CommandFailure) -> String { try of("/proc/self/exe").hex }
}
