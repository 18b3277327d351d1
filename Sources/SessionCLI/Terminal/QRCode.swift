import CQREncode
import SessionCore

/// A text as a picture that cameras read, drawn with characters of half a line.
struct QRCode {
  private let modules: [[Bool]]

  /// Light modules around the code, which readers need.
  private static let margin = 2

  init(_ text: String) throws {
    try self.init(QRcode_encodeString(text, 0, QR_ECLEVEL_L, QR_MODE_8, 1))
  }

  /// Bytes, with more redundancy.
  init(_ bytes: [UInt8]) throws {
    try self.init(QRcode_encodeData(Int32(bytes.count), bytes, 0, QR_ECLEVEL_M))
  }

  private init(_ code: UnsafeMutablePointer<QRcode>?) throws {
    guard let code else { throw CommandFailure.data("this is too long for a QR code") }
    defer { QRcode_free(code) }
    let width = Int(code.pointee.width)
    // The lowest bit of a module tells whether it is dark.
    let dark = UnsafeBufferPointer(start: code.pointee.data, count: width * width).map { $0 & 1 == 1 }
    let empty = [Bool](repeating: false, count: width + 2 * Self.margin)
    let side = [Bool](repeating: false, count: Self.margin)
    let rows = (0..<width).map { side + dark[($0 * width)..<(($0 + 1) * width)] + side }
    let border = Array(repeating: empty, count: Self.margin)
    modules = border + rows + border
  }

  /// Light is drawn, and dark is the background: as on most terminals.
  var text: String {
    stride(from: 0, to: modules.count, by: 2).map { row in
      let lower =
        row + 1 < modules.count ? modules[row + 1] : [Bool](repeating: true, count: modules[row].count)
      return zip(modules[row], lower).map(Self.character).joined() + "\n"
    }.joined()
  }

  private static func character(_ upper: Bool, _ lower: Bool) -> String {
    switch (upper, lower) {
    case (false, false): "█"
    case (false, true): "▀"
    case (true, false): "▄"
    case (true, true): " "
    }
  }
}
