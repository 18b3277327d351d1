import SessionCore
import SessionNode
import SessionNodeCore
import Testing

@Suite struct NodeAnnouncementTests {
  private let keys = try! NodeKeys(seed: SecretBytes(copying: [UInt8](repeating: 4, count: 32)))

  private func announcement(_ address: String = "192.0.2.1:22020") throws -> NodeAnnouncement {
    NodeAnnouncement(
      key: keys.publicKey, address: try NetworkAddress(parsing: address), httpsPort: 22021,
      version: [2, 11, 0], state: .leaving, height: 7, time: 2000,
      unreachable: [[UInt8](repeating: 1, count: 32), [UInt8](repeating: 2, count: 32)])
  }

  @Test func signedAnnouncementsCanBeParsed() throws {
    #expect(NodeAnnouncement(verifying: try announcement().signed(by: keys)) == (try announcement()))
  }

  @Test func anyChangeIsNoticed() throws {
    let signed = try announcement().signed(by: keys)
    for index in signed.indices where signed[index] != UInt8(ascii: "=") {
      var changed = signed
      changed[index] ^= 1
      #expect(NodeAnnouncement(verifying: changed) == nil, "byte \(index)")
    }
    #expect(NodeAnnouncement(verifying: signed.dropLast()) == nil)
    #expect(NodeAnnouncement(verifying: signed + [10]) == nil)
    #expect(NodeAnnouncement(verifying: []) == nil)
  }

  @Test func signerMustBeTheAnnouncedNode() throws {
    let other = try NodeKeys.random()
    #expect(NodeAnnouncement(verifying: try announcement().signed(by: other)) == nil)
  }

  @Test(arguments: ["[2001:db8::1]:1", "0.0.0.0:5", "192.0.2.1:0"])
  func unreachableAddressesAreRejected(address: String) throws {
    #expect(NodeAnnouncement(verifying: try announcement(address).signed(by: keys)) == nil)
  }

  @Test func itMayNotBeTooLarge() throws {
    let unreachable = (0..<501).map { [UInt8($0 >> 8), UInt8($0 & 255)] + [UInt8](repeating: 0, count: 30) }
    let one = try announcement()
    for (count, isRead) in [(500, true), (501, false)] {
      let large = NodeAnnouncement(
        key: one.key, address: one.address, httpsPort: 0, version: [1, 2, 3], state: .serving, height: 0,
        time: 0, unreachable: Array(unreachable.prefix(count)))
      #expect((NodeAnnouncement(verifying: try large.signed(by: keys)) != nil) == isRead)
    }
  }
}
