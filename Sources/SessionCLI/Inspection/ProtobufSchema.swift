/// The names of a message's fields.
struct ProtobufSchema: Sendable {
  struct Field: Sendable {
    let name: String
    let type: FieldType
  }

  indirect enum FieldType: Sendable {
    case number
    /// A moment, in milliseconds.
    case time
    /// A moment, in seconds.
    case seconds
    case flag
    case names([UInt64: String])
    /// Several of them, in a record each or all in one.
    case numbers
    case times
    case fixed64
    case text
    case bytes
    /// Bytes that open something; they are not shown.
    case secret
    case message(ProtobufSchema)
  }

  let name: String
  private let fields: [UInt64: Field]

  init(_ name: String, _ fields: [UInt64: (String, FieldType)]) {
    self.name = name
    self.fields = fields.mapValues { Field(name: $0.0, type: $0.1) }
  }

  subscript(number: UInt64) -> Field? { fields[number] }

  /// Every field with its number.
  var all: [(number: UInt64, field: Field)] { fields.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }
}
