import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createTurnTaker, nextTurn } from '@keelson/runtime'
import { GuardError } from './guard.ts'
import { createSeed } from './seed.ts'
import { Simulation } from './simulation.ts'

const START_MS = 1_800_000_000_000

function open(seed = 1): Simulation {
  return new Simulation(createSeed(seed), START_MS)
}

describe('a simulation', () => {
  it('delivers events by time and skips idle time', async () => {
    const simulation = open()
    const process = simulation.process('a')
    const seen: string[] = []
    process.after(86_400_000, 'late', () => seen.push('late'))
    process.after(5, 'early', () => seen.push('early'))
    await simulation.run(START_MS + 86_400_000)
    assert.deepEqual(seen, ['early', 'late'])
    assert.equal(simulation.nowMs, START_MS + 86_400_000)
    assert.equal(simulation.events, 2)
  })

  it('delivers events of one process at one time as scheduled', async () => {
    const simulation = open()
    const process = simulation.process('a')
    const seen: number[] = []
    for (let i = 0; i < 20; i++) process.after(1, 'event', () => seen.push(i))
    await simulation.run(START_MS + 1)
    assert.deepEqual(seen, [...Array(20).keys()])
  })

  it('lets the seed decide the order of processes at one time', async () => {
    const orderOf = async (seed: number) => {
      const simulation = open(seed)
      const seen: string[] = []
      for (const name of ['a', 'b', 'c', 'd']) simulation.process(name).after(1, 'event', () => seen.push(name))
      await simulation.run(START_MS + 1)
      return seen.join('')
    }
    const orders = new Set<string>()
    for (const seed of [1, 2, 3, 4, 5]) orders.add(await orderOf(seed))
    assert.ok(orders.size > 1, [...orders].join(' '))
  })

  it('settles promises before the next event', async () => {
    const simulation = open()
    const process = simulation.process('a')
    const seen: string[] = []
    process.after(1, 'first', () => {
      void (async () => {
        for (let i = 0; i < 100; i++) await null
        seen.push('settled')
      })()
    })
    process.after(1, 'second', () => seen.push('second'))
    await simulation.run(START_MS + 1)
    assert.deepEqual(seen, ['settled', 'second'])
  })

  it('puts sleeps and turns of production code on the queue', async () => {
    const simulation = open()
    const process = simulation.process('a')
    const { clock } = process
    const seen: number[] = []
    process.after(0, 'start', () => {
      void (async () => {
        const turn = createTurnTaker({ turnMs: 0 })
        await turn()
        await nextTurn()
        seen.push(clock.nowMs())
        await clock.sleep(1_500)
        seen.push(clock.nowMs())
      })()
    })
    await simulation.run(START_MS + 10_000)
    assert.deepEqual(seen, [START_MS, START_MS + 1_500])
  })

  it('rejects a sleep whose signal aborts', async () => {
    const simulation = open()
    const process = simulation.process('a')
    const aborting = new AbortController()
    let reason: unknown = null
    process.after(0, 'start', () => {
      process.clock.sleep(100, aborting.signal).catch((error: unknown) => {
        reason = error
      })
    })
    process.after(10, 'abort', () => aborting.abort('stopped'))
    await simulation.run(START_MS + 1_000)
    assert.equal(reason, 'stopped')
    assert.equal(simulation.events, 2)
  })

  it('drops the events and turns of a killed process', async () => {
    const simulation = open()
    const process = simulation.process('a')
    const seen: string[] = []
    process.after(1, 'start', () => {
      void nextTurn().then(() => seen.push('turn'))
      process.kill()
    })
    process.after(2, 'later', () => seen.push('later'))
    await simulation.run(START_MS + 10)
    assert.deepEqual(seen, [])
  })

  it('delivers the events of a frozen process when it runs again', async () => {
    const simulation = open()
    const process = simulation.process('a')
    const seen: number[] = []
    process.after(1, 'event', () => seen.push(simulation.nowMs - START_MS))
    process.freeze()
    simulation.after(50, null, 'thaw', () => process.thaw())
    await simulation.run(START_MS + 100)
    assert.deepEqual(seen, [50])
  })

  it('gives the same trace hash for the same seed, and another for another', async () => {
    const hashOf = async (seed: number) => {
      const simulation = open(seed)
      for (const name of ['a', 'b']) {
        const process = simulation.process(name)
        const again = () => process.after(1 + process.random.next() * 10, 'event', again)
        again()
      }
      await simulation.run(START_MS + 1_000)
      return simulation.trace.hash()
    }
    assert.equal(await hashOf(7), await hashOf(7))
    assert.notEqual(await hashOf(7), await hashOf(8))
  })

  it('draws the same numbers for one consumer when another is added', () => {
    const draw = (others: readonly string[]) => {
      const seed = createSeed(3)
      for (const other of others) seed.random(other).next()
      return seed.random('disk').bytes(8)
    }
    assert.deepEqual(draw([]), draw(['network', 'clock']))
  })
})

describe('two simulations', () => {
  it('do not run at once in one process', async () => {
    const simulation = open()
    simulation.process('a').after(1, 'event', () => undefined)
    const first = simulation.run(START_MS + 10)
    await assert.rejects(open().run(START_MS + 10), RangeError)
    await first
  })
})

describe('the guard of a simulation', () => {
  const reaches: readonly (readonly [string, () => unknown])[] = [
    ['setTimeout', () => setTimeout(() => undefined, 1)],
    ['Date.now', () => Date.now()],
    ['new Date()', () => new Date()],
    ['performance.now', () => performance.now()],
    ['Math.random', () => Math.random()],
    ['crypto.getRandomValues', () => crypto.getRandomValues(new Uint8Array(1))],
    ['fs.readFileSync', () => readFileSync('/dev/null')],
    ['AbortSignal.timeout', () => AbortSignal.timeout(1)],
  ]
  for (const [what, reach] of reaches) {
    it(`refuses ${what}, even when the error is caught`, async () => {
      const simulation = open()
      simulation.process('a').after(1, 'reach', () => {
        try {
          reach()
        } catch {
          // production code may do this
        }
      })
      await assert.rejects(simulation.run(START_MS + 10), (error: unknown) => error instanceof GuardError && error.details.what === what)
    })
  }

  it('restores the real world after the run', async () => {
    await open().run(START_MS + 10)
    assert.ok(Date.now() > 0)
    assert.equal(readFileSync('/dev/null').length, 0)
  })
})
