/**
 * The follower's side of the stream.
 *
 * A sequence is the subblocks of one build. It begins with index 0 and grows by one; a subblock that does not fit ends it, and the
 * follower ignores the stream until the next index 0. A sequence whose parent is the head is executed and served as the pending block.
 * A sequence whose parent is not the head yet is collected, because the stream is faster than the gossip of the sealed parent, and
 * executed when the head arrives.
 *
 * Each sealed block that arrives judges the sequence of its number: `confirmed` when the block begins with the streamed transactions,
 * `contradicted` when it does not, `missed` when no subblock was heard. After a contradiction the stream is collected but not served
 * until a sealed block confirms it again. So a stream that lies or stalls costs nothing but its speed: `pending` is then the head, as
 * without a stream. specs: protocol/subblocks.md#consumer-guarantees
 */
import { type Block, CodecError, isPostExec, type Logger } from '@keelson/primitives'
import { type CounterMetric, createLogThrottle, type LogThrottle, type Metrics } from '@keelson/runtime'
import type { SealedHeader } from '../chain/chain-reader.ts'
import type { ChainMove } from '../chain/chain-store.ts'
import type { ExecutionContext } from '../import/execution-context.ts'
import type { PendingBlock } from './pending-block.ts'
import type { PendingBlocks } from './pending-blocks.ts'
import { decodeSubblock, type Subblock, type SubblockBase } from './subblock.ts'
import { SubblockExecution } from './subblock-execution.ts'

interface Sequence {
  readonly base: SubblockBase
  readonly subblocks: Subblock[]
  bytes: number
  /** Subblocks that are executed. */
  done: number
  execution: SubblockExecution | null
  /** The block after the executed subblocks. */
  pending: PendingBlock | null
}

type Verdict = 'confirmed' | 'contradicted' | 'missed'

const VERDICTS: readonly { readonly verdict: Verdict }[] = [{ verdict: 'confirmed' }, { verdict: 'contradicted' }, { verdict: 'missed' }]

/** Blocks that a stream may be ahead of the head. */
const MAX_AHEAD = 3
const MAX_SEQUENCE_BYTES = 32 * 2 ** 20
const MAX_SUBBLOCKS = 1_000
/** Sealed blocks without a subblock after which the stream counts as silent. */
const SILENT_AFTER = 3

export interface SubblockFollowerOptions {
  readonly maxTransactionMs: number
}

export class SubblockFollower {
  readonly #options: SubblockFollowerOptions
  readonly #context: ExecutionContext
  readonly #pending: PendingBlocks
  readonly #log: Logger
  readonly #verdicts: CounterMetric
  readonly #throttle: LogThrottle
  readonly #sequences = new Map<number, Sequence>()
  #current: Sequence | null = null
  #isTrusted = true
  #missed = 0

  constructor(options: SubblockFollowerOptions, context: ExecutionContext, pending: PendingBlocks, metrics: Metrics) {
    this.#options = options
    this.#context = context
    this.#pending = pending
    this.#log = context.log.child('subblocks')
    this.#verdicts = metrics.counter(
      'subblock_blocks_total',
      'Sealed blocks by what the subblock stream had said of them: confirmed, contradicted or missed',
      ['verdict'],
      VERDICTS,
    )
    this.#throttle = createLogThrottle(context.clock)
    metrics.gauge(
      'subblock_stream_trusted',
      '0 from a sealed block that contradicts the subblock stream to one that confirms it',
      [],
      () => (this.#isTrusted ? 1 : 0),
    )
  }

  receive(text: string): void {
    try {
      this.#take(decodeSubblock(text), text.length)
    } catch (error) {
      if (!(error instanceof CodecError)) throw error
      this.#drop(this.#current, `a message cannot be read: ${error.message}`)
    }
  }

  /** The connection is lost, so the next subblock does not follow the last one. */
  lost(): void {
    this.#current = null
  }

