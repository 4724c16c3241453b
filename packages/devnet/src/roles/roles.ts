/** The command line of every role of the development network: what runs, in which order it stops. */
import { isIP } from 'node:net'
import { join } from 'node:path'
import { isLoopbackHost } from '@keelson/runtime'
import { type AnvilOptions, anvilRole } from '../l1/anvil.ts'
import type { ConsensusPorts, DevnetPorts, ExecutionPorts } from '../ports/ports.ts'
import { devnetTradingFile } from '../prepare/trading-wallet.ts'
import { validatorDutyFolder } from '../prepare/validator-duty-folder.ts'
import type { RoleSpec } from '../supervisor/role-process.ts'
import type { DevnetPaths } from './devnet-paths.ts'
import type { RoleFacts } from './role-facts.ts'

export interface DevnetRoleInput {
  readonly host: string
  readonly ports: DevnetPorts
  readonly paths: DevnetPaths
  readonly facts: RoleFacts
  readonly anvil: AnvilOptions
  readonly clockOffsetMs: number
  readonly keys: {
    readonly batcher: string
    readonly proposer: string
    readonly sequencerSigner: string
    readonly faucet: string
    readonly validator: string
  }
  readonly outputOracle: string
  /** L1CrossDomainMessenger. */
  readonly l1Messenger: string
  /** Peer id of the sequencer's node key, which the validator dials; null turns gossip off. */
  readonly sequencerPeerId: string | null
  /** Peer id of the second sequencer; null without one. */
  readonly standbyPeerId: string | null
  readonly batcher: {
    readonly dataAvailability: string
    readonly batchType: string
    readonly compression: string
    readonly maxChannelDurationL1Blocks: number
  }
  readonly sequencerL1Confirmations: number
  readonly logLevel: string
  readonly slowCrypto: boolean
  readonly allowSameChainId: boolean
}

/** Coins the network's validator stakes: the least that makes it active. */
const DEVNET_STAKE = 1_000

/** Flags as pairs; a value of true is a switch. */
function flags(values: Readonly<Record<string, string | number | true>>): string[] {
  return Object.entries(values).map(([name, value]) => (value === true ? `--${name}` : `--${name}=${value}`))
}

/** Callers on this machine are not limited: its loopback, and the address that the roles themselves call. */
function trustedNetworks(host: string, loopback = '127.0.0.0/8'): string {
  const isAny = host === '0.0.0.0' || host === '::'
  return [loopback, '::1', ...(isIP(host) !== 0 && !isAny ? [host] : [])].join(',')
}

