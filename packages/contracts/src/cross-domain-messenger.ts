/** CrossDomainMessenger of both chains. specs: protocol/messengers.md */
import { type Hash, keccak256Hash } from '@keelson/primitives'
import { encodeCall, eventTopic } from './abi/abi-encode.ts'

export const FAILED_RELAYED_MESSAGE_TOPIC: Hash = eventTopic('FailedRelayedMessage(bytes32)')

/** Hash of the call of `relayMessage`. */
export function messageHash(relayMessageCall: Uint8Array): Hash {
  return keccak256Hash(relayMessageCall)
}

export function encodeSuccessfulMessages(hash: Hash): Uint8Array {
  return encodeCall('successfulMessages(bytes32)', [hash])
}

/** Anyone can relay a failed message again. */
export function encodeFailedMessages(hash: Hash): Uint8Array {
  return encodeCall('failedMessages(bytes32)', [hash])
}
