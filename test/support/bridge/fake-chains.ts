import { ClientError } from '@keelson/client'
import { encodeParameters } from '@keelson/contracts'
import { DEPOSIT_EVENT_TOPIC } from '@keelson/derivation/codec'
import {
  type Address,
  bigintToBytes,
  concatBytes,
  type Hash,
  keccak256Hash,
  type L1BlockRef,
  type Log,
  toAddress,
  utf8ToBytes,
  ZERO_HASH,
} from '@keelson/primitives'
import { depositFacts } from '../../../packages/apps/src/bridge/deposit-facts.ts'
import type { BridgeL1, BridgeL2, L1Transaction, L2Failure, L2Receipt, LocatedLog } from '../../../packages/apps/src/bridge/ports.ts'

export const PORTAL = toAddress(`0x${'77'.repeat(20)}`)
export const ALICE = toAddress(`0x${'a1'.repeat(20)}`)
export const L1_BLOCK_SEC = 12
export const GENESIS_SEC = 1_700_000_000

export interface FakeTransaction {
  readonly hash: Hash
  readonly to?: Address
  readonly valueWei?: bigint
  readonly reverts?: Uint8Array
  readonly gasLimit?: bigint
  readonly logs: readonly Log[]
}

export interface DepositInput {
  readonly from?: Address
  readonly to?: Address
  readonly mintWei?: bigint
  readonly valueWei?: bigint
  readonly gasLimit?: bigint
  readonly data?: Uint8Array
}

const word = (address: Address) => `0x${address.slice(2).padStart(64, '0')}` as Hash

export function depositLog({
  from = ALICE,
  to = ALICE,
  mintWei = 5n,
  valueWei = mintWei,
  gasLimit = 100_000n,
  data,
}: DepositInput = {}): Log {
  const opaque = concatBytes(
    bigintToBytes(mintWei, 32),
    bigintToBytes(valueWei, 32),
    bigintToBytes(gasLimit, 8),
    Uint8Array.of(0),
    data ?? new Uint8Array(0),
  )
  return { address: PORTAL, topics: [DEPOSIT_EVENT_TOPIC, word(from), word(to), ZERO_HASH], data: encodeParameters('bytes', [opaque]) }
}

export function hashOf(...parts: readonly (string | number)[]): Hash {
  return keccak256Hash(utf8ToBytes(parts.join('/')))
}

export function depositTx(name: string, ...logs: readonly Log[]): FakeTransaction {
  return { hash: hashOf('tx', name), logs: logs.length === 0 ? [depositLog()] : logs }
}

interface FakeBlock extends L1BlockRef {
  readonly txs: readonly FakeTransaction[]
}

export interface FakeL1 extends BridgeL1 {
  readonly pool: FakeTransaction[]
  readonly blocks: readonly FakeBlock[]
  mine(txs?: readonly FakeTransaction[]): void
  takeBack(count: number): void
  seenHeight: number | null
  finalized: number
  down: boolean
  asked: number
}

function ensureUp(down: boolean, name: string): void {
  if (down) throw new ClientError('client/unreachable', 'temporary', `${name} is down`)
}

export function createFakeL1(): FakeL1 {
  let fork = 0
  const blocks: FakeBlock[] = [{ number: 0, hash: hashOf('l1', 0, 0), parentHash: ZERO_HASH, timestampSec: GENESIS_SEC, txs: [] }]
  const seen = () => blocks.slice(0, Math.max(1, (l1.seenHeight ?? blocks.length - 1) + 1))
  const refOf = (block: FakeBlock | undefined): L1BlockRef | null =>
    block === undefined ? null : { number: block.number, hash: block.hash, parentHash: block.parentHash, timestampSec: block.timestampSec }
  const located = (block: FakeBlock): LocatedLog[] => {
    let logIndex = 0
    return block.txs.flatMap((tx) =>
      tx.logs.flatMap((log) => {
        const at = logIndex++
        return log.address === PORTAL && tx.reverts === undefined
          ? [{ log, logIndex: at, txHash: tx.hash, block: refOf(block) as L1BlockRef }]
          : []
      }),
    )
  }
  const ask = <T>(answer: () => T): Promise<T> => {
    l1.asked++
    return new Promise((resolve, reject) => {
      setImmediate(() => {
        try {
          ensureUp(l1.down, 'L1')
          resolve(answer())
        } catch (error) {
          reject(error)
        }
      })
    })
  }
  const l1: FakeL1 = {
    pool: [],
    blocks,
    seenHeight: null,
    finalized: 0,
    down: false,
    asked: 0,
    mine(txs = [...l1.pool]) {
      for (const tx of txs) if (l1.pool.includes(tx)) l1.pool.splice(l1.pool.indexOf(tx), 1)
      const parent = blocks.at(-1) as FakeBlock
      const number = parent.number + 1
      blocks.push({
        number,
        hash: hashOf('l1', number, fork),
        parentHash: parent.hash,
        timestampSec: GENESIS_SEC + number * L1_BLOCK_SEC,
        txs,
      })
    },
    takeBack(count) {
      fork++
      for (const block of blocks.splice(Math.max(1, blocks.length - count))) l1.pool.push(...block.txs)
    },
    blockRef: (at) =>
      ask(() => {
        const all = seen()
        if (at === 'latest') return refOf(all.at(-1))
        if (at === 'finalized') return refOf(all[Math.min(l1.finalized, all.length - 1)])
        return refOf(all.find(({ number, hash }) => number === at || hash === at))
      }),
    depositsIn: (block) =>
      ask(() => {
        const found = seen().find(({ hash }) => hash === block.hash)
        return found === undefined ? null : located(found)
      }),
    depositsBetween: (from, to) =>
      ask(() =>
        seen()
          .slice(from, to + 1)
          .flatMap(located),
      ),
    transaction: (hash) =>
      ask(() => {
        const block = seen().find(({ txs }) => txs.some((tx) => tx.hash === hash))
        const everywhere = [...l1.pool, ...blocks.flatMap(({ txs }) => txs)]
        const tx = everywhere.find((one) => one.hash === hash)
        if (tx === undefined) return null
        return {
          hash,
          from: ALICE,
          to: tx.to ?? PORTAL,
          nonce: 7n,
          valueWei: tx.valueWei ?? 5n,
          gasLimit: tx.gasLimit ?? 300_000n,
          data: new Uint8Array(0),
          inclusion:
            block === undefined
              ? null
              : {
                  block: refOf(block) as L1BlockRef,
                  succeeded: tx.reverts === undefined,
                  gasUsed: 60_000n,
                  deposits: located(block).filter(({ txHash }) => txHash === hash),
                },
        } satisfies L1Transaction
      }),
    nonceOf: () => ask(() => 7n),
    revertData: (tx) => ask(() => blocks.flatMap(({ txs }) => txs).find(({ hash }) => hash === tx.hash)?.reverts ?? null),
  }
  return l1
}

