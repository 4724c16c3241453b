import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { devnetPorts, namedPorts } from '../../packages/devnet/src/ports/ports.ts'
import { prepareNetwork } from '../../packages/devnet/src/prepare/prepare-network.ts'
import { type DevnetProcess, newDevnetFolder, startDevnet } from '../support/devnet-process.ts'
import { claimE2ePorts } from '../support/e2e-ports.ts'
import { eventually } from '../support/eventually.ts'
import { rpcCall } from '../support/json-rpc.ts'
import { endAllKeelson, type Finished, type RunOptions, runKeelson, startKeelson } from '../support/keelson-process.ts'
import { PLATFORM_START_MS } from '../support/platform/platform-fleet.ts'
import { ROLE_NAMES, roleProbes } from '../support/role-probes.ts'

const { offset: OFFSET, spare: PORT } = await claimE2ePorts()
const GENESIS_TIME_MS = 1_700_000_000_000
const NOWHERE = 'http://127.0.0.1:9'
const BREAK_NATIVE = ['--require', join(import.meta.dirname, '..', 'fixtures', 'no-native-secp256k1.cjs')]

function assertSaid({ code, stdout, stderr }: Finished, pattern: RegExp): void {
  const lines = stderr.split('\n').filter((line) => line !== '' && !line.startsWith('{'))
  assert.equal(lines.length, 1, `one line, got:\n${stderr}`)
  assert.match(lines[0] as string, pattern)
  assert.match(lines[0] as string, /^keelson: /)
  assert.doesNotMatch(stdout + stderr, /^\s+at /m)
  assert.equal(code, 1)
}

function fingerprintOf(folder: string): string {
  const hash = createHash('sha256')
  for (const entry of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    const path = join(folder, entry)
    hash.update(`${entry}\0`)
    if (statSync(path).isFile()) hash.update(readFileSync(path))
  }
  return hash.digest('hex')
}

