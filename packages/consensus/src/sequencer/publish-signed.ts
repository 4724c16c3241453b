/** The one way from a sequenced block to its signature: the record first, then gossip, which signs and sends. */
import type { Clock, Logger, PayloadEnvelope } from '@keelson/primitives'
import type { Metrics } from '@keelson/runtime'
import { messageOf } from '../errors.ts'
import { GOSSIP_MAX_AGE_SEC } from '../p2p/gossip/block-validator.ts'
import type { BlockGossip } from '../ports.ts'
import type { SigningRecord, SigningVerdict } from './signing-record.ts'

export interface SignedPublisher {
  /** Throws nothing; what is not sent is said in the log. */
  publish(envelope: PayloadEnvelope): void
  /** Resolves when all of them are sent, or are not. */
  settled(): Promise<void>
}

const WHY: Readonly<Record<Exclude<SigningVerdict, 'granted'>, string>> = {
  'another-signed': 'this node signed another block for the same place before, and no longer has it',
  'height-unknown': 'a block of this height may have been signed with this key before: it is not in the record of what this node signed',
}

export function createSignedPublisher(
  gossip: Pick<BlockGossip, 'publish'> | null,
  record: Pick<SigningRecord, 'admit'>,
  log: Logger,
  metrics: Metrics,
  clock: Pick<Clock, 'nowMs'>,
): SignedPublisher {
  const unsigned = metrics.counter('sequencer_unsigned_blocks_total', 'blocks not signed, so that no place is signed twice', ['reason'])
  let silent = false
  let last: Promise<unknown> = Promise.resolve()

  const isTooOld = (envelope: PayloadEnvelope) => envelope.payload.timestampSec * 1000 < clock.nowMs() - GOSSIP_MAX_AGE_SEC * 1000

  async function send(to: Pick<BlockGossip, 'publish'>, envelope: PayloadEnvelope): Promise<void> {
    const { blockNumber: number } = envelope.payload
    const verdict = await record.admit(envelope)
    if (verdict === 'granted') {
      if (silent) log.info('blocks are signed and gossiped again', { number })
      silent = false
      // a chain that catches up after a pause: each of these blocks would count against this node at its peers
      return isTooOld(envelope) ? undefined : to.publish(envelope)
    }
    unsigned.inc(1, { reason: verdict })
    if (!silent) {
      log.warn('blocks are built, and not signed nor gossiped, so that no place is signed twice', {
        number,
        reason: WHY[verdict],
        remedy: 'peers ask for these blocks when the next signed one comes; nothing needs to be done',
      })
    }
    silent = true
  }

  return {
    publish(envelope) {
      if (gossip === null) return
      const sending = send(gossip, envelope).catch((error: unknown) => {
        log.warn('a block was not gossiped', { number: envelope.payload.blockNumber, reason: messageOf(error) })
      })
      last = Promise.all([last, sending])
    },
    async settled() {
      await last
    },
  }
}
