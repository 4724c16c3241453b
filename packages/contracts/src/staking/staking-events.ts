import { type Address, type Hash, type Log, toAddress, toHash } from '@keelson/primitives'
import { decodeParameters } from '../abi/abi-decode.ts'
import { eventTopic } from '../abi/abi-encode.ts'
import type { SignedAttestation } from './staking-transactions.ts'

/** Order of the contract's enum. */
export const OFFENCES = ['double-attestation', 'double-block', 'invalid-attestation', 'downtime', 'late-attestations'] as const
export type Offence = (typeof OFFENCES)[number]

export const STAKING_TOPICS = {
  registered: eventTopic('ValidatorRegistered(address,address,uint64,address,address)'),
  attested: eventTopic('Attested(address,uint256,uint256,bytes32,uint256,uint256,uint256,bytes32,bytes)'),
  slashed: eventTopic('Slashed(address,uint8,uint256,uint256)'),
  slashedOut: eventTopic('SlashedOut(address)'),
  weightChanged: eventTopic('WeightChanged(address,uint256,uint256,uint256)'),
} as const satisfies Record<string, Hash>

export interface SlashedEvent {
  readonly validator: Address
  readonly offence: Offence
  readonly epoch: number
  readonly amountWei: bigint
}

/** Returns null for another event. */
export function findSlashed(contract: Address, log: Log): SlashedEvent | null {
  const [topic, validator, offence, epoch] = log.topics
  if (log.address !== contract || topic !== STAKING_TOPICS.slashed || !validator || !offence || !epoch) return null
  const name = OFFENCES[Number(offence)]
  if (name === undefined) return null
  const [amountWei] = decodeParameters('uint256', log.data) as [bigint]
  return { validator: toAddress(`0x${validator.slice(26)}`), offence: name, epoch: Number(epoch), amountWei }
}

/** `weightWei` is 0 without a seat. */
export interface WeightChangedEvent {
  readonly validator: Address
  readonly epoch: number
  readonly weightWei: bigint
}

/** Returns null for another event. */
export function findWeightChanged(contract: Address, log: Log): WeightChangedEvent | null {
  const [topic, validator, epoch] = log.topics
  if (log.address !== contract || topic !== STAKING_TOPICS.weightChanged || !validator || !epoch) return null
  const [weightWei] = decodeParameters('uint256,uint256', log.data) as [bigint, bigint]
  return { validator: toAddress(`0x${validator.slice(26)}`), epoch: Number(epoch), weightWei }
}

export interface AttestedEvent {
  readonly validator: Address
  readonly epoch: number
  readonly checkpointNumber: number
  readonly checkpointHash: Hash
  readonly weightWei: bigint
  /** Number of blocks after the epoch's first. */
  readonly lateBlocks: number
}

export interface SignedAttestedEvent extends AttestedEvent {
  readonly signed: SignedAttestation
}

/** Null for another event. Throws ContractError `contracts/abi-data`. */
export function findAttested(contract: Address, log: Log): SignedAttestedEvent | null {
  const [topic, validator, epoch] = log.topics
  if (log.address !== contract || topic !== STAKING_TOPICS.attested || !validator || !epoch) return null
  const [number, hash, weightWei, lateBlocks, originNumber, originHash, signature] = decodeParameters(
    'uint256,bytes32,uint256,uint256,uint256,bytes32,bytes',
    log.data,
  ) as [bigint, Uint8Array, bigint, bigint, bigint, Uint8Array, Uint8Array]
  const checkpoint = { epoch: Number(epoch), checkpointNumber: Number(number), checkpointHash: toHash(hash) }
  return {
    ...checkpoint,
    validator: toAddress(`0x${validator.slice(26)}`),
    weightWei,
    lateBlocks: Number(lateBlocks),
    signed: { attestation: { ...checkpoint, l1OriginNumber: Number(originNumber), l1OriginHash: toHash(originHash) }, signature },
  }
}
