import assert from 'node:assert/strict'
import { decodeL1Info, encodeL1Info, l1InfoDeposit } from '@keelson/derivation/codec'
import { bytesToBigint, bytesToHex, decodeTransaction, hexToBytes, isDeposit } from '@keelson/primitives'
import type { ConformanceCase } from '../group.ts'

const OTHER_NAMES: Readonly<Record<string, string>> = {
  overhead: 'l1FeeOverhead',
  scalar: 'l1FeeScalar',
  feeOverhead: 'l1FeeOverhead',
  feeScalar: 'l1FeeScalar',
}

export interface L1InfoVector {
  readonly fork?: string
  readonly calldata?: string
  readonly expected?: Readonly<Record<string, string | number>>
  readonly rawDepositTx?: string
}

export function l1InfoCase(id: string, vector: L1InfoVector): ConformanceCase {
  return {
    id,
    run() {
      if (vector.rawDepositTx !== undefined) {
        const tx = decodeTransaction(hexToBytes(vector.rawDepositTx))
        assert.ok(isDeposit(tx))
        assert.equal(bytesToHex(l1InfoDeposit(decodeL1Info(tx.data), true).raw), vector.rawDepositTx)
        return
      }
      assert.ok(vector.calldata && vector.expected, 'no check is known for a vector of this form')
      const info = decodeL1Info(hexToBytes(vector.calldata))
      assert.equal(info.format, vector.fork)
      const names: Readonly<Record<string, string | number | bigint>> = {
        number: info.number,
        time: info.timestampSec,
        baseFee: info.baseFeeWei,
        blockHash: info.hash,
        sequenceNumber: info.sequenceNumber,
        batcherAddress: info.batcherAddress,
        blobBaseFee: info.blobBaseFeeWei,
        blobBaseFeeScalar: info.blobBaseFeeScalar,
        baseFeeScalar: info.baseFeeScalar,
        operatorFeeScalar: info.operatorFeeScalar,
        operatorFeeConstant: info.operatorFeeConstant,
        l1FeeOverhead: bytesToBigint(info.overhead),
        l1FeeScalar: bytesToBigint(info.scalar),
      }
      for (const [name, value] of Object.entries(vector.expected)) {
        const ours = names[name] ?? names[OTHER_NAMES[name] ?? '']
        assert.ok(ours !== undefined, `no field of ours is known for ${name}`)
        assert.equal(BigInt(ours), BigInt(value), name)
      }
      assert.equal(bytesToHex(encodeL1Info(info)), vector.calldata)
    },
  }
}
