/**
 * Compares attested checkpoints with blocks that are final here, which no honest attestation can contradict. Validators
 * choose the heights that are looked up, so a height that cannot be read delays only itself: it is tried again after the
 * others, and newer attestations come first, since the contract takes evidence for a limited time.
 */
import { type Address, bigintToBytes, bytesToHex, type Clock, type Hash, HISTORY_STORAGE, type Logger, toHash } from '@keelson/primitives'
import { SERVED_BLOCK_HASHES } from '../../blocks/served-hashes.ts'
import { messageOf } from '../../errors.ts'
import type { AttestationPool, PooledAttestation } from './attestation-pool.ts'

export interface CheckpointComparison {
  /** One round. Never rejects: what could not be read is left for a later round. */
  run(): Promise<void>
}

export interface CheckpointComparisonDependencies {
  readonly pool: Pick<AttestationPool, 'uncompared'>
  /** Calls a contract after the newest block of the execution client. */
  readonly call: (to: Address, data: Uint8Array) => Promise<Uint8Array>
  /** Null while they are not known. */
  readonly heads: () => { readonly unsafe: number; readonly finalized: number } | null
  readonly clock: Pick<Clock, 'monotonicMs'>
  readonly log: Logger
  readonly onWrong: (seen: PooledAttestation, actualHash: Hash) => void
}

/** Heights of one round, and questions at once. */
const HEIGHTS_IN_ROUND = 256
const AT_ONCE = 16
const RETRY_AFTER_MS = 60_000

export function createCheckpointComparison(deps: CheckpointComparisonDependencies): CheckpointComparison {
  const { pool, heads, clock, log } = deps
  /** When a height that could not be read may be tried again; monotonic milliseconds. */
  const retryMs = new Map<number, number>()
  let running: Promise<void> | null = null

  /** The contract that the Staking contract judges evidence by: it has the hashes even where the node lacks the blocks. */
  async function hashOf(number: number): Promise<Hash | null> {
    const word = await deps.call(HISTORY_STORAGE, bigintToBytes(BigInt(number), 32))
    // zero: from before the contract began to be filled
    return word.length !== 32 || word.every((byte) => byte === 0) ? null : toHash(bytesToHex(word))
  }

  /** Whether the height could be read. */
  async function compareAt(number: number, attestations: readonly PooledAttestation[]): Promise<boolean> {
    const actualHash = await hashOf(number).catch((error: unknown) => {
      log.debug('a checkpoint could not be compared', { number, reason: messageOf(error) })
      return null
    })
    if (actualHash === null) {
      retryMs.set(number, clock.monotonicMs() + RETRY_AFTER_MS)
      return false
    }
    retryMs.delete(number)
    for (const seen of attestations) {
      seen.compared = true
      if (seen.attestation.checkpointHash !== actualHash) deps.onWrong(seen, actualHash)
    }
    return true
  }

  async function round(): Promise<void> {
    const at = heads()
    if (at === null) return
    const heights = new Map<number, PooledAttestation[]>()
    for (const seen of pool.uncompared(at.unsafe - SERVED_BLOCK_HASHES, Math.min(at.finalized, at.unsafe - 1))) {
      const { checkpointNumber: number } = seen.attestation
      heights.set(number, [...(heights.get(number) ?? []), seen])
    }
    for (const number of retryMs.keys()) if (!heights.has(number)) retryMs.delete(number)
    const due = [...heights.keys()].filter((number) => (retryMs.get(number) ?? 0) <= clock.monotonicMs())
    const untried = due.filter((number) => !retryMs.has(number))
    const chosen = [...untried, ...due.filter((number) => retryMs.has(number))].slice(0, HEIGHTS_IN_ROUND)
    for (let from = 0; from < chosen.length; from += AT_ONCE) {
      const numbers = chosen.slice(from, from + AT_ONCE)
      const read = await Promise.all(numbers.map((number) => compareAt(number, heights.get(number) ?? [])))
      // most likely the execution client does not answer
      if (!read.includes(true)) return
    }
  }

  return {
    run() {
      running ??= round().finally(() => {
        running = null
      })
      return running
    },
  }
}