/** In starting order. L1 is last to stop, because the others may still be writing to it. */
export function devnetRoles(input: DevnetRoleInput): readonly RoleSpec[] {
  const { host, ports, paths, facts } = input
  const url = (port: number) => `http://${host}:${port}`
  const l1Rpc = url(ports.l1)
  const shared = {
    'log.format': 'json',
    'log.level': input.logLevel,
    'clock.offset-ms': input.clockOffsetMs,
    'exit-with-parent': true,
    'metrics.host': host,
    'slow-crypto': String(input.slowCrypto),
  } as const
  const rollup = { network: paths.network, 'allow-same-chain-id': String(input.allowSameChainId) } as const

  const ours = (
    name: string,
    command: string,
    values: Readonly<Record<string, string | number | true>>,
    env: Record<string, string> = {},
  ): RoleSpec => ({
    name,
    answersAt: url(Number(values['http.port'] ?? values['rpc.port'] ?? values.port ?? values['metrics.port'])),
    command: process.execPath,
    args: ['--enable-source-maps', process.argv[1] as string, ...command.split(' '), ...flags({ ...shared, ...values })],
    env,
    stopSignal: 'SIGTERM',
  })

  const execution = (name: string, dataDir: string, own: ExecutionPorts, consensus: ConsensusPorts, extra: Record<string, string> = {}) =>
    ours(name, 'execution', {
      'data-dir': join(dataDir, 'execution'),
      ...rollup,
      'jwt-secret': join(dataDir, 'jwt.hex'),
      'http.host': host,
      'http.port': own.http,
      'ws.port': own.ws,
      'engine.host': host,
      'engine.port': own.engine,
      'metrics.port': own.metrics,
      'rollup.rpc': url(consensus.rpc),
      'http.api': facts.rpcNamespaces.join(','),
      'ws.api': facts.rpcNamespaces.join(','),
      // other addresses of 127.0.0.0/8 are strangers, so that scripts/bench/stranger-devnet.ts can attack from them
      'rpc.trusted': trustedNetworks(host, '127.0.0.1'),
      ...extra,
    })

  const consensus = (
    name: string,
    dataDir: string,
    own: ConsensusPorts,
    engine: ExecutionPorts,
    extra: Record<string, string | number>,
    env: Record<string, string>,
  ) =>
    ours(
      name,
      'consensus',
      {
        'data-dir': join(dataDir, 'consensus'),
        ...rollup,
        'jwt-secret': join(dataDir, 'jwt.hex'),
        'l1.rpc': l1Rpc,
        'l1.beacon': url(ports.beacon),
        'engine.url': url(engine.engine),
        'rpc.host': host,
        'rpc.port': own.rpc,
        'rpc.trusted': trustedNetworks(host),
        'metrics.port': own.metrics,
        'p2p.host': host,
        'p2p.port': own.p2p,
        'p2p.enabled': input.sequencerPeerId === null ? 'false' : 'true',
        'allow-finalized-reorg': true,
        ...extra,
      },
      env,
    )

  const sequencer = { role: 'sequencer', 'sequencer.l1-confirmations': input.sequencerL1Confirmations, 'rpc.admin': 'true' } as const
  const signerKey = { KEELSON_P2P_SIGNER_KEY: input.keys.sequencerSigner }
  const peers = (...others: readonly (readonly [ports: ConsensusPorts | undefined, peerId: string | null])[]): Record<string, string> => {
    const addresses = others.flatMap(([own, id]) =>
      own === undefined || id === null ? [] : [`/${hostProtocol(host)}/${host}/tcp/${own.p2p}/p2p/${id}`],
    )
    return addresses.length === 0 ? {} : { 'p2p.peers': addresses.join(',') }
  }
  const conducted = (id: string, port: number | undefined): Record<string, string> => {
    if (port === undefined) return {}
    const secret = facts.conductorSecret(paths.conductorSecrets, id)
    return { 'conductor.enabled': 'true', 'conductor.rpc': url(port), 'conductor.jwt-secret': secret }
  }

  /** A second sequencer, and who decides which of the two leads. */
  const second = (): RoleSpec[] => {
    const { standbyExecution, standbyConsensus, conductor } = ports
    if (standbyExecution === undefined || standbyConsensus === undefined || conductor === undefined) return []
    return [
      execution('standby-execution', paths.standby, standbyExecution, standbyConsensus),
      consensus(
        'standby-consensus',
        paths.standby,
        standbyConsensus,
        standbyExecution,
        { ...sequencer, ...conducted('standby', conductor.second), ...peers([ports.consensus, input.sequencerPeerId]) },
        signerKey,
      ),
      ours('conductor', 'conductor', {
        'data-dir': paths.conductor,
        ...rollup,
        'l1.rpc': l1Rpc,
        'rpc.host': host,
        'operator.port': conductor.operator,
        'jwt-secrets': paths.conductorSecrets,
        'metrics.port': conductor.metrics,
        candidates: `sequencer:${conductor.first}=${url(ports.consensus.rpc)},standby:${conductor.second}=${url(standbyConsensus.rpc)}`,
      }),
    ]
  }

  const duty = validatorDutyFolder(paths.validator)
  const submitter = {
    'l1.rpc': l1Rpc,
    'rollup.rpc': url(ports.consensus.rpc),
    ...rollup,
    'admin.host': isLoopbackHost(host) ? host : '127.0.0.1',
  }
  return [
    { ...anvilRole(input.anvil), answersAt: l1Rpc, outlivesSupervisor: true },
    ours('beacon', 'beacon', { 'l1.rpc': l1Rpc, host, port: ports.beacon, 'data-dir': paths.beacon }),
    execution('execution', paths.sequencer, ports.execution, ports.consensus),
    consensus(
      'consensus',
      paths.sequencer,
      ports.consensus,
      ports.execution,
      { ...sequencer, ...conducted('sequencer', ports.conductor?.first) },
      signerKey,
    ),
    ...second(),
    execution('validator-execution', paths.validator, ports.validatorExecution, ports.validatorConsensus, {
      'sequencer.rpc': url(ports.execution.http),
    }),
    consensus(
      'validator-consensus',
      paths.validator,
      ports.validatorConsensus,
      ports.validatorExecution,
      {
        role: 'follower',
        ...peers([ports.consensus, input.sequencerPeerId], [ports.standbyConsensus, input.standbyPeerId]),
      },
      {},
    ),
    ours(
      'batcher',
      'batcher',
      {
        ...submitter,
        'l2.rpc': url(ports.execution.http),
        'throttle.rpc': url(ports.execution.engine),
        'jwt-secret': join(paths.sequencer, 'jwt.hex'),
        'data-dir': paths.batcher,
        'metrics.port': ports.batcher.metrics,
        'admin.port': ports.batcher.admin,
        'data-availability': input.batcher.dataAvailability,
        'batch-type': input.batcher.batchType,
        compression: input.batcher.compression,
        'max-channel-duration': input.batcher.maxChannelDurationL1Blocks,
      },
      { KEELSON_PRIVATE_KEY: input.keys.batcher },
    ),
    ours(
      'proposer',
      'proposer',
      {
        ...submitter,
        oracle: input.outputOracle,
        'metrics.port': ports.proposer.metrics,
        'admin.port': ports.proposer.admin,
        'data-dir': paths.proposer,
      },
      { KEELSON_PRIVATE_KEY: input.keys.proposer },
    ),
    {
      ...ours('bridge', 'bridge serve', {
        'data-dir': paths.bridge,
        ...rollup,
        'l1.rpc': l1Rpc,
        'l1.messenger': input.l1Messenger,
        'l2.rpc': url(ports.execution.http),
        'poll-interval-ms': 1_000,
        'http.host': host,
        'http.port': ports.bridge.http,
        'http.cors': '*',
        'http.trusted': trustedNetworks(host),
        'metrics.port': ports.bridge.metrics,
      }),
      afterChain: true,
    },
    {
      ...ours(
        'faucet',
        'faucet serve',
        {
          'data-dir': paths.faucet,
          ...rollup,
          'l2.rpc': url(ports.execution.http),
          'http.host': host,
          'http.port': ports.faucet.http,
          'http.trusted-proxies': trustedNetworks(host),
          'http.cors-origins': '*',
          'http.requests-per-sec': 50,
          'http.request-burst': 500,
          'public-url': url(ports.faucet.http),
          'accounts.provider': 'local',
          'claims-per-day': 20_000,
          'answer-timeout': '2m',
          'metrics.port': ports.faucet.metrics,
        },
        { KEELSON_PRIVATE_KEY: input.keys.faucet },
      ),
      afterChain: true,
    },
    {
      ...ours(
        'platform',
        'platform',
        {
          'data-dir': paths.platform,
          devnet: paths.folder,
          'trading.config': devnetTradingFile(paths.platform),
          'bridge.url': url(ports.bridge.http),
          'http.host': host,
          'http.port': ports.platform.http,
          'http.cors-origins': '*',
          environment: 'development',
          'research.subgraph': `${url(ports.platform.http)}/devnet/subgraph`,
          'analytics.url': `${url(ports.platform.http)}/devnet/analytics`,
          'metrics.port': ports.platform.metrics,
        },
        // one of the shell that started the network is of another program
        { DATABASE_URL: '' },
      ),
      afterChain: true,
    },
    {
      ...ours(
        'validator',
        'validator run',
        {
          'data-dir': duty.dataDir,
          'machine-dir': duty.machine,
          'password-file': duty.password,
          'l2.rpc': url(ports.validatorExecution.http),
          'rollup.rpc': url(ports.validatorConsensus.rpc),
          'stake-at-start': DEVNET_STAKE,
          'metrics.port': ports.validatorDuty.metrics,
        },
        { KEELSON_PRIVATE_KEY: input.keys.validator },
      ),
      afterChain: true,
      finalExits: facts.validatorFinalExits,
    },
  ]
}

/** Of a multiaddress. */
function hostProtocol(host: string): string {
  return isIP(host) === 0 ? 'dns' : `ip${isIP(host)}`
}
