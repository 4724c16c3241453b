import type { ReceiptJson, TransactionJson } from '../../data/transaction-details.ts'
import { formatCount, formatGasPrice } from '../../format/amounts.ts'
import { NativeAmount } from '../../parts/amounts/native-amount.tsx'
import { Card } from '../../parts/card.tsx'
import { Fact, Facts } from '../../parts/facts.tsx'

/** What the sender paid, and how each part was computed. */
export function FeeFacts({ transaction, receipt }: { readonly transaction: TransactionJson; readonly receipt: ReceiptJson }) {
  const price = BigInt(receipt.effectiveGasPrice)
  const execution = price * BigInt(receipt.gasUsed)
  const l1Fee = BigInt(receipt.l1Fee ?? 0)
  const { maxFeePerGas, maxPriorityFeePerGas, gasPrice } = transaction
  const offered = maxFeePerGas ?? gasPrice
  const { operatorFeeScalar, operatorFeeConstant } = receipt
  const hasOperatorFee = Number(operatorFeeScalar ?? 0) + Number(operatorFeeConstant ?? 0) > 0
  return (
    <Card title="Fees">
      <Facts>
        <Fact name="Paid in all">
          <strong>
            <NativeAmount wei={execution + l1Fee} places={12} />
          </strong>
          {hasOperatorFee && ' and the operator fee'}
        </Fact>
        <Fact name="For execution">
          <NativeAmount wei={execution} places={12} /> = {formatCount(Number(receipt.gasUsed))} gas at {formatGasPrice(price)}
          {offered !== undefined && `; at most ${formatGasPrice(BigInt(offered))} was offered`}
          {maxPriorityFeePerGas !== undefined && `, with a tip of ${formatGasPrice(BigInt(maxPriorityFeePerGas))}`}
        </Fact>
        <Fact name="For data on L1" hint="The share of what the batcher pays to L1 for this transaction.">
          <NativeAmount wei={l1Fee} places={12} /> <L1Parts receipt={receipt} />
        </Fact>
        {operatorFeeScalar !== undefined && operatorFeeConstant !== undefined && (
          <Fact name="Operator fee">
            {hasOperatorFee
              ? `scalar ${Number(operatorFeeScalar)} per gas, constant ${formatCount(Number(operatorFeeConstant))} wei`
              : 'none'}
          </Fact>
        )}
        {receipt.daFootprintGasScalar !== undefined && (
          <Fact name="Data footprint" hint="Gas per byte of data that counts against the block's gas limit, without a fee of its own.">
            {formatCount(Number(receipt.daFootprintGasScalar))} gas for each byte of compressed data
          </Fact>
        )}
      </Facts>
    </Card>
  )
}

function L1Parts({ receipt }: { readonly receipt: ReceiptJson }) {
  const { l1GasUsed, l1GasPrice, l1BaseFeeScalar, l1BlobBaseFee, l1BlobBaseFeeScalar } = receipt
  if (l1GasUsed === undefined) return null
  return (
    <span className="muted">
      {formatCount(Number(l1GasUsed))} gas of L1
      {l1GasPrice !== undefined &&
        `; L1 base fee ${formatGasPrice(BigInt(l1GasPrice))} with scalar ${formatCount(Number(l1BaseFeeScalar ?? 0))}`}
      {l1BlobBaseFee !== undefined &&
        `; blob base fee ${formatGasPrice(BigInt(l1BlobBaseFee))} with scalar ${formatCount(Number(l1BlobBaseFeeScalar ?? 0))}`}
    </span>
  )
}
