import assert from 'node:assert/strict'
import { cp, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSeededRandom } from '../../random.ts'
import { openLevelStore } from '../level.ts'
import { findLevelDamage } from './level-damage.ts'

const COUNT = 300
const REMEDY = 'do what this test says'
const keyOf = (i: number) => new Uint8Array([7, ...new Array(20).fill(9), i >> 8, i & 255])
const END = Uint8Array.of(8)

describe('damage to the files of a database', () => {
  let folder: string
  const at = (name: string) => join(folder, name)
  const random = createSeededRandom(7)
  const values = Array.from({ length: COUNT }, (_, i) => random.bytes(100 + (i % 50)))

  /** Some values in a table of several blocks, the others in a log of several blocks. */
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keelson-damage-'))
    let store = await openLevelStore({ directory: at('whole') })
    for (let i = 0; i < COUNT - 1; i += 2) await store.batch([{ put: keyOf(i), value: values[i] as Uint8Array }])
    await store.compact(keyOf(0), END)
    await store.close()
    store = await openLevelStore({ directory: at('whole') })
    for (let i = 1; i < COUNT; i += 2) await store.batch([{ put: keyOf(i), value: values[i] as Uint8Array }])
    await store.close()
  })
  after(() => rm(folder, { recursive: true }))

  const open = () => openLevelStore({ directory: at('copy'), irreplaceable: { remedy: REMEDY } })

  /** Returns the indices of the values that are missing, or the message of a refusal. Throws for an altered value. */
  async function missing(): Promise<readonly number[] | string> {
    const refused = (error: Error & { code?: string }) => {
      assert.match(error.code ?? '', /^runtime\/store-(corrupt|open)$/)
      return error.message
    }
    const store = await open().catch(refused)
    if (typeof store === 'string') return store
    const left = new Set(values.keys())
    for await (const [key, value] of store.range(keyOf(0), END)) {
      const i = ((key.at(-2) ?? 0) << 8) + (key.at(-1) ?? 0)
      assert.deepEqual([...value], [...(values[i] ?? [])])
      left.delete(i)
    }
    await store.close()
    return [...left]
  }

  async function copy(): Promise<void> {
    await rm(at('copy'), { recursive: true, force: true })
    await cp(at('whole'), at('copy'), { recursive: true })
  }

  for (const extension of ['.log', '.ldb']) {
    it(`wherever a bit of a ${extension} file is flipped, nothing is altered and nothing but the newest write can be lost silently`, async () => {
      const names = (await readdir(at('whole'))).filter((name) => name.endsWith(extension))
      assert.ok(names.length > 0)
      let refusals = 0
      for (const name of names) {
        const bytes = await readFile(join(at('whole'), name))
        for (let place = 0; place < bytes.length; place += 331) {
          await copy()
          const flipped = Buffer.from(bytes)
          flipped[place] = (bytes[place] ?? 0) ^ (1 << (place % 8))
          await writeFile(join(at('copy'), name), flipped)
          const found = await missing()
          if (typeof found === 'string') {
            refusals++
            assert.ok(found.includes(at('copy')) && found.includes(name) && found.endsWith(REMEDY), found)
          } else
            assert.deepEqual(
              found.filter((i) => i !== COUNT - 1),
              [],
              `byte ${place} of ${name}`,
            )
        }
      }
      assert.ok(refusals > 10, String(refusals))
    })
  }

  it('is not what a crash leaves, which cuts the newest write short', async () => {
    await copy()
    const name = (await readdir(at('copy'))).find((file) => file.endsWith('.log')) ?? ''
    const { length } = await readFile(join(at('copy'), name))
    await truncate(join(at('copy'), name), length - 5)
    assert.deepEqual(await missing(), [COUNT - 1])
  })

  it('is a file that is far larger than those of a small database', async () => {
    await copy()
    await truncate(join(at('copy'), '999999.ldb'), 0).catch(() => writeFile(join(at('copy'), '999999.ldb'), ''))
    await truncate(join(at('copy'), '999999.ldb'), 300 * 1024 * 1024)
    assert.match(String(await missing()), /999999\.ldb has 314572800 bytes, at most 268435456 are expected/)
  })

  it('is not judged while another process has the database open', async () => {
    await copy()
    const holder = await open()
    const [table] = (await readdir(at('copy'))).filter((name) => name.endsWith('.ldb'))
    const path = join(at('copy'), table ?? '')
    const bytes = await readFile(path)
    await writeFile(path, bytes.fill(0, 0, 50))
    await assert.rejects(open(), { code: 'runtime/store-locked' })
    await holder.close()
    await assert.rejects(open(), { code: 'runtime/store-corrupt' })
  })

  it('is nothing where there is no database', async () => {
    assert.equal(await findLevelDamage(at('nowhere')), null)
  })
})
