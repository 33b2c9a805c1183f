import Foundation
import MailKernelAPI
import TestSupport

/// Replies as the page gets them: the whole program with a small model, asked over HTTP (FR-COMP-03).
enum RepliesBenchmark {
    private static let letters = [
        "Hi, are you free for lunch on Thursday? Tell me if half past twelve suits you.",
        "Hello, could you send me the report by Friday? I need the figures for the meeting. Thank you.",
        "Hallo, können wir unser Treffen von Montag auf Mittwoch verschieben? Passt dir 14 Uhr?",
        "Guten Tag, anbei unser Angebot für die neuen Fenster. Haben Sie noch Fragen dazu?",
        "Salut, nous faisons un dîner samedi soir à la maison. Est-ce que tu veux venir ?",
        "Bonjour, pouvez-vous me transmettre le fichier avant demain ? Merci pour votre aide.",
        "Hola, ¿podemos mover la reunión del martes al jueves a las cinco? Tengo una cita con el médico.",
        "Gracias por la ayuda con la mudanza, ha sido muy amable. ¿Quieres venir a cenar el sábado?",
        "Buongiorno, le mando i documenti per il contratto. Può controllarli e rimandarmeli entro venerdì?",
        "Ciao, il mio treno arriva alle sei. Puoi venire a prendermi alla stazione?",
    ]

    static func run(_ report: inout Report) async throws {
        guard try await BenchModel.reader() != nil else {
            return report.leaveOut("intelligence.replies", SmallModels.missing)
        }
        let installed = try Installed(
            plugins: [Checkout.root.appending(path: "Plugins")],
            program: Checkout.root.appending(path: ".build/release/mailkernel"))
        try FileManager.default.createDirectory(
            at: installed.data.appending(path: "plugins"), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        try FileManager.default.copyItem(
            at: Checkout.root.appending(path: ".build/bench-models"),
            to: installed.data.appending(path: "plugins/org.mailkernel.models"))
        try await bringIn(installed)

        let program = try installed.start("--tls-port", "none")
        defer { program.signal(SIGTERM) }
        guard await program.line(containing: "/start?code="),
            let link = program.outputSoFar.firstMatch(of: /Open (http:\S+)/)
        else { throw BenchError(description: "The program does not say where its page is.") }
        let page = try HTTPConnection(startLink: String(link.1))
        let (account, ids) = try mail(page)
        var samples = Samples()
        for (round, id) in (ids + ids).enumerated() {
            let taken = try await milliseconds { try ask(page, account, id) }
            // The first of all loads the model, the first of each language reads the bank.
            if round == 0 { report.add(figure("intelligence.replies-first", "the first", taken)) }
            samples.add(taken)
        }
        report.add(figure("intelligence.replies", "p95 of", samples.p95))
        program.signal(SIGTERM)
        _ = await program.result()
    }

    private static func figure(_ name: String, _ which: String, _ value: Double) -> Figure {
        Figure(
            name, "\(which) three replies chosen with MiniLM, over HTTP", value / 1000, "s", against: "5 s", 5
        )
    }

    private static func bringIn(_ installed: Installed) async throws {
        let folder = installed.place.url.appending(path: "mail")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (number, letter) in letters.enumerated() {
            let lines = [
                "Message-ID: <\(number)@replies.example>", "Date: Mon, 02 Mar 2026 08:0\(number):00 +0000",
                "From: Robin <robin@replies.example>", "To: me@replies.example", "Subject: Letter",
                "MIME-Version: 1.0", "Content-Type: text/plain; charset=utf-8", "", letter, "",
            ]
            try Data(lines.joined(separator: "\n").utf8).write(to: folder.appending(path: "\(number).eml"))
        }
        let result = try await installed.run("import", folder.path)
        guard result.status == 0 else { throw BenchError(description: result.output + result.errors) }
    }

    private static func mail(_ page: HTTPConnection) throws -> (account: String, ids: [String]) {
        let accounts = try answer(page, "SyncStatus/get", "\"accountId\":\"program\"")
        guard let account = accounts["list"]?.arrayValue?.first?["id"]?.stringValue else {
            throw BenchError(description: "The program has no account: \(accounts)")
        }
        let found = try answer(page, "Email/query", "\"accountId\":\"\(account)\",\"limit\":50")
        let ids = found["ids"]?.arrayValue?.compactMap(\.stringValue) ?? []
        guard ids.count == letters.count else { throw BenchError(description: "Mail is missing: \(found)") }
        return (account, ids)
    }

    /// Until they are there: on a machine that is slow beyond measure they come after the reader's patience.
    private static func ask(_ page: HTTPConnection, _ account: String, _ id: String) throws {
        for _ in 0..<20 {
            let found = try answer(
                page, "Suggestion/get", "\"accountId\":\"\(account)\",\"emailId\":\"\(id)\"")
            if found["replies"]?.arrayValue?.count == 3 { return }
        }
        throw BenchError(description: "There are no replies to \(id).")
    }

    private static func answer(
        _ page: HTTPConnection, _ method: String, _ arguments: String
    ) throws -> JSONValue {
        let data = try page.call("[\"\(method)\",{\(arguments)},\"0\"]")
        let answer = try JSONDecoder().decode(JSONValue.self, from: data)
        let call = answer["methodResponses"]?.arrayValue?.first?.arrayValue ?? []
        guard call.count > 1 else { throw BenchError(description: "The program says: \(answer)") }
        return call[1]
    }
}
