import type { BlockTransition, RollupConfig } from '@keelson/chainspec'
import { decodeTransaction, type ExecutionPayload, type L2BlockRef, l2Time, NodeError, type SystemConfig } from '@keelson/primitives'
import { DerivationError } from '../errors.ts'
import { decodeExtraData } from './extra-data.ts'
import { encodeFeeScalars } from './l1/fee-scalars.ts'
import { hasPackedFeeScalars, type L1Info, l1InfoOf } from './l1/l1-info.ts'

/** Throws DerivationError `derivation/l2-block-malformed` (critical). */
export function l2BlockRefOf(payload: ExecutionPayload, genesis: RollupConfig['genesis']): L2BlockRef {
  const { blockHash: hash, blockNumber: number, parentHash, timestampSec } = payload
  const common = { hash, number, parentHash, timestampSec: l2Time(timestampSec) }
  if (isGenesis(payload, genesis)) return { ...common, l1Origin: genesis.l1, sequenceNumber: 0 }
  const info = payloadL1Info(payload)
  return { ...common, l1Origin: { hash: info.hash, number: info.number }, sequenceNumber: info.sequenceNumber }
}

/** Throws DerivationError `derivation/config` for another chain's genesis. */
function isGenesis(payload: ExecutionPayload, genesis: RollupConfig['genesis']): boolean {
  if (payload.blockNumber !== genesis.l2.number) return false
  if (payload.blockHash !== genesis.l2.hash) {
    throw new DerivationError(
      'derivation/config',
      'critical',
      `L2 genesis block ${genesis.l2.number}: the rollup configuration expects ${genesis.l2.hash}, the execution client has ${payload.blockHash}; one of them belongs to another chain`,
      { expected: genesis.l2.hash, got: payload.blockHash },
    )
  }
  return true
}

const l1Infos = new WeakMap<ExecutionPayload, L1Info>()

/** Throws DerivationError `derivation/l2-block-malformed`. */
export function payloadL1Info(payload: ExecutionPayload): L1Info {
  const known = l1Infos.get(payload)
  if (known !== undefined) return known
  const [first] = payload.transactions
  const info = orMalformed(payload, () => l1InfoOf(first === undefined ? undefined : decodeTransaction(first)))
  l1Infos.set(payload, info)
  return info
}

function orMalformed<T>(payload: ExecutionPayload, read: () => T): T {
  try {
    return read()
  } catch (cause) {
    if (!(cause instanceof NodeError)) throw cause
    throw new DerivationError(
      'derivation/l2-block-malformed',
      'critical',
      `L2 block ${payload.blockNumber} (${payload.blockHash}): ${cause.message}`,
      { number: payload.blockNumber, hash: payload.blockHash },
      { cause },
    )
  }
}

/** op-node: derive/payload_util.go, PayloadToSystemConfig */
function steadyGasLimit({ blockNumber: number, blockHash: hash, gasLimit }: ExecutionPayload, transition: BlockTransition): bigint {
  const added = transition.upgradeGas - transition.keptUpgradeGas
  if (gasLimit >= added) return gasLimit - added
  throw new DerivationError(
    'derivation/l2-block-malformed',
    'critical',
    `L2 block ${number} (${hash}): its gas limit ${gasLimit} is below the ${added} gas that upgrade transactions add to it`,
    { number, hash },
  )
}

/** The gas limit excludes the gas of upgrade transactions, except on chains that kept it. Throws like `l2BlockRefOf`. */
export function systemConfigOf(payload: ExecutionPayload, config: RollupConfig): SystemConfig {
  if (isGenesis(payload, config.genesis)) return config.genesis.systemConfig
  const info = payloadL1Info(payload)
  const time = l2Time(payload.timestampSec)
  const rules = config.forks.blockRules(time)
  const transition = config.forks.transition(l2Time(payload.timestampSec - config.blockTimeSec), time)
  const fees = rules.extraDataVersion === null ? null : orMalformed(payload, () => decodeExtraData(payload.extraData))
  return {
    batcherAddress: info.batcherAddress,
    overhead: info.overhead,
    scalar: hasPackedFeeScalars(info.format) ? encodeFeeScalars(info) : info.scalar,
    gasLimit: steadyGasLimit(payload, transition),
    eip1559Params: fees?.eip1559Params ?? new Uint8Array(8),
    operatorFeeScalar: info.operatorFeeScalar,
    operatorFeeConstant: info.operatorFeeConstant,
    minBaseFeeWei: fees?.minBaseFeeWei ?? 0n,
    daFootprintGasScalar: info.daFootprintGasScalar,
  }
}
