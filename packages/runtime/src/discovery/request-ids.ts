/**
 * The library reads a request's id as a number and answers without its leading zeros, and it answers ids that are too long. Here an
 * answer gets the id back as it came. https://github.com/ethereum/devp2p/blob/master/discv5/discv5-wire.md
 */
import type { Discv5 } from '@chainsafe/discv5'
import { bytesToBigint, CodecError, concatBytes, rlpDecode, rlpDecodeFirst, rlpEncode, rlpList, rlpListContent } from '@keelson/primitives'

/** The parts of a session that see messages: a byte for the type, then an RLP list that begins with the id. */
export interface MessageSession {
  encryptMessage(from: string, to: string, message: Uint8Array): unknown
  decryptMessage(nonce: Uint8Array, message: Uint8Array, aad: Uint8Array): Uint8Array
}

interface Internals {
  readonly sessions: { set(name: string, session: MessageSession): unknown }
}

const REQUESTS: ReadonlySet<number> = new Set([1, 3, 5])
const RESPONSES: ReadonlySet<number> = new Set([2, 4, 6])
const MAX_ID_BYTES = 8
const MAX_REMEMBERED = 16
/** Has no known type, so the library drops it. */
const NO_MESSAGE = Uint8Array.of(0)

export function keepRequestIds({ sessionService }: Discv5): void {
  const { sessions } = sessionService as unknown as Internals
  const set = sessions.set.bind(sessions)
  sessions.set = (name, session) => {
    keepIdsOf(session)
    return set(name, session)
  }
}

export function keepIdsOf(session: MessageSession): void {
  const encrypt = session.encryptMessage.bind(session)
  const decrypt = session.decryptMessage.bind(session)
  const received = new Map<bigint, Uint8Array>()
  session.decryptMessage = (...packet) => {
    const message = decrypt(...packet)
    const id = REQUESTS.has(message[0] ?? 0) ? idOf(message) : null
    if (id === null) return message
    if (id.length > MAX_ID_BYTES) return NO_MESSAGE
    if (id[0] === 0) {
      received.set(bytesToBigint(id), id)
      if (received.size > MAX_REMEMBERED) received.delete(received.keys().next().value as bigint)
    }
    return message
  }
  session.encryptMessage = (from, to, message) => {
    const id = received.size > 0 && RESPONSES.has(message[0] ?? 0) ? idOf(message) : null
    const original = id === null ? undefined : received.get(bytesToBigint(id))
    return encrypt(from, to, original === undefined ? message : withId(message, original))
  }
}

function idOf(message: Uint8Array): Uint8Array | null {
  try {
    const { item } = rlpDecodeFirst(rlpListContent(message.subarray(1), 'message'))
    return item instanceof Uint8Array ? item : null
  } catch (error) {
    if (error instanceof CodecError) return null
    throw error
  }
}

function withId(message: Uint8Array, id: Uint8Array): Uint8Array {
  const [, ...rest] = rlpList(rlpDecode(message.subarray(1)), 'message')
  return concatBytes(message.subarray(0, 1), rlpEncode([id, ...rest]))
}
