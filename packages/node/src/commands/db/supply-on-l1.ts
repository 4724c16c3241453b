/** The portal's liabilities: withdrawable value on L2, withdrawals not finalized, and deposits not on L2 yet. */
import type { RollupConfig } from '@keelson/chainspec'
import { createContractCaller, type RpcClient } from '@keelson/client'
import { decodeBool, encodeFinalizedWithdrawals, findTransactionDeposited, TRANSACTION_DEPOSITED_TOPIC } from '@keelson/contracts'
import { decodeL1Info } from '@keelson/derivation'
import type { SupplyResult } from '@keelson/execution'
import {
  formatQuantity,
  type Hash,
  type Hex,
  hexToBytes,
  parseJsonArray,
  parseLogJson,
  parseQuantity,
  parseQuantityNumber,
} from '@keelson/primitives'
import { AssemblyError } from '../../errors.ts'
import { assertL1Chain } from '../../l1/assert-l1-chain.ts'

export interface PortalBacking {
  readonly ok: boolean
  readonly block: number
  readonly portalWei: string
  /** L2's supply minus the message passer's balance. */
  readonly withdrawableWei: string
  readonly openWithdrawals: number
  readonly openWithdrawalsWei: string
  readonly depositsUnderWay: number
  readonly depositsUnderWayWei: string
  /** Negative if L1 does not back L2. */
  readonly surplusWei: string
}

const LOG_RANGE = 1_000
const AT_ONCE = 20

/** Throws the errors of readPortalBacking, and AssemblyError `node/l1-unreachable`. */
export async function withPortal(
  result: SupplyResult,
  l1: RpcClient,
  rollup: RollupConfig,
  breathe: () => Promise<void>,
): Promise<SupplyResult & { readonly l1: PortalBacking }> {
  await assertL1Chain(l1, rollup)
  const portal = await readPortalBacking(result, l1, rollup, breathe)
  const { forL1: _, ...account } = result
  return { ...account, ok: account.ok && portal.ok, l1: portal }
}

/** Reads at L1's head, which is never older than L2's state. Throws AssemblyError `node/usage`, ClientError. */
export async function readPortalBacking(
  { stateWei, passer, forL1, from }: SupplyResult,
  l1: RpcClient,
  { depositContract: portal }: RollupConfig,
  breathe: () => Promise<void>,
): Promise<PortalBacking> {
  if (forL1 === undefined)
    throw new AssemblyError('node/usage', 'the node on this folder is of an older release and cannot tell: restart it, or stop it')
  if (forL1.withdrawals === null)
    throw new AssemblyError('node/usage', 'there are too many withdrawals to ask L1 about each: leave out --l1.rpc')
  if (from.number > 0) {
    throw new AssemblyError(
      'node/usage',
      `the account begins at block ${from.number}, withdrawals before it are not known: leave out --l1.rpc, or give --network NETWORK to a directory with the whole chain`,
    )
  }
  const origin = forL1.info === '0x' ? null : decodeL1Info(hexToBytes(forL1.info as Hex))
  const head = parseQuantityNumber(await l1.call('eth_blockNumber', []))
  if (origin !== null) await assertKnown(l1, origin.number, origin.hash)
  const portalWei = parseQuantity(await l1.call('eth_getBalance', [portal, formatQuantity(head)]))
  const deposits = await depositsAfter(l1, portal, origin?.number ?? head, head, breathe)
  const open = await notFinalized(l1, portal, forL1.withdrawals, head, breathe)
  const withdrawableWei = BigInt(stateWei) - BigInt(passer.balanceWei)
  const surplusWei = portalWei - withdrawableWei - open.wei - deposits.wei
  return {
    ok: surplusWei >= 0n,
    block: head,
    portalWei: `${portalWei}`,
    withdrawableWei: `${withdrawableWei}`,
    openWithdrawals: open.count,
    openWithdrawalsWei: `${open.wei}`,
    depositsUnderWay: deposits.count,
    depositsUnderWayWei: `${deposits.wei}`,
    surplusWei: `${surplusWei}`,
  }
}

async function assertKnown(l1: RpcClient, number: number, hash: Hash): Promise<void> {
  const block = (await l1.call('eth_getBlockByNumber', [formatQuantity(number), false])) as { hash?: string } | null
  if (block?.hash === hash) return
  throw new AssemblyError(
    'node/usage',
    `L1 has ${block?.hash ?? 'no block'} at ${number}, the head of L2 belongs to ${hash}: L1 is behind or was reorganised; try again`,
  )
}

interface Amounts {
  readonly count: number
  readonly wei: bigint
}

async function depositsAfter(l1: RpcClient, portal: string, after: number, head: number, breathe: () => Promise<void>): Promise<Amounts> {
  let [count, wei] = [0, 0n]
  for (let from = after + 1; from <= head; from += LOG_RANGE) {
    const range = { fromBlock: formatQuantity(from), toBlock: formatQuantity(Math.min(head, from + LOG_RANGE - 1)) }
    const answer = await l1.call('eth_getLogs', [{ address: portal, topics: [TRANSACTION_DEPOSITED_TOPIC], ...range }])
    for (const log of parseJsonArray(answer, 'logs', parseLogJson)) {
      const mintWei = findTransactionDeposited(log)?.mintWei ?? 0n
      if (mintWei > 0n) count++
      wei += mintWei
    }
    await breathe()
  }
  return { count, wei }
}

/** Excludes withdrawals whose call failed on L1: they are finalized, and their value is surplus. */
async function notFinalized(
  l1: RpcClient,
  portal: RollupConfig['depositContract'],
  withdrawals: readonly (readonly [string, string])[],
  head: number,
  breathe: () => Promise<void>,
): Promise<Amounts> {
  const caller = createContractCaller(l1)
  let [count, wei] = [0, 0n]
  for (let from = 0; from < withdrawals.length; from += AT_ONCE) {
    const some = withdrawals.slice(from, from + AT_ONCE)
    const answers = await Promise.all(some.map(([hash]) => caller.call(portal, encodeFinalizedWithdrawals(hash as Hash), head)))
    for (const [i, answer] of answers.entries()) {
      if (decodeBool(answer)) continue
      count++
      wei += BigInt(some[i]?.[1] ?? 0)
    }
    await breathe()
  }
  return { count, wei }
}
