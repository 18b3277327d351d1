import Folders
import Foundation
import Glibc
import SessionBase
import SessionCore
import SessionStorage
import Synchronization
import Testing

@testable import SessionDaemon

/// Tokens, the file that they are in, and what the daemon makes of it.
@Suite struct TokenTests {
  private let folder: TemporaryFolder
  private let file: TokenFile

  init() throws {
    folder = try TemporaryFolder()
    file = TokenFile(in: StorageRoots(inside: folder.path("roots")))
  }

  private func add(
    _ name: String, _ scopes: Set<RPCScope> = [.read], accounts: Set<String>? = nil, expiresAt: Int64? = nil
  ) async throws -> String {
    let (token, secret) = try AccessToken.make(
      name, scopes, accounts: accounts, at: 1000, expiresAt: expiresAt)
    try await file.change { $0.append(token) }
    return secret.reveal()
  }

  @Test func theSecretIsNotInTheFile() async throws {
    let secret = try await add("bot", [.read, .send], accounts: ["alice"], expiresAt: 2000)
    #expect(secret.utf8.count == 43)
    let text = try String(contentsOfFile: file.path, encoding: .utf8)
    #expect(!text.contains(secret.prefix(8)))
    var status = stat()
    #expect(stat(file.path, &status) == 0 && status.st_mode & 0o777 == 0o600)
    let read = try file.read()
    #expect(read.count == 1 && read[0].name == "bot" && read[0].scopes == [.read, .send])
    #expect(read[0].accounts == ["alice"] && read[0].createdAt == 1000 && read[0].expiresAt == 2000)
  }

  @Test func aTokenIsKnownByItsSecretAlone() async throws {
    let keeper = TokenKeeper(file)
    #expect(keeper.token(shownBy: "") == nil)
    let (a, b) = (try await add("a"), try await add("b", [.admin], accounts: ["bob"]))
    #expect(keeper.token(shownBy: a)?.name == "a")
    let found = try #require(keeper.token(shownBy: b))
    #expect(found.name == "b" && keeper.access(of: found).scopes == [.admin])
    #expect(keeper.access(of: found).accounts == ["bob"])
    // The last byte of the secret has four bits in the last character.
    let others = a.dropLast() + (a.last == "A" ? "E" : "A")
    for wrong in [String(others), "B" + b.dropFirst(), a + "=", " " + a, String(a.dropLast()), a + a] {
      #expect(
        keeper.token(shownBy: wrong)?.name != "a" && keeper.token(shownBy: wrong)?.name != "b", "\(wrong)")
    }
  }

  @Test func aRevokedTokenIsNoticed() async throws {
    let keeper = TokenKeeper(file)
    let secret = try await add("bot")
    let token = try #require(keeper.token(shownBy: secret))
    #expect(keeper.isValid(token))
    try await file.change { $0 = [] }
    #expect(!keeper.isValid(token) && keeper.token(shownBy: secret) == nil)
    // Another one of its name is another one.
    _ = try await add("bot")
    #expect(!keeper.isValid(token) && keeper.token(shownBy: secret) == nil)
  }

  @Test func aTokenExpires() async throws {
    let now = Mutex<Int64>(1999)
    let keeper = TokenKeeper(file, now: { now.withLock { $0 } })
    let secret = try await add("bot", expiresAt: 2000)
    let token = try #require(keeper.token(shownBy: secret))
    #expect(keeper.isValid(token))
    now.withLock { $0 = 2000 }
    #expect(!keeper.isValid(token) && keeper.token(shownBy: secret) == nil)
  }

  @Test func theDayOfTheLastUseIsKept() async throws {
    let day: Int64 = 86_400_000
    let keeper = TokenKeeper(file, now: { 20_000 * day + 5 })
    let secret = try await add("bot")
    await keeper.noteUse(of: try #require(keeper.token(shownBy: secret)))
    #expect(try file.read().first?.usedAt == 20_000 * day)
    #expect(keeper.token(shownBy: secret)?.usedAt == 20_000 * day)
  }

  @Test func aDamagedOrExposedFileGrantsNothing() async throws {
    let keeper = TokenKeeper(file)
    let secret = try await add("bot")
    let good = try Data(contentsOf: URL(filePath: file.path))
    for line in [
      "{", "[]", "{\"name\":\"x\"}", String(decoding: good, as: UTF8.self).replacing("read", with: "secrets"),
      String(decoding: good, as: UTF8.self).replacing("\"bot\"", with: "\"../bot\""),
    ] {
      try (good + Data("\(line)\n".utf8)).write(to: URL(filePath: file.path))
      chmod(file.path, 0o600)
      #expect { try file.read() } throws: {
        ($0 as? FileError)?.message == "\(file.path), line 2: not a token"
      }
      #expect(keeper.token(shownBy: secret) == nil)
    }
    try good.write(to: URL(filePath: file.path))
    chmod(file.path, 0o640)
    #expect { try file.read() } throws: { ($0 as? FileError)?.code == .forbidden }
    #expect(keeper.token(shownBy: secret) == nil)
  }

  @Test func changesAreMadeOneAfterTheOther() async throws {
    try await withThrowingTaskGroup { group in
      for number in 0..<20 {
        group.addTask { [file] in
          let (token, _) = try AccessToken.make("t\(number)", [.read], accounts: nil, at: 1, expiresAt: nil)
          try await file.change { $0.append(token) }
        }
      }
      try await group.waitForAll()
    }
    #expect(Set(try file.read().map(\.name)).count == 20)
  }
}
