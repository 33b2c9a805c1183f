/// Scripts of every feature, made by dice from a table.
enum ScriptMaker {
    static let count = 360
    /// Scripts of this many kinds ask about the envelope, which a mailbox does not have.
    static let kinds = 18

    private static let head = """
        require ["fileinto", "envelope", "imap4flags", "variables", "relational", "date", "index", "body", "regex",
            "mime", "foreverypart", "extracttext", "copy", "mailbox", "vacation", "vacation-seconds", "reject", "enotify",
            "duplicate", "subaddress", "encoded-character", "ihave", "environment", "comparator-i;ascii-numeric"];

        """
    private static let names = [
        "subject", "from", "to", "cc", "x-count", "list-id", "x-spam-score", "received", "date", "X-Nothing",
    ]
    private static let fields = ["from", "to", "cc", "sender"]
    private static let keys = [
        "invoice", "*invoice*", "re:*", "*[*]*", "?n", "*", "", "Grüße", "*ü*e", "news.lists.example",
        "*\\\\**", "a*b",
        "bob@example.net", "*@example.*", "example.org", "ada", "x.y", "100", "007", "urgent!!!", "e", "5.2",
        "Grüße aus Köln", "folded subject line", "spaces around", "*a*a*b", "\\\\?", "[list] news invoice",
        "bills", "b",
    ]
    private static let patterns = [
        "^re: (.*)$", "inv(oi)?ce", "[0-9]{2,4}", "(a|ab)(c|bcd)*", "^\\\\[([[:alpha:]]+)\\\\]", "x+y?|e",
        "([^@<]+)@([a-z.]+)",
        "a{3,}b", "\\\\.", "(in)(voice)?", "^$", "[A-Z]+-[0-9]+", "(.*)@(.*)",
    ]

    static func usesEnvelope(_ number: Int) -> Bool { number % kinds == 2 }

    static func made(_ number: Int) -> String {
        var dice = Dice(number + 77)
        var script = head
        for place in 0..<dice.number(1...3) {
            script += rule(number % kinds, place, &dice) + "\n"
        }
        return script
    }

    private static func quoted(_ texts: [String]) -> String {
        texts.count == 1 ? "\"\(texts[0])\"" : "[" + texts.map { "\"\($0)\"" }.joined(separator: ", ") + "]"
    }

    private static func some(_ values: [String], _ dice: inout Dice) -> String {
        quoted((0..<dice.number(1...2)).map { _ in dice.pick(values) })
    }

    private static func match(_ dice: inout Dice) -> String {
        dice.pick([
            ":is", ":contains", ":matches", "", ":comparator \"i;octet\" :contains",
            ":comparator \"i;octet\" :is",
        ])
    }

    private static func test(_ kind: Int, _ dice: inout Dice) -> String {
        switch kind {
        case 0: return "header \(match(&dice)) \(some(names, &dice)) \(some(keys, &dice))"
        case 1:
            let part = dice.pick([":all", ":localpart", ":domain", ":user", ":detail", ""])
            return "address \(part) \(match(&dice)) \(some(fields, &dice)) \(some(keys, &dice))"
        case 2:
            let part = dice.pick([":all", ":localpart", ":domain", ":user", ":detail", ""])
            return "envelope \(part) \(match(&dice)) \(some(["from", "to"], &dice)) \(some(keys, &dice))"
        case 3:
            let relation = dice.pick(["gt", "ge", "lt", "le", "eq", "ne"])
            let comparator = dice.pick(["", ":comparator \"i;ascii-numeric\"", ":comparator \"i;octet\""])
            let kind = dice.pick([":value", ":count"])
            let numeric = kind == ":count" ? ":comparator \"i;ascii-numeric\"" : comparator
            return
                "header \(kind) \"\(relation)\" \(numeric) \(some(names, &dice)) \"\(dice.pick(["0", "1", "2", "5", "10", "abc"]))\""
        case 4: return "header :regex \(some(names, &dice)) \(some(patterns, &dice))"
        case 5:
            return "size \(dice.pick([":over", ":under"])) \(dice.pick(["300", "500", "1K", "2K", "10K"]))"
        case 6: return "exists \(some(names, &dice))"
        case 7:
            let content = dice.pick([
                ":text", ":raw", ":content \"text\"", ":content \"text/html\"", ":content \"\"",
                ":content \"application\"",
            ])
            let key = dice.pick([
                "please pay", "secret", "payment", "Grüße", "<b>", "hidden", "invoice", "secret content",
                "viagra",
            ])
            return
                "body \(content) \(dice.pick([":contains", ":contains", ":matches"])) \"\(dice.chance(30) ? "*\(key)*" : key)\""
        case 8:
            let zone = dice.pick(["", ":originalzone", ":zone \"+0100\"", ":zone \"-0730\""])
            let part = dice.pick([
                "year", "month", "day", "date", "julian", "hour", "minute", "second", "time", "iso8601",
                "std11", "zone", "weekday",
            ])
            return
                "date \(zone) :matches \"\(dice.pick(["date", "received"]))\" \"\(part)\" \"\(dice.pick(["*0*", "*1*", "2026*", "05", "*:00*", "+0000", "*5"]))\""
        case 9:
            let index = ":index \(dice.number(1...3))\(dice.chance(40) ? " :last" : "")"
            return dice.chance(50)
                ? "header \(index) \(match(&dice)) \"x-count\" \(some(["1", "2", "5", "*1*"], &dice))"
                : "address \(index) :domain \"to\" \(some(["example.org", "example.net", "d.example"], &dice))"
        case 10:
            let aspect = dice.pick([
                ":type", ":subtype", ":contenttype", ":param \"filename\"", ":param \"name\"",
                ":param \"charset\"",
            ])
            let field = aspect.contains("filename") ? "Content-Disposition" : "Content-Type"
            let child = dice.chance(60) ? ":anychild" : ""
            return
                "header :mime \(child) \(aspect) \(match(&dice)) \"\(field)\" \(some(["text", "multipart", "pdf", "plain", "text/html", "*.pdf", "application/pdf", "a.pdf", "utf-8"], &dice))"
        default: return "string \(match(&dice)) \"${v}\" \(some(keys, &dice))"
        }
    }

