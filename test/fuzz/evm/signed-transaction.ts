/** Transactions of a case in the form of the node. */
import {
  type Authorization,
  concatBytes,
  encodeSignedTransaction,
  hexToBytes,
  keccak256,
  rlpEncode,
  type Signature,
  type SignedTransaction,
  signingDigest,
  TX_ACCESS_LIST,
  TX_LEGACY,
  TX_SET_CODE,
  type UnsignedTransaction,
  ZERO_HASH,
} from '@keelson/primitives'
import { type CaseAuthorization, type CaseTransaction, CHAIN_ID, codeBytes, crypto, GAS_PRICE_WEI, SIGNERS, wordBytes } from './evm-case.ts'

const NO_SIGNATURE: Signature = { yParity: 0, r: 1n, s: 1n }
const SET_CODE_MAGIC = Uint8Array.of(0x05)
const signed = new Map<string, Authorization>()

const keyOf = (signer: number) => (SIGNERS[signer] as (typeof SIGNERS)[number]).key

/** For engines that are given the sender; authorizations have real signatures. */
export function transactionOf(each: CaseTransaction, nonce: bigint): SignedTransaction {
  // Only fees depend on the encoding.
  return { ...unsigned(each, nonce), signature: NO_SIGNATURE, raw: Uint8Array.of(1, 2, 3, 4), hash: ZERO_HASH }
}

export function signTransaction(each: CaseTransaction, nonce: bigint): SignedTransaction {
  const tx = unsigned(each, nonce)
  return encodeSignedTransaction(tx, crypto.sign(signingDigest(tx), keyOf(each.sender)))
}

function unsigned({ to, value, data, gas, accessList, authorizations }: CaseTransaction, nonce: bigint): UnsignedTransaction {
  const fields = {
    nonce,
    gasLimit: BigInt(gas),
    to: to === null ? null : hexToBytes(to),
    valueWei: BigInt(value),
    data: codeBytes(data),
  }
  const list = (accessList ?? []).map(({ address, slots }) => ({ address: hexToBytes(address), slots: slots.map(wordBytes) }))
  if (authorizations !== undefined) {
    return {
      ...fields,
      type: TX_SET_CODE,
      chainId: CHAIN_ID,
      maxPriorityFeePerGasWei: GAS_PRICE_WEI,
      maxFeePerGasWei: GAS_PRICE_WEI,
      accessList: list,
      authorizationList: authorizations.map(signAuthorization),
    }
  }
  if (accessList === undefined) return { ...fields, type: TX_LEGACY, chainId: null, gasPriceWei: GAS_PRICE_WEI }
  return { ...fields, type: TX_ACCESS_LIST, chainId: CHAIN_ID, gasPriceWei: GAS_PRICE_WEI, accessList: list }
}

export function signAuthorization(each: CaseAuthorization): Authorization {
  const key = JSON.stringify(each)
  const known = signed.get(key)
  if (known !== undefined) return known
  const fields = { chainId: BigInt(each.chainId), address: hexToBytes(each.address), nonce: BigInt(each.nonce) }
  const digest = keccak256(concatBytes(SET_CODE_MAGIC, rlpEncode([fields.chainId, fields.address, fields.nonce])))
  const authorization = { ...fields, ...crypto.sign(digest, keyOf(each.signer)) }
  signed.set(key, authorization)
  return authorization
}
