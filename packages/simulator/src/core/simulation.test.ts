import assert from 'node:assert/strict'
import { pbkdf2 } from 'node:crypto'
import { lookup } from 'node:dns'
import { readFileSync, statSync } from 'node:fs'
import { cpus } from 'node:os'
import timers from 'node:timers'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzip } from 'node:zlib'
import { createTurnTaker, nextTurn } from '@keelson/runtime'
import { GuardError } from './guard.ts'
import { createSeed } from './seed.ts'
import { Simulation } from './simulation.ts'

const { hrtime } = process
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

  it('drops a timer that was cancelled while its process was frozen', async () => {
    const simulation = open()
    const process = simulation.process('a')
    const seen: string[] = []
    const cancelDue = process.after(1, 'due', () => seen.push('due'))
    const cancelThawing = process.after(2, 'thawing', () => seen.push('thawing'))
    process.freeze()
    simulation.after(50, null, 'cancel', () => {
      cancelDue()
      process.thaw()
      cancelThawing()
    })
    await simulation.run(START_MS + 100)
    assert.deepEqual(seen, [])
  })

  it('ends with a rejection that nobody handles, and leaves the listeners of the process alone', async () => {
    const before = process.rawListeners('unhandledRejection')
    const simulation = open()
    simulation.after(1, null, 'reject', () => void Promise.reject(new Error('dropped')))
    simulation.after(1, null, 'next', () => assert.fail('the run goes on'))
    await assert.rejects(simulation.run(START_MS + 10), /dropped/)
    assert.deepEqual(process.rawListeners('unhandledRejection'), before)
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

describe('a process of a simulation', () => {
  it('draws the same numbers, and is ordered alike, when others are started before it', async () => {
    const numbersOf = (others: readonly string[]) => {
      const simulation = open()
      for (const other of others) simulation.process(other)
      const { random, tieId } = simulation.process('a/role')
      return [tieId, ...random.bytes(8)]
    }
    assert.deepEqual(numbersOf([]), numbersOf(['b/role', 'c/role', 'b/role']))
  })

  it('draws other numbers when it is started again', () => {
    const simulation = open()
    const draw = () => simulation.process('a/role').random.bytes(8)
    assert.notDeepEqual(draw(), draw())
  })
})

describe('the clock of a machine', () => {
  it('jumps for all processes of the machine, also for later ones, and for no other machine', async () => {
    const simulation = open()
    const earlier = simulation.process('a/execution')
    simulation.clockOf('a').skewMs = 3_600_000
    await simulation.run(START_MS + 1_000)
    for (const { clock } of [earlier, simulation.process('a/consensus')]) {
      assert.equal(clock.nowMs(), START_MS + 3_601_000)
      assert.equal(clock.monotonicMs(), 1_000)
    }
    assert.equal(simulation.process('b/execution').clock.nowMs(), START_MS + 1_000)
  })

  it('runs fast or slow by its drift, and its timers with it', async () => {
    const simulation = open()
    const { clock } = simulation.process('a/role')
    await simulation.run(START_MS + 1_000)
    simulation.clockOf('a').drift(250_000)
    const seen: number[] = []
    simulation.after(0, null, 'start', () => {
      void clock.sleep(1_000).then(() => seen.push(simulation.nowMs - START_MS, clock.nowMs() - START_MS, clock.monotonicMs()))
    })
    await simulation.run(START_MS + 1_800)
    assert.deepEqual(seen, [1_800, 2_000, 2_000])
    simulation.clockOf('a').drift(0)
    await simulation.run(START_MS + 2_000)
    assert.equal(clock.nowMs(), START_MS + 2_200)
  })

  it('is right again once it is synchronized, but for a skew, and its monotonic time stays', async () => {
    const simulation = open()
    const { clock } = simulation.process('a/role')
    const machine = simulation.clockOf('a')
    machine.drift(250_000)
    await simulation.run(START_MS + 1_000)
    machine.drift(0)
    machine.skewMs = -50
    machine.synchronize()
    await simulation.run(START_MS + 2_000)
    assert.equal(clock.nowMs(), START_MS + 1_950)
    assert.equal(clock.monotonicMs(), 2_250)
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
    ['timers.setTimeout', () => timers.setTimeout(() => undefined, 1)],
    ['timers/promises.setTimeout', () => sleep(1)],
    ['process.hrtime', () => process.hrtime()],
    ['process.hrtime.bigint', () => hrtime.bigint()],
    ['fs.statSync', () => statSync('/dev/null')],
    ['dns.lookup', () => lookup('localhost', () => undefined)],
    ['zlib.gzip', () => gzip(new Uint8Array(1), () => undefined)],
    ['crypto.subtle.digest', () => crypto.subtle.digest('SHA-256', new Uint8Array(1))],
    ['crypto.pbkdf2', () => pbkdf2('', '', 1, 1, 'sha256', () => undefined)],
    ['os.cpus', () => cpus()],
    ['Date.getTimezoneOffset', () => new Date(0).getTimezoneOffset()],
    ['String.localeCompare', () => 'a'.localeCompare('b')],
    ['WeakRef', () => new WeakRef({})],
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
