/** Transactions of the Staking contract (reference/Staking.md). */
import { type Address, hexToBytes } from '@keelson/primitives'
import { encodeCall } from '../abi/abi-encode.ts'
import type { AbiValue } from '../abi/abi-type.ts'
import type { Attestation, Registration } from './staking-digests.ts'

/** The first call of an epoch also closes the previous one and may eject the validator, which an estimate at the head misses. */
export const EPOCH_TURN_GAS = 800_000n

/** Enough for the first attestation of an epoch. */
export const ATTEST_GAS = 1_000_000n

/** Enough to close the previous epoch. */
export const FUND_GAS = 300_000n

const ATTESTATION = '(uint64,uint64,bytes32,uint64,bytes32)'

/** `signature`: 65 bytes over `attestationDigest`. */
export interface SignedAttestation {
  readonly attestation: Attestation
  readonly signature: Uint8Array
}

export function encodeAttest({ attestation, signature }: SignedAttestation): Uint8Array {
  return encodeCall(`attest(${ATTESTATION},bytes)`, [attestationTuple(attestation), signature])
}

export interface RegistrationProofs {
  readonly signingProof: Uint8Array
  /** Empty without a block key. */
  readonly blockProof: Uint8Array
}

/** From the owner; the value is staked. */
export function encodeRegister({ signingKey, blockKey, payout }: Omit<Registration, 'owner'>, proofs: RegistrationProofs): Uint8Array {
  return encodeCall('register(address,address,address,bytes,bytes)', [signingKey, blockKey, payout, proofs.signingProof, proofs.blockProof])
}

export function encodeStake(signingKey: Address): Uint8Array {
  return encodeCall('stake(address)', [signingKey])
}

export function encodeUnstake(signingKey: Address, amountWei: bigint): Uint8Array {
  return encodeCall('unstake(address,uint256)', [signingKey, amountWei])
}

export function encodeExit(signingKey: Address): Uint8Array {
  return encodeCall('exit(address)', [signingKey])
}

export function encodeRejoin(signingKey: Address): Uint8Array {
  return encodeCall('rejoin(address)', [signingKey])
}

export function encodeWithdraw(signingKey: Address): Uint8Array {
  return encodeCall('withdraw(address)', [signingKey])
}

export function encodeClaimRewards(signingKey: Address): Uint8Array {
  return encodeCall('claimRewards(address)', [signingKey])
}

export function encodeSetPayout(signingKey: Address, payout: Address): Uint8Array {
  return encodeCall('setPayout(address,address)', [signingKey, payout])
}

export function encodeFund(): Uint8Array {
  return encodeCall('fund()')
}

export function encodeReportDoubleAttestation(first: SignedAttestation, second: SignedAttestation): Uint8Array {
  return encodeCall(`reportDoubleAttestation(${ATTESTATION},bytes,${ATTESTATION},bytes)`, [
    attestationTuple(first.attestation),
    first.signature,
    attestationTuple(second.attestation),
    second.signature,
  ])
}

export function encodeReportInvalidAttestation({ attestation, signature }: SignedAttestation): Uint8Array {
  return encodeCall(`reportInvalidAttestation(${ATTESTATION},bytes)`, [attestationTuple(attestation), signature])
}

export function encodeSettleInvalidAttestation(epoch: number, signingKey: Address): Uint8Array {
  return encodeCall('settleInvalidAttestation(uint256,address)', [BigInt(epoch), signingKey])
}

/** `signedPart`: parent beacon block root and payload in SSZ, as gossiped. `signature` ends with 0 or 1. */
export function encodeReportSignedBlock(signedPart: Uint8Array, signature: Uint8Array): Uint8Array {
  return encodeCall('reportSignedBlock(bytes,bytes)', [signedPart, signature])
}

function attestationTuple(attestation: Attestation): AbiValue {
  return [
    BigInt(attestation.epoch),
    BigInt(attestation.checkpointNumber),
    hexToBytes(attestation.checkpointHash),
    BigInt(attestation.l1OriginNumber),
    hexToBytes(attestation.l1OriginHash),
  ]
}
