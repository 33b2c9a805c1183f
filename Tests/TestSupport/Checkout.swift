import Foundation

/// The places of this checkout.
public enum Checkout {
    public static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    public static let mockPlugins = root.appending(path: "Tests/MockPlugins")

    /// The program that was built together with these tests.
    public static let program = root.appending(path: ".build/debug/mailkernel")

    /// Where plugin packages are built; the API in it is compiled already.
    public static let packageScratch = root.appending(path: ".build/packages")
}
