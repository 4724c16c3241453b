/** Addresses of nodes as texts: enode URLs and node records (EIP-778). */
import { ECDH } from 'node:crypto'
import { isIP } from 'node:net'
import {
  bytesToHex,
  bytesToNumber,
  CodecError,
  type Hex,
  hexToBytes,
  isHex,
  type RlpItem,
  rlpBytes,
  rlpDecode,
  rlpList,
} from '@keelson/primitives'

export interface NodeAddress {
  /** Public key, 64 bytes in hex. */
  readonly id: Hex
  /** An IP address or a host name. */
  readonly host: string
  readonly tcpPort: number
  /** 0 if the node cannot be discovered. */
  readonly udpPort: number
}

export type ParsedNode = { readonly kind: 'node'; readonly node: NodeAddress } | { readonly kind: 'bad'; readonly reason: string }

const HOST_NAME = /^[a-z0-9]([a-z0-9.-]{0,252}[a-z0-9])?$/i

/** Accepts `enode://KEY@HOST:PORT?discport=PORT` and `enr:...`. The signature of a record is not checked. */
export function parseNode(text: string): ParsedNode {
  try {
    const node = text.startsWith('enr:') ? nodeOfRecord(text) : nodeOfUrl(text)
    return typeof node === 'string' ? { kind: 'bad', reason: node } : { kind: 'node', node }
  } catch (error) {
    if (error instanceof CodecError) return { kind: 'bad', reason: error.message }
    throw error
  }
}

function nodeOfUrl(text: string): NodeAddress | string {
  const [, key = '', ip6, name, tcp, udp] =
    /^enode:\/\/([0-9a-fA-F]*)@(?:\[([^\]]+)\]|([^:/?]+)):(\d{1,5})(?:\?discport=(\d{1,5}))?$/.exec(text) ?? []
  if (tcp === undefined) return 'expected enode://KEY@HOST:PORT'
  const hex = `0x${key.toLowerCase()}`
  if (!isHex(hex, 64) || uncompressed(Uint8Array.of(4, ...hexToBytes(hex))) === null) return 'the key is no public key of 64 bytes in hex'
  const host = ip6 ?? (name as string)
  if (isIP(host) === 0 && !HOST_NAME.test(host)) return `${host} is neither an IP address nor a host name`
  const tcpPort = Number(tcp)
  const udpPort = udp === undefined ? tcpPort : Number(udp)
  if (tcpPort === 0 || tcpPort > 65_535 || udpPort > 65_535) return 'ports are 1 to 65535'
  return { id: hex, host, tcpPort, udpPort }
}

function nodeOfRecord(text: string): NodeAddress | string {
  const items = rlpList(rlpDecode(Buffer.from(text.slice('enr:'.length), 'base64url')), 'node record')
  const entries = new Map<string, RlpItem>()
  for (let i = 2; i + 1 < items.length; i += 2) entries.set(Buffer.from(rlpBytes(items[i], 'key')).toString(), items[i + 1] as RlpItem)
  const id = entries.has('secp256k1') ? uncompressed(rlpBytes(entries.get('secp256k1'), 'secp256k1')) : null
  if (id === null) return 'the record has no public key'
  const is6 = !entries.has('ip')
  const port = (name: string) => (entries.has(name) ? bytesToNumber(rlpBytes(entries.get(name), name)) : 0)
  if (!entries.has(is6 ? 'ip6' : 'ip')) return 'the record has no address'
  const ip = rlpBytes(entries.get(is6 ? 'ip6' : 'ip'), 'address', is6 ? 16 : 4)
  const tcpPort = port(is6 ? 'tcp6' : 'tcp')
  if (tcpPort === 0) return 'the record has no TCP port'
  return { id, host: ipText(ip), tcpPort, udpPort: port(is6 ? 'udp6' : 'udp') }
}

export function ipText(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join('.')
  const groups = Array.from({ length: 8 }, (_, i) => bytesToNumber(bytes.subarray(2 * i, 2 * i + 2)).toString(16))
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1)
}

export function showEnode({ id, host, tcpPort, udpPort }: NodeAddress): string {
  const name = isIP(host) === 6 ? `[${host}]` : host
  return `enode://${id.slice(2)}@${name}:${tcpPort}${udpPort === tcpPort ? '' : `?discport=${udpPort}`}`
}

/** Null for bytes that are no point of the curve. */
export function uncompressed(key: Uint8Array): Hex | null {
  try {
    return bytesToHex(new Uint8Array(ECDH.convertKey(key, 'secp256k1', undefined, undefined, 'uncompressed') as Buffer).subarray(1))
  } catch {
    return null
  }
}