    private static func any(_ dice: inout Dice) -> String { test(dice.pick([0, 1, 3, 5, 6, 7]), &dice) }

    private static func rule(_ kind: Int, _ place: Int, _ dice: inout Dice) -> String {
        let box = "Box \(place)"
        switch kind {
        case 0...10:
            let inner = test(kind, &dice)
            return
                "if \(dice.chance(20) ? "not " : "")\(inner) { fileinto \(dice.chance(30) ? ":copy " : "")\"\(box)\"; }"
        case 11:
            let modifier = dice.pick([
                "", ":lower", ":upper", ":upperfirst :lower", ":length", ":quotewildcard", ":lowerfirst",
            ])
            return
                "if \(match: "header", &dice) { set \(modifier) \"v\" \"${1}-${2}\"; } if \(test(11, &dice)) { fileinto \"\(box)\"; } else { fileinto \"v ${v}\"; }"
        case 12:
            return
                "if \(any(&dice)) { \(dice.pick(["addflag", "setflag", "removeflag"])) \(some(["\\\\Seen", "\\\\Flagged $a", "work", "\\\\seen b"], &dice)); } if hasflag :contains \"s\" { fileinto \"\(box)\"; } \(dice.chance(50) ? "keep;" : "")"
        case 13:
            let joined = dice.pick(["allof", "anyof"])
            return
                "if \(joined) (\(any(&dice)), not \(any(&dice)), \(any(&dice))) { \(dice.pick(["stop;", "discard;", "keep;"])) } elsif \(any(&dice)) { fileinto \"\(box)\"; } else { addflag \"e\"; }"
        case 14:
            return
                "foreverypart { if header :mime :subtype \"Content-Type\" \(some(["pdf", "plain", "html"], &dice)) { extracttext :first \(dice.number(1...20)) \"t\"; set \"s\" \"${s}+\"; \(dice.chance(40) ? "break;" : "") } } fileinto \"\(box) ${s}\";"
        case 15:
            let action = dice.pick([
                "vacation :days 3 :subject \"Away\" \"Back soon.\";", "vacation :seconds 600 \"Back.\";",
                "redirect \"carol@example.com\";",
                "redirect :copy \"dave@example.com\";", "reject \"No, thanks.\";", "discard;",
                "notify :importance \"1\" :message \"mail\" \"mailto:carol@example.com\";",
            ])
            return "if \(any(&dice)) { \(action) }"
        case 16:
            return
                "if string \"${hex: 24}${unicode: 41}\" \"\(dice.pick(["$A", "A"]))\" { fileinto :create :flags \"x\" \"\(box)\"; } if ihave \"\(dice.pick(["vnd.none", "body"]))\" { keep; } if environment :is \"location\" \"MDA\" { addflag \"mda\"; }"
        default:
            return
                "if header :regex \"\(dice.pick(names))\" \"\(dice.pick(patterns))\" { fileinto \"r ${0}/${1}/${2}\"; }"
        }
    }
}

extension DefaultStringInterpolation {
    /// A header test whose pattern has wildcards.
    fileprivate mutating func appendInterpolation(match name: String, _ dice: inout Dice) {
        let pattern = dice.pick(["*", "*:*", "?*", "*invoice*", "* *", "*@*", "*<*>*", "*ü*"])
        appendLiteral(
            "\(name) :matches \"\(dice.pick(["subject", "from", "to", "list-id"]))\" \"\(pattern)\"")
    }
}
