/**
 * Fee parameters of a transaction as receipts show them over RPC: `l1GasPrice`, `l1GasUsed`, `l1Fee`, ...
 * specs: protocol/exec-engine.md#fees, isthmus/exec-engine.md, jovian/exec-engine.md
 */
export interface L1FeeDetails {
  readonly l1FeeWei: bigint
  readonly l1GasPriceWei: bigint
  readonly l1GasUsed: bigint
  /** Before Ecotone: the scalar in millionths; null after. */
  readonly l1FeeScalar: bigint | null
  /** From Ecotone; null before. */
  readonly l1BaseFeeScalar: number | null
  readonly l1BlobBaseFeeWei: bigint | null
  readonly l1BlobBaseFeeScalar: number | null
  /** From Isthmus, when the scalar or the constant is not zero. */
  readonly operatorFeeScalar: number | null
  readonly operatorFeeConstant: bigint | null
  /** From Jovian. */
  readonly daFootprintGasScalar: number | null
  /** From Jovian: this transaction's DA footprint, which its receipt shows as blobGasUsed. */
  readonly daFootprint: bigint | null
}
