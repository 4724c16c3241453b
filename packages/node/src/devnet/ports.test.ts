import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { assertPortsFree } from './free-ports.ts'
import { type DevnetPorts, devnetPorts, namedPorts } from './ports.ts'

/** The ports of a network that could start now, wherever other programs of this machine listen. */
async function freePorts(): Promise<DevnetPorts> {
  for (let offset = 41_000; offset < 45_000; offset += 100) {
    const ports = devnetPorts(offset)
    const taken = await assertPortsFree('127.0.0.1', ports).then(
      () => false,
      () => true,
    )
    if (!taken) return ports
  }
  throw new Error('no offset from 41,000 to 45,000 has all its ports free on this machine')
}

describe('ports of the network', () => {
  it('are all different and move together', () => {
    const numbers = namedPorts(devnetPorts(0)).map(([, port]) => port)
    assert.equal(numbers.length, 27)
    assert.equal(new Set(numbers).size, numbers.length)
    const ofTwo = namedPorts(devnetPorts(0, 2)).map(([, port]) => port)
    assert.equal(ofTwo.length, 38)
    assert.equal(new Set(ofTwo).size, ofTwo.length)
    assert.deepEqual(
      namedPorts(devnetPorts(1000)).map(([, port]) => port - 1000),
      numbers,
    )
  })

  it('stay in range', () => {
    assert.ok(Math.max(...namedPorts(devnetPorts(45_990)).map(([, port]) => port)) <= 65_535)
    for (const offset of [-1, 0.5, 45_991, Number.NaN]) assert.throws(() => devnetPorts(offset), { code: 'node/usage' })
  })

  it('that somebody has are all named with what wanted them', async () => {
    const servers = [createServer(), createServer()]
    for (const server of servers) await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const [l1, admin] = servers.map((server) => (server.address() as { port: number }).port) as [number, number]
    const base = await freePorts()
    try {
      const ports = { ...base, l1, batcher: { ...base.batcher, admin } }
      const message = `ports are in use: ${l1} (l1), ${admin} (batcher admin); stop what listens there, or move all ports with --port-offset N`
      await assert.rejects(assertPortsFree('127.0.0.1', ports), { code: 'node/devnet', message })
    } finally {
      for (const server of servers) server.close()
    }
  })
})
