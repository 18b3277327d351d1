import SessionBase

extension JSONValue {
  /// The elements of an array; nil for anything else.
  var elements: [JSONValue]? { if case .array(let elements) = self { elements } else { nil } }
}
