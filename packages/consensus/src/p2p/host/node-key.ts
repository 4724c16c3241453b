import type { PrivateKey } from '@libp2p/interface'
import './promise-polyfill.ts'

export async function peerIdOfNodeKey(key: Uint8Array): Promise<string> {
  const { privateKeyFromRaw } = await import('@libp2p/crypto/keys')
  const { peerIdFromPrivateKey } = await import('@libp2p/peer-id')
  // The key library exports a later version of the same type.
  return peerIdFromPrivateKey(privateKeyFromRaw(key) as unknown as PrivateKey).toString()
}
