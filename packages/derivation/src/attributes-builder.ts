/** protocol/derivation.md#deriving-payload-attributes */
import { blobBaseFeeWei, type L1ChainConfig, originBlobParameters, type RollupConfig } from '@keelson/chainspec'
import {
  type BlockId,
  CodecError,
  type DepositTransaction,
  type Hash,
  type Header,
  inclusionTime,
  type L1BlockRef,
  type L2BlockRef,
  l2Time,
  type OriginTimeSec,
  originTime,
  type PayloadAttributes,
  type Receipt,
  SEQUENCER_FEE_VAULT,
  type SystemConfig,
  TX_DEPOSIT,
  ZERO_HASH,
} from '@keelson/primitives'
import { depositsOf } from './codec/l1/deposit-log.ts'
import { l1InfoDeposit } from './codec/l1/l1-info.ts'
import { applySystemConfigLogs } from './codec/l1/system-config-log.ts'
import { systemConfigOf } from './codec/payload.ts'
import { DerivationError } from './errors.ts'
import { l1InfoFor } from './l1-info-for.ts'
import { type DerivationObserver, SILENT_OBSERVER } from './observer.ts'
import type { L1Reader, L2Reader } from './ports.ts'

export interface AttributesBuilder {
  /**
   * Returns attributes with `noTxPool: true`, which a sequencer may clear where `mayIncludeTransactions` allows it. Throws
   * DerivationError `derivation/l1-reorg`, `-l2-parent-mismatch`, `-l2-unavailable` or `-deposit-malformed`.
   */
  build(parent: L2BlockRef, epoch: BlockId): Promise<PayloadAttributes>
}

export interface AttributesBuilderDependencies {
  readonly l1: L1Reader
  readonly l2: L2Reader
  readonly observer?: DerivationObserver
}

interface Epoch {
  readonly header: Header
  readonly hash: Hash
  readonly sequenceNumber: number
  readonly deposits: readonly DepositTransaction[]
  readonly systemConfig: SystemConfig
}

export function createAttributesBuilder(
  config: RollupConfig,
  l1Chain: L1ChainConfig,
  deps: AttributesBuilderDependencies,
): AttributesBuilder {
  const { l1, l2, observer = SILENT_OBSERVER } = deps

  async function parentSystemConfig(parent: L2BlockRef): Promise<SystemConfig> {
    if (parent.number === config.genesis.l2.number) return config.genesis.systemConfig
    const envelope = await l2.payload(parent.hash)
    if (envelope === null) {
      throw new DerivationError(
        'derivation/l2-unavailable',
        'temporary',
        `the execution client does not return L2 block ${parent.number} (${parent.hash}), the parent of the next block`,
        { number: parent.number, hash: parent.hash },
      )
    }
    return systemConfigOf(envelope.payload, config)
  }

  async function sameEpoch(parent: L2BlockRef, epoch: BlockId): Promise<Epoch> {
    if (parent.l1Origin.hash !== epoch.hash) throw originMismatch(parent, epoch, parent.l1Origin.hash)
    const header = found(await l1.header(epoch.hash), epoch)
    const systemConfig = await parentSystemConfig(parent)
    return { header, hash: epoch.hash, sequenceNumber: parent.sequenceNumber + 1, deposits: [], systemConfig }
  }

  async function newEpoch(parent: L2BlockRef, epoch: BlockId): Promise<Epoch> {
    const header = found(await l1.header(epoch.hash), epoch)
    if (header.parentHash !== parent.l1Origin.hash) throw originMismatch(parent, epoch, header.parentHash)
    const receipts = found(await l1.receipts(epoch.hash), epoch)
    const rules = config.forks.inclusionRules(inclusionTime(refOf(header, epoch.hash)))
    const before = await parentSystemConfig(parent)
    const { config: systemConfig, skipped } = applySystemConfigLogs(before, receipts, config.systemConfigContract, rules)
    for (const { reason, message } of skipped) {
      observer.dropped({ stage: 'attributes-queue', reason, l1Origin: epoch, details: { message } })
    }
    return { header, hash: epoch.hash, sequenceNumber: 0, deposits: readDeposits(receipts, epoch, config), systemConfig }
  }

  return {
    async build(parent, epochId) {
      const epoch = await (epochId.number === parent.l1Origin.number ? sameEpoch : newEpoch)(parent, epochId)
      const time = l2Time(parent.timestampSec + config.blockTimeSec)
      if (time < epoch.header.timestampSec) {
        throw new DerivationError(
          'derivation/l2-parent-mismatch',
          'reset',
          `L2 block ${parent.number + 1} at time ${time} would precede its L1 origin ${epochId.number} at ${epoch.header.timestampSec}`,
          { parent: parent.hash, l1Origin: epochId.hash },
        )
      }
      return attributesOf(parent, time, epoch)
    },
  }

  function attributesOf(parent: L2BlockRef, time: ReturnType<typeof l2Time>, epoch: Epoch): PayloadAttributes {
    const rules = config.forks.blockRules(time)
    const transition = config.forks.transition(parent.timestampSec, time)
    const { header, systemConfig } = epoch
    const origin: OriginTimeSec = originTime(refOf(header, epoch.hash))
    const blobParameters = originBlobParameters(l1Chain, config, origin)
    const info = l1InfoFor(transition.l1InfoFormat, systemConfig, {
      header,
      hash: epoch.hash,
      sequenceNumber: epoch.sequenceNumber,
      blobBaseFeeWei: header.excessBlobGas === null ? 1n : blobBaseFeeWei(header.excessBlobGas, blobParameters),
    })
    return {
      timestampSec: time,
      prevRandao: header.mixHash,
      feeRecipient: SEQUENCER_FEE_VAULT,
      withdrawals: rules.withdrawals === 'absent' ? null : [],
      parentBeaconBlockRoot: rules.parentBeaconRoot ? (header.parentBeaconBlockRoot ?? ZERO_HASH) : null,
      transactions: [
        l1InfoDeposit(info, rules.depositGasMetered).raw,
        ...epoch.deposits.map((deposit) => deposit.raw),
        ...transition.upgradeTransactions,
      ],
      noTxPool: true,
      gasLimit: systemConfig.gasLimit + transition.upgradeGas,
      eip1559Params: rules.eip1559Source === 'header' ? eip1559ParamsAfter(parent, systemConfig) : null,
      minBaseFeeWei: rules.minBaseFee ? systemConfig.minBaseFeeWei : null,
    }
  }

  /**
   * The Holocene activation block uses zeros, which select the chain's constants, because no earlier header has the parameters.
   * holocene/derivation.md#attributes-builder
   */
  function eip1559ParamsAfter(parent: L2BlockRef, systemConfig: SystemConfig): Uint8Array {
    const stated = config.forks.blockRules(parent.timestampSec).eip1559Source === 'header'
    return stated ? systemConfig.eip1559Params : new Uint8Array(8)
  }
}

