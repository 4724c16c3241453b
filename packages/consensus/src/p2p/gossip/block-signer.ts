/** Signs gossiped blocks with a key in memory. */
import { type Address, type Crypto, signatureToBytes, toAddress } from '@keelson/primitives'
import type { BlockSigner } from '../../ports.ts'

export function createLocalBlockSigner(crypto: Crypto, privateKey: Uint8Array): BlockSigner & { readonly address: Address } {
  return {
    address: toAddress(crypto.addressOf(privateKey)),
    sign: async (digest) => signatureToBytes(crypto.sign(digest, privateKey)),
  }
}
