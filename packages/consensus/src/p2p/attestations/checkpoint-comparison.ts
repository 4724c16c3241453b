/**
 * Compares attested checkpoints with finalized blocks. Validators choose the heights, so an unreadable one must not delay others.
 * The newest come first, because the evidence period is limited.
 */

import { SERVED_BLOCK_HASHES } from '@keelson/contracts'
import { type Address, bigintToBytes, bytesToHex, type Clock, type Hash, HISTORY_STORAGE, type Logger, toHash } from '@keelson/primitives'
import { messageOf } from '../../errors.ts'
import type { AttestationPool, PooledAttestation } from './attestation-pool.ts'

export interface CheckpointComparison {
  /** Never rejects: unreadable heights wait for a later round. */
  run(): Promise<void>
}

export interface CheckpointComparisonDependencies {
  readonly pool: Pick<AttestationPool, 'uncompared'>
  readonly call: (to: Address, data: Uint8Array) => Promise<Uint8Array>
  readonly heads: () => { readonly unsafe: number; readonly finalized: number } | null
  readonly clock: Pick<Clock, 'monotonicMs'>
  readonly log: Logger
  readonly onWrong: (seen: PooledAttestation, actualHash: Hash) => void
}

const HEIGHTS_IN_ROUND = 256
const AT_ONCE = 16
const RETRY_AFTER_MS = 60_000

export function createCheckpointComparison(deps: CheckpointComparisonDependencies): CheckpointComparison {
  const { pool, heads, clock, log } = deps
  const retryMs = new Map<number, number>()
  let running: Promise<void> | null = null

  /**
   * Reads the contract that the Staking contract uses for evidence, which has the hashes even where the node lacks the blocks.
   */
  async function hashOf(number: number): Promise<Hash | null> {
    const word = await deps.call(HISTORY_STORAGE, bigintToBytes(BigInt(number), 32))
    // Zero: the block predates the contract.
    return word.length !== 32 || word.every((byte) => byte === 0) ? null : toHash(bytesToHex(word))
  }

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
      // The execution client probably does not answer.
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
