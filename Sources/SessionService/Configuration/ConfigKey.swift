package import SessionBase

/// A setting that a configuration file may have: the reader and the help derive from this.
package struct ConfigKey: Sendable {
  package enum Kind: Sendable {
    case text
    case integer(ClosedRange<Int>)
    case boolean
    case texts
    /// One of these texts.
    case choice([String])
  }

  package let name: String
  package let kind: Kind
  /// Its purpose, without a full stop.
  package let summary: String
  package let isRequired: Bool

  package init(name: String, kind: Kind, summary: String, isRequired: Bool = false) {
    (self.name, self.kind, self.summary, self.isRequired) = (name, kind, summary, isRequired)
  }
}

extension ConfigKey.Kind {
  package var words: String {
    switch self {
    case .text: "text in quotation marks"
    case .integer(let range): "a number, \(range.lowerBound) to \(range.upperBound)"
    case .boolean: "true or false"
    case .texts: "texts, as in [\"a\", \"b\"]"
    case .choice(let words): "one of " + words.map { "\"\($0)\"" }.joined(separator: ", ")
    }
  }

  package func allows(_ value: ConfigText.Value) -> Bool {
    switch (self, value) {
    case (.text, .text), (.boolean, .boolean), (.texts, .texts): true
    case (.choice(let words), .text(let text)): words.contains(text)
    case (.integer(let range), .integer(let number)): range.contains(number)
    default: false
    }
  }
}
