import type { ThrottleController, ThrottleOptions } from './throttle-options.ts'

export interface ThrottleState extends SizeLimits {
  readonly backlogBytes: number
  /** Throttling strength, from 0 to 1. */
  readonly intensity: number
}

/** Null: no limit. */
export interface SizeLimits {
  readonly transactionBytes: number | null
  readonly blockBytes: number | null
}

export function throttleIntensity(controller: ThrottleController, backlogBytes: number, options: ThrottleOptions): number {
  const { throttleLowerThresholdBytes: lower, throttleUpperThresholdBytes: upper } = options
  if (lower === 0 || backlogBytes <= lower) return 0
  if (controller === 'step' || backlogBytes >= upper) return 1
  const share = (backlogBytes - lower) / (upper - lower)
  return controller === 'linear' ? share : share * share
}

export function limitsAt(intensity: number, options: ThrottleOptions): SizeLimits {
  const blockUpper = options.throttleBlockUpperBytes === 0 ? null : options.throttleBlockUpperBytes
  if (intensity === 0) return { transactionBytes: null, blockBytes: blockUpper }
  return {
    transactionBytes: between(options.throttleTransactionUpperBytes, options.throttleTransactionLowerBytes, intensity),
    blockBytes: between(options.throttleBlockUpperBytes, options.throttleBlockLowerBytes, intensity) ?? blockUpper,
  }
}

function between(upper: number, lower: number, intensity: number): number | null {
  if (lower === 0) return null
  return upper <= lower ? lower : Math.round(upper - intensity * (upper - lower))
}
