import MailKernelAPI

let accountCases: [ConformanceCase] = []
