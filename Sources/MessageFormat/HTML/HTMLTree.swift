import CGumbo

/// HTML as a browser would understand it, read by an HTML5 parser.
///
/// It is walked without recursion, so that its depth does not matter.
struct HTMLTree: ~Copyable {
    private let tree: UnsafeMutablePointer<cgumbo_tree>
    /// Gumbo points into it.
    private let source: UnsafeMutableBufferPointer<CChar>

    /// A page has some 20 times the size of its text; dense ones are small.
    private static func mostBytes(_ count: Int) -> Int { count * 64 + 64_000_000 }

    /// - Parameter html: of a longer one, `HTMLBeginning` is read.
    init?(_ html: String, limit: Int = 10_000_000) {
        self.init(HTMLBeginning(of: html, limit: limit))
    }

    /// Nil if the page would need implausible amounts of memory or time.
    init?(_ beginning: HTMLBeginning) {
        var text = beginning.text
        if let cut = AttributeLimit.cut(text) { text = cut }
        if let flattened = NestingGuard.flattened(text) { text = flattened }
        let copy = UnsafeMutableBufferPointer<CChar>.allocate(capacity: max(text.utf8.count, 1))
        text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { _ = copy.update(fromContentsOf: $0) }
        }
        guard let parsed = cgumbo_parse(copy.baseAddress, text.utf8.count, Self.mostBytes(text.utf8.count))
        else {
            copy.deallocate()
            return nil
        }
        (tree, source) = (parsed, copy)
    }

    /// What the tree takes.
    var byteCount: Int { tree.pointee.bytes }

    deinit {
        cgumbo_free(tree)
        source.deallocate()
    }

    borrowing func walk(_ visitor: inout some HTMLVisitor) {
        guard let root = cgumbo_root(tree) else { return }
        var open: [(node: UnsafePointer<GumboNode>, next: UInt32, name: String)] = []
        if visitor.enter(HTMLElement(root)) { open.append((root, 0, HTMLElement.name(of: root))) }
        while let (node, next, name) = open.last {
            guard let child = cgumbo_child(node, next) else {
                open.removeLast()
                visitor.leave(name)
                continue
            }
            open[open.count - 1].next += 1
            if let text = cgumbo_text(child) {
                visitor.text(String(cString: text))
            } else if child.pointee.type == GUMBO_NODE_ELEMENT, visitor.enter(HTMLElement(child)) {
                open.append((child, 0, HTMLElement.name(of: child)))
            }
        }
    }
}

/// Looks at a tree in the order of the document. Templates and comments are not shown to it.
protocol HTMLVisitor {
    /// - Returns: whether to look inside; if so, `leave` follows when all in it was seen.
    mutating func enter(_ element: HTMLElement) -> Bool
    mutating func leave(_ name: String)
    mutating func text(_ text: String)
}

struct HTMLElement {
    /// In lower case; empty for an element that HTML does not know, SVG and MathML included.
    var name: String
    var attributes: [Attribute]
    /// SVG or MathML.
    var isForeign: Bool
    /// Whether it is an `a`, foreign ones included.
    var isLink: Bool

    struct Attribute {
        /// In lower case.
        var name: String
        /// Character references decoded.
        var value: String
    }

    subscript(_ name: String) -> String? {
        attributes.first { $0.name == name }?.value
    }

    init(name: String, attributes: [Attribute]) {
        self.name = name
        self.attributes = attributes
        isForeign = false
        isLink = name == "a"
    }

    fileprivate init(_ node: UnsafePointer<GumboNode>) {
        name = Self.name(of: node)
        isForeign = !cgumbo_is_html(node)
        isLink = String(cString: cgumbo_name(node)) == "a"
        let count = cgumbo_attribute_count(node)
        attributes = []
        attributes.reserveCapacity(Int(count))
        for index in 0..<count {
            guard let attribute = cgumbo_attribute(node, index) else { continue }
            attributes.append(
                Attribute(
                    name: String(cString: attribute.pointee.name).lowercased(),
                    value: String(cString: attribute.pointee.value)))
        }
    }

    fileprivate static func name(of node: UnsafePointer<GumboNode>) -> String {
        cgumbo_is_html(node) ? String(cString: cgumbo_name(node)) : ""
    }
}
