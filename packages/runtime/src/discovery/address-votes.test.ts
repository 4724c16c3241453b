import assert from 'node:assert/strict'
import { Discv5 } from '@chainsafe/discv5'
import { SignableENR } from '@chainsafe/enr'
import { privateKeyFromRaw } from '@libp2p/crypto/keys'
import type { PrivateKey } from '@libp2p/interface'
import { multiaddr } from '@multiformats/multiaddr'
import { createSystemClock } from '../clock.ts'
import { countVotesBySubnet } from './address-votes.ts'
import { createUdpTransport, openUdpSocket } from './udp-transport.ts'

const VOTES = 5
const LIE = { ip: { type: 4, octets: Uint8Array.of(198, 51, 100, 9) }, port: 9_222 }

interface Pongs {
  handlePong(from: unknown, request: unknown, pong: unknown): void
}

/** Returns the address in the record after one node per IP reported it. */
async function addressAfterVotesFrom(ips: readonly string[]): Promise<string | undefined> {
  const nodeKey = new Uint8Array(32).fill(0x51)
  const own = SignableENR.createV4(nodeKey)
  const transport = createUdpTransport({
    nodeId: own.nodeId,
    socket: await openUdpSocket('127.0.0.1', 0),
    isRefused: () => false,
    isReachable: () => false,
    clock: createSystemClock(),
  })
  const discv5 = Discv5.create({
    enr: own,
    privateKey: privateKeyFromRaw(nodeKey) as unknown as PrivateKey,
    bindAddrs: { ip4: undefined, ip6: undefined } as never,
    transport,
    config: { enrUpdate: true, addrVotesToUpdateEnr: VOTES },
  })
  countVotesBySubnet(discv5)
  ips.forEach((ip, i) => {
    const from = { nodeId: i.toString(16).padStart(64, '0'), socketAddr: multiaddr(`/ip4/${ip}/udp/9222`) }
    ;(discv5 as unknown as Pongs).handlePong(from, {}, { enrSeq: 0n, addr: LIE })
  })
  await transport.stop()
  return own.ip
}

describe('the address in a discovery record', () => {
  it('is not moved by any number of node ids on one subnet', async () => {
    const neighbours = Array.from({ length: 40 }, (_, i) => `203.0.113.${i}`)
    assert.equal(await addressAfterVotesFrom(neighbours), undefined)
  })

  it('is what nodes of enough subnets say, or enough nodes of a private network', async () => {
    const far = Array.from({ length: VOTES }, (_, i) => `203.0.${i}.1`)
    assert.equal(await addressAfterVotesFrom(far), '198.51.100.9')
    const near = Array.from({ length: VOTES }, (_, i) => `10.0.0.${i + 1}`)
    assert.equal(await addressAfterVotesFrom(near), '198.51.100.9')
  })
})
