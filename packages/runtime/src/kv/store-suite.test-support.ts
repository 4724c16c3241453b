import assert from 'node:assert/strict'
import type { KeyValueSnapshot, KeyValueStore } from './store.ts'

const key = (...bytes: number[]) => Uint8Array.from(bytes)

async function collect(entries: AsyncIterable<readonly [Uint8Array, Uint8Array]>): Promise<number[][]> {
  const out: number[][] = []
  for await (const [k, v] of entries) {
    assert.ok(k instanceof Uint8Array && v instanceof Uint8Array)
    out.push([...k, -1, ...v])
  }
  return out
}

export function keyValueStoreSuite(name: string, open: () => Promise<KeyValueStore>): void {
  describe(`key-value store: ${name}`, () => {
    let store: KeyValueStore
    beforeEach(async () => {
      store = await open()
    })
    afterEach(() => store.close())

    it('returns null for absent keys and the value for present ones, even an empty one', async () => {
      await store.batch([
        { put: key(1), value: key(7, 8) },
        { put: key(2), value: key() },
      ])
      assert.deepEqual([...(store.getSync(key(1)) ?? [])], [7, 8])
      assert.equal(store.getSync(key(2))?.length, 0)
      assert.equal(store.getSync(key(3)), null)
    })

    it('returns many values at once in the order of their keys', async () => {
      if (store.getMany === undefined) return
      await store.batch([
        { put: key(1), value: key(7, 8) },
        { put: key(2), value: key() },
      ])
      const values = await store.getMany([key(2), key(3), key(1), key(1)])
      assert.deepEqual(
        values.map((value) => (value === null ? null : [...value])),
        [[], null, [7, 8], [7, 8]],
      )
    })

    it('applies a batch in its order, the last write of a key wins', async () => {
      await store.batch([{ put: key(1), value: key(1) }, { del: key(1) }, { put: key(1), value: key(2) }], { sync: true })
      assert.deepEqual([...(store.getSync(key(1)) ?? [])], [2])
      await store.batch([{ put: key(1), value: key(3) }, { del: key(1) }])
      assert.equal(store.getSync(key(1)), null)
    })

    it('takes an empty batch', async () => {
      await store.batch([])
      assert.deepEqual(await collect(store.range(key(0), key(255))), [])
    })

    it('lists a range in byte order, from inclusive, to exclusive', async () => {
      const keys = [key(3), key(1, 255), key(1), key(2), key(1, 0), key(255)]
      await store.batch(keys.map((put) => ({ put, value: put })))
      const expected = [key(1), key(1, 0), key(1, 255), key(2)].map((k) => [...k, -1, ...k])
      assert.deepEqual(await collect(store.range(key(1), key(3))), expected)
      assert.deepEqual(await collect(store.range(key(1), key(3), { reverse: true })), [...expected].reverse())
    })

    it('stops at the limit, from either end', async () => {
      await store.batch([1, 2, 3, 4].map((n) => ({ put: key(n), value: key(n) })))
      assert.deepEqual(await collect(store.range(key(0), key(9), { limit: 2 })), [
        [1, -1, 1],
        [2, -1, 2],
      ])
      assert.deepEqual(await collect(store.range(key(0), key(9), { limit: 1, reverse: true })), [[4, -1, 4]])
      assert.deepEqual(await collect(store.range(key(0), key(9), { limit: 0 })), [])
    })

    it('lists nothing for a range whose end is not after its start', async () => {
      await store.batch([{ put: key(5), value: key(5) }])
      assert.deepEqual(await collect(store.range(key(5), key(5))), [])
      assert.deepEqual(await collect(store.range(key(6), key(4))), [])
    })

    it('iterates over the state at the start of the iteration', async () => {
      await store.batch([1, 2, 3].map((n) => ({ put: key(n), value: key(n) })))
      const seen: number[] = []
      for await (const [k] of store.range(key(0), key(9))) {
        seen.push(k[0] as number)
        await store.batch([{ del: key(2) }, { put: key(4), value: key(4) }])
      }
      assert.deepEqual(seen, [1, 2, 3])
    })

    it('supports leaving a range early', async () => {
      await store.batch([1, 2, 3].map((n) => ({ put: key(n), value: key(n) })))
      for await (const [k] of store.range(key(0), key(9))) {
        assert.equal(k[0], 1)
        break
      }
      assert.deepEqual([...(store.getSync(key(3)) ?? [])], [3])
    })

    it('keeps its values when the caller changes the bytes afterwards', async () => {
      const k = key(1)
      const v = key(1)
      await store.batch([{ put: k, value: v }])
      k[0] = 9
      v[0] = 9
      assert.deepEqual([...(store.getSync(key(1)) ?? [])], [1])
    })
  })
}

export function snapshotSuite(name: string, open: () => Promise<KeyValueStore & { snapshot(): KeyValueSnapshot }>): void {
  describe(`snapshots of a key-value store: ${name}`, () => {
    it('each show the state when they were taken', async () => {
      const store = await open()
      await store.batch([1, 2, 3].map((n) => ({ put: key(n), value: key(n) })))
      const first = store.snapshot()
      await store.batch([{ del: key(2) }, { put: key(3), value: key(33) }, { put: key(4), value: key(4) }])
      const second = store.snapshot()
      await store.batch([{ put: key(1), value: key(11) }])
      const all = [key(0), key(9)] as const
      assert.deepEqual(await collect(first.range(...all)), [
        [1, -1, 1],
        [2, -1, 2],
        [3, -1, 3],
      ])
      assert.deepEqual(await collect(second.range(...all, { reverse: true, limit: 2 })), [
        [4, -1, 4],
        [3, -1, 33],
      ])
      assert.deepEqual([...(first.getSync(key(2)) ?? [])], [2])
      assert.equal(second.getSync(key(2)), null)
      await first.close()
      assert.deepEqual([...(second.getSync(key(1)) ?? [])], [1])
      await second.close()
      assert.deepEqual([...(store.getSync(key(1)) ?? [])], [11])
      await store.close()
    })
  })
}
