import assert from 'node:assert/strict'
import type { KeyValueStore } from '@keelson/runtime'
import { createMemoryStore, createSeededRandom } from '@keelson/runtime'
import { createSeed } from '../core/seed.ts'
import type { SimProcess } from '../core/sim-process.ts'
import { Simulation } from '../core/simulation.ts'
import { SimulatedDisk } from './simulated-disk.ts'

const START_MS = 1_800_000_000_000
const key = (n: number) => Uint8Array.of(0x80, n)
const put = (n: number, value: number) => ({ put: key(n), value: Uint8Array.of(value) })

interface World {
  readonly simulation: Simulation
  readonly disk: SimulatedDisk
  readonly process: SimProcess
  readonly store: KeyValueStore
  run(task: () => Promise<void>, ms?: number): Promise<void>
}

function open(seed = 1): World {
  const simulation = new Simulation(createSeed(seed), START_MS)
  const disk = new SimulatedDisk(simulation, 'a')
  const process = simulation.process('a')
  return {
    simulation,
    disk,
    process,
    store: disk.open(process),
    async run(task, ms = 1_000) {
      process.after(0, 'task', () => void task().catch((error: unknown) => simulation.fail(error)))
      await simulation.run(simulation.nowMs + ms)
    },
  }
}

async function keysOf(store: KeyValueStore, from: Uint8Array, to: Uint8Array, options = {}): Promise<string[]> {
  const found: string[] = []
  for await (const [at, value] of store.range(from, to, options))
    found.push(`${Buffer.from(at).toString('hex')}=${Buffer.from(value).toString('hex')}`)
  return found
}

