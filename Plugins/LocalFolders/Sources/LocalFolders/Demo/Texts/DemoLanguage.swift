/// A language of the demo's letters, and what people write in it.
struct DemoLanguage {
    let contacts: [DemoContact]
    let greetings: [String]
    let closings: [String]
    /// Before a quotation; `%` stands for who is quoted.
    let attribution: String
    let replyPrefix: String
    let dialogues: [DemoDialogue]

    init(
        contacts: [DemoContact], greetings: [String], closings: [String], attribution: String,
        replyPrefix: String = "Re: ", _ dialogues: String
    ) {
        self.contacts = contacts
        self.greetings = greetings
        self.closings = closings
        self.attribution = attribution
        self.replyPrefix = replyPrefix
        self.dialogues = DemoDialogue.read(dialogues)
    }

    static let all = [
        english, german, french, spanish, polish, ukrainian, russian, greek, arabic, hebrew, hindi, chinese,
        japanese, korean,
    ]
}

/// A conversation: a subject, and who write in turn.
struct DemoDialogue {
    let subject: String
    /// The paragraphs of each message.
    let messages: [[String]]

    /// All of it, as one text.
    var text: String { messages.flatMap { $0 }.joined(separator: "\r\n") }

    /// `# subject`, then a line for each message; ` | ` between its paragraphs, ` ¶ ` between the
    /// lines of one. What begins with two spaces goes on with the line before.
    static func read(_ text: String) -> [DemoDialogue] {
        var dialogues: [(subject: String, messages: [String])] = []
        for line in text.split(separator: "\n") {
            if line.hasPrefix("# ") {
                dialogues.append((String(line.dropFirst(2)), []))
            } else if let last = dialogues.indices.last {
                if line.hasPrefix("  "), let message = dialogues[last].messages.indices.last {
                    dialogues[last].messages[message] += " " + line.dropFirst(2)
                } else {
                    dialogues[last].messages.append(String(line))
                }
            }
        }
        return dialogues.map { subject, messages in
            DemoDialogue(
                subject: subject,
                messages: messages.map { message in
                    message.split(separator: "|").map { trimmed($0).replacing(" ¶ ", with: "\r\n") }
                })
        }
    }

    private static func trimmed(_ text: Substring) -> String {
        let start = text.drop { $0 == " " }
        return start.lastIndex { $0 != " " }.map { String(start[...$0]) } ?? ""
    }
}
