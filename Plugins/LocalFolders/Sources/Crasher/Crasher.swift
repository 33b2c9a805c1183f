@main struct Crasher { static func main() {} }
