import { devnetClockOptions } from '@keelson/devnet'
import { type OptionValues, option, optionalOption, optionParsers as parse } from '@keelson/runtime'
import { roleOptions } from '../../../role/role.ts'
import { maxTipOption } from '../../bridge/fee-options.ts'
import { amountText } from '../../bridge/transfer-options.ts'
import { stakingOption } from '../stake/staking-options.ts'
import { validatorSignerOptions } from '../validator-signers.ts'
import { secondOpinionOptions } from './second-opinion.ts'

export const validatorRunOptions = {
  ...validatorSignerOptions,
  l2Rpc: optionalOption({
    key: 'l2.rpc',
    parse: parse.httpUrl,
    description: "RPC of the validator's own execution client. Default: the validator's of the network in --devnet.",
  }),
  rollupRpc: optionalOption({
    key: 'rollup.rpc',
    parse: parse.httpUrl,
    description:
      "RPC of the validator's own consensus client: it says what is final, and gossips. Default: the validator's of the network in --devnet.",
  }),
  ...secondOpinionOptions,
  staking: stakingOption,
  privateKey: option({
    key: 'privateKey',
    parse: parse.privateKey,
    secret: true,
    description: 'Key of the L2 account that pays for attestations; better given by environment than by flag. No other program may use it.',
  }),
  pollIntervalMs: option({
    key: 'pollIntervalMs',
    parse: parse.integer(100, 60_000),
    default: 1_000,
    description: 'Milliseconds between two looks at the chain.',
  }),
  doppelgangerEpochs: option({
    key: 'doppelganger.epochs',
    parse: parse.integer(0, 100),
    default: 1,
    description: 'Whole epochs to listen for another machine with the same keys before the first attestation; 0 for none, at your peril.',
  }),
  slashingsKnownUntil: option({
    key: 'slashingsKnownUntil',
    parse: parse.integer(0),
    default: 0,
    description: 'Slashings of its keys in blocks up to this one are dealt with, and stop nothing.',
  }),
  maxHeadAgeSec: option({
    key: 'maxHeadAgeSec',
    parse: parse.integer(6),
    default: 60,
    description: 'Seconds after which the newest block is too old to attest on: the node is behind.',
  }),
  maxSpendPerHourWei: option({
    key: 'txmgr.maxSpendPerHour',
    parse: parse.gwei,
    default: 10n ** 18n,
    description:
      'Gwei that transactions may cost within any hour. A transaction that is pending or was abandoned counts with the most that it can cost.',
  }),
  maxFeeWei: option({
    key: 'txmgr.maxCost',
    parse: parse.gwei,
    default: 10n ** 17n,
    description: 'Gwei that the fee of one transaction may be at worst.',
  }),
  maxTipWei: maxTipOption,
  resubmitAfterMs: option({
    key: 'l2.resubmitAfterMs',
    parse: parse.integer(1_000),
    default: 8_000,
    description: 'Milliseconds until a waiting transaction is priced higher.',
  }),
  lowBalanceWei: option({
    key: 'txmgr.lowBalance',
    parse: parse.gwei,
    default: 10n ** 17n,
    description: 'Gwei on the account that pays below which it is said that it should be funded.',
  }),
  watch: option({
    key: 'watch.enabled',
    parse: parse.toggle,
    default: true,
    description: 'Report offences that the consensus client saw; the fee is paid by the same account.',
  }),
  l2BlockTimeSec: option({
    key: 'l2.blockTime',
    parse: parse.integer(1, 60),
    default: 2,
    description: 'Seconds between L2 blocks, by which an implausible head is recognized.',
  }),
  stakeAtStart: optionalOption({
    key: 'stakeAtStart',
    parse: amountText,
    description:
      'Register keys that are not registered, with so many coins at stake, owned by the account that pays; for development networks.',
  }),
  metricsPort: option({ key: 'metrics.port', parse: parse.port, default: 7306, description: 'Prometheus metrics and health.' }),
  ...roleOptions,
  ...devnetClockOptions,
} as const

export type ValidatorRunValues = OptionValues<typeof validatorRunOptions>
