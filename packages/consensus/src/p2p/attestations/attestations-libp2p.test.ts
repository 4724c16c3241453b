import assert from 'node:assert/strict'
import { bytesToHex } from '@keelson/primitives'
import { eventually } from '../../../../../test/support/eventually.ts'
import { newP2pNode, type P2pNode } from '../../../../../test/support/p2p-node.ts'
import type { GossipVerdict } from '../../ports.ts'
import { encodeAttestationMessage } from './attestation-message.ts'
import { attest } from './attestations.test-support.ts'

/** What a node was brought, and by whom; `verdict` decides. */
function listen({ gossip }: P2pNode, verdict: (message: string) => GossipVerdict) {
  const heard: { readonly message: string; readonly from: string }[] = []
  gossip.attestations.open(async (message, from) => {
    heard.push({ message: bytesToHex(message), from })
    return verdict(bytesToHex(message))
  })
  return heard
}

describe('attestations over libp2p', () => {
  it('go on from peer to peer when accepted, and no further when not', async () => {
    const good = encodeAttestationMessage(attest(1, 7))
    const bad = encodeAttestationMessage(attest(1, 8))
    const verdict = (message: string): GossipVerdict => (message === bytesToHex(bad) ? 'ignore' : 'accept')
    const a = newP2pNode({ seed: 0x61 })
    await a.gossip.start()
    const b = newP2pNode({ seed: 0x62, staticPeers: [a.gossip.self().addresses[0] as string] })
    // one joins before it listens, the others later
    const atB = listen(b, verdict)
    await b.gossip.start()
    const c = newP2pNode({ seed: 0x63, staticPeers: [b.gossip.self().addresses[0] as string] })
    await c.gossip.start()
    const atA = listen(a, verdict)
    const atC = listen(c, verdict)
    try {
      await eventually('the connections', 10_000, async () => b.peerIds().length === 2)
      await eventually('what a says at c', 15_000, async () => {
        // new ones until subscriptions are known on both sides
        await a.gossip.attestations.publish(encodeAttestationMessage(attest(1, 100 + atC.length + Math.floor(performance.now()))))
        return atC.length > 0
      })
      assert.equal(atC[0]?.from, b.gossip.self().peerId, 'by way of b')
      await a.gossip.attestations.publish(bad)
      await a.gossip.attestations.publish(good)
      await eventually('the good one at c', 10_000, async () => atC.some(({ message }) => message === bytesToHex(good)))
      assert.ok(atB.some(({ message }) => message === bytesToHex(bad)))
      assert.ok(!atC.some(({ message }) => message === bytesToHex(bad)))
      assert.deepEqual(atA, [], 'nothing comes back')
    } finally {
      for (const node of [c, b, a]) await node.gossip.stop()
    }
  }).timeout(60_000)

  it('do not disturb a peer that knows nothing of them', async () => {
    const a = newP2pNode({ seed: 0x64 })
    await a.gossip.start()
    const heard = listen(a, () => 'accept')
    const foreign = newP2pNode({ seed: 0x65, staticPeers: [a.gossip.self().addresses[0] as string] })
    await foreign.gossip.start()
    try {
      await eventually('the connection', 10_000, async () => a.peerIds().length === 1 && foreign.peerIds().length === 1)
      for (let epoch = 1; epoch <= 20; epoch++) await a.gossip.attestations.publish(encodeAttestationMessage(attest(1, epoch)))
      assert.deepEqual(heard, [])
      assert.ok((a.gossip.peers()[0]?.score ?? 0) >= 0)
      assert.ok((foreign.gossip.peers()[0]?.score ?? 0) >= 0)
    } finally {
      for (const node of [foreign, a]) await node.gossip.stop()
    }
  }).timeout(30_000)
})
