/** An L1 with a block every twelve seconds. Its head can be replaced, and it can stall. */
import { blobBaseFeeWei } from '@keelson/chainspec'
import type { BlockResult, HeaderSkeleton } from '@keelson/evm'
import {
  type Address,
  type Crypto,
  type Hash,
  hexToBytes,
  type L1BlockRef,
  type Random,
  recoverSender,
  type SignedTransaction,
  toAddress,
} from '@keelson/primitives'
import { RpcError } from '@keelson/runtime'
import type { Simulation } from '../core/simulation.ts'
import { L1Blobs, type NetworkForm } from './l1-blobs.ts'
import { type L1Block, NO_RESULT, planL1Block, sealL1Block } from './l1-block.ts'
import { L1_RULES, L1Engine } from './l1-engine.ts'
import type { L1Start } from './l1-genesis.ts'
import { L1Pool } from './l1-pool.ts'
import { depositedIn, proposalsIn } from './l1-records.ts'
import { accountOf, applyToL1, type L1State, openL1State } from './l1-state.ts'

export interface SimulatedL1Options {
  readonly chainId: bigint
  readonly blockTimeSec: number
  /** A block is final when the head is so many blocks above it. */
  readonly finalityBlocks: number
  readonly start: L1Start
}

const GWEI = 10n ** 9n
const LOWEST_BASE_FEE_WEI = 5n * GWEI
const HIGHEST_BASE_FEE_WEI = 60n * GWEI

export interface Inclusion {
  readonly block: L1Block
  readonly index: number
}

export class SimulatedL1 {
  readonly options: SimulatedL1Options
  readonly pool = new L1Pool()
  readonly blobs = new L1Blobs()
  /** While true, no block is made. */
  stalled = false
  /** Reorgs so far. */
  branch = 0
  readonly engine: L1Engine
  readonly #simulation: Simulation
  readonly #crypto: Crypto
  readonly #fees: Random
  readonly #branches: Random
  readonly #byHash = new Map<Hash, L1Block>()
  readonly #senders = new WeakMap<SignedTransaction, Address>()
  readonly #canonical: L1Block[] = []
  /** Transactions of canonical blocks. */
  readonly #included = new Map<Hash, Inclusion>()

