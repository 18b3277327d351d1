import SessionBase
import Testing

@Suite struct JSONReaderTests {
  private func value(_ text: String) throws -> JSONValue { try JSONReader.value(of: Array(text.utf8)) }

  @Test func valuesOfAllKindsAreRead() throws {
    let text = #" {"a": [1, -2.5, 1e2, true, false, null], "b": {"c": "x\n\u00e9\ud83d\ude00\/"}, "": 0} "#
    #expect(
      try value(text) == [
        "a": .array([1, .decimal(-2.5), .decimal(100), true, false, .null]), "b": ["c": "x\né😀/"], "": 0,
      ])
    #expect(try value("9223372036854775807") == .integer(.max))
  }

  @Test func recordsAreReadBackAsWritten() throws {
    let tree: JSONValue = [
      "text": "\"\\\u{0}\u{1F}\u{7F}\u{2028}é😀", "list": [1, .decimal(0.1), true, .null, [:], []],
    ]
    #expect(try value(tree.description) == tree)
  }

  @Test(arguments: [
    "", " ", "{", "[1,]", "{\"a\":1,}", "{a:1}", "{\"a\" 1}", "01", "1.", ".5", "-", "+1", "1e", "NaN", "tru",
    "nul",
    "\"a", "\"\\x\"", "\"\\u12\"", "\"\\u12g4\"", "\"\t\"", "1 2", "{}{}", "// c", "'a'", "\u{FEFF}{}",
    "[1 2]",
  ])
  func textsThatAreNotJSONAreRefused(_ text: String) {
    #expect(throws: JSONReader.Mistake.syntax) { try value(text) }
  }

  @Test func surrogatesComeInPairs() {
    for text in [#""\ud800""#, #""\udc00""#, #""\ud800\ud800""#, #""\ud800x""#] {
      #expect(throws: JSONReader.Mistake.encoding) { try value(text) }
    }
    #expect(throws: JSONReader.Mistake.encoding) { try JSONReader.value(of: [0x22, 0xC3, 0x28, 0x22]) }
  }

  @Test func membersMustDiffer() throws {
    #expect(throws: JSONReader.Mistake.duplicate) { try value(#"{"a":1,"b":2,"\u0061":3}"#) }
    // Two spellings of one letter are two names.
    #expect(try value("{\"\u{E9}\":1,\"e\u{301}\":2}")["e\u{301}"] != nil)
  }

  @Test func depthSizeAndNumbersHaveLimits() throws {
    let deep = { (count: Int) in String(repeating: "[", count: count) + String(repeating: "]", count: count) }
    _ = try value(deep(JSONReader.maxDepth))
    #expect(throws: JSONReader.Mistake.depth) { try value(deep(JSONReader.maxDepth + 1)) }
    let long = { (count: Int) in "[" + Array(repeating: "1", count: count).joined(separator: ",") + "]" }
    _ = try value(long(JSONReader.maxValues - 1))
    #expect(throws: JSONReader.Mistake.size) { try value(long(JSONReader.maxValues)) }
    for text in ["1e400", "9223372036854775808", "-1e999"] {
      #expect(throws: JSONReader.Mistake.range) { try value(text) }
    }
  }

  /// Any cut and any changed byte of a text is read or refused; nothing else happens.
  @Test func damagedTextsEndNothing() throws {
    let text = Array(
      #"{"jsonrpc":"2.0","id":1,"method":"send","params":{"to":"05","x":[1.5,"\u00e9\ud83d\ude00"]}}"#.utf8)
    for count in text.indices {
      #expect(throws: (any Error).self) { try JSONReader.value(of: Array(text[..<count])) }
    }
    var read = 0
    for index in text.indices {
      for byte in stride(from: UInt8(0), through: 255, by: 5) {
        var damaged = text
        damaged[index] = byte
        if (try? JSONReader.value(of: damaged)) != nil { read += 1 }
      }
    }
    #expect(read > 0)
  }
}
