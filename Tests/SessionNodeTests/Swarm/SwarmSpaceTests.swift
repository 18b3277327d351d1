import SessionCore
import SessionNode
import Testing

@Suite struct SwarmSpaceTests {
  private static let positions: [(String, UInt64)] = [
    ("053506f4a71324b7dd114eddbf4e311f39dde243e1f2cb97c40db1961f70ebaae8", 17_589_930_838_143_112_648),
    ("05cf27da303a50ac8c4b2d43d27259505c9bcd73fc21cf2a57902c3d050730b604", 10_370_619_079_776_428_163),
    ("03d3511706b8b34f6e8411bf07bd22ba6b2435ca56846fbccf6eb1e166a6cd15cc", 2_144_983_569_669_512_198),
    ("054701d08488451f545a409fb58ae3e58581ca40ac3f7f114698cd71deac73ca01", 308_072_453_193_212_310),
    ("03d04ab232742bb4ab3a1368bd4615e4e6d0224ab71a016baf8520a332c9778737", 13_788_670_805_947_235_541),
  ]

  private static let choices: [(UInt64, UInt64)] = [
    (0, 100), (1, 100), (100, 100), (250, 200), (0x8000_0000_0000_0000, 694), (150, 100), (349, 300),
    (0x8000_0000_0000_018d, 694), (151, 200), (350, 399), (0x8000_0000_0000_018e, 100), (.max, 100),
    (0xa000_0000_0000_0000, 100),
  ]

  @Test(arguments: positions) func anAccountHasItsPlace(_ text: String, _ position: UInt64) throws {
    #expect(SwarmSpace.position(of: try [UInt8](hex: text.utf8)) == position)
  }

  @Test(arguments: choices) func theNearestSwarmIsChosen(_ position: UInt64, _ swarm: UInt64) {
    let space = SwarmSpace([694, 100, 200, 300, 399, NodeRecord.noSwarm, 498, 596, 100])
    #expect(space.swarms == [100, 200, 300, 399, 498, 596, 694])
    #expect(space.swarm(at: position) == swarm)
  }

  @Test func fewSwarmsAreEnough() {
    #expect(SwarmSpace([]).swarm(at: 5) == nil)
    #expect(SwarmSpace([9]).swarm(at: 5) == 9)
    #expect(SwarmSpace([9]).swarm(at: 9) == 9)
  }
}
