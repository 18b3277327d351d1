internal import CSessionCore

// Reading what protobuf-c left in its structures; the core has taken care that texts have no U+0000 in them.

extension UnsafeMutablePointer<CChar>? {
  /// The text, nil where the field is absent.
  func text() throws(SessionError) -> String? {
    guard let self else { return nil }
    guard let text = String(validatingCString: self) else { throw SessionError(.textEncoding) }
    return text
  }

  /// The text of a field that protobuf requires; empty where an optional one is absent.
  func requiredText() throws(SessionError) -> String {
    try text() ?? ""
  }
}

extension ProtobufCBinaryData {
  /// The bytes, as long as the structure around them.
  var content: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: data, count: len) }

  var bytes: [UInt8] { Array(content) }

  /// A copy in guarded memory; nil where there is nothing to guard.
  func secret() throws(SessionError) -> SecretBytes? {
    len == 0 ? nil : try SecretBytes(copying: content)
  }
}

/// The elements of a repeated message or text field.
func elements<Element>(
  _ list: UnsafeMutablePointer<UnsafeMutablePointer<Element>?>?, count: Int
) -> [UnsafeMutablePointer<Element>] {
  UnsafeBufferPointer(start: list, count: count).compactMap(\.self)
}

/// The texts of a repeated field.
func texts(
  _ list: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, count: Int
) throws(SessionError) -> [String] {
  var texts: [String] = []
  for element in elements(list, count: count) { texts.append(try Optional(element).requiredText()) }
  return texts
}
