import FoundationEssentials

/// Small files that real programs open, made byte by byte.
enum DemoFiles {
    /// A picture: a gradient between two colors with a lighter disc in it.
    static func png(width: Int, height: Int, _ random: inout DemoRandom) -> Data {
        let from = (0..<3).map { _ in random.number(20...200) }
        let to = (0..<3).map { _ in random.number(60...250) }
        let (x0, y0) = (random.number(0...width), random.number(0...height))
        let radius = max(4, height / 4)
        var rows = Data()
        for y in 0..<height {
            rows.append(0)
            for x in 0..<width {
                let isInside = (x - x0) * (x - x0) + (y - y0) * (y - y0) < radius * radius
                for channel in 0..<3 {
                    let value = from[channel] + (to[channel] - from[channel]) * (x + y) / (width + height)
                    rows.append(UInt8(isInside ? (value + 255) / 2 : value))
                }
            }
        }
        var png = Data([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10])
        chunk("IHDR", bigEndian(width) + bigEndian(height) + Data([8, 2, 0, 0, 0]), &png)
        chunk("IDAT", zlib(rows), &png)
        chunk("IEND", Data(), &png)
        return png
    }

    private static func chunk(_ name: String, _ content: Data, _ png: inout Data) {
        let body = Data(name.utf8) + content
        png += bigEndian(content.count) + body + bigEndian(Int(crc32(body)))
    }

    /// In blocks that are not compressed: the pictures are small.
    private static func zlib(_ bytes: Data) -> Data {
        var stream = Data([0x78, 0x01])
        var rest = bytes[...]
        repeat {
            let block = rest.prefix(65_535)
            rest = rest.dropFirst(block.count)
            let size = UInt16(block.count)
            stream.append(rest.isEmpty ? 1 : 0)
            for value in [size, ~size] { stream.append(contentsOf: [UInt8(value & 255), UInt8(value >> 8)]) }
            stream += block
        } while !rest.isEmpty
        var (one, other) = (UInt32(1), UInt32(0))
        for byte in bytes {
            one = (one + UInt32(byte)) % 65_521
            other = (other + one) % 65_521
        }
        return stream + bigEndian(Int(other << 16 | one))
    }

    /// A page with some lines of text.
    static func pdf(title: String, lines: [String]) -> Data {
        func escaped(_ text: String) -> String {
            String(
                text.unicodeScalars.map {
                    $0.isASCII && !"()\\".unicodeScalars.contains($0) ? Character($0) : "?"
                })
        }
        var content = "BT /F1 20 Tf 60 780 Td (\(escaped(title))) Tj /F1 11 Tf 0 -34 Td 16 TL\n"
        for line in lines { content += "(\(escaped(line))) Tj T*\n" }
        content += "ET"
        let objects = [
            "<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources "
                + "<< /Font << /F1 5 0 R >> >> >>",
            "<< /Length \(content.utf8.count) >>\nstream\n\(content)\nendstream",
            "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        ]
        var pdf = "%PDF-1.4\n"
        var offsets: [Int] = []
        for (index, object) in objects.enumerated() {
            offsets.append(pdf.utf8.count)
            pdf += "\(index + 1) 0 obj\n\(object)\nendobj\n"
        }
        let start = pdf.utf8.count
        pdf += "xref\n0 \(objects.count + 1)\n0000000000 65535 f \n"
        for offset in offsets { pdf += String(String(offset + 10_000_000_000).dropFirst()) + " 00000 n \n" }
        pdf += "trailer\n<< /Size \(objects.count + 1) /Root 1 0 R >>\nstartxref\n\(start)\n%%EOF\n"
        return Data(pdf.utf8)
    }

    /// An archive of files that are not compressed.
    static func zip(_ files: [(name: String, bytes: Data)]) -> Data {
        var archive = Data()
        var directory = Data()
        for (name, bytes) in files {
            let common =
                little(20, 2) + little(0, 2) + little(0, 2) + little(0, 2) + little(0x5a21, 2)
                + little(Int(crc32(bytes)), 4) + little(bytes.count, 4) + little(bytes.count, 4)
                + little(name.utf8.count, 2) + little(0, 2)
            directory +=
                little(0x0201_4b50, 4) + little(20, 2) + common + little(0, 2) + little(0, 2) + little(0, 2)
                + little(0, 4) + little(archive.count, 4) + Data(name.utf8)
            archive += little(0x0403_4b50, 4) + common + Data(name.utf8) + bytes
        }
        let end =
            little(0x0605_4b50, 4) + little(0, 4) + little(files.count, 2) + little(files.count, 2)
            + little(directory.count, 4) + little(archive.count, 4) + little(0, 2)
        return archive + directory + end
    }

    private static func little(_ value: Int, _ count: Int) -> Data {
        Data((0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) })
    }

    private static func bigEndian(_ value: Int) -> Data {
        Data([24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) })
    }

    private static let crcTable: [UInt32] = (0..<256).map { start in
        (0..<8).reduce(UInt32(start)) { value, _ in value & 1 == 1 ? 0xedb8_8320 ^ (value >> 1) : value >> 1 }
    }

    private static func crc32(_ bytes: Data) -> UInt32 {
        ~bytes.reduce(~UInt32(0)) { crcTable[Int(($0 ^ UInt32($1)) & 255)] ^ ($0 >> 8) }
    }
}
