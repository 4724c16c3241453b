import { bigintToBytes, concatBytes } from '../bytes.ts'
import type { Bytes32 } from '../hex.ts'
import { keccak256 } from '../keccak.ts'
import { type RlpInput, rlpEncode } from '../rlp.ts'
import { decodeSignedTransaction } from './decode-transaction.ts'
import {
  type AccessList,
  type DepositFields,
  type DepositTransaction,
  type Signature,
  type SignedTransaction,
  TX_BLOB,
  TX_DEPOSIT,
  TX_LEGACY,
  TX_SET_CODE,
  type UnsignedTransaction,
} from './transaction.ts'
import { withEncoding } from './with-encoding.ts'

const NO_TARGET = new Uint8Array(0)

export function encodeAccessList(list: AccessList): RlpInput {
  return list.map((entry) => [entry.address, [...entry.slots]])
}

/** Fields before the signature, in signing order. */
function payloadFields(tx: UnsignedTransaction): RlpInput[] {
  const call: RlpInput[] = [tx.gasLimit, tx.to ?? NO_TARGET, tx.valueWei, tx.data]
  if (tx.type === TX_LEGACY) return [tx.nonce, tx.gasPriceWei, ...call]
  if ('gasPriceWei' in tx) return [tx.chainId, tx.nonce, tx.gasPriceWei, ...call, encodeAccessList(tx.accessList)]
  const common = [tx.chainId, tx.nonce, tx.maxPriorityFeePerGasWei, tx.maxFeePerGasWei, ...call, encodeAccessList(tx.accessList)]
  if (tx.type === TX_BLOB) return [...common, tx.maxFeePerBlobGasWei, [...tx.blobVersionedHashes]]
  if (tx.type === TX_SET_CODE) {
    return [...common, tx.authorizationList.map((a) => [a.chainId, a.address, a.nonce, a.yParity, a.r, a.s])]
  }
  return common
}

function envelope(type: number, fields: RlpInput): Uint8Array {
  return type === TX_LEGACY ? rlpEncode(fields) : rlpEncode(fields, type)
}

export function signingDigest(tx: UnsignedTransaction): Bytes32 {
  const fields = payloadFields(tx)
  if (tx.type === TX_LEGACY && tx.chainId !== null) fields.push(tx.chainId, 0, 0)
  return keccak256(envelope(tx.type, fields))
}

export function encodeSignedTransaction(tx: UnsignedTransaction, signature: Signature): SignedTransaction {
  const v =
    tx.type !== TX_LEGACY
      ? signature.yParity
      : tx.chainId === null
        ? 27 + signature.yParity
        : tx.chainId * 2n + 35n + BigInt(signature.yParity)
  return decodeSignedTransaction(envelope(tx.type, [...payloadFields(tx), v, signature.r, signature.s]))
}

export function encodeDeposit(tx: DepositFields): DepositTransaction {
  const fields = [tx.sourceHash, tx.from, tx.to ?? NO_TARGET, tx.mintWei, tx.valueWei, tx.gasLimit, tx.isSystemTx ? 1 : 0, tx.data]
  return withEncoding({ ...tx }, envelope(TX_DEPOSIT, fields))
}

/** Returns 65 bytes: r, s, yParity. */
export function signatureToBytes(signature: Signature): Uint8Array {
  return concatBytes(bigintToBytes(signature.r, 32), bigintToBytes(signature.s, 32), Uint8Array.of(signature.yParity))
}
