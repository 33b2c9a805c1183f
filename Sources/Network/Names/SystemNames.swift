import CSockets
import Dispatch

/// Looks up names through the system's resolver, each question to a server in the list of connections.
struct SystemNames: NameLookup {
    /// An answer of more than this is no answer about mail.
    private static let answerBytes = 16 * 1024
    private static let recordLimit = 50
    /// The second is asked if the first does not answer.
    private static let serverLimit = 2
    /// For each of two tries.
    private static let seconds: CInt = 2
    private static let queue = DispatchQueue(label: "names", attributes: .concurrent)

    let user: String
    let ledger: ConnectionLedger
    /// Instead of the system's.
    let servers: [NameServer]?

    private enum Server {
        case given(NameServer)
        case system(String, index: Int)

        var place: (host: String, port: Int) {
            switch self {
            case .given(let server): (server.address, server.port)
            case .system(let address, _): (address, 53)
            }
        }
    }

    func records(_ name: String, _ kind: NameRecordKind, purpose: String) async -> [NameRecord]? {
        guard Self.isName(name) else { return nil }
        let all = servers.map { $0.map(Server.given) } ?? Self.systemServers
        for server in all.prefix(Self.serverLimit) where !Task.isCancelled {
            if let answer = await answer(of: server, name, kind, purpose) { return Self.read(answer, kind) }
        }
        return nil
    }

    /// The answer as it came, empty if there is no such record; nil if none came.
    private func answer(
        of server: Server, _ name: String, _ kind: NameRecordKind, _ purpose: String
    ) async -> [UInt8]? {
        let (host, port) = server.place
        guard
            let ticket = try? ledger.begin(
                plugin: user, host: host, port: port, purpose: "\(purpose) (\(kind.rawValue) \(name))",
                proxy: nil)
        else { return nil }
        let answer = await withCheckedContinuation { waiter in
            Self.queue.async { waiter.resume(returning: Self.ask(server, name, kind)) }
        }
        ledger.end(
            ticket, received: answer?.count ?? 0, sent: name.utf8.count + 18, requests: 1, more: [],
            problem: answer == nil ? "the name server did not answer" : nil)
        return answer
    }

    private static func ask(_ server: Server, _ name: String, _ kind: NameRecordKind) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: answerBytes)
        let count =
            switch server {
            case .given(let given):
                csockets_ask(
                    given.address, CInt(given.port), 0, name, kind.number, seconds, &bytes, CInt(answerBytes))
            case .system(_, let index):
                csockets_ask(nil, 53, CInt(index), name, kind.number, seconds, &bytes, CInt(answerBytes))
            }
        return count < 0 ? nil : Array(bytes.prefix(Int(count)))
    }

    private static func read(_ answer: [UInt8], _ kind: NameRecordKind) -> [NameRecord] {
        var records: [NameRecord] = []
        var record = csockets_record()
        for index in 0..<recordLimit where !answer.isEmpty {
            let state = csockets_record(answer, CInt(answer.count), CInt(index), &record)
            if state < 0 { break }
            guard state == 1, record.type == kind.number else { continue }
            let text = withUnsafeBytes(of: &record.text) {
                String(decoding: $0.prefix(Int(record.length)), as: UTF8.self)
            }
            records.append(
                NameRecord(
                    kind, kind == .txt ? text : HostRules.plain(text), priority: Int(record.priority),
                    weight: Int(record.weight), port: Int(record.port)))
        }
        return records.sorted { ($0.priority, -$0.weight) < ($1.priority, -$1.weight) }
    }

    private static var systemServers: [Server] {
        (0..<serverLimit).compactMap { index in
            var text = [CChar](repeating: 0, count: 64)
            guard csockets_name_server(CInt(index), &text, CInt(text.count)) == 0 else { return nil }
            return text.withUnsafeBufferPointer { text in
                text.baseAddress.map { .system(String(cString: $0), index: index) }
            }
        }
    }

    private static func isName(_ name: String) -> Bool {
        name.utf8.count <= 253 && !name.isEmpty
            && name.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte) || byte == 0x2D || byte == 0x2E
                    || byte == 0x5F
            }
    }
}
