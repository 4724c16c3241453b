/** protocol/system-config.md#post-ecotone-scalar-encoding */
import { type Bytes32, bigintToBytes, bytesToBigint, concatBytes } from '@keelson/primitives'

export interface FeeScalars {
  readonly baseFeeScalar: number
  readonly blobBaseFeeScalar: number
}

const MAX_UINT32 = 0xffff_ffff

function isZero(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0)
}

const uint32At = (scalar: Bytes32, at: number): number => Number(bytesToBigint(scalar.subarray(at, at + 4)))

export function encodeFeeScalars(scalars: FeeScalars): Bytes32 {
  return concatBytes(
    Uint8Array.of(1),
    new Uint8Array(23),
    bigintToBytes(BigInt(scalars.blobBaseFeeScalar), 4),
    bigintToBytes(BigInt(scalars.baseFeeScalar), 4),
  )
}

/** From Ecotone, updates with other scalars are ignored. */
export function isAcceptableFeeScalar(scalar: Bytes32): boolean {
  if (scalar[0] === 0) return isZero(scalar.subarray(1, 28))
  return scalar[0] === 1 && isZero(scalar.subarray(1, 24))
}

/** A version 0 scalar above 32 bits becomes the maximum. Null for an unknown version. */
export function decodeFeeScalars(scalar: Bytes32): FeeScalars | null {
  if (scalar[0] === 0) {
    return { baseFeeScalar: isZero(scalar.subarray(1, 28)) ? uint32At(scalar, 28) : MAX_UINT32, blobBaseFeeScalar: 0 }
  }
  if (!isAcceptableFeeScalar(scalar)) return null
  return { baseFeeScalar: uint32At(scalar, 28), blobBaseFeeScalar: uint32At(scalar, 24) }
}
