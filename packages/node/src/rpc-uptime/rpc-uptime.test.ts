import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createManualClock, createMetrics, createSilentLogger, type HttpClient, type HttpRequest } from '@keelson/runtime'
import { openRpcUptime } from './rpc-uptime.ts'

const SLOT_MS = 10_000
const BLOCK_SEC = 2

describe('the uptime of an RPC node', () => {
  let directory: string
  let clock: ReturnType<typeof createManualClock>
  let answer: () => { readonly status: number; readonly text: string }
  let asked: HttpRequest[]
  const block = (ageSec: number) => ({
    status: 200,
    text: JSON.stringify({ jsonrpc: '2.0', id: 1, result: { timestamp: `0x${Math.floor(clock.nowMs() / 1000 - ageSec).toString(16)}` } }),
  })
  const http = {
    async send(request: HttpRequest) {
      asked.push(request)
      const { status, text } = answer()
      return { status, body: new TextEncoder().encode(text) }
    },
    close: () => undefined,
  } as unknown as HttpClient

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'keelson-uptime-'))
    clock = createManualClock(Date.UTC(2026, 0, 1))
    asked = []
    answer = () => block(2)
  })
  afterEach(() => rm(directory, { recursive: true }))

  async function open() {
    const metrics = createMetrics('keelson_execution')
    const options = { directory, host: '0.0.0.0', port: 8545, blockTimeSec: BLOCK_SEC }
    const uptime = await openRpcUptime(options, { http, clock, log: createSilentLogger(), metrics })
    return {
      async runFor(minutes: number) {
        for (let slot = 0; slot < minutes * 6; slot++) {
          await clock.advance(SLOT_MS)
          await uptime.sample()
        }
      },
      async ratio(window: string) {
        const { text } = await metrics.render()
        return Number(new RegExp(`keelson_execution_rpc_uptime_ratio\\{window="${window}"\\} (\\S+)`).exec(text)?.[1])
      },
      text: async () => ((await uptime.check.check()) as { readonly detail?: string }).detail,
    }
  }

  it('is the share of the time in which its own port answered with a block that is not old', async () => {
    const node = await open()
    assert.equal(await node.text(), 'uptime not known yet')
    // The partial first minute does not count.
    await node.runFor(11)
    assert.equal(await node.ratio('24h'), 1)
    assert.deepEqual(new Set(asked.map(({ url }) => url)), new Set(['http://127.0.0.1:8545/']))
    answer = () => block(11 * BLOCK_SEC)
    await node.runFor(5)
    answer = () => {
      throw new Error('it does not answer')
    }
    await node.runFor(5)
    answer = () => ({ status: 200, text: '{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"no"}}' })
    await node.runFor(5)
    answer = () => block(10 * BLOCK_SEC)
    await node.runFor(5)
    const [up, all] = [15 * 6, 30 * 6]
    assert.ok(Math.abs((await node.ratio('24h')) - up / all) < 1 / all)
    assert.match((await node.text()) ?? '', /^uptime 50\.\d\d% in 24h \(below target\), 50\.\d\d% in 7d \(below target\), target 95\.00%$/)
  })

  it('does not fall because callers of this machine are over their limit', async () => {
    const node = await open()
    await node.runFor(2)
    answer = () => ({ status: 429, text: '{}' })
    await node.runFor(5)
    assert.equal(await node.ratio('24h'), 1)
  })

  it('keeps its record over a restart, and counts the time in which the process did not run', async () => {
    const before = await open()
    await before.runFor(31)
    await clock.advance(30 * 60_000)
    const after = await open()
    assert.equal(await after.ratio('24h'), 1, 'nothing newer is known yet')
    await after.runFor(1)
    assert.ok(Math.abs((await after.ratio('start')) - 30 / 61) < 0.02)
  })

  it('has one file whose size does not grow', async () => {
    const node = await open()
    await node.runFor(2)
    const [name] = await readdir(directory)
    const { size } = await stat(join(directory, name as string))
    await node.runFor(30)
    assert.deepEqual(await readdir(directory), [name])
    assert.equal((await stat(join(directory, name as string))).size, size)
  })

  it('starts a new record when the file is damaged', async () => {
    await writeFile(join(directory, 'rpc-uptime.bin'), 'damaged')
    const node = await open()
    await node.runFor(2)
    assert.equal(await node.ratio('24h'), 1)
  })
})
