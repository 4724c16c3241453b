import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { peerIdOfNodeKey } from '@keelson/consensus'
import { DEVNET_SERVICES, devnetPaths, devnetPorts, devnetRoles, serviceHosts } from '@keelson/devnet'
import { DEV_ROLES, DEV_SEQUENCER_NODE_KEY } from '@keelson/devnet/genesis'
import { hexToBytes } from '@keelson/primitives'
import { parseFlags, resolveOptions } from '@keelson/runtime'
import { ROLE_FACTS } from '../commands/devnet/role-facts.ts'
import { publishedPort, ROOT, readCompose, readService, type Service } from './compose.test-support.ts'

const DEVNET = 'compose.yaml'
const VALIDATOR = 'config/compose/validator.yaml'
const VALIDATOR_ENV = { L1_RPC: 'https://l1.example', L1_BEACON: 'https://beacon.example', KEELSON_NETWORK: '/etc/keelson/network' }

/** Options that may differ in containers. */
const OWN_TO_CONTAINERS = new Set([
  ...['exitWithParent', 'clockOffsetMs', 'logFormat', 'httpHost', 'httpVirtualHosts', 'httpApi', 'wsApi', 'engineHost', 'host'],
  ...['engineVirtualHosts', 'rpcHost', 'rpcVirtualHosts', 'rpcTrusted', 'rpcAdmin', 'metricsHost', 'p2pHost', 'p2pDiscovery'],
  ...['httpTrusted', 'trusted', 'trustedProxies', 'l1Messenger', 'devAccounts'],
])

function supervisedRoles(sequencerPeerId: string, outputOracle: string) {
  const paths = devnetPaths('/data')
  const key = ({ privateKey }: { readonly privateKey: string }) => privateKey
  return devnetRoles({
    host: '127.0.0.1',
    ports: devnetPorts(0),
    paths,
    facts: ROLE_FACTS,
    services: DEVNET_SERVICES,
    anvil: { host: '127.0.0.1', port: 7545, genesisArguments: [], folder: paths.l1, genesisState: '' },
    clockOffsetMs: 0,
    keys: {
      batcher: key(DEV_ROLES.batcher),
      proposer: key(DEV_ROLES.proposer),
      sequencerSigner: key(DEV_ROLES.sequencer),
      faucet: key(DEV_ROLES.faucet),
      validator: key(DEV_ROLES.validator),
    },
    outputOracle,
    l1Messenger: `0x${'55'.repeat(20)}`,
    sequencerPeerId,
    standbyPeerId: null,
    batcher: { dataAvailability: 'blobs', batchType: 'span', compression: 'brotli', maxChannelDurationL1Blocks: 2 },
    sequencerL1Confirmations: 4,
    l2BlockTimeSec: 2,
    logLevel: 'info',
    slowCrypto: false,
    allowSameChainId: false,
  })
}

const hosts = [...new Set(serviceHosts(devnetPorts(0)).values())]

function comparable(values: Readonly<Record<string, unknown>>): Record<string, string> {
  const onOneMachine = (text: string) =>
    text
      .replaceAll('/dns4/consensus/', '/ip4/127.0.0.1/')
      .replace(/((?:https?|ws):\/\/)([a-z0-9-]+)(?=:)/g, (whole, protocol: string, host: string) =>
        hosts.includes(host) ? `${protocol}127.0.0.1` : whole,
      )
  const shown = (value: unknown) =>
    JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'bigint' ? String(inner) : inner)) ?? 'undefined'
  return Object.fromEntries(
    Object.entries(values)
      .filter(([name]) => !OWN_TO_CONTAINERS.has(name))
      .map(([name, value]) => [name, onOneMachine(shown(reveal(value)))]),
  )
}

function reveal(value: unknown): unknown {
  const secret = value as { reveal?: () => unknown } | null
  if (typeof secret?.reveal !== 'function') return value
  const content = secret.reveal()
  return content instanceof Uint8Array ? Buffer.from(content).toString('hex') : content
}

function assertHardened(name: string, service: Service): void {
  assert.equal(service.init, true, `${name}: init`)
  assert.equal(service.read_only, true, `${name}: read_only`)
  assert.deepEqual(service.cap_drop, ['ALL'], `${name}: cap_drop`)
  assert.deepEqual(service.security_opt, ['no-new-privileges:true'], `${name}: security_opt`)
  assert.match(service.mem_limit, /^\d+[mg]$/, `${name}: mem_limit`)
  assert.ok(service.pids_limit > 0, `${name}: pids_limit`)
  assert.ok(service.logging.options['max-size'] !== undefined && service.logging.options['max-file'] !== undefined, `${name}: logging`)
  assert.ok(Number.parseInt(service.stop_grace_period, 10) >= 20, `${name}: stop_grace_period`)
}

