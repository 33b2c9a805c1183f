import MailKernelAPI

/// An account whose number is used before the server has confirmed it.
struct AssumedAccount {
    let id: Id<Account>
    let number: Int
    let question: Question
}
