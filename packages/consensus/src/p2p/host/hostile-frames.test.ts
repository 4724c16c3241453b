import assert from 'node:assert/strict'
import { RPC } from '@chainsafe/libp2p-gossipsub/message'
import fc from 'fast-check'
import { eventually } from '../../../../../test/support/eventually.ts'
import { CHAIN_ID, newBlock, newP2pNode, sequencer, withNodes } from '../../../../../test/support/p2p-node.ts'
import { dialAsRawPeer, messageFrame, protobuf } from '../../../../../test/support/raw-peer.ts'
import { encodeBlockMessage } from '../gossip/encode-message.ts'
import { blocksTopic } from '../gossip/message-id.ts'

const SEED = 20_260_722
const FRAMES = 300
const TOPIC = blocksTopic(CHAIN_ID, 4)

const topicName = fc.constantFrom(TOPIC, blocksTopic(CHAIN_ID, 1), 'nowhere', '')
const bytes = fc.uint8Array({ maxLength: 80 })
const ids = fc.array(fc.uint8Array({ minLength: 20, maxLength: 20 }), { maxLength: 40 })

const control = fc
  .record({
    ihave: fc.array(fc.record({ topicID: topicName, messageIDs: ids }), { maxLength: 5 }),
    iwant: fc.array(fc.record({ messageIDs: ids }), { maxLength: 5 }),
    graft: fc.array(fc.record({ topicID: topicName }), { maxLength: 5 }),
    prune: fc.array(fc.record({ topicID: topicName, peers: fc.array(fc.record({ peerID: bytes }), { maxLength: 3 }), backoff: fc.nat() }), {
      maxLength: 5,
    }),
    idontwant: fc.array(fc.record({ messageIDs: ids }), { maxLength: 5 }),
  })
  .map((message) => RPC.encode({ subscriptions: [], messages: [], control: message }))
const subscriptions = fc
  .array(fc.record({ subscribe: fc.boolean(), topic: topicName }), { maxLength: 20 })
  .map((list) => RPC.encode({ subscriptions: list, messages: [] }))
const garbage = fc.oneof(
  bytes,
  fc.array(fc.tuple(fc.integer({ min: 1, max: 40 }), bytes), { maxLength: 10 }).map((fields) => protobuf(...fields)),
  fc.tuple(control, fc.nat(60)).map(([frame, end]) => frame.subarray(0, end)),
)

describe('a peer that sends random frames', () => {
  it('causes no crash, is disconnected, and does not block an honest peer', async () => {
    const node = newP2pNode({ seed: 0x51 })
    await withNodes([node], async () => {
      const address = node.gossip.self().addresses[0] as string
      const honest = newP2pNode({ seed: 0x52, signer: sequencer, staticPeers: [address] })
      const [playful, hostile] = [await dialAsRawPeer(address, 0x53), await dialAsRawPeer(address, 0x54)]
      try {
        await withNodes([honest], async () => {
          const sample = (arbitrary: fc.Arbitrary<Uint8Array>) => fc.sample(arbitrary, { numRuns: FRAMES, seed: SEED })
          await playful.send(sample(fc.oneof(control, subscriptions)))
          await hostile.send(sample(fc.oneof({ weight: 2, arbitrary: garbage }, control)))
          const unsigned = fc.sample(fc.uint8Array({ minLength: 1, maxLength: 300 }), { numRuns: 20, seed: SEED })
          await playful.send([messageFrame(TOPIC, unsigned)])
          await eventually('the ban of the peer that decodes', async () =>
            (await node.rpc<string[]>('opp2p_listBlockedPeers')).includes(playful.peerId),
          )
          assert.ok(node.judged.filter((verdict) => verdict !== 'accept').length <= 1, 'its control messages, or one bad block, are enough')
          const isHeard = (peerId: string) => node.gossip.peers().some((peer) => peer.peerId === peerId && (peer.score ?? 0) >= -40)
          await eventually('the silence of the other', async () => !isHeard(hostile.peerId))
          let number = 0
          await eventually('a block of the honest peer', async () => {
            await honest.gossip.publish(newBlock(++number))
            return node.received.length > 0
          })
          assert.deepEqual(node.peerIds().includes(honest.gossip.self().peerId), true)
        })
      } finally {
        for (const peer of [playful, hostile]) await peer.stop()
      }
    })
  })

  it('gets a valid block among bad frames accepted until it is muted', async () => {
    const node = newP2pNode({ seed: 0x55 })
    await withNodes([node], async () => {
      const peer = await dialAsRawPeer(node.gossip.self().addresses[0] as string, 0x56)
      try {
        const { message } = await encodeBlockMessage(CHAIN_ID, sequencer, newBlock(1))
        await peer.send([...fc.sample(subscriptions, { numRuns: 20, seed: SEED }), messageFrame(TOPIC, [message])])
        await eventually('the block', async () => node.received.length === 1)
      } finally {
        await peer.stop()
      }
    })
  })
})
