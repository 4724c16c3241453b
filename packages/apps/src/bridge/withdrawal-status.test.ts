import assert from 'node:assert/strict'
import { ClientError } from '@keelson/client'
import { type Hash, toAddress } from '@keelson/primitives'
import { createManualClock, createSilentLogger } from '@keelson/runtime'
import type { WithdrawalProgress, WithdrawalState } from './transfers/withdrawal-progress.ts'
import { createWithdrawalStatus } from './withdrawal-status.ts'

const HASH = `0x${'cd'.repeat(32)}` as Hash
const someone = toAddress(`0x${'a1'.repeat(20)}`)
const progress = (state: WithdrawalState, nextStepInSec: number | null): WithdrawalProgress => ({
  state,
  text: `it is ${state}`,
  l2Block: 9,
  withdrawalHash: HASH,
  nextStepInSec,
  output: null,
  withdrawal: { nonce: 1n, sender: someone, target: someone, valueWei: 10n ** 20n, gasLimit: 0n, data: new Uint8Array(0) },
})

describe('withdrawal status', () => {
  const world = (read: () => Promise<readonly WithdrawalProgress[] | null>) => {
    const clock = createManualClock(1_700_000_000_000)
    let asked = 0
    const counted = () => {
      asked++
      return read()
    }
    return { clock, service: createWithdrawalStatus({ read: counted, clock, log: createSilentLogger() }), asked: () => asked }
  }
  const ask = async (...states: readonly (readonly [WithdrawalState, number | null])[]) => {
    const answer = await world(async () => states.map(([state, sec]) => progress(state, sec))).service.status(HASH)
    assert.equal(answer.kind, 'found')
    return (answer as Extract<typeof answer, { kind: 'found' }>).withdrawals
  }

  it("uses viem's state names, and reports the next action and its time", async () => {
    const table = [
      ['waiting-to-prove', null, 'waiting-to-prove', 'wait', null],
      ['waiting-to-prove', 60, 'waiting-to-prove', 'wait', '2023-11-14T22:14:20.000Z'],
      ['ready-to-prove', 0, 'ready-to-prove', 'prove', null],
      ['waiting-to-finalize', 12, 'waiting-to-finalize', 'wait', '2023-11-14T22:13:32.000Z'],
      ['ready-to-finalize', 0, 'ready-to-finalize', 'finalize', null],
      ['finalized', null, 'finalized', 'none', null],
      ['failed', null, 'failed', 'none', null],
    ] as const
    for (const [state, sec, word, action, time] of table) {
      const { status, withdrawals } = await ask([state, sec])
      assert.deepEqual([status, withdrawals[0]?.nextAction.code, withdrawals[0]?.nextStepTime], [word, action, time], state)
      assert.equal(withdrawals[0]?.value, '100000000000000000000')
    }
  })

  it('reports the least advanced of several withdrawals', async () => {
    assert.equal((await ask(['finalized', null], ['ready-to-prove', 0], ['waiting-to-finalize', 5])).status, 'ready-to-prove')
  })

  it('shares one query between concurrent requests, and repeats it after two seconds', async () => {
    const { clock, service, asked } = world(async () => null)
    const answers = await Promise.all(Array.from({ length: 20 }, () => service.status(HASH)))
    assert.deepEqual([answers[19], asked()], [{ kind: 'unknown' }, 1])
    await clock.advance(2_000)
    await service.status(HASH)
    assert.equal(asked(), 2)
  })

  it('refuses too many concurrent requests, and reports an unavailable chain', async () => {
    const { service } = world(() => new Promise<never>(() => undefined))
    for (let i = 0; i < 16; i++) void service.status(`0x${i.toString(16).padStart(64, '0')}` as Hash)
    assert.equal((await service.status(HASH)).kind, 'unavailable')
    const down = world(() => Promise.reject(new ClientError('client/unreachable', 'temporary', 'http://key@host is down')))
    assert.deepEqual(await down.service.status(HASH), { kind: 'unavailable', reason: 'L1 or L2 is unavailable' })
  })
})
