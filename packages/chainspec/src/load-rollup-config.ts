/** Converts op-node's rollup.json to a RollupConfig and back. An unknown key is an error: it might change the chain. */
import {
  type BlockId,
  bigintToBytes,
  bytesToBigint,
  bytesToHex,
  CodecError,
  concatBytes,
  parseAddress,
  parseData,
  parseHash,
  parseJsonInteger,
  type SystemConfig,
  ZERO_ADDRESS,
  ZERO_HASH,
} from '@keelson/primitives'
import { ChainspecError } from './errors.ts'
import { forkGroup } from './fork-keys.ts'
import {
  createForkSchedule,
  type ForkScheduleOptions,
  type ForkTimes,
  forkOrderMistakes,
  type LaterFork,
  unconfirmedBundle,
} from './fork-schedule.ts'
import { GRANITE_CHANNEL_TIMEOUT_L1_BLOCKS } from './forks/granite.ts'
import { createJsonReader, type JsonReader } from './json-reader.ts'
import { isForkKey, type RollupForks, readRollupForks, rollupForkKeys, withForkTimes } from './read-rollup-forks.ts'
import type { Eip1559Constants, RollupConfig } from './rollup-config.ts'
import { earliestFork } from './unsupported-fork.ts'

/** Keys that end like a fork's key but do not name a fork. */
const NOT_FORKS: ReadonlySet<string> = new Set(['block_time', 'pectra_blob_schedule_time'])
const KNOWN_KEYS: ReadonlySet<string> = new Set([
  'genesis',
  'block_time',
  'max_sequencer_drift',
  'seq_window_size',
  'channel_timeout',
  'granite_channel_timeout',
  'l1_chain_id',
  'l2_chain_id',
  'batch_inbox_address',
  'deposit_contract_address',
  'l1_system_config_address',
  'protocol_versions_address',
  'chain_op_config',
  'pectra_blob_schedule_time',
  'keep_karst_upgrade_gas',
])
/** These keys must be empty, because what they enable is not supported. */
const UNSUPPORTED_KEYS: Readonly<Record<string, string>> = {
  alt_da: 'data availability outside L1 is not supported',
  plasma_config: 'data availability outside L1 is not supported',
  use_plasma: 'data availability outside L1 is not supported',
  da_challenge_address: 'data availability outside L1 is not supported',
  da_challenge_contract_address: 'data availability outside L1 is not supported',
  da_challenge_window: 'data availability outside L1 is not supported',
  da_resolve_window: 'data availability outside L1 is not supported',
}
const SYSTEM_CONFIG_KEYS: ReadonlySet<string> = new Set([
  'batcherAddr',
  'overhead',
  'scalar',
  'gasLimit',
  'eip1559Params',
  'operatorFeeParams',
  'minBaseFee',
  'daFootprintGasScalar',
])

export interface RollupConfigOptions {
  /** With equal chain ids, a transaction signed for one chain can be replayed on the other. */
  readonly allowSameChainId?: boolean
  readonly upgradeBundles?: ForkScheduleOptions['upgradeBundles']
  /** Unix seconds by fork name, in place of those in the document; also of forks that this release does not know. */
  readonly forkTimes?: Readonly<Record<string, number>>
  /** Chain ids of the dependency set (specs: interop/dependency-set.md), which always has the chain itself. */
  readonly dependencySet?: readonly bigint[]
}

/** Mainnet, Sepolia, Hoodi. */
const PUBLIC_L1_CHAINS: ReadonlySet<bigint> = new Set([1n, 11_155_111n, 560_048n])

const DEFAULT_EIP1559: Eip1559Constants = { elasticity: 6, denominator: 50, denominatorCanyon: 250 }

