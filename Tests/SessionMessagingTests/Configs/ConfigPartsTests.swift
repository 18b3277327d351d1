import SeededNumbers
import SessionCore
import SessionMessaging
import Testing

/// Configs that are too large for one message.
@Suite struct ConfigPartsTests {
  private let account: Account
  private let swarm = Swarm()
  private let push: ConfigPush

  private var name: ConfigName { ConfigName(.userGroups, of: account.id) }

  init() throws {
    account = try Example.first()
    var random = SeededGenerator(seed: 1)
    var large: [UInt8] = []
    // Random bytes, for others are compressed.
    while large.count < 200_000 { withUnsafeBytes(of: random.next()) { large.append(contentsOf: $0) } }
    let content = Array("d1:x\(large.count):".utf8) + large + Array("e".utf8)
    let dump = CraftedConfig.dump(ConfigName(.userGroups, of: account.id), data: content)
    let store = try ConfigStore(account, dumps: [dump])
    let batch = try #require(try store.pendingPushes(in: account.id, at: swarm.now))
    push = try #require(batch.pushes.first)
    #expect(push.messages.count == 3)
  }

  private func part(_ index: Int) throws -> ConfigMessage {
    ConfigMessage(hash: "part\(index)", stored: push.messages[index], storedAt: try swarm.now)
  }

  /// Merges a part; what is to be kept then.
  private func give(_ index: Int, to store: ConfigStore) throws -> ConfigDump? {
    #expect(try store.merge([part(index)], into: name, at: swarm.now).rejected.isEmpty)
    return try store.dumps(at: swarm.now).first { $0.name == name }
  }

  @Test func partsWaitBesideTheDump() throws {
    var kept: [ConfigDump] = []
    for (count, index) in [2, 0].enumerated() {
      let dump = try #require(try give(index, to: try ConfigStore(account, dumps: kept)))
      #expect(dump.content.count < 300)
      #expect(dump.parts.map(\.hash).sorted() == [["part2"], ["part0", "part2"]][count])
      #expect(dump.parts.reduce(0) { $0 + $1.content.count } > 40_000)
      kept = [dump]
    }
    let store = try ConfigStore(account, dumps: kept)
    #expect(try store.activeHashes(in: account.id, at: swarm.now) == ["part0", "part2"])
    let dump = try #require(try give(1, to: store))
    #expect(dump.content.count > 200_000 && dump.parts.isEmpty)
    #expect(try store.activeHashes(in: account.id, at: swarm.now) == ["part0", "part1", "part2"])
  }

  /// Storage that was tampered with makes no config unreadable.
  @Test func invalidPartsAreDropped() throws {
    let odd = [
      HeldConfigPart(0, of: 2, message: [1], hash: "a", content: [1], expiresAt: .max),
      HeldConfigPart(-1, of: -2, message: [], hash: "", content: [], expiresAt: 0),
    ]
    let empty = try #require(try give(0, to: try ConfigStore(account)))
    let store = try ConfigStore(
      account, dumps: [ConfigDump(name, content: empty.content, parts: odd + empty.parts)])
    #expect(try store.activeHashes(in: account.id, at: swarm.now) == ["part0"])
    #expect(store.damaged.isEmpty)
  }
}
