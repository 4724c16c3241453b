import './promise-polyfill.ts'
import assert from 'node:assert/strict'
import type { PeerId } from '@libp2p/interface'
import { peerIdFromString } from '@libp2p/peer-id'
import { tcp } from '@libp2p/tcp'
import { multiaddr } from '@multiformats/multiaddr'
import { createLibp2p } from 'libp2p'
import { eventually } from '../../../../../test/support/eventually.ts'
import { dialOrForget, forgetPeersGone } from './forget-peers.ts'
import { peerIdOfNodeKey } from './node-key.ts'

describe('peers that connect and go', () => {
  it('do not fill memory: the peers gone longest are forgotten, those that reconnected are not', async () => {
    const node = await createLibp2p({ start: false })
    forgetPeersGone(node, 2)
    const peers: PeerId[] = []
    for (let seed = 1; seed <= 5; seed++) peers.push(peerIdFromString(await peerIdOfNodeKey(new Uint8Array(32).fill(seed))))
    const [first, second, third, fourth, fifth] = peers as [PeerId, PeerId, PeerId, PeerId, PeerId]
    const happens = (event: 'peer:connect' | 'peer:disconnect', peer: PeerId) =>
      node.dispatchEvent(new CustomEvent(event, { detail: peer }))
    for (const peer of peers) await node.peerStore.merge(peer, { protocols: ['/x'] })
    for (const peer of [first, second, third]) happens('peer:disconnect', peer)
    happens('peer:connect', second)
    for (const peer of [fourth, fifth]) happens('peer:disconnect', peer)
    const isKnown = async (peer: PeerId) => node.peerStore.has(peer)
    await eventually('the forgetting', async () => !(await isKnown(first)) && !(await isKnown(third)))
    assert.deepEqual(await Promise.all([second, fourth, fifth].map(isKnown)), [true, true, true])
  })
})

describe('found nodes that do not exist', () => {
  it('leave nothing behind once they were dialled in vain', async () => {
    const node = await createLibp2p({ transports: [tcp()] })
    try {
      for (let seed = 1; seed <= 5; seed++) {
        const peerId = await peerIdOfNodeKey(new Uint8Array(32).fill(seed))
        // nobody listens on port 1
        const target = multiaddr(`/ip4/127.0.0.1/tcp/1/p2p/${peerId}`)
        await assert.rejects(dialOrForget(node, target, AbortSignal.timeout(5_000)))
      }
      assert.equal((await node.peerStore.all()).length, 0)
    } finally {
      await node.stop()
    }
  })
})