/** Throws ChainspecError `chainspec/rollup-config` with every mistake. */
export function loadRollupConfig(json: unknown, options: RollupConfigOptions = {}): RollupConfig {
  const mistakes: string[] = []
  const root = createJsonReader(json, mistakes)
  refuseUnknownKeys(root)
  const stated = withForkTimes(readRollupForks(root, NOT_FORKS), options.forkTimes ?? {})
  const channelTimeoutL1Blocks = root.required('channel_timeout', positive, 1)
  const eip1559 = readEip1559(root)
  root.optional<unknown>('granite_channel_timeout', graniteChannelTimeout, null)
  const l1ChainId = root.required('l1_chain_id', chainId, 1n)
  const l2ChainId = root.required('l2_chain_id', chainId, 2n)
  const { times, unsupported } = PUBLIC_L1_CHAINS.has(l1ChainId) ? withoutUnconfirmed(stated, options) : stated
  const fields = {
    l1ChainId,
    l2ChainId,
    blockTimeSec: root.required('block_time', positive, 1),
    maxSequencerDriftSec: root.optional('max_sequencer_drift', parseJsonInteger, 0),
    sequencingWindowL1Blocks: root.required('seq_window_size', positive, 2),
    channelTimeoutL1Blocks,
    batchInbox: root.required('batch_inbox_address', contract, ZERO_ADDRESS),
    depositContract: root.required('deposit_contract_address', contract, ZERO_ADDRESS),
    systemConfigContract: root.required('l1_system_config_address', contract, ZERO_ADDRESS),
    genesis: readGenesis(root.child('genesis')),
    eip1559,
    pectraBlobScheduleTimeSec: root.optional<number | null>('pectra_blob_schedule_time', parseJsonInteger, null),
    keepKarstUpgradeGas: root.optional('keep_karst_upgrade_gas', flag, false),
    firstUnsupportedFork: earliestFork(unsupported),
    unsupportedForks: unsupported,
    dependencySet: [...new Set([l2ChainId, ...(options.dependencySet ?? [])])].sort((a, b) => (a < b ? -1 : 1)),
    protocolVersionsContract: root.optional<RollupConfig['protocolVersionsContract']>('protocol_versions_address', parseAddress, null),
  }
  mistakes.push(...forkOrderMistakes(stated.times, fields.genesis.l2TimestampSec))
  if (mistakes.length === 0) crossCheck(fields, times, options, mistakes)
  if (mistakes.length > 0) throw new ChainspecError('chainspec/rollup-config', 'rollup config', mistakes)
  const forks = createForkSchedule({
    times,
    constants: { channelTimeoutL1Blocks, ...baseFeeConstants(eip1559) },
    keepKarstUpgradeGas: fields.keepKarstUpgradeGas,
    hasDependencies: fields.dependencySet.length > 1,
    ...(options.upgradeBundles === undefined ? {} : { upgradeBundles: options.upgradeBundles }),
  })
  return Object.freeze<RollupConfig>({ ...fields, forks })
}

/** On a public L1, a fork whose shipped bundle is not confirmed counts as unsupported until the network has the bundle as a file. */
function withoutUnconfirmed({ times, unsupported }: RollupForks, { upgradeBundles }: RollupConfigOptions): RollupForks {
  const waiting = (Object.keys(times) as LaterFork[]).flatMap((name) => {
    const [timeSec, reason] = [times[name] ?? null, unconfirmedBundle(name)]
    if (timeSec === null || reason === null || upgradeBundles?.[name] !== undefined) return []
    return [{ name, timeSec, group: forkGroup(name), key: `${name}_time`, unconfirmedBundle: reason }]
  })
  const kept = Object.entries(times).filter(([name]) => !waiting.some((fork) => fork.name === name))
  return { times: Object.fromEntries(kept), unsupported: [...unsupported, ...waiting] }
}

function refuseUnknownKeys(root: JsonReader): void {
  for (const key of root.keys) {
    if (KNOWN_KEYS.has(key) || isForkKey(key)) continue
    const unsupported = Object.hasOwn(UNSUPPORTED_KEYS, key) ? UNSUPPORTED_KEYS[key] : undefined
    if (unsupported !== undefined) root.optional<null>(key, emptyOnly(unsupported), null)
    else root.mistake(`${key} is not a key of a rollup config; remove it (what is Keelson's own stands in keelson.json)`)
  }
}

function emptyOnly(reason: string): (value: unknown, what: string) => null {
  return (value, what) => {
    if (value === false || value === 0 || value === '' || value === ZERO_ADDRESS) return null
    throw new CodecError('codec/json', `${what}: ${reason}`)
  }
}

