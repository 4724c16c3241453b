import type { FeePolicy } from '@keelson/client'
import { type OptionValues, option, optionalOption, optionParsers as parse } from '@keelson/runtime'
import { maxTipOption, tipCapOf } from '../bridge/fee-options.ts'

const ETHER = 10n ** 18n
const GWEI = 10n ** 9n

export const transactionManagerOptions = {
  confirmations: option({
    key: 'l1.confirmations',
    parse: parse.integer(1, 1000),
    default: 1,
    description: 'L1 blocks until a transaction counts, the including one counted.',
  }),
  txPollIntervalMs: option({
    key: 'l1.txPollIntervalMs',
    parse: parse.integer(50, 60_000),
    default: 500,
    description: 'Milliseconds between two looks at pending transactions.',
  }),
  resubmitAfterMs: option({
    key: 'l1.resubmitAfterMs',
    parse: parse.integer(1000),
    default: 24_000,
    description: 'Milliseconds until a waiting transaction is priced higher.',
  }),
  maxCostWei: option({
    key: 'l1.maxCostWei',
    parse: parse.bigInteger,
    default: ETHER,
    description: 'Wei one transaction may cost at worst.',
  }),
  maxSpendPerHourWei: optionalOption({
    key: 'txmgr.maxSpendPerHour',
    parse: parse.gwei,
    description:
      'Gwei that L1 transactions may cost within any hour. A transaction that is pending or was abandoned counts with the most that it can cost. Default: no limit.',
  }),
  feeLimitMultiplier: option({
    key: 'feeLimitMultiplier',
    parse: parse.integer(0, 1000),
    default: 5,
    description: "Stop raising a pending transaction's fee at this multiple of L1's current price; 0 for no limit.",
  }),
  feeLimitThresholdWei: option({
    key: 'txmgr.feeLimitThreshold',
    parse: parse.gwei,
    default: 100n * GWEI,
    description: 'Gwei a unit of gas up to which prices are raised regardless of the multiplier.',
  }),
  minTipWei: option({ key: 'txmgr.minTipCap', parse: parse.gwei, default: 0n, description: 'Gwei of tip offered at least.' }),
  maxTipWei: maxTipOption,
  minBaseFeeWei: option({
    key: 'txmgr.minBaseFee',
    flag: 'txmgr.min-basefee',
    env: 'KEELSON_TXMGR_MIN_BASEFEE',
    parse: parse.gwei,
    default: 0n,
    description: 'Gwei the base fee of L1 is taken for at least.',
  }),
  maxBaseFeeWei: optionalOption({
    key: 'txmgr.maxBaseFee',
    flag: 'txmgr.max-basefee',
    env: 'KEELSON_TXMGR_MAX_BASEFEE',
    parse: parse.gwei,
    description: 'Gwei of base fee of L1 above which nothing is sent. Default: no limit.',
  }),
  minBlobFeeCapWei: option({
    key: 'txmgr.minBlobFeeCap',
    parse: parse.gwei,
    default: GWEI,
    description: 'Gwei a unit of blob gas offered at least; what is paid is still what L1 asks for.',
  }),
  maxBlobBaseFeeWei: optionalOption({
    key: 'txmgr.maxBlobBaseFee',
    flag: 'txmgr.max-blob-basefee',
    env: 'KEELSON_TXMGR_MAX_BLOB_BASEFEE',
    parse: parse.gwei,
    description: 'Gwei of blob base fee of L1 above which no blobs are sent. Default: no limit.',
  }),
  lowBalanceWei: option({
    key: 'txmgr.lowBalance',
    parse: parse.gwei,
    default: ETHER / 10n,
    description: 'Gwei on the L1 account below which it is said that it should be funded.',
  }),
} as const

export type TransactionManagerValues = OptionValues<typeof transactionManagerOptions>

export function feePolicyOf(values: TransactionManagerValues): FeePolicy {
  const { minTipWei, maxTipWei, minBaseFeeWei, maxBaseFeeWei, minBlobFeeCapWei, maxBlobBaseFeeWei } = values
  return {
    minTipWei,
    tipCap: tipCapOf(maxTipWei, '--txmgr.max-tip-cap'),
    minBaseFeeWei,
    maxBaseFeeWei,
    minBlobFeeCapWei,
    maxBlobBaseFeeWei,
    limitMultiplier: BigInt(values.feeLimitMultiplier),
    limitThresholdWei: values.feeLimitThresholdWei,
  }
}
