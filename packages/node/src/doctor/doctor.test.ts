import assert from 'node:assert/strict'
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { claimDataDirectory, loadJwtSecret, shortCommand } from '@keelson/runtime'
import { closeServer, makeNetwork, openServer, openSurroundings, type Surroundings, writeFolder } from './faults.test-support.ts'
import type { Finding } from './finding.ts'
import { renderFinding, renderVerdict } from './render-finding.ts'
import { hasFailed, runDoctor } from './run-doctor.ts'

const MINUTE_MS = 60_000
const OTHER_HASH = `0x${'0f'.repeat(32)}` as const

interface Fault {
  readonly name: string
  spoil(world: Surroundings): void | Promise<void>
  readonly check: string
  readonly line: RegExp
}

const FAULTS: readonly Fault[] = [
  {
    name: 'L1 is down',
    spoil: (world) => closeServer(world.l1Server),
    check: 'l1',
    line: /^FAIL {2}l1 +the L1 at 127\.0\.0\.1:\d+ does not answer: .*ECONNREFUSED.*; start it/,
  },
  {
    name: 'L1 is another chain',
    spoil(world) {
      world.l1.eth_chainId = '0x1'
    },
    check: 'l1',
    line: /is another chain: it is chain 1, rollup\.json expects 900084; give --l1\.rpc of the right chain/,
  },
  {
    name: 'what is given as L1 is no L1',
    spoil(world) {
      world.l1.eth_chainId = null
    },
    check: 'l1',
    line: /does not answer as an L1 node: it gives no chain id/,
  },
  {
    name: 'L1 has stopped',
    spoil(world) {
      const at = world.l1.eth_getBlockByNumber as (params: readonly string[]) => object
      world.l1.eth_getBlockByNumber = (params: readonly string[]) => (params[0] === 'latest' ? at(['900']) : at(params))
    },
    check: 'l1-head',
    line: /L1 block 900 is 120\d s old: L1 has stopped or this node is behind/,
  },
  {
    name: 'L1 is syncing',
    spoil(world) {
      world.l1.eth_syncing = { currentBlock: '0x1' }
    },
    check: 'l1-head',
    line: /L1 is still syncing: it stands at block 1000; wait/,
  },
  {
    name: 'L1 of the same chain id began otherwise',
    spoil(world) {
      const at = world.l1.eth_getBlockByNumber as (params: readonly string[]) => object
      world.l1.eth_getBlockByNumber = (params: readonly string[]) =>
        params[0] === '0x0' ? { ...at(params), hash: OTHER_HASH } : at(params)
    },
    check: 'l1-genesis',
    line: /not the L1 the rollup began on: block 0 is 0x0f0f.*, rollup\.json says 0x/,
  },
  {
    name: 'the contracts are not on L1',
    spoil(world) {
      world.l1.eth_getCode = '0x'
    },
    check: 'l1-genesis',
    line: /no SystemConfig contract on L1: 0x[0-9a-f]{40} has no code/,
  },
  {
    name: 'the beacon node lacks blobs',
    spoil(world) {
      world.beacon['/eth/v1/beacon/blob_sidecars'] = []
    },
    check: 'beacon',
    line: /Lighthouse\/v8 at .* lacks the blobs of L1 block 997 \(slot 99999[67]\): L1 has 2, it has 0; .*; give --l1\.beacon of a node that keeps blobs/,
  },
  {
    name: 'the beacon node is of another chain',
    spoil(world) {
      world.beacon['/eth/v1/config/spec'] = { SECONDS_PER_SLOT: '12', DEPOSIT_CHAIN_ID: '11155111' }
    },
    check: 'beacon',
    line: /is of another chain: it is of chain 11155111, rollup\.json expects 900084/,
  },
  {
    name: 'the JWT secret is another',
    async spoil(world) {
      const jwtSecret = join(world.folder, 'other.hex')
      await loadJwtSecret(jwtSecret, { create: true })
      world.settings = { ...world.settings, jwtSecret }
    },
    check: 'engine',
    line: /refuses the JWT secret with fingerprint [0-9a-f]{8}: it says ".*fingerprint [0-9a-f]{8}, ours [0-9a-f]{8}"; start both clients with the same/,
  },
  {
    name: 'the JWT file is garbage',
    spoil(world) {
      writeFileSync(join(world.folder, 'jwt.hex'), 'secret')
    },
    check: 'jwt',
    line: /the JWT secret cannot be used: .*must be 64 hex digits/,
  },
  {
    name: 'the engine is on another genesis',
    spoil(world) {
      world.engine.genesisHash = OTHER_HASH
    },
    check: 'engine-chain',
    line: /another genesis: block 0 is 0x0f0f.*, rollup\.json says 0x.*; start it with the same --network/,
  },
  {
    name: 'the disk is nearly full',
    spoil(world) {
      world.machine = { ...world.machine, disk: async () => ({ freeBytes: 0.3 * 1024 ** 3, totalBytes: 100 * 1024 ** 3 }) }
    },
    check: 'disk',
    line: /the disk of .*execution is nearly full: 0\.3 GiB free of 100\.0; a full disk stops all writing; make room/,
  },
  {
    name: 'the data directory is of another chain',
    async spoil(world) {
      const dataDir = join(world.folder, 'other')
      await claimDataDirectory(dataDir, { version: 1, role: 'execution', chainId: 10n, genesisHash: world.rollup.genesis.l2.hash })
      world.settings = { ...world.settings, dataDirs: [dataDir] }
    },
    check: 'data-directory',
    line: /other is of another chain: it holds data of chain 10 .*; name another --data-dir/,
  },
  {
    name: 'the identity of the data directory is cut short',
    spoil(world) {
      writeFileSync(join(world.folder, 'execution', 'identity.json'), '{"version":')
    },
    check: 'data-directory',
    line: /execution cannot be used: its identity\.json is damaged/,
  },
  {
    name: 'the clock is five minutes ahead',
    spoil(world) {
      const { nowMs } = world.machine
      world.machine = { ...world.machine, nowMs: () => nowMs() + 5 * MINUTE_MS }
    },
    check: 'clock',
    line: /the clock is (299|300|301)\.\d s ahead, by the Date header of 127\.0\.0\.1:\d+: gossiped blocks are refused/,
  },
  {
    name: 'the clock is two minutes behind',
    spoil(world) {
      const { nowMs } = world.machine
      world.machine = { ...world.machine, nowMs: () => nowMs() - 2 * MINUTE_MS }
    },
    check: 'clock',
    line: /the clock is (119|120|121)\.\d s behind/,
  },
  {
    name: 'the genesis file is missing',
    spoil(world) {
      const network = writeFolder(world.folder, 'network', 'l1-chain.json', '{}')
      for (const file of ['rollup.json', 'l1-chain.json', 'keelson.json']) cpSync(join(world.settings.network, file), join(network, file))
      world.settings = { ...world.settings, network }
    },
    check: 'network',
    line: /the network in .* cannot be used: cannot read .*genesis\.json/,
  },
  {
    name: 'a fork activated that this release does not implement',
    spoil: (world) => scheduleZenith(world, world.rollup.genesis.l2TimestampSec + 1),
    check: 'forks',
    line: /fork zenith activated at \d+ \(.* UTC\), and this release does not implement it: block \d+ is the last one it can follow.*; install a release/,
  },
  {
    name: 'a peer cannot be reached',
    spoil(world) {
      world.machine = { ...world.machine, dialPeer: async () => 'ECONNREFUSED' }
    },
    check: 'peers',
    line: /the peer 127\.0\.0\.1:9 cannot be reached: ECONNREFUSED; ask its operator/,
  },
  {
    name: 'the running node is not ready',
    spoil(world) {
      const text = 'the L1 head is 90 s old, at most 60 s are expected (since 2026-01-01T00:00:00Z); check the L1 node'
      world.health = { status: 503, body: { ready: false, checks: [{ name: 'l1-age', ok: false, text }] } }
    },
    check: 'readiness',
    line: /is not ready: l1-age: the L1 head is 90 s old, .*2026-01-01T00:00:00Z\); check the L1 node$/,
  },
  {
    name: 'a native module does not load',
    spoil(world) {
      const loadNativeModules = () => Promise.reject(new Error('invalid ELF header'))
      world.machine = { ...world.machine, loadNativeModules }
    },
    check: 'node',
    line: /a native module does not load: invalid ELF header; run "npm ci"/,
  },
]

