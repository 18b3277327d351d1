import SessionServers

extension FileServerStatus {
  var table: CommandOutput {
    CommandOutput(fields: [
      ("key", .text(key)), ("url", .text(url)), ("address", .text(address)), ("files", .text("\(files)")),
      ("size", .text("\(bytes / 1_048_576) of \(maxBytes / 1_048_576) MiB")),
      ("requests", .text("\(requests)")), ("memory", .text("\(memory / 1_048_576) MiB")),
      ("uptime", .text("\(uptimeSeconds) s")),
    ])
  }

  var json: JSONObject {
    [
      "key": .string(key), "url": .string(url), "address": .string(address),
      "files": .integer(UInt64(files)), "bytes": .integer(UInt64(bytes)),
      "max_bytes": .integer(UInt64(maxBytes)), "requests": .integer(requests),
      "memory": .integer(UInt64(memory)), "uptime_seconds": .integer(UInt64(uptimeSeconds)),
    ]
  }
}
