import SessionCore

/// Names the fields of a protobuf message, and of the messages inside it.
struct ProtobufInspection {
  /// Replaces the value of a field by its parts, if known.
  typealias Insight = (_ field: String, _ bytes: [UInt8]) -> [Inspection]?

  private let bytes: [UInt8]
  private let insight: Insight
  private var room = Inspection.maxParts

  private init(_ bytes: [UInt8], insight: @escaping Insight) {
    self.bytes = bytes
    self.insight = insight
  }

  /// The fields; `insight` may look into those that hold bytes.
  static func fields(
    of bytes: [UInt8], _ schema: ProtobufSchema, insight: @escaping Insight = { _, _ in nil }
  ) -> [Inspection] {
    var inspection = ProtobufInspection(bytes, insight: insight)
    return inspection.fields(in: bytes.indices, schema)
  }

  private mutating func fields(in range: Range<Int>, _ schema: ProtobufSchema?) -> [Inspection] {
    var reader = ProtobufReader(bytes, in: range)
    var fields: [Inspection] = []
    do {
      while room > 0, let record = try reader.next() {
        room -= 1
        fields.append(field(record, schema?[record.number]))
      }
      if reader.at < range.upperBound {
        fields.append(Inspection("more than is shown", at: reader.at..<range.upperBound))
      }
    } catch {
      let rest = reader.at..<range.upperBound
      fields.append(
        Inspection(
          "no field", at: rest, value: "\(error.rawValue): \(ShownBytes.hex(bytes[rest]))", verdict: .bad))
    }
    return fields
  }

  private mutating func field(
    _ record: ProtobufReader.Record, _ field: ProtobufSchema.Field?
  ) -> Inspection {
    var shown = Inspection(field?.name ?? "unknown field", at: record.place, number: record.number)
    switch (record.value, field?.type) {
    case (.varint(let number), .names(let names)?):
      shown.value = "\(number) \(names[number] ?? "unknown")"
    case (.varint(let number), .flag?):
      shown.value = number == 0 ? "false" : "true"
    case (.varint(let number), .time?), (.varint(let number), .times?):
      shown.value = ShownTime.milliseconds(number)
    case (.varint(let number), .seconds?):
      shown.value = ShownTime.seconds(number)
    case (.varint(let number), .number?), (.varint(let number), .numbers?), (.varint(let number), nil),
      (.fixed64(let number), .fixed64?),
      (.fixed64(let number), nil):
      shown.value = String(number)
    case (.fixed32(let number), nil):
      shown.value = String(number)
    case (.body(let body), let type?):
      show(body, as: type, in: &shown)
    case (.body(let body), nil):
      shown.value = ShownBytes.textOrHex(bytes[body])
    default:
      showAsMistyped(&shown)
    }
    return shown
  }

  private mutating func show(
    _ body: Range<Int>, as type: ProtobufSchema.FieldType, in shown: inout Inspection
  ) {
    switch type {
    case .text:
      shown.value = ShownBytes.text(bytes[body])
      if String(validating: bytes[body], as: UTF8.self) == nil { shown.verdict = .bad }
    case .secret:
      shown.value = "\(body.count) secret bytes"
    case .message(let schema):
      shown.value = schema.name
      shown.parts = fields(in: body, schema)
    case .bytes:
      if let parts = insight(shown.name, Array(bytes[body])) {
        shown.parts = parts
      } else {
        shown.value = ShownBytes.hex(bytes[body])
      }
    case .numbers, .times:
      shown.value = "packed: \(ShownBytes.hex(bytes[body]))"
    case .number, .time, .seconds, .flag, .names, .fixed64:
      showAsMistyped(&shown)
    }
  }

  private func showAsMistyped(_ shown: inout Inspection) {
    shown.value = "of another type than the field has; readers take it as absent"
    shown.verdict = .bad
  }
}
