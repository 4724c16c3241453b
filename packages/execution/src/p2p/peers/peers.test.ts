import assert from 'node:assert/strict'
import { createECDH } from 'node:crypto'
import { bytesToHex } from '@keelson/primitives'
import { createManualClock, createMemoryStore, createSeededRandom, type KeyValueStore } from '@keelson/runtime'
import { createRecordingLogger } from '../../../../../test/support/recording-logger.ts'
import type { NodeAddress } from './enode.ts'
import type { Place } from './peer-set.ts'
import { createPeers } from './peers.ts'
import { DEFAULT_PEERS, type PeersOptions } from './peers-options.ts'

function node(n: number, host = `10.0.${n}.1`): NodeAddress {
  const key = createECDH('secp256k1')
  key.setPrivateKey(new Uint8Array(32).fill(n))
  return { id: bytesToHex(new Uint8Array(key.getPublicKey().subarray(1))), host, tcpPort: 30303, udpPort: 30303 }
}

interface World {
  readonly peers: ReturnType<typeof createPeers>
  readonly dialled: string[]
  /** Nodes that answer. */
  readonly up: Set<string>
  readonly places: Map<string, Place>
  readonly log: ReturnType<typeof createRecordingLogger>
  seconds(count: number): Promise<void>
  stop(): Promise<void>
}

async function open(changes: Partial<PeersOptions> = {}, store: KeyValueStore = createMemoryStore()): Promise<World> {
  const clock = createManualClock(1_800_000_000_000)
  const log = createRecordingLogger()
  const dialled: string[] = []
  const up = new Set<string>()
  const places = new Map<string, Place>()
  const peers = createPeers(
    { ...DEFAULT_PEERS, ...changes },
    {
      ownId: node(200).id,
      store,
      async dial({ id, host }, place) {
        dialled.push(host)
        if (!up.has(id)) throw new Error('connection refused')
        places.set(id, place)
        place.join(async () => place.leave())
      },
      onChange: () => undefined,
      clock,
      random: createSeededRandom(1),
      log,
    },
  )
  const stopping = new AbortController()
  const running = peers.run(stopping.signal)
  await clock.advance(0)
  return {
    peers,
    dialled,
    up,
    places,
    log,
    async seconds(count) {
      for (let i = 0; i < count; i++) await clock.advance(1_000)
    },
    async stop() {
      stopping.abort()
      await clock.advance(1_000)
      await running
    },
  }
}

describe('peers', () => {
  it('dials a static node again and again, ever more seldom, and at once after it came back', async () => {
    const fixed = node(1)
    const { dialled, up, places, peers, seconds, stop } = await open({ staticNodes: [fixed] })
    await seconds(120)
    assert.ok(dialled.length >= 5 && dialled.length <= 9, `${dialled.length} dials in two minutes`)
    up.add(fixed.id)
    await seconds(80)
    assert.ok(peers.set.has(fixed.id))
    const before = dialled.length
    await seconds(60)
    assert.equal(dialled.length, before, 'a connected node is not dialled')
    places.get(fixed.id)?.leave()
    await seconds(4)
    assert.ok(peers.set.has(fixed.id))
    await stop()
  })

  it('says once why a static node cannot be connected', async () => {
    const { log, seconds, stop } = await open({ staticNodes: [node(1)] })
    await seconds(120)
    const warnings = log.lines.filter(({ level }) => level === 'warn')
    assert.deepEqual(
      warnings.map(({ fields }) => fields.reason),
      ['connection refused'],
    )
    await stop()
  })

  it('dials found nodes while there are too few, and not the others', async () => {
    const { peers, up, dialled, seconds, stop } = await open({ maxPeers: 9 })
    for (let n = 1; n <= 20; n++) {
      peers.found(node(n))
      up.add(node(n).id)
    }
    peers.found(node(200))
    await seconds(5)
    assert.equal(peers.set.peers().length, 3)
    assert.equal(dialled.length, 3)
    assert.equal(peers.wantsNodes(), false)
    await stop()
  })

  it('finds its peers again after a restart', async () => {
    const store = createMemoryStore()
    const first = await open({}, store)
    first.peers.found(node(1))
    first.peers.found(node(2))
    first.up.add(node(1).id)
    await first.seconds(2)
    await first.stop()
    const second = await open({}, store)
    await second.seconds(1)
    assert.deepEqual(second.dialled, [node(1).host])
    await second.stop()
  })

  it('bans a peer for a lie, with the reason, over a restart, and drops its connection', async () => {
    const store = createMemoryStore()
    const { peers, up, log, seconds, stop } = await open({}, store)
    peers.found(node(1))
    up.add(node(1).id)
    await seconds(2)
    peers.fault(node(1).id, 'invalid', 'a body that is not that of its header')
    await seconds(1)
    assert.equal(peers.set.has(node(1).id), false)
    const ban = log.matching('a peer is banned')[0]
    assert.equal(ban?.fields.why, 'a body that is not that of its header')
    await stop()
    const again = await open({}, store)
    again.peers.found(node(1))
    again.up.add(node(1).id)
    await again.seconds(60)
    assert.deepEqual(again.dialled, [])
    await again.stop()
  })

  it('bans no static and no trusted node', async () => {
    const { peers, up, seconds, stop } = await open({ staticNodes: [node(1)] })
    up.add(node(1).id)
    await seconds(2)
    peers.fault(node(1).id, 'invalid', 'a lie')
    await seconds(1)
    assert.ok(peers.set.has(node(1).id))
    await stop()
  })

  it('refuses an address after three of its peers were banned', async () => {
    const { peers, seconds, stop } = await open()
    for (let n = 1; n <= 3; n++) {
      const admission = peers.set.inbound('203.0.113.9', () => undefined)
      assert.ok(admission.kind === 'admitted')
      assert.equal(admission.place.identify(node(n).id), null)
      admission.place.join(async () => admission.place.leave())
      peers.fault(node(n).id, 'invalid', 'a lie')
      await seconds(1)
    }
    assert.deepEqual(
      peers.set.inbound('203.0.113.9', () => undefined),
      { kind: 'refused', reason: 'address-banned' },
    )
    assert.ok(peers.isBannedAddress('203.0.113.9'))
    await stop()
  })

  it('takes static and trusted nodes from the operator, and lets them go', async () => {
    const { peers, up, seconds, stop } = await open()
    up.add(node(1).id)
    assert.ok(peers.addStatic(node(1)))
    await seconds(2)
    assert.ok(peers.set.has(node(1).id) && peers.named.isStatic(node(1).id))
    assert.equal(await peers.removeStatic(node(1).id), true)
    assert.equal(peers.set.has(node(1).id), false)
    assert.ok(peers.addTrusted(node(2).id) && peers.named.isTrusted(node(2).id) && peers.removeTrusted(node(2).id))
    await stop()
  })
})
