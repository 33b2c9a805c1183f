/// What styles say about an element, as far as it decides whether its text is seen: the last value of each property.
typealias LookValues = [String: String]

/// How the text of an element looks, of which elements within it take over what they do not say themselves.
struct TextLook: Hashable {
    private var size = 16.0
    private var color = StyleColor.black
    /// Nil where an image may be behind the text.
    private var background: StyleColor? = .white
    /// Whether it is pressed together, moved away, or in a color that is not read.
    private var isLost = false
    private var lineHeight: Double?

    private static let smallestText = 4.0
    private static let smallestBox = 4.0
    /// Nothing that is moved further is looked for.
    private static let farthest = 2000.0

    var isHidden: Bool {
        if isLost || size < Self.smallestText || color.alpha < 0.1 { return true }
        guard let background else { return false }
        return color.over(background).isNear(background)
    }

    // MARK: Reading

    /// Of an element that is within one with this look.
    func within(_ values: LookValues) -> TextLook {
        var look = self
        for name in ["font", "font-size"] {
            if let value = values[name] { look.size = Self.size(value, of: size) ?? look.size }
        }
        if let value = values["color"] { look.setColor(value, inherited: color) }
        for name in ["background", "background-color", "background-image"] {
            if let value = values[name] { look.setBackground(value, isImage: name != "background-color") }
        }
        if let value = values["letter-spacing"] {
            look.isLost = look.isLost || (StyleLength.pixels(value, of: look.size) ?? 0) < -2
        }
        if let value = values["line-height"] { look.lineHeight = StyleLength.pixels(value, of: look.size) }
        look.isLost =
            look.isLost
            || Self.moving.contains { name in
                values[name].map { Self.isFar($0) } ?? false
            }
        return look
    }

    /// Whether an element shows nothing that is in it.
    func hidesBox(_ values: LookValues) -> Bool {
        if let display = values["display"], display == "none" || display.hasPrefix("table-column") {
            return true
        }
        if let value = values["visibility"], value == "hidden" || value == "collapse" { return true }
        if let value = values["opacity"], let amount = StyleLength.pixels(value, of: 1), amount < 0.1 {
            return true
        }
        if let value = values["max-height"], isSmall(value, 0.5) { return true }
        let isClipped = ["hidden", "clip", "scroll", "auto"].contains { word in
            values["overflow"]?.containsBytes(of: word) ?? false
        }
        guard isClipped else { return false }
        if let lineHeight, lineHeight < Self.smallestBox, lineHeight != 1 { return true }
        return ["height", "max-height", "width", "max-width"].contains { name in
            values[name].map { isSmall($0, Self.smallestBox) } ?? false
        }
    }

    private func isSmall(_ value: String, _ limit: Double) -> Bool {
        StyleLength.pixels(value, of: value.hasSuffix("%") ? 600 : size).map { $0 < limit } ?? false
    }

    private static func isFar(_ value: String) -> Bool {
        value.split(separator: " ").contains { (StyleLength.pixels($0, of: 1000) ?? 0) >= farthest }
    }

    /// Of `font-size`, or of `font`, which has it before a `/` or the name.
    private static func size(_ value: String, of base: Double) -> Double? {
        let words = value.split { $0 == " " || $0 == "/" }
        if value.contains("(") { return StyleLength.pixels(value, of: base) }
        let lengths = words.filter { !weights.contains($0) }.compactMap { StyleLength.pixels($0, of: base) }
        if let first = lengths.first { return first }
        return words.contains("inherit") || words.contains("smaller") || words.contains("larger") ? base : 13
    }

    private static let weights: Set<Substring> = [
        "100", "200", "300", "400", "500", "600", "700", "800", "900",
    ]

    private mutating func setColor(_ value: String, inherited: StyleColor) {
        if ["inherit", "currentcolor", "unset"].contains(value) {
            color = inherited
        } else if let read = StyleColor(value) {
            color = read
        } else if ["initial", "revert", "-webkit-link", "linktext"].contains(value) {
            color = .black
        } else if value.contains("(") {
            isLost = true
        }
    }

    private mutating func setBackground(_ value: String, isImage: Bool) {
        if isImage, value.containsBytes(of: "url(") {
            background = nil
            return
        }
        guard let read = StyleColor(value) ?? Self.firstColor(value) else { return }
        background = background.map { read.over($0) } ?? (read.alpha > 0.9 ? read : nil)
    }

    /// Of a gradient: text in the only color of one is not seen.
    private static func firstColor(_ value: String) -> StyleColor? {
        var rest = Substring(value)
        while let start = rest.firstIndex(where: { !" ,(".contains($0) }) {
            rest = rest[start...]
            let isFunction = rest.hasPrefix("rgb")
            let end = rest.firstIndex { isFunction ? $0 == ")" : " ,()".contains($0) } ?? rest.endIndex
            if let color = StyleColor(rest[..<end]), color.alpha > 0 { return color }
            rest = rest[end...].dropFirst()
        }
        return nil
    }

    // MARK: Properties

    private static let moving: [String] = [
        "text-indent", "margin", "margin-left", "margin-top", "padding", "padding-left", "padding-top",
    ]

    static let properties = Set(
        [
            "font", "font-size", "color", "background", "background-color", "background-image",
            "letter-spacing", "line-height", "display", "visibility", "opacity", "overflow", "height",
            "max-height", "width", "max-width",
        ] + moving)

    /// Whether a declaration alone can hide something, or does together with others.
    static func mayHide(_ name: String, _ value: String) -> Bool {
        let look = TextLook()
        switch name {
        case "color", "background", "background-color", "background-image": return true
        case "overflow": return value != "visible"
        case "height", "width", "max-width": return look.hidesBox([name: value, "overflow": "hidden"])
        case "line-height": return (StyleLength.pixels(value) ?? 16) < smallestBox
        case "font", "font-size":
            // Within small text it may be smaller.
            return (size(value, of: 16) ?? 16) < 8
        default: return look.hidesBox([name: value]) || look.within([name: value]).isHidden
        }
    }
}
