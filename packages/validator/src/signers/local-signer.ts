import { encodeStakingSignature } from '@keelson/contracts'
import { type Bytes32, type Crypto, toAddress } from '@keelson/primitives'
import type { Secret } from '@keelson/runtime'
import { type BareSigner, signingRequestDigest } from '../signer.ts'

export function createLocalValidatorSigner(privateKey: Secret<Bytes32>, crypto: Crypto): BareSigner {
  return {
    address: toAddress(crypto.addressOf(privateKey.reveal())),
    signUnguarded: async (request) => encodeStakingSignature(crypto.sign(signingRequestDigest(request), privateKey.reveal())),
  }
}
