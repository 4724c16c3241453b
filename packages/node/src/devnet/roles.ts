/** The command line of every role of the development network: what runs, in which order it stops. */
import { isIP } from 'node:net'
import { join } from 'node:path'
import { RPC_NAMESPACES } from '@keelson/execution'
import { type AnvilOptions, anvilRole } from './anvil.ts'
import type { ConsensusPorts, DevnetPorts, ExecutionPorts } from './ports.ts'
import type { RoleSpec } from './role-process.ts'

export interface DevnetRoleInput {
  readonly host: string
  readonly ports: DevnetPorts
  readonly paths: DevnetPaths
  readonly anvil: AnvilOptions
  readonly clockOffsetMs: number
  readonly keys: { readonly batcher: string; readonly proposer: string; readonly sequencerSigner: string }
  readonly outputOracle: string
  /** Peer id of the sequencer's node key, which the validator dials; null turns gossip off. */
  readonly sequencerPeerId: string | null
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

export interface DevnetPaths {
  readonly folder: string
  readonly network: string
  readonly l1: string
  readonly beacon: string
  readonly sequencer: string
  readonly validator: string
  readonly batcher: string
  readonly proposer: string
  readonly logs: string
}

export function devnetPaths(folder: string): DevnetPaths {
  const inside = (name: string) => join(folder, name)
  return {
    folder,
    network: inside('network'),
    l1: inside('l1'),
    beacon: inside('beacon'),
    sequencer: inside('sequencer'),
    validator: inside('validator'),
    batcher: inside('batcher'),
    proposer: inside('proposer'),
    logs: inside('logs'),
  }
}

/** Flags as pairs; a value of true is a switch. */
function flags(values: Readonly<Record<string, string | number | true>>): string[] {
  return Object.entries(values).map(([name, value]) => (value === true ? `--${name}` : `--${name}=${value}`))
}

/** Callers on this machine are not limited: its loopback, and the address that the roles themselves call. */
function trustedNetworks(host: string): string {
  const isAny = host === '0.0.0.0' || host === '::'
  return ['127.0.0.0/8', '::1', ...(isIP(host) !== 0 && !isAny ? [host] : [])].join(',')
}

/** In starting order. L1 is last to stop, because the others may still be writing to it. */
export function devnetRoles(input: DevnetRoleInput): readonly RoleSpec[] {
  const { host, ports, paths } = input
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
    command: process.execPath,
    args: ['--enable-source-maps', process.argv[1] as string, command, ...flags({ ...shared, ...values })],
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
      'http.api': RPC_NAMESPACES.join(','),
      'ws.api': RPC_NAMESPACES.join(','),
      'rpc.trusted': trustedNetworks(host),
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

  const submitter = { 'l1.rpc': l1Rpc, 'rollup.rpc': url(ports.consensus.rpc), ...rollup, 'admin.host': host }
  return [
    { ...anvilRole(input.anvil), outlivesSupervisor: true },
    ours('beacon', 'beacon', { 'l1.rpc': l1Rpc, host, port: ports.beacon, 'data-dir': paths.beacon }),
    execution('execution', paths.sequencer, ports.execution, ports.consensus),
    consensus(
      'consensus',
      paths.sequencer,
      ports.consensus,
      ports.execution,
      { role: 'sequencer', 'sequencer.l1-confirmations': input.sequencerL1Confirmations },
      { KEELSON_P2P_SIGNER_KEY: input.keys.sequencerSigner },
    ),
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
        ...(input.sequencerPeerId === null ? {} : { 'p2p.peers': `/ip4/${host}/tcp/${ports.consensus.p2p}/p2p/${input.sequencerPeerId}` }),
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
  ]
}
