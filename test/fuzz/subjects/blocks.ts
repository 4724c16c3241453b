import assert from 'node:assert/strict'
import {
  type Block,
  decodeBlock,
  decodeHeader,
  decodeReceipt,
  encodeBlock,
  encodeHeader,
  encodeReceipt,
  type Header,
  hashHeader,
  logsBloom,
  type Receipt,
  toAddress,
  toHash,
} from '@keelson/primitives'
import fc, { type Arbitrary } from 'fast-check'
import { decodeExportedBlock } from '../../../packages/execution/src/import/decode-export.ts'
import { brokenBytes } from '../mutate.ts'
import { defineSubject } from '../subject.ts'
import { bytesOf, transaction, u64, u256 } from '../transactions.ts'
import { orCodecError } from './rlp.ts'

const hash = bytesOf(32).map((bytes) => toHash(bytes))
const address = bytesOf(20).map((bytes) => toAddress(bytes))
const count = fc.oneof(fc.constantFrom(0, 1, 127, 128, Number.MAX_SAFE_INTEGER), fc.nat())

const wholeHeader: Arbitrary<Header> = fc.record({
  parentHash: hash,
  ommersHash: hash,
  feeRecipient: address,
  stateRoot: hash,
  transactionsRoot: hash,
  receiptsRoot: hash,
  logsBloom: fc.nat(255).map((byte) => new Uint8Array(256).fill(byte)),
  difficulty: u256,
  number: count,
  gasLimit: u64,
  gasUsed: u64,
  timestampSec: count,
  extraData: fc.uint8Array({ maxLength: 40 }),
  mixHash: hash,
  nonce: bytesOf(8),
  baseFeeWei: u256,
  withdrawalsRoot: hash,
  blobGasUsed: u64,
  excessBlobGas: u64,
  parentBeaconBlockRoot: hash,
  requestsHash: hash,
  blockAccessListHash: hash,
  slotNumber: u64,
})
const LATER_FIELDS = [
  'baseFeeWei',
  'withdrawalsRoot',
  'blobGasUsed',
  'excessBlobGas',
  'parentBeaconBlockRoot',
  'requestsHash',
  'blockAccessListHash',
  'slotNumber',
] as const

const header: Arbitrary<Header> = fc
  .tuple(wholeHeader, fc.nat(LATER_FIELDS.length))
  .map(([whole, kept]) => ({ ...whole, ...Object.fromEntries(LATER_FIELDS.slice(kept).map((name) => [name, null])) }))

const log = fc.record({ address, topics: fc.array(hash, { maxLength: 4 }), data: fc.uint8Array({ maxLength: 64 }) })
const receipt: Arbitrary<Receipt> = fc
  .record({
    type: fc.constantFrom(0, 1, 2, 3, 4, 0x7d, 0x7e),
    outcome: fc.oneof(fc.record({ status: fc.constantFrom(0 as const, 1 as const) }), fc.record({ root: hash })),
    cumulativeGasUsed: u64,
    logs: fc.array(log, { maxLength: 3 }),
    depositNonce: u64,
  })
  .map((fields) => {
    const deposit = fields.type === 0x7e
    return {
      ...fields,
      logsBloom: logsBloom(fields.logs),
      depositNonce: deposit ? fields.depositNonce : null,
      depositReceiptVersion: deposit ? 1n : null,
    }
  })

const withdrawal = fc.record({ index: u64, validatorIndex: u64, address, amountGwei: u64 })
const block: Arbitrary<Block> = fc
  .record({ header, transactions: fc.array(transaction, { maxLength: 3 }), withdrawals: fc.option(fc.array(withdrawal, { maxLength: 2 })) })
  .map((parts) => ({ ...parts, hash: hashHeader(parts.header) }))

type Case =
  | { readonly kind: 'header'; readonly header: Header }
  | { readonly kind: 'receipt'; readonly receipt: Receipt }
  | { readonly kind: 'block'; readonly block: Block }
  | { readonly kind: 'broken header' | 'broken receipt' | 'broken block'; readonly bytes: Uint8Array }

export const blockSubject = defineSubject<Case>({
  name: 'blocks',
  cases: 120_000,
  caseLimitMs: 5_000,
  open: async () => ({
    arbitrary: fc.oneof(
      fc.record({ kind: fc.constant('header' as const), header }),
      fc.record({ kind: fc.constant('receipt' as const), receipt }),
      fc.record({ kind: fc.constant('block' as const), block }),
      fc.record({ kind: fc.constant('broken header' as const), bytes: brokenBytes(header.map(encodeHeader)) }),
      fc.record({ kind: fc.constant('broken receipt' as const), bytes: brokenBytes(receipt.map(encodeReceipt)) }),
      fc.record({ kind: fc.constant('broken block' as const), bytes: brokenBytes(block.map(encodeBlock)) }),
    ),
    check: checkCase,
  }),
})

function checkCase(value: Case): void {
  switch (value.kind) {
    case 'header':
      assert.deepEqual(decodeHeader(encodeHeader(value.header)), structuredClone(value.header))
      return
    case 'receipt':
      assert.deepEqual(decodeReceipt(encodeReceipt(value.receipt)), structuredClone(value.receipt))
      return
    case 'block':
      assert.deepEqual(encodeBlock(decodeBlock(encodeBlock(value.block))), encodeBlock(value.block))
      return
    case 'broken header': {
      const decoded = orCodecError(() => decodeHeader(value.bytes))
      if (decoded !== null) assert.deepEqual(encodeHeader(decoded), value.bytes)
      return
    }
    case 'broken receipt': {
      const decoded = orCodecError(() => decodeReceipt(value.bytes))
      if (decoded !== null) assert.deepEqual(encodeReceipt(decoded), value.bytes)
      return
    }
    case 'broken block': {
      const decoded = orCodecError(() => decodeExportedBlock(value.bytes))
      if (decoded?.ommers.length === 0) assert.deepEqual(encodeBlock(decoded.block), value.bytes)
    }
  }
}