function readGenesis(genesis: JsonReader): RollupConfig['genesis'] {
  return {
    l1: readBlockId(genesis.child('l1')),
    l2: readBlockId(genesis.child('l2')),
    l2TimestampSec: genesis.required('l2_time', positive, 1),
    systemConfig: readSystemConfig(genesis.child('system_config')),
  }
}

function readBlockId(id: JsonReader): BlockId {
  return { hash: id.required('hash', parseHash, ZERO_HASH), number: id.required('number', parseJsonInteger, 0) }
}

function readSystemConfig(config: JsonReader): SystemConfig {
  for (const key of config.keys) {
    if (!SYSTEM_CONFIG_KEYS.has(key)) config.mistake(`genesis.system_config.${key} is not a key of a system config`)
  }
  const operatorFee = config.optional('operatorFeeParams', bytes32, new Uint8Array(32))
  return {
    batcherAddress: config.required('batcherAddr', contract, ZERO_ADDRESS),
    overhead: config.required('overhead', bytes32, new Uint8Array(32)),
    scalar: config.required('scalar', bytes32, new Uint8Array(32)),
    gasLimit: config.required('gasLimit', (value, what) => BigInt(positive(value, what)), 1n),
    eip1559Params: config.optional('eip1559Params', (value, what) => parseData(value, what, 8), new Uint8Array(8)),
    operatorFeeScalar: Number(bytesToBigint(operatorFee.subarray(20, 24))),
    operatorFeeConstant: bytesToBigint(operatorFee.subarray(24)),
    minBaseFeeWei: config.optional('minBaseFee', (value, what) => BigInt(parseJsonInteger(value, what)), 0n),
    daFootprintGasScalar: config.optional('daFootprintGasScalar', parseJsonInteger, 0),
  }
}

function readEip1559(root: JsonReader): Eip1559Constants {
  if (!root.has('chain_op_config')) return DEFAULT_EIP1559
  const config = root.child('chain_op_config')
  return {
    elasticity: config.required('eip1559Elasticity', positive, DEFAULT_EIP1559.elasticity),
    denominator: config.required('eip1559Denominator', positive, DEFAULT_EIP1559.denominator),
    denominatorCanyon: config.optional('eip1559DenominatorCanyon', positive, DEFAULT_EIP1559.denominatorCanyon),
  }
}

function baseFeeConstants({ elasticity, denominator, denominatorCanyon }: Eip1559Constants) {
  return {
    baseFee: { elasticity: BigInt(elasticity), denominator: BigInt(denominator) },
    baseFeeCanyon: { elasticity: BigInt(elasticity), denominator: BigInt(denominatorCanyon) },
  }
}

function crossCheck(config: Omit<RollupConfig, 'forks'>, times: ForkTimes, options: RollupConfigOptions, mistakes: string[]): void {
  if (config.l1ChainId === config.l2ChainId && options.allowSameChainId !== true) {
    mistakes.push(
      `l1_chain_id and l2_chain_id are both ${config.l1ChainId}: transactions could be replayed; give them different ids or pass --allow-same-chain-id`,
    )
  }
  if (config.sequencingWindowL1Blocks < 2) mistakes.push(`seq_window_size must be at least 2, got ${config.sequencingWindowL1Blocks}`)
  const { l1, l2 } = config.genesis
  const unsupported = config.firstUnsupportedFork
  if (unsupported !== null && unsupported.timeSec <= config.genesis.l2TimestampSec) {
    mistakes.push(
      `fork ${unsupported.name} is in force at genesis and this release does not implement it, so it can follow no block of this chain; install a release that does`,
    )
  }
  if (l1.hash === ZERO_HASH) mistakes.push('genesis.l1.hash must not be zero')
  if (l2.hash === ZERO_HASH) mistakes.push('genesis.l2.hash must not be zero')
  if (l1.hash === l2.hash) mistakes.push('genesis.l1.hash and genesis.l2.hash are the same block')
  if (config.maxSequencerDriftSec === 0 && (times.fjord ?? Number.POSITIVE_INFINITY) > config.genesis.l2TimestampSec) {
    mistakes.push('max_sequencer_drift must be above 0 on a chain that does not begin with Fjord')
  }
}

