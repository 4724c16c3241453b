import assert from 'node:assert/strict'
import { ZERO_ADDRESS } from '@keelson/primitives'
import { createMemoryStore } from '@keelson/runtime'
import { eventually } from '../../../../../test/support/eventually.ts'
import { newBlock, newP2pNode, type P2pNode, sequencer, stranger, withNodes } from '../../../../../test/support/p2p-node.ts'
import { encodePayloadAnswer } from '../exchange/payload-exchange.ts'

interface Peers {
  readonly bannedPeers: readonly string[]
  readonly peers: Record<
    string,
    { firstDeliveries: number; lastUseful: number | null; latency: number; scores: Scores; protected: boolean }
  >
}

interface Scores {
  readonly gossip: {
    readonly total: number
    readonly blocks: { readonly firstMessageDeliveries: number; readonly invalidMessageDeliveries: number }
  }
  readonly reqResp: { readonly validResponses: number }
}

const idOf = (node: P2pNode) => node.gossip.self().peerId
const addressOf = (node: P2pNode) => node.gossip.self().addresses[0] as string

async function publishUntil(what: string, node: P2pNode, holds: () => boolean): Promise<void> {
  let number = 0
  await eventually(what, async () => {
    if (!holds()) await node.gossip.publish(newBlock(++number))
    return holds()
  })
}

describe('peers that do harm', () => {
  it('are banned, and stay out after a restart until the ban is lifted', async () => {
    const store = createMemoryStore()
    const node = newP2pNode({ seed: 0x41, store })
    const bad = newP2pNode({ seed: 0x42, signer: stranger })
    await withNodes([bad], async () => {
      const badId = idOf(bad)
      await withNodes([node], async () => {
        assert.equal(await bad.rpc('opp2p_connectPeer', addressOf(node)), null)
        await publishUntil('the ban', bad, () => node.judged.length > 0)
        await eventually('the end of the connection', async () => node.peerIds().length === 0)
        assert.deepEqual(await node.rpc('opp2p_listBlockedPeers'), [badId])
      })
      const again = newP2pNode({ seed: 0x41, store })
      await withNodes([again], async () => {
        assert.deepEqual((await again.rpc<Peers>('opp2p_peers', true)).bannedPeers, [badId])
        await bad.rpc('opp2p_connectPeer', addressOf(again)).catch(() => undefined)
        await assert.rejects(again.rpc('opp2p_connectPeer', addressOf(bad)), /was not reached/)
        await eventually('no connection', async () => again.peerIds().length === 0)
        await again.rpc('opp2p_unblockPeer', badId)
        await eventually('a connection', async () => {
          await again.rpc('opp2p_connectPeer', addressOf(bad))
          return again.peerIds().includes(badId)
        })
      })
    })
  })

  it('are banned for one lie about a requested block', async () => {
    const liar = newP2pNode({ seed: 0x47 })
    const node = newP2pNode({ seed: 0x48 })
    const { payload, parentBeaconBlockRoot } = newBlock(1)
    const withdrawal = { index: 0n, validatorIndex: 0n, address: ZERO_ADDRESS, amountGwei: 0n }
    liar.gossip.serve({
      answer: async () => encodePayloadAnswer({ payload: { ...payload, withdrawals: [withdrawal] }, parentBeaconBlockRoot }),
    })
    await withNodes([liar, node], async () => {
      assert.equal(await liar.rpc('opp2p_connectPeer', addressOf(node)), null)
      await eventually('the connection', async () => node.peerIds().length === 1)
      assert.equal(await node.gossip.requestPayload(1, payload.blockHash), null)
      await eventually('the end of the connection', async () => node.peerIds().length === 0)
      assert.deepEqual(await node.rpc('opp2p_listBlockedPeers'), [idOf(liar)])
    })
  })

  it('stay when they are trusted', async () => {
    const bad = newP2pNode({ seed: 0x43, signer: stranger })
    await withNodes([bad], async () => {
      const node = newP2pNode({ seed: 0x44, staticPeers: [addressOf(bad)] })
      await withNodes([node], async () => {
        await eventually('the connection', async () => node.peerIds().length === 1)
        await publishUntil('four refused blocks', bad, () => node.judged.length >= 4)
        const peerOf = async () => (await node.rpc<Peers>('opp2p_peers', true)).peers[idOf(bad)]
        await eventually('its true score', async () => ((await peerOf())?.scores.gossip.total ?? 0) < -100)
        assert.equal((await peerOf())?.protected, true)
        assert.deepEqual(await node.rpc('opp2p_listBlockedPeers'), [])
        assert.equal(node.peerIds().length, 1)
      })
    })
  })
})

describe('what RPC shows of a peer', () => {
  it('is filled: deliveries, score, latency, last use, requests', async () => {
    const a = newP2pNode({ seed: 0x45, signer: sequencer })
    await withNodes([a], async () => {
      const b = newP2pNode({ seed: 0x46, staticPeers: [addressOf(a)] })
      await withNodes([b], async () => {
        await eventually('the connection', async () => b.peerIds().length === 1)
        await publishUntil('a block', a, () => b.received.length > 0)
        const held = newBlock(1)
        a.gossip.serve({ answer: async () => encodePayloadAnswer(held) })
        assert.ok((await b.gossip.requestPayload(1, held.payload.blockHash)) !== null)
        const peer = await eventually('a measured round trip, and a score', async () => {
          const { peers } = await b.rpc<Peers>('opp2p_peers', true)
          const found = peers[idOf(a)]
          return found !== undefined && found.latency > 0 && found.scores.gossip.total > 0 ? found : null
        })
        assert.equal(peer.firstDeliveries, b.received.length)
        assert.ok(peer.scores.gossip.blocks.firstMessageDeliveries > 0)
        assert.ok(peer.scores.reqResp.validResponses > 0)
        assert.ok((peer.lastUseful ?? 0) > 0)
        assert.deepEqual(await b.rpc('opp2p_peerStats'), {
          connected: 1,
          table: 0,
          blocksTopic: 1,
          blocksTopicV2: 1,
          blocksTopicV3: 1,
          blocksTopicV4: 1,
          banned: 0,
          known: 1,
        })
      })
    })
  })
})
