/// Charsets of old Macs that iconv does not know: ASCII, and 128 other letters.
enum MacCharsets {
    /// - Parameter name: as mail has it, without `x-`.
    static func letters(_ name: String) -> [Character]? {
        switch name {
        case "mac-greek", "macgreek": greek
        case "mac-turkish", "macturkish": turkish
        default: nil
        }
    }

    static func utf8(_ bytes: Span<UInt8>, _ name: String) -> [UInt8] {
        let letters = letters(name) ?? []
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count * 2)
        for index in bytes.indices {
            let byte = bytes[index]
            if byte < 0x80 {
                output.append(byte)
            } else if Int(byte) - 0x80 < letters.count {
                output += String(letters[Int(byte) - 0x80]).utf8
            }
        }
        return output
    }

    private static let greek = Array(
        "Ä¹²É³ÖÜ΅àâä΄¨çéèêë£™îï•½‰ôö¦€ùûü†ΓΔΘΛΞΠß®©ΣΪ§≠°·Α±≤≥¥ΒΕΖΗΙΚΜΦΫΨΩ"
            + "άΝ¬ΟΡ≈Τ«»…\u{A0}ΥΧΆΈœ–―“”‘’÷ΉΊΌΎέήίόΏύαβψδεφγηιξκλμνοπώρστθωςχυζ"
            + "ϊϋΐΰ\u{AD}")

    private static let turkish = Array(
        "ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü†°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø"
            + "¿¡¬√ƒ≈∆«»…\u{A0}ÀÃÕŒœ–—“”‘’÷◊ÿŸĞğİıŞş‡·‚„‰ÂÊÁËÈÍÎÏÌÓÔ\u{F8FF}ÒÚÛ"
            + "Ù\u{F8A0}ˆ˜¯˘˙˚¸˝˛ˇ")
}
