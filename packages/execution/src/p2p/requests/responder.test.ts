import assert from 'node:assert/strict'
import type { Logger } from '@keelson/primitives'
import { createManualClock, nextTurn } from '@keelson/runtime'
import { Responder } from './responder.ts'
import { createServeTime } from './serve-time.ts'
import { createServing } from './serving.ts'

const ignore = () => undefined

function createWorld() {
  const clock = createManualClock(0)
  const sent: number[] = []
  const warnings: unknown[] = []
  const log: Logger = {
    debug: ignore,
    info: ignore,
    error: ignore,
    child: () => log,
    warn: (message, fields) => void warnings.push([message, fields?.code]),
  }
  const serving = createServing(clock)
  const responder = () =>
    new Responder({ clock, serving, log, maxWaiting: 4, send: async (_, payload) => void sent.push(payload[0] as number) })
  return { clock, sent, warnings, responder }
}

async function settle(): Promise<void> {
  for (let i = 0; i < 5; i++) await nextTurn()
}

describe('responses to a peer', () => {
  it('continue after one that could not be made, which is logged', async () => {
    const { sent, warnings, responder } = createWorld()
    const peer = responder()
    peer.answer(4, async () => Uint8Array.of(1))
    peer.answer(6, async () => {
      throw new Error('the record is broken')
    })
    peer.answer(4, async () => Uint8Array.of(2))
    await settle()
    assert.deepEqual(sent, [1, 2])
    assert.deepEqual(warnings, [['a request of a peer could not be answered', 6]])
  })

  it('are delayed for a peer whose requests fail again and again', async () => {
    const { clock, warnings, responder } = createWorld()
    const peer = responder()
    const fail = async () => {
      throw new Error('the record is broken')
    }
    for (let i = 0; i < 50; i++) {
      if (i % 4 === 0) await settle()
      try {
        peer.answer(4, fail)
      } catch {
        break
      }
    }
    await settle()
    assert.ok(warnings.length < 10, `${warnings.length} warnings at once`)
    const before = warnings.length
    for (let i = 0; i < 10; i++) {
      await clock.advance(100)
      await settle()
    }
    assert.ok(warnings.length > before)
  })

  it('are made one at a time, whichever peer asks', async () => {
    const { responder } = createWorld()
    let open = 0
    let most = 0
    const make = async () => {
      most = Math.max(most, ++open)
      await nextTurn()
      open--
      return Uint8Array.of(1)
    }
    for (let i = 0; i < 5; i++) responder().answer(4, make)
    for (let i = 0; i < 5; i++) await settle()
    assert.deepEqual([open, most], [0, 1])
  })

  it('end with the session', async () => {
    const { sent, responder } = createWorld()
    const peer = responder()
    peer.answer(4, async () => Uint8Array.of(1))
    peer.stop()
    await settle()
    assert.deepEqual(sent, [])
  })
})

describe('the time of a response', () => {
  it('does not count the turns of others', async () => {
    let nowMs = 0
    const time = createServeTime({ monotonicMs: () => nowMs })
    nowMs = 4
    assert.equal(time.turn(), null)
    nowMs = 6
    const turn = time.turn()
    assert.ok(turn !== null)
    nowMs = 5_000
    await turn
    nowMs = 5_010
    assert.equal(time.usedMs, 16)
    assert.equal(time.isOver(), false)
    nowMs = 5_100
    assert.equal(time.isOver(), true)
  })
})
