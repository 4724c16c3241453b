/** The account of `keelson db supply` for people: amounts in whole coins to the last wei. */
import type { SupplyResult } from '@keelson/execution'
import { HELD_APART } from './supply-command.ts'

const DECIMALS = 18

export function renderSupply(result: SupplyResult): string {
  const { from, to, passer, held, unexplained } = result
  const rows: (readonly [string, string, string])[] = [
    [`held at block ${from.number}`, result.startWei, from.source === 'history' ? 'as the state history has it' : 'genesis file'],
    ['+ minted by deposits', result.mintedWei, deposits(result)],
    ['- burnt by the message passer', result.burntWei, 'withdrawn before, gone with burn()'],
    ['- gone with destroyed contracts', result.selfDestructWei, 'seen by executing blocks once more'],
    ['= expected', result.expectedWei, ''],
    [`held at block ${to.number}`, result.stateWei, `${result.accounts} accounts`],
  ]
  const parts: (readonly [string, string, string])[] = [
    ...Object.entries(HELD_APART).flatMap(([name, address]) =>
      held[address] === undefined ? [] : [[`of it in the ${name}`, held[address], ''] as const],
    ),
    ['of it withdrawn, not yet burnt', passer.balanceWei, passerNote(passer)],
    ['in the hands of everybody else', others(result), ''],
  ]
  return [...table([...rows, ...parts]), '', verdict(result), ...gaps(unexplained)].join('\n')
}

function verdict({ ok, differenceWei, from, to, passer, historyFrom, unexplained }: SupplyResult): string {
  const span = `${from.number} to ${to.number}`
  if (ok) return `OK: blocks ${span} add up to the wei`
  const difference = BigInt(differenceWei)
  const where =
    difference === 0n || unexplained.length > 0 ? '' : `; in which block is not known, state history begins after block ${historyFrom}`
  if (difference < 0n) return `NOT OK: the state has ${-difference} wei less than blocks ${span} account for: burnt, not explained${where}`
  if (difference > 0n) return `NOT OK: the state has ${difference} wei more than blocks ${span} account for${where}`
  if (BigInt(passer.otherWei) < 0n) return `NOT OK: ${-BigInt(passer.otherWei)} wei left the message passer otherwise than by burn()`
  return `NOT OK: the sums of blocks ${span} agree, but single blocks do not`
}

function gaps(unexplained: SupplyResult['unexplained']): string[] {
  return unexplained.map(({ number, wei, executed }) => {
    const missing = BigInt(wei) < 0n
    const what = `- block ${number}: ${missing ? -BigInt(wei) : wei} wei ${missing ? 'less' : 'more'} than it says`
    if (!missing || executed) return what
    return `${what}; not executed once more: keelson db supply on a running node, or with --network FOLDER, tells whether a contract destroyed itself`
  })
}

function deposits({ deposits: count, failedDeposits }: SupplyResult): string {
  return failedDeposits === 0 ? `${count} deposits` : `${count} deposits, ${failedDeposits} of them failed and mint all the same`
}

function passerNote({ startWei, withdrawals, otherWei }: SupplyResult['passer']): string {
  const before = BigInt(startWei) === 0n ? '' : `, ${coins(startWei)} from before`
  const other = BigInt(otherWei) > 0n ? `, ${coins(otherWei)} came without one` : ''
  return `in the message passer; ${withdrawals} withdrawals${before}${other}`
}

function others({ stateWei, passer, held }: SupplyResult): string {
  return `${BigInt(stateWei) - BigInt(passer.balanceWei) - Object.values(held).reduce((sum, wei) => sum + BigInt(wei), 0n)}`
}

function table(rows: readonly (readonly [string, string, string])[]): string[] {
  const name = Math.max(...rows.map(([text]) => text.length))
  const amount = Math.max(...rows.map(([, wei]) => coins(wei).length))
  return rows.map(([text, wei, note]) => `${text.padEnd(name)}  ${coins(wei).padStart(amount)}  ${note}`.trimEnd())
}

function coins(wei: string): string {
  const value = BigInt(wei)
  const digits = `${value < 0n ? -value : value}`.padStart(DECIMALS + 1, '0')
  return `${value < 0n ? '-' : ''}${digits.slice(0, -DECIMALS)}.${digits.slice(-DECIMALS)}`
}
