import SessionCore
import Testing

@Suite struct PassphraseKeyTests {
  private let quick = PassphraseKey.Cost(passes: 1, memory: 8 << 10)
  private let salt = [UInt8](repeating: 1, count: PassphraseKey.saltCount)

  @Test func theKeyDependsOnPassphraseAndSalt() throws {
    let passphrase = try SecretBytes(copying: "correct horse".utf8)
    let key = try PassphraseKey.derive(from: passphrase, salt: salt, cost: quick)
    #expect(key.count == 32)
    #expect(key.equals(try PassphraseKey.derive(from: passphrase, salt: salt, cost: quick)))
    let otherSalt = [UInt8](repeating: 2, count: 16)
    #expect(!key.equals(try PassphraseKey.derive(from: passphrase, salt: otherSalt, cost: quick)))
    let other = try SecretBytes(copying: "battery staple".utf8)
    #expect(!key.equals(try PassphraseKey.derive(from: other, salt: salt, cost: quick)))
  }

  @Test func costsOutsideTheLimitsAreRefused() throws {
    let passphrase = try SecretBytes(copying: "x".utf8)
    for cost in [PassphraseKey.Cost(passes: 0, memory: 8 << 10), .init(passes: 1, memory: -1)] {
      #expect { try PassphraseKey.derive(from: passphrase, salt: salt, cost: cost) } throws: {
        SessionError.Code.passphraseCost ~= $0
      }
    }
    for count in [-1, 0, 15, 65] {
      #expect(throws: SessionError.self) {
        try PassphraseKey.derive(from: passphrase, salt: salt, cost: quick, count: count)
      }
    }
    #expect { try PassphraseKey.derive(from: passphrase, salt: [1], cost: quick) } throws: {
      SessionError.Code.argument ~= $0
    }
  }
}
