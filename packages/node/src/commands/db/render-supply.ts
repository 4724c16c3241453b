import type { SupplyResult } from '@keelson/execution'
import { counted } from '@keelson/primitives'
import { asCalled } from '@keelson/runtime'
import { HELD_APART } from './supply-command.ts'
import type { PortalBacking } from './supply-on-l1.ts'

const DECIMALS = 18

export function renderSupply(result: SupplyResult & { readonly l1?: PortalBacking }): string {
  const { from, to, passer, held, unexplained } = result
  const rows: (readonly [string, string, string])[] = [
    [`held at block ${from.number}`, result.startWei, from.source === 'history' ? 'as the state history has it' : 'genesis file'],
    ['+ minted by deposits', result.mintedWei, deposits(result)],
    ['- burnt by the message passer', result.burntWei, 'withdrawn before, gone with burn()'],
    ['- gone with destroyed contracts', result.selfDestructWei, 'seen by executing blocks once more'],
    ['= expected', result.expectedWei, ''],
    [`held at block ${to.number}`, result.stateWei, counted(result.accounts, 'account')],
  ]
  const parts: (readonly [string, string, string])[] = [
    ...Object.entries(HELD_APART).flatMap(([name, address]) =>
      held[address] === undefined ? [] : [[`of it in the ${name}`, held[address], ''] as const],
    ),
    ['of it withdrawn, not yet burnt', passer.balanceWei, passerNote(passer)],
    ['in the hands of everybody else', others(result), ''],
  ]
  const { l1 } = result
  const portal: typeof rows =
    l1 === undefined
      ? []
      : [
          [`held by the portal at L1 block ${l1.block}`, l1.portalWei, ''],
          ['- can be withdrawn from L2', l1.withdrawableWei, 'all of it but what the message passer keeps'],
          ['- withdrawals not finalized', l1.openWithdrawalsWei, `${l1.openWithdrawals}`],
          ['- deposits under way', l1.depositsUnderWayWei, `${l1.depositsUnderWay}`],
          ['= nobody can ask for', l1.surplusWei, surplusNote(result)],
        ]
  const here = verdict({ ...result, ok: result.differenceWei === '0' && unexplained.length === 0 && BigInt(passer.otherWei) >= 0n })
  return [...table([...rows, ...parts, ...portal]), '', here, ...gaps(unexplained), ...(l1 === undefined ? [] : [backing(l1)])].join('\n')
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

/** The surplus was destroyed on L2, or belongs to withdrawals whose call failed on L1. */
function surplusNote({ selfDestructWei, passer }: SupplyResult): string {
  const lost = BigInt(selfDestructWei) + BigInt(passer.startWei) + BigInt(passer.otherWei)
  return lost === 0n ? '' : `${coins(`${lost}`)} of it destroyed on L2, or in the message passer without a withdrawal`
}

function backing({ ok, surplusWei }: PortalBacking): string {
  if (ok) return 'OK: the portal can pay all that can be asked of it'
  return `NOT OK: the portal lacks ${-BigInt(surplusWei)} wei (to a node that is behind it seems so too: L1 has paid what it has not seen leave yet)`
}

function gaps(unexplained: SupplyResult['unexplained']): string[] {
  return unexplained.map(({ number, wei, executed }) => {
    const missing = BigInt(wei) < 0n
    const what = `- block ${number}: ${missing ? -BigInt(wei) : wei} wei ${missing ? 'less' : 'more'} than it says`
    if (!missing || executed) return what
    return `${what}; not executed once more: ${asCalled('db supply')} on a running node, or with --network NETWORK, shows whether a contract destroyed itself`
  })
}

function deposits({ deposits: count, failedDeposits }: SupplyResult): string {
  return failedDeposits === 0 ? counted(count, 'deposit') : `${counted(count, 'deposit')}, of which ${failedDeposits} failed and still mint`
}

function passerNote({ startWei, withdrawals, otherWei }: SupplyResult['passer']): string {
  const before = BigInt(startWei) === 0n ? '' : `, ${coins(startWei)} from before`
  const other = BigInt(otherWei) > 0n ? `, ${coins(otherWei)} came without one` : ''
  return `in the message passer; ${counted(withdrawals, 'withdrawal')}${before}${other}`
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
