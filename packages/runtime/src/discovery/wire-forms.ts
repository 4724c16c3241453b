/**
 * Translates between messages as the protocol has them and as the library reads and writes them. The library takes request ids and
 * sequence numbers for numbers: it fails on empty ones, answers without leading zeros, and answers ids that are too long.
 * https://github.com/ethereum/devp2p/blob/master/discv5/discv5-wire.md
 */
import type { Discv5 } from '@chainsafe/discv5'
import { bytesToBigint, CodecError, concatBytes, type RlpItem, rlpDecode, rlpEncode, rlpList } from '@keelson/primitives'

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
/** PING and PONG state a sequence number. */
const WITH_SEQUENCE: ReadonlySet<number> = new Set([1, 2])
const MAX_ID_BYTES = 8
const MAX_REMEMBERED = 16
const ZERO = Uint8Array.of(0)
/** Has no known type, so the library drops it. */
const NO_MESSAGE = ZERO

export function translateMessages({ sessionService }: Discv5): void {
  const { sessions } = sessionService as unknown as Internals
  const set = sessions.set.bind(sessions)
  sessions.set = (name, session) => {
    translateIn(session)
    return set(name, session)
  }
}

export function translateIn(session: MessageSession): void {
  const encrypt = session.encryptMessage.bind(session)
  const decrypt = session.decryptMessage.bind(session)
  /** Ids as they came, by what the library takes them for. */
  const received = new Map<bigint, Uint8Array>()

  function remember(id: Uint8Array): void {
    const number = bytesToBigint(id)
    received.delete(number)
    received.set(number, id)
    if (received.size > MAX_REMEMBERED) received.delete(received.keys().next().value as bigint)
  }

  session.decryptMessage = (...packet) => {
    const message = decrypt(...packet)
    const type = message[0] ?? 0
    const items = itemsOf(message)
    const id = items?.[0]
    if (items === null || !(id instanceof Uint8Array)) return message
    if (id.length > MAX_ID_BYTES) return NO_MESSAGE
    const isRequest = REQUESTS.has(type)
    if (isRequest && (id[0] ?? 0) === 0) remember(id)
    const lacksSequence = WITH_SEQUENCE.has(type) && isEmpty(items[1])
    if (!isEmpty(id) && !lacksSequence) return message
    const [, second, ...rest] = items
    return write(type, [isEmpty(id) ? ZERO : id, ...(second === undefined ? [] : [lacksSequence ? ZERO : second]), ...rest])
  }
  session.encryptMessage = (from, to, message) => {
    const items = received.size > 0 && RESPONSES.has(message[0] ?? 0) ? itemsOf(message) : null
    const [id, ...rest] = items ?? []
    const original = id instanceof Uint8Array ? received.get(bytesToBigint(id)) : undefined
    return encrypt(from, to, original === undefined ? message : write(message[0] ?? 0, [original, ...rest]))
  }
}

function isEmpty(item: RlpItem | undefined): boolean {
  return item instanceof Uint8Array && item.length === 0
}

function itemsOf(message: Uint8Array): readonly RlpItem[] | null {
  if (message.length < 2) return null
  try {
    return rlpList(rlpDecode(message.subarray(1)), 'message')
  } catch (error) {
    if (error instanceof CodecError) return null
    throw error
  }
}

function write(type: number, items: readonly RlpItem[]): Uint8Array {
  return concatBytes(Uint8Array.of(type), rlpEncode(items))
}
