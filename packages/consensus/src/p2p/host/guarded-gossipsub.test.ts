import assert from 'node:assert/strict'
import { eventually } from '../../../../../test/support/eventually.ts'
import { CHAIN_ID, crypto, newBlock, newP2pNode, stranger, withNodes } from '../../../../../test/support/p2p-node.ts'
import { dialAsRawPeer, messageFrame, protobuf } from '../../../../../test/support/raw-peer.ts'
import { attestationsTopic } from '../attestations/attestation-message.ts'
import { encodeBlockMessage } from '../gossip/encode-message.ts'
import { blocksTopic } from '../gossip/message-id.ts'
import { FRAME_LIMITS } from './gossip-frame.ts'

const TOPIC = blocksTopic(CHAIN_ID, 4)
const NOTHING = new Uint8Array(0)

const unsigned = async (count: number) =>
  Promise.all(Array.from({ length: count }, async (_, i) => (await encodeBlockMessage(CHAIN_ID, stranger, newBlock(i + 1))).message))

describe('a hostile gossip frame', () => {
  it('of many unsigned blocks: the first mutes the sender, and the rest is not validated', async () => {
    const node = newP2pNode({ seed: 0x61 })
    await withNodes([node], async () => {
      const peer = await dialAsRawPeer(node.gossip.self().addresses[0] as string)
      try {
        await peer.send([messageFrame(TOPIC, await unsigned(52))])
        await eventually('the ban', async () => (await node.rpc<string[]>('opp2p_listBlockedPeers')).includes(peer.peerId))
        await eventually('the end of the connection', async () => node.peerIds().length === 0)
        assert.deepEqual(node.judged, ['signature-invalid'])
      } finally {
        await peer.stop()
      }
    })
  })

  it('of tiny parts is not decoded and lowers the score of the sender', async () => {
    const node = newP2pNode({ seed: 0x62 })
    await withNodes([node], async () => {
      const peer = await dialAsRawPeer(node.gossip.self().addresses[0] as string)
      try {
        const tiny = protobuf(...Array.from({ length: FRAME_LIMITS.messages + 1 }, () => [2, NOTHING] as const))
        await peer.send([tiny])
        await eventually('a lower score', async () => node.gossip.peers().some(({ score }) => (score ?? 0) < -40))
        assert.deepEqual(node.judged, [])
      } finally {
        await peer.stop()
      }
    })
  })

  it('of a topic that this node has not joined is neither hashed nor cached', async () => {
    let hashed = 0
    const node = newP2pNode({
      seed: 0x63,
      crypto: {
        ...crypto,
        sha256(data) {
          hashed++
          return crypto.sha256(data)
        },
      },
    })
    await withNodes([node], async () => {
      const peer = await dialAsRawPeer(node.gossip.self().addresses[0] as string)
      try {
        const messages = Array.from({ length: 500 }, (_, i) => Uint8Array.of(i, i >> 8))
        await peer.send([messageFrame(attestationsTopic(CHAIN_ID), messages), messageFrame(TOPIC, await unsigned(1))])
        await eventually('the block after them', async () => node.judged.length > 0)
        assert.deepEqual({ hashed, judged: node.judged }, { hashed: 1, judged: ['signature-invalid'] })
      } finally {
        await peer.stop()
      }
    })
  })
})
