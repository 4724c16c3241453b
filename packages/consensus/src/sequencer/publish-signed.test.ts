import assert from 'node:assert/strict'
import { type PayloadEnvelope, toHash } from '@keelson/primitives'
import { createManualClock, createMemoryStore, createMetrics, createSilentLogger } from '@keelson/runtime'
import { makePayload } from '../../../../test/support/payloads.ts'
import { createSignedPublisher } from './publish-signed.ts'
import { createSigningRecord } from './signing-record.ts'

const NOW_SEC = 1_800_000_000
const L1_ORIGIN = { hash: toHash(`0x${'07'.repeat(32)}`), number: 7 }

function blockAt(number: number, timestampSec: number): PayloadEnvelope {
  const parentHash = toHash(`0x${number.toString(16).padStart(64, '0')}`)
  return makePayload({ number, parentHash, timestampSec, l1Origin: L1_ORIGIN, sequenceNumber: number })
}

function setup() {
  const inner = createMemoryStore()
  const writes: unknown[] = []
  const store = {
    ...inner,
    batch(...[ops, options]: Parameters<typeof inner.batch>) {
      writes.push(options?.sync)
      return inner.batch(ops, options)
    },
  }
  const sent: { readonly number: number; readonly writesBefore: number }[] = []
  const gossip = {
    async publish({ payload }: PayloadEnvelope) {
      sent.push({ number: payload.blockNumber, writesBefore: writes.length })
    },
  }
  const record = createSigningRecord(store, { genesis: 0, dueIn: () => 0 })
  const clock = createManualClock(NOW_SEC * 1000)
  return { publisher: createSignedPublisher(gossip, record, createSilentLogger(), createMetrics('consensus'), clock), writes, sent }
}

describe('the publisher of signed blocks', () => {
  it('publishes a block after its record is on disk', async () => {
    const { publisher, writes, sent } = setup()
    publisher.publish(blockAt(1, NOW_SEC - 59))
    await publisher.settled()
    assert.deepEqual(writes, [true])
    assert.deepEqual(sent, [{ number: 1, writesBefore: 1 }])
  })

  it('waits for no disk for a block too old to be published, as after a pause', async () => {
    const { publisher, writes, sent } = setup()
    publisher.publish(blockAt(1, NOW_SEC - 61))
    publisher.publish(blockAt(2, NOW_SEC - 3_600))
    await publisher.settled()
    assert.deepEqual(writes, [false, false])
    assert.deepEqual(sent, [])
  })
})
