import { CodecError, decodeTransaction, type Hash, type PayloadAttributes, type PayloadId, type Transaction } from '@keelson/primitives'
import { LRUCache } from 'lru-cache'
import type { SealedHeader } from '../chain/chain-reader.ts'
import { ExecutionError } from '../errors.ts'
import type { ExecutionContext } from '../import/execution-context.ts'
import type { BuilderOptions } from '../options.ts'
import { type SubblockListeners, SubblockStream } from '../subblocks/subblock-stream.ts'
import type { TxPool } from '../txpool/tx-pool.ts'
import { type DaLimits, NO_DA_LIMITS } from './da-limits.ts'
import { payloadIdOf } from './payload-id.ts'
import { PayloadJob, type PayloadShop } from './payload-job.ts'
import type { PayloadRequest, SealedPayload } from './payload-request.ts'

export type BuildStart = { readonly kind: 'started'; readonly id: PayloadId } | { readonly kind: 'invalid'; readonly reason: string }

export interface BlockBuilder {
  setDaLimits(limits: DaLimits): void
  /** Builds a payload that is not kept for `seal`. Only L1 chains accept extra data. */
  buildOnce(
    parent: SealedHeader,
    attributes: PayloadAttributes,
    extraData: Uint8Array | null,
  ): Promise<SealedPayload | { readonly invalid: string }>
  start(parent: SealedHeader, attributes: PayloadAttributes): Promise<BuildStart>
  /** Null when the id is unknown or the parent's state is pruned. */
  seal(id: PayloadId): Promise<SealedPayload | null>
  stop(): void
}

const REMEMBERED_GIVEN_UP = 256

/** `subblocks` receives the blocks that are built while they grow; null: nobody does. */
export function createBlockBuilder(
  options: BuilderOptions,
  context: ExecutionContext,
  pool: TxPool,
  subblocks: SubblockListeners | null,
): BlockBuilder {
  const jobs = new Map<PayloadId, PayloadJob>()
  let stream: SubblockStream | null = null
  const openStream = (request: PayloadRequest): SubblockStream | null => {
    if (subblocks === null) return null
    stream?.end()
    stream = new SubblockStream(request, context.clock, subblocks)
    return stream
  }
  const shop: PayloadShop = { context, pool, options, givenUp: new LRUCache({ max: REMEMBERED_GIVEN_UP }), openStream }
  let daLimits: DaLimits = NO_DA_LIMITS
  let newestParent: Hash | null = null
  const unsubscribe = pool.onExecutable((pooled) => {
    for (const job of jobs.values()) if (job.parentHash === newestParent) job.offer(pooled)
  })

  const prepare = (
    parent: SealedHeader,
    attributes: PayloadAttributes,
    id: PayloadId,
    extraData: Uint8Array | null = null,
  ): PayloadRequest | { readonly invalid: string } => {
    const view = context.state.viewAt(parent.hash)
    if (view === null) {
      throw new ExecutionError(
        'execution/missing-state',
        `cannot build on block ${parent.header.number} (${parent.hash}): its state is pruned`,
        {
          hash: parent.hash,
        },
      )
    }
    const given: PayloadRequest['given'][number][] = []
    const decoded = decodeTransactions(attributes.transactions)
    if ('invalid' in decoded) return decoded
    const senders = context.senders.recoverAll(decoded.transactions)
    for (const [i, tx] of decoded.transactions.entries()) {
      const sender = senders.at(i)
      if (sender === null) return { invalid: `transaction ${i} [${tx.hash}] has no valid signature` }
      given.push({ tx, sender })
    }
    const rules = context.rules.rulesAt({ number: parent.header.number + 1, timestampSec: attributes.timestampSec })
    return { id, parent, view, rules, attributes, given, daLimits, extraData }
  }

  return {
    async start(parent, attributes) {
      const id = payloadIdOf(parent.hash, attributes, context.crypto)
      if (jobs.has(id)) return { kind: 'started', id }
      const request = prepare(parent, attributes, id)
      if ('invalid' in request) return { kind: 'invalid', reason: request.invalid }
      const job = await PayloadJob.begin(request, shop)
      if ('invalid' in job) return { kind: 'invalid', reason: job.invalid }
      jobs.set(id, job)
      newestParent = parent.hash
      for (const [oldest, old] of jobs) {
        if (jobs.size <= options.maxPayloads) break
        old.stop()
        jobs.delete(oldest)
      }
      job.fill()
      return { kind: 'started', id }
    },
    setDaLimits(limits) {
      daLimits = limits
    },
    async buildOnce(parent, attributes, extraData) {
      const request = prepare(parent, attributes, payloadIdOf(parent.hash, attributes, context.crypto), extraData)
      if ('invalid' in request) return request
      const job = await PayloadJob.begin(request, { ...shop, openStream: () => null })
      if ('invalid' in job) return job
      job.fill()
      return job.seal()
    },
    async seal(id) {
      const job = jobs.get(id)
      if (job === undefined) return null
      try {
        return await job.seal()
      } catch (error) {
        if (context.state.viewAt(job.parentHash) !== null) throw error
        jobs.delete(id)
        return null
      }
    },
    stop() {
      unsubscribe()
      for (const job of jobs.values()) job.stop()
      jobs.clear()
    },
  }
}

function decodeTransactions(list: readonly Uint8Array[]): { readonly transactions: readonly Transaction[] } | { readonly invalid: string } {
  const transactions: Transaction[] = []
  for (const [i, raw] of list.entries()) {
    try {
      transactions.push(decodeTransaction(raw))
    } catch (error) {
      if (!(error instanceof CodecError)) throw error
      return { invalid: `transaction ${i} is not valid: ${error.message}` }
    }
  }
  return { transactions }
}
