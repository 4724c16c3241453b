import assert from 'node:assert/strict'
import { createECDH } from 'node:crypto'
import { ENR } from '@chainsafe/enr'
import { createMemoryStore } from '@keelson/runtime'
import { parseBootnode } from '@keelson/runtime/discovery'
import { eventually } from '../../../../../test/support/eventually.ts'
import { CHAIN_ID, discovering, newP2pNode, withNodes } from '../../../../../test/support/p2p-node.ts'
import { decodeOpstackEntry, OPSTACK_ENTRY } from './opstack-entry.ts'

interface Self {
  readonly ENR: string
  readonly peerID: string
}

describe('discovery of peers', () => {
  it('brings nodes together that know only one bootnode, and leaves a node of another chain alone', async () => {
    const bootnode = newP2pNode({ seed: 0x31, peering: discovering() })
    await withNodes([bootnode], async () => {
      const { ENR: enr } = await bootnode.rpc<Self>('opp2p_self')
      const b = newP2pNode({ seed: 0x32, peering: discovering(enr) })
      const c = newP2pNode({ seed: 0x33, peering: discovering(enr) })
      const other = newP2pNode({ seed: 0x34, chainId: 901n, peering: discovering(enr) })
      await withNodes([other, b, c], async () => {
        await eventually('each of the three with two peers', async () => [bootnode, b, c].every((node) => node.peerIds().length === 2))
        await eventually('the other node in the table', async () => {
          const table = await bootnode.rpc<string[]>('opp2p_discoveryTable')
          return table.length === 3
        })
        assert.deepEqual(other.peerIds(), [])
        const { peers } = await b.rpc<{ peers: Record<string, { ENR: string; chainID: number }> }>('opp2p_peers', true)
        for (const peer of Object.values(peers)) assert.equal(peer.chainID, Number(CHAIN_ID))
        const self = await bootnode.rpc<Self>('opp2p_self')
        assert.equal(peers[self.peerID]?.ENR, self.ENR)
      })
    })
  })

  it('finds its network again after a restart, without the bootnode', async () => {
    const store = createMemoryStore()
    const bootnode = newP2pNode({ seed: 0x35, peering: discovering() })
    const b = newP2pNode({ seed: 0x36, peering: discovering() })
    await withNodes([b], async () => {
      await withNodes([bootnode], async () => {
        const enr = (await bootnode.rpc<Self>('opp2p_self')).ENR
        const boot = (await b.rpc<Self>('opp2p_self')).ENR
        const c = newP2pNode({ seed: 0x37, store, peering: discovering(enr, boot) })
        await withNodes([c], () => eventually('both peers', async () => c.peerIds().length === 2).then(() => undefined))
      })
      const again = newP2pNode({ seed: 0x37, store, peering: discovering() })
      await withNodes([again], async () => {
        const { peerId } = b.gossip.self()
        await eventually('the peer that is left', async () => again.peerIds().includes(peerId))
      })
    })
  })

  it('learns where a node went that came back elsewhere', async () => {
    const bootnode = newP2pNode({ seed: 0x3d, peering: discovering() })
    await withNodes([bootnode], async () => {
      const { ENR: enr } = await bootnode.rpc<Self>('opp2p_self')
      const isKnown = async (node: ReturnType<typeof newP2pNode>) => {
        const own = (await node.rpc<Self>('opp2p_self')).ENR
        await eventually('its record at the bootnode', async () => (await bootnode.rpc<string[]>('opp2p_discoveryTable')).includes(own))
      }
      for (let start = 0; start < 2; start++) {
        const node = newP2pNode({ seed: 0x3e, peering: discovering(enr) })
        await withNodes([node], () => isKnown(node))
      }
    })
  })

  it('begins with an enode address', async () => {
    const bootnode = newP2pNode({ seed: 0x38, peering: discovering() })
    await withNodes([bootnode], async () => {
      const record = ENR.decodeTxt((await bootnode.rpc<Self>('opp2p_self')).ENR)
      const key = createECDH('secp256k1')
      key.setPrivateKey(new Uint8Array(32).fill(0x38))
      const enode = `enode://${key.getPublicKey('hex').slice(2)}@127.0.0.1:${record.tcp}?discport=${record.udp}`
      const b = newP2pNode({ seed: 0x39, peering: discovering(enode) })
      await withNodes([b], () => eventually('the peer', async () => b.peerIds().length === 1).then(() => undefined))
    })
  })

  it('says in its record which chain it is of, and where it is reached', async () => {
    const node = newP2pNode({
      seed: 0x3a,
      peering: {
        discovery: {
          bootnodes: ['enr:broken'],
          udpPort: 0,
          advertise: { ip: '203.0.113.7', tcpPort: 9222, udpPort: 9223 },
          walkEveryMs: { wanting: 50, content: 50 },
        },
      },
    })
    await withNodes([node], async () => {
      const record = ENR.decodeTxt((await node.rpc<Self>('opp2p_self')).ENR)
      assert.deepEqual([record.ip, record.tcp, record.udp], ['203.0.113.7', 9222, 9223])
      assert.deepEqual(decodeOpstackEntry(record.kvs.get(OPSTACK_ENTRY) ?? new Uint8Array(0)), { chainId: CHAIN_ID, version: 0n })
      assert.equal(record.peerId.toString(), node.gossip.self().peerId)
    })
  })

  it('says which port it could not have', async () => {
    const first = newP2pNode({ seed: 0x3b, peering: discovering() })
    await withNodes([first], async () => {
      const { udp } = ENR.decodeTxt((await first.rpc<Self>('opp2p_self')).ENR)
      const peering = { discovery: { ...discovering().discovery, udpPort: udp ?? 0 } } as ReturnType<typeof discovering>
      const second = newP2pNode({ seed: 0x3c, peering })
      await assert.rejects(second.gossip.start(), { code: 'consensus/discovery-start' })
      await second.gossip.stop()
    })
  })

  it('knows what is no bootnode', () => {
    for (const text of ['', 'enr:abc', 'enode://12@127.0.0.1:1', 'http://127.0.0.1']) assert.equal(parseBootnode(text).kind, 'bad', text)
  })
})
