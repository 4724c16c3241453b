/** Removes transactions, contracts and statements and reduces numbers. */
import type { CaseAccount, CaseTransaction, Code, EvmCase } from './evm-case.ts'
import type { Expr, Program, Statement } from './program/program.ts'

const DESIGNATOR = '0xef0100'

/** True when the case still fails. */
export type Fails = (subject: EvmCase) => Promise<boolean>

export async function shrink(subject: EvmCase, fails: Fails, maxTries: number): Promise<EvmCase> {
  let best = subject
  let tries = 0
  for (let progress = true; progress && tries < maxTries; ) {
    progress = false
    for (const candidate of candidates(best)) {
      if (++tries > maxTries) break
      if (!(await fails(candidate))) continue
      best = candidate
      progress = true
      break
    }
  }
  return best
}

function* candidates(subject: EvmCase): Generator<EvmCase> {
  for (const transactions of smallerLists(subject.transactions)) if (transactions.length > 0) yield { ...subject, transactions }
  for (const accounts of smallerLists(subject.accounts)) yield { ...subject, accounts }
  for (const [i, account] of subject.accounts.entries()) {
    for (const smaller of smallerAccounts(account)) yield { ...subject, accounts: subject.accounts.with(i, smaller) }
  }
  for (const [i, transaction] of subject.transactions.entries()) {
    for (const smaller of smallerTransactions(transaction)) yield { ...subject, transactions: subject.transactions.with(i, smaller) }
  }
}

/** Without halves, then quarters, then single elements. */
function* smallerLists<T>(list: readonly T[]): Generator<readonly T[]> {
  for (let size = Math.ceil(list.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < list.length; at += size) yield [...list.slice(0, at), ...list.slice(at + size)]
  }
}

function* smallerAccounts(account: CaseAccount): Generator<CaseAccount> {
  for (const storage of smallerLists(account.storage)) yield { ...account, storage }
  for (const code of smallerCodes(account.code)) yield { ...account, code }
  if (account.balance.length > 1 && BigInt(account.balance) < 10n ** 9n) yield { ...account, balance: '0' }
}

function* smallerTransactions(transaction: CaseTransaction): Generator<CaseTransaction> {
  const { accessList, authorizations, ...plain } = transaction
  if (authorizations !== undefined) {
    yield plain
    for (const fewer of smallerLists(authorizations)) if (fewer.length > 0) yield { ...transaction, authorizations: fewer }
  } else if (accessList !== undefined) yield plain
  if (accessList !== undefined) for (const fewer of smallerLists(accessList)) yield { ...transaction, accessList: fewer }
  if (transaction.value !== '0') yield { ...transaction, value: '0' }
  if (transaction.sender !== 0) yield { ...transaction, sender: 0 }
  for (const data of smallerCodes(transaction.data)) yield { ...transaction, data }
  const gas = Number(transaction.gas)
  for (const less of [100_000, 60_000, 30_000].filter((round) => round < gas)) yield { ...transaction, gas: String(less) }
}

function* smallerCodes(code: Code): Generator<Code> {
  if (typeof code === 'string') {
    if (code.length > 2) yield '0x'
    // No chain holds a shortened EIP-7702 designator.
    if (code.length > 6 && !code.startsWith(DESIGNATOR)) yield code.slice(0, 2 + 2 * Math.floor((code.length - 2) / 4))
    return
  }
  yield* smallerPrograms(code)
}

function* smallerPrograms(program: Program): Generator<Program> {
  yield* smallerLists(program)
  for (const [i, statement] of program.entries()) {
    const before = program.slice(0, i)
    const after = program.slice(i + 1)
    if ('body' in statement) yield [...before, ...statement.body, ...after]
    for (const smaller of smallerStatements(statement)) yield [...before, smaller, ...after]
  }
}

function* smallerStatements(statement: Statement): Generator<Statement> {
  switch (statement.do) {
    case 'run':
      for (const expr of smallerExprs(statement.expr)) if (typeof expr !== 'string') yield { ...statement, expr }
      return
    case 'mix':
      for (const opcodes of smallerLists(statement.opcodes)) yield { ...statement, opcodes }
      for (const operands of smallerLists(statement.operands)) yield { ...statement, operands }
      for (const operands of smallerOperands(statement.operands)) yield { ...statement, operands }
      return
    case 'loop':
      for (const times of [1, 2, 3].filter((n) => n < statement.times)) yield { ...statement, times }
      break
    case 'if':
      for (const when of smallerExprs(statement.when)) yield { ...statement, when }
      break
    case 'deploy':
      for (const runtime of smallerPrograms(statement.runtime)) yield { ...statement, runtime }
      return
    case 'data':
    case 'raw':
      if (statement.bytes.length > 4)
        yield { ...statement, bytes: statement.bytes.slice(0, 2 + 2 * Math.floor((statement.bytes.length - 2) / 4)) }
      return
    case 'deep':
    case 'while-gas':
  }
  for (const body of smallerPrograms(statement.body)) yield { ...statement, body }
}

function* smallerOperands(operands: readonly Expr[]): Generator<readonly Expr[]> {
  for (const [i, operand] of operands.entries()) for (const smaller of smallerExprs(operand)) yield operands.with(i, smaller)
}

function* smallerExprs(expr: Expr): Generator<Expr> {
  if (typeof expr === 'string') {
    for (const constant of ['0x00', '0x01', '0x20'])
      if (constant.length < expr.length || (constant === '0x00' && expr !== '0x00')) yield constant
    return
  }
  yield '0x00'
  if ('create' in expr) {
    for (const init of smallerPrograms(expr.init)) yield { ...expr, init }
    for (const value of smallerExprs(expr.value)) yield { ...expr, value }
    for (const salt of smallerExprs(expr.salt)) yield { ...expr, salt }
    return
  }
  const [name, ...inputs] = [expr[0], ...expr.slice(1)] as const
  yield* inputs
  for (const [i, input] of inputs.entries()) {
    for (const smaller of smallerExprs(input)) yield [name, ...inputs.with(i, smaller)]
  }
}
