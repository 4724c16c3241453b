import assert from 'node:assert/strict'
import { bytesToHex } from '@keelson/primitives'
import { eventually } from '../../../../../test/support/eventually.ts'
import { newBlock, newP2pNode, type P2pNode, sequencer } from '../../../../../test/support/p2p-node.ts'
import type { GossipVerdict } from '../../ports.ts'
import { encodeAttestationMessage } from './attestation-message.ts'
import { attest } from './attestations.test-support.ts'

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
    const atB = listen(b, verdict)
    await b.gossip.start()
    const c = newP2pNode({ seed: 0x63, staticPeers: [b.gossip.self().addresses[0] as string] })
    await c.gossip.start()
    const atA = listen(a, verdict)
    const atC = listen(c, verdict)
    try {
      await eventually('the connections', async () => b.peerIds().length === 2)
      await eventually('what a says at c', async () => {
        await a.gossip.attestations.publish(encodeAttestationMessage(attest(1, 100 + atC.length + Math.floor(performance.now()))))
        return atC.length > 0
      })
      assert.equal(atC[0]?.from, b.gossip.self().peerId, 'by way of b')
      await a.gossip.attestations.publish(bad)
      await a.gossip.attestations.publish(good)
      await eventually('the good one at c', async () => atC.some(({ message }) => message === bytesToHex(good)))
      assert.ok(atB.some(({ message }) => message === bytesToHex(bad)))
      assert.ok(!atC.some(({ message }) => message === bytesToHex(bad)))
      assert.deepEqual(atA, [], 'nothing comes back')
    } finally {
      for (const node of [c, b, a]) await node.gossip.stop()
    }
  })

  it('what a peer over its limit brings first is still heard from another, and costs the first its connection', async () => {
    const node = newP2pNode({ seed: 0x66 })
    await node.gossip.start()
    const staticPeers = [node.gossip.self().addresses[0] as string]
    const [hostile, honest] = [newP2pNode({ seed: 0x67, staticPeers }), newP2pNode({ seed: 0x68, staticPeers })]
    for (const { gossip } of [hostile, honest]) await gossip.start()
    const hostileId = hostile.gossip.self().peerId
    const heard: { readonly message: string; readonly from: string }[] = []
    let limited = false
    const saidBefore = new Set<string>()
    node.gossip.attestations.open(async (message, from) => {
      const text = bytesToHex(message)
      heard.push({ message: text, from })
      return limited && from === hostileId && !saidBefore.has(text) ? 'excess' : 'accept'
    })
    for (const each of [hostile, honest]) listen(each, () => 'ignore')
    const say = (by: P2pNode, epoch: number) => {
      const message = encodeAttestationMessage(attest(1, epoch))
      if (!limited) saidBefore.add(bytesToHex(message))
      return by.gossip.attestations.publish(message)
    }
    let epoch = 100
    try {
      await eventually('both heard', async () => {
        await say(hostile, ++epoch)
        await say(honest, ++epoch)
        return new Set(heard.map(({ from }) => from)).size === 2
      })
      limited = true
      const good = bytesToHex(encodeAttestationMessage(attest(1, 7)))
      const from = () => heard.filter(({ message }) => message === good).map((one) => one.from)
      await say(hostile, 7)
      await eventually('the hostile copy', async () => from().length === 1)
      await say(honest, 7)
      await eventually('the honest copy', async () => from().length === 2)
      assert.deepEqual(from(), [hostileId, honest.gossip.self().peerId])
      await eventually('the ban', async () => {
        await say(hostile, ++epoch).catch(() => undefined)
        return (await node.rpc<string[]>('opp2p_listBlockedPeers')).length > 0
      })
      assert.deepEqual(await node.rpc('opp2p_listBlockedPeers'), [hostileId])
    } finally {
      for (const { gossip } of [hostile, honest, node]) await gossip.stop()
    }
  })

  it('do not disturb a peer that knows nothing of them', async () => {
    const a = newP2pNode({ seed: 0x64, signer: sequencer })
    await a.gossip.start()
    const atA = listen(a, () => 'accept')
    const staticPeers = [a.gossip.self().addresses[0] as string]
    const foreign = newP2pNode({ seed: 0x65, staticPeers })
    await foreign.gossip.start()
    const knowing = newP2pNode({ seed: 0x66, staticPeers })
    const atKnowing = listen(knowing, () => 'accept')
    await knowing.gossip.start()
    const messages = Array.from({ length: 40 }, (_, epoch) => encodeAttestationMessage(attest(1, epoch + 1)))
    const scoreOf = (at: P2pNode, of: P2pNode) => at.gossip.peers().find(({ peerId }) => peerId === of.gossip.self().peerId)?.score
    try {
      await eventually('the connections', async () => a.peerIds().length === 2 && foreign.peerIds().length === 1)
      let next = 0
      await eventually('a first attestation at who knows them', async () => {
        await a.gossip.attestations.publish(messages[next++ % 20] as Uint8Array)
        return atKnowing.length > 0
      })
      for (const message of messages.slice(20)) await a.gossip.attestations.publish(message)
      await eventually('all the others', async () =>
        messages.slice(20).every((message) => atKnowing.some((heard) => heard.message === bytesToHex(message))),
      )
      let number = 0
      await eventually('a block at who does not know them, afterwards', async () => {
        await a.gossip.publish(newBlock(++number))
        return foreign.received.length > 0
      })
      assert.deepEqual(atA, [], 'nothing comes back')
      assert.deepEqual(
        [...foreign.judged].sort(),
        foreign.received.map(() => 'accept'),
        'it was brought blocks and nothing else',
      )
      assert.deepEqual([a.peerIds().length, foreign.peerIds()], [2, [a.gossip.self().peerId]], 'and both stay')
      for (const score of [scoreOf(a, foreign), scoreOf(foreign, a)]) assert.ok(typeof score === 'number' && score >= 0, `score ${score}`)
    } finally {
      for (const node of [knowing, foreign, a]) await node.gossip.stop()
    }
  })
})
