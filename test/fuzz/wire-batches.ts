import { createSpanBatch, type Frame, splitIntoFrames, type WireBatch } from '@keelson/derivation'
import {
  bytesToBigint,
  bytesToHex,
  encodeSignedTransaction,
  type Hash,
  type Transaction,
  TX_BLOB,
  TX_LEGACY,
  TX_SET_CODE,
  toHash,
  type UnsignedTransaction,
  ZERO_HASH,
} from '@keelson/primitives'
import fc, { type Arbitrary } from 'fast-check'
import { bytesOf, postExec, signedTransaction, unsignedTransaction } from './transactions.ts'

export const SPAN_CHAIN = { genesisTimestampSec: 1_700_000_000, blockTimeSec: 2, chainId: 901n }

const hash: Arbitrary<Hash> = bytesOf(32).map((bytes) => toHash(bytes))
const singularOf = (transaction: Arbitrary<Transaction>): Arbitrary<WireBatch> =>
  fc
    .record({
      parentHash: hash,
      epoch: fc.record({ number: fc.nat(), hash }),
      timestampSec: fc.nat(),
      transactions: fc.array(
        transaction.map((tx) => tx.raw),
        { maxLength: 3 },
      ),
    })
    .map((batch) => ({ kind: 'singular', batch }))

const batchable = fc
  .tuple(
    unsignedTransaction.filter(({ type }) => type !== TX_BLOB && type !== TX_SET_CODE),
    bytesOf(32),
  )
  .map(([tx, r]) => {
    const chainId = tx.type === TX_LEGACY && tx.chainId === null ? null : SPAN_CHAIN.chainId
    return encodeSignedTransaction({ ...tx, chainId } as UnsignedTransaction, { yParity: 1, r: bytesToBigint(r), s: 5n })
  })
const spanOf = (transaction: Arbitrary<Transaction>): Arbitrary<WireBatch> =>
  fc
    .tuple(hash, fc.nat(1000), fc.array(fc.tuple(fc.boolean(), fc.array(transaction, { maxLength: 2 })), { minLength: 1, maxLength: 5 }))
    .map(([parentHash, start, blocks]) => {
      let epoch = 5
      const inputs = blocks.map(([moves, txs], i) => {
        if (moves) epoch++
        return {
          parentHash: i === 0 ? parentHash : ZERO_HASH,
          epoch: { number: epoch, hash: parentHash },
          timestampSec: SPAN_CHAIN.genesisTimestampSec + 2 * (start + i),
          transactions: txs.map((tx) => tx.raw),
          sequenceNumber: moves ? 0 : 1,
        }
      })
      return { kind: 'span', batch: createSpanBatch(inputs, SPAN_CHAIN) }
    })
/** Anywhere in a block, because decoding does not check that it is the last one. specs: protocol/lagoon/post-exec.md */
const withPostExec = (transaction: Arbitrary<Transaction>) =>
  fc.oneof({ weight: 4, arbitrary: transaction }, { weight: 1, arbitrary: postExec })

export const singularWire = singularOf(signedTransaction)
export const spanWire = spanOf(batchable)
/** Batches without post-execution transactions. Other implementations of the codec judge these, because they do not know Lagoon. */
export const wireBatch: Arbitrary<WireBatch> = fc.oneof(singularWire, spanWire)
export const lagoonBatch: Arbitrary<WireBatch> = fc.oneof(singularOf(withPostExec(signedTransaction)), spanOf(withPostExec(batchable)))
export const batcherFrames: Arbitrary<readonly Frame[]> = fc
  .tuple(bytesOf(16), fc.uint8Array({ minLength: 1, maxLength: 200 }), fc.integer({ min: 30, max: 250 }))
  .map(([id, data, size]) => splitIntoFrames(bytesToHex(id), data, size))
