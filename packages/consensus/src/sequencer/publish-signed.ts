import type { Clock, Logger, PayloadEnvelope } from '@keelson/primitives'
import type { Metrics } from '@keelson/runtime'
import { messageOf } from '../errors.ts'
import { isTooOldForGossip } from '../p2p/gossip/block-validator.ts'
import type { BlockGossip } from '../ports.ts'
import type { SigningRecord, SigningVerdict } from './signing-record.ts'

export interface SignedPublisher {
  /** Records the block as signed, then signs and gossips it. Nothing else may sign a block. Never throws. */
  publish(envelope: PayloadEnvelope): void
  settled(): Promise<void>
}

const WHY: Readonly<Record<Exclude<SigningVerdict, 'granted'>, string>> = {
  'another-signed': 'this node signed another block for the same place before, and no longer has it',
  'height-unknown': 'a block of this height may have been signed with this key before that is not in the signing record',
}

export function createSignedPublisher(
  gossip: Pick<BlockGossip, 'publish'> | null,
  record: Pick<SigningRecord, 'admit'>,
  log: Logger,
  metrics: Metrics,
  clock: Pick<Clock, 'nowMs'>,
): SignedPublisher {
  const starts = Object.keys(WHY).map((reason) => ({ reason }))
  const unsigned = metrics.counter('sequencer_unsigned_blocks_total', 'blocks not signed, to avoid double signing', ['reason'], starts)
  let silent = false
  let last: Promise<unknown> = Promise.resolve()

  async function send(to: Pick<BlockGossip, 'publish'>, envelope: PayloadEnvelope): Promise<void> {
    const { blockNumber: number } = envelope.payload
    // peers penalize blocks this old
    const sent = !isTooOldForGossip(envelope.payload.timestampSec, clock.nowMs() / 1000)
    const verdict = await record.admit(envelope, sent)
    if (verdict === 'granted') {
      if (silent) log.info('blocks are signed and gossiped again', { number })
      silent = false
      return sent ? to.publish(envelope) : undefined
    }
    unsigned.inc(1, { reason: verdict })
    if (!silent) {
      log.warn('blocks are built but neither signed nor gossiped, to avoid double signing', {
        number,
        reason: WHY[verdict],
        remedy: 'none: peers request these blocks once they receive the next signed one',
      })
    }
    silent = true
  }

  return {
    publish(envelope) {
      if (gossip === null) return
      const sending = send(gossip, envelope).catch((error: unknown) => {
        log.warn('block not gossiped', { number: envelope.payload.blockNumber, reason: messageOf(error) })
      })
      last = Promise.all([last, sending])
    },
    async settled() {
      await last
    },
  }
}
