import { bytesToHex } from '@keelson/primitives'
import { type Code, codeBytes, type EvmCase } from './evm-case.ts'
import type { Expr, Program, Statement } from './program/program.ts'

const MAX_HEX_CHARACTERS = 200

export function printCase({ chain, env, accounts, transactions }: EvmCase): string {
  const lines = [`chain ${chain}, block ${env.number} of ${env.gasLimit} gas, base fee ${env.baseFee}, to ${env.feeRecipient}`]
  for (const { address, balance, nonce, code, storage } of accounts) {
    const slots = storage.map(([slot, value]) => `${slot}=${value}`).join(' ')
    lines.push(`account ${address} nonce ${nonce} balance ${balance}${slots === '' ? '' : ` storage ${slots}`}`, ...printCode(code))
  }
  for (const [i, { sender, to, value, data, gas, accessList, authorizations }] of transactions.entries()) {
    lines.push(`transaction ${i} from signer ${sender} to ${to ?? 'a new contract'} value ${value} gas ${gas}`, ...printCode(data))
    for (const { address, slots } of accessList ?? []) lines.push(`  access ${address} ${slots.join(' ')}`)
    for (const each of authorizations ?? []) {
      lines.push(`  authorization of signer ${each.signer} for ${each.address}, chain ${each.chainId}, nonce ${each.nonce}`)
    }
  }
  return lines.join('\n')
}

function printCode(code: Code): string[] {
  if (typeof code === 'string') return code === '0x' ? [] : [`  ${code}`]
  const hex = bytesToHex(codeBytes(code))
  return [...printProgram(code, 1), `  = ${hex.slice(0, MAX_HEX_CHARACTERS)}${hex.length > MAX_HEX_CHARACTERS ? '...' : ''}`]
}

function printProgram(program: Program, depth: number): string[] {
  return program.flatMap((statement) => printStatement(statement, depth))
}

function printStatement(statement: Statement, depth: number): string[] {
  const pad = '  '.repeat(depth)
  const block = (head: string, body: Program) => [`${pad}${head} {`, ...printProgram(body, depth + 1), `${pad}}`]
  switch (statement.do) {
    case 'run':
      return [`${pad}${printExpr(statement.expr)}`]
    case 'loop':
      return block(`loop ${statement.times}`, statement.body)
    case 'while-gas':
      return block(`while gas > ${statement.above}`, statement.body)
    case 'if':
      return block(`if ${printExpr(statement.when)}`, statement.body)
    case 'deep':
      return block(`with ${statement.items} more stack items`, statement.body)
    case 'deploy':
      return block('deploy', statement.runtime)
    case 'mix':
      return [`${pad}mix [${statement.operands.map(printExpr).join(', ')}] ${statement.opcodes.join(' ')}`]
    case 'data':
      return [`${pad}memory[${printExpr(statement.to)}] = ${statement.bytes}`]
    case 'raw':
      return [`${pad}raw ${statement.bytes}`]
  }
}

function printExpr(expr: Expr): string {
  if (typeof expr === 'string') return expr
  if ('create' in expr) {
    const init = printProgram(expr.init, 0).join('; ')
    return `${expr.create}(value ${printExpr(expr.value)}, ${expr.create === 'CREATE2' ? `salt ${printExpr(expr.salt)}, ` : ''}init { ${init} })`
  }
  return expr.length === 1 ? expr[0] : `${expr[0]}(${expr.slice(1).map(printExpr).join(', ')})`
}