async function serveAnswer(
  result: unknown,
  url = 'http://127.0.0.1:0',
): Promise<{ readonly url: string; readonly port: number; readonly server: Server }> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result })))
  })
  await new Promise<void>((resolve) => server.listen(Number(new URL(url).port), '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  return { url: `http://127.0.0.1:${port}`, port, server }
}

describe('a role that cannot start prints one line', () => {
  let folder: string
  let network: string
  const inside = (name: string) => join(folder, name)
  const choice = { fork: null, l1Fork: null, symbol: null, allowSameChainId: false }
  const makeNetwork = (name: string, timeMs: number) =>
    prepareNetwork(inside(name), choice, timeMs, () => assert.fail('the default network is prebuilt'))
  const editRollup = (change: (rollup: Record<string, unknown>) => void) => {
    const file = join(network, 'rollup.json')
    const rollup = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>
    change(rollup)
    writeFileSync(file, JSON.stringify(rollup))
  }
  const flags = (values: Readonly<Record<string, string | number>>) => Object.entries(values).map(([name, value]) => `--${name}=${value}`)
  const executionArgs = (changes: Readonly<Record<string, string | number>> = {}) => {
    const ports = { 'http.port': PORT, 'ws.port': PORT + 1, 'engine.port': PORT + 2, 'metrics.port': PORT + 3 }
    return ['execution', ...flags({ network, 'data-dir': inside('execution'), ...ports, ...changes })]
  }
  const consensusArgs = (l1Rpc: string) => [
    'consensus',
    ...flags({ network, 'data-dir': inside('consensus'), 'jwt-secret': inside('jwt.hex'), 'l1.rpc': l1Rpc, 'l1.beacon': NOWHERE }),
    ...flags({ 'engine.url': NOWHERE, 'rpc.port': PORT + 4, 'metrics.port': PORT + 5, 'p2p.enabled': 'false' }),
  ]
  async function serves(): Promise<void> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] })
    await eventually('a response of the execution client', async () => {
      const response = await fetch(`http://127.0.0.1:${PORT}`, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
      return ((await response.json()) as { result?: string }).result === '0x14a34'
    })
  }
  async function serveOnce(options: RunOptions = {}, args: readonly string[] = executionArgs()): Promise<string> {
    const node = startKeelson(args, options)
    await Promise.race([serves(), node.finished.then(({ stderr }) => assert.fail(`it ended: ${stderr}`))])
    const { code, stdout, stderr } = await node.stop()
    assert.equal(code, 0, stderr)
    return stdout + stderr
  }

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'keelson-faults-'))
    network = inside('network')
    await makeNetwork('network', GENESIS_TIME_MS)
  })
  afterEach(async () => {
    await endAllKeelson()
    rmSync(folder, { recursive: true, force: true })
  })

  it('when L1 does not respond', async () => {
    assertSaid(await runKeelson(consensusArgs(NOWHERE)), /no L1: 127\.0\.0\.1:9 .*start it, or give --l1\.rpc/)
  })

  it('when L1 is another chain', async () => {
    const l1 = await serveAnswer('0x1')
    const result = await runKeelson(consensusArgs(l1.url))
    l1.server.close()
    assertSaid(result, /the L1 at 127\.0\.0\.1:\d+ is chain 1, rollup\.json expects 900084: give --l1\.rpc of the right chain/)
  })

  it('when a port is in use', async () => {
    const other = await serveAnswer(null)
    const result = await runKeelson(executionArgs({ 'http.port': other.port }))
    other.server.close()
    assertSaid(
      result,
      /port \d+ on 127\.0\.0\.1 \(HTTP RPC\) is already in use by (process \d+ \(.*\)|another program): stop that program, or .* with --http\.port/,
    )
    assert.ok(result.stderr.includes(`port ${other.port} `))
  })

  it('when the data directory is of another chain, and leaves it unchanged', async () => {
    await serveOnce()
    const before = fingerprintOf(inside('execution'))
    await makeNetwork('other', GENESIS_TIME_MS + 60_000)
    assertSaid(
      await runKeelson(executionArgs({ network: inside('other') })),
      /holds execution data of chain 84532 with genesis 0x.*choose another data directory/,
    )
    assert.equal(fingerprintOf(inside('execution')), before)
    await serveOnce()
  })

  it('when a fork active at genesis is not implemented in this release', async () => {
    editRollup((rollup) => {
      rollup.foo_time = 17
    })
    assertSaid(
      await runKeelson(executionArgs()),
      /fork foo is in force at genesis and this release does not implement it, so it can follow no block of this chain/,
    )
    assertSaid(await runKeelson(consensusArgs(NOWHERE)), /fork foo is in force at genesis/)
    assert.deepEqual(readdirSync(folder).sort(), ['network'])
  })

  it('when genesis.json does not match rollup.json', async () => {
    const genesis = join(network, 'genesis.json')
    const right = readFileSync(genesis, 'utf8')
    writeFileSync(genesis, right.replace(/"gasLimit":"0x[0-9a-f]+"/, '"gasLimit":"0x1000000"'))
    const pattern = /genesis\.json in .* makes block 0x[0-9a-f]{64}, but rollup\.json says 0x.*: the two files are of different networks/
    assertSaid(await runKeelson(executionArgs()), pattern)
    const kept = readFileSync(join(network, 'keelson.json'))
    rmSync(join(network, 'keelson.json'))
    assertSaid(await runKeelson(executionArgs()), pattern)
    writeFileSync(join(network, 'keelson.json'), kept)
    // The header matches, but the accounts do not match its state root.
    writeFileSync(genesis, right.replace('"alloc":{', '"alloc":{"0x00000000000000000000000000000000000f00d0":{"balance":"0x1"},'))
    assertSaid(await runKeelson(executionArgs()), /genesis accounts have state root 0x.*the network's files do not belong together/)
    writeFileSync(genesis, right)
    await serveOnce()
  })

  it('when a native module does not load, unless the slow replacement is allowed', async () => {
    const broken = { nodeArgs: BREAK_NATIVE }
    const pattern = /the native secp256k1 module did not load on \w+-\w+ .*"npm ci".*--slow-crypto/
    assertSaid(await runKeelson(executionArgs(), broken), pattern)
    assertSaid(await runKeelson(['devnet', '--data-dir', inside('devnet'), '--port-offset', String(OFFSET)], broken), pattern)
    assert.match(await serveOnce(broken, [...executionArgs(), '--slow-crypto']), /using JavaScript signatures, about 50 times slower/)
  })

  it('when L1 and L2 have one chain id, unless that is allowed', async () => {
    editRollup((rollup) => {
      rollup.l1_chain_id = rollup.l2_chain_id
    })
    const roles: readonly (readonly string[])[] = [
      executionArgs(),
      consensusArgs(NOWHERE),
      ['batcher', '--network', network, '--l1.rpc', NOWHERE, '--l2.rpc', NOWHERE, '--rollup.rpc', NOWHERE, '--data-dir', inside('b')],
      [
        'proposer',
        '--network',
        network,
        '--l1.rpc',
        NOWHERE,
        '--rollup.rpc',
        NOWHERE,
        '--data-dir',
        inside('p'),
        '--oracle',
        `0x${'11'.repeat(20)}`,
      ],
    ]
    const env = { KEELSON_PRIVATE_KEY: `0x${'11'.repeat(32)}` }
    for (const args of roles) {
      assertSaid(await runKeelson(args, { env }), /l1_chain_id and l2_chain_id are both 84532: .* or pass --allow-same-chain-id/)
      if (args[0] === 'execution') continue
      const allowed = await runKeelson([...args, '--allow-same-chain-id'], { env })
      assert.match(allowed.stdout + allowed.stderr, /L1 and L2 have the same chain id: a transaction signed for one can be replayed/)
      assert.match(allowed.stderr, /no L1: 127\.0\.0\.1:9/)
    }
    assert.match(await serveOnce({}, [...executionArgs(), '--allow-same-chain-id']), /L1 and L2 have the same chain id/)
  })

  it('when a JWT file holds no secret or is readable by others', async () => {
    const jwt = inside('jwt.hex')
    writeFileSync(jwt, '0xsecret-that-must-not-be-shown\n', { mode: 0o600 })
    const refused = await runKeelson(executionArgs({ 'jwt-secret': jwt }))
    assertSaid(refused, /the JWT secret in .*jwt\.hex must be 64 hex digits/)
    assert.doesNotMatch(refused.stderr, /must-not-be-shown/)
    writeFileSync(jwt, '11'.repeat(32))
    chmodSync(jwt, 0o644)
    assert.match(await serveOnce({}, executionArgs({ 'jwt-secret': jwt })), /others can read the JWT secret .* \(mode 644\): chmod 600/)
  })

  it('with all unknown and missing options at once', async () => {
    const { code, stderr } = await runKeelson(['consensus', '--l1.rcp', 'http://127.0.0.1:7545'])
    assert.equal(code, 1)
    assert.match(stderr, /unknown option --l1\.rcp; did you mean --l1\.rpc\?/)
    for (const flag of ['data-dir', 'network', 'l1.rpc', 'l1.beacon', 'jwt-secret'])
      assert.match(stderr, new RegExp(`missing: give --${flag} or KEELSON_`))
    assert.match(stderr, /keelson consensus --help lists all options/)
    assert.doesNotMatch(stderr, /^\s+at /m)
  })

  it('for an unknown command or action', async () => {
    assertSaid(await runKeelson(['exection']), /unknown command "exection"; did you mean execution\? there are devnet, execution/)
    assertSaid(
      await runKeelson(['devnet', 'restart']),
      /"restart" is not known \(did you mean restore\?\): npx keelson devnet stop\|status\|logs/,
    )
  })

  it('when there is no network to stop or to report on', async () => {
    const nothing = inside('nothing')
    const status = await runKeelson(['devnet', 'status', '--data-dir', nothing])
    assert.equal(status.code, 1)
    assert.match(status.stdout, /no development network runs on .*nothing; start one with npm start/)
    const stop = await runKeelson(['devnet', 'stop', '--data-dir', nothing])
    assert.equal(stop.code, 0)
    assert.match(stop.stdout, /no development network runs on .*nothing: nothing to stop/)
    assert.deepEqual(readdirSync(folder), ['network'])
  })
})

