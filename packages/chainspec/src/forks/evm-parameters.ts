import { ETH_FORKS, type EthFork } from '../rules.ts'

export interface StorageGas {
  /** EIP-1283, EIP-2200. */
  readonly net: boolean
  /** EIP-2200: SSTORE fails with this much gas or less. */
  readonly sentry: number
  readonly noop: number
  readonly set: number
  readonly reset: number
  readonly clearRefund: number
}

export interface EvmParameters {
  /** EIP-2929. */
  readonly coldAccess: { readonly account: number; readonly slot: number; readonly warm: number } | null
  readonly storage: StorageGas
  /** EIP-160. */
  readonly expByteGas: number
  /** EIP-150. */
  readonly keepsOne64th: boolean
  readonly selfDestructNewAccountGas: number
  /** EIP-3529 abolished it. */
  readonly selfDestructRefund: number
  /** EIP-170. */
  readonly maxCodeBytes: number | null
  /** EIP-3541. */
  readonly rejectsEfCode: boolean
  /** EIP-2. */
  readonly creationMustPay: boolean
  /** EIP-161. */
  readonly contractNonce: number
  /** EIP-7702. */
  readonly delegations: boolean
}

const FRONTIER: EvmParameters = {
  coldAccess: null,
  storage: { net: false, sentry: 0, noop: 0, set: 20_000, reset: 5_000, clearRefund: 15_000 },
  expByteGas: 10,
  keepsOne64th: false,
  selfDestructNewAccountGas: 0,
  selfDestructRefund: 24_000,
  maxCodeBytes: null,
  rejectsEfCode: false,
  creationMustPay: false,
  contractNonce: 0,
  delegations: false,
}

const CHANGES: Readonly<Partial<Record<EthFork, Partial<EvmParameters>>>> = {
  homestead: { creationMustPay: true },
  tangerine: { keepsOne64th: true, selfDestructNewAccountGas: 25_000 },
  spurious: { expByteGas: 50, maxCodeBytes: 24_576, contractNonce: 1 },
  constantinople: { storage: { net: true, sentry: 0, noop: 200, set: 20_000, reset: 5_000, clearRefund: 15_000 } },
  petersburg: { storage: FRONTIER.storage },
  istanbul: { storage: { net: true, sentry: 2_300, noop: 800, set: 20_000, reset: 5_000, clearRefund: 15_000 } },
  berlin: {
    coldAccess: { account: 2_600, slot: 2_100, warm: 100 },
    storage: { net: true, sentry: 2_300, noop: 100, set: 20_000, reset: 2_900, clearRefund: 15_000 },
  },
  london: {
    storage: { net: true, sentry: 2_300, noop: 100, set: 20_000, reset: 2_900, clearRefund: 4_800 },
    selfDestructRefund: 0,
    rejectsEfCode: true,
  },
  prague: { delegations: true },
  // EIP-7954.
  amsterdam: { maxCodeBytes: 65_536 },
}

const FOLDED = fold()

function fold(): ReadonlyMap<EthFork, EvmParameters> {
  const folded = new Map<EthFork, EvmParameters>()
  let current = FRONTIER
  for (const fork of ETH_FORKS) {
    current = Object.freeze({ ...current, ...CHANGES[fork] })
    folded.set(fork, current)
  }
  return folded
}

export function evmParameters(fork: EthFork): EvmParameters {
  return FOLDED.get(fork) as EvmParameters
}
