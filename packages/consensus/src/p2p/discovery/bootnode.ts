/** Where a node begins to look for others: records (`enr:`) or geth's older form (`enode:`), as an operator gives them. */
import { ENR } from '@chainsafe/enr'
import { hexToBytes, isHex } from '@keelson/primitives'
import { publicKeyFromRaw } from '@libp2p/crypto/keys'
import type { PublicKey } from '@libp2p/interface'
import { peerIdFromPublicKey } from '@libp2p/peer-id'
import { type Multiaddr, multiaddr } from '@multiformats/multiaddr'
import { messageOf } from '../../errors.ts'

export type Bootnode =
  | { readonly kind: 'record'; readonly enr: ENR }
  /** Its record is asked for at this address. */
  | { readonly kind: 'address'; readonly address: Multiaddr }
  | { readonly kind: 'bad'; readonly reason: string }

export function parseBootnode(text: string): Bootnode {
  try {
    if (text.startsWith('enr:')) return { kind: 'record', enr: ENR.decodeTxt(text) }
    if (text.startsWith('enode:')) return { kind: 'address', address: enodeAddress(text) }
    return { kind: 'bad', reason: 'expected enr:... or enode://KEY@ADDRESS:PORT' }
  } catch (error) {
    return { kind: 'bad', reason: messageOf(error) }
  }
}

/** `enode://<64 bytes of hex>@<address>:<tcp port>?discport=<udp port>` */
function enodeAddress(text: string): Multiaddr {
  const url = new URL(text.replace(/^enode:/, 'http:'))
  const key = `0x${url.username}`
  if (!isHex(key, 64)) throw new Error('an enode holds a public key of 64 bytes of hex')
  const [x, y] = [hexToBytes(key).subarray(0, 32), hexToBytes(key).subarray(32)]
  const compressed = Uint8Array.of(2 + ((y[31] as number) & 1), ...x)
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const port = url.searchParams.get('discport') ?? url.port
  // the key library brings a later release of the same types
  const peerId = peerIdFromPublicKey(publicKeyFromRaw(compressed) as unknown as PublicKey & { type: 'secp256k1' })
  return multiaddr(`/${host.includes(':') ? 'ip6' : 'ip4'}/${host}/udp/${port}/p2p/${peerId.toString()}`)
}
