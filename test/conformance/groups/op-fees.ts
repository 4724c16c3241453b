import assert from 'node:assert/strict'
import { fastLzLength, type L1BlockValues, l1Cost, NO_L1_BLOCK_VALUES } from '@keelson/evm'
import { bytesToBigint, bytesToNumber, decodeTransaction, hexToBytes, isDeposit, rlpDecode } from '@keelson/primitives'
import type { ConformanceCase, ConformanceGroup } from '../group.ts'
import type { VectorFolder } from '../vectors/vector-folder.ts'

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

interface Seeds {
  /** `data` is an RLP list item: a typed transaction is wrapped in a string. */
  readonly txs: readonly { readonly hash: string; readonly data: string }[]
}

const FOLDER = 'op-fees/'

function figureCases(id: string, { tx, params, expected }: Figures): ConformanceCase[] {
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
  const fee = (name: string, wanted: string, got: () => bigint): ConformanceCase => ({
    id: `${id}/${name}`,
    run: () => assert.equal(got(), BigInt(wanted)),
  })
  return [
    fee('bedrock', expected.bedrockFee, () => l1Cost(raw, 'calldata-and-signature', values).feeWei),
    fee('regolith', expected.regolithFee, () => l1Cost(raw, 'calldata', values).feeWei),
    fee('ecotone', expected.ecotoneFee, () => l1Cost(raw, 'calldata-packed', values).feeWei),
    fee('ecotone-gas', expected.ecotoneGas, () => l1Cost(raw, 'calldata-packed', values).gasUsed),
    fee('ecotone-first-block', expected.regolithFee, () => l1Cost(raw, 'calldata-packed', unset).feeWei),
    fee('fjord', expected.fjordFee, () => l1Cost(raw, 'fastlz', values).feeWei),
  ]
}

function infoDeposit(folder: VectorFolder, block: string): Uint8Array {
  const info = `op-derivation/l1-info/op-sepolia-${block}.json`
  if (folder.has(info)) return hexToBytes(folder.json<{ readonly rawDepositTx: string }>(info).rawDepositTx)
  const whole = folder.json<{ readonly payloadAttributes: { readonly transactions: readonly string[] } }>(`op-exec-blocks/${block}.json.gz`)
  return hexToBytes(whole.payloadAttributes.transactions[0] as string)
}

function l1InfoValues(folder: VectorFolder, block: string): L1BlockValues {
  const info = decodeTransaction(infoDeposit(folder, block))
  if (!isDeposit(info)) throw new Error(`block ${block} does not begin with the L1 info deposit`)
  const { data } = info
  return {
    ...NO_L1_BLOCK_VALUES,
    baseFeeScalar: bytesToNumber(data.subarray(4, 8)),
    blobBaseFeeScalar: bytesToNumber(data.subarray(8, 12)),
    baseFeeWei: bytesToBigint(data.subarray(36, 68)),
    blobBaseFeeWei: bytesToBigint(data.subarray(68, 100)),
  }
}

function realCases(folder: VectorFolder, { block, txs }: RealBlock): ConformanceCase[] {
  const values = l1InfoValues(folder, block)
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

function seedCases(id: string, { txs }: Seeds): ConformanceCase[] {
  return txs.map(({ hash, data }, i) => ({
    id: `${id}/${i}`,
    run() {
      const item = rlpDecode(hexToBytes(data))
      assert.equal(decodeTransaction(item instanceof Uint8Array ? item : hexToBytes(data)).hash, hash)
    },
  }))
}

export const opFees: ConformanceGroup = {
  name: 'op-fees',
  under: [FOLDER],
  load: (folder) =>
    folder.casesOf(folder.paths(FOLDER, /\.json$/), (path) => {
      const id = path.slice(FOLDER.length).replace(/\.json$/, '')
      const file = folder.json<Figures | RealBlock | Seeds>(path)
      if ('params' in file) return figureCases(id, file)
      return 'block' in file ? realCases(folder, file) : seedCases(id, file)
    }),
}
