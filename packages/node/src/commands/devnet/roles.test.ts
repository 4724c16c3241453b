import assert from 'node:assert/strict'
import { DEVNET_SERVICES, type DevnetService, devnetPaths, devnetPorts, devnetRoles, namedPorts } from '@keelson/devnet'
import { RPC_NAMESPACES } from '@keelson/execution'
import { type IpAddress, type IpNetwork, isInNetworks, parseFlags, parseIpAddress, resolveOptions } from '@keelson/runtime'
import { beaconCommand } from '../beacon.ts'
import { bridgeServeCommand } from '../bridge/serve.ts'
import { conductorCommand } from '../conductor/run.ts'
import { consensusCommand } from '../consensus/consensus.ts'
import { executionCommand } from '../execution/execution.ts'
import { faucetServeCommand } from '../faucet/serve.ts'
import { indexCommand } from '../index-chain/index-chain.ts'
import { platformCommand } from '../platform/platform.ts'
import { batcherCommand } from '../submitters/batcher.ts'
import { proposerCommand } from '../submitters/proposer.ts'
import { validatorRunCommand } from '../validator/run/run.ts'
import { webCommand } from '../web/web.ts'
import { ROLE_FACTS } from './role-facts.ts'

const COMMANDS = {
  execution: executionCommand,
  consensus: consensusCommand,
  batcher: batcherCommand,
  proposer: proposerCommand,
  beacon: beaconCommand,
  conductor: conductorCommand,
  web: webCommand,
  'bridge serve': bridgeServeCommand,
  'faucet serve': faucetServeCommand,
  index: indexCommand,
  platform: platformCommand,
  'validator run': validatorRunCommand,
}
const KEYS = {
  batcher: `0x${'01'.repeat(32)}`,
  proposer: `0x${'02'.repeat(32)}`,
  sequencerSigner: `0x${'03'.repeat(32)}`,
  faucet: `0x${'04'.repeat(32)}`,
  validator: `0x${'05'.repeat(32)}`,
}

function roles(
  sequencerPeerId: string | null,
  standbyPeerId: string | null = null,
  host = '127.0.0.1',
  services: readonly DevnetService[] = DEVNET_SERVICES,
) {
  const paths = devnetPaths('/data')
  return devnetRoles({
    host,
    ports: devnetPorts(0, standbyPeerId === null ? 1 : 2),
    paths,
    facts: ROLE_FACTS,
    services,
    anvil: {
      host: '127.0.0.1',
      port: 7545,
      genesisArguments: [],
      folder: paths.l1,
      genesisState: '/data/network/anvil-genesis-state.json',
    },
    clockOffsetMs: -5_000,
    keys: KEYS,
    outputOracle: `0x${'44'.repeat(20)}`,
    l1Messenger: `0x${'55'.repeat(20)}`,
    sequencerPeerId,
    standbyPeerId,
    batcher: { dataAvailability: 'blobs', batchType: 'span', compression: 'brotli', maxChannelDurationL1Blocks: 2 },
    sequencerL1Confirmations: 4,
    l2BlockTimeSec: 1,
    logLevel: 'info',
    slowCrypto: false,
    allowSameChainId: false,
  })
}

function valuesOf(role: ReturnType<typeof roles>[number]): Record<string, unknown> {
  const words = role.args.slice(2)
  const args = words.filter((word) => word.startsWith('--'))
  const { options } = COMMANDS[words.filter((word) => !word.startsWith('--')).join(' ') as keyof typeof COMMANDS]
  const { flags, positional } = parseFlags(args, options)
  assert.deepEqual(positional, [])
  return resolveOptions(options, { flags, env: role.env ?? {} }).values
}

