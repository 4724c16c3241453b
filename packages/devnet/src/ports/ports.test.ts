import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createManualClock, createSystemClock, portState } from '@keelson/runtime'
import { openRunningNetworks } from '../supervisor/running-networks.ts'
import { assertPortsFree, type FreePortsContext } from './free-ports.ts'
import { type DevnetPorts, devnetPorts, HIGHEST_PORT_OFFSET, namedPorts } from './ports.ts'

const HOST = '127.0.0.1'
const numbersOf = (ports: DevnetPorts) => namedPorts(ports).map(([, port]) => port)

const context = (more: Partial<FreePortsContext> = {}): FreePortsContext => ({
  clock: createSystemClock(),
  networks: [],
  say: () => undefined,
  ...more,
})

/** Above the ports that Linux gives to outgoing connections, of which other tests have many. */
async function freePorts(): Promise<{ readonly offset: number; readonly ports: DevnetPorts }> {
  for (let offset = 53_000; offset <= 56_000; offset += 1_000) {
    const ports = devnetPorts(offset)
    const states = await Promise.all(numbersOf(ports).map((port) => portState(HOST, port)))
    if (states.every(({ kind }) => kind === 'free')) return { offset, ports }
  }
  throw new Error('no offset from 53,000 to 56,000 has all its ports free on this machine')
}

async function listening(): Promise<{ readonly server: Server; readonly port: number }> {
  const server = createServer()
  server.listen(0, HOST)
  await once(server, 'listening')
  return { server, port: (server.address() as { port: number }).port }
}

describe('ports of the network', () => {
  it('are all different', () => {
    for (const offset of [0, 1_000, 10_000]) {
      const one = numbersOf(devnetPorts(offset))
      assert.equal(one.length, 32)
      assert.equal(new Set(one).size, one.length)
      const two = numbersOf(devnetPorts(offset, 2))
      assert.equal(two.length, 43)
      assert.equal(new Set(two).size, two.length)
    }
  })

  it('without an offset are where the interface puts a node', () => {
    const { execution, consensus } = devnetPorts(0)
    assert.deepEqual(execution, { http: 8545, ws: 8546, subblocks: 8552, engine: 8551, metrics: 6060 })
    assert.deepEqual(consensus, { p2p: 9222, rpc: 9545, metrics: 7300 })
    assert.equal(devnetPorts(10_000).execution.http, 18_545)
  })

  it('a network with --port-offset 10000 does not collide with one on the default ports, and so for every offset from 1,000', () => {
    const usual = new Set(numbersOf(devnetPorts(0, 2)))
    const offsets = [...Array(600).keys()].map((n) => 1_000 + n)
    for (const offset of [...offsets, 2_000, 10_000, 12_345, HIGHEST_PORT_OFFSET]) {
      const moved = numbersOf(devnetPorts(offset, 2))
      assert.equal(new Set(moved).size, moved.length, `${offset} wants a port twice`)
      assert.ok(Math.min(...moved) >= 8_000 + offset && Math.max(...moved) < 9_000 + offset, `${offset} leaves its thousand ports`)
      assert.deepEqual(
        moved.filter((port) => usual.has(port)),
        [],
        `${offset} meets the default network`,
      )
    }
  })

  it('stay below 65,536', () => {
    assert.ok(Math.max(...numbersOf(devnetPorts(HIGHEST_PORT_OFFSET, 2))) <= 65_535)
    for (const offset of [-1, 0.5, 1, 999, HIGHEST_PORT_OFFSET + 1, Number.NaN]) {
      const message = /^--port-offset takes 0 or a whole number from 1000 to 56536, .* got /
      assert.throws(() => devnetPorts(offset), { code: 'node/usage', message })
    }
  })
})

