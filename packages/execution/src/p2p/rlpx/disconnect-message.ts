import { CodecError, rlpEncode, rlpNumber } from '@keelson/primitives'
import { snappyCompress } from '@keelson/runtime/snappy'
import { rlpSmall } from '../bounded-rlp.ts'
import { DISCONNECT_REASONS, type DisconnectReason, disconnectReasonOf } from './disconnect-reason.ts'

const MAX_BYTES = 16

export function encodeDisconnect(reason: DisconnectReason, compressed: boolean): Uint8Array {
  const payload = rlpEncode([DISCONNECT_REASONS[reason]])
  return compressed ? snappyCompress(payload) : payload
}

/** Clients send a list, a number or nothing; unreadable payloads count as `requested`. */
export function decodeDisconnect(payload: Uint8Array): DisconnectReason {
  try {
    const item = rlpSmall(payload, MAX_BYTES, 'disconnect')
    return disconnectReasonOf(rlpNumber(item instanceof Uint8Array ? item : item[0], 'disconnect reason'))
  } catch (error) {
    if (error instanceof CodecError) return 'requested'
    throw error
  }
}
