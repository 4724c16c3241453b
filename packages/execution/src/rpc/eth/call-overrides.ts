import type { StateOverride } from '@keelson/evm'
import {
  type Address,
  type Hash,
  hexToBytes,
  isGiven,
  padLeft,
  parseAddress,
  parseData,
  parseHash,
  parseJsonArray,
  parseJsonObject,
  parseOptional,
  parseQuantity,
  parseQuantity64,
  parseQuantityNumber,
  parseWithdrawalJson,
  type Withdrawal,
} from '@keelson/primitives'
import { invalidParams } from '@keelson/runtime'

export interface BlockOverrides {
  readonly number: number | null
  readonly timestampSec: number | null
  readonly gasLimit: bigint | null
  readonly feeRecipient: Address | null
  readonly prevRandao: Uint8Array | null
  readonly difficulty: bigint | null
  readonly baseFeeWei: bigint | null
  readonly blobBaseFeeWei: bigint | null
  readonly parentBeaconBlockRoot: Hash | null
  /** Accepted only by eth_simulateV1, like `parentBeaconBlockRoot`. */
  readonly withdrawals: readonly Withdrawal[] | null
}

/** Throws CodecError or invalid params. */
export function parseStateOverrides(value: unknown): StateOverride[] {
  return Object.entries(parseJsonObject(value, 'state overrides')).map(([key, entry]) => {
    const o = parseOptional(entry, key, parseJsonObject) ?? {}
    if (isGiven(o.state) && isGiven(o.stateDiff)) throw invalidParams(`account ${key} has both 'state' and 'stateDiff'`)
    const some = <T>(name: string, parsed: T | null) => (parsed === null ? {} : { [name]: parsed })
    return {
      address: hexToBytes(parseAddress(key, 'state override address')),
      ...some('balanceWei', parseOptional(o.balance, `${key}.balance`, parseQuantity)),
      ...some('nonce', parseOptional(o.nonce, `${key}.nonce`, parseQuantity64)),
      ...some('code', parseOptional(o.code, `${key}.code`, parseData)),
      ...some('storage', parseOptional(o.state, `${key}.state`, parseSlots)),
      ...some('storageDiff', parseOptional(o.stateDiff, `${key}.stateDiff`, parseSlots)),
      ...some('movePrecompileTo', parseOptional(o.movePrecompileToAddress, `${key}.movePrecompileToAddress`, bytes20)),
    }
  })
}

export function parseBlockOverrides(value: unknown): BlockOverrides {
  const o = parseJsonObject(value, 'block overrides')
  return {
    number: parseOptional(o.number, 'number', parseQuantityNumber),
    timestampSec: parseOptional(o.time, 'time', parseQuantityNumber),
    gasLimit: parseOptional(o.gasLimit, 'gasLimit', parseQuantity64),
    feeRecipient: parseOptional(o.feeRecipient ?? o.coinbase, 'feeRecipient', parseAddress),
    prevRandao: parseOptional(o.prevRandao ?? o.random, 'prevRandao', (given, what) => hexToBytes(parseHash(given, what))),
    difficulty: parseOptional(o.difficulty, 'difficulty', parseQuantity),
    baseFeeWei: parseOptional(o.baseFeePerGas ?? o.baseFee, 'baseFeePerGas', parseQuantity),
    blobBaseFeeWei: parseOptional(o.blobBaseFee, 'blobBaseFee', parseQuantity),
    parentBeaconBlockRoot: parseOptional(o.beaconRoot, 'beaconRoot', parseHash),
    withdrawals: parseOptional(o.withdrawals, 'withdrawals', (list, what) => parseJsonArray(list, what, parseWithdrawalJson)),
  }
}

function parseSlots(value: unknown, what: string): (readonly [Uint8Array, Uint8Array])[] {
  return Object.entries(parseJsonObject(value, what)).map(([slot, content]) => [word(slot, what), word(content, `${what}.${slot}`)])
}

function word(value: unknown, what: string): Uint8Array {
  return padLeft(parseData(value, what), 32)
}

function bytes20(value: unknown, what: string): Uint8Array {
  return hexToBytes(parseAddress(value, what))
}
