import assert from 'node:assert/strict'
import type { RpcClient } from '@keelson/client'
import { toAddress } from '@keelson/primitives'
import { createManualClock } from '@keelson/runtime'
import { createRecordingLogger } from '../../../../test/support/recording-logger.ts'
import { createUnsafeBlockSigner } from './unsafe-block-signer.ts'

const SYSTEM_CONFIG = toAddress(`0x${'22'.repeat(20)}`)
const FIRST = `0x${'aa'.repeat(20)}`
const SECOND = `0x${'bb'.repeat(20)}`
const word = (address: string) => `0x${'00'.repeat(12)}${address.slice(2)}`

describe('who signs unsafe blocks', () => {
  it('is read from L1 and read again; while L1 has not said, nobody does', async () => {
    const clock = createManualClock(1_000)
    const log = createRecordingLogger()
    let answer: () => unknown = () => {
      throw new Error('L1 is away')
    }
    const asked: unknown[] = []
    const l1: RpcClient = {
      host: 'l1',
      call: async (method, params) => {
        asked.push([method, (params[0] as { to: string }).to])
        return answer()
      },
      batch: () => assert.fail('one call is enough'),
      close: () => undefined,
    }
    const signer = createUnsafeBlockSigner(SYSTEM_CONFIG, l1, clock, log)
    await signer.start(new AbortController().signal)
    await clock.advance(0)
    assert.equal(signer.current(), null)
    assert.equal(log.matching('gossiped blocks are ignored until L1 answers').length, 1)
    assert.deepEqual(asked[0], ['eth_call', SYSTEM_CONFIG])

    answer = () => word(FIRST)
    await clock.advance(2_000)
    assert.equal(signer.current(), FIRST)

    answer = () => {
      throw new Error('L1 is away again')
    }
    await clock.advance(60_000)
    assert.equal(signer.current(), FIRST, 'what is known stays known')

    answer = () => word(SECOND)
    await clock.advance(2_000)
    assert.equal(signer.current(), SECOND)

    answer = () => word(`0x${'00'.repeat(20)}`)
    await clock.advance(60_000)
    assert.equal(signer.current(), null, 'the zero address is nobody')
    await signer.stop()
    assert.equal(clock.sleepers.length, 0)
  })

  it('is the account that the network publishes until L1 answers, and then the one of L1 alone', async () => {
    const clock = createManualClock(1_000)
    const log = createRecordingLogger()
    let answer: () => unknown = () => {
      throw new Error('L1 is away')
    }
    const l1: RpcClient = { host: 'l1', call: async () => answer(), batch: () => assert.fail('one call is enough'), close: () => undefined }
    const signer = createUnsafeBlockSigner(SYSTEM_CONFIG, l1, clock, log, { published: toAddress(FIRST) })
    await signer.start(new AbortController().signal)
    await clock.advance(0)
    await clock.advance(2_000)
    assert.equal(signer.current(), FIRST)
    assert.equal(log.matching('the one that the network publishes is accepted').length, 1, 'said once')

    answer = () => word(`0x${'00'.repeat(20)}`)
    await clock.advance(2_000)
    assert.equal(signer.current(), null, 'L1 names nobody')
    answer = () => {
      throw new Error('L1 is away again')
    }
    await clock.advance(60_000)
    assert.equal(signer.current(), null, 'the published account does not come back')
    await signer.stop()
  })
})
