import assert from 'node:assert/strict'
import { eventually } from '../../../../test/support/eventually.ts'
import { createManualClock, type ManualClock } from '../clock.ts'
import { call, closeFrontDoors, openSocket, post, serveFrontDoor } from './front-door.test-support.ts'
import { createMinBlock } from './min-block.ts'

const waits = (clock: ManualClock) => eventually('waiting for a block', async () => clock.sleepers.length > 0)
const json = { 'content-type': 'application/json' }

describe('X-Keelson-Min-Block', () => {
  let number = 7
  const head = async () => number
  const serve = async (maxWaitMs = 500) => serveFrontDoor({ limits: { minBlockWaitMs: maxWaitMs } }, null, { head })
  const ask = (server: Awaited<ReturnType<typeof serve>>['server'], block: string) =>
    post(server, call('net_version'), { ...json, 'x-keelson-min-block': block })

  beforeEach(() => {
    number = 7
  })
  afterEach(closeFrontDoors)

  it('is answered with the number of the head by a node that has the block', async () => {
    const { server } = await serve()
    for (const block of ['0', '7']) {
      const { status, headers } = await ask(server, block)
      assert.deepEqual([status, headers['x-keelson-block']], [200, '7'])
    }
    assert.equal((await post(server, call('net_version'), json)).headers['x-keelson-block'], undefined)
  })

  it('waits for the block', async () => {
    const { server, clock } = await serve()
    const answer = ask(server, '9')
    await waits(clock)
    number = 9
    await clock.advance(20)
    const { status, headers } = await answer
    assert.deepEqual([status, headers['x-keelson-block']], [200, '9'])
  })

  it('is answered with 503 after the wait, so that a balancer asks another node', async () => {
    const { server, clock } = await serve(40)
    const answer = ask(server, '9')
    await waits(clock)
    await clock.advance(20)
    await waits(clock)
    await clock.advance(20)
    const { status, body } = await answer
    assert.equal(status, 503)
    assert.deepEqual(JSON.parse(String(body)), {
      jsonrpc: '2.0',
      id: null,
      error: { code: -32000, message: 'the head of this node is 7, below block 9 of x-keelson-min-block; try again' },
    })
  })

  it('keeps a hundred requests of one client waiting, and no more', async () => {
    const clock = createManualClock()
    const minBlock = createMinBlock({ maxWaitMs: 500 }, { head, clock })
    const { signal } = new AbortController()
    const waiting = Array.from({ length: 100 }, () => minBlock.await('9', '10.0.0.1', signal))
    await waits(clock)
    assert.equal((await minBlock.await('9', '10.0.0.1', signal))?.status, 503)
    waiting.push(minBlock.await('9', '10.0.0.2', signal), minBlock.await('9', null, signal))
    number = 9
    await clock.advance(20)
    assert.deepEqual(new Set(await Promise.all(waiting)), new Set([null]))
    const again = minBlock.await('10', '10.0.0.1', signal)
    await waits(clock)
    number = 10
    await clock.advance(20)
    assert.equal(await again, null)
  })

  it('opens a WebSocket connection only when the node has the block', async () => {
    const { server, clock } = await serveFrontDoor({ ws: true, limits: { minBlockWaitMs: 20 } }, null, { head })
    const open = (block: string) => openSocket(server, '', { 'x-keelson-min-block': block })
    await open('7')
    const refused = open('9').catch(String)
    await waits(clock)
    await clock.advance(20)
    assert.match(String(await refused), /503/)
    const opened = open('8')
    await waits(clock)
    number = 8
    await clock.advance(20)
    await opened
    assert.match(String(await open('x').catch(String)), /400/)
  })

  it('is answered at once by a node that is far below, and is wrong when no node can have the block', async () => {
    const { server } = await serve()
    assert.equal((await ask(server, '13')).status, 503)
    for (const block of ['10008', '-1', '0x9', '9'.repeat(100)]) assert.equal((await ask(server, block)).status, 400, block)
  })
})
