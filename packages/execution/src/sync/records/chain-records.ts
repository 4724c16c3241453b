/** Stores blocks whose state arrives from peers, so that they are not executed. They are canonical before the head reaches them. */
import { ethParameters } from '@keelson/chainspec'
import { l1BlockValuesOfInfo, l1FeeDetails } from '@keelson/evm'
import { type Block, bytesToHex, type Hash, isDeposit, isSigned, type Receipt } from '@keelson/primitives'
import type { KeyValueOp, KeyValueStore } from '@keelson/runtime'
import { canonicalOps, staleOps } from '../../chain/canonical-ops.ts'
import type { SealedHeader } from '../../chain/chain-reader.ts'
import type { ChainStore } from '../../chain/chain-store.ts'
import { blockAtRange, canonicalKey, hashOfBlockAtKey } from '../../chain/keys.ts'
import type { StoredReceipt } from '../../chain/records.ts'
import type { ChainRules } from '../../chain-rules.ts'
import type { Senders } from '../../senders/senders.ts'
import type { FetchedRecord } from './block-records.ts'

export interface ChainRecordsDependencies {
  readonly store: KeyValueStore
  readonly chain: Pick<ChainStore, 'block' | 'receipts' | 'stageBlock' | 'pruneOps'>
  readonly rules: Pick<ChainRules, 'rulesAt'>
  readonly senders: Senders
}

const BLOCKS_PER_BATCH = 16

/** The header commits to a block that breaks the rules. */
export class BadRecord extends Error {
  readonly hash: Hash

  constructor(hash: Hash, message: string) {
    super(message)
    this.hash = hash
  }
}

export class ChainRecords {
  readonly #deps: ChainRecordsDependencies

  constructor(deps: ChainRecordsDependencies) {
    this.#deps = deps
  }

  /**
   * Deletes the blocks of all branches above `block`, which is above the head or is the head. The highest go first, so that each
   * block that is left after an interruption has its parent.
   */
  async dropAbove(block: SealedHeader): Promise<void> {
    const { store } = this.#deps
    const range = blockAtRange(block.header.number + 1, Number.MAX_SAFE_INTEGER)
    for (;;) {
      const ops: KeyValueOp[] = []
      for await (const [key] of store.range(...range, { reverse: true, limit: BLOCKS_PER_BATCH })) ops.push(...this.#dropOps(key))
      if (ops.length === 0) return
      await store.batch(ops)
    }
  }

  #dropOps(blockAt: Uint8Array): KeyValueOp[] {
    const { chain, store } = this.#deps
    const hash = bytesToHex(hashOfBlockAtKey(blockAt)) as Hash
    const block = chain.block(hash)
    const canonical = block === null ? null : store.getSync(canonicalKey(block.header.number))
    const isCanonical = canonical !== null && bytesToHex(canonical) === hash
    return [
      ...(block === null || !isCanonical ? [] : staleOps(block, chain.receipts(hash) ?? [])),
      ...chain.pruneOps(hash),
      { del: blockAt },
    ]
  }

  /** Ascending. Throws BadRecord. */
  async store(records: readonly FetchedRecord[]): Promise<void> {
    const ops: KeyValueOp[] = []
    const published: (() => void)[] = []
    for (const record of records) {
      const { block, receipts } = this.#read(record)
      const staged = this.#deps.chain.stageBlock(block, receipts)
      ops.push(...staged.ops, ...canonicalOps(block, receipts))
      published.push(staged.publish)
    }
    await this.#deps.store.batch(ops)
    for (const publish of published) publish()
  }

  #read({ block: fetched, receipts }: FetchedRecord): { readonly block: Block; readonly receipts: readonly StoredReceipt[] } {
    const { hash, header } = fetched.header
    const bad = (reason: string) => new BadRecord(hash, `block ${header.number}: ${reason}`)
    if (fetched.kind === 'undecodable') throw bad(fetched.reason)
    if (receipts.kind === 'undecodable') throw bad(receipts.reason)
    const { block } = fetched.block
    const { length } = receipts.receipts
    if (length !== block.transactions.length) throw bad(`${length} receipts for ${block.transactions.length} transactions`)
    return { block, receipts: this.#withSenders(block, receipts.receipts, bad) }
  }

  #withSenders(block: Block, receipts: readonly Receipt[], bad: (reason: string) => BadRecord): StoredReceipt[] {
    const rules = this.#deps.rules.rulesAt(block.header)
    const senders = this.#deps.senders.recoverAll(block.transactions, ethParameters(rules.ethFork).lowSignatures)
    const [info] = block.transactions
    const values = info !== undefined && isDeposit(info) ? l1BlockValuesOfInfo(info.data, rules) : null
    return receipts.map((receipt, i) => {
      const tx = block.transactions[i] as Block['transactions'][number]
      const sender = senders.at(i)
      if (sender === null) throw bad(`transaction ${i} (${tx.hash}): invalid sender`)
      return { receipt, sender, l1Fee: isSigned(tx) && values !== null ? l1FeeDetails(tx.raw, rules, values) : null }
    })
  }
}
