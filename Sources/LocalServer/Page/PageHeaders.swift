/// The headers that keep a browser from doing with our answers what we do not mean.
enum PageHeaders {
    /// On every answer. What an answer says itself comes first.
    static let all: [(name: String, value: String)] = [
        ("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; sandbox"),
        ("X-Content-Type-Options", "nosniff"),
        ("X-Frame-Options", "DENY"),
        ("Referrer-Policy", "no-referrer"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Cross-Origin-Embedder-Policy", "require-corp"),
        ("Origin-Agent-Cluster", "?1"),
        (
            "Permissions-Policy",
            "accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), hid=(), "
                + "magnetometer=(), microphone=(), midi=(), payment=(), publickey-credentials-get=(), "
                + "serial=(), usb=(), xr-spatial-tracking=()"
        ),
        ("X-DNS-Prefetch-Control", "off"),
    ]

    /// The page runs its own scripts and talks to its own origin, and nothing else. A frame may show what the
    /// page has made in memory, which is how it previews a PDF; such a frame has this policy too.
    static let page =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; font-src 'self'; "
        + "connect-src 'self'; manifest-src 'self'; worker-src 'self'; frame-src 'self' blob:; media-src 'self' blob:; "
        + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"

    /// The service worker of the installed app fetches from its own origin, and nothing else.
    static let serviceWorker = "default-src 'none'; connect-src 'self'; frame-ancestors 'none'"

    /// A document that the page shows mail in: it runs no script, loads nothing but images of this origin, and
    /// only the page may frame it.
    static let mailFrame =
        "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' blob: data:; media-src blob: data:; "
        + "font-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; "
        + "sandbox allow-same-origin allow-popups allow-popups-to-escape-sandbox"
}
