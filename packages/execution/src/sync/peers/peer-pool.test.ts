import assert from 'node:assert/strict'
import { createManualClock } from '@keelson/runtime'
import { SILENT_LOG } from '../../../../../test/support/execution-world.ts'
import { createPeerList, type ListedPeer } from '../../../../../test/support/sync-peers.ts'
import { createPeerPool, type PeerRequest } from './peer-pool.ts'

const { signal } = new AbortController()

/** Good when the peer returns at least one item. */
const HEADERS: PeerRequest<readonly Uint8Array[], string> = {
  kind: 'headers',
  send: (peer, over) => peer.headers({ start: 1, count: 1, reverse: false }, over),
  judge([first]) {
    if (first === undefined) return { kind: 'useless', reason: 'no headers' }
    return first.length === 0 ? { kind: 'invalid', reason: 'empty' } : { kind: 'good', value: `${first[0]}`, items: 1 }
  },
}

function peer(id: string, headers: ListedPeer['headers']): ListedPeer {
  const none = async () => []
  return { id, headers, bodies: none, receipts: none, faults: [], penalize: () => undefined }
}

const answering = (id: string, item: number) => peer(id, async () => [Uint8Array.of(item)])

function open(...members: ListedPeer[]) {
  const clock = createManualClock()
  const list = createPeerList(members)
  return { clock, list, pool: createPeerPool({ peers: list, clock, log: SILENT_LOG }) }
}

describe('the pool of sync peers', () => {
  it('asks another peer when the first lies, and drops the liar', async () => {
    const { list, pool } = open(
      peer('liar', async () => [new Uint8Array(0)]),
      answering('honest', 7),
    )
    assert.equal((await pool.request(HEADERS, signal)).value, '7')
    assert.deepEqual(
      list.list().map(({ id }) => id),
      ['honest'],
    )
    assert.deepEqual(pool.faults, { invalid: 1, silent: 0, useless: 0 })
  })

  it('asks another peer when the first is silent until the deadline', async () => {
    const { clock, list, pool } = open(
      peer('silent', () => new Promise(() => undefined)),
      answering('honest', 7),
    )
    const asked = pool.request(HEADERS, signal)
    await clock.advance(9_999)
    assert.equal(list.list()[0]?.faults.length, 0)
    await clock.advance(1)
    assert.equal((await asked).value, '7')
    assert.deepEqual(
      list.list()[0]?.faults.map(({ kind }) => kind),
      ['useless'],
    )
  })

  it('a peer silent on one kind of request loses its place, though it answers all others', async () => {
    const kinds = ['headers', 'bodies', 'receipts'] as const
    for (const silentOn of kinds) {
      const half = answering('half', 1)
      const { clock, list, pool } = open({ ...half, [silentOn]: () => new Promise(() => undefined) })
      const send = (kind: (typeof kinds)[number]): PeerRequest<readonly Uint8Array[], string> => ({
        kind,
        send: (asked, over) => (kind === silentOn ? asked[kind]([] as never, over) : Promise.resolve([Uint8Array.of(1)])),
        judge: ([first]) =>
          first === undefined ? { kind: 'useless', reason: 'nothing' } : { kind: 'good', value: `${first[0]}`, items: 1 },
      })
      const stopping = new AbortController()
      const asked = pool.request(send(silentOn), stopping.signal).catch(() => undefined)
      const silences = () => list.list()[0]?.faults.filter(({ kind }) => kind === 'silent').length
      // Five requests of 10 s, with rests of 2, 4, 8 and 16 s between them.
      for (let sec = 0; sec < 79; sec++) {
        for (const kind of kinds) if (kind !== silentOn) await pool.request(send(kind), signal)
        await clock.advance(1_000)
      }
      assert.equal(silences(), 0, silentOn)
      await clock.advance(1_000)
      assert.equal(silences(), 1, silentOn)
      stopping.abort()
      await asked
    }
  })

  it('waits for a peer, and says since when', async () => {
    const { clock, list, pool } = open()
    await clock.advance(500)
    const asked = pool.request(HEADERS, signal)
    await clock.advance(1_000)
    assert.equal(pool.waitingSinceMs, 500)
    list.join(answering('late', 3))
    assert.equal((await asked).value, '3')
    assert.equal(pool.waitingSinceMs, null)
  })

  it('asks a peer without the data again, later each time', async () => {
    const sentMs: number[] = []
    const { clock, pool } = open(
      peer('behind', async () => {
        sentMs.push(clock.nowMs())
        return sentMs.length < 4 ? [] : [Uint8Array.of(1)]
      }),
    )
    const asked = pool.request(HEADERS, signal)
    await clock.advance(20_000)
    assert.equal((await asked).value, '1')
    assert.deepEqual(sentMs, [0, 2_000, 6_000, 14_000])
  })

  it('sends two requests at most to one peer at the same time', async () => {
    let running = 0
    let most = 0
    const answers: (() => void)[] = []
    const { clock, pool } = open(
      peer('one', async () => {
        most = Math.max(most, ++running)
        await new Promise<void>((resolve) => answers.push(resolve))
        running--
        return [Uint8Array.of(1)]
      }),
    )
    const asked = Array.from({ length: 6 }, () => pool.request(HEADERS, signal))
    for (let answered = 0; answered < 6; answered++) {
      await clock.advance(0)
      answers.shift()?.()
    }
    await Promise.all(asked)
    assert.equal(most, 2)
  })

  it('prefers the faster of two free peers once both have answered', async () => {
    const served: string[] = []
    const after = (id: string, ms: number) =>
      peer(id, async () => {
        served.push(id)
        await clock.sleep(ms)
        return [Uint8Array.of(1)]
      })
    const { clock, pool } = open(after('slow', 900), after('fast', 10))
    for (let i = 0; i < 4; i++) {
      const asked = pool.request(HEADERS, signal)
      await clock.advance(1_000)
      await asked
    }
    assert.deepEqual(served, ['slow', 'fast', 'fast', 'fast'])
  })

  it('waits for no peer once the last request was aborted', async () => {
    const { clock, pool } = open()
    const stopping = [new AbortController(), new AbortController()]
    const asked = stopping.map((one) => pool.request(HEADERS, one.signal).catch(() => undefined))
    await clock.advance(10)
    stopping[0]?.abort()
    await asked[0]
    assert.equal(pool.waitingSinceMs, 0)
    stopping[1]?.abort()
    await asked[1]
    assert.equal(pool.waitingSinceMs, null)
  })

  it('stops waiting when the caller aborts', async () => {
    const { clock, pool } = open()
    const stopping = new AbortController()
    const asked = pool.request(HEADERS, stopping.signal)
    await clock.advance(10)
    stopping.abort(new Error('stopped'))
    await assert.rejects(asked, /stopped/)
    assert.deepEqual(clock.sleepers, [])
  })
})
