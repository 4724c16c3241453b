import {
  type Address,
  type BlobFields,
  type Bytes32,
  bytesToHex,
  type Crypto,
  type DynamicFeeFields,
  decodeSignedTransaction,
  encodeSignedTransaction,
  formatQuantity,
  parseData,
  parseJsonObject,
  recoverSender,
  type SignedTransaction,
  signingDigest,
  TX_BLOB,
  toAddress,
} from '@keelson/primitives'
import type { Secret } from '@keelson/runtime'
import { ClientError } from './client-error.ts'
import type { RpcClient } from './rpc/rpc-client.ts'
import { verified } from './rpc/verified.ts'

export type ManagedTransaction = DynamicFeeFields | BlobFields

export interface Signer {
  readonly address: Address
  /** Throws ClientError `client/signer`. */
  signTransaction(transaction: ManagedTransaction): Promise<SignedTransaction>
}

export function createLocalSigner(privateKey: Secret<Bytes32>, crypto: Crypto): Signer {
  return {
    address: toAddress(crypto.addressOf(privateKey.reveal())),
    signTransaction: async (transaction) =>
      encodeSignedTransaction(transaction, crypto.sign(signingDigest(transaction), privateKey.reveal())),
  }
}

/** Checks that the service signed the same transaction with the expected account. */
export function createRemoteSigner(address: Address, rpc: RpcClient, crypto: Crypto): Signer {
  return {
    address,
    async signTransaction(transaction) {
      const answer = await rpc.call('eth_signTransaction', [transactionArguments(address, transaction)])
      const signed = verified(rpc.host, () => {
        const raw = typeof answer === 'string' ? answer : parseJsonObject(answer, 'eth_signTransaction').raw
        return decodeSignedTransaction(parseData(raw, 'signed transaction'))
      })
      const same = bytesToHex(signingDigest(signed)) === bytesToHex(signingDigest(transaction))
      const sender = recoverSender(signed, crypto)
      if (!same || sender === null || toAddress(sender) !== address) {
        throw new ClientError(
          'client/signer',
          'critical',
          `the signer at ${rpc.host} gave back ${same ? 'the signature of another account' : 'another transaction'}; expected nonce ${transaction.nonce} of ${address}`,
          { host: rpc.host, address },
        )
      }
      return signed
    },
  }
}

function transactionArguments(from: Address, tx: ManagedTransaction): Readonly<Record<string, unknown>> {
  const blobs =
    tx.type === TX_BLOB
      ? { maxFeePerBlobGas: formatQuantity(tx.maxFeePerBlobGasWei), blobVersionedHashes: tx.blobVersionedHashes.map(bytesToHex) }
      : {}
  return {
    type: formatQuantity(tx.type),
    chainId: formatQuantity(tx.chainId),
    from,
    to: tx.to === null ? null : bytesToHex(tx.to),
    nonce: formatQuantity(tx.nonce),
    gas: formatQuantity(tx.gasLimit),
    value: formatQuantity(tx.valueWei),
    input: bytesToHex(tx.data),
    maxFeePerGas: formatQuantity(tx.maxFeePerGasWei),
    maxPriorityFeePerGas: formatQuantity(tx.maxPriorityFeePerGasWei),
    accessList: tx.accessList.map(({ address, slots }) => ({ address: bytesToHex(address), storageKeys: slots.map(bytesToHex) })),
    ...blobs,
  }
}
