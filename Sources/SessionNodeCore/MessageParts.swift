internal import CSessionCore
import SessionCore

/// The format of messages between nodes: a few byte strings in sequence.
public enum MessageParts {
  /// Packs at most eight parts.
  public static func pack(_ parts: [[UInt8]]) -> [UInt8] {
    do throws(SessionError) {
      return try CoreArena.lend { (loan) throws(SessionError) in
        let lent = loan.list(parts.map(loan.bytes))
        return try Core.bytes { sc_storage_parts_write($0, lent, parts.count) }
      }
    } catch {
      preconditionFailure("parts of our own cannot be packed: \(error)")
    }
  }

  /// Unpacks the parts; nil for an invalid list.
  public static func unpack(_ bytes: [UInt8]) -> [[UInt8]]? {
    bytes.withUnsafeBufferPointer { bytes in
      var parts = [sc_bytes](repeating: sc_bytes(), count: Int(SC_STORAGE_MAX_PARTS))
      var count = 0
      guard sc_storage_parts_parse(&parts, &count, sc_bytes(bytes)) == SC_OK else { return nil }
      return parts[..<count].map { Array($0.content) }
    }
  }

  /// Packs an answer: a code from 100 to 599, and a body.
  public static func answer(_ code: Int, _ body: [UInt8]) -> [UInt8] {
    do throws(SessionError) {
      return try Core.bytes(of: body) { out, body in
        var answer = sc_storage_answer(code: Int32(clamping: code), body: body)
        return sc_storage_peer_answer_write(out, &answer)
      }
    } catch {
      preconditionFailure("an answer of our own cannot be packed: \(error)")
    }
  }

  /// Unpacks an answer; nil if invalid.
  public static func readAnswer(_ bytes: [UInt8]) -> (code: Int, body: [UInt8])? {
    bytes.withUnsafeBufferPointer { bytes in
      var answer = sc_storage_answer()
      guard sc_storage_peer_answer_parse(&answer, sc_bytes(bytes)) == SC_OK else { return nil }
      return (Int(answer.code), Array(answer.body.content))
    }
  }
}