describe('a simulated disk', () => {
  it('shows a batch when its promise resolves, not before', async () => {
    const { store, run } = open()
    await run(async () => {
      const writing = store.batch([put(1, 1)])
      assert.equal(store.getSync(key(1)), null)
      await writing
      assert.deepEqual(store.getSync(key(1)), Uint8Array.of(1))
    })
  })

  it('shows batches in the order in which they were written, synced or not', async () => {
    const { store, run } = open()
    await run(async () => {
      const order: string[] = []
      const slow = store.batch([put(1, 1)], { sync: true }).then(() => order.push('synced'))
      const fast = store.batch([put(1, 2)]).then(() => order.push('not synced'))
      await Promise.all([slow, fast])
      assert.deepEqual(order, ['synced', 'not synced'])
      assert.deepEqual(store.getSync(key(1)), Uint8Array.of(2))
    })
  })

  it('writes nothing more for a process that was killed between two writes', async () => {
    const { store, process, run, disk, simulation } = open()
    await run(async () => {
      await store.batch([put(1, 1)])
      void store.batch([put(2, 2)])
      process.kill()
    })
    const again = disk.open(simulation.process('a'))
    assert.deepEqual(again.getSync(key(1)), Uint8Array.of(1))
    assert.equal(again.getSync(key(2)), null)
  })

  it('keeps synced batches and those before them when the power fails', async () => {
    for (let seed = 1; seed <= 20; seed++) {
      const { store, process, run, disk } = open(seed)
      await run(async () => {
        await store.batch([put(1, 1)])
        await store.batch([put(2, 1)], { sync: true })
        for (let n = 3; n < 10; n++) await store.batch([put(n, 1), put(1, n)])
      })
      process.kill()
      const lost = disk.losePower()
      const last = 9 - lost
      assert.equal(disk.size, last)
      assert.deepEqual(store.getSync(key(1)), Uint8Array.of(last === 2 ? 1 : last), `${lost} batches lost`)
    }
  })

  it('keeps a batch that the operating system has written by itself', async () => {
    const { store, process, run, disk } = open()
    await run(() => store.batch([put(1, 1)]), 10_000)
    await run(() => store.batch([put(2, 1)]), 100)
    process.kill()
    disk.losePower()
    assert.deepEqual(store.getSync(key(1)), Uint8Array.of(1))
  })

  it('keeps a batch that was written back before the power failed, also when nothing was written since', async () => {
    for (let seed = 1; seed <= 10; seed++) {
      const { store, process, run, disk } = open(seed)
      await run(() => store.batch([put(1, 1)]), 10_000)
      process.kill()
      assert.equal(disk.losePower(), 0)
      assert.deepEqual(store.getSync(key(1)), Uint8Array.of(1))
    }
  })

  it('flips one bit of one value, until the value is written again', async () => {
    const { store, run, disk } = open()
    await run(async () => {
      assert.equal(disk.flipBit(), null)
      await store.batch(Array.from({ length: 8 }, (_, n) => put(n, 0)))
      const flipped = disk.flipBit() as Uint8Array
      const values = Array.from({ length: 8 }, (_, n) => store.getSync(key(n))?.[0] as number)
      const changed = values.filter((value) => value !== 0)
      assert.equal(changed.length, 1)
      assert.ok(Number.isInteger(Math.log2(changed[0] as number)), `more than a bit: ${changed[0]}`)
      assert.equal(values.indexOf(changed[0] as number), flipped[1])
      await store.batch([{ put: flipped, value: Uint8Array.of(0) }])
      assert.deepEqual(store.getSync(flipped), Uint8Array.of(0))
    })
  })

  it('gets all values back from a copy', async () => {
    const { store, disk, run } = open()
    await run(async () => {
      await store.batch([put(1, 1), put(2, 2)])
      const copy = disk.copy()
      await store.batch([put(1, 3), { del: key(2) }, put(4, 4)])
      disk.restore(copy)
      assert.deepEqual(await keysOf(store, key(0), key(9)), ['8001=01', '8002=02'])
    })
  })

  it('throws for a broken value, until the value is written again', async () => {
    const { store, disk, run } = open()
    await run(async () => {
      await store.batch([put(1, 1)])
      assert.deepEqual(disk.breakValue(), key(1))
      assert.throws(() => store.getSync(key(1)), /checksum mismatch/)
      await assert.rejects(keysOf(store, key(0), key(9)), /checksum mismatch/)
      await store.batch([put(1, 2)])
      assert.deepEqual(store.getSync(key(1)), Uint8Array.of(2))
    })
  })

  it('keeps what it got and what it gave apart from its own bytes', async () => {
    const { store, run } = open()
    await run(async () => {
      const value = Uint8Array.of(1)
      const writing = store.batch([{ put: key(1), value }])
      value[0] = 2
      await writing
      const read = store.getSync(key(1)) as Uint8Array
      assert.deepEqual(read, Uint8Array.of(1))
      read[0] = 3
      assert.deepEqual(store.getSync(key(1)), Uint8Array.of(1))
    })
  })

  it('fails writes while it is full, and takes them again', async () => {
    const { store, run, disk } = open()
    await run(async () => {
      disk.full = true
      await assert.rejects(store.batch([put(1, 1)]), /No space left/)
      disk.full = false
      await store.batch([put(1, 1)])
    })
    assert.equal(disk.size, 1)
  })

  it('takes longer while it is slow', async () => {
    const { store, run, disk, simulation } = open()
    await run(async () => {
      disk.slowness = 1_000
      await store.batch([put(1, 1)])
      assert.equal(simulation.nowMs - START_MS, 50)
    })
  })

  it('answers reads and ranges as the memory store does', async () => {
    const { store, run } = open()
    const model = createMemoryStore()
    const random = createSeededRandom(5)
    const draw = () => Uint8Array.of(0x80, Math.floor(random.next() * 8), Math.floor(random.next() * 256))
    await run(async () => {
      for (let round = 0; round < 2_000; round++) {
        const at = draw()
        const ops = random.next() < 0.7 ? [{ put: at, value: Uint8Array.of(round & 0xff) }] : [{ del: at }]
        await store.batch(ops)
        await model.batch(ops)
        if (round % 20 !== 0) continue
        const [from, to] = [draw(), draw()]
        const options = { reverse: random.next() < 0.5, ...(random.next() < 0.5 ? { limit: Math.floor(random.next() * 700) } : {}) }
        assert.deepEqual(await keysOf(store, from, to, options), await keysOf(model, from, to, options))
        assert.deepEqual(store.getSync(at), model.getSync(at))
      }
    })
  })
})
