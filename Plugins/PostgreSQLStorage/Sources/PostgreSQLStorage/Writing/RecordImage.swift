import FoundationEssentials
import MailKernelAPI
import StoreRules

/// Identities, submissions and documents that a commit touches, as they were and as they become.
struct RecordImage {
    private struct Key: Hashable {
        var account: Int
        var type: DataType
        var id: String
    }

    private struct Value: Equatable {
        var queued: Double
        var record: Data
    }

    private let connection: Connection
    private var questions: [Key: Question] = [:]
    private var former: [Key: Value?] = [:]
    private var records: [Key: Value?] = [:]

    init(_ connection: Connection) {
        self.connection = connection
    }

    mutating func put(
        _ type: DataType, _ id: String, _ account: Int, _ value: some Encodable, queued: Date? = nil
    ) throws(StorageError) {
        let key = try load(type, id, account)
        records[key] = .some(
            Value(
                queued: queued?.timeIntervalSinceReferenceDate ?? 0, record: try JSONRecord.encode(value)))
    }

    /// Returns whether there was such a record.
    mutating func destroy(_ type: DataType, _ id: String, _ account: Int) throws(StorageError) -> Bool {
        let key = try load(type, id, account)
        let wasThere = (records[key] ?? nil) != nil
        records[key] = .some(nil)
        return wasThere
    }

    /// Asks for a record that will be looked for.
    mutating func ask(_ type: DataType, _ id: String, _ account: Int) throws(StorageError) {
        let key = Key(account: account, type: type, id: id)
        guard questions[key] == nil, former[key] == nil else { return }
        questions[key] = try question(key)
    }

    private func question(_ key: Key) throws(StorageError) -> Question {
        try connection.ask(
            "SELECT queued, record FROM record WHERE account = $1 AND type = $2 AND id = $3",
            [.integer(key.account), .string(key.type.rawValue), .string(key.id)])
    }

    private mutating func load(_ type: DataType, _ id: String, _ account: Int) throws(StorageError) -> Key {
        let key = Key(account: account, type: type, id: id)
        guard former[key] == nil else { return key }
        try ask(type, id, account)
        var value: Value?
        if let asked = questions.removeValue(forKey: key) {
            value = try connection.rows(asked) { Value(queued: $0.real(0), record: $0.data(1)) }.first
        }
        former[key] = .some(value)
        records[key] = .some(value)
        return key
    }

    /// Writes everything, and returns the differences by account.
    func finish() throws(StorageError) -> [Int: [RecordChange]] {
        var differences: [Int: [RecordChange]] = [:]
        for (key, value) in records.sorted(by: { $0.key.id < $1.key.id }) {
            let old = former[key] ?? nil
            guard old != value, let kind = RecordChange.Kind(wasThere: old != nil, isThere: value != nil)
            else {
                continue
            }
            try write(key, value)
            differences[key.account, default: []].append(RecordChange(type: key.type, id: key.id, kind: kind))
        }
        return differences
    }

    private func write(_ key: Key, _ value: Value?) throws(StorageError) {
        guard let value else {
            try connection.send(
                "DELETE FROM record WHERE account = $1 AND type = $2 AND id = $3", .integer(key.account),
                .string(key.type.rawValue), .string(key.id))
            return
        }
        try connection.send(
            """
            INSERT INTO record VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT (account, type, id) DO UPDATE SET queued = excluded.queued, record = excluded.record
            """, .integer(key.account), .string(key.type.rawValue), .string(key.id), .real(value.queued),
            .data(value.record))
    }
}
