import { type OptionValues, option, optionParsers as parse } from '@keelson/runtime'

export type ThrottleController = 'step' | 'linear' | 'quadratic'
export const THROTTLE_CONTROLLERS: readonly ThrottleController[] = ['step', 'linear', 'quadratic']

const bytes = (max: number) => parse.integer(0, max)

export const throttleOptions = {
  throttleController: option<ThrottleController>({
    key: 'throttle.controllerType',
    parse: parse.oneOf('step', 'linear', 'quadratic'),
    default: 'quadratic',
    description: 'How limits tighten between the thresholds; step applies the tightest from the lower one on.',
  }),
  throttleLowerThresholdBytes: option({
    key: 'throttle.unsafeDaBytesLowerThreshold',
    parse: bytes(Number.MAX_SAFE_INTEGER),
    default: 3_200_000,
    description: 'Backlog in bytes above which the sequencer builds smaller blocks; 0 disables throttling.',
  }),
  throttleUpperThresholdBytes: option({
    key: 'throttle.unsafeDaBytesUpperThreshold',
    parse: bytes(Number.MAX_SAFE_INTEGER),
    default: 12_800_000,
    description: 'Backlog in bytes at which blocks have their smallest size.',
  }),
  throttleTransactionLowerBytes: option({
    key: 'throttle.txSizeLowerLimit',
    parse: bytes(10_000_000),
    default: 150,
    description: 'Largest transaction at the upper threshold, in estimated compressed bytes; 0 for no limit.',
  }),
  throttleTransactionUpperBytes: option({
    key: 'throttle.txSizeUpperLimit',
    parse: bytes(10_000_000),
    default: 20_000,
    description: 'Largest transaction just above the lower threshold; below it there is no limit.',
  }),
  throttleBlockLowerBytes: option({
    key: 'throttle.blockSizeLowerLimit',
    parse: bytes(100_000_000),
    default: 2_000,
    description: 'Largest block at the upper threshold, in the same unit; 0 for no limit.',
  }),
  throttleBlockUpperBytes: option({
    key: 'throttle.blockSizeUpperLimit',
    parse: bytes(100_000_000),
    default: 130_000,
    description: 'Largest block below the lower threshold; 0 for no limit.',
  }),
} as const

export type ThrottleOptions = OptionValues<typeof throttleOptions>
