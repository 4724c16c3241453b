import { isIP } from 'node:net'
import { ENR } from '@chainsafe/enr'
import { hexToBytes, isHex, messageOf, utf8ToBytes } from '@keelson/primitives'

export type Bootnode =
  | { readonly kind: 'record'; readonly enr: ENR }
  /** A placeholder with key and address, whose signed record is to be requested. */
  | { readonly kind: 'address'; readonly unsigned: ENR }
  | { readonly kind: 'bad'; readonly reason: string }

export function parseBootnode(text: string): Bootnode {
  try {
    if (text.startsWith('enr:')) return { kind: 'record', enr: ENR.decodeTxt(text) }
    if (text.startsWith('enode:')) return { kind: 'address', unsigned: enodeRecord(text) }
    return { kind: 'bad', reason: 'expected enr:... or enode://KEY@ADDRESS:PORT' }
  } catch (error) {
    return { kind: 'bad', reason: messageOf(error) }
  }
}

/** `enode://<64 bytes of hex>@<IPv4 address>:<tcp port>?discport=<udp port>` */
function enodeRecord(text: string): ENR {
  const url = new URL(text.replace(/^enode:/, 'http:'))
  const key = `0x${url.username}`
  if (!isHex(key, 64)) throw new Error('an enode holds a public key of 64 bytes of hex')
  if (isIP(url.hostname) !== 4) throw new Error('an enode holds an IPv4 address')
  const point = hexToBytes(key)
  const port = Number(url.searchParams.get('discport') ?? url.port)
  if (!(port > 0)) throw new Error('an enode holds a port')
  const entries = {
    id: utf8ToBytes('v4'),
    secp256k1: Uint8Array.of(2 + ((point[63] as number) & 1), ...point.subarray(0, 32)),
    ip: Uint8Array.from(url.hostname.split('.').map(Number)),
    udp: Uint8Array.of(port >> 8, port & 0xff),
  }
  return new ENR(entries, 0n, new Uint8Array(64))
}
