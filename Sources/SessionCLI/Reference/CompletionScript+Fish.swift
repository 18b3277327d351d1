extension CompletionScript {
  /// For `source`, or a folder of fish completions as a file named `session.fish`.
  var fish: String {
    """
    # What fish completes after 'session'; made by 'session completion fish'.
    # Prints the words that call a command, or begin to, and then the word behind them.
    function __session_called
      set -l called
      set -l words (commandline -opc)[2..]
      if test "$words[1]" = help
        set -e words[1]
      end
      for word in $words
        contains -- "$called $word" \(calls.map { Self.quoted(Self.key($0)) }.joined(separator: " \\\n      "))
        or break
        set called "$called $word"
        set -e words[1]
      end
      echo -- "$called"
      echo -- "$words[1]"
    end

    function __session_calls
      set -l words (commandline -opc)
      set -l called (__session_called)
      test "$words[2]" != help; and test "$called[1]" = "$argv[1]"
    end

    function __session_begins
      set -l called (__session_called)
      test "$called[1]" = "$argv[1]"; and test -z "$called[2]"
    end

    function __session_explains
      set -l words (commandline -opc)
      test (count $words) = 2; and test "$words[2]" = help
    end

    # Names that change come from the program.
    function __session_listed
      set -l words (commandline -opc)
      set -l account
      while set -q words[2]
        switch $words[1]
          case --account
            set account --account=$words[2]
          case '--account=*'
            set account $words[1]
        end
        set -e words[1]
      end
      if string match -q -- '--account=*' $words
        set account $words
      end
      session completion $argv[1] $account 2>/dev/null
    end

    complete -c session -f
    \(topics.map(fishTopic).joined(separator: "\n"))
    \((beginnings.flatMap(fishWords) + table.commands.flatMap(fishCommand)).joined(separator: "\n"))

    """
  }

  private func fishWords(after beginning: [String]) -> [String] {
    words(after: beginning).map { word, summary in
      line("__session_begins", beginning, "-a \(Self.quoted(word)) -d \(Self.quoted(summary))")
    }
  }

  private func fishTopic(_ topic: Topic) -> String {
    "complete -c session -n __session_explains -a \(Self.quoted(topic.name)) -d \(Self.quoted(topic.summary))"
  }

  private func fishCommand(_ command: Command) -> [String] {
    let help = Command.Option(name: "help", summary: "explain this command")
    let options = (command.options + [help]).map { option in
      let value = option.value.map { Self.value(Place($0)) } ?? ""
      return line(
        "__session_calls", command.words, "-l \(option.name)\(value) -d \(Self.quoted(option.summary))")
    }
    let arguments = command.arguments.compactMap { argument in
      Self.argument(Place(argument.name)).map { line("__session_calls", command.words, $0) }
    }
    return options + arguments
  }

  private func line(_ condition: String, _ words: [String], _ rest: String) -> String {
    "complete -c session -n \"\(condition) \(Self.quoted(Self.key(words)))\" \(rest)"
  }

  private static func argument(_ place: Place) -> String? {
    switch place {
    case .files: "-F"
    case .choices(let words): "-a \(quoted(words.joined(separator: " ")))"
    case .listed(let names): "-a \(quoted("(__session_listed \(names.rawValue))"))"
    case .commands, .anything: nil
    }
  }

  private static func value(_ place: Place) -> String {
    switch place {
    case .files: " -r -F"
    case .choices(let words): " -x -a \(quoted(words.joined(separator: " ")))"
    case .listed(let names): " -x -a \(quoted("(__session_listed \(names.rawValue))"))"
    case .commands, .anything: " -x"
    }
  }
}
