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
  AlreadyAttested: ['address,uint256', ([key, epoch]) => `validator ${key} has attested in epoch ${epoch} already`],
  AlreadyClosed: ['address,uint256', ([key, epoch]) => `the price of what ${key} attested wrongly in epoch ${epoch} is final already`],
  AlreadyNoted: ['bytes32', () => 'this signature of a block is known already'],
  AlreadyReported: ['address,uint256', ([key, epoch]) => `the wrong attestation of ${key} in epoch ${epoch} was reported already`],
  AmountIsZero: ['', () => 'the amount is zero: give one above it'],
  AmountTooLarge: ['uint256,uint256', ([asked, there]) => `${tokens(asked)} asked for, ${tokens(there)} are staked: ask for less`],
  BadParameters: ['string', ([name]) => `the parameter ${name} cannot be used`],
  BadSignature: [
    '',
    () =>
      'the signature is not that of the key: it was made for another owner, payout address, chain or contract, or its s is in the upper half',
  ],
  BelowMinimum: ['uint256,uint256', ([stake, minimum]) => `the stake would be ${tokens(stake)}, at least ${tokens(minimum)} are needed`],
  CheckpointIsRight: ['uint256', ([number]) => `the hash attested to for block ${number} is the chain's: this is no offence`],
  CheckpointNotServed: ['uint256', ([number]) => `the chain does not tell the hash of block ${number}: only of the last 8191 blocks`],
  CheckpointTooNew: ['uint256,uint256', ([given, slot]) => `block ${given} is not before the epoch's first, ${slot}`],
  DifferentEpochs: ['uint256,uint256', ([first, second]) => `the attestations are for epochs ${first} and ${second}: this is no offence`],
  DifferentSigners: ['address,address', ([first, second]) => `the attestations are of ${first} and ${second}: this is no offence`],
  EpochToCome: ['uint256', ([epoch]) => `epoch ${epoch} has not begun`],
  EvidenceTooOld: ['uint256', ([last]) => `evidence for this epoch was taken up to block ${last}`],
  KeyIsZero: ['', () => 'the signing key is the zero address'],
  KeyTaken: ['address', ([key]) => `key ${key} is registered already: a key serves one validator, once; make a new one`],
  L1OriginTooLarge: [
    'uint256,uint256',
    ([given, largest]) => `the L1 origin's number ${given} is above ${largest}, the largest that programs can read`,
  ],
  NoSignedBlock: ['string', ([reason]) => `this is no signed block: ${reason}`],
  NotActive: ['address,uint256', ([key, epoch]) => `validator ${key} is not active in epoch ${epoch}`],
  NotEjected: ['address', ([key]) => `validator ${key} was not ejected: it needs no rejoining`],
  NotReported: ['address,uint256', ([key, epoch]) => `no wrong attestation of ${key} in epoch ${epoch} was reported`],
  NotTheOwner: ['address,address', ([key, owner]) => `validator ${key} belongs to ${owner}: only that account may do this`],
  NothingToWithdraw: ['', () => 'there is nothing to pay'],
  OffenceOpen: [
    'address,uint256',
    ([key, count]) => `the price of ${count} wrong attestations of ${key} is not final: wait until it is, and settle it`,
  ],
  PaymentFailed: ['address', ([to]) => `the payout address ${to} does not take payments: set another`],
  PayoutIsZero: ['', () => 'the payout address is the zero address'],
  SameAttestation: ['', () => 'both attestations are the same: this is no offence'],
  SlashedForGood: ['address', ([key]) => `validator ${key} was slashed and is out for good: register a new key`],
  TooEarly: ['uint256', ([block]) => `it can be withdrawn from block ${block} on`],
  UnknownValidator: ['address', ([key]) => `no validator ${key} is registered: register it first`],
  WrongCheckpoint: ['uint256,bytes32,bytes32', ([number]) => `the hash attested to for block ${number} is not the chain's`],
  WrongEpoch: ['uint256,uint256', ([given, current]) => `the attestation is for epoch ${given}, this is epoch ${current}`],
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