interface FakeL2Block {
  readonly number: number
  readonly hash: Hash
  readonly timestampSec: number
  readonly origin: L1BlockRef
  readonly receipts: ReadonlyMap<Hash, L2Receipt>
}

export interface FakeL2 extends BridgeL2 {
  readonly blocks: readonly FakeL2Block[]
  adopt(l1: FakeL1, upTo?: number): void
  takeBack(number: number): void
  safe: number
  finalized: number
  seen: { readonly unsafe: number; readonly safe: number; readonly finalized: number } | null
  down: boolean
  readonly outcomes: Map<Hash, { readonly succeeded: boolean; readonly logs?: readonly Log[]; readonly failure?: L2Failure }>
  readonly doneMessages: Set<Hash>
}

export function createFakeL2(): FakeL2 {
  let fork = 0
  const origin: L1BlockRef = { number: 0, hash: hashOf('l1', 0, 0), parentHash: ZERO_HASH, timestampSec: GENESIS_SEC }
  const blocks: FakeL2Block[] = [{ number: 0, hash: hashOf('l2', 0), timestampSec: GENESIS_SEC, origin, receipts: new Map() }]
  const failures = new Map<Hash, L2Failure>()
  const l2: FakeL2 = {
    blocks,
    safe: 0,
    finalized: 0,
    seen: null,
    down: false,
    outcomes: new Map(),
    doneMessages: new Set(),
    adopt(l1, upTo = l1.blocks.length - 1) {
      for (let number = (blocks.at(-1) as FakeL2Block).origin.number + 1; number <= upTo; number++) {
        const block = l1.blocks[number] as FakeBlock
        const at = blocks.length
        const hash = hashOf('l2', at, fork, block.hash)
        const receipts = new Map<Hash, L2Receipt>()
        let logIndex = 0
        for (const tx of block.txs) {
          for (const log of tx.logs) {
            const found = log.address === PORTAL && tx.reverts === undefined ? { log, logIndex, txHash: tx.hash, block } : null
            logIndex++
            if (found === null) continue
            const outcome = l2.outcomes.get(tx.hash)
            const { l2TxHash } = depositFacts(found, { messenger: null, standardBridge: null })
            if (outcome?.failure !== undefined) failures.set(l2TxHash, outcome.failure)
            receipts.set(l2TxHash, {
              blockNumber: at,
              blockHash: hash,
              succeeded: outcome?.succeeded ?? true,
              gasUsed: 50_000n,
              logs: outcome?.logs ?? [],
            })
          }
        }
        blocks.push({ number: at, hash, timestampSec: block.timestampSec + 4, origin: block, receipts })
      }
    },
    takeBack(number) {
      fork++
      blocks.splice(Math.max(1, number))
      l2.safe = Math.min(l2.safe, blocks.length - 1)
      l2.finalized = Math.min(l2.finalized, blocks.length - 1)
    },
    async snapshot({ numbers, transactions }) {
      await new Promise((resolve) => setImmediate(resolve))
      ensureUp(l2.down, 'L2')
      const shown = l2.seen ?? { unsafe: blocks.length - 1, safe: l2.safe, finalized: l2.finalized }
      const visible = blocks.slice(0, shown.unsafe + 1)
      const head = (at: number) => {
        const { number, timestampSec } = visible[Math.min(at, visible.length - 1)] as FakeL2Block
        return { number, timestampSec }
      }
      const last = visible.at(-1) as FakeL2Block
      return {
        unsafe: head(shown.unsafe),
        safe: head(shown.safe),
        finalized: head(shown.finalized),
        origin: { number: last.origin.number, timestampSec: last.origin.timestampSec },
        hashes: numbers.map((number) => visible[number]?.hash ?? null),
        receipts: transactions.map((hash) => visible.find(({ receipts }) => receipts.has(hash))?.receipts.get(hash) ?? null),
      }
    },
    async whyFailed(l2TxHash) {
      ensureUp(l2.down, 'L2')
      return failures.get(l2TxHash) ?? null
    },
    async isMessageDone(messageHash) {
      ensureUp(l2.down, 'L2')
      return l2.doneMessages.has(messageHash)
    },
  }
  return l2
}