  onMove(move: ChainMove): void {
    for (const block of move.added) this.#judge(block)
    const { number } = move.head.header
    for (const known of this.#sequences.keys()) if (known <= number || known > number + MAX_AHEAD) this.#sequences.delete(known)
    // A move of the safe or finalized head leaves the sequence where it is.
    const next = this.#sequences.get(number + 1)
    if (next === undefined || !this.#advance(next)) this.#pending.set(null)
  }

  #take(subblock: Subblock, bytes: number): void {
    if (subblock.index === 0) this.#begin(subblock, bytes)
    else if (this.#current !== null) this.#continue(this.#current, subblock, bytes)
  }

  #continue(sequence: Sequence, subblock: Subblock, bytes: number): void {
    const first = sequence.subblocks[0] as Subblock
    const fits =
      subblock.base === null &&
      subblock.payloadId === first.payloadId &&
      subblock.index === sequence.subblocks.length &&
      subblock.blockNumber === first.blockNumber
    const isLarge = sequence.bytes + bytes > MAX_SEQUENCE_BYTES || sequence.subblocks.length >= MAX_SUBBLOCKS
    if (!fits) {
      this.#drop(sequence, `subblock ${subblock.index} of block ${subblock.blockNumber} does not follow the last one`)
    } else if (isLarge) {
      this.#drop(sequence, `the subblocks of block ${first.blockNumber} are too large`)
    } else {
      sequence.subblocks.push(subblock)
      sequence.bytes += bytes
      this.#advance(sequence)
    }
  }

  #begin(first: Subblock, bytes: number): void {
    const { base } = first
    this.#current = null
    if (base === null || base.number !== first.blockNumber) {
      this.#drop(null, 'the first subblock of a block has no base that fits')
      return
    }
    const head = this.#context.chain.label('unsafe').header.number
    // While this node syncs, the stream is of blocks that it cannot execute yet.
    if (base.number <= head || base.number > head + MAX_AHEAD) return
    this.#current = { base, subblocks: [first], bytes, done: 0, execution: null, pending: null }
    this.#sequences.set(base.number, this.#current)
    this.#advance(this.#current)
  }

  /** Executes what is new and serves it, if the parent is the head. Returns false when nothing of the sequence can be served. */
  #advance(sequence: Sequence): boolean {
    const { base, subblocks } = sequence
    const head = this.#context.chain.label('unsafe')
    if (base.parentHash !== head.hash) return false
    sequence.execution ??= this.#open(base, head)
    if (sequence.execution === null) return false
    while (sequence.done < subblocks.length) {
      const outcome = sequence.execution.add(subblocks[sequence.done] as Subblock)
      if ('problem' in outcome) {
        this.#refuse(sequence, outcome.problem)
        return false
      }
      sequence.pending = outcome.pending
      sequence.done++
    }
    if (!this.#isTrusted || sequence.pending === null) return false
    this.#pending.set(sequence.pending)
    return true
  }

  #open(base: SubblockBase, parent: SealedHeader): SubblockExecution | null {
    const { state, rules } = this.#context
    const { limit } = rules
    // The node stops before a fork that it does not know, and so does the stream.
    if (limit !== undefined && limit !== null && base.timestampSec >= limit.fork.timeSec) return null
    const view = state.viewAt(parent.hash)
    if (view === null) return null
    return new SubblockExecution(this.#context, parent, view, base, this.#options.maxTransactionMs)
  }

  #judge(block: Block): void {
    const sequence = this.#sequences.get(block.header.number)
    const verdict: Verdict = sequence === undefined ? 'missed' : isConfirmed(sequence, block) ? 'confirmed' : 'contradicted'
    this.#verdicts.inc(1, { verdict })
    this.#missed = verdict === 'missed' ? this.#missed + 1 : 0
    const { hash } = block
    const { number } = block.header
    if (this.#missed === SILENT_AFTER) this.#log.warn('the subblock stream is silent: pending is the head', { number, hash })
    if (verdict === 'contradicted' && this.#isTrusted) {
      this.#isTrusted = false
      this.#log.warn('a sealed block contradicts its subblocks: pending is the head until one confirms them again', { number, hash })
    } else if (verdict === 'confirmed' && !this.#isTrusted) {
      this.#isTrusted = true
      this.#log.info('a sealed block confirms its subblocks again: pending follows the stream', { number, hash })
    }
  }

  #refuse(sequence: Sequence, problem: string): void {
    this.#isTrusted = false
    this.#pending.set(null)
    this.#drop(sequence, `block ${sequence.base.number}: ${problem}`)
  }

  #drop(sequence: Sequence | null, reason: string): void {
    this.#throttle((suppressed) => this.#log.warn('ignored the subblock stream until its next block', { reason, suppressed }))
    this.#current = null
    if (sequence !== null && this.#sequences.get(sequence.base.number) === sequence) this.#sequences.delete(sequence.base.number)
  }
}

/** The stream leaves out the post-execution transaction. specs: protocol/lagoon/post-exec.md#subblocks */
function isConfirmed({ base, subblocks }: Sequence, { header, transactions }: Block): boolean {
  if (header.parentHash !== base.parentHash) return false
  const streamed = subblocks.flatMap((subblock) => subblock.transactions)
  const sealed = transactions.filter((tx) => !isPostExec(tx))
  return streamed.length <= sealed.length && streamed.every(({ hash }, i) => sealed[i]?.hash === hash)
}
