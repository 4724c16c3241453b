import assert from 'node:assert/strict'
import { createMemoryStore } from '@keelson/runtime'
import { eventually } from '../../../../../test/support/eventually.ts'
import { newP2pNode, type P2pNode, withNodes } from '../../../../../test/support/p2p-node.ts'

const addressOf = (node: P2pNode) => node.gossip.self().addresses[0] as string

describe('what the operator blocks', () => {
  it('is cut off and refused both ways, by address and by subnet, until it is lifted', async () => {
    const store = createMemoryStore()
    const a = newP2pNode({ seed: 0x51, store })
    const b = newP2pNode({ seed: 0x52 })
    await withNodes([a, b], async () => {
      for (const [kind, what] of [
        ['Addr', '127.0.0.1'],
        ['Subnet', '127.0.0.0/8'],
      ] as const) {
        await b.rpc('opp2p_connectPeer', addressOf(a))
        await eventually('the connection', async () => a.peerIds().length === 1)
        await a.rpc(`opp2p_block${kind}`, what)
        await eventually('its end', async () => a.peerIds().length === 0 && b.peerIds().length === 0)
        await b.rpc('opp2p_connectPeer', addressOf(a)).catch(() => undefined)
        await assert.rejects(a.rpc('opp2p_connectPeer', addressOf(b)), /was not reached/)
        await eventually('no connection', async () => a.peerIds().length === 0 && b.peerIds().length === 0)
        await a.rpc(`opp2p_unblock${kind}`, what)
      }
      assert.deepEqual(await a.rpc('opp2p_listBlockedAddrs'), [])
    })
  })

  it("is listed in op-node's shape, whichever way it was given", async () => {
    const node = newP2pNode({ seed: 0x53 })
    await withNodes([node], async () => {
      await node.rpc('opp2p_blockSubnet', { IP: '192.0.2.0', Mask: '////AA==' })
      await node.rpc('opp2p_blockSubnet', '2001:db8::/32')
      await node.rpc('opp2p_blockAddr', '::ffff:198.51.100.7')
      assert.deepEqual(await node.rpc('opp2p_listBlockedAddrs'), ['198.51.100.7'])
      assert.deepEqual(await node.rpc('opp2p_listBlockedSubnets'), [
        { IP: '192.0.2.0', Mask: '////AA==' },
        { IP: '2001:db8:0:0:0:0:0:0', Mask: '/////wAAAAAAAAAAAAAAAA==' },
      ])
      for (const [method, param] of [
        ['opp2p_blockAddr', 'nowhere'],
        ['opp2p_blockAddr', '192.0.2.0/24'],
        ['opp2p_blockSubnet', { IP: '192.0.2.0', Mask: 'AP8A' }],
        ['opp2p_unblockAddr', 'nowhere'],
        ['opp2p_unblockSubnet', 'nowhere'],
        ['opp2p_blockPeer', 'nobody'],
        ['opp2p_connectPeer', '0x'],
      ] as const) {
        await assert.rejects(async () => node.rpc(method, param), { number: -32602 }, `${method} ${JSON.stringify(param)}`)
      }
    })
  })

  it('has a limit besides: who comes when all places are taken is refused, unless it is trusted', async () => {
    const friend = newP2pNode({ seed: 0x56 })
    await withNodes([friend], async () => {
      const node = newP2pNode({ seed: 0x54, peering: { low: 0, high: 1, trusted: [friend.gossip.self().peerId] } })
      const [first, second] = [newP2pNode({ seed: 0x55 }), newP2pNode({ seed: 0x57 })]
      await withNodes([node, first, second], async () => {
        await first.rpc('opp2p_connectPeer', addressOf(node))
        await eventually('the first', async () => node.peerIds().length === 1)
        await second.rpc('opp2p_connectPeer', addressOf(node)).catch(() => undefined)
        await eventually('the second without a connection', async () => second.peerIds().length === 0)
        await friend.rpc('opp2p_connectPeer', addressOf(node))
        await eventually('the friend', async () => node.peerIds().includes(friend.gossip.self().peerId))
        assert.equal(node.peerIds().length, 2)
      })
    })
  })
})
