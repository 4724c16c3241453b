import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createProbe } from '../doctor/probe.ts'
import { createLiveScreen } from './live-screen.ts'
import type { NodeStatus } from './node-status.ts'
import { readStatus } from './read-status.ts'
import { renderStatus } from './render-status.ts'

const NOW_SEC = 1_800_000_100
const NOWHERE = 'http://127.0.0.1:9'
const HASH = `0x12345678${'0'.repeat(52)}abcd`
const WRONG = { where: 'consensus l1-age', what: 'the L1 head is 90 s old, at most 40 s are expected', todo: 'check the L1 node' }
const STATUS: NodeStatus = {
  heads: { unsafe: { number: 120, ageSec: 2 }, safe: { number: 110, ageSec: 22 }, finalized: { number: 60, ageSec: 122 } },
  l1: { head: 50, derived: 47 },
  peers: 3,
  sync: null,
  blocks: [{ number: 120, hash: HASH, transactions: 2, gasUsed: 150_000, gasLimit: 30_000_000, ageSec: 2 }],
  problems: [],
}

const SYNC = { stage: 'blocks', done: 70, of: 280, target: 400 }

/** Responds to paths and RPC methods; without a method's entry with an error. */
async function serve(answers: Readonly<Record<string, unknown>>) {
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (bytes: Buffer) => {
      body += bytes.toString()
    })
    request.on('end', () => {
      const { method = request.url, params = [] } = body === '' ? {} : (JSON.parse(body) as { method?: string; params?: unknown[] })
      const found = answers[`${method} ${String(params[0])}`] ?? answers[method as string]
      response.statusCode = request.url === '/healthz' ? 503 : 200
      if (request.url === '/healthz') response.end(JSON.stringify(found))
      else if (found === undefined) response.end(JSON.stringify({ id: 1, error: { code: -32_000, message: 'the node is starting' } }))
      else response.end(JSON.stringify({ id: 1, result: found }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() }
}

async function read(rpc: string, rollupRpc: string, health: string): Promise<NodeStatus> {
  const probe = createProbe({ timeoutMs: 3_000, nowMs: Date.now })
  try {
    return await readStatus({ rpc, rollupRpc, health: [['consensus', health]] }, { probe, nowMs: () => NOW_SEC * 1_000 })
  } finally {
    probe.close()
  }
}

describe('the status of a node', () => {
  it('has heads, lag, peers, blocks, and the reasons of the health port in its words', async () => {
    const block = (number: number) => ({
      number: `0x${number.toString(16)}`,
      hash: HASH,
      timestamp: `0x${(NOW_SEC - 2 * (121 - number)).toString(16)}`,
      gasUsed: '0x249f0',
      gasLimit: '0x1c9c380',
      transactions: ['0x01', '0x02'],
    })
    const server = await serve({
      'eth_getBlockByNumber latest': block(120),
      'eth_getBlockByNumber 0x77': block(119),
      optimism_syncStatus: {
        unsafe_l2: { number: 120, timestamp: NOW_SEC - 2 },
        safe_l2: { number: 110, timestamp: NOW_SEC - 22, l1origin: { number: 20 } },
        finalized_l2: { number: 60, timestamp: NOW_SEC - 122 },
        head_l1: { number: 50 },
        current_l1: { number: 47 },
      },
      opp2p_peerStats: { connected: 3 },
      eth_syncing: {
        highestBlock: '0x190',
        stage: 'blocks',
        stages: [
          { name: 'headers', done: '0x118', total: '0x118' },
          { name: 'blocks', done: '0x46', total: '0x118' },
        ],
      },
      '/healthz': {
        ready: false,
        checks: [
          { name: 'l1-age', ok: false, text: `${WRONG.what}; ${WRONG.todo}` },
          { name: 'disk', ok: true, text: 'ok' },
        ],
      },
    })
    try {
      const status = await read(server.url, server.url, server.url)
      assert.deepEqual(
        { ...status, problems: [] },
        { ...STATUS, sync: SYNC, blocks: [STATUS.blocks[0], { ...STATUS.blocks[0], number: 119, ageSec: 4 }] },
      )
      assert.deepEqual(status.problems[0], WRONG)
      assert.match(status.problems[1]?.what ?? '', /^the safe head is 30 L1 blocks old/)
      assert.equal(status.problems.length, 2)
    } finally {
      server.close()
    }
  })

  it('says of each client that does not answer, or starts, what to do', async () => {
    const server = await serve({})
    try {
      const { problems, heads, blocks } = await read(NOWHERE, server.url, NOWHERE)
      assert.deepEqual([heads, blocks], [null, []])
      assert.match(problems[0]?.what ?? '', /^no execution client answers at 127\.0\.0\.1:9: /)
      assert.equal(problems[0]?.todo, 'check that it runs, or name its URL with --rpc (--devnet FOLDER for a development network)')
      assert.match(problems[1]?.what ?? '', /the consensus client at .* does not say: the node is starting/)
      assert.match(problems[2]?.what ?? '', /^no health port answers at 127\.0\.0\.1:9/)
    } finally {
      server.close()
    }
  })
})

describe('the status screen', () => {
  it('shows no negative age for a block that was finished just before its time, and names a clock that is behind', () => {
    const block = STATUS.blocks[0]
    assert.ok(block)
    const lineOf = (ageSec: number) =>
      renderStatus({ ...STATUS, blocks: [{ ...block, ageSec }] }, 40).find((line) => line.startsWith('block'))
    assert.match(lineOf(-1) ?? '', / 0 s old$/)
    assert.match(lineOf(-7) ?? '', / 7 s ahead$/)
  })

  it('shows heads, blocks and that nothing is wrong', () => {
    assert.deepEqual(renderStatus(STATUS, 100), [
      'unsafe     120  2 s old',
      'safe       110  22 s old, 10 behind',
      'finalized  60  2 min old, 60 behind',
      'L1         50  derivation 3 behind',
      'peers      3',
      '',
      'block 120  0x12345678..abcd  txs   2  gas  0.15 M    0.5% full  2 s old',
      '',
      'nothing is wrong',
    ])
  })

  it('shows how far a sync from peers is', () => {
    const line = renderStatus({ ...STATUS, sync: SYNC }, 100)[5]
    assert.equal(line, 'sync       fetches blocks from peers: 25.0 %  70 of 280, up to block 400')
  })

  it('wraps reasons and shortens blocks on a narrow terminal', () => {
    const lines = renderStatus({ ...STATUS, problems: [WRONG] }, 40)
    assert.ok(lines.every((line) => line.length <= 40))
    assert.ok(lines.includes('block 120  txs 2  2 s old'))
    assert.deepEqual(lines.slice(-3), [
      'wrong: consensus l1-age: the L1 head is',
      '  90 s old, at most 40 s are expected',
      '  do: check the L1 node',
    ])
  })

  it('redraws in place, within the rows of the terminal, and shows the cursor at the end', () => {
    let written = ''
    const screen = createLiveScreen({ rows: 3, write: (text: string) => (written += text) })
    screen.draw(['one', 'two', 'three'])
    screen.end()
    assert.equal(written, '\x1b[?25l\x1b[2J\x1b[Hone\x1b[K\ntwo\x1b[K\n\x1b[J\x1b[?25h')
  })
})
