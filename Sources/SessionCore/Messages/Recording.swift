internal import CSessionCore

/// What the container of a recording says; nothing is decoded.
public struct Recording: Hashable, Sendable {
  public enum Format: Hashable, Sendable {
    /// An MP4 file with sound and no pictures.
    case mp4
    /// AAC without a container.
    case adts
    case mp3
    case ogg
    case wav
    case flac
  }

  public let format: Format
  /// Nil if the file does not tell.
  public let milliseconds: Int64?

  /// Examines a whole file; nil if it is no recording of a known format.
  public init?(_ file: some Collection<UInt8>) {
    var read = sc_audio()
    // It cannot fail, but lending can.
    guard (try? file.lend { (file) throws(SessionError) in sc_audio_inspect(&read, file) }) != nil,
      let format = Self.format(read.format)
    else { return nil }
    self.format = format
    milliseconds = read.has_length ? Int64(clamping: read.milliseconds) : nil
  }

  private static func format(_ format: sc_audio_format) -> Format? {
    switch format {
    case SC_AUDIO_MP4: .mp4
    case SC_AUDIO_ADTS: .adts
    case SC_AUDIO_MP3: .mp3
    case SC_AUDIO_OGG: .ogg
    case SC_AUDIO_WAV: .wav
    case SC_AUDIO_FLAC: .flac
    default: nil
    }
  }
}
