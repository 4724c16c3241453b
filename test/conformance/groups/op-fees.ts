/** L1 costs: figures of the reference client for each cost function, and the fees of real transactions. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fastLzLength, type L1BlockValues, l1Cost, NO_L1_BLOCK_VALUES } from '@keelson/evm'
import { bytesToBigint, bytesToNumber, decodeTransaction, hexToBytes } from '@keelson/primitives'
import type { ConformanceCase, ConformanceGroup } from '../group.ts'

interface Figures {
  readonly tx: string
  readonly params: Readonly<Record<'baseFee' | 'overhead' | 'scalar' | 'blobBaseFee' | 'baseFeeScalar' | 'blobBaseFeeScalar', string>>
  readonly expected: Readonly<Record<'bedrockFee' | 'regolithFee' | 'ecotoneFee' | 'ecotoneGas' | 'fjordFee', string>>
}
interface RealTx {
  readonly index: number
  readonly rawTx: string
  readonly fastlzSize: number
  readonly l1Fee: string
}
interface RealBlock {
  readonly block: string
  readonly txs: readonly RealTx[]
}

const BLOCKS = ['26207962', '26207963', '26208384', '26208858', '26208927', '26211680']
function readJson<T>(vectors: string, file: string): T {
  return JSON.parse(readFileSync(join(vectors, file), 'utf8')) as T
}

function figureCases(vectors: string): ConformanceCase[] {
  const { tx, params, expected } = readJson<Figures>(vectors, 'op-fees/l1-cost.json')
  const raw = hexToBytes(tx)
  const values: L1BlockValues = {
    ...NO_L1_BLOCK_VALUES,
    baseFeeWei: BigInt(params.baseFee),
    blobBaseFeeWei: BigInt(params.blobBaseFee),
    baseFeeScalar: Number(params.baseFeeScalar),
    blobBaseFeeScalar: Number(params.blobBaseFeeScalar),
    overhead: BigInt(params.overhead),
    scalar: BigInt(params.scalar),
  }
  const unset = { ...values, blobBaseFeeWei: 0n, baseFeeScalar: 0, blobBaseFeeScalar: 0 }
  const fee = (id: string, wanted: string, got: () => bigint): ConformanceCase => ({ id, run: () => assert.equal(got(), BigInt(wanted)) })
  return [
    fee('l1-cost/bedrock', expected.bedrockFee, () => l1Cost(raw, 'calldata-and-signature', values).feeWei),
    fee('l1-cost/regolith', expected.regolithFee, () => l1Cost(raw, 'calldata', values).feeWei),
    fee('l1-cost/ecotone', expected.ecotoneFee, () => l1Cost(raw, 'calldata-packed', values).feeWei),
    fee('l1-cost/ecotone-gas', expected.ecotoneGas, () => l1Cost(raw, 'calldata-packed', values).gasUsed),
    fee('l1-cost/ecotone-first-block', expected.regolithFee, () => l1Cost(raw, 'calldata-packed', unset).feeWei),
    fee('l1-cost/fjord', expected.fjordFee, () => l1Cost(raw, 'fastlz', values).feeWei),
  ]
}

/** Fee parameters from the calldata of the block's first deposit. */
function l1InfoValues(vectors: string, block: string): L1BlockValues {
  const info = readJson<{ readonly rawDepositTx: string }>(vectors, `op-derivation/l1-info/op-sepolia-block-${block}.json`)
  const { data } = decodeTransaction(hexToBytes(info.rawDepositTx))
  return {
    ...NO_L1_BLOCK_VALUES,
    baseFeeScalar: bytesToNumber(data.subarray(4, 8)),
    blobBaseFeeScalar: bytesToNumber(data.subarray(8, 12)),
    baseFeeWei: bytesToBigint(data.subarray(36, 68)),
    blobBaseFeeWei: bytesToBigint(data.subarray(68, 100)),
  }
}

function realCases(vectors: string, block: string): ConformanceCase[] {
  const { txs } = readJson<RealBlock>(vectors, `op-fees/op-sepolia-block-${block}.json`)
  assert.ok(txs.length > 0, `no transactions for block ${block}`)
  const values = l1InfoValues(vectors, block)
  return txs.map((tx) => ({
    id: `${block}/${tx.index}`,
    run() {
      const raw = hexToBytes(tx.rawTx)
      assert.deepEqual(decodeTransaction(raw).raw, raw)
      assert.equal(fastLzLength(raw), tx.fastlzSize, 'FastLZ length')
      assert.equal(l1Cost(raw, 'fastlz', values).feeWei, BigInt(tx.l1Fee), 'L1 fee')
    },
  }))
}

export const opFees: ConformanceGroup = {
  name: 'op-fees',
  load: (vectors) => [...figureCases(vectors), ...BLOCKS.flatMap((block) => realCases(vectors, block))],
}
