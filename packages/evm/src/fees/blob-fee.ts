/** EIP-4844, EIP-7691, EIP-7840, EIP-7918 */
import { type BlobParameters, blobBaseFeeWei } from '@keelson/chainspec'
import type { Header } from '@keelson/primitives'

export const GAS_PER_BLOB = 131_072n
const BLOB_BASE_COST = 8192n

export function expectedExcessBlobGas(
  parent: Pick<Header, 'excessBlobGas' | 'blobGasUsed' | 'baseFeeWei'>,
  parameters: BlobParameters,
  reservePrice: boolean,
): bigint {
  const excess = parent.excessBlobGas ?? 0n
  const used = parent.blobGasUsed ?? 0n
  const target = BigInt(parameters.target) * GAS_PER_BLOB
  if (excess + used < target) return 0n
  if (reservePrice && BLOB_BASE_COST * (parent.baseFeeWei ?? 0n) > GAS_PER_BLOB * blobBaseFeeWei(excess, parameters)) {
    return excess + (used * BigInt(parameters.max - parameters.target)) / BigInt(parameters.max)
  }
  return excess + used - target
}