function positive(value: unknown, what: string): number {
  const number = parseJsonInteger(value, what)
  if (number === 0) throw new CodecError('codec/number', `${what}: must be above 0`)
  return number
}

/** base-consensus and kona write this key; the specification fixes its value. */
function graniteChannelTimeout(value: unknown, what: string): number {
  const blocks = parseJsonInteger(value, what)
  if (blocks !== GRANITE_CHANNEL_TIMEOUT_L1_BLOCKS) {
    throw new CodecError(
      'codec/number',
      `${what}: expected ${GRANITE_CHANNEL_TIMEOUT_L1_BLOCKS}, the only value that is supported, got ${blocks}`,
    )
  }
  return blocks
}

function chainId(value: unknown, what: string): bigint {
  return BigInt(positive(value, what))
}

function contract(value: unknown, what: string) {
  const address = parseAddress(value, what)
  if (address === ZERO_ADDRESS) throw new CodecError('codec/address', `${what}: must not be the zero address`)
  return address
}

function bytes32(value: unknown, what: string): Uint8Array {
  return parseData(value, what, 32)
}

function flag(value: unknown, what: string): boolean {
  if (typeof value !== 'boolean') throw new CodecError('codec/json', `${what}: expected true or false`)
  return value
}

/** Returns the document that loadRollupConfig reads. Other clients reject unknown keys, so it adds none. */
export function rollupConfigToJson(config: RollupConfig): Record<string, unknown> {
  const { genesis, eip1559 } = config
  const system = genesis.systemConfig
  const operatorFee = concatBytes(
    new Uint8Array(20),
    bigintToBytes(BigInt(system.operatorFeeScalar), 4),
    bigintToBytes(system.operatorFeeConstant, 8),
  )
  const scheduled = (fork: LaterFork) => config.forks.activationTimeSec(fork) !== null
  return {
    genesis: {
      l1: { hash: genesis.l1.hash, number: genesis.l1.number },
      l2: { hash: genesis.l2.hash, number: genesis.l2.number },
      l2_time: genesis.l2TimestampSec,
      system_config: {
        batcherAddr: system.batcherAddress,
        overhead: bytesToHex(system.overhead),
        scalar: bytesToHex(system.scalar),
        gasLimit: Number(system.gasLimit),
        // op-node versions before each of these forks reject its keys
        ...(scheduled('holocene') ? { eip1559Params: bytesToHex(system.eip1559Params) } : {}),
        ...(scheduled('isthmus') ? { operatorFeeParams: bytesToHex(operatorFee) } : {}),
        ...(scheduled('jovian') ? { minBaseFee: Number(system.minBaseFeeWei), daFootprintGasScalar: system.daFootprintGasScalar } : {}),
      },
    },
    block_time: config.blockTimeSec,
    ...(config.maxSequencerDriftSec === 0 ? {} : { max_sequencer_drift: config.maxSequencerDriftSec }),
    seq_window_size: config.sequencingWindowL1Blocks,
    channel_timeout: config.channelTimeoutL1Blocks,
    l1_chain_id: Number(config.l1ChainId),
    l2_chain_id: Number(config.l2ChainId),
    ...rollupForkKeys(config),
    ...(config.pectraBlobScheduleTimeSec === null ? {} : { pectra_blob_schedule_time: config.pectraBlobScheduleTimeSec }),
    ...(config.keepKarstUpgradeGas ? { keep_karst_upgrade_gas: true } : {}),
    batch_inbox_address: config.batchInbox,
    deposit_contract_address: config.depositContract,
    l1_system_config_address: config.systemConfigContract,
    protocol_versions_address: config.protocolVersionsContract ?? ZERO_ADDRESS,
    chain_op_config: {
      eip1559Elasticity: eip1559.elasticity,
      eip1559Denominator: eip1559.denominator,
      eip1559DenominatorCanyon: eip1559.denominatorCanyon,
    },
  }
}
