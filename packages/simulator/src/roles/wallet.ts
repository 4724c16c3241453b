/** An account of a user on one chain. It sends one transaction at a time, with the next nonce that the node tells. */
import { type ChainName, createChainAccount, type RpcClient } from '@keelson/client'
import {
  type Address,
  type Crypto,
  encodeSignedTransaction,
  type Hash,
  hexToBytes,
  signingDigest,
  TX_FEE_MARKET,
  toAddress,
} from '@keelson/primitives'

export interface WalletOptions {
  readonly chain: ChainName
  readonly chainId: bigint
  readonly rpc: RpcClient
  readonly key: Uint8Array
  readonly crypto: Crypto
}

export interface WalletCall {
  readonly to: Address
  readonly data: Uint8Array
  readonly valueWei: bigint
  /** If omitted, the node estimates it. */
  readonly gasLimit?: bigint
}

const GWEI = 10n ** 9n
const MAX_FEE_WEI = 150n * GWEI

export class Wallet {
  readonly address: Address
  readonly #options: WalletOptions
  #last: Promise<unknown> = Promise.resolve()

  constructor(options: WalletOptions) {
    this.#options = options
    this.address = toAddress(options.crypto.addressOf(options.key))
  }

  /** Rejects when the node does not accept it; it may be included nevertheless. */
  send(call: WalletCall): Promise<Hash> {
    const sent = this.#last.then(() => this.#send(call))
    this.#last = sent.catch(() => undefined)
    return sent
  }

  async #send({ to, data, valueWei, gasLimit }: WalletCall): Promise<Hash> {
    const { chain, chainId, rpc, key, crypto } = this.#options
    const account = createChainAccount(chain, rpc, this.address)
    const estimate = () => account.estimateGas({ to, data, valueWei, blobVersionedHashes: [], maxFeePerBlobGasWei: null })
    const fields = {
      type: TX_FEE_MARKET,
      chainId,
      gasLimit: gasLimit ?? ((await estimate()) * 6n) / 5n,
      nonce: await account.nonce('pending'),
      to: hexToBytes(to),
      valueWei,
      data,
      accessList: [],
      maxFeePerGasWei: MAX_FEE_WEI,
      maxPriorityFeePerGasWei: GWEI,
    } as const
    const tx = encodeSignedTransaction(fields, crypto.sign(signingDigest(fields), key))
    await account.sendRaw(tx.raw)
    return tx.hash
  }
}
