/** Compares the sum of balances with the minted and burnt amounts, and attributes differences to blocks. */
import { type Address, bytesToHex, type Hash, hexToBytes, isDeposit, L2_TO_L1_MESSAGE_PASSER } from '@keelson/primitives'
import { asCalled, type KeyValueReader } from '@keelson/runtime'
import { type Balances, openBalances, sumTables } from '@keelson/state'
import { type ChainReader, createChainCaches, openChainReader } from '../chain/chain-reader.ts'
import { ExecutionError } from '../errors.ts'
import type { Database, TaskContext } from './database.ts'
import { readOldestBlock } from './database-verify.ts'
import { supplyOfBlock } from './supply-of-block.ts'

export interface SupplyParams {
  /** Amounts are decimal wei. */
  readonly genesis?: { readonly hash: string; readonly totalWei: string; readonly passerWei: string }
  readonly held?: readonly Address[]
  readonly forL1?: boolean
}

/** Amounts are decimal wei, summed over the blocks after `from`. */
export interface SupplyResult {
  readonly ok: boolean
  readonly from: { readonly number: number; readonly hash: string; readonly source: 'genesis file' | 'history' }
  readonly to: { readonly number: number; readonly hash: string }
  readonly historyFrom: number
  readonly accounts: number
  readonly startWei: string
  readonly mintedWei: string
  readonly deposits: number
  readonly failedDeposits: number
  readonly burntWei: string
  readonly selfDestructWei: string
  readonly expectedWei: string
  readonly stateWei: string
  readonly differenceWei: string
  readonly unexplained: readonly { readonly number: number; readonly wei: string; readonly executed: boolean }[]
  readonly passer: {
    readonly startWei: string
    readonly withdrawals: number
    readonly withdrawnWei: string
    /** Received other than by withdrawals; a negative amount indicates an error. */
    readonly otherWei: string
    readonly balanceWei: string
  }
  readonly held: Readonly<Record<string, string>>
  readonly forL1?: {
    readonly info: string
    /** Null when there are too many to list. */
    readonly withdrawals: readonly (readonly [hash: string, wei: string])[] | null
  }
}

interface Totals {
  mintedWei: bigint
  deposits: number
  failedDeposits: number
  burntWei: bigint
  withdrawnWei: bigint
  withdrawals: number
  listed: [string, string][] | null
  changeWei: bigint
}

interface Gap {
  readonly number: number
  readonly hash: Hash
  readonly wei: bigint
  readonly burntWei: bigint
}

const BREATHE_EVERY = 64
const CACHED_BLOCKS = 4
const MAX_LISTED = 20
const MAX_WITHDRAWALS = 20_000
const MAX_GAPS = 10_000

/** Throws ExecutionError `execution/supply-refused`, `execution/missing-record`. */
export async function databaseSupply(database: Database, params: SupplyParams, context: TaskContext): Promise<SupplyResult> {
  const snapshot = database.store.snapshot()
  try {
    const chain = openChainReader(snapshot, createChainCaches(CACHED_BLOCKS), database.genesis)
    return await supply({ database, snapshot, chain, params, context })
  } finally {
    await snapshot.close()
  }
}

interface Work {
  readonly database: Database
  readonly snapshot: KeyValueReader
  readonly chain: ChainReader
  readonly params: SupplyParams
  readonly context: TaskContext
}

async function supply(work: Work): Promise<SupplyResult> {
  const { snapshot, chain, params, context } = work
  const head = chain.label('unsafe')
  const balances = await openBalances(snapshot, head.hash, () => context.breathe())
  if (balances === null)
    throw refused(
      `the state on disk does not lead to the head, block ${head.header.number}: start the node once so that it settles, or ${asCalled('db verify')}`,
    )
  const start = startOf(work, balances, head.header.number)
  const tables = await sumTables(snapshot, async (at) => {
    context.report({ phase: 'accounts', done: ((at[0] as number) << 8) | (at[1] as number), of: 2 ** 16, resume: null })
    await context.breathe()
  })
  const { totals, gaps } = await walkBlocks(work, balances, start.number, head.header.number)
  const aboveTables = sumAbove(balances, head.header.number)
  const stateWei = tables.wei + aboveTables.wei
  const startWei = start.wei ?? stateWei - totals.changeWei
  const { selfDestructWei, unexplained } = await explain(work, gaps)
  const expectedWei = startWei + totals.mintedWei - totals.burntWei - selfDestructWei
  const passer = hexToBytes(L2_TO_L1_MESSAGE_PASSER)
  const passerWei = balances.balance(passer)
  const otherWei = passerWei - (start.passerWei + totals.withdrawnWei - totals.burntWei)
  return {
    ok: stateWei === expectedWei && otherWei >= 0n && unexplained.length === 0,
    from: { number: start.number, hash: chain.canonicalHash(start.number) ?? '', source: start.source },
    to: { number: head.header.number, hash: head.hash },
    historyFrom: balances.oldest,
    accounts: tables.accounts + aboveTables.accounts,
    startWei: `${startWei}`,
    mintedWei: `${totals.mintedWei}`,
    deposits: totals.deposits,
    failedDeposits: totals.failedDeposits,
    burntWei: `${totals.burntWei}`,
    selfDestructWei: `${selfDestructWei}`,
    expectedWei: `${expectedWei}`,
    stateWei: `${stateWei}`,
    differenceWei: `${stateWei - expectedWei}`,
    unexplained,
    passer: {
      startWei: `${start.passerWei}`,
      withdrawals: totals.withdrawals,
      withdrawnWei: `${totals.withdrawnWei}`,
      otherWei: `${otherWei}`,
      balanceWei: `${passerWei}`,
    },
    held: Object.fromEntries((params.held ?? []).map((address) => [address, `${balances.balance(hexToBytes(address))}`])),
    ...(params.forL1 === true ? { forL1: { info: l1InfoOf(chain, head.hash), withdrawals: totals.listed } } : {}),
  }
}

