extension Runner {
    func holdsForMessage(_ condition: Condition) throws(SieveError) -> Bool {
        switch condition {
        case .header(let header): return try matches(try values(of: header), header.keys)
        case .address(let address): return try matches(try values(of: address), address.keys)
        case .envelope(let names, let part, let keys):
            return try matches(try texts(names).flatMap { envelopeValues($0, part) }, keys)
        case .exists(let names, let choice):
            for name in try texts(names) {
                let isThere = sources(choice).contains { !facts.fields(name.lowered.text, of: $0).isEmpty }
                if !isThere { return false }
            }
            return true
        case .size(let isOver, let size):
            return isOver ? facts.message.size > size : facts.message.size < size
        case .body(let body): return try matches(try values(of: body), body.keys)
        case .date(let date): return try matches(try values(of: date), date.keys)
        case .currentDate(let part, let zone, let keys):
            var offset = host.offset(at: host.now)
            if let zone, let given = MailDate.minutes(ofZone: try text(zone)) { offset = given }
            let date = MailDate(time: host.now, offset: offset)
            return try matches(date.part(part).map { [$0.bytes] } ?? [], keys)
        default: return false
        }
    }

    /// The parts whose fields are looked at; nil is the message.
    private func sources(_ choice: PartChoice?) -> [SievePart?] {
        guard let choice else { return [nil] }
        let current = loopParts.last ?? facts.structure
        return choice.includesChildren ? facts.parts(of: current) : [current]
    }

    private func values(of header: HeaderCondition) throws(SieveError) -> [Bytes] {
        var values: [Bytes] = []
        for source in sources(header.part) {
            for name in try texts(header.names) {
                let field = name.lowered.text
                if case .whole = header.aspect {
                    let texts = try facts.texts(field, of: source)
                    values += header.index.map { $0.choose(texts) } ?? texts
                } else {
                    let fields = facts.fields(field, of: source)
                    for value in header.index.map({ $0.choose(fields) }) ?? fields {
                        values += try aspect(
                            header.aspect, of: ContentField(value), isType: field == "content-type")
                    }
                }
            }
        }
        return values
    }

    private func aspect(
        _ aspect: HeaderCondition.Aspect, of field: ContentField, isType: Bool
    ) throws(SieveError) -> [Bytes] {
        switch aspect {
        case .whole, .contentType: return [field.written.bytes]
        case .type: return [field.writtenType.bytes]
        case .subtype: return isType ? [field.writtenSubtype.bytes] : []
        case .parameters(let names):
            return try texts(names).compactMap { facts.parameter($0.text, of: field) }
        }
    }

    private func values(of address: AddressCondition) throws(SieveError) -> [Bytes] {
        var values: [Bytes] = []
        for source in sources(address.part) {
            for name in try texts(address.names) {
                let fields = facts.fields(name.lowered.text, of: source)
                for field in address.index.map({ $0.choose(fields) }) ?? fields {
                    try budget.spend(field.count)
                    let found = AddressParser.addresses(in: EncodedWords.unfolded(field))
                    values += Self.values(of: field, found, address.addressPart)
                }
            }
        }
        return values
    }

    /// A field without any whole address counts as its text, but that has no parts.
    private static func values(
        of field: Bytes, _ addresses: [MailAddress], _ part: AddressCondition.Part
    ) -> [Bytes] {
        let whole = addresses.filter { $0.domain != nil }
        guard whole.isEmpty else { return whole.compactMap { self.part(part, of: $0) } }
        let text = EncodedWords.unfolded(field)
        return part == .all || text.isEmpty ? [text] : []
    }

    private static func part(_ part: AddressCondition.Part, of address: MailAddress) -> Bytes? {
        switch part {
        case .all: address.whole
        case .localpart: address.local
        case .domain: address.domain
        case .user: address.user
        case .detail: address.detail
        }
    }

    private func envelopeValues(_ name: Bytes, _ part: AddressCondition.Part) -> [Bytes] {
        let envelope = host.envelope
        guard let path = name.lowered.text == "from" ? envelope.from : envelope.to else { return [] }
        // Whatever part of it is asked for (RFC 5228, section 5.4).
        if path.isEmpty || path == "<>" { return [[]] }
        guard let address = AddressParser.single(path.bytes) else { return part == .all ? [path.bytes] : [] }
        return Self.part(part, of: address).map { [$0] } ?? []
    }

    private func values(of body: BodyCondition) throws(SieveError) -> [Bytes] {
        var values: [Bytes] = []
        switch body.content {
        case .raw: return [facts.message.rawBody]
        case .text:
            for part in facts.allParts where part.parts.isEmpty {
                let type = facts.content("content-type", of: part)
                guard type.map({ $0.type == "text" || $0.value.isEmpty }) ?? true else { continue }
                values.append(try facts.text(of: part, type, isPlain: true))
            }
        case .types(let templates):
            let types = try texts(templates).map { $0.lowered.text }
            for part in facts.allParts where part.parts.isEmpty {
                let type = facts.content("content-type", of: part)
                let value = type.map(\.value) ?? "text/plain"
                guard types.contains(where: { Self.isType($0, value) }) else { continue }
                values.append(try facts.text(of: part, type, isPlain: false))
            }
        }
        return values
    }

    private static func isType(_ wanted: String, _ value: String) -> Bool {
        wanted.isEmpty || wanted == value || !wanted.contains("/") && value.hasPrefix(wanted + "/")
    }

    private func values(of date: DateCondition) throws(SieveError) -> [Bytes] {
        let fields = facts.fields(try text(date.header).lowered.text, of: nil)
        var values: [Bytes] = []
        // The first one, unless the script says which.
        for field in date.index.map({ $0.choose(fields) }) ?? Array(fields.prefix(1)) {
            guard var value = MailDate(header: field) else { continue }
            switch date.zone {
            case .original: break
            case .local: value.offset = host.offset(at: value.time)
            case .given(let zone): value.offset = MailDate.minutes(ofZone: try text(zone)) ?? value.offset
            }
            if let part = value.part(date.datePart) { values.append(part.bytes) }
        }
        return values
    }
}
