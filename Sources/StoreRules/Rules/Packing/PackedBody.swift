public import FoundationEssentials
public import MailKernelAPI

/// The body of an email as bytes. The header fields are apart, so that a filter by them does not read
/// the texts.
public enum PackedBody {
    /// The header fields as bytes.
    public static func packHeaders(_ body: EmailBody) -> Data {
        var packer = Packer()
        put(body.headers, into: &packer)
        return packer.data
    }

    /// Everything but the header fields as bytes.
    public static func packContent(_ body: EmailBody) -> Data {
        var packer = Packer()
        put(body.structure, into: &packer)
        packer.put(all: body.values.sorted { $0.key < $1.key }) { packer, entry in
            packer.put(entry.key)
            packer.put(entry.value.value)
            packer.put(entry.value.isEncodingProblem)
            packer.put(entry.value.isTruncated)
        }
        return packer.data
    }

    private static func put(_ fields: [HeaderField], into packer: inout Packer) {
        packer.put(all: fields) { packer, field in
            packer.put(field.name)
            packer.put(field.value)
        }
    }

    private static func put(_ part: EmailBodyPart, into packer: inout Packer) {
        packer.put(part.partID)
        packer.put(part.blobID?.rawValue)
        packer.put(part.size)
        put(part.headers, into: &packer)
        packer.put(part.name)
        packer.put(part.type)
        packer.put(part.charset)
        packer.put(part.disposition)
        packer.put(part.cid)
        packer.put(all: part.language)
        packer.put(part.location)
        packer.put(all: part.subParts) { put($1, into: &$0) }
    }

    /// The header fields from their bytes.
    public static func headers(_ data: Data) -> [HeaderField] {
        data.withUnsafeBytes(headers)
    }

    /// The header fields from their bytes, without a copy of these.
    public static func headers(_ bytes: UnsafeRawBufferPointer) -> [HeaderField] {
        var packed = Unpacker(bytes)
        return fields(&packed)
    }

    /// The body from the bytes of its header fields and of the rest.
    public static func body(headers: UnsafeRawBufferPointer, content: UnsafeRawBufferPointer) -> EmailBody {
        var packed = Unpacker(content)
        let structure = part(&packed)
        let values = packed.all { packed in
            (
                packed.text(),
                EmailBodyValue(
                    packed.text(), isEncodingProblem: packed.flag(), isTruncated: packed.flag())
            )
        }
        return EmailBody(
            headers: Self.headers(headers), structure: structure,
            values: Dictionary(values) { _, last in last })
    }

    private static func fields(_ packed: inout Unpacker) -> [HeaderField] {
        packed.all { HeaderField(name: $0.text(), value: $0.text()) }
    }

    private static func part(_ packed: inout Unpacker) -> EmailBodyPart {
        EmailBodyPart(
            partID: packed.textOrNil(), blobID: packed.textOrNil().map { Id($0) }, size: packed.int(),
            headers: fields(&packed), name: packed.textOrNil(), type: packed.text(),
            charset: packed.textOrNil(), disposition: packed.textOrNil(), cid: packed.textOrNil(),
            language: packed.texts(), location: packed.textOrNil(), subParts: packed.all { part(&$0) })
    }
}
