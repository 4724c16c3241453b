/** devp2p rlpx.md#hello-0x00 */
import { CodecError, rlpBytes, rlpEncode, rlpList, rlpNumber, utf8ToBytes } from '@keelson/primitives'
import { rlpSmall } from '../bounded-rlp.ts'
import { P2pError } from '../p2p-error.ts'
import type { Capability } from './session.ts'

/** Version 5 adds Snappy compression. */
export const P2P_VERSION = 5
export const MAX_HELLO_BYTES = 2_048
const MAX_CAPABILITIES = 64
const MAX_NAME_BYTES = 8
const MAX_CLIENT_BYTES = 128

export interface Hello {
  readonly version: number
  readonly client: string
  readonly capabilities: readonly Capability[]
  readonly listenPort: number
  readonly id: Uint8Array
}

export function encodeHello(hello: Omit<Hello, 'version'>): Uint8Array {
  const capabilities = hello.capabilities.map(({ name, version }) => [utf8ToBytes(name), version])
  return rlpEncode([P2P_VERSION, utf8ToBytes(hello.client), capabilities, hello.listenPort, hello.id])
}

/** Ignores further fields. Throws P2pError `p2p/hello`. */
export function decodeHello(payload: Uint8Array): Hello {
  try {
    const [version, client, capabilities, listenPort, id] = rlpList(rlpSmall(payload, MAX_HELLO_BYTES, 'hello'), 'hello')
    const offered = rlpList(capabilities, 'capabilities')
    if (offered.length > MAX_CAPABILITIES) throw new P2pError('p2p/hello', `hello with ${offered.length} capabilities`)
    return {
      version: rlpNumber(version, 'p2p version'),
      client: printable(rlpBytes(client, 'client name').subarray(0, MAX_CLIENT_BYTES)),
      capabilities: offered.map((item) => {
        const [name, offeredVersion] = rlpList(item, 'capability')
        return {
          name: printable(rlpBytes(name, 'capability name').subarray(0, MAX_NAME_BYTES)),
          version: rlpNumber(offeredVersion, 'capability version'),
        }
      }),
      listenPort: rlpNumber(listenPort, 'listen port'),
      id: rlpBytes(id, 'node id', 64),
    }
  } catch (cause) {
    if (cause instanceof CodecError) throw new P2pError('p2p/hello', `unreadable hello: ${cause.message}`, {}, { cause })
    throw cause
  }
}

function printable(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '?')).join('')
}
