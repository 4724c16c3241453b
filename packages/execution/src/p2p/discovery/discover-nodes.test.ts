import assert from 'node:assert/strict'
import { createECDH } from 'node:crypto'
import { ENR } from '@chainsafe/enr'
import { bytesToHex, toHash } from '@keelson/primitives'
import { createMemoryStore, createSilentLogger, createSystemClock } from '@keelson/runtime'
import type { Discovery } from '@keelson/runtime/discovery'
import { eventually } from '../../../../../test/support/eventually.ts'
import type { ForkPoints } from '../../chain-rules.ts'
import { createForkFilter } from '../../fork-id/fork-filter.ts'
import { forkId } from '../../fork-id/fork-id.ts'
import type { NodeAddress } from '../peers/enode.ts'
import { discoverNodes } from './discover-nodes.ts'

const OWN_CHAIN: ForkPoints = { genesis: toHash(`0x${'11'.repeat(32)}`), blocks: [], times: [1_000, 2_000] }
const OTHER_CHAIN: ForkPoints = { ...OWN_CHAIN, genesis: toHash(`0x${'22'.repeat(32)}`) }

interface Node {
  readonly discovery: Discovery
  readonly id: string
  readonly found: NodeAddress[]
  head: { number: number; timestampSec: number }
}

async function start(seed: number, points: ForkPoints, ...bootnodes: string[]): Promise<Node> {
  const nodeKey = new Uint8Array(32).fill(seed)
  const key = createECDH('secp256k1')
  key.setPrivateKey(nodeKey)
  const node = {
    id: bytesToHex(new Uint8Array(key.getPublicKey().subarray(1))),
    found: [] as NodeAddress[],
    head: { number: 0, timestampSec: 500 },
  }
  const discovery = await discoverNodes(
    {
      bootnodes,
      udpPort: 0,
      advertise: { ip: null, tcpPort: null, udpPort: null },
      walkEveryMs: { wanting: 50, content: 50 },
    },
    {
      nodeKey,
      host: '127.0.0.1',
      tcpPort: 30_300 + seed,
      store: createMemoryStore(),
      forkId: () => forkId(points, node.head),
      forkFilter: createForkFilter(points, () => node.head),
      wantsNodes: () => true,
      onFound: (found) => node.found.push(found),
      isBannedAddress: () => false,
      isInside: () => true,
      networks: [],
      clock: createSystemClock(),
      log: createSilentLogger(),
    },
  )
  return Object.assign(node, { discovery })
}

const hex = (enr: string, key: string) =>
  (ENR.decodeTxt(enr).kvs.get(key) as unknown as [[Uint8Array, Uint8Array]])[0].map((item) => Buffer.from(item).toString('hex'))

describe('discovery of execution clients', () => {
  const nodes: Node[] = []
  const run = async (...args: Parameters<typeof start>) => {
    const node = await start(...args)
    nodes.push(node)
    return node
  }
  afterEach(async () => {
    for (const { discovery } of nodes.splice(0)) await discovery.stop()
  })

  it('brings nodes of one chain together and leaves those of another alone', async () => {
    const boot = await run(1, OWN_CHAIN)
    const b = await run(2, OWN_CHAIN, boot.discovery.record())
    const c = await run(3, OWN_CHAIN, boot.discovery.record())
    const other = await run(4, OTHER_CHAIN, boot.discovery.record())
    await eventually('b and c know each other', async () => {
      return b.found.some(({ id }) => id === c.id) && c.found.some(({ id }) => id === b.id)
    })
    await eventually('the other node in the table', async () => boot.discovery.table().includes(other.discovery.record()))
    assert.deepEqual(
      b.found.find(({ id }) => id === c.id),
      { id: c.id, host: '127.0.0.1', tcpPort: 30_303, udpPort: ENR.decodeTxt(c.discovery.record()).udp },
    )
    for (const { found } of [boot, b, c]) assert.ok(!found.some(({ id }) => id === other.id))
    assert.deepEqual(other.found, [])
  })

  it('states the fork id in both entries, and anew once a fork has passed', async () => {
    const node = await run(5, OWN_CHAIN)
    const idAt = (timestampSec: number) => {
      const { hash, next } = forkId(OWN_CHAIN, { number: 0, timestampSec })
      return [hash.toString(16).padStart(8, '0'), next === 0n ? '' : next.toString(16).padStart(4, '0')]
    }
    for (const key of ['eth', 'opel']) assert.deepEqual(hex(node.discovery.record(), key), idAt(500))
    const { seq } = ENR.decodeTxt(node.discovery.record())
    node.head = { number: 10, timestampSec: 2_000 }
    await eventually('a record with a higher number', async () => ENR.decodeTxt(node.discovery.record()).seq > seq)
    for (const key of ['eth', 'opel']) assert.deepEqual(hex(node.discovery.record(), key), idAt(2_000))
  })
})
