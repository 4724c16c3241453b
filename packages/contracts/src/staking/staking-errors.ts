import { bytesToHex } from '@keelson/primitives'
import { decodeParameters } from '../abi/abi-decode.ts'
import { functionSelector } from '../abi/abi-encode.ts'
import type { AbiValue } from '../abi/abi-type.ts'
import { ContractError } from '../contract-error.ts'

const TOKEN = 10n ** 18n

/** Omits trailing zeros: "999.5". */
export function formatTokens(wei: bigint): string {
  const sign = wei < 0n ? '-' : ''
  const value = wei < 0n ? -wei : wei
  const fraction = (value % TOKEN).toString().padStart(18, '0').replace(/0+$/, '')
  return `${sign}${value / TOKEN}${fraction === '' ? '' : `.${fraction}`}`
}

const tokens = (value: AbiValue | undefined) => formatTokens(value as bigint)
type Words = (values: readonly AbiValue[]) => string

const WORDS: Readonly<Record<string, readonly [types: string, words: Words]>> = {
  AlreadyAttested: ['address,uint256', ([key, epoch]) => `validator ${key} has already attested in epoch ${epoch}`],
  AlreadyClosed: [
    'address,uint256',
    ([key, epoch]) => `the penalty for the invalid attestation of ${key} in epoch ${epoch} is already final`,
  ],
  AlreadyNoted: ['bytes32', () => 'this block signature is already recorded'],
  AlreadyReported: ['address,uint256', ([key, epoch]) => `the invalid attestation of ${key} in epoch ${epoch} is already reported`],
  AmountIsZero: ['', () => 'the amount is zero: set a positive amount'],
  AmountTooLarge: ['uint256,uint256', ([asked, there]) => `${tokens(asked)} requested, but only ${tokens(there)} are staked: request less`],
  BadParameters: ['string', ([name]) => `the parameter ${name} is invalid`],
  BadSignature: [
    '',
    () =>
      'the signature is not that of the key: it was made for another owner, payout address, chain or contract, or its s is in the upper half',
  ],
  BelowMinimum: ['uint256,uint256', ([stake, minimum]) => `the stake would be ${tokens(stake)}, at least ${tokens(minimum)} are required`],
  CheckpointIsRight: ['uint256', ([number]) => `the attested hash of block ${number} is correct: this is not an offence`],
  CheckpointNotServed: ['uint256', ([number]) => `the hash of block ${number} is not available: the chain keeps the last 8191 hashes`],
  CheckpointTooNew: ['uint256,uint256', ([given, slot]) => `block ${given} is not before the epoch's first block, ${slot}`],
  DifferentEpochs: [
    'uint256,uint256',
    ([first, second]) => `the attestations are for epochs ${first} and ${second}: this is not an offence`,
  ],
  DifferentSigners: ['address,address', ([first, second]) => `the attestations are by ${first} and ${second}: this is not an offence`],
  EpochToCome: ['uint256', ([epoch]) => `epoch ${epoch} has not begun`],
  EvidenceTooOld: ['uint256', ([last]) => `evidence for this epoch was accepted until block ${last}`],
  KeyIsZero: ['', () => 'the signing key is the zero address'],
  KeyTaken: ['address', ([key]) => `key ${key} is already registered: a key can be used only once; create a new one`],
  L1OriginTooLarge: [
    'uint256,uint256',
    ([given, largest]) => `the L1 origin's number ${given} is above ${largest}, the largest supported value`,
  ],
  NoSignedBlock: ['string', ([reason]) => `this is not a signed block: ${reason}`],
  NotActive: ['address,uint256', ([key, epoch]) => `validator ${key} is not active in epoch ${epoch}`],
  NotEjected: ['address', ([key]) => `validator ${key} was not ejected and need not rejoin`],
  NotReported: ['address,uint256', ([key, epoch]) => `no invalid attestation of ${key} in epoch ${epoch} is reported`],
  NotTheOwner: ['address,address', ([key, owner]) => `validator ${key} belongs to ${owner}: only that account may do this`],
  NothingToWithdraw: ['', () => 'there is nothing to pay'],
  OffenceOpen: [
    'address,uint256',
    ([key, count]) => `the penalty for ${count} invalid attestations of ${key} is not final: settle it once it is`,
  ],
  PaymentFailed: ['address', ([to]) => `the payout address ${to} rejects payments: set another`],
  PayoutIsZero: ['', () => 'the payout address is the zero address'],
  SameAttestation: ['', () => 'both attestations are identical: this is not an offence'],
  SlashedForGood: ['address', ([key]) => `validator ${key} was permanently slashed: register a new key`],
  TooEarly: ['uint256', ([block]) => `it can be withdrawn starting at block ${block}`],
  UnknownValidator: ['address', ([key]) => `no validator ${key} is registered: register it first`],
  WrongCheckpoint: ['uint256,bytes32,bytes32', ([number]) => `the attested hash of block ${number} is wrong`],
  WrongEpoch: ['uint256,uint256', ([given, current]) => `the attestation is for epoch ${given}, the current epoch is ${current}`],
}

const SELECTOR_BYTES = 4
const BY_SELECTOR = new Map(
  Object.entries(WORDS).map(([name, [types, words]]) => [bytesToHex(functionSelector(`${name}(${types})`)), { name, types, words }]),
)

export interface StakingRefusal {
  readonly name: string
  readonly words: string
}

/** Returns null for other errors. */
export function findStakingRefusal(revertData: Uint8Array): StakingRefusal | null {
  const found = BY_SELECTOR.get(bytesToHex(revertData.subarray(0, SELECTOR_BYTES)))
  if (found === undefined) return null
  try {
    const values = found.types === '' ? [] : decodeParameters(found.types, revertData.subarray(SELECTOR_BYTES))
    return { name: found.name, words: found.words(values) }
  } catch (error) {
    if (error instanceof ContractError) return null
    throw error
  }
}
