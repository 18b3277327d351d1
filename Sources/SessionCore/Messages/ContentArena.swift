internal import CSessionCore

/// The memory of a content that is being written: all of it is wiped and given back with the arena.
///
/// Pointers into it must not outlive it.
final class ContentArena {
  private var blocks: [UnsafeMutableRawBufferPointer] = []

  deinit {
    for block in blocks {
      sc_wipe(block.baseAddress, block.count)
      block.deallocate()
    }
  }

  /// A message structure that protobuf-c's own function has prepared.
  func make<Fields>(
    _ prepare: (UnsafeMutablePointer<Fields>) -> Void
  ) -> UnsafeMutablePointer<Fields> {
    let fields = take(Fields.self, count: 1)
    prepare(fields)
    return fields
  }

  /// A C string, without the characters U+0000 that none can hold.
  func text(_ text: String) -> UnsafeMutablePointer<CChar> {
    let bytes = text.utf8.lazy.filter { $0 != 0 }
    let copy = take(CChar.self, count: text.utf8.count + 1)
    var count = 0
    for byte in bytes {
      copy[count] = CChar(bitPattern: byte)
      count += 1
    }
    copy[count] = 0
    return copy
  }

  func text(_ text: String?) -> UnsafeMutablePointer<CChar>? {
    text.map { self.text($0) }
  }

  func data(_ bytes: some Collection<UInt8>) -> ProtobufCBinaryData {
    let copy = take(UInt8.self, count: bytes.count)
    _ = UnsafeMutableBufferPointer(start: copy, count: bytes.count).update(fromContentsOf: bytes)
    return ProtobufCBinaryData(len: bytes.count, data: copy)
  }

  func data(_ secret: SecretBytes) -> ProtobufCBinaryData {
    secret.withCore { data($0.content) }
  }

  /// An array, nil where there is nothing in it.
  func list<Element: BitwiseCopyable>(_ elements: [Element]) -> UnsafeMutablePointer<Element>? {
    guard !elements.isEmpty else { return nil }
    let copy = take(Element.self, count: elements.count)
    copy.initialize(from: elements, count: elements.count)
    return copy
  }

  /// The same for strings and messages, which protobuf-c reaches through pointers.
  func list<Element>(
    _ elements: [UnsafeMutablePointer<Element>]
  ) -> UnsafeMutablePointer<UnsafeMutablePointer<Element>?>? {
    list(elements.map(Optional.some))
  }

  private func take<Value>(_ type: Value.Type, count: Int) -> UnsafeMutablePointer<Value> {
    let block = UnsafeMutableRawBufferPointer.allocate(
      byteCount: max(1, MemoryLayout<Value>.stride * count), alignment: MemoryLayout<Value>.alignment)
    block.initializeMemory(as: UInt8.self, repeating: 0)
    blocks.append(block)
    guard let start = block.bindMemory(to: Value.self).baseAddress else {
      preconditionFailure("memory without an address")
    }
    return start
  }
}
