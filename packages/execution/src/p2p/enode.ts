import { bytesToHex, hexToBytes } from '@keelson/primitives'

/** Where a node is dialled. */
export interface NodeAddress {
  /** Public key, 64 bytes. */
  readonly id: Uint8Array
  readonly host: string
  readonly port: number
}

const ENODE = /^enode:\/\/([0-9a-f]{128})@(\[[0-9a-f:.]+\]|[^:@/?[\]]+):(\d{1,5})(?:\?discport=\d{1,5})?$/i

/** Null for anything but `enode://<128 hex digits>@<host>:<port>`. */
export function parseEnode(text: string): NodeAddress | null {
  const [, id, host, port] = ENODE.exec(text) ?? []
  if (id === undefined || host === undefined || Number(port) === 0 || Number(port) > 65_535) return null
  return { id: hexToBytes(`0x${id.toLowerCase()}`), host: host.replace(/^\[|\]$/g, ''), port: Number(port) }
}

export function enodeUrl({ id, host, port }: NodeAddress): string {
  return `enode://${nodeName(id)}@${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** Hex without 0x, as clients print ids. */
export function nodeName(id: Uint8Array): string {
  return bytesToHex(id).slice(2)
}