describe('compose.yaml', function () {
  this.timeout(120_000)

  it('a role in a container runs with the options that the supervisor of npm start gives it', async () => {
    const { services } = await readCompose(DEVNET, {})
    const peerId = await peerIdOfNodeKey(hexToBytes(DEV_SEQUENCER_NODE_KEY))
    const { L2OutputOracle } = JSON.parse(readFileSync(join(ROOT, 'config/networks/devnet/addresses.json'), 'utf8'))
    const supervised = supervisedRoles(peerId, L2OutputOracle)
    assert.deepEqual(Object.keys(services).sort(), ['setup', ...supervised.map(({ name }) => name)].sort())
    for (const spec of supervised.filter(({ name }) => name !== 'l1')) {
      const service = services[spec.name] as Service
      const { role, values, positional } = await readService(service)
      assert.deepEqual(positional, [])
      const words = spec.args.slice(2 + role.name.split(' ').length)
      const expected = resolveOptions(role.options, { flags: parseFlags(words, role.options).flags, env: spec.env ?? {} }).values
      assert.deepEqual(comparable(values), comparable(expected), spec.name)
    }
  })

  it('its L1 listens where the others look for it, and the setup writes where they read', async () => {
    const { services } = await readCompose(DEVNET, {})
    const l1 = await readService(services.l1 as Service)
    assert.deepEqual([l1.values.port, l1.values.network, l1.values.dataDir], [7545, '/data/network', '/data/l1'])
    const setup = await readService(services.setup as Service)
    assert.deepEqual([setup.role.name, setup.positional, setup.values.dataDir], ['devnet prepare', [], '/data'])
  })

  it('is open to this machine alone, and publishes neither the engine API nor an admin port', async () => {
    const { services } = await readCompose(DEVNET, {})
    for (const [name, service] of Object.entries(services)) {
      const { values } = await readService(service)
      for (const { address, port } of (service.ports ?? []).map(publishedPort)) {
        assert.equal(address, '127.0.0.1', `${name} publishes ${port}`)
        const listening = ['httpPort', 'wsPort', 'rpcPort', 'metricsPort', 'port'].map((option) => values[option])
        assert.ok(listening.includes(port), `${name} publishes ${port} and does not listen there`)
      }
    }
  })

  it('gives no role more rights than it needs', async () => {
    const { services } = await readCompose(DEVNET, {})
    for (const [name, service] of Object.entries(services)) assertHardened(name, service)
  })

  it('trusts the network whose addresses its containers have, also when another one is chosen', async () => {
    const { services } = await readCompose(DEVNET, { KEELSON_SUBNET: '10.9.8.0/24' })
    assert.ok(services.execution?.command.includes('--rpc.trusted=127.0.0.1,::1,10.9.8.0/24'))
  })
})

describe('the validator in containers', function () {
  this.timeout(120_000)

  it('every command line is one that its role accepts', async () => {
    const { services } = await readCompose(VALIDATOR, VALIDATOR_ENV)
    const names: Record<string, string> = {}
    for (const [name, service] of Object.entries(services)) names[name] = (await readService(service)).role.name
    assert.deepEqual(names, { secret: 'jwt', execution: 'execution', consensus: 'consensus', validator: 'validator run' })
  })

  it('says which variable is missing', async () => {
    for (const name of Object.keys(VALIDATOR_ENV))
      await assert.rejects(readCompose(VALIDATOR, { ...VALIDATOR_ENV, [name]: '' }), new RegExp(`${name} is not set`))
  })

  it('only gossip is open to others; the engine API is not published', async () => {
    const { services } = await readCompose(VALIDATOR, VALIDATOR_ENV)
    const published = Object.values(services).flatMap(({ ports = [] }) => ports.map(publishedPort))
    assert.deepEqual([...new Set(published.filter(({ address }) => address !== '127.0.0.1').map(({ port }) => port))], [9222])
    assert.ok(!published.some(({ port }) => port === 8551))
    const { values } = await readService(services.consensus as Service)
    assert.deepEqual([values.p2pPort, values.rpcAdmin], [9222, false])
  })

  it('has its keys and its secret in volumes and files, none in the environment', async () => {
    const { services } = await readCompose(VALIDATOR, VALIDATOR_ENV)
    for (const { environment = {}, command } of Object.values(services)) {
      for (const [name, value] of Object.entries(environment)) assert.ok(!/(KEY|SECRET|PASSWORD)$/.test(name), `${name}=${value}`)
      assert.ok(!command.some((word) => /[0-9a-f]{64}/i.test(word)))
    }
    assert.equal(services.validator?.environment?.KEELSON_PRIVATE_KEY_FILE, '/run/keelson/fees.hex')
    const volumeAt = (target: string) => services.validator?.volumes.find((volume) => volume.split(':')[1] === target)?.split(':')[0]
    assert.notEqual(volumeAt('/data'), volumeAt('/signed'))
  })

  it('a validator that ended because it must not sign is not started again', async () => {
    const { services } = await readCompose(VALIDATOR, VALIDATOR_ENV)
    assert.equal(services.validator?.restart, 'no')
    assert.deepEqual([services.execution?.restart, services.consensus?.restart], ['unless-stopped', 'unless-stopped'])
  })

  it('gives no role more rights than it needs', async () => {
    const { services } = await readCompose(VALIDATOR, VALIDATOR_ENV)
    for (const [name, service] of Object.entries(services)) assertHardened(name, service)
  })
})