describe('a running development network', () => {
  let folder: string
  let devnet: DevnetProcess
  const supervisor = () => JSON.parse(readFileSync(join(folder, 'supervisor.json'), 'utf8')) as { supervisorPid: number }
  const devnetArgs = (...more: string[]) => ['devnet', '--data-dir', folder, '--port-offset', String(OFFSET), ...more]
  const blockHash = async (number: number) =>
    (await rpcCall<{ hash: string } | null>(devnet.facts.l2.rpcUrl, 'eth_getBlockByNumber', [`0x${number.toString(16)}`, false]))?.hash

  before(async () => {
    folder = newDevnetFolder()
    devnet = await startDevnet(folder, OFFSET, ['--symbol', 'KEEL'])
    const probes = roleProbes(OFFSET)
    const everyRole = async () => {
      await Promise.all(ROLE_NAMES.map((role) => probes[role](devnet)))
      return true
    }
    await eventually('a response of every role', everyRole, PLATFORM_START_MS)
  })
  afterEach(endAllKeelson)
  after(() => devnet.remove())

  it('has a consensus client that reports a wrong JWT with fingerprints and is not ready', async () => {
    const own = mkdtempSync(join(tmpdir(), 'keelson-jwt-'))
    const secret = 'ab'.repeat(32)
    writeFileSync(join(own, 'jwt.hex'), secret, { mode: 0o600 })
    const { l1, l2 } = devnet.facts
    const consensus = startKeelson([
      ...['consensus', '--network', join(folder, 'network'), '--data-dir', own, '--jwt-secret', join(own, 'jwt.hex')],
      ...['--l1.rpc', l1.rpcUrl, '--l1.beacon', l1.beaconUrl, '--engine.url', l2.engineUrl, '--no-p2p.enabled'],
      ...['--rpc.port', String(PORT + 4), '--metrics.port', String(PORT + 5)],
    ])
    const cause = /signed with another secret: the caller's has fingerprint [0-9a-f]{8}, ours [0-9a-f]{8}; give both clients .* same file/
    await eventually('the line with the reason', async () => cause.test(consensus.output()))
    await eventually('the reason on the health port', async () => {
      const response = await fetch(`http://127.0.0.1:${PORT + 5}/readyz`)
      return response.status === 503 && cause.test(await response.text())
    })
    const { code, stdout, stderr } = await consensus.stop()
    assert.equal(code, 0)
    const ours = readFileSync(join(folder, 'sequencer', 'jwt.hex'), 'utf8')
      .trim()
      .replace(/^0x/, '')
    for (const shown of [secret, ours]) assert.ok(!(stdout + stderr).includes(shown), 'a secret is never shown')
    const lines = (stdout + stderr).split('\n').filter((line) => cause.test(line))
    assert.ok(lines.length <= 3, `reported once, not at every attempt:\n${lines.join('\n')}`)
    rmSync(own, { recursive: true })
  })

  it('rejects a second start on its folder without changing the folder', async () => {
    const facts = readFileSync(join(folder, 'devnet.json'), 'utf8')
    for (const more of [[], ['--detach'], ['--fresh']])
      assertSaid(
        await runKeelson(devnetArgs(...more)),
        /a development network already runs on .* \(process \d+, keelson devnet\): use it, end it with "npm run stop -- --data-dir [^"]+"/,
      )
    assert.equal(readFileSync(join(folder, 'devnet.json'), 'utf8'), facts)
    assert.ok((await blockHash(1))?.startsWith('0x'))
  })

  it('makes a second network on its ports report all ports in use', async () => {
    const other = newDevnetFolder()
    const result = await runKeelson(['devnet', '--data-dir', other, '--port-offset', String(OFFSET)])
    assertSaid(
      result,
      new RegExp(`ports are in use: .* by the development network in ${folder}; stop that one with .* --port-offset \\d+, which is free`),
    )
    for (const [use, port] of namedPorts(devnetPorts(OFFSET)))
      assert.ok(result.stderr.includes(`${port} (${use})`), `${use}: ${result.stderr}`)
    assert.deepEqual(readdirSync(other), [])
    rmSync(other, { recursive: true })
  })

  it('shows its status on one screen', async () => {
    const { code, stdout } = await runKeelson(['devnet', 'status', '--data-dir', folder])
    assert.equal(code, /^WAIT/m.test(stdout) ? 1 : 0)
    assert.match(stdout, /L2 blocks: unsafe \d+, safe \d+, finalized \d+/)
    for (const role of ROLE_NAMES) assert.match(stdout, new RegExp(`^(ok|WAIT) +${role} +process \\d+`, 'm'))
  })

  it('stops every role including L1 when its supervisor is killed, and continues at the next start', async () => {
    const roles = Object.entries(devnet.rolePids())
    assert.deepEqual(roles.map(([role]) => role).sort(), [...ROLE_NAMES].sort())
    const head = await rpcCall<string>(devnet.facts.l2.rpcUrl, 'eth_blockNumber')
    const known = await blockHash(Number(head))
    process.kill(supervisor().supervisorPid, 'SIGKILL')
    const left = () => roles.filter(([, pid]) => isRunning(pid)).map(([role]) => role)
    await eventually('the exit of every role', async () => {
      if (left().length > 0) throw new Error(`still there: ${left().join(', ')}`)
      return true
    })
    const stop = await runKeelson(['devnet', 'stop', '--data-dir', folder])
    assert.match(stop.stdout, /nothing to stop/)
    devnet = await startDevnet(folder, OFFSET)
    assert.equal(await blockHash(Number(head)), known)
  })

  it('stops at Ctrl-C, and later starts with other settings or a used port leave its folder unchanged', async () => {
    const { code } = await devnet.interrupt()
    assert.equal(code, 0)
    const before = fingerprintOf(folder)
    const wish = devnetArgs('--fork', 'isthmus', '--symbol', 'OTHER')
    assertSaid(await runKeelson(wish), /made without --fork isthmus \(it has lagoon\) and --symbol OTHER \(it has KEEL\): .*--fresh/)
    const taken = await serveAnswer(null, devnet.facts.l2.rpcUrl)
    assertSaid(await runKeelson(devnetArgs('--fresh')), new RegExp(`port is in use: ${8_545 + OFFSET} \\(execution http\\)`))
    taken.server.close()
    assert.equal(fingerprintOf(folder), before)
  })
})

/** A zombie counts as not running. */
function isRunning(pid: number): boolean {
  try {
    const [, state] = /^.*\) (\S)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
    return state !== 'Z'
  } catch {
    return false
  }
}
