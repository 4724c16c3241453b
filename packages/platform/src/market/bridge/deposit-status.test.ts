import assert from 'node:assert/strict'
import { toHash } from '@keelson/primitives'
import { createHttpClient, type HttpClient } from '@keelson/runtime'
import { createJsonSource } from '../http/json-source.ts'
import { type Loopback, openLoopback } from '../http/loopback.test-support.ts'
import { createDepositStatus } from './deposit-status.ts'

const HASH = toHash(`0x${'cd'.repeat(32)}`)
const STATUS = {
  state: 'relaying',
  l1TxHash: HASH,
  l1: { status: 'included', blockNumber: 41, blockHash: HASH, confirmations: 3, finalized: false },
  l2TxHash: null,
  l2BlockNumber: null,
  estimatedCompletionTime: '2026-06-01T00:01:00.000Z',
  reason: { code: 'slow', text: 'L2 has not reached it yet' },
  stuckReason: null,
  nextAction: { code: 'wait', text: 'wait' },
  asOf: '2026-06-01T00:00:00.000Z',
  stale: null,
}

describe('status of deposits', () => {
  let bridge: Loopback
  let http: HttpClient
  before(async () => {
    bridge = await openLoopback()
    http = createHttpClient()
  })
  after(() => {
    http.close()
    bridge.close()
  })
  const ask = () => createDepositStatus(createJsonSource({ name: 'bridge', baseUrl: bridge.url }, http))(HASH)

  it('is what the service of the bridge tells, with its name', async () => {
    bridge.answers = { [`/api/status/${HASH}`]: STATUS }
    const found = await ask()
    assert.ok(found.ok)
    const { state, l1_block_number, reason, source } = found.value
    assert.deepEqual([state, l1_block_number, reason], ['relaying', 41, 'L2 has not reached it yet'])
    assert.match(source, /^bridge \(127\.0\.0\.1/)
  })

  it('is not known of a transaction that the service does not know', async () => {
    bridge.answers = {}
    const found = await ask()
    assert.ok(!found.ok && found.reason === 'not-found' && found.detail.includes(HASH))
  })

  it('is an outage when the service answers with something else', async () => {
    bridge.answers = { [`/api/status/${HASH}`]: { ...STATUS, l1: 'yes' } }
    await assert.rejects(ask(), { code: 'platform/source', reason: 'bad-answer' })
  })
})
