import { RpcResponseError } from '@keelson/client'
import {
  bytesToHex,
  type Clock,
  CodecError,
  decodeSignedTransaction,
  keccak256,
  type Logger,
  messageOf,
  parseData,
} from '@keelson/primitives'
import { invalidParams, type Metrics, RPC_ERROR_NUMBERS, RpcError, type RpcHandler, type RpcMethods } from '@keelson/runtime'
import type { LeaderWatch, Sequencer } from './leader-watch.ts'

export interface RouterMethodsOptions {
  /** How long a transaction waits while no sequencer leads, all attempts together. */
  readonly leaderWaitMs: number
}

export interface RouterMethodsDependencies {
  readonly watch: Pick<LeaderWatch, 'leader' | 'standby' | 'look' | 'whenLed'>
  readonly clock: Pick<Clock, 'monotonicMs'>
  readonly log: Logger
  readonly metrics: Metrics
}

/** As in the pool. */
const MAX_TRANSACTION_BYTES = 128 * 1024
/** One at the leader that was known, one at the leader found after it did not answer. */
const ATTEMPTS = 2
/** Texts of geth, reth and Nethermind. */
const ALREADY_THERE = /already ?known|already imported/i

/** Each transaction goes to the leader and to one standby, which has it in its pool when it takes over. The answer is the leader's. */
export function createRouterMethods(
  { leaderWaitMs }: RouterMethodsOptions,
  { watch, clock, log, metrics }: RouterMethodsDependencies,
): RpcMethods {
  const outcomes = metrics.counter('transactions_total', 'Transactions by the answer of the leader', ['outcome'])
  const copies = metrics.counter('standby_copies_total', 'Transactions sent to a standby, by whether it took them', ['outcome'])

  const copyTo = (standby: Sequencer, method: string, params: readonly unknown[], signal: AbortSignal) =>
    standby.submit(method, params, signal).then(
      () => copies.inc(1, { outcome: 'taken' }),
      (error: unknown) => copies.inc(1, { outcome: error instanceof RpcResponseError ? 'refused' : 'unanswered' }),
    )

  /** Null when the leader did not answer. */
  const askLeader = async (leader: Sequencer, method: string, params: readonly unknown[], signal: AbortSignal): Promise<string | null> => {
    try {
      const answer = await leader.submit(method, params, signal)
      outcomes.inc(1, { outcome: 'taken' })
      return String(answer)
    } catch (error) {
      if (!(error instanceof RpcResponseError)) {
        log.debug('the leader does not answer', { sequencer: leader.name, reason: messageOf(error) })
        return null
      }
      if (ALREADY_THERE.test(error.text)) {
        outcomes.inc(1, { outcome: 'known' })
        return hashOf(params)
      }
      outcomes.inc(1, { outcome: 'refused' })
      throw new RpcError(error.number, error.text, error.data, { cause: error })
    }
  }

  const submit =
    (method: string): RpcHandler =>
    async (params, { signal }) => {
      hashOf(params)
      const endMs = clock.monotonicMs() + leaderWaitMs
      let reason = 'no sequencer leads'
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const leader = await watch.whenLed(endMs, signal)
        if (leader === null) break
        const { standby } = watch
        if (standby !== null && attempt === 0) void copyTo(standby, method, params, signal)
        const answer = await askLeader(leader, method, params, signal)
        if (answer !== null) return answer
        // The caller is told no host: the sequencers may be private.
        reason = 'the leader does not answer'
        if (attempt + 1 < ATTEMPTS) await watch.look()
      }
      outcomes.inc(1, { outcome: 'unanswered' })
      throw new RpcError(RPC_ERROR_NUMBERS.server, `${reason}; the transaction may be in the pool of a sequencer: send it again`)
    }

  return {
    eth_sendRawTransaction: submit('eth_sendRawTransaction'),
    eth_sendRawTransactionConditional: submit('eth_sendRawTransactionConditional'),
  }
}

/** Throws RpcError for anything but a transaction, before a sequencer is asked. */
function hashOf(params: readonly unknown[]): string {
  try {
    const raw = parseData(params[0], 'transaction')
    if (raw.length > MAX_TRANSACTION_BYTES)
      throw invalidParams(`transaction of ${raw.length} bytes; at most ${MAX_TRANSACTION_BYTES} are taken`)
    decodeSignedTransaction(raw)
    return bytesToHex(keccak256(raw))
  } catch (error) {
    if (error instanceof CodecError) throw invalidParams(error.message)
    throw error
  }
}
