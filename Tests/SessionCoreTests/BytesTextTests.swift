import SessionCore
import Testing

@Suite struct BytesTextTests {
  @Test(
    arguments: [
      ([], "", ""), ([0xFB], "fb", "+w=="), ([0xFB, 0xFF], "fbff", "+/8="), ([1, 2, 3], "010203", "AQID"),
    ] as [([UInt8], String, String)])
  func textFormsGoBothWays(bytes: [UInt8], hex: String, base64: String) throws {
    #expect(bytes.hex == hex)
    #expect(bytes.base64 == base64)
    #expect(try [UInt8](hex: hex.utf8) == bytes)
    #expect(try [UInt8](base64: base64.utf8) == bytes)
  }

  @Test(arguments: ["0", "0g"])
  func invalidHexIsRejected(text: String) {
    #expect { try [UInt8](hex: text.utf8) } throws: { SessionError.Code.hex ~= $0 }
  }

  @Test(arguments: ["A", "A*==", "AQ=A"])
  func invalidBase64IsRejected(text: String) {
    #expect { try [UInt8](base64: text.utf8) } throws: { SessionError.Code.base64 ~= $0 }
  }
}
