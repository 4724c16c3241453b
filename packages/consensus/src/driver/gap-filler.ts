/**
 * Asks peers for the unsafe blocks between the unsafe head and the lowest one at hand, downwards, because each
 * block names its parent's hash: nothing is taken that does not lead to a block whose signature was checked.
 * specs: protocol/rollup-node-p2p.md#payload_by_number
 */
import type { Clock, Hash, Logger, PayloadEnvelope } from '@keelson/primitives'
import { messageOf } from '../errors.ts'
import type { PayloadFromPeer, UnsafeGossip } from '../ports.ts'

export interface GapFiller {
  /** Blocks above `unsafeNumber` and below `next` are missing. Starts asking, unless that is under way or just failed. */
  want(unsafeNumber: number, next: PayloadEnvelope): void
  /** Answers are awaited. */
  readonly busy: boolean
}

export interface GapFillerDependencies {
  readonly peers: Pick<UnsafeGossip, 'requestPayload'>
  readonly submit: (found: PayloadFromPeer) => void
  /** Called when a run has ended. */
  readonly ended: () => void
  readonly clock: Clock
  readonly log: Logger
}

/** A longer gap is left to derivation, which closes it from below. */
export const MAX_GAP_BLOCKS = 1_800
/** Blocks asked for at once: ahead of knowing their hashes, which the block above will tell. */
const WINDOW_BLOCKS = 16
const RETRY_MS = 2_000

export function createGapFiller({ peers, submit, ended, clock, log }: GapFillerDependencies): GapFiller {
  let running = false
  let retryAtMs = 0
  let floor = 0

  async function run(number: number, hash: Hash): Promise<void> {
    const ahead = new Map<number, Promise<PayloadFromPeer | null>>()
    const ask = (wanted: number, wantedHash: Hash | null) =>
      peers.requestPayload(wanted, wantedHash).catch((error: unknown) => {
        log.debug('peers could not be asked for a block', { number: wanted, reason: messageOf(error) })
        return null
      })
    let filled = 0
    let wanted: { number: number; hash: Hash } = { number, hash }
    for (; wanted.number > floor; filled++) {
      for (let n = wanted.number; n > floor && n > wanted.number - WINDOW_BLOCKS; n--) {
        if (!ahead.has(n)) ahead.set(n, ask(n, n === wanted.number ? wanted.hash : null))
      }
      let found = (await ahead.get(wanted.number)) ?? null
      ahead.delete(wanted.number)
      if (found?.envelope.payload.blockHash !== wanted.hash) found = await ask(wanted.number, wanted.hash)
      if (found === null) break
      submit(found)
      wanted = { number: wanted.number - 1, hash: found.envelope.payload.parentHash }
    }
    await Promise.all(ahead.values())
    if (wanted.number > floor) retryAtMs = clock.nowMs() + RETRY_MS
    if (filled > 0) log.info('blocks that gossip missed came from peers', { blocks: filled, upTo: number })
  }

  return {
    want(unsafeNumber, next) {
      floor = unsafeNumber
      const { blockNumber, parentHash } = next.payload
      if (running || blockNumber - unsafeNumber > MAX_GAP_BLOCKS || clock.nowMs() < retryAtMs) return
      running = true
      void run(blockNumber - 1, parentHash).finally(() => {
        running = false
        ended()
      })
    },
    get busy() {
      return running
    },
  }
}
