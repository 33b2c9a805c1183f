import MessageFormat

/// Documents that are one text, anywhere in which may stand what they run. More is read of them than of other files.
struct DocumentText {
    private enum Form {
        case rich, markup, portable

        init?(_ head: [UInt8]) {
            let text = TextBytes(head)
            if text.starts(with: "{\\rt") {
                self = .rich
            } else if text.starts(with: "<") {
                self = .markup
            } else if Array(head.prefix(1024)).lastPlace(of: Array("%PDF-".utf8)) != nil {
                self = .portable
            } else {
                return nil
            }
        }

        /// What is in a document that runs something: all words of one of these.
        var marks: [[String]] {
            switch self {
            // Objects of other programs.
            case .rich: [["\\obj"]]
            // Macros, their callers, and templates with macros.
            case .markup:
                ["event-listener", "source-code", "vnd.sun.star.script"].map { ["opendocument", $0] }
                    + ["vbaProject", "docSuppData", "attachedTemplate"].map { ["microsoft.com/office", $0] }
            case .portable: [["/JavaScript"], ["/Launch"]]
            }
        }
    }

    static func isOne(_ head: [UInt8]) -> Bool { Form(head) != nil }

    static func runsSomething(_ sample: FileSample) -> Bool {
        guard let form = Form(sample.head) else { return false }
        let text: [UInt8] =
            switch form {
            case .rich, .markup: TextBytes(sample.head).all
            case .portable: portable(sample.head + sample.tail)
            }
        return form.marks.contains { $0.allSatisfy { text.lastPlace(of: Array($0.utf8)) != nil } }
    }

    private static func portable(_ file: [UInt8]) -> [UInt8] {
        unescaped((file + ObjectStreams.unpacked(file))[...], escape: UInt8(ascii: "#"))
    }
}
