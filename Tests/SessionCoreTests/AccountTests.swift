import SessionCore
import Testing

@Suite struct AccountTests {
  @Test(arguments: [
    (
      "0123456789abcdef0123456789abcdef", Example.firstID,
      "4cb76fdc6d32278e3f83dbf608360ecc6b65727934b85d2fb86862ff98c46ab7"
    ),
    (
      "00112233445566778899aabbccddeeff", Example.secondID,
      "5ea34e72bb044654a6a23675690ef5ffaaf1656b02f93fb76655f9cbdbe89876"
    ),
    (
      "00000000000000000000000000000000",
      "055bf55c73b82ebe22be80f3430667af570fae2556a6415e6b30d4065300aa947d",
      "3b6a27bcceb6a42d62a3a8d02a6f0d73653215771de243a63ac048a18b59da29"
    ),
  ])
  func keysFollowFromTheSeed(seed: String, id: String, ed25519: String) throws {
    let account = try Account(hexSeed: seed.utf8)
    #expect(account.id.description == id)
    #expect(account.id.kind == .standard)
    #expect(account.ed25519PublicKey.hex == ed25519)
    #expect(try Account(seed: SecretBytes(copying: [UInt8](hex: seed.utf8))).id == account.id)
  }

  @Test func generatedAccountsDiffer() throws {
    #expect(try Account.generate().id != Account.generate().id)
  }

  @Test func anAccountComesBackFromItsPhrase() throws {
    let account = try Account.generate()
    #expect(try Account(account.recoveryPhrase()).id == account.id)
  }

  @Test func aSeedOfAnotherSizeIsRefused() throws {
    let long = try SecretBytes(copying: [UInt8](repeating: 1, count: 32))
    #expect(throws: SessionError.self) { try Account(seed: long) }
    #expect { try Account(hexSeed: "0123".utf8) } throws: { SessionError.Code.seed ~= $0 }
    #expect { try Account(hexSeed: String(repeating: "z", count: 32).utf8) } throws: {
      SessionError.Code.hex ~= $0
    }
  }

  @Test func signaturesVerify() throws {
    let account = try Example.first()
    let signature = try account.sign("hello".utf8)
    try Signature.verify(signature, of: "hello".utf8, by: account.ed25519PublicKey)
    #expect { try Signature.verify(signature, of: "hullo".utf8, by: account.ed25519PublicKey) } throws: {
      SessionError.Code.signature ~= $0
    }
  }

  @Test func anAccountPrintsAsItsIDAlone() throws {
    let account = try Example.first()
    #expect("\(account)" == Example.firstID)
    var dumped = ""
    dump(account, to: &dumped)
    #expect(!dumped.contains("keys") && !dumped.contains("SecretBytes"))
  }
}
