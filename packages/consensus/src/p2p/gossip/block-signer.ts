import { type Address, type Crypto, signatureToBytes, signingDigestOf, toAddress } from '@keelson/primitives'
import type { BlockSigner } from '../../ports.ts'

export function createLocalBlockSigner(crypto: Crypto, privateKey: Uint8Array): BlockSigner & { readonly address: Address } {
  return {
    address: toAddress(crypto.addressOf(privateKey)),
    sign: async (request) => signatureToBytes(crypto.sign(signingDigestOf(request), privateKey)),
  }
}
