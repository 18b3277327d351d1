import Testing

@testable import SessionCore

@Suite struct SecretBytesTests {
  @Test func theyKeepTheirValue() throws {
    let secret = try SecretBytes(copying: [1, 2, 3])
    #expect(secret.count == 3)
    #expect(secret.reveal() == [1, 2, 3])
    #expect(secret.withBytes { $0[1] } == 2)
    #expect(secret.equals(try SecretBytes(copying: [1, 2, 3])))
    #expect(!secret.equals(try SecretBytes(copying: [1, 2, 4])))
    #expect(!secret.equals(try SecretBytes(copying: [1, 2])))
  }

  @Test func theyAreNotPrinted() throws {
    let secret = try SecretBytes(copying: [171, 205])
    var dumped = "\(secret)"
    dump(secret, to: &dumped)
    #expect(dumped == "SecretBytes(2 bytes)- SecretBytes(2 bytes) #0\n")
  }

  @Test func nothingIsNoSecret() {
    #expect { try SecretBytes(copying: []) } throws: { SessionError.Family.environment ~= $0 }
    for count in [0, -1] {
      #expect { try SecretBytes.random(count: count) } throws: { SessionError.Code.argument ~= $0 }
    }
  }

  @Test func wipingClearsAnArray() {
    var bytes: [UInt8] = [1, 2, 3]
    bytes.wipe()
    #expect(bytes == [0, 0, 0])
  }

  @Test func randomOnesDiffer() throws {
    #expect(!(try SecretBytes.random(count: 16)).equals(try .random(count: 16)))
  }
}