describe('ports that are taken', () => {
  it('are all named with what wanted them and who has them', async () => {
    const [l1, admin] = [await listening(), await listening()]
    const { ports: base } = await freePorts()
    try {
      const ports = { ...base, l1: l1.port, batcher: { ...base.batcher, admin: admin.port } }
      const message = new RegExp(
        `^ports are in use: ${l1.port} \\(l1\\), ${admin.port} \\(batcher admin\\) by process ${process.pid} \\(.*\\); ` +
          'stop what listens there, or move all ports with --port-offset \\d+, which is free$',
      )
      await assert.rejects(assertPortsFree(HOST, ports, context()), { code: 'node/devnet', message })
    } finally {
      for (const { server } of [l1, admin]) server.close()
    }
  })

  it('by a connection whose client has just closed it are waited for, not reported as in use', async () => {
    const { server, port } = await listening()
    server.on('connection', (socket) => socket.resume().on('end', () => socket.end()))
    const client = connect(port, HOST)
    await once(client, 'connect')
    const local = client.localPort as number
    const base = (await freePorts()).ports
    const taken = { ...base, faucet: { ...base.faucet, metrics: local } }
    const message = new RegExp(`${local} \\(faucet metrics\\) by a connection of process ${process.pid} `)
    await assert.rejects(assertPortsFree(HOST, taken, context()), { code: 'node/devnet', message })

    // Closed first, so that this side's port stays in TIME-WAIT.
    client.resume().end()
    await once(client, 'close')
    server.close()
    assert.equal((await portState(HOST, local)).kind, 'closing')
    const lines: string[] = []
    const clock = createManualClock()
    const enough = new AbortController()
    const waiting = assertPortsFree(HOST, taken, {
      ...context(),
      clock,
      signal: enough.signal,
      say(line) {
        lines.push(line)
        enough.abort(new Error('it waits'))
      },
    })
    await assert.rejects(waiting, /it waits/)
    assert.match(lines.join(), new RegExp(`^waiting up to 65 s for ${local} \\(faucet metrics\\): a connection .* has just ended`))
  })
})

describe('networks that run on this machine', () => {
  let state: string
  let folder: string
  let supervisor: ChildProcess
  beforeEach(async () => {
    state = mkdtempSync(join(tmpdir(), 'keelson-state-'))
    folder = mkdtempSync(join(tmpdir(), 'keelson-other-'))
    supervisor = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)', 'devnet'], { stdio: 'ignore' })
    await once(supervisor, 'spawn')
  })
  afterEach(async () => {
    if (supervisor.signalCode === null) {
      const ended = once(supervisor, 'exit')
      supervisor.kill('SIGKILL')
      await ended
    }
    for (const made of [state, folder]) rmSync(made, { recursive: true })
  })

  const start = (portOffset: number) => {
    const instance = { supervisorPid: supervisor.pid, host: HOST, portOffset, roles: {}, stopped: {} }
    writeFileSync(join(folder, 'supervisor.json'), JSON.stringify(instance))
    const networks = openRunningNetworks(state)
    networks.add(folder)
    return networks
  }

  it('are named by their folder when one of their ports is wanted', async () => {
    const { offset, ports } = await freePorts()
    const networks = start(offset)
    const server = createServer()
    server.listen(ports.execution.http, HOST)
    await once(server, 'listening')
    try {
      const message = new RegExp(
        `^port is in use: ${ports.execution.http} \\(execution http\\) by the development network in ${folder}; ` +
          `stop that one with "npm run stop -- --data-dir ${folder}", or move all ports with --port-offset \\d+, which is free$`,
      )
      await assert.rejects(assertPortsFree(HOST, ports, context({ networks: networks.list() })), { code: 'node/devnet', message })
    } finally {
      server.close()
    }
  })

  it('are forgotten when they stopped or were killed', async () => {
    const networks = start(3_000)
    assert.deepEqual(
      networks.list().map((network) => network.folder),
      [folder],
    )
    const ended = once(supervisor, 'exit')
    supervisor.kill('SIGKILL')
    await ended
    assert.deepEqual(networks.list(), [])
    assert.deepEqual(readdirSync(join(state, 'networks')), [])
    networks.add(folder)
    networks.remove(folder)
    assert.deepEqual(readdirSync(join(state, 'networks')), [])
  })

  it('are not needed to start one: a state folder that cannot be written is passed over', () => {
    writeFileSync(join(state, 'file'), '')
    const networks = openRunningNetworks(join(state, 'file'))
    networks.add(folder)
    networks.remove(folder)
    assert.deepEqual(networks.list(), [])
  })
})
