import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createHeader, encodeMessageAuthdata, encodePacket, PacketType } from '@chainsafe/discv5/packet'
import { ENR } from '@chainsafe/enr'
import { createSystemClock } from '../clock.ts'
import { createMemoryStore } from '../kv/memory.ts'
import { createSilentLogger } from '../log.ts'
import { startDiscovery } from './discovery-host.ts'
import { createNodeRecords } from './node-records.ts'
import { openUdpSocket } from './udp-transport.ts'

describe('a challenge of discovery', () => {
  it('is sent again to a node that does not answer it', async () => {
    const socket = await openUdpSocket('127.0.0.1', 0)
    const { port } = socket.address()
    const discovery = await startDiscovery(
      {
        bootnodes: [],
        udpPort: port,
        advertise: { ip: null, tcpPort: null, udpPort: null },
        walkEveryMs: { wanting: 60_000, content: 60_000 },
      },
      {
        socket,
        nodeKey: new Uint8Array(32).fill(7),
        entries: () => ({}),
        refuses: () => null,
        host: '127.0.0.1',
        tcpPort: port,
        records: createNodeRecords(createMemoryStore(), Uint8Array.of(1)),
        wantsPeers: () => false,
        onFound: () => undefined,
        isRefused: () => false,
        isInside: () => true,
        networks: [],
        mapped: () => null,
        clock: createSystemClock(),
        log: createSilentLogger(),
      },
    )
    const stranger = createSocket('udp4').bind(0, '127.0.0.1')
    await once(stranger, 'listening')
    const { nodeId } = ENR.decodeTxt(discovery.record())
    const answers: Buffer[] = []
    for (let i = 0; i < 2; i++) {
      const header = createHeader(PacketType.Message, encodeMessageAuthdata({ srcId: 'cd'.repeat(32) }))
      const packet = encodePacket(nodeId, { maskingIv: new Uint8Array(16).fill(i), header, message: new Uint8Array(44).fill(i) })
      stranger.send(packet, port, '127.0.0.1')
      answers.push(((await once(stranger, 'message')) as [Buffer])[0])
    }
    assert.deepEqual(answers[1], answers[0])
    stranger.close()
    await discovery.stop()
  })
})
