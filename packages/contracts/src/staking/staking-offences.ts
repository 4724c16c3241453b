import { type Address, type Hash, type Log, toAddress } from '@keelson/primitives'
import { eventTopic } from '../abi/abi-encode.ts'

export const OFFENCE_TOPICS = {
  invalidReported: eventTopic('InvalidAttestationReported(address,uint256,uint256,bytes32)'),
  invalidClosed: eventTopic('InvalidAttestationClosed(address,uint256,uint256)'),
} as const satisfies Record<string, Hash>

export interface InvalidAttestationEvent {
  readonly what: 'reported' | 'closed'
  readonly validator: Address
  readonly epoch: number
}

export function findInvalidAttestation(contract: Address, log: Pick<Log, 'address' | 'topics'>): InvalidAttestationEvent | null {
  const [topic, validator, epoch] = log.topics
  if (log.address !== contract || validator === undefined || epoch === undefined) return null
  if (topic !== OFFENCE_TOPICS.invalidReported && topic !== OFFENCE_TOPICS.invalidClosed) return null
  const what = topic === OFFENCE_TOPICS.invalidReported ? 'reported' : 'closed'
  return { what, validator: toAddress(`0x${validator.slice(26)}`), epoch: Number(epoch) }
}
