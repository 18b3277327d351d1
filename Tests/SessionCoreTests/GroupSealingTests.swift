import SessionCore
import Testing

@Suite struct GroupSealingTests {
  private let group: SessionID
  private let key: SecretBytes

  init() throws {
    group = try SessionID(
      parsing: "03ea4a6c63e29c520abef5507b132ec5f9954776aebebe7b92421eea691446d22c")
    key = try SecretBytes(copying: [UInt8](repeating: 9, count: 32))
  }

  @Test func aGroupMessageArrivesWithItsSender() throws {
    let message = [UInt8](repeating: 7, count: 5000)
    let sealed = try Example.first().seal(message, forGroup: group, key: key)
    #expect(sealed.count % 256 == 0)
    let opened = try Account.open(sealed, ofGroup: group, keys: [SecretBytes.random(count: 32), key])
    #expect(opened.content == message)
    #expect(opened.sender.description == Example.firstID)
  }

  @Test func withoutTheKeyTheMessageIsKept() throws {
    let sealed = try Example.first().seal([1], forGroup: group, key: key)
    #expect { try Account.open(sealed, ofGroup: group, keys: []) } throws: { SessionError.Code.noKey ~= $0 }
  }

  @Test func anAccountIsNoGroup() throws {
    #expect { try Example.first().seal([1], forGroup: Example.second().id, key: key) } throws: {
      SessionError.Code.idKind ~= $0
    }
  }
}
