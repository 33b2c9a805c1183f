/// The look of a message for its recipients, as inline styles: Gmail removes style sheets, and Outlook knows only simple
/// properties, in pixels.
enum OutgoingLook {
    private static let font = "font-family:Arial,Helvetica,sans-serif;font-size:14px;line-height:1.5"
    private static let fixedFont = "font-family:Consolas,Menlo,'DejaVu Sans Mono',monospace;font-size:13px"

    /// Of the whole message.
    static let text = font

    static let quote = "margin:0 0 14px 0;border-left:2px solid #cccccc;padding:0 0 0 12px"

    /// Of what the user wrote.
    static let elements: [String: String] = [
        "p": "margin:0 0 14px 0",
        "h1": "margin:0 0 14px 0;font-size:24px;line-height:1.3",
        "h2": "margin:0 0 14px 0;font-size:20px;line-height:1.3",
        "h3": "margin:0 0 14px 0;font-size:16px;line-height:1.3",
        "ul": "margin:0 0 14px 0;padding:0 0 0 28px",
        "ol": "margin:0 0 14px 0;padding:0 0 0 28px",
        "blockquote": "margin:0 0 14px 0;padding:0 0 0 28px",
        "pre": "margin:0 0 14px 0;padding:8px;background-color:#f4f4f4;white-space:pre-wrap;\(fixedFont)",
        "code": fixedFont,
        "hr": "margin:14px 0;border:0;border-top:1px solid #cccccc",
        // Outlook gives tables a font of their own.
        "table": "margin:0 0 14px 0;border-collapse:collapse;\(font)",
        "td": "border:1px solid #cccccc;padding:4px 8px;vertical-align:top",
        "th": "border:1px solid #cccccc;padding:4px 8px;vertical-align:top;text-align:left",
        "img": "max-width:100%",
    ]
}