function refOf(header: Header, hash: Hash): L1BlockRef {
  return { hash, number: header.number, parentHash: header.parentHash, timestampSec: header.timestampSec }
}

function found<T>(value: T | null, block: BlockId): T {
  if (value !== null) return value
  throw new DerivationError('derivation/l1-reorg', 'reset', `L1 no longer knows block ${block.number} (${block.hash}); rewinding`, {
    number: block.number,
    hash: block.hash,
  })
}

function originMismatch(parent: L2BlockRef, epoch: BlockId, got: Hash): DerivationError {
  return new DerivationError(
    'derivation/l2-parent-mismatch',
    'reset',
    `L1 origin ${epoch.number} (${epoch.hash}) does not follow the origin of L2 block ${parent.number}: expected ${parent.l1Origin.hash}, got ${got}`,
    { parent: parent.hash, l1Origin: epoch.hash },
  )
}

function readDeposits(receipts: readonly Receipt[], epoch: BlockId, config: RollupConfig): DepositTransaction[] {
  try {
    return depositsOf(receipts, epoch.hash, config.depositContract)
  } catch (cause) {
    if (!(cause instanceof CodecError)) throw cause
    throw new DerivationError(
      'derivation/deposit-malformed',
      'critical',
      `a deposit in L1 block ${epoch.number} (${epoch.hash}) cannot be read: ${cause.message}`,
      { number: epoch.number, hash: epoch.hash },
      { cause },
    )
  }
}

/** In seconds; the same for all chains from Fjord on. */
export function maxSequencerDriftSec(config: RollupConfig, origin: L1BlockRef): number {
  return config.forks.originRules(originTime(origin)).maxSequencerDriftSec ?? config.maxSequencerDriftSec
}

/** False past the sequencer drift and in activation blocks with upgrade transactions. */
export function mayIncludeTransactions(config: RollupConfig, parent: L2BlockRef, origin: L1BlockRef): boolean {
  const time = l2Time(parent.timestampSec + config.blockTimeSec)
  if (time > origin.timestampSec + maxSequencerDriftSec(config, origin)) return false
  const transition = config.forks.transition(parent.timestampSec, time)
  return transition.userTransactionsAllowed && transition.upgradeTransactions.length === 0
}

/** Replaces a payload that the engine rejects. holocene/derivation.md#engine-queue */
export function depositsOnly(attributes: PayloadAttributes): PayloadAttributes {
  return { ...attributes, transactions: attributes.transactions.filter((tx) => tx[0] === TX_DEPOSIT) }
}
