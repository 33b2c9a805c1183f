import CGMime
import FoundationEssentials
import MailKernelAPI

/// Parameters as a service hands them on: continued and encoded ones (RFC 2231) still in pieces.
struct ParameterReader {
    var fileName: String?
    var charset: String?

    init(type: String, _ remote: RemoteBodyPart) {
        let written = Self.name(ofType: Self.written(type, remote.parameters))
        charset = written.charset
        fileName =
            Self.fileName(ofDisposition: Self.written("attachment", remote.dispositionParameters))
            ?? written.name
    }

    /// The file name, if it is written in a way that GMime does not read well: in encoded words as many programs do,
    /// in an old charset, or in bytes of any charset.
    static func encodedName(in headers: [HeaderField]) -> String? {
        for (field, parameter) in [("Content-Disposition", "filename"), ("Content-Type", "name")] {
            guard let raw = headers.last(where: { $0.name.isSameField(as: field) })?.value else { continue }
            let isEncoded =
                raw.containsBytes(of: "=?") || raw.utf8.contains { $0 == UInt8(ascii: "*") || $0 >= 0x80 }
            let value = EncodedWordReader.joined(HeaderForm.unfolded(raw))
            let name =
                parameter == "name" ? name(ofType: value).name : fileName(ofDisposition: value)
            if let name { return isEncoded ? name : nil }
        }
        return nil
    }

    private static func fileName(ofDisposition value: String) -> String? {
        if let name = ExtendedParameter.value(of: "filename", in: value) { return name }
        guard let disposition = g_mime_content_disposition_parse(nil, value) else { return nil }
        defer { g_object_unref(disposition) }
        return GMime.text(g_mime_content_disposition_get_parameter(disposition, "filename"))
            .flatMap { HeaderForm.clean($0).nonEmpty }
    }

    private static func name(ofType value: String) -> (name: String?, charset: String?) {
        guard let type = g_mime_content_type_parse(nil, value) else { return (nil, nil) }
        defer { g_object_unref(type) }
        return (
            ExtendedParameter.value(of: "name", in: value)
                ?? GMime.text(g_mime_content_type_get_parameter(type, "name"))
                .flatMap { HeaderForm.clean($0).nonEmpty },
            GMime.text(g_mime_content_type_get_parameter(type, "charset"))?.nonEmpty
        )
    }

    static func written(_ value: String, _ parameters: [String: String]) -> String {
        var text = HeaderForm.clean(value)
        for (name, value) in parameters.sorted(by: { $0.key < $1.key }) {
            let value = EncodedWordReader.joined(HeaderForm.unfolded(value))
            let quoted = value.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : String($0) }.joined()
            text += "; \(HeaderForm.clean(name))=" + (name.hasSuffix("*") ? value : "\"\(quoted)\"")
        }
        return text
    }
}
