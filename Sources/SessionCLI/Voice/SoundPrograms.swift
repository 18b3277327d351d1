import Glibc

/// The programs that convert, record and play sound. None is part of this program: a decoder of strangers' files in it
/// would be a risk for keys and messages.
struct SoundPrograms: Sendable {
  /// What a program is for, with those that are tried without a setting.
  enum Purpose: String, CaseIterable, Sendable {
    case convert = "audio_converter"
    case record = "audio_recorder"
    case play = "audio_player"

    fileprivate var usual: [String] {
      switch self {
      case .convert:
        [
          "ffmpeg -nostdin -v error -i INPUT -vn -map_metadata -1 -ac 1 -ar 44100 -c:a aac -b:a 64k -f mp4 OUTPUT"
        ]
      case .record:
        [
          "pw-record --rate 44100 --channels 1 --format s16 OUTPUT",
          "parecord --file-format=wav --rate=44100 --channels=1 --format=s16le OUTPUT",
          "arecord -q -t wav -f S16_LE -r 44100 -c 1 OUTPUT",
        ]
      case .play:
        // A recording of a stranger may pose as a list of addresses: it opens nothing but itself.
        [
          "mpv --no-config --no-ytdl --load-scripts=no --access-references=no --demuxer=lavf "
            + "--demuxer-lavf-o=protocol_whitelist=pipe --really-quiet --no-video -",
          "ffplay -nodisp -autoexit -loglevel error -protocol_whitelist file,pipe /dev/stdin",
        ]
      }
    }

    fileprivate var failure: CommandFailure {
      let (what, packages) =
        switch self {
        case .convert: ("the file has to be converted, and ffmpeg is not installed", "ffmpeg")
        case .record:
          ("no program that records sound is installed", "pipewire-bin, pulseaudio-utils or alsa-utils")
        case .play: ("no program that plays sound is installed", "mpv or ffmpeg")
        }
      return CommandFailure(
        status: .unavailable, message: what,
        advice: "Install the package \(packages), or run: session config set \(rawValue) PROGRAM")
    }
  }

  let settings: UserSettings
  let environment: [String: String]

  init(_ io: CommandIO) { (settings, environment) = (io.settings, io.environment) }

  /// The words of the program, with these files in the places of INPUT and OUTPUT. Throws if it is not installed.
  func words(_ purpose: Purpose, input: String = "", output: String = "") throws(CommandFailure) -> [String] {
    for line in settings.soundPrograms[purpose].map({ [$0] }) ?? purpose.usual {
      let words = line.split(separator: " ").map(String.init)
      guard let name = words.first, let path = path(of: name) else { continue }
      return [path]
        + words.dropFirst().map { word in
          switch word {
          case "INPUT": input
          case "OUTPUT": output
          default: word
          }
        }
    }
    if let chosen = settings.soundPrograms[purpose] {
      throw CommandFailure(
        status: .unavailable, message: "the program of \(purpose.rawValue) is not installed: \(chosen)",
        advice: "run: session config set \(purpose.rawValue) PROGRAM")
    }
    throw purpose.failure
  }

  /// The path of a program that can be run; nil if there is none of the name.
  func path(of program: String) -> String? {
    guard !program.contains("/") else {
      return program.hasPrefix("/") && access(program, X_OK) == 0 ? program : nil
    }
    return (environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":")
      .map { "\($0)/\(program)" }.first { $0.hasPrefix("/") && access($0, X_OK) == 0 }
  }
}
