import assert from 'node:assert/strict'
import { ENR } from '@chainsafe/enr'
import { createMemoryStore, createSilentLogger, createSystemClock } from '@keelson/runtime'
import { createNodeRecords } from '@keelson/runtime/discovery'
import { eventually } from '../../../../../test/support/eventually.ts'
import { DEFAULT_DISCOVERY } from '../peers/peering-options.ts'
import { discoverChain } from './discovery.ts'
import { mappedAddress } from './mapped-address.ts'

describe('the address a router opened', () => {
  it('is the public one', () => {
    const own = [
      '/ip4/127.0.0.1/tcp/9222/p2p/x',
      '/ip4/192.168.1.7/tcp/9222/p2p/x',
      '/ip6/2001:db8::1/tcp/9222',
      '/dns4/node.example/tcp/1',
    ]
    assert.equal(mappedAddress(own), null)
    assert.deepEqual(mappedAddress([...own, '/ip4/203.0.113.7/tcp/40001/p2p/x']), { ip: '203.0.113.7', tcpPort: 40_001 })
  })

  it('goes into the discovery record', async () => {
    const discovery = await discoverChain(
      { ...DEFAULT_DISCOVERY, udpPort: 0, walkEveryMs: { wanting: 20, content: 20 } },
      {
        chainId: 84532n,
        nodeKey: new Uint8Array(32).fill(0x61),
        host: '127.0.0.1',
        tcpPort: 9222,
        records: createNodeRecords(createMemoryStore(), Uint8Array.of(0x85)),
        wantsPeers: () => true,
        onFound: () => undefined,
        isRefused: () => false,
        isInside: () => true,
        networks: [],
        mapped: () => ({ ip: '203.0.113.7', tcpPort: 40_001 }),
        clock: createSystemClock(),
        log: createSilentLogger(),
      },
    )
    try {
      const sequence = await eventually('the new record', async () => {
        const record = ENR.decodeTxt(discovery.record())
        return record.ip === '203.0.113.7' && record.tcp === 40_001 ? record.seq : null
      })
      assert.ok(sequence > 0n)
    } finally {
      await discovery.stop()
    }
  })
})
