import { type Authorization, concatBytes, createPureCrypto, keccak256, rlpEncode } from '@keelson/primitives'

const crypto = createPureCrypto()

export function signAuthorization(fields: Pick<Authorization, 'chainId' | 'address' | 'nonce'>, privateKey: Uint8Array): Authorization {
  const digest = keccak256(concatBytes(Uint8Array.of(5), rlpEncode([fields.chainId, fields.address, fields.nonce])))
  return { ...fields, ...crypto.sign(digest, privateKey) }
}
