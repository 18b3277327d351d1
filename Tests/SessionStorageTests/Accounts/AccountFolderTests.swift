import SessionBase
import Testing

@testable import SessionStorage

@Suite struct AccountFolderTests {
  private let folder: Workplace
  private let roots: StorageRoots

  init() throws {
    folder = try Workplace()
    roots = StorageRoots(inside: folder.path("roots"))
  }

  @Test func foldersAreTheirOwnersAlone() throws {
    let account = try AccountFolder("alice", in: roots)
    #expect(!account.exists)
    try account.prepare()
    try account.prepare()
    #expect(account.exists)
    for path in [account.data, account.attachments, account.avatars, account.state, account.cache] {
      #expect(try folder.mode(folder.name(path)) == 0o700)
    }
  }

  @Test func aFolderThatOthersMayLookIntoIsClosed() throws {
    let account = try AccountFolder("alice", in: roots)
    try account.prepare()
    try folder.setMode(0o755, of: folder.name(account.data))
    try account.prepare()
    #expect(try folder.mode(folder.name(account.data)) == 0o700)
  }

  @Test func networkCacheIsDeleted() throws {
    let account = try AccountFolder("alice", in: roots)
    try account.forgetNetwork()
    try account.prepare()
    try folder.write([1], to: folder.name(account.cache + "/nodes"))
    try account.forgetNetwork()
    #expect(try Folder.names(in: account.cache) == [])
    #expect(account.exists)
  }

  @Test func anUnfinishedFolderIsNoAccountUntilItIsAdopted() throws {
    let account = try AccountFolder("alice", in: roots)
    let unfinished = account.unfinished(.imported)
    try unfinished.prepare()
    #expect(try AccountFolder.all(in: roots) == [] && !account.exists)
    try unfinished.adopt()
    #expect(try AccountFolder.all(in: roots) == [account] && !unfinished.exists)
    try unfinished.prepare()
    expectFailure(.duplicate) { try unfinished.adopt() }
  }

  @Test func aReplacedAccountIsKeptUnderAnotherName() throws {
    let account = try AccountFolder(String(repeating: "a", count: 64), in: roots)
    try account.prepare()
    try folder.write([1], to: folder.name(account.data + "/old"))
    let unfinished = account.unfinished(.imported)
    try unfinished.prepare()
    try folder.write([2], to: folder.name(unfinished.path + "/new"))
    let old = try account.replaced(at: 1_764_331_800_000)
    #expect(old.name == String(repeating: "a", count: 40) + ".before-20251128T121000Z")
    #expect(old.wasReplaced && !account.wasReplaced)
    try unfinished.replaceAccount(keeping: old)
    #expect(
      folder.exists(folder.name(account.data + "/new")) && folder.exists(folder.name(old.data + "/old")))
    #expect(!unfinished.exists)
    try unfinished.prepare()
    try old.remove()
    #expect(account.exists && !old.exists && unfinished.exists)
    try account.remove()
    #expect(!unfinished.exists)
  }

  @Test func aFileInPlaceOfAFolderIsReported() throws {
    try folder.write([1], to: "roots")
    #expect { try AccountFolder("alice", in: roots).prepare() } throws: { error in
      (error as? StorageError)?.code == .cannotOpen && "\(error)".contains(folder.path("roots"))
    }
  }

  @Test func accountsAreFoundByName() throws {
    #expect(try AccountFolder.all(in: roots) == [])
    for name in ["bob", "alice", "a.b-c_2"] { try AccountFolder(name, in: roots).prepare() }
    #expect(try AccountFolder.all(in: roots).map(\.name) == ["a.b-c_2", "alice", "bob"])
  }

  @Test(arguments: [
    "", ".", "..", ".hidden", "-x", "a/b", "a b", "ä", "a\0", String(repeating: "a", count: 65),
  ])
  func namesThatAreNoNamesOfFoldersAreRefused(_ name: String) {
    expectFailure(.value) { _ = try AccountFolder(name, in: roots) }
  }

  @Test func rootsFollowTheEnvironment() throws {
    let usual = try StorageRoots(environment: ["HOME": "/home/a", "XDG_CACHE_HOME": "relative"])
    #expect(usual.data == "/home/a/.local/share/session")
    #expect(usual.state == "/home/a/.local/state/session")
    #expect(usual.cache == "/home/a/.cache/session")
    #expect(usual.config == "/home/a/.config/session")
    let named = try StorageRoots(environment: [
      "XDG_DATA_HOME": "/d", "XDG_STATE_HOME": "/s", "XDG_CACHE_HOME": "/c", "XDG_CONFIG_HOME": "/e",
    ])
    #expect(
      named
        == StorageRoots(data: "/d/session", state: "/s/session", cache: "/c/session", config: "/e/session"))
    expectFailure(.cannotOpen) { _ = try StorageRoots(environment: [:]) }
  }
}
