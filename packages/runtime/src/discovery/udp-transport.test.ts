import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { encodePacket, type IPacket } from '@chainsafe/discv5/packet'
import { ENR } from '@chainsafe/enr'
import { multiaddr } from '@multiformats/multiaddr'
import fc from 'fast-check'
import { eventually } from '../../../../test/support/eventually.ts'
import { discovering, newP2pNode, withNodes } from '../../../../test/support/p2p-node.ts'
import { createSystemClock } from '../clock.ts'
import { createUdpTransport, openUdpSocket, type PacketVerdict } from './udp-transport.ts'

const NODE_ID = 'ab'.repeat(32)

function packet(flag: number, authdata: Uint8Array, message: Uint8Array): IPacket {
  const nonce = new Uint8Array(12).fill(7)
  return {
    maskingIv: new Uint8Array(16),
    header: { protocolId: 'discv5', version: 1, flag, nonce, authdataSize: authdata.length, authdata },
    message,
  }
}

async function send(port: number, datagrams: readonly Uint8Array[]): Promise<void> {
  const socket = createSocket('udp4')
  for (const datagram of datagrams) await new Promise((resolve) => socket.send(datagram, port, '127.0.0.1', resolve))
  socket.close()
  await once(socket, 'close')
}

describe('discovery over UDP', () => {
  it('names the program that has the port', async () => {
    const holder = await openUdpSocket('127.0.0.1', 0)
    const named = process.platform === 'linux' ? `process ${process.pid} \\(` : 'another program'
    await assert.rejects(openUdpSocket('127.0.0.1', holder.address().port), { message: new RegExp(`^${named}.* has the port$`) })
    holder.close()
  })

  it('sends nothing to a disallowed address in a record, but answers an address that sent a packet first', async () => {
    const socket = createSocket('udp4')
    socket.bind(0, '127.0.0.1')
    await once(socket, 'listening')
    const received: Uint8Array[] = []
    socket.on('message', (data) => received.push(data))
    const verdicts: PacketVerdict[] = []
    const transport = createUdpTransport({
      nodeId: NODE_ID,
      socket: await openUdpSocket('127.0.0.1', 0),
      isRefused: () => false,
      isReachable: () => false,
      clock: createSystemClock(),
      onPacket: (verdict) => verdicts.push(verdict),
    })
    await transport.start()
    try {
      const there = multiaddr(`/ip4/127.0.0.1/udp/${socket.address().port}`)
      const unasked = packet(0, new Uint8Array(32), new Uint8Array(32))
      const answer = packet(0, new Uint8Array(32).fill(1), new Uint8Array(33))
      await transport.send(there, NODE_ID, unasked)
      socket.send(encodePacket(NODE_ID, unasked), transport.bindAddrs[0]?.toOptions().port ?? 0, '127.0.0.1')
      await eventually('the question', async () => verdicts.length === 1)
      await transport.send(there, NODE_ID, answer)
      await eventually('the answer', async () => received.length > 0)
      assert.deepEqual(received.map(Buffer.from), [Buffer.from(encodePacket(NODE_ID, answer))])
    } finally {
      await transport.stop()
      socket.close()
    }
  })

  it('passes on what is well formed, within a rate, and nothing from those refused', async () => {
    const verdicts: PacketVerdict[] = []
    let refused = false
    const transport = createUdpTransport({
      nodeId: NODE_ID,
      socket: await openUdpSocket('127.0.0.1', 0),
      isRefused: () => refused,
      isReachable: () => true,
      clock: createSystemClock(),
      onPacket: (verdict) => verdicts.push(verdict),
    })
    await transport.start()
    try {
      const port = transport.bindAddrs[0]?.toOptions().port ?? 0
      const good = encodePacket(NODE_ID, packet(0, new Uint8Array(32), new Uint8Array(32)))
      await send(port, [good, new Uint8Array(100), new Uint8Array(3), new Uint8Array(2_000)])
      await eventually('four packets', async () => verdicts.length === 4)
      assert.deepEqual(verdicts, ['taken', 'malformed', 'malformed', 'malformed'])
      refused = true
      await send(port, [good])
      await eventually('another', async () => verdicts.length === 5)
      assert.equal(verdicts[4], 'refused-sender')
      refused = false
      await send(port, Array<Uint8Array>(200).fill(good))
      await eventually('one too many', async () => verdicts.includes('rate-limited'))
    } finally {
      await transport.stop()
    }
  })

  it('gives all addresses of an IPv6 /64 one rate, since one host has them all', async () => {
    const socket = await openUdpSocket('127.0.0.1', 0)
    const verdicts: PacketVerdict[] = []
    const transport = createUdpTransport({
      nodeId: NODE_ID,
      socket,
      isRefused: () => false,
      isReachable: () => true,
      clock: createSystemClock(),
      onPacket: (verdict) => verdicts.push(verdict),
    })
    await transport.start()
    try {
      const arrives = (address: string) => socket.emit('message', new Uint8Array(3), { address, family: 'IPv6', port: 9_222, size: 3 })
      for (let host = 1; host <= 200; host++) arrives(`2001:db8::${host.toString(16)}`)
      assert.ok(verdicts.includes('rate-limited'))
      arrives('2001:db8:0:1::1')
      assert.equal(verdicts.at(-1), 'malformed', 'a neighbour has a rate of its own')
    } finally {
      await transport.stop()
    }
  })

  it('outlives well-formed packets with any content', async () => {
    const node = newP2pNode({ seed: 0x3f, peering: discovering() })
    await withNodes([node], async () => {
      const self = () => node.rpc<{ ENR: string }>('opp2p_self')
      const { nodeId, udp } = ENR.decodeTxt((await self()).ENR)
      const content = fc.record({
        flag: fc.integer({ min: 0, max: 2 }),
        authdata: fc.uint8Array({ maxLength: 300 }),
        message: fc.uint8Array({ minLength: 40, maxLength: 300 }),
      })
      const packets = fc.sample(content, 90).map(({ flag, authdata, message }) => encodePacket(nodeId, packet(flag, authdata, message)))
      await send(udp ?? 0, packets)
      assert.ok((await self()).ENR.startsWith('enr:'))
      const other = newP2pNode({ seed: 0x40, peering: discovering((await self()).ENR) })
      await withNodes([other], () => eventually('a peer', async () => node.peerIds().length === 1).then(() => undefined))
    })
  })
})
