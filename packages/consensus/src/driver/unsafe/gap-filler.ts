import type { Clock, Hash, Logger, PayloadEnvelope } from '@keelson/primitives'
import { messageOf } from '../../errors.ts'
import type { BlockGossip, L2BlockSource, PayloadFromPeer } from '../../ports.ts'
import type { DriverInputs } from '../driver-inputs.ts'

export interface GapFiller {
  /**
   * Requests the blocks between `unsafeNumber` and `next` downwards, checked by parent hash, so only ancestors of a signed block
   * are accepted. specs: protocol/rollup-node-p2p.md#payload_by_number
   */
  want(unsafeNumber: number, next: PayloadEnvelope): void
  readonly busy: boolean
  /**
   * Returns true if neither a peer nor the execution client had a block of the gap, and forgets it. The caller then offers the block
   * at the end of the gap to the execution client, which fetches the blocks below it from its own peers. op-node no longer requests payloads from peers: ethereum-optimism/
   * optimism, docs/public-docs/notices/archive/req-resp-cl-sync-deprecation.mdx.
   */
  takeUnanswered(): boolean
}

export interface GapFillerDependencies {
  readonly peers: Pick<BlockGossip, 'requestPayload'>
  /** The execution client, which may have the block from its own peers. */
  readonly l2: Pick<L2BlockSource, 'payload'>
  readonly inputs: Pick<DriverInputs, 'push' | 'wake'>
  readonly clock: Clock
  readonly log: Logger
}

/** Longer gaps are left to derivation. */
const MAX_GAP_BLOCKS = 1_800
const WINDOW_BLOCKS = 16
const RETRY_MS = 2_000

interface AskedAhead {
  readonly found: Promise<PayloadFromPeer | null>
  /** Null cancels the request. */
  tellHash(hash: Hash | null): void
}

function askAhead(number: number, ask: (number: number, hash: Promise<Hash | null>) => AskedAhead['found']): AskedAhead {
  let tellHash: AskedAhead['tellHash'] = () => undefined
  const hash = new Promise<Hash | null>((resolve) => {
    tellHash = resolve
  })
  return { found: ask(number, hash), tellHash: (known) => tellHash(known) }
}

export function createGapFiller({ peers, l2, inputs, clock, log }: GapFillerDependencies): GapFiller {
  let running = false
  let unanswered = false
  let retryAtMs = 0
  let floor = 0

  async function fromExecutionClient(hash: Hash): Promise<PayloadFromPeer | null> {
    try {
      const envelope = await l2.payload(hash)
      return envelope === null ? null : { envelope, from: 'the execution client' }
    } catch (error) {
      log.debug('request to the execution client for a missing block failed', { hash, reason: messageOf(error) })
      return null
    }
  }

  async function run(number: number, hash: Hash): Promise<void> {
    const ahead = new Map<number, AskedAhead>()
    const ask = (asked: number, askedHash: Hash | Promise<Hash | null>) =>
      peers.requestPayload(asked, askedHash).catch((error: unknown) => {
        log.debug('request to peers for a block failed', { number: asked, reason: messageOf(error) })
        return null
      })
    let filled = 0
    let wanted: { number: number; hash: Hash } = { number, hash }
    for (; wanted.number > floor; filled++) {
      for (let n = wanted.number; n > floor && n > wanted.number - WINDOW_BLOCKS; n--) {
        if (!ahead.has(n)) ahead.set(n, askAhead(n, ask))
      }
      const next = ahead.get(wanted.number)
      next?.tellHash(wanted.hash)
      ahead.delete(wanted.number)
      const found = (await next?.found) ?? (await fromExecutionClient(wanted.hash))
      if (found === null) break
      inputs.push({ kind: 'unsafe-payload', ...found })
      wanted = { number: wanted.number - 1, hash: found.envelope.payload.parentHash }
    }
    for (const { tellHash } of ahead.values()) tellHash(null)
    await Promise.all([...ahead.values()].map(({ found }) => found))
    if (wanted.number > floor) {
      retryAtMs = clock.nowMs() + RETRY_MS
      unanswered = true
    }
    if (filled > 0) log.info('received blocks from peers that gossip missed', { blocks: filled, upTo: number })
  }

  return {
    want(unsafeNumber, next) {
      floor = unsafeNumber
      const { blockNumber, parentHash } = next.payload
      if (running || blockNumber - unsafeNumber > MAX_GAP_BLOCKS || clock.nowMs() < retryAtMs) return
      running = true
      void run(blockNumber - 1, parentHash).finally(() => {
        running = false
        inputs.wake()
      })
    },
    get busy() {
      return running
    },
    takeUnanswered() {
      const was = unanswered
      unanswered = false
      return was
    },
  }
}
