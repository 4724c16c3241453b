/** protocol/system-config.md#system-config-updates and the page of each fork */
import {
  type Address,
  bytesToBigint,
  bytesToHex,
  CodecError,
  type Hash,
  keccak256Hash,
  type Log,
  NodeError,
  type Receipt,
  type SystemConfig,
  toAddress,
  utf8ToBytes,
  ZERO_HASH,
} from '@keelson/primitives'
import { isAcceptableFeeScalar } from './fee-scalars.ts'

export const CONFIG_UPDATE_TOPIC: Hash = keccak256Hash(utf8ToBytes('ConfigUpdate(uint256,uint8,bytes)'))

export interface SystemConfigRules {
  /** From Ecotone the overhead is zero and an unacceptable scalar is ignored. */
  readonly versionedFeeScalars: boolean
}

export interface SystemConfigUpdate {
  readonly config: SystemConfig
  readonly skipped: readonly SkippedUpdate[]
}

export interface SkippedUpdate {
  readonly reason: 'system-config-malformed' | 'system-config-unknown'
  readonly message: string
}

/** Skips malformed updates, and updates of an unknown version or type. */
export function applySystemConfigLogs(
  config: SystemConfig,
  receipts: readonly Receipt[],
  contract: Address,
  rules: SystemConfigRules,
): SystemConfigUpdate {
  let current = config
  const skipped: SkippedUpdate[] = []
  for (const receipt of receipts) {
    if (!('status' in receipt.outcome) || receipt.outcome.status !== 1) continue
    for (const log of receipt.logs) {
      if (log.address !== contract || log.topics[0] !== CONFIG_UPDATE_TOPIC) continue
      try {
        current = applySystemConfigLog(current, log, rules)
      } catch (error) {
        if (!(error instanceof NodeError)) throw error
        skipped.push({
          reason: error.code === UNKNOWN_UPDATE ? 'system-config-unknown' : 'system-config-malformed',
          message: error.message,
        })
      }
    }
  }
  return { config: current, skipped }
}

const UNKNOWN_UPDATE = 'codec/system-config-unknown'

/** Throws CodecError `codec/system-config`, or `codec/system-config-unknown` for an update of an unknown version or type. */
export function applySystemConfigLog(config: SystemConfig, log: Log, rules: SystemConfigRules): SystemConfig {
  const [event, version, kind] = log.topics
  if (log.topics.length !== 3 || event !== CONFIG_UPDATE_TOPIC || kind === undefined) {
    throw new CodecError('codec/system-config', `expected ConfigUpdate with 3 topics, got ${log.topics.length}`)
  }
  if (version !== ZERO_HASH) throw new CodecError(UNKNOWN_UPDATE, `ConfigUpdate version ${version} is not known`)
  const apply = UPDATES[Number(BigInt(kind))]
  if (apply === undefined) throw new CodecError(UNKNOWN_UPDATE, `ConfigUpdate of type ${BigInt(kind)} is not known`)
  return apply(config, log.data, rules)
}

type Update = (config: SystemConfig, data: Uint8Array, rules: SystemConfigRules) => SystemConfig

const UPDATES: readonly Update[] = [
  (config, data) => ({ ...config, batcherAddress: addressWord(words(data, 1), 'batcher') }),
  (config, data, rules) => {
    const payload = words(data, 2)
    const scalar = payload.subarray(32)
    if (!rules.versionedFeeScalars) return { ...config, overhead: payload.subarray(0, 32), scalar }
    if (!isAcceptableFeeScalar(scalar)) {
      throw new CodecError('codec/system-config', `fee scalar ${bytesToHex(scalar)} is of no known version or has padding that is not zero`)
    }
    return { ...config, overhead: new Uint8Array(32), scalar }
  },
  (config, data) => ({ ...config, gasLimit: uintWord(words(data, 1), 8, 'gas limit') }),
  // The unsafe block signer matters only for gossip.
  (config) => config,
  (config, data) => ({ ...config, eip1559Params: words(data, 1).subarray(24) }),
  (config, data) => {
    const word = words(data, 1)
    return {
      ...config,
      operatorFeeScalar: Number(bytesToBigint(word.subarray(20, 24))),
      operatorFeeConstant: bytesToBigint(word.subarray(24)),
    }
  },
  (config, data) => ({ ...config, minBaseFeeWei: uintWord(words(data, 1), 8, 'minimum base fee') }),
  (config, data) => ({ ...config, daFootprintGasScalar: Number(uintWord(words(data, 1), 2, 'DA footprint gas scalar')) }),
]

function words(data: Uint8Array, count: number): Uint8Array {
  if (data.length !== 64 + 32 * count) {
    throw new CodecError('codec/system-config', `ConfigUpdate data: expected ${64 + 32 * count} bytes, got ${data.length}`)
  }
  const offset = bytesToBigint(data.subarray(0, 32))
  const length = bytesToBigint(data.subarray(32, 64))
  if (offset !== 32n || length !== BigInt(32 * count)) {
    throw new CodecError('codec/system-config', `ConfigUpdate data: offset ${offset} and length ${length}, expected 32 and ${32 * count}`)
  }
  return data.subarray(64)
}

function uintWord(word: Uint8Array, length: number, what: string): bigint {
  if (word.subarray(0, 32 - length).some((byte) => byte !== 0)) {
    throw new CodecError('codec/system-config', `${what} ${bytesToHex(word)} does not fit ${length} bytes`)
  }
  return bytesToBigint(word)
}

function addressWord(word: Uint8Array, what: string): Address {
  uintWord(word, 20, what)
  return toAddress(word.subarray(12))
}
