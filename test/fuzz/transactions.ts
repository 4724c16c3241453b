/** Transactions of every type with fields at their limits; signatures are valid only in form. */
import {
  CodecError,
  type DepositFields,
  decodePostExecPayload,
  encodeDeposit,
  encodePostExecPayload,
  encodeSignedTransaction,
  type PostExecTransaction,
  postExecTransaction,
  type Transaction,
  TX_ACCESS_LIST,
  TX_BLOB,
  TX_DEPOSIT,
  TX_FEE_MARKET,
  TX_LEGACY,
  TX_POST_EXEC,
  TX_SET_CODE,
  type UnsignedTransaction,
} from '@keelson/primitives'
import fc, { type Arbitrary } from 'fast-check'

export const bytesOf = (length: number): Arbitrary<Uint8Array> => fc.uint8Array({ minLength: length, maxLength: length })
export const u64 = fc.oneof(fc.constantFrom(0n, 1n, 127n, 128n, 2n ** 64n - 1n), fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }))
export const u256 = fc.oneof(fc.constantFrom(0n, 1n, 127n, 128n, 2n ** 256n - 1n), fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }))

const data = fc.uint8Array({ maxLength: 70 })
const to = fc.option(bytesOf(20))
const accessList = fc.array(fc.record({ address: bytesOf(20), slots: fc.array(bytesOf(32), { maxLength: 3 }) }), { maxLength: 3 })
const call = { nonce: u64, gasLimit: u64, valueWei: u256, data }
const fees = { chainId: fc.bigInt({ min: 0n, max: 2n ** 63n }), maxPriorityFeePerGasWei: u256, maxFeePerGasWei: u256, accessList }
const signature = fc.record({ yParity: fc.constantFrom(0 as const, 1 as const), r: u256, s: u256 })
const authorization = fc.record({ chainId: u256, address: bytesOf(20), nonce: u64, yParity: fc.nat(255), r: u256, s: u256 })

export const unsignedTransaction: Arbitrary<UnsignedTransaction> = fc.oneof(
  fc.record({ type: fc.constant(TX_LEGACY), chainId: fc.option(fc.bigInt({ min: 1n, max: 2n ** 62n })), ...call, to, gasPriceWei: u256 }),
  fc.record({ type: fc.constant(TX_ACCESS_LIST), chainId: fees.chainId, accessList, ...call, to, gasPriceWei: u256 }),
  fc.record({ type: fc.constant(TX_FEE_MARKET), ...call, ...fees, to }),
  fc.record({
    type: fc.constant(TX_BLOB),
    ...call,
    ...fees,
    to: bytesOf(20),
    maxFeePerBlobGasWei: u256,
    blobVersionedHashes: fc.array(bytesOf(32), { maxLength: 3 }),
  }),
  fc.record({
    type: fc.constant(TX_SET_CODE),
    ...call,
    ...fees,
    to: bytesOf(20),
    authorizationList: fc.array(authorization, { maxLength: 3 }),
  }),
) as Arbitrary<UnsignedTransaction>

const deposit: Arbitrary<DepositFields> = fc.record({
  type: fc.constant(TX_DEPOSIT),
  sourceHash: bytesOf(32),
  from: bytesOf(20),
  to,
  mintWei: u256,
  valueWei: u256,
  gasLimit: u64,
  isSystemTx: fc.boolean(),
  data,
})

export const signedTransaction: Arbitrary<Transaction> = fc
  .tuple(unsignedTransaction, signature)
  .map(([tx, signed]) => encodeSignedTransaction(tx, signed))

export const postExec: Arbitrary<PostExecTransaction> = fc
  .record({
    version: fc.constant(1 as const),
    blockNumber: u64,
    refunds: fc.uniqueArray(fc.record({ index: fc.nat(), gas: fc.bigInt({ min: 1n, max: 2n ** 64n - 1n }) }), {
      minLength: 1,
      maxLength: 4,
      selector: ({ index }) => index,
    }),
  })
  .map((payload) => ({ ...payload, refunds: payload.refunds.toSorted((a, b) => a.index - b.index) }))
  .map((payload) => postExecTransaction(encodePostExecPayload(payload)))

export const transaction: Arbitrary<Transaction> = fc.oneof(
  { weight: 5, arbitrary: signedTransaction },
  { weight: 1, arbitrary: deposit.map(encodeDeposit) },
  { weight: 1, arbitrary: postExec },
)

export function reencode(tx: Transaction): Uint8Array {
  if (tx.type === TX_POST_EXEC) return postExecTransaction(reencodePayload(tx.payload)).raw
  return tx.type === TX_DEPOSIT ? encodeDeposit(tx).raw : encodeSignedTransaction(tx, tx.signature).raw
}

/** A payload that no block may hold is opaque bytes of the transaction. */
function reencodePayload(payload: Uint8Array): Uint8Array {
  try {
    return encodePostExecPayload(decodePostExecPayload(payload))
  } catch (error) {
    if (!(error instanceof CodecError)) throw error
    return payload
  }
}