  constructor(simulation: Simulation, crypto: Crypto, options: SimulatedL1Options) {
    this.options = options
    this.#simulation = simulation
    this.#crypto = crypto
    this.#fees = simulation.seed.random('l1 fees')
    this.#branches = simulation.seed.random('l1 branches')
    this.engine = new L1Engine({ chainId: options.chainId, crypto, blockHash: (number) => this.#canonical[number]?.hash ?? null })
    const timestampSec = Math.floor(simulation.startMs / 1000)
    const skeleton = planL1Block(null, { timestampSec, baseFeeWei: 10n * GWEI, branch: 0 })
    this.#append(sealL1Block(skeleton, 0, { transactions: [], result: NO_RESULT, state: openL1State(options.start.accounts) }))
  }

  get head(): L1Block {
    return this.#canonical[this.#canonical.length - 1] as L1Block
  }

  get finalizedNumber(): number {
    return Math.max(0, this.head.header.number - this.options.finalityBlocks)
  }

  get genesis(): L1BlockRef {
    const { hash, header } = this.#canonical[0] as L1Block
    return { hash, number: 0, parentHash: header.parentHash, timestampSec: header.timestampSec }
  }

  block(at: number | Hash | 'latest' | 'safe' | 'finalized'): L1Block | null {
    if (at === 'latest') return this.head
    if (at === 'safe') return this.#canonical[Math.max(0, this.head.header.number - Math.ceil(this.options.finalityBlocks / 2))] ?? null
    if (at === 'finalized') return this.#canonical[this.finalizedNumber] ?? null
    return (typeof at === 'number' ? this.#canonical[at] : this.#byHash.get(at)) ?? null
  }

  /** The canonical block of a transaction. */
  find(hash: Hash): Inclusion | null {
    return this.#included.get(hash) ?? null
  }

  readonly senderOf = (tx: SignedTransaction): Address => {
    const known = this.#senders.get(tx)
    if (known !== undefined) return known
    const recovered = recoverSender(tx, this.#crypto)
    if (recovered === null) throw new RpcError(-32000, 'invalid sender')
    const sender = toAddress(recovered)
    this.#senders.set(tx, sender)
    return sender
  }

  /** The canonical block of this time. */
  blockAtTime(timestampSec: number): L1Block | null {
    return this.#canonical.findLast(({ header }) => header.timestampSec === timestampSec) ?? null
  }

  /** Throws RpcError. */
  submit(form: NetworkForm): void {
    const { tx } = form
    this.pool.add({ tx, sender: this.senderOf(tx) }, this.head.state)
    this.blobs.keep(form)
  }

  start(): void {
    const { blockTimeSec } = this.options
    this.#simulation.after(blockTimeSec * 1000, null, 'l1 slot', () => {
      if (!this.stalled) this.#mine(Math.floor(this.#simulation.nowMs / 1000), 1)
      this.start()
    })
  }

  /** Replaces the top `depth` blocks by a longer branch. Some transactions get into later blocks than before. */
  reorg(depth: number): void {
    const dropped = this.#canonical.splice(Math.max(this.finalizedNumber + 1, this.#canonical.length - depth))
    if (dropped.length === 0) return
    this.branch++
    for (const tx of dropped.flatMap(({ transactions }) => transactions)) {
      this.#included.delete(tx.hash)
      this.pool.putBack({ tx, sender: this.senderOf(tx) })
    }
    for (const { header } of dropped) this.#mine(header.timestampSec, 0.5)
  }

  /** `inclusion` is the chance of each transaction to be in this block. */
  #mine(timestampSec: number, inclusion: number): void {
    const parent = this.head
    const { branch } = this
    const baseFeeWei = this.#nextBaseFee(parent.header.baseFeeWei as bigint)
    const skeleton = planL1Block(parent, { timestampSec, baseFeeWei, branch })
    const open = this.engine.openBlock(parent.state, skeleton)
    const transactions: SignedTransaction[] = []
    for (const sender of this.pool.senders()) {
      let { nonce } = accountOf(parent.state, sender)
      while (inclusion === 1 || this.#branches.next() < inclusion) {
        const tx = this.pool.peek(sender, nonce++, baseFeeWei)
        if (tx === null || open.applyTransaction(tx, hexToBytes(sender)).kind === 'rejected') break
        transactions.push(tx)
      }
    }
    const result = open.finish()
    const state = this.#stateAfter(parent.state, skeleton, result)
    this.#append(sealL1Block(skeleton, branch, { transactions, result, state }))
    this.pool.clean(state)
  }

  #stateAfter(
    before: L1State,
    { baseFeeWei, excessBlobGas }: HeaderSkeleton,
    { diff, receipts, gasUsed, blobGasUsed }: BlockResult,
  ): L1State {
    const blobFeeWei = blobBaseFeeWei(excessBlobGas ?? 0n, L1_RULES.blobParameters)
    const { addresses } = this.options.start
    const logs = receipts.flatMap((receipt) => [...receipt.logs])
    const proposed = proposalsIn(logs, addresses)
    return {
      ...applyToL1(before, diff),
      proposals: proposed.length === 0 ? before.proposals : [...before.proposals, ...proposed],
      burntWei: before.burntWei + gasUsed * (baseFeeWei ?? 0n) + (blobGasUsed ?? 0n) * blobFeeWei,
      depositedWei: before.depositedWei + depositedIn(logs, addresses),
    }
  }

  #append(block: L1Block): void {
    this.#canonical.push(block)
    this.#byHash.set(block.hash, block)
    block.transactions.forEach((tx, index) => {
      this.#included.set(tx.hash, { block, index })
    })
  }

  /** EIP-1559 allows steps of an eighth. */
  #nextBaseFee(parentWei: bigint): bigint {
    const stepped = parentWei + (parentWei * BigInt(Math.floor(this.#fees.next() * 251) - 125)) / 1000n
    if (stepped < LOWEST_BASE_FEE_WEI) return LOWEST_BASE_FEE_WEI
    return stepped > HIGHEST_BASE_FEE_WEI ? HIGHEST_BASE_FEE_WEI : stepped
  }
}
