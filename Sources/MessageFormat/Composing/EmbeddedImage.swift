public import FoundationEssentials

/// An image that HTML holds itself, in a `data:` URL. Most programs show such images in no message.
public struct EmbeddedImage: Sendable, Hashable {
    public var type: String
    public var bytes: Data

    /// Nil if the URL is not one of such an image.
    public init?(dataURL: String) {
        guard let url = RemoteURL.imageData(dataURL), let comma = url.firstIndex(of: ",") else { return nil }
        let type = url[..<comma].dropFirst("data:".count).prefix { $0 != ";" }.lowercased()
        let base64 = String(url[comma...].dropFirst()).replacing(" ", with: "")
        guard let bytes = Data(base64Encoded: base64), !bytes.isEmpty else { return nil }
        self.type = type == "image/jpg" ? "image/jpeg" : type
        self.bytes = bytes
    }
}

extension ComposedHTML {
    /// The Content-IDs that cleaned HTML names: between the quotes of an attribute there is no other way to write one.
    public static func cids(in html: String) -> Set<String> {
        var cids: Set<String> = []
        let start = Array("\"cid:".utf8)
        var rest = Array(html.utf8)[...]
        while let quote = rest.firstIndex(of: start[0]) {
            rest = rest[quote...]
            guard rest.starts(with: start) else {
                rest = rest.dropFirst()
                continue
            }
            let name = rest.dropFirst(start.count).prefix { $0 != start[0] }
            cids.insert(String(decoding: name, as: UTF8.self))
            rest = rest[name.endIndex...]
        }
        return cids
    }

    /// Whether a Content-ID can stand in a URL, in a header field and between quotes as it is.
    public static func isPlain(cid: String) -> Bool {
        (1...200).contains(cid.utf8.count)
            && cid.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
                    || "._@+=$-".utf8.contains(byte)
            }
    }
}
