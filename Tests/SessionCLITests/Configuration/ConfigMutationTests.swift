import SessionBase
import Testing

@testable import SessionCLI

/// Settings files that are almost what they should be, and changes of those that are. `MUTATIONS` says how many are tried;
/// each has a seed of its own, which is shown when it fails.
@Suite struct ConfigMutationTests {
  private static let texts = [
    "account = \"alice\"\nnetwork = 'devnet' # here\n\n# remark\ntimes = \"local\"\n",
    "a = 1_000\r\nb=true\r\n  c = [\"x\", 'y',] # z\r\nd = \"\\u00e9\\n\\\\\"",
    "listen = \"127.0.0.1:1\"\nhosts = []\nyes = false\nnegative = -5",
    "",
  ]
  private static let names = ["account", "a", "b", "c", "times", "new_one"]

  private func values(_ text: String) throws(ConfigText.Mistake) -> [String: ConfigText.Value] {
    let entries = try ConfigText(parsing: text).entries
    return Dictionary(entries.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
  }

  private func value(_ random: inout SplitMix) -> ConfigText.Value {
    switch Int.random(in: 0..<4, using: &random) {
    case 0: return .integer(Int.random(in: .min ... .max, using: &random))
    case 1: return .boolean(Bool.random(using: &random))
    case 2: return .texts((0..<Int.random(in: 0...3, using: &random)).map { _ in random.text() })
    default: return .text(random.text())
    }
  }

  @Test func everyTextIsReadOrItsLineIsNamed() throws {
    var read = 0
    for seed in 0..<SplitMix.count {
      var random = SplitMix(seed)
      let text = random.mutated(random.one(of: Self.texts))
      let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).count
      do throws(ConfigText.Mistake) {
        let entries = try ConfigText(parsing: text).entries
        read += 1
        #expect(Set(entries.map(\.name)).count == entries.count, "seed \(seed)")
        #expect(entries.allSatisfy { (1...lines).contains($0.line) }, "seed \(seed)")
        // Values that were read can be written, and are read back unchanged.
        for entry in entries {
          let source = "\(entry.name) = \(ConfigText.source(of: entry.value))"
          #expect(try values(source) == [entry.name: entry.value], "seed \(seed)")
        }
      } catch {
        #expect((1...lines).contains(error.line) && !error.what.isEmpty, "seed \(seed)")
      }
    }
    #expect(read > SplitMix.count / 20 && read < SplitMix.count)
  }

  @Test func aChangeChangesOneSettingAlone() throws {
    for seed in 0..<SplitMix.count {
      var random = SplitMix(seed)
      let text = random.mutated(random.one(of: Self.texts))
      guard let before = try? values(text) else { continue }
      let name = random.one(of: Self.names)
      let value = random.happens(oneIn: 4) ? nil : value(&random)
      let changed = try ConfigText.setting(name, to: value, in: text)
      var expected = before
      expected[name] = value
      #expect(try values(changed) == expected, "seed \(seed)")
      // Done once more, it changes nothing.
      #expect(try ConfigText.setting(name, to: value, in: changed) == changed, "seed \(seed)")
    }
  }
}