function scheduleZenith(world: Surroundings, timeSec: number): void {
  const rollup = JSON.parse(readFileSync(join(world.settings.network, 'rollup.json'), 'utf8'))
  const network = writeFolder(world.folder, 'network', 'rollup.json', JSON.stringify({ ...rollup, zenith_time: timeSec }))
  for (const file of ['genesis.json', 'l1-chain.json', 'keelson.json']) cpSync(join(world.settings.network, file), join(network, file))
  world.settings = { ...world.settings, network }
}

const failures = (findings: readonly Finding[]) => findings.filter(({ status }) => status === 'fail')

describe('doctor', () => {
  let network: string
  let world: Surroundings
  before(async () => {
    network = await makeNetwork()
  })
  after(() => rmSync(network, { recursive: true }))
  beforeEach(async () => {
    world = await openSurroundings(network)
  })
  afterEach(() => world.close())

  it('finds nothing wrong where nothing is', async () => {
    const findings = await world.examine()
    assert.deepEqual(
      findings.filter(({ status }) => status === 'fail' || status === 'warn'),
      [],
    )
    assert.equal(renderVerdict(findings), 'nothing is wrong')
    const line = (check: string) =>
      findings
        .filter((finding) => finding.check === check)
        .map(renderFinding)
        .join()
    assert.match(line('l1'), /ok {4}l1 +Geth\/v1\.16\.0 at 127\.0\.0\.1:\d+, chain 900084$/)
    assert.match(line('l1-head'), /L1 block 1000 is [345] s old, finalized 936/)
    assert.match(line('beacon'), /has all blobs of L1 block 997 \(slot 99999[67]\): 2/)
    assert.match(line('engine'), /accepts the secret, 1 engine methods/)
  })

  for (const { name, spoil, check, line } of FAULTS) {
    it(`names the cause: ${name}`, async () => {
      await spoil(world)
      const failed = failures(await world.examine())
      assert.deepEqual(
        failed.map((finding) => finding.check),
        [check],
      )
      assert.match(renderFinding(failed[0] as Finding), line)
      assert.equal(hasFailed(failed), true)
    })
  }

  it('warns months ahead of a fork that this release does not implement, and fails for no other reason', async () => {
    scheduleZenith(world, Math.floor(Date.now() / 1000) + 100 * 86_400)
    const findings = await world.examine()
    assert.deepEqual(failures(findings), [])
    const [line, ...others] = findings.filter(({ status }) => status === 'warn').map(renderFinding)
    assert.match(
      line as string,
      /^warn {2}forks +fork zenith activates at \d+ \(.* UTC\), in (99|100) days, and this release does not implement it/,
    )
    assert.deepEqual(others, [])
  })

  it('names the cause: a port is taken, and by which process', async () => {
    const other = await openServer((_request, response) => response.end())
    try {
      const use = (port: number) => ({ purpose: 'HTTP RPC', option: '--http.port', host: '127.0.0.1', port })
      world.settings = { ...world.settings, ports: [use(other.port), use(0)] }
      const failed = failures(await world.examine())
      assert.equal(failed.length, 1)
      const line = new RegExp(`port ${other.port} on 127\\.0\\.0\\.1 \\(HTTP RPC\\) is taken: by process ${process.pid} .*--http\\.port`)
      assert.match(renderFinding(failed[0] as Finding), line)
    } finally {
      await closeServer(other.server)
    }
  })

  const headsSaid = async (body: unknown, status = 200) => {
    const rollup = await openServer((_request, response) => response.writeHead(status).end(JSON.stringify(body)))
    world.settings = { ...world.settings, rollupRpc: rollup.url }
    const found = (await world.examine()).filter(({ check }) => check === 'heads')
    await closeServer(rollup.server)
    return found.map(renderFinding).join('\n')
  }
  const syncStatus = (safeOrigin: number, derivedTo: number) => ({
    jsonrpc: '2.0',
    id: 1,
    result: {
      head_l1: { number: 100 },
      current_l1: { number: derivedTo },
      unsafe_l2: { number: 300, timestamp: 1 },
      safe_l2: { number: 200, timestamp: 1, l1origin: { number: safeOrigin } },
      finalized_l2: { number: 150, timestamp: 1 },
    },
  })

  it('warns of a safe head that does not move though all of L1 is derived, and names the batcher', async () => {
    assert.match(await headsSaid(syncStatus(75, 100)), /^ok /)
    assert.match(await headsSaid(syncStatus(60, 100)), /^warn .*safe 200 .*: the safe head is 40 L1 blocks old, .*; .*look at the batcher/)
    assert.match(await headsSaid(syncStatus(60, 70)), /^warn .*; derivation is behind: wait/)
  })

  it('does not call another program on the rollup port a consensus client that starts', async () => {
    const refusal = { jsonrpc: '2.0', id: 1, error: { code: -32601, message: 'no such method' } }
    for (const [body, status] of [
      ['hello', 404],
      [refusal, 200],
      [{}, 200],
    ] as const) {
      assert.match(await headsSaid(body, status), /^warn .*is no consensus client: .*; another program has the port/)
    }
    assert.match(await headsSaid({ jsonrpc: '2.0', id: 1, error: { code: -32000, message: 'no heads yet' } }), /^- .*it may be starting/)
  })

  it('says what holds a port by the name of the program, however long its path is', () => {
    const folder = `/very/${'long/'.repeat(20)}`
    assert.equal(shortCommand([`${folder}bin/node`, `${folder}server.js`, '--port', '1']), 'node server.js --port 1')
  })

  it('an L1 that is down is no fault while another stands in for it', async () => {
    const l1Rpc = ['ws://127.0.0.1:1', ...world.settings.l1Rpc]
    world.settings = { ...world.settings, l1Rpc }
    const findings = await world.examine()
    assert.deepEqual(failures(findings), [])
    const l1 = findings.filter(({ check }) => check === 'l1').map(renderFinding)
    assert.match(l1[0] as string, /^warn {2}l1 +the L1 at 127\.0\.0\.1:1 does not answer/)
    assert.match(l1[1] as string, /^ok .*Geth/)
  })

  it('tells a port of this node from that of another', async () => {
    const [own] = world.settings.dataDirs
    const port = { purpose: 'gossip', option: '--p2p.port', host: '127.0.0.1', port: 9222 }
    world.settings = { ...world.settings, ports: [port] }
    const heldOn = async (dataDir: string | undefined) => {
      const holder = { use: 'listener' as const, pid: 7, command: 'keelson consensus', keelson: true, dataDir: dataDir ?? null }
      world.machine = { ...world.machine, listener: async () => holder }
      return (await world.examine()).filter(({ check }) => check === 'ports').map(renderFinding)
    }
    assert.match((await heldOn(own)).join(), /^ok .*held by this node: 9222/)
    assert.match((await heldOn('/elsewhere')).join(), /^FAIL .*by another node, process 7 \(keelson consensus\), on \/elsewhere/)
  })

  it('before the first start neither a missing node nor a missing secret is a fault', async () => {
    world.settings = {
      ...world.settings,
      dataDirs: [join(world.folder, 'new')],
      engineUrl: 'http://127.0.0.1:1',
      engineGiven: false,
      jwtSecret: join(world.folder, 'missing.hex'),
      health: ['http://127.0.0.1:1'],
    }
    const findings = await world.examine()
    assert.deepEqual(failures(findings), [])
    assert.deepEqual(
      findings.filter(({ status }) => status === 'warn').map(({ check }) => check),
      ['jwt', 'engine'],
    )
  })

  it('asks on when a check itself breaks', async () => {
    const broken = { name: 'broken', run: () => Promise.reject(new Error('oops')) }
    const fine = { name: 'fine', run: async () => ({ status: 'ok', what: 'fine' }) as const }
    const findings = await runDoctor([broken, fine], {} as never, () => undefined)
    assert.deepEqual(findings.map(renderFinding), [
      'FAIL  broken            this check did not work: oops; please report it with this line',
      'ok    fine              fine',
    ])
  })
})