describe('roles of the network', () => {
  it('are those of the chain and the chosen services, which know only each other', () => {
    const chain = roles('16Uiu2HAm', null, undefined, []).map(({ name }) => name)
    assert.deepEqual(
      chain.filter((name) => (DEVNET_SERVICES as readonly string[]).includes(name)),
      [],
    )
    const some = roles('16Uiu2HAm', null, undefined, ['web', 'faucet'])
    assert.deepEqual(some.map(({ name }) => name).sort(), [...chain, 'web', 'faucet'].sort())
    const web = valuesOf(some.find(({ name }) => name === 'web') as (typeof some)[number])
    assert.equal(web.faucet, 'http://127.0.0.1:8090')
    for (const absent of ['index', 'bridge', 'platform']) {
      assert.equal(web[absent], null, absent)
      assert.ok(!JSON.stringify(web.roles).includes(absent), absent)
    }
  })

  it('have command lines that the roles accept, ending with their supervisor and on its clock', () => {
    const [l1, ...ours] = roles('16Uiu2HAm')
    assert.equal(l1?.name, 'l1')
    assert.equal(l1?.outlivesSupervisor, true)
    assert.deepEqual(
      ours.map(({ name }) => name),
      [
        'beacon',
        'execution',
        'consensus',
        'validator-execution',
        'validator-consensus',
        'batcher',
        'proposer',
        'web',
        'bridge',
        'faucet',
        'platform',
        'index',
        'validator',
      ],
    )
    for (const role of ours) {
      const values = valuesOf(role)
      assert.equal(values.exitWithParent, true, role.name)
      assert.equal(values.clockOffsetMs, -5_000, role.name)
    }
  })

  it('keep the admin ports of batcher and proposer on loopback when the network listens on all addresses', () => {
    for (const [host, expected] of [
      ['0.0.0.0', '127.0.0.1'],
      ['192.0.2.7', '127.0.0.1'],
      ['127.0.0.2', '127.0.0.2'],
    ] as const) {
      const submitters = roles(null, null, host).filter(({ name }) => name === 'batcher' || name === 'proposer')
      assert.deepEqual(
        submitters.map((role) => valuesOf(role).adminHost),
        [expected, expected],
      )
    }
  })

  it('trust the same callers on every port, and of 127.0.0.0/8 one address', () => {
    const trusted = roles('16Uiu2HAm', '16Uiu2HAn').flatMap(({ args }) =>
      args.flatMap((arg) => /^--(?:rpc|http)\.trusted(?:-proxies)?=(.*)$/.exec(arg)?.[1] ?? []),
    )
    assert.equal(trusted.length > 5, true, 'execution, consensus and services')
    for (const networks of trusted) assert.equal(networks, '127.0.0.1,::1,127.0.0.1')
  })

  it('are started again whatever they end with, but a validator that must not sign', () => {
    const final = roles(null).flatMap(({ name, finalExits }) => Object.keys(finalExits ?? {}).map((code) => `${name} ${code}`))
    assert.deepEqual(final, ['validator 3', 'validator 4'])
  })

  it('use every port of the network, each for one role', () => {
    const used = roles('16Uiu2HAm').flatMap((role) =>
      role.name === 'l1' ? ['7545'] : role.args.flatMap((arg) => /[.-]port=(\d+)$/.exec(arg)?.[1] ?? []),
    )
    assert.deepEqual(
      used.map(Number).sort((a, b) => a - b),
      namedPorts(devnetPorts(0))
        .map(([, port]) => port)
        .sort((a, b) => a - b),
    )
  })

  it('are more with a second sequencer: one conductor has both as candidates, and each of them has it', () => {
    const all = roles('16Uiu2HAm', '16Uiu2HAn')
    const named = (name: string) => valuesOf(all.find((role) => role.name === name) as never)
    assert.deepEqual(
      (named('conductor').candidates as { url: string }[]).map(({ url }) => url),
      ['http://127.0.0.1:9545', 'http://127.0.0.1:8955'],
    )
    assert.deepEqual(
      [named('consensus').conductorRpc, named('standby-consensus').conductorRpc],
      ['http://127.0.0.1:8547', 'http://127.0.0.1:8548'],
    )
    for (const name of ['consensus', 'standby-consensus'])
      assert.deepEqual([named(name).role, named(name).conductorEnabled], ['sequencer', true])
    assert.equal((named('validator-consensus').p2pPeers as string[]).length, 2)
    assert.equal(named('standby-consensus').p2pSignerKey !== null, true)
  })

  it('tell the duty loop the block time of the chain, by which it recognizes an implausible head', () => {
    const duty = roles('16Uiu2HAm').find(({ name }) => name === 'validator')
    assert.ok(duty)
    assert.equal(valuesOf(duty).l2BlockTimeSec, 1)
  })

  it('get keys by environment only, where other users of the machine cannot read them', () => {
    for (const role of roles('16Uiu2HAm'))
      for (const key of Object.values(KEYS)) assert.ok(!role.args.join(' ').includes(key.slice(2)), role.name)
  })

  it('serve every namespace to this machine without limit, and treat other loopback addresses as strangers', () => {
    for (const role of roles(null).filter(({ name }) => name.endsWith('execution'))) {
      const { httpApi, wsApi, rpcTrusted } = valuesOf(role)
      assert.deepEqual(httpApi, RPC_NAMESPACES)
      assert.deepEqual(wsApi, RPC_NAMESPACES)
      const callers = ['127.0.0.1', '::1', '::ffff:127.0.0.1', '127.0.0.2', '192.0.2.1', '::2'].map(
        (text) => parseIpAddress(text) as IpAddress,
      )
      assert.deepEqual(
        callers.map((caller) => isInNetworks(caller, rpcTrusted as readonly IpNetwork[])),
        [true, true, true, false, false, false],
      )
    }
  })

  it('let web pages of other origins ask the bridge service, the faucet, the platform and the index', () => {
    const origins = (name: string) => {
      const values = valuesOf(roles(null).find((role) => role.name === name) as never)
      return values.httpCors ?? values.httpCorsOrigins ?? values.corsOrigins
    }
    assert.deepEqual(['bridge', 'faucet', 'platform', 'index'].map(origins), [['*'], ['*'], ['*'], ['*']])
  })

  it('are joined by gossip, or by L1 alone', () => {
    const validator = (peer: string | null) => valuesOf(roles(peer).find(({ name }) => name === 'validator-consensus') as never)
    assert.deepEqual(validator('16Uiu2HAm').p2pPeers, ['/ip4/127.0.0.1/tcp/9222/p2p/16Uiu2HAm'])
    assert.equal(validator('16Uiu2HAm').p2pEnabled, true)
    assert.deepEqual(validator(null).p2pPeers, [])
    assert.equal(validator(null).p2pEnabled, false)
  })

  it('have unlocked accounts at the sequencer alone, and only where the network listens on loopback', () => {
    const unlocked = (host: string) =>
      roles('16Uiu2HAm', '16Uiu2HAn', host)
        .slice(1)
        .filter((role) => role.name.endsWith('execution') && valuesOf(role).devAccounts === true)
        .map(({ name }) => name)
    assert.deepEqual(unlocked('127.0.0.1'), ['execution'])
    assert.deepEqual(unlocked('0.0.0.0'), [])
  })
})
