/** CrossDomainMessenger, the same on both chains: messages that can be tried again when they fail. specs: protocol/messengers.md */
import { type Hash, keccak256Hash } from '@keelson/primitives'
import { encodeCall, eventTopic } from './abi/abi-encode.ts'

/** `FailedRelayedMessage(messageHash)`, indexed. */
export const FAILED_RELAYED_MESSAGE_TOPIC: Hash = eventTopic('FailedRelayedMessage(bytes32)')

/** The name of a message: the hash of the call of `relayMessage` that carries it. */
export function messageHash(relayMessageCall: Uint8Array): Hash {
  return keccak256Hash(relayMessageCall)
}

/** Has it been carried out? */
export function encodeSuccessfulMessages(hash: Hash): Uint8Array {
  return encodeCall('successfulMessages(bytes32)', [hash])
}

/** Did it come, and fail? Anyone may then call `relayMessage` with it again. */
export function encodeFailedMessages(hash: Hash): Uint8Array {
  return encodeCall('failedMessages(bytes32)', [hash])
}
