/**
 * Limits requests per peer and in total, so that they never slow this node. specs: protocol/rollup-node-p2p.md#payload_by_number
 */
import type { Clock, Logger } from '@keelson/primitives'
import { createTokenBucket, createTokenBuckets } from '@keelson/runtime'
import { messageOf } from '../../errors.ts'
import type { ServingLimits } from '../../options.ts'
import type { L2BlockSource, PayloadServer } from '../../ports.ts'
import { decodePayloadRequest, encodePayloadAnswer, encodePayloadRefusal, type PayloadRefusal } from './payload-exchange.ts'

export interface PayloadServerDependencies {
  readonly blocks: Pick<L2BlockSource, 'payload'>
  /** Numbers of genesis and of the block due now. */
  readonly range: () => { readonly first: number; readonly last: number }
  readonly limits: ServingLimits
  readonly clock: Clock
  readonly log: Logger
  readonly onAnswer?: (result: 'payload' | PayloadRefusal) => void
}

/** Limits on queued requests. The limit per peer equals the number of blocks that a node requests concurrently. */
const MAX_WAITING = 64
const MAX_WAITING_OF_A_PEER = 16
const MAX_REMEMBERED_PEERS = 256

export function createPayloadServer({ blocks, range, limits, clock, log, onAnswer }: PayloadServerDependencies): PayloadServer {
  const all = createTokenBucket(limits.allPeers, clock)
  const bucketOf = createTokenBuckets(limits.onePeer, clock, MAX_REMEMBERED_PEERS)
  const waitingOf = new Map<string, number>()
  let waiting = 0

  async function turn(peer: string): Promise<boolean> {
    const mine = waitingOf.get(peer) ?? 0
    if (waiting >= MAX_WAITING || mine >= MAX_WAITING_OF_A_PEER) return false
    waiting++
    waitingOf.set(peer, mine + 1)
    try {
      await bucketOf(peer).take(1)
      await all.take(1)
      return true
    } finally {
      waiting--
      const left = (waitingOf.get(peer) ?? 1) - 1
      if (left === 0) waitingOf.delete(peer)
      else waitingOf.set(peer, left)
    }
  }

  async function find(request: Uint8Array, from: string): Promise<Uint8Array | PayloadRefusal> {
    const number = decodePayloadRequest(request)
    const { first, last } = range()
    if (number === null || number < first || number > last) return 'invalid-request'
    if (!(await turn(from))) return 'failed'
    const envelope = await blocks.payload(number)
    return envelope === null ? 'not-found' : encodePayloadAnswer(envelope)
  }

  return {
    async answer(request, from) {
      const found = await find(request, from).catch((error: unknown): PayloadRefusal => {
        log.debug('a block that a peer asked for could not be read', { peer: from, reason: messageOf(error) })
        return 'failed'
      })
      onAnswer?.(typeof found === 'string' ? found : 'payload')
      return typeof found === 'string' ? encodePayloadRefusal(found) : found
    },
  }
}
