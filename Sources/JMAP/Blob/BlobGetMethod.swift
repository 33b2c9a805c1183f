import Digest
import FoundationEssentials
import MailKernelAPI

/// `Blob/get` (RFC 9404, section 4.2).
enum BlobGetMethod {
    /// What is asked for of each blob.
    private struct Wanted {
        var properties: Set<String>
        var digests: [String]
        var offset: Int
        var length: Int?

        /// `data` is the text if there is one, and Base64 otherwise.
        var wantsData: Bool { properties.contains { $0 == "data" || $0.hasPrefix("data:") } }
        var wantsText: Bool { properties.contains("data") || properties.contains("data:asText") }
        var wantsBytes: Bool { wantsData || !digests.isEmpty }

        init(_ arguments: inout Arguments) throws(MethodError) {
            properties = Set(try arguments.names("properties") ?? ["data", "size"])
            offset = try arguments.unsignedInt("offset") ?? 0
            length = try arguments.unsignedInt("length")
            digests = properties.filter { $0.hasPrefix("digest:") }.map { String($0.dropFirst(7)) }.sorted()
            let known =
                ["id", "data", "data:asText", "data:asBase64", "size"]
                + NamedDigest.names.map { "digest:" + $0 }
            if let unknown = properties.sorted().first(where: { !known.contains($0) }) {
                throw .invalidArguments(
                    "properties", "contains the unknown property “\(ExactName.restored(unknown).prefix(60))”")
            }
        }
    }

    @Sendable static func get(
        _ context: inout RequestContext, _ arguments: inout Arguments
    ) async throws(MethodError) -> [String: JSONValue] {
        let account = try await context.account(&arguments)
        let ids = try arguments.required(try arguments.ids("ids"), "ids")
        let wanted = try Wanted(&arguments)
        try arguments.finish()
        let limit = context.limits.maxObjectsInGet
        guard ids.count <= limit else { throw .tooManyObjects(limit) }
        var budget = context.budget
        var list: [JSONValue] = []
        var notFound: [JSONValue] = []
        for name in ids {
            let id = context.resolved(name)
            let object: [String: JSONValue]? =
                if let id { try await object(id, wanted, in: account, context, &budget) } else { nil }
            if let object {
                list.append(.object(object))
            } else {
                notFound.append(.string(ExactName.restored(name)))
            }
        }
        return [
            "accountId": .string(account.id.rawValue), "list": .array(list), "notFound": .array(notFound),
        ]
    }

    /// Nil if there is no such blob.
    private static func object(
        _ id: String, _ wanted: Wanted, in account: Account, _ context: RequestContext,
        _ budget: inout AnswerBudget
    ) async throws(MethodError) -> [String: JSONValue]? {
        guard let content = try await BlobMethods.content(Id(id), in: account, context) else { return nil }
        let size = content.bytes.size
        let start = min(wanted.offset, size)
        let end = wanted.length.map { $0 < size - start ? start + $0 : size } ?? size
        var object: [String: JSONValue] = ["id": .string(id)]
        if wanted.properties.contains("size") { object["size"] = .number(Double(size)) }
        if wanted.offset > size || wanted.length ?? 0 > size - start { object["isTruncated"] = true }
        guard wanted.wantsBytes else {
            try budget.take(object)
            return object
        }
        // Before they are read.
        if wanted.wantsData { try budget.take(bytes: end - start) }
        let bytes = content.bytes
        let read = try await BlobMethods.reading {
            try await Self.read(start..<end, of: bytes, digests: wanted.digests, keeps: wanted.wantsData)
        }
        guard let read else { return nil }
        for (name, digest) in read.digests { object["digest:" + name] = .string(digest) }
        addData(read.data, wanted, to: &object)
        return object
    }

    private static func addData(_ data: Data, _ wanted: Wanted, to object: inout [String: JSONValue]) {
        guard wanted.wantsData else { return }
        let text = wanted.wantsText ? Self.text(data) : nil
        if wanted.wantsText, text == nil { object["isEncodingProblem"] = true }
        if wanted.properties.contains("data:asText") || text != nil {
            object["data:asText"] = text.map { .string($0) } ?? .null
        }
        if wanted.properties.contains("data:asBase64") || wanted.properties.contains("data") && text == nil {
            object["data:asBase64"] = .string(data.base64EncodedString())
        }
    }

    /// Nil if they are not UTF-8, or have characters that JSON may not have here (RFC 7493, section 2.1).
    private static func text(_ data: Data) -> String? {
        guard let text = String(validating: data, as: UTF8.self), !ExactName.hasNoncharacter(text) else {
            return nil
        }
        return text
    }

    private static func read(
        _ range: Range<Int>, of bytes: any ByteSource, digests names: [String], keeps: Bool
    ) async throws -> (data: Data, digests: [(String, String)]) {
        var data = Data()
        var digests: [(name: String, digest: NamedDigest)] = []
        for name in names { if let digest = NamedDigest(name) { digests.append((name, digest)) } }
        var offset = range.lowerBound
        while offset < range.upperBound {
            let piece = try await bytes.read(at: offset, count: min(1 << 20, range.upperBound - offset))
            guard !piece.isEmpty else { throw MethodError("serverFail", "The blob is incomplete.") }
            if keeps { data.append(piece) }
            for (_, digest) in digests { digest.add(piece) }
            offset += piece.count
        }
        var finished: [(String, String)] = []
        for (name, digest) in digests {
            guard let value = digest.finish() else {
                throw MethodError("serverFail", "This system cannot compute “\(name)”.")
            }
            finished.append((name, value.base64EncodedString()))
        }
        return (data, finished)
    }
}
