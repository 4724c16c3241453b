import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { HeadsDocument, NetworkDocument } from '../../shared/network-document.ts'
import type { Web } from '../create-web.ts'
import { type Received, WebWorld } from '../web-world.test-support.ts'

describe('what the network says of itself', () => {
  let world: WebWorld
  beforeEach(async () => {
    world = await WebWorld.open()
  })
  afterEach(() => world.close())

  const ref = (number: number) => ({ number, hash: `0x${number}`, timestamp: 1_000 + number, l1origin: { number: 1, hash: '0x1' } })
  const nodeAnswers = (request: Received) => {
    const { method } = JSON.parse(request.body) as { method: string }
    if (method === 'opp2p_peers') {
      const peer = { peerID: 'p1', userAgent: '<b>', direction: 1, latency: 5e6, connectedSince: 1, scores: { gossip: { total: 2 } } }
      return { result: { peers: { p1: { ...peer, addresses: ['/ip4/192.0.2.7/tcp/1'] } } } }
    }
    return {
      result: {
        ...{ head_l1: ref(9), current_l1: ref(8), finalized_l1: ref(5) },
        ...{ unsafe_l2: ref(30), safe_l2: ref(20), finalized_l2: ref(10) },
      },
    }
  }
  const health = {
    ready: false,
    checks: [
      { name: 'head-age', ok: false, text: 'the unsafe head is 90 s old (since 2026-01-01T00:00:00Z); see the other checks', sinceMs: 5 },
      { name: 'peers', ok: true, text: '1 peers', sinceMs: 1 },
    ],
  }
  const watching = async () => {
    world.respond = (request, response) => {
      response.setHeader('content-type', 'application/json')
      if (request.url === '/healthz') response.writeHead(503).end(JSON.stringify(health))
      else response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, ...nodeAnswers(request) }))
    }
    const url = world.behindUrl
    const watched = {
      nodes: [
        { name: 'gone', url: 'http://127.0.0.1:1' },
        { name: 'sequencer', url },
      ],
      roles: [
        { name: 'consensus', url },
        { name: 'batcher', url: 'http://127.0.0.1:1' },
      ],
    }
    const web = await world.start({ watched })
    await web.network.start(new AbortController().signal)
    return web
  }
  const read = async <T>(web: Web, path: string, isThere: (document: T) => boolean): Promise<T> => {
    for (;;) {
      const document = (await (await fetch(web.url + path)).json()) as T
      if (isThere(document)) return document
    }
  }

  it('has the heads of the first node that answers', async () => {
    const { heads } = await read<HeadsDocument>(await watching(), '/api/network/heads', ({ heads }) => heads !== null)
    assert.deepEqual([heads?.unsafe.number, heads?.safe.number, heads?.finalized.number], [30, 20, 10])
    assert.deepEqual([heads?.l1.head.number, heads?.l1.derived.number], [9, 8])
  })

  it('repeats what is wrong and what to do in the words of the roles, and names those that do not answer', async () => {
    const { problems, incidents, roles } = await read<NetworkDocument>(await watching(), '/api/network', ({ roles }) => roles.length > 0)
    assert.deepEqual(
      problems.map(({ role, check, what, todo }) => ({ role, check, what, todo })),
      [
        {
          ...{ role: 'consensus', check: 'head-age', todo: 'see the other checks' },
          what: 'the unsafe head is 90 s old (since 2026-01-01T00:00:00Z)',
        },
        { role: 'batcher', check: 'answers', what: 'it cannot be reached', todo: 'see its log' },
      ],
    )
    assert.deepEqual(
      incidents.map(({ role, toMs }) => [role, toMs]),
      [['consensus', null]],
      'the batcher, silent for less than a minute, may be starting',
    )
    assert.equal(roles[0]?.checks.length, 2)
  })

  it('keeps incidents across a restart: what still fails goes on, what does not has ended', async () => {
    const first = await watching()
    const { incidents: before } = await read<NetworkDocument>(first, '/api/network', ({ incidents }) => incidents.length === 1)
    await first.network.stop()
    const silent = { role: 'batcher', check: 'answers', what: 'it cannot be reached', fromMs: 7, toMs: null }
    const kept = [silent, ...before]
    writeFileSync(join(world.folder, 'kept', 'incidents.json'), JSON.stringify(kept))
    const healthy = health.checks.map((check) => ({ ...check, ok: true }))
    world.respond = (_request, response) =>
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ ready: true, checks: healthy }))
    const watched = {
      nodes: [],
      roles: [
        { name: 'consensus', url: world.behindUrl },
        { name: 'batcher', url: 'http://127.0.0.1:1' },
      ],
    }
    const second = await world.start({ watched })
    await second.network.start(new AbortController().signal)
    const isRead = ({ roles }: NetworkDocument) => roles.length > 0
    const { incidents } = await read<NetworkDocument>(second, '/api/network', isRead)
    assert.deepEqual(
      incidents.map(({ toMs: _, ...incident }) => incident),
      kept.map(({ toMs: _, ...incident }) => incident),
    )
    assert.deepEqual(
      incidents.map(({ role, toMs }) => [role, toMs === null]),
      [
        ['batcher', true],
        ['consensus', false],
      ],
    )
  })

  it('begins without incidents when their file is damaged', async () => {
    mkdirSync(join(world.folder, 'kept'))
    writeFileSync(join(world.folder, 'kept', 'incidents.json'), '[{"role":1}]')
    const { incidents } = await read<NetworkDocument>(await watching(), '/api/network', ({ roles }) => roles.length > 0)
    assert.equal(incidents.length, 1)
  })

  it('shows peers without their addresses', async () => {
    const { nodes } = await read<NetworkDocument>(await watching(), '/api/network', ({ nodes }) => nodes.length > 0)
    assert.deepEqual(nodes[1]?.peers, [{ id: 'p1', program: '<b>', direction: 'inbound', latencyMs: 5, connectedSinceMs: 1, score: 2 }])
    assert.match(nodes[0]?.trouble ?? '', /^it cannot be reached$/)
  })
})