function l1InfoOf(chain: ChainReader, head: Hash): string {
  const first = chain.block(head)?.transactions[0]
  return first === undefined || !isDeposit(first) ? '0x' : bytesToHex(first.data)
}

interface Start {
  readonly number: number
  readonly source: SupplyResult['from']['source']
  readonly wei: bigint | null
  readonly passerWei: bigint
}

function startOf({ database, snapshot, params }: Work, balances: Balances, head: number): Start {
  const { genesis } = params
  if (genesis !== undefined && genesis.hash !== database.genesis.hash)
    throw refused(`the genesis file makes block ${genesis.hash}; the directory holds the chain of ${database.genesis.hash}`)
  const { number } = database.genesis.header
  if (genesis !== undefined && readOldestBlock(snapshot) === null)
    return { number, source: 'genesis file', wei: BigInt(genesis.totalWei), passerWei: BigInt(genesis.passerWei) }
  if (balances.oldest >= head && head > number) {
    const way =
      readOldestBlock(snapshot) === null
        ? 'give --network FOLDER with the genesis file'
        : 'the chain begins with a snapshot here: wait until blocks have come after it'
    throw refused(`the state is kept of block ${head} alone and none before it, so there is nothing to compare with; ${way}`)
  }
  return { number: balances.oldest, source: 'history', wei: null, passerWei: balances.balanceAtOldest(hexToBytes(L2_TO_L1_MESSAGE_PASSER)) }
}

async function walkBlocks(
  { snapshot, chain, params, context }: Work,
  balances: Balances,
  from: number,
  head: number,
): Promise<{ readonly totals: Totals; readonly gaps: readonly Gap[] }> {
  const totals: Totals = {
    mintedWei: 0n,
    deposits: 0,
    failedDeposits: 0,
    burntWei: 0n,
    withdrawnWei: 0n,
    withdrawals: 0,
    listed: params.forL1 === true ? [] : null,
    changeWei: 0n,
  }
  const gaps: Gap[] = []
  for (let number = from + 1; number <= head; number++) {
    const block = supplyOfBlock(snapshot, chain, number)
    totals.mintedWei += block.mintedWei
    totals.deposits += block.deposits
    totals.failedDeposits += block.failedDeposits
    totals.burntWei += block.burntWei
    totals.withdrawnWei += block.withdrawnWei
    totals.withdrawals += block.withdrawals.length
    for (const { hash, wei } of block.withdrawals) if (wei > 0n) totals.listed?.push([hash, `${wei}`])
    if (totals.listed !== null && totals.listed.length > MAX_WITHDRAWALS) totals.listed = null
    if (number > balances.oldest) {
      const { wei } = balances.changeOf(number)
      totals.changeWei += wei
      const gapWei = wei - (block.mintedWei - block.burntWei)
      if (gapWei !== 0n && gaps.length < MAX_GAPS)
        gaps.push({ number, hash: chain.canonicalHash(number) as Hash, wei: gapWei, burntWei: block.burntWei })
    }
    if ((number - from) % BREATHE_EVERY !== 0) continue
    context.report({ phase: 'blocks', done: number - from, of: head - from, resume: null })
    await context.breathe()
  }
  return { totals, gaps }
}

function sumAbove(balances: Balances, head: number): { readonly wei: bigint; readonly accounts: number } {
  let [wei, accounts] = [0n, 0]
  for (let number = balances.disk.number + 1; number <= head; number++) {
    const change = balances.changeOf(number)
    wei += change.wei
    accounts += change.accounts
  }
  return { wei, accounts }
}

async function explain(
  { database, context }: Work,
  gaps: readonly Gap[],
): Promise<{ readonly selfDestructWei: bigint; readonly unexplained: SupplyResult['unexplained'] }> {
  let selfDestructWei = 0n
  const unexplained: { number: number; wei: string; executed: boolean }[] = []
  for (const [i, { number, hash, wei, burntWei }] of gaps.entries()) {
    context.report({ phase: 'blocks executed once more', done: i, of: gaps.length, resume: null })
    await context.breathe()
    const seen = wei < 0n ? ((await database.selfDestructBurns?.(hash, () => context.breathe())) ?? null) : null
    const destroyedWei = seen === null ? 0n : seen - burntWei
    selfDestructWei += destroyedWei
    if (wei + destroyedWei !== 0n && unexplained.length < MAX_LISTED)
      unexplained.push({ number, wei: `${wei + destroyedWei}`, executed: seen !== null })
  }
  return { selfDestructWei, unexplained }
}

function refused(message: string): ExecutionError {
  return new ExecutionError('execution/supply-refused', message)
}
